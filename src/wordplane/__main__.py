"""`python -m wordplane` is the command line."""

from wordplane.cli import command

if __name__ == "__main__":
    command()

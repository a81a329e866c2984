"""`wordplane`, and `python -m wordplane`, are the command line."""

import sys

from wordplane import __version__


def command() -> None:
    """Run the command that was typed. The version is told without a parser and what it imports."""
    if sys.argv[1:] == ["--version"]:
        print(f"wordplane {__version__}")
        return
    from wordplane.cli import command

    command()


if __name__ == "__main__":
    command()

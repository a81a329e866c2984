"""`wordplane`, and `python -m wordplane`, are the command line."""

import os
import sys

from wordplane import __version__

# Threads of NumPy's linear algebra otherwise wait for work by looking for it all the time, a tenth
# of a second at the start: as long as it takes to import NumPy.
WAITING = "OPENBLAS_THREAD_TIMEOUT", "4"  # 2^4 cycles


def command() -> None:
    """Run the command that was typed. The version is told without a parser and what it imports."""
    if sys.argv[1:] == ["--version"]:
        print(f"wordplane {__version__}")
        return
    os.environ.setdefault(*WAITING)
    from wordplane.cli import command

    command()


if __name__ == "__main__":
    command()

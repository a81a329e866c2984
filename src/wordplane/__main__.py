"""`python -m wordplane` is the command line."""

import sys

from wordplane.cli import main

if __name__ == "__main__":
    sys.exit(main())

"""`wordplane completion SHELL`"""

import argparse

from wordplane.common.errors import InputError, install

SHELLS = ("bash", "zsh", "fish", "tcsh")

EPILOG = """\
examples:
  wordplane completion bash > ~/.local/share/bash-completion/completions/wordplane
  wordplane completion zsh > ~/.zfunc/_wordplane      a folder of your $fpath
  wordplane completion fish > ~/.config/fish/completions/wordplane.fish
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=SHELLS, help="which shell the script is for")


def run(args: argparse.Namespace) -> int:
    try:
        import shtab
    except ImportError:
        raise InputError(f"completion needs the library shtab; {install('completion')}") from None
    from wordplane.cli import make_parser

    print(shtab.complete(make_parser(every_verb=True), shell=args.shell))
    return 0

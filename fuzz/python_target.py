"""Runs a target in Python under the fuzzer: `python fuzz/python_target.py --target=NAME ...`.

The targets know nothing of atheris, so that their corpora can be replayed without it.
"""

import sys
from importlib import import_module

import atheris

OPTION = "--target="

if __name__ == "__main__":
    name = next(word.removeprefix(OPTION) for word in sys.argv if word.startswith(OPTION))
    with atheris.instrument_imports(include=["wordplane"]):
        target = import_module(name)
    atheris.Setup(sys.argv, target.one_input)
    atheris.Fuzz()

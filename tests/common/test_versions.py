"""Tests of wordplane.common.versions."""

import numpy as np

import wordplane
from wordplane.common.versions import versions


def test_versions_are_those_of_what_is_installed(capsys):
    found = versions()
    assert (found["numpy"], found["wordplane"]) == (np.__version__, wordplane.__version__)
    assert list(found).index("numpy") < list(found).index("starlette")  # required, then extras
    wordplane.show_versions()
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == list(found)

"""Tests of wordplane.learners: its public classes are loaded by name."""

import subprocess
import sys

import pytest

import wordplane.learners


@pytest.mark.parametrize("name", wordplane.learners.__all__)
def test_every_class_is_there_by_name(name):
    assert getattr(wordplane.learners, name).__name__ == name
    assert name in dir(wordplane.learners)


def test_import_loads_no_learner():
    code = "import sys, wordplane.learners; print('numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_unknown_name():
    with pytest.raises(AttributeError, match="no attribute 'Learner'"):
        _ = wordplane.learners.Learner

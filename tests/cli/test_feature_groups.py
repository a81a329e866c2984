"""Tests of wordplane.cli.feature_groups: what `--features` turns on and off."""

import argparse

import pytest

from wordplane.cli.feature_groups import FROM_FILES, group_names, with_groups
from wordplane.common.errors import InputError


def test_names():
    assert group_names("word, char") == ["word", "char"]
    with pytest.raises(argparse.ArgumentTypeError, match="'sound' is none of word, char"):
        group_names("word,sound")
    for name, option in FROM_FILES.items():
        with pytest.raises(argparse.ArgumentTypeError, match=f"name them with {option}"):
            group_names(name)


def test_an_option_of_a_group_that_is_not_named_is_refused():
    with pytest.raises(InputError, match="--suffixes is of the group suffix"):
        with_groups(["word"], {"suffixes": [3]})


def test_groups_that_are_not_named_are_off():
    assert with_groups(["shape"], {"min_df": 2}) == {
        "min_df": 2, "ngrams": None, "chars": None, "prefixes": (), "suffixes": (),
        "shapes": True, "lengths": False,
    }  # fmt: skip

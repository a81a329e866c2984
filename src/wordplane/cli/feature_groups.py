"""`--features word,suffix`: which groups of features a text has, by the names of the analyzer.

Which groups there are is said here, what each is like by the option of its own (`--suffixes 3,4`).
"""

import argparse
from collections.abc import Mapping

from wordplane.common.errors import InputError
from wordplane.text.feature_groups import GROUPS

FROM_FILES = {"trigger": "--triggers", "lexicon": "--lexica", "embedding": "--pretrained"}


def group_names(text: str) -> list[str]:
    """'word,char' as a list, checked."""
    names = [name.strip() for name in text.split(",")]
    for name in names:
        if name in FROM_FILES:
            raise argparse.ArgumentTypeError(
                f"{name} needs files: leave it out here, and name them with {FROM_FILES[name]}"
            )
        if name not in GROUPS:
            raise argparse.ArgumentTypeError(f"{name!r} is none of {', '.join(GROUPS)}")
    return names


def with_groups(names: list[str], given: Mapping[str, object]) -> dict[str, object]:
    """The parameters given, and those of the groups that are named, and of no other.

    >>> with_groups(["char", "shape"], {"chars": (3, 3), "min_df": 2})["chars"]
    (3, 3)
    >>> with_groups(["word", "suffix"], {})
    {'chars': None, 'prefixes': (), 'suffixes': [2, 3], 'shapes': False, 'lengths': False}
    """
    chosen: dict[str, object] = {}
    for group, (parameter, usual, none) in GROUPS.items():
        if group in names:
            if parameter not in given and group != "word":
                chosen[parameter] = usual
        elif given.get(parameter):
            raise InputError(
                f"--{parameter} is of the group {group}, which --features {','.join(names)} does "
                f"not name: add {group} to it, or leave out one of the two"
            )
        else:
            chosen[parameter] = none
    return {**given, **chosen}

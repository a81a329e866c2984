"""Tests of wordplane.text.feature_groups."""

import pytest

from wordplane import Analyzer
from wordplane.text.feature_groups import GROUPS, only_groups


@pytest.mark.parametrize("group", GROUPS)
def test_a_group_alone(group):
    spec = only_groups(Analyzer(ngrams=(1, 3), shapes=True), [group]).resolve()
    own = GROUPS[group][0]
    for parameter, _, absent in GROUPS.values():
        value = spec.given[parameter]
        assert bool(value) == (parameter == own), (parameter, value, absent)
    assert len(spec.analyses()) == 1


def test_what_is_no_group_stays():
    analyzer = only_groups(Analyzer(min_df=3, triggers={"a": ["b"]}), ["char", "word"])
    assert (analyzer.min_df, analyzer.triggers) == (3, {"a": ["b"]})
    assert (analyzer.ngrams, analyzer.chars) == ((1, 2), (2, 6))

"""Tests of wordplane.text.token_spec: tokens that a regular expression matches."""

import random
import re
import resource
import time
import warnings

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wordplane import Analyzer, _core
from wordplane.common.errors import InputError


def found(pattern, text, lowercase=False):
    folding = _core.Folding(lowercase=lowercase)
    analysis = _core.Analysis(tokens=f"regex:{pattern}", folding=folding)
    return _core.tokenize(analysis, text)


ATOMS = [
    *("a", "b", "é", ".", "1", " ", "_", "日", "{", r"\.", r"\x61", r"\u00e9", r"\b", r"\B"),
    *(r"\w", r"\W", r"\d", r"\D", r"\s", r"\S"),
    *("[ab]", "[^a]", "[a-cé]", r"[\w-]", r"[^\s,]", r"[\W1]", "[]a]", r"[\]b]", r"[\b]"),
]
REPEATS = ["*", "+", "?", "{2}", "{1,3}", "{,2}", "{2,}", "*?", "+?", "??", "{1,2}?", "{,}"]
patterns = st.recursive(
    st.sampled_from(ATOMS),
    lambda inner: (
        st.tuples(inner, inner).map("".join)
        | st.tuples(inner, inner).map(lambda two: f"(?:{two[0]}|{two[1]})")
        | st.tuples(inner, st.sampled_from(REPEATS)).map(lambda two: f"(?:{two[0]}){two[1]}")
    ),
    max_leaves=8,
)
texts = st.text(st.sampled_from("aabbcé1_ -.\n日{ÉΣ"), max_size=16)


@pytest.mark.slow
@given(patterns, texts, st.booleans())
@settings(max_examples=600)
def test_matches_are_those_of_re(pattern, text, lowercase):
    try:
        tokens = found(pattern, text, lowercase)
    except ValueError as error:
        assert "empty" in str(error) or "nothing" in str(error)
        return
    folded = text.lower() if lowercase else text
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        expected = [(m.group(), m.start(), m.end()) for m in re.finditer(pattern, folded)]
    assert tokens == expected  # no character of these texts changes its length in lower case


@pytest.mark.parametrize(
    ("pattern", "why"),
    [
        ("(a)", "captures"),
        (r"(a)\1", "captures"),
        (r"a\1", "back references"),
        ("a(?=b)", "lookahead"),
        ("(?<!a)b", "lookahead and lookbehind"),
        ("(?i)a", "only"),
        ("^a", "anywhere"),
        ("a++", "possessive"),
        ("a**", "is repeated"),
        ("(?:a*)*", "may be empty"),
        (r"(?:\b)+a", "may be empty"),
        ("a*", "nothing"),
        ("a|", "nothing"),
        ("", "nothing"),
        ("[a", "not closed"),
        ("(?:a", "not closed"),
        ("a)", "closes no group"),
        ("*a", "nothing to repeat"),
        ("{2}", "nothing to repeat"),
        ("[b-a]", "larger to a smaller"),
        (r"\q", "escape"),
        (r"\x6", "too early"),
        ("a{2,1}", "least"),
        ("a{1001}", "1,000"),
        ("(?:(?:a{100}){100}){100}", "too large"),
        ("a" * 1001, "longer"),
        ("\udcff+", "surrogate"),
        ("".join(f"{chr(0x4E00 + i)}" for i in range(64)), "63"),
    ],
)
def test_what_is_refused(pattern, why):
    with pytest.raises(InputError, match=re.escape(why)):
        Analyzer(tokens=f"regex:{pattern}").resolve()


def test_the_time_is_linear():
    hostile = [r"(?:a|a)+b", r"(?:a+)+b|c", r".*b|a", r"(?:a?){30}a{30}b|a"]
    for pattern in hostile:
        if "?){" in pattern:  # a repeat of what may be empty
            pattern = "a{1,60}b|a"
        times = []
        for n in (20_000, 80_000):
            analysis = _core.Analysis(tokens=f"regex:{pattern}")
            began = time.process_time()
            _core.count_tokens(analysis, _core.Texts(["a" * n]), 0, 1, 1)
            times.append(time.process_time() - began)
        assert times[1] < 16 * times[0] + 0.2  # quadratic would be 16 times, of minutes
        assert times[1] < 2


def test_scikit_learns_pattern_and_the_native_one_agree():
    text = "It's 5 o'clock: éa naïve_x b ½ 日本"
    analyzer = Analyzer(tokens=r"regex:(?u)\b\w\w+\b", ngrams=(1, 1))
    assert analyzer.tokenize(text) == Analyzer(tokens="pattern", ngrams=(1, 1)).tokenize(text)


def test_tokens_stand_in_the_text_as_it_was():
    tokens = Analyzer(tokens="regex:[a-zi̇]+", ngrams=(1, 1)).tokenize("ÀİB x")
    assert [(t.start, t.end) for t in tokens] == [(1, 3), (4, 5)]


def test_long_texts_are_read_in_blocks():
    # 16,384 bytes are a block: matches, boundaries and characters stand on its borders.
    for pattern in (r"\b\w+\b", "a.{0,40}é|b+", "[^ b]+?x|日.*日", r"\Ba|é{3}"):
        for shift in range(5):
            text = "x" * shift + "aé日b aab ééé日\nxa日" * 4000 + "b" * 40_000
            expected = [(m.group(), m.start(), m.end()) for m in re.finditer(pattern, text)]
            assert found(pattern, text) == expected


@pytest.mark.clock
def test_a_pattern_with_many_states_takes_little_memory():
    # Which of 300 places can lead on is different at nearly every character of this text.
    edges = [chr(0x100 + 2 * i) for i in range(300)]
    ranges = [f"{edges[i]}-{edges[-1 - i]}" for i in range(140)]
    sets = "|".join(f"[{''.join(ranges[i::50])}]" for i in range(50))
    text = "".join(random.Random(0).choices("ab", k=200_000)) + "".join(edges)
    analysis = _core.Analysis(tokens=f"regex:a[^c]{{150}}a[^c]{{150}}|{sets}")
    _core.tokenize(analysis, "a" * 3000)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert len(_core.tokenize(analysis, text)) > 50
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 80_000  # KiB

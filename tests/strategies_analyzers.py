"""Analyzers, and texts that have what they look for."""

from hypothesis import strategies as st

from wordplane import Analyzer

LISTS = {"mood": [":)", "cat", "the cat"], "other": ["été", "cat", "$", "CAT!"]}


analyzers = st.builds(
    Analyzer,
    ngrams=st.sampled_from([None, (1, 1), (1, 2), (2, 3)]),
    lowercase=st.booleans(),
    boundaries=st.booleans(),
    negation=st.booleans(),
    chars=st.sampled_from([None, (1, 2), (2, 4), (5, 6)]),
    chars_across=st.booleans(),
    prefixes=st.sampled_from([(), (1,), (2, 3)]),
    suffixes=st.sampled_from([(), (1, 2), (3, 3)]),
    shapes=st.booleans(),
    lengths=st.booleans(),
    known_words=st.sampled_from([None, ["The", "cat", "été"]]),
    triggers=st.sampled_from([None, LISTS]),
    min_df=st.integers(1, 2),
    max_df=st.sampled_from([1.0, 0.7]),
    max_features=st.sampled_from([None, None, 1000, 3]),
    tf=st.sampled_from(["count", "binary", "relative", "log1p", "log"]),
    idf=st.sampled_from([None, "smooth", "exact"]),
    norm=st.sampled_from([None, "l1", "l2"]),
    weights=st.sampled_from([None, {"char": 0.5, "word": 2.0, "shape": 0.0}]),
)


loud = st.lists(
    st.sampled_from(
        "The cat isn't sooo GOOD iPhone No 4u 42 1,000 :) 😀 , . never ÉTÉ (cat) $5".split()
    ),
    max_size=12,
).map(" ".join)

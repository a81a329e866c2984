"""Tests of wordplane.features.hashing_vectorizer, and of wordplane.features.hashing."""

import copy
import inspect
import pickle
from collections import Counter

import numpy as np
import polars as pl
import pytest
import sklearn.feature_extraction.text as theirs
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from tests import reference
from tests.strategies import SOAK_CASES, reading, sentences, soak_documents, texts
from tests.streams import TrackedStream
from wordplane import HashingVectorizer, _core
from wordplane.common.errors import InputError
from wordplane.features.hashing import MAX_NAMES, HashedNames
from wordplane.text import texts as text_column

DOCUMENTS = ["To be or not to be", "that is the question", "not the Question!", ""]

PARAMS = st.fixed_dictionaries(
    {},
    optional={
        **reading,
        "n_features": st.sampled_from([1, 2, 3, 8, 100, 2**20, 2**31 - 2]),
        "binary": st.booleans(),
        "norm": st.sampled_from([None, "l1", "l2"]),
        "alternate_sign": st.booleans(),
        "dtype": st.sampled_from([np.float64, np.float32, "float32", np.int64, np.int32]),
    },
)


def assert_same(documents, **params):
    them = theirs.HashingVectorizer(**params)
    expected = them.fit_transform(documents)
    us = HashingVectorizer(**params)
    for found in (us.fit_transform(documents), us.transform(iter(documents))):
        assert type(found) is type(expected)
        assert found.dtype == expected.dtype
        assert found.shape == expected.shape
        assert found.indices.dtype == expected.indices.dtype
        assert found.indptr.dtype == expected.indptr.dtype
        assert np.array_equal(found.indptr, expected.indptr)
        assert np.array_equal(found.indices, expected.indices)
        assert np.array_equal(found.data, expected.data)
        assert found.has_canonical_format


DOCUMENT_LISTS = st.lists(st.one_of(sentences, texts), min_size=1, max_size=8)


@pytest.mark.slow
@given(DOCUMENT_LISTS, PARAMS)
@settings(max_examples=300)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_equals_scikit_learn(documents, params):
    assert_same(documents, **params)


@pytest.mark.soak
@given(soak_documents, PARAMS)
@settings(max_examples=SOAK_CASES)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_soak_equals_scikit_learn(documents, params):
    assert_same(documents, **params)


# The hash itself

LARGEST = 2**31 - 1


def slow_murmur3(data):
    """MurmurHash3 for 32 bits, seed 0, as a signed number."""
    mask = 0xFFFFFFFF

    def rotate(x, r):
        return (x << r | x >> (32 - r)) & mask

    def scramble(k):
        return rotate(k * 0xCC9E2D51 & mask, 15) * 0x1B873593 & mask

    h, whole = 0, len(data) // 4 * 4
    for i in range(0, whole, 4):
        h ^= scramble(int.from_bytes(data[i : i + 4], "little"))
        h = (rotate(h, 13) * 5 + 0xE6546B64) & mask
    h ^= scramble(int.from_bytes(data[whole:], "little")) ^ len(data)
    h = (h ^ h >> 16) * 0x85EBCA6B & mask
    h = (h ^ h >> 13) * 0xC2B2AE35 & mask
    h ^= h >> 16
    return h - 2**32 if h >> 31 else h


@pytest.mark.parametrize(
    ("text", "unsigned"),
    [
        ("", 0),
        ("test", 0xBA6BD213),
        ("Hello, world!", 0xC0363E43),
        ("The quick brown fox jumps over the lazy dog", 0x2E4FF723),
    ],
)
def test_published_hashes(text, unsigned):
    h = unsigned - 2**32 if unsigned >> 31 else unsigned
    assert slow_murmur3(text.encode()) == h
    assert _core.hashed_columns([text], LARGEST).tolist() == [abs(h)]


@given(st.lists(st.one_of(texts, st.binary(max_size=40))), st.integers(1, LARGEST))
def test_columns_equal_reference(features, n_features):
    expected = [
        abs(slow_murmur3(f.encode() if isinstance(f, str) else f)) % n_features for f in features
    ]
    assert _core.hashed_columns(features, n_features).tolist() == expected


@pytest.mark.parametrize("n_features", [1, 2, 3, 1000, 2**20, 2**31 - 2])
def test_the_one_number_without_an_absolute_value(n_features):
    word = "aivlts3m"
    assert slow_murmur3(word.encode()) == -(2**31)
    assert_same([word], n_features=n_features)


@given(st.lists(sentences, min_size=1), st.integers(1, 3), st.integers(0, 2), st.booleans())
def test_equals_reference(documents, min_n, more, alternate_sign):
    n_features = 16
    expected = np.zeros((len(documents), n_features))
    for i, text in enumerate(documents):
        words = [w for w in text.lower().split() if len(w) > 1]
        for name in reference.ngrams(words, min_n, min_n + more):
            h = slow_murmur3(name.encode())
            expected[i, abs(h) % n_features] += -1 if alternate_sign and h < 0 else 1
    X = HashingVectorizer(
        ngram_range=(min_n, min_n + more),
        n_features=n_features,
        alternate_sign=alternate_sign,
        norm=None,
    ).transform(documents)
    assert np.array_equal(X.toarray(), expected)


@given(st.lists(st.one_of(sentences, texts), min_size=1, max_size=300))
def test_threads_change_nothing(documents):
    documents = documents * 3
    one, *others = (HashingVectorizer(ngram_range=(1, 2), n_jobs=n) for n in (1, 2, 3, 8))
    expected = one.transform(documents)
    for other in others:
        found = other.transform(documents)
        assert np.array_equal(found.indptr, expected.indptr)
        assert np.array_equal(found.indices, expected.indices)
        assert np.array_equal(found.data, expected.data)


def test_long_documents_and_batches(monkeypatch):
    rng = np.random.default_rng(0)
    documents = [" ".join(f"w{k}" for k in rng.integers(0, 500, n)) for n in (0, 5, 300, 5000)]
    assert_same(documents, ngram_range=(1, 2))
    assert_same(documents, ngram_range=(1, 2), n_features=300)
    expected = HashingVectorizer().transform(documents)
    monkeypatch.setattr("wordplane.text.texts.BATCH_BYTES", 100)
    assert (HashingVectorizer().transform(documents) != expected).nnz == 0


# What goes in


def test_other_inputs(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("über Straße", encoding="latin-1")
    assert_same([path, str(path)], encoding="latin-1", input="filename")
    assert_same([b"caf\xe9 cr\xe8me"], encoding="latin-1")
    assert_same([b"caf\xe9 bar"], decode_error="ignore")
    assert_same(DOCUMENTS, tokenizer=str.split, token_pattern=None)
    assert_same(DOCUMENTS, preprocessor=str.swapcase)
    assert_same(DOCUMENTS, analyzer=lambda text: list(text))
    assert_same(DOCUMENTS, analyzer=lambda text: [word.encode() for word in text.split()])
    from_list = HashingVectorizer().transform(DOCUMENTS)
    assert (HashingVectorizer().transform(pl.Series(DOCUMENTS)) != from_list).nnz == 0


def test_steps_of_the_analysis():
    us, them = (m(ngram_range=(1, 2)) for m in (HashingVectorizer, theirs.HashingVectorizer))
    assert list(us.build_analyzer()(DOCUMENTS[0])) == them.build_analyzer()(DOCUMENTS[0])
    assert us.build_preprocessor()("ABC") == "abc"
    assert us.build_tokenizer()("ab cd e") == ["ab", "cd"]
    assert us.decode(b"abc") == "abc"
    assert HashingVectorizer(stop_words=["the"]).get_stop_words() == {"the"}


def test_parameters_are_scikit_learn_s():
    found = {name: p.default for name, p in inspect.signature(HashingVectorizer).parameters.items()}
    assert found.pop("n_jobs") is None
    assert found.pop("names") is False
    assert found == theirs.HashingVectorizer().get_params()


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"n_features": 0}, "n_features is 0"),
        ({"n_features": 2**31 - 1}, "n_features is 2147483647"),
        ({"n_features": 8.0}, "n_features is 8.0"),
        ({"norm": "max"}, "norm is 'max'"),
        ({"ngram_range": (2, 1)}, "ngram_range"),
        ({"analyzer": "syllables"}, "not a valid analyzer"),
        ({"stop_words": "german"}, "not a built-in stop list: german"),
        ({"input": "url"}, "content, file or filename"),
        ({"n_jobs": 0}, "is 0, expected a whole number"),
    ],
)
def test_refusals(params, message):
    with pytest.raises(InputError, match=message):
        HashingVectorizer(**params).fit_transform(DOCUMENTS)


def test_more_refusals():
    for method in ("fit", "transform", "fit_transform", "partial_fit"):
        with pytest.raises(InputError, match="string object received"):
            getattr(HashingVectorizer(), method)("one text")
    with pytest.raises(InputError, match="Cannot vectorize empty sequence"):
        HashingVectorizer().transform([])
    with pytest.raises(InputError, match="document 1 is nan"):
        HashingVectorizer().transform(["a", np.nan])
    with pytest.raises(TypeError, match="feature names must be strings"):
        HashingVectorizer(analyzer=lambda text: [1, 2]).transform(DOCUMENTS)


def test_lives_in_scikit_learn():
    pipeline = make_pipeline(HashingVectorizer(), LogisticRegression())
    pipeline.set_params(hashingvectorizer__ngram_range=(1, 2), hashingvectorizer__n_features=64)
    fitted = clone(pipeline).fit(DOCUMENTS, [0, 1, 1, 0])
    expected = fitted.decision_function(DOCUMENTS)
    for copied in (pickle.loads(pickle.dumps(fitted)), copy.deepcopy(fitted)):
        assert np.array_equal(copied.decision_function(DOCUMENTS), expected)
    assert repr(fitted[0]) == "HashingVectorizer(ngram_range=(1, 2), n_features=64)"


# What columns stand for


def test_names_worked_by_hand():
    vectorizer = HashingVectorizer(n_features=1, names=True).fit(["aa aa aa bb", "bb cc"])
    assert vectorizer.feature_names(0) == ["aa", "bb", "cc"]
    assert vectorizer.collision_share_.tolist() == [1 - 3 / 6]
    # dd takes the fourth place; ee (twice) that of cc (once), which had come before dd: 1 + 2.
    vectorizer.partial_fit(["dd ee ee"])
    assert vectorizer.feature_names(0) == ["aa", "ee", "bb", "dd"]
    assert vectorizer.collision_share_.tolist() == [1 - 3 / 9]
    assert vectorizer.fit(["zz"]).feature_names(0) == ["zz"]


def test_names_of_columns():
    vectorizer = HashingVectorizer(ngram_range=(1, 2), names=True)
    X = vectorizer.fit_transform(iter(DOCUMENTS))
    main = {vectorizer.feature_names(column)[0] for column in X.indices}
    analyze = vectorizer.build_analyzer()
    assert main == {name for document in DOCUMENTS for name in analyze(document)}
    assert not vectorizer.collision_share_.any()
    assert vectorizer.feature_names(int(np.setdiff1d(np.arange(200), X.indices)[0])) == []
    assert pickle.loads(pickle.dumps(vectorizer)).feature_names(X.indices[0])
    slow = HashingVectorizer(analyzer="char", ngram_range=(2, 3), names=True).fit(DOCUMENTS)
    assert slow.feature_names(int(_core.hashed_columns(["to"], 2**20)[0])) == ["to"]
    with pytest.raises(InputError, match="set `names=True`"):
        HashingVectorizer().fit(DOCUMENTS).feature_names(0)
    with pytest.raises(InputError, match="set `names=True`"):
        _ = clone(vectorizer).collision_share_


@given(st.lists(st.dictionaries(st.sampled_from("abcdefghijk"), st.integers(1, 9)), max_size=8))
def test_names_keep_their_promises(batches):
    n_features = 2
    names, met = HashedNames(n_features), Counter()
    for batch in batches:
        names.add_counts(batch)
        met.update(batch)
    share = names.collision_share()
    for column in range(n_features):
        there = {
            name: n for name, n in met.items() if abs(slow_murmur3(name.encode())) % 2 == column
        }
        total, kept = sum(there.values()), names.names(column)
        assert {name for name, n in there.items() if n > total / MAX_NAMES} <= set(kept)
        assert len(kept) == min(len(there), MAX_NAMES)
        if there:
            exact = 1 - max(there.values()) / total
            assert exact - 1 / MAX_NAMES - 1e-12 <= share[column] <= exact + 1e-12
            if len(there) <= MAX_NAMES:
                assert share[column] == exact
                assert there[kept[0]] == max(there.values())


@pytest.mark.slow
@pytest.mark.data
@pytest.mark.parametrize("name", ["rt_snippets", "sms_spam", "rt_2k", "newsgroups20"])
def test_real_texts(dataset, name):
    column = pl.read_parquet(dataset(name))["text"]
    assert_same(column[:4_000].to_list(), ngram_range=(1, 2))


def test_a_stream_is_read_in_batches(monkeypatch):
    monkeypatch.setattr(text_column, "BATCH_BYTES", 1000)
    stream = TrackedStream(200)
    found = HashingVectorizer().transform(stream)
    assert stream.most_alive <= 2 * 1000 // len(stream.text)
    assert (found != HashingVectorizer().transform(list(TrackedStream(200)))).nnz == 0

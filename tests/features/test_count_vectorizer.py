"""Tests of wordplane.features.count_vectorizer and of what it is made of:
wordplane.features.document_reader, wordplane.features.counting.core,
wordplane.features.counting.inside_words and wordplane.features.counting.python.
"""

import copy
import pickle
from unittest.mock import Mock

import numpy as np
import polars as pl
import pytest
import sklearn.feature_extraction.text as theirs
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline

from tests import reference
from tests.strategies import SOAK_CASES, sentences, soak_documents, texts
from tests.streams import TrackedStream
from wordplane import CountVectorizer, _core
from wordplane.common.errors import InputError
from wordplane.text import texts as text_column
from wordplane.text.texts import as_texts

DOCUMENTS = ["To be or not to be", "that is the question", "not the Question!", ""]


def assert_same(documents, held_out=(), **params):
    """Ours and scikit-learn's give the same matrices, names, vocabulary, or the same refusal."""
    them = theirs.CountVectorizer(**params)
    us = CountVectorizer(**params)
    try:
        expected = them.fit_transform(documents)
    except ValueError:
        with pytest.raises(ValueError):
            us.fit_transform(documents)
        return
    found = us.fit_transform(documents)
    for ours, his in ((found, expected), (us.transform(held_out), them.transform(held_out))):
        assert ours.dtype == his.dtype
        assert ours.indices.dtype == his.indices.dtype
        assert ours.indptr.dtype == his.indptr.dtype
        assert ours.shape == his.shape
        assert ours.has_sorted_indices
        his.sort_indices()
        assert np.array_equal(ours.indptr, his.indptr)
        assert np.array_equal(ours.indices, his.indices)
        assert np.array_equal(ours.data, his.data)
    assert us.get_feature_names_out().tolist() == them.get_feature_names_out().tolist()
    assert us.vocabulary_ == them.vocabulary_


PARAMS = st.fixed_dictionaries(
    {},
    optional={
        "lowercase": st.booleans(),
        "ngram_range": st.sampled_from([(1, 1), (1, 2), (2, 2), (1, 3), (2, 3), (3, 3)]),
        "binary": st.booleans(),
        "min_df": st.sampled_from([1, 2, np.int64(2), 0.3, 0.5, 1.0]),
        "max_df": st.sampled_from([1.0, 0.7, 2, np.int64(2), 3]),
        "max_features": st.sampled_from([None, 1, 3, 10]),
        "stop_words": st.sampled_from([None, ["the", "cat"], "english"]),
        "strip_accents": st.sampled_from([None, "ascii", "unicode"]),
        "dtype": st.sampled_from([np.int64, np.float32, np.float64, np.int32]),
        "analyzer": st.sampled_from(["word", "word", "word", "char", "char_wb"]),
        "token_pattern": st.sampled_from(
            [r"(?u)\b\w\w+\b", r"(?u)\b\w\w+\b", r"\w+", r"(\w)\w*", r"[a-z ]+"]
        ),
    },
)


@pytest.mark.slow
@given(st.lists(st.one_of(sentences, texts), max_size=8), st.lists(texts, max_size=3), PARAMS)
@settings(max_examples=300)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_equals_scikit_learn(documents, held_out, params):
    assert_same(documents, held_out, **params)


@pytest.mark.soak
@given(soak_documents, st.lists(texts, max_size=3), PARAMS)
@settings(max_examples=SOAK_CASES)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_soak_equals_scikit_learn(documents, held_out, params):
    assert_same(documents, held_out, **params)


@given(st.lists(sentences, min_size=1), st.integers(1, 3), st.integers(0, 2))
def test_equals_reference(documents, min_n, more):
    rows = [
        reference.ngrams([w for w in text.lower().split() if len(w) > 1], min_n, min_n + more)
        for text in documents
    ]
    names = sorted({name for row in rows for name in row})
    vectorizer = CountVectorizer(ngram_range=(min_n, min_n + more))
    if not names:
        with pytest.raises(InputError, match="empty vocabulary"):
            vectorizer.fit(documents)
        return
    X = vectorizer.fit_transform(documents).toarray()
    assert np.array_equal(X, reference.count_matrix(rows, names))
    assert vectorizer.get_feature_names_out().tolist() == names


@pytest.mark.parametrize("analyzer", ["word", "char_wb"])
def test_words_at_the_edges_of_blocks(analyzer):
    # The scanner looks at 64 bytes at a time: every word stands on every place of a block.
    words = (
        " Ab c\u00e9 \u00e9 \u4e2d\u6587 \u4e2d \U0001d400\U0001d400 \U0001d400 x\u2028yz\u00a0_0"
    )
    assert_same(["q" * n + words * 3 for n in range(64)], [], analyzer=analyzer)
    assert_same(["q" * n for n in range(140)], [], analyzer=analyzer)


def count_in_batches(documents, size, max_n, threads):
    analysis = _core.Analysis(
        tokens="pattern", folding=_core.Folding(lowercase=True), ngrams=(1, max_n)
    )
    counter = _core.Counter(analysis)
    column = as_texts(documents)
    for begin in range(0, len(documents), size):
        counter.add(column, begin, min(begin + size, len(documents)), threads)
    counter.finish("alphabetical", threads)
    counter.select(np.ones(counter.n_features, dtype=bool), threads)
    indptr = counter.indptr()
    indices, values = np.empty(indptr[-1], np.int32), np.empty(indptr[-1], np.int64)
    counter.fill(indices, values, threads)
    return [*map(np.ndarray.tolist, (indptr, indices, values)), counter.vocabulary().names()]


@given(
    st.lists(st.one_of(sentences, texts), min_size=1, max_size=40),
    st.integers(1, 3),
    st.integers(1, 3),
)
def test_size_of_batches_changes_nothing(documents, max_n, threads):
    at_once = count_in_batches(documents, len(documents), max_n, 1)
    for size in (1, 7):
        assert count_in_batches(documents, size, max_n, threads) == at_once


@pytest.mark.parametrize("analyzer", ["word", "char", "char_wb"])
@pytest.mark.parametrize("strip_accents", [None, "ascii"])  # folded in Python, one by one
def test_a_stream_is_read_in_batches(monkeypatch, analyzer, strip_accents):
    monkeypatch.setattr(text_column, "BATCH_BYTES", 1000)
    params = {"analyzer": analyzer, "strip_accents": strip_accents, "ngram_range": (1, 2)}
    at_once = CountVectorizer(**params)
    expected = at_once.fit_transform(list(TrackedStream(200)))
    us = CountVectorizer(**params)
    for read in (us.fit, us.fit_transform, us.transform):
        stream = TrackedStream(200)
        found = read(stream)
        assert stream.most_alive <= 2 * 1000 // len(stream.text)
        if read != us.fit:
            assert (found != expected).nnz == 0
        assert us.vocabulary_ == at_once.vocabulary_


def test_an_error_in_a_stream_says_where_counting_starts(monkeypatch):
    monkeypatch.setattr(text_column, "BATCH_BYTES", 10)
    with pytest.raises(InputError, match=r"document 1 is None.*counted from document 2"):
        CountVectorizer().fit(iter(["ten bytes!", "ten bytes!", "five!", None]))


def test_more_than_2_to_the_31_values():
    # Every matrix of the core gets its row pointers here; a row's size may have 32 bits.
    sizes = np.full(5, 2**31 + 1, np.uint32)
    assert _core.row_pointers(sizes).tolist() == [i * (2**31 + 1) for i in range(6)]


def test_row_pointers_of_a_large_matrix_stay_wide(monkeypatch):
    made = []
    monkeypatch.setattr(
        "scipy.sparse.csr_matrix", lambda arrays, shape: made.append(arrays) or Mock()
    )
    for n_values, dtype in ((2**31 - 1, np.int32), (2**31, np.int64)):
        rows = np.array([0, n_values], np.int64), np.zeros(0, np.int32), np.zeros(0, np.int64)
        CountVectorizer()._matrix(rows, 1)
        assert made[-1][2].dtype == dtype
        assert made[-1][2].tolist() == [0, n_values]


@given(st.lists(st.one_of(sentences, texts), min_size=1, max_size=300))
def test_threads_change_nothing(documents):
    documents = documents * 3  # several batches of work, words that shards share
    one, *others = (CountVectorizer(ngram_range=(1, 2), n_jobs=n) for n in (1, 2, 3, 8))
    try:
        expected = one.fit_transform(documents)
    except InputError:
        return
    for other in others:
        found = other.fit_transform(documents)
        assert other.vocabulary_ == one.vocabulary_
        assert (found != expected).nnz == 0
        assert (other.transform(documents) != expected).nnz == 0


@pytest.mark.parametrize(
    "vocabulary",
    [
        ["be", "not to", "question"],
        ("question", "be"),
        {"question", "be"},
        {"question": 0, "be": 1, "not to": 2},
        {"never  made": 0, "be": 1, "": 2},
    ],
)
def test_given_vocabulary(vocabulary):
    assert_same(DOCUMENTS, ["not to be"], vocabulary=vocabulary, ngram_range=(1, 2))
    unfitted = CountVectorizer(vocabulary=vocabulary)
    expected = theirs.CountVectorizer(vocabulary=vocabulary).transform(DOCUMENTS)
    assert (unfitted.transform(DOCUMENTS) != expected).nnz == 0


@pytest.mark.parametrize(
    ("vocabulary", "message"),
    [
        ([], "empty vocabulary"),
        (["a", "a"], "Duplicate term"),
        ({"a": 0, "b": 0}, "repeated indices"),
        ({"a": 0, "b": 2}, "doesn't contain index 1"),
    ],
)
def test_bad_vocabulary(vocabulary, message):
    with pytest.raises(ValueError, match=message):
        theirs.CountVectorizer(vocabulary=vocabulary).fit(DOCUMENTS)
    with pytest.raises(InputError, match=message):
        CountVectorizer(vocabulary=vocabulary).fit(DOCUMENTS)


def test_other_inputs(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("über Straße", encoding="latin-1")
    for_files = {"encoding": "latin-1", "input": "filename"}
    assert_same([path, str(path)], [path], **for_files)
    with path.open("rb") as ours, path.open("rb") as his:
        found = CountVectorizer(input="file", encoding="latin-1").fit([ours]).vocabulary_
        assert (
            found == theirs.CountVectorizer(input="file", encoding="latin-1").fit([his]).vocabulary_
        )
    assert_same([b"caf\xe9 cr\xe8me"], [b"caf\xe9"], encoding="latin-1")
    assert_same([b"caf\xe9 bar"], [], decode_error="ignore")


def test_callables():
    assert_same(DOCUMENTS, DOCUMENTS, tokenizer=str.split, token_pattern=None)
    assert_same(DOCUMENTS, DOCUMENTS, preprocessor=str.swapcase)
    assert_same(DOCUMENTS, DOCUMENTS, analyzer=lambda text: list(text))


def test_arrow_column():
    column = pl.Series(DOCUMENTS)
    from_list = CountVectorizer().fit_transform(DOCUMENTS)
    assert (CountVectorizer().fit_transform(column) != from_list).nnz == 0


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"ngram_range": (2, 1)}, "ngram_range"),
        ({"ngram_range": (0, 1)}, "ngram_range"),
        ({"input": "url"}, "content, file or filename"),
        ({"analyzer": "syllables"}, "not a valid analyzer"),
        ({"stop_words": "german"}, "not a built-in stop list: german"),
        ({"min_df": 3, "max_df": 2}, "max_df corresponds to < documents than min_df"),
        ({"min_df": 1.5}, "min_df is 1.5"),
        ({"min_df": 4}, "no terms remain"),
        ({"max_features": 0}, "max_features is 0"),
        ({"strip_accents": "latin"}, "strip_accents is 'latin'"),
        ({"n_jobs": 0}, "is 0, expected"),
    ],
)
def test_refusals(params, message):
    with pytest.raises(InputError, match=message):
        CountVectorizer(**params).fit(DOCUMENTS)


def test_bare_string_and_missing_document():
    for method in ("fit", "fit_transform"):
        with pytest.raises(InputError, match="string object received"):
            getattr(CountVectorizer(), method)("one text")
    with pytest.raises(InputError, match="string object received"):
        CountVectorizer().fit(["a text"]).transform("one text")
    with pytest.raises(InputError, match="document 1 is nan"):
        CountVectorizer().fit(["a", np.nan])


def test_not_fitted():
    with pytest.raises(NotFittedError):
        CountVectorizer().transform(["a text"])
    with pytest.raises(NotFittedError):
        CountVectorizer().get_feature_names_out()
    with pytest.raises(AttributeError):
        _ = CountVectorizer().vocabulary_


def test_lives_in_scikit_learn():
    pipeline = make_pipeline(CountVectorizer(), MultinomialNB())
    pipeline.set_params(countvectorizer__ngram_range=(1, 2))
    fitted = clone(pipeline).fit(DOCUMENTS[:3], [0, 1, 1])
    assert fitted.predict(["to be"]) == [0]
    for copied in (pickle.loads(pickle.dumps(fitted)), copy.deepcopy(fitted)):
        assert copied.predict(["the question"]) == [1]
        assert copied[0].vocabulary_ == fitted[0].vocabulary_


def test_inverse_transform():
    vectorizer = CountVectorizer()
    X = vectorizer.fit_transform(DOCUMENTS)
    expected = theirs.CountVectorizer().fit(DOCUMENTS).inverse_transform(X)
    for found, wanted in zip(vectorizer.inverse_transform(X), expected, strict=True):
        assert sorted(found) == sorted(wanted)


@pytest.mark.slow
@pytest.mark.data
@pytest.mark.parametrize(
    "name",
    ["rt_snippets", "customer_reviews", "mpqa", "subjectivity", "rt_2k", "sms_spam",
     "amazon_books_counts", "newsgroups20", "imdb"],
)  # fmt: skip
def test_real_texts(dataset, name):
    column = pl.read_parquet(dataset(name))["text"][:1_000]  # scikit-learn is slow
    documents = column.to_list()
    us, them = CountVectorizer(ngram_range=(1, 2)), theirs.CountVectorizer(ngram_range=(1, 2))
    expected = them.fit_transform(documents)
    found = us.fit_transform(column)
    expected.sort_indices()
    assert np.array_equal(found.indptr, expected.indptr)
    assert np.array_equal(found.indices, expected.indices)
    assert np.array_equal(found.data, expected.data)
    assert us.get_feature_names_out().tolist() == them.get_feature_names_out().tolist()
    assert us.vocabulary_ == them.vocabulary_


def test_long_rows_of_a_large_vocabulary_are_in_order():
    # Every column at once; neighboring columns; columns far from each other: in any order.
    rng = np.random.default_rng(0)
    words = [f"w{number:05}" for number in range(40_000)]
    rows = [range(40_000), range(5_000, 5_300), range(0, 40_000, 200)]
    texts = [" ".join(words[i] for i in rng.permutation(row)) for row in rows]
    X = CountVectorizer().fit_transform(texts)
    assert np.array_equal(X.indices, np.concatenate(rows))
    assert (X.data == 1).all()

"""What the core refuses outside the learners' passes: nothing that Python passes may crash it."""

import struct
from pathlib import Path

import numpy as np
import pytest

import wordplane
from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.common.matrix import as_csr

X = as_csr(np.eye(2))
TEXTS = _core.Texts(["good film", "bad"])
VOCABULARY = _core.Vocabulary.from_names(["good", "bad"])


def analysis(tokens="words", **changes):
    return _core.Analysis(tokens=tokens, **changes)


def test_some_columns_of_a_vocabulary_keep_what_they_need():
    whole = _core.Vocabulary.from_names(["good", "bad film", "a film", "bad"])
    some = whole.select(np.array([False, True, False, True]))
    assert some.names() == ["bad film", "bad"]
    assert some.arrays()[0].tobytes() == b"badfilm"
    with pytest.raises(ValueError, match="one flag per column"):
        whole.select(np.ones(3, bool))


def scorer(tokens="words"):
    weighting = _core.GroupWeights(
        tf="count", norm=None, idf=None, starts=[0, 2], weights=[1.0], tokens=None
    )
    block = _core.Block(analysis(tokens), VOCABULARY)
    return _core.Scorer([block], weighting, W=np.zeros((2, 1), np.float32), b=np.zeros(1))


def neighbors(X=X, weight=None, offset=0.0):
    return _core.NeighborIndex(X, np.full(2, offset), weight, None)


def search(query=1.0, threads=1, **changes):
    Q = as_csr(np.array([[query, query]]))
    return neighbors(**changes).search(Q, 0, 1, 2, threads)


def contributions(tokens):
    return scorer(tokens).contributions(TEXTS, 0, np.ones(1))


def crammer_singer(weight=1.0, cost=1.0):
    rng = np.random.default_rng(0)
    X = as_csr(rng.normal(size=(40, 3)))
    y = np.arange(40, dtype=np.int32) % 20
    rows = _core.LabeledRows(X, y, np.full(40, weight), 20)
    costs = np.full((20, 20), cost)
    solver = _core.CrammerSinger(rows, cost=costs, bias=1.0, threads=1)
    solver.run(np.arange(40, dtype=np.int32)[None], 0.1, 1)


def classes(make):
    return make(X, np.zeros(2, np.int32), 2**63)


HUGE = as_csr(1e200 * np.eye(2))
TOO_LARGE = "too large for distances"
REFUSED = [
    (lambda: search(threads=0), "threads is 0, expected 1 to 1024"),
    (lambda: search(threads=2**31 - 1), "threads is 2147483647, expected 1 to 1024"),
    (lambda: search(weight=np.array([1e308, 1e308])), TOO_LARGE),
    (lambda: search(X=HUGE), TOO_LARGE),
    (lambda: search(query=1e200), TOO_LARGE),
    (lambda: neighbors(offset=1e305), TOO_LARGE),
    (lambda: neighbors(offset=np.nan), TOO_LARGE),
    (lambda: _core.hstack([X, None], 1), "a part is None"),
    (lambda: _core.hstack([None], 1), "a part is None"),
    (lambda: _core.hstack([], 1), "a matrix expected"),
    (lambda: _core.Texts.join([TEXTS, None]), "a part is None"),
    (lambda: _core.Scorer([None], None, W=None, b=None), "incompatible function arguments"),
    (lambda: _core.lexicon_matches(analysis("chars"), VOCABULARY, "good"), "looked up in words"),
    (
        lambda: _core.lexicon_features(
            analysis("chars"), VOCABULARY, np.zeros(2), TEXTS, 0, 2, 1
        ),
        "looked up in words",
    ),
    (lambda: analysis("chars", boundaries=True), "boundaries"),
    (lambda: analysis("counts", boundaries=True), "boundaries"),
    (lambda: analysis("chars", stop_words=["a"]), "stop words"),
    (lambda: analysis("whitespace", negations=["not"]), "negated"),
    (lambda: analysis("counts", folding=_core.Folding(urls=True)), "names"),
    (lambda: analysis("chars", stems=_core.Stems([("a", "b")])), "stems"),
    (lambda: _core.Stems([("a", "")]), "is empty"),
    (lambda: _core.Stems([("a", "b"), ("a", "c")]), "twice"),
    (lambda: _core.Block(analysis(), 0), "columns"),
    (lambda: classes(lambda X, y, n: _core.document_frequency(X, y, n, 1)), "classes"),
    (lambda: classes(lambda X, y, n: _core.LabeledRows(X, y, np.ones(2), n)), "classes"),
    (lambda: classes(lambda X, y, n: _core.HeldOutCounts(X, y, np.ones(2), n, 1)), "classes"),
    (lambda: crammer_singer(1e200, cost=1e200), "scores are too large"),
    (lambda: crammer_singer(cost=np.inf), "a cost that is not finite"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "message"), REFUSED)
def test_what_would_crash_is_refused(call, message):
    with pytest.raises((InputError, TypeError), match=message):
        call()


def test_a_block_that_is_none_is_refused():
    weighting = _core.GroupWeights(
        tf="count", norm=None, idf=None, starts=[0, 2], weights=[1.0], tokens=None
    )
    with pytest.raises(TypeError, match="a block is None"):
        _core.Scorer([None], weighting, W=np.zeros((2, 1), np.float32), b=np.zeros(1))


def test_neighbors_with_huge_weights_are_an_error():
    knn = wordplane.KNeighbors(n_neighbors=2, metric="hamming", feature_weights=[1e308, 1e308])
    with pytest.raises(InputError, match=TOO_LARGE):
        knn.fit(np.eye(2), [0, 1]).predict([[1, 1]])


def test_what_is_right_is_taken():
    assert search(query=1e-200)[0].tolist() == [[0, 1]]
    assert [m[0] for m in _core.lexicon_matches(analysis(), VOCABULARY, "bad good")] == [1, 0]
    assert contributions("chars")[0] == []
    for tokens in ("words", "spaced"):
        analysis(tokens, negations=["not"], boundaries=True, stop_words=["a"])
    crammer_singer()


def headers_of(library):
    """The program headers of a 64-bit ELF file by type: flags and content."""
    data = library.read_bytes()
    (begin,) = struct.unpack_from("<Q", data, 32)
    size, n = struct.unpack_from("<HH", data, 54)
    for at in range(begin, begin + n * size, size):
        kind, flags, offset, _, _, length = struct.unpack_from("<IIQQQQ", data, at)
        yield kind, (flags, data[offset : offset + length])


def test_the_core_is_hardened():
    library = Path(_core.__file__)
    if library.read_bytes()[:5] != b"\x7fELF\x02":
        pytest.skip("not a 64-bit ELF library")
    dynamic, stack, relro, executable = 2, 0x6474E551, 0x6474E552, 1
    headers = dict(headers_of(library))
    assert relro in headers
    assert not headers[stack][0] & executable
    entries = dict(struct.iter_unpack("<QQ", headers[dynamic][1]))
    assert entries.get(30, 0) & 8 or entries.get(0x6FFFFFFB, 0) & 1  # bind now
    assert b"__stack_chk_fail" in library.read_bytes()


@pytest.mark.parametrize("text", ["aΣΣ", "ΣΣ", "aΣς", "ΣΣΣ ΣΣ", "aΣ\u0301Σ", "ΟΔΟΣΣ", "aςΣ", "Σς"])
def test_sigmas_next_to_each_other_are_lower_cased_as_by_python(text):
    assert _core.lower(text) == text.lower()

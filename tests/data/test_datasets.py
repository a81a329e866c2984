"""Tests of wordplane.data.datasets: built-in corpora."""

import numpy as np
import pytest

from wordplane.common.errors import InputError, WordplaneError
from wordplane.data import datasets


@pytest.fixture(scope="module")
def corpus():
    return datasets.docstrings()


def test_docstrings_of_every_package(corpus):
    assert list(dict.fromkeys(corpus.labels)) == list(datasets.PACKAGES)
    assert all(corpus.labels.count(package) >= 50 for package in datasets.PACKAGES)
    assert all(
        name.startswith(f"{label}/") for name, label in zip(corpus.ids, corpus.labels, strict=True)
    )


def test_docstrings_are_those_of_the_running_python(corpus):
    from asyncio import base_events

    text = corpus.texts[corpus.ids.index("asyncio/base_events.py:BaseEventLoop.run_forever")]
    assert text == base_events.BaseEventLoop.run_forever.__doc__


def test_docstrings_leave_out_tests_and_repetitions(corpus):
    folders = {folder for name in corpus.ids for folder in name.split(":")[0].split("/")[:-1]}
    assert not folders & {"test", "tests", "idle_test"}
    pairs = list(zip(corpus.labels, corpus.texts, strict=True))
    assert len(set(pairs)) == len(pairs)
    assert all(text.strip() for text in corpus.texts)


def test_docstrings_by_hand(tmp_path, monkeypatch):
    (tmp_path / "asyncio" / "test").mkdir(parents=True)
    (tmp_path / "asyncio" / "test" / "a.py").write_text('"""A test."""')
    (tmp_path / "asyncio" / "b.py").write_text(
        '"""Of b."""\n'
        "try:\n"
        "    async def f():\n"
        '        """ Of f. """\n'
        "        def g():\n"
        '            """Of g."""\n'
        "except ImportError:\n"
        '    def f(): """Of f, else."""\n'
        "class C:\n"
        "    def h(self):\n"
        '        """Of b."""\n'
        "    if True:\n"
        '        def i(self): "Of i."\n'
        '    def j(self): "  "\n'
    )
    monkeypatch.setattr(datasets, "PACKAGES", ("asyncio",))
    monkeypatch.setattr(datasets.sysconfig, "get_path", lambda name: str(tmp_path))
    corpus = datasets.docstrings()
    assert list(zip(corpus.ids, corpus.texts, strict=True)) == [
        ("asyncio/b.py", "Of b."),
        ("asyncio/b.py:f", " Of f. "),
        ("asyncio/b.py:f.g", "Of g."),
        ("asyncio/b.py:f", "Of f, else."),
        ("asyncio/b.py:C.i", "Of i."),
    ]


def test_docstrings_are_the_same_each_time(corpus):
    again = datasets.docstrings()
    assert (again.ids, list(again.texts)) == (corpus.ids, list(corpus.texts))


def test_a_python_without_sources(tmp_path, monkeypatch):
    monkeypatch.setattr(datasets.sysconfig, "get_path", lambda name: str(tmp_path))
    with pytest.raises(WordplaneError, match=r"no docstrings of 'asyncio'.*without the sources"):
        datasets.docstrings()


def test_gaussians_have_the_parameters_asked_for():
    X, y = datasets.gaussians(
        40_000, variances=(1.0, 0.25), means=((-1.0, 2.0), (3.0, 0.0)), balance=0.25
    )
    assert X.shape == (40_000, 2) and X.dtype == np.float64 and y.dtype == np.int64
    assert np.bincount(y).tolist() == [10_000, 30_000]
    # five standard errors of a mean, and of a variance (v * sqrt(2 / n))
    for k, (mean, variance) in enumerate([((-1, 2), 1.0), ((3, 0), 0.25)]):
        points = X[y == k]
        assert np.allclose(points.mean(axis=0), mean, atol=5 * np.sqrt(variance / len(points)))
        error = 5 * variance * np.sqrt(2 / len(points))
        assert np.allclose(np.cov(points.T), variance * np.eye(2), atol=error)


def test_gaussians_are_shuffled_and_seeded():
    first, again, other = (datasets.gaussians(random_state=seed) for seed in (3, 3, 4))
    assert np.array_equal(first[0], again[0]) and np.array_equal(first[1], again[1])
    assert not np.array_equal(first[0], other[0])
    assert 0 < first[1][:50].sum() < 50


@pytest.mark.parametrize(
    ("n", "balance", "n_first"), [(5, 0.5, 3), (4, 0.5, 2), (7, 0, 0), (7, 1, 7)]
)
def test_gaussians_round_the_balance(n, balance, n_first):
    assert (datasets.gaussians(n, balance=balance)[1] == 0).sum() == n_first


@pytest.mark.parametrize(
    "wrong",
    [
        {"n": 0},
        {"balance": 1.1},
        {"variances": (1.0, -1.0)},
        {"variances": (1.0,)},
        {"means": ((1.0, 1.0),)},
        {"means": ((0.0, float("nan")), (1.0, 1.0))},
    ],
)
def test_gaussians_refuse(wrong):
    with pytest.raises(InputError, match="expected"):
        datasets.gaussians(**wrong)

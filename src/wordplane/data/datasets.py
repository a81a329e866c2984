"""Corpora that need no download: taken from Python itself, or drawn at random.

`hotel_reviews` has a module of its own.
"""

from __future__ import annotations

import ast
import sysconfig
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from wordplane._core import Texts
from wordplane.common.errors import InputError, WordplaneError
from wordplane.common.types import FloatArray, IntArray
from wordplane.data.corpus import Corpus, RowLabels
from wordplane.data.hotel_reviews import hotel_reviews

__all__ = ["docstrings", "gaussians", "hotel_reviews"]

# These are in the standard library of every Python version that Wordplane supports.
PACKAGES = (
    *("asyncio", "email", "encodings", "http", "importlib"),
    *("logging", "multiprocessing", "unittest", "urllib", "xml"),
)
TEST_FOLDERS = {"test", "tests", "idle_test"}


def docstrings() -> Corpus:
    """The docstrings of ten packages of Python's standard library, labeled by package.

    They belong to modules, classes, functions and methods, in the order of the source files,
    which are parsed and not imported. Exact duplicates within a package are kept once. Other
    versions of Python have other docstrings.

    >>> corpus = docstrings()
    >>> corpus.ids[0], corpus.labels[0], corpus.texts[0]
    ('asyncio/__init__.py', 'asyncio', 'The asyncio package, tracking PEP 3156.')
    """
    library = Path(sysconfig.get_path("stdlib"))
    texts: list[str] = []
    labels: list[RowLabels] = []
    ids: list[str] = []
    for package in PACKAGES:
        first_id: dict[str, str] = {}
        for name, text in _package_docstrings(library, package):
            first_id.setdefault(text, name)
        if not first_id:
            raise WordplaneError(
                f"found no docstrings of {package!r} in {library}: this Python was installed "
                "without the sources of its library; use one that has them"
            )
        texts += first_id.keys()
        ids += first_id.values()
        labels += [package] * len(first_id)
    return Corpus(Texts(texts), labels, ids, source="the docstrings of Python's library")


def _package_docstrings(library: Path, package: str) -> Iterator[tuple[str, str]]:
    sources = [(path.relative_to(library), path) for path in (library / package).rglob("*.py")]
    for name, path in sorted((name.as_posix(), path) for name, path in sources):
        if TEST_FOLDERS.isdisjoint(name.split("/")):
            yield from _docstrings(ast.parse(path.read_bytes()), name, ":")


def _docstrings(node: ast.AST, name: str, dot: str) -> Iterator[tuple[str, str]]:
    """The docstrings of a module, class or function called `name` and of everything inside it."""
    if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        text = ast.get_docstring(node, clean=False)
        if text and not text.isspace():
            yield name, text
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield from _docstrings(child, f"{name}{dot}{child.name}", ".")
        elif isinstance(child, ast.stmt | ast.excepthandler):  # if, try, with: definitions inside
            yield from _docstrings(child, name, dot)


def gaussians(
    n: int = 100,
    *,
    variances: Sequence[float] = (1.0, 1.0),
    means: Sequence[Sequence[float]] = ((-1.0, -1.0), (1.0, 1.0)),
    balance: float = 0.5,
    random_state: int = 0,
) -> tuple[FloatArray, IntArray]:
    """n points in the plane from two classes, each a Gaussian with covariance variance * I.

    n             the number of points
    variances     of class 0 and of class 1
    means         of class 0 and of class 1
    balance       the share of class 0: exactly n * balance points, rounded half up
    random_state  the seed

    Returns X (n x 2) and y (0 or 1), in random order.

    >>> X, y = gaussians(10, balance=0.3)
    >>> X.shape, y.tolist()
    ((10, 2), [1, 1, 0, 1, 1, 1, 1, 0, 1, 0])
    """
    if n < 1 or not 0 <= balance <= 1:
        raise InputError(f"n={n} and balance={balance}, expected n >= 1 and a balance from 0 to 1")
    if len(variances) != 2 or not all(0 <= variance < np.inf for variance in variances):
        raise InputError(f"variances={variances!r}, expected two finite numbers of 0 or more")
    centers = np.asarray(means, dtype=np.float64)
    if centers.shape != (2, 2) or not np.isfinite(centers).all():
        raise InputError(f"means={means!r}, expected two points of two finite numbers")
    rng = np.random.default_rng(random_state)
    n_first = int(n * balance + 0.5)
    y = rng.permutation(np.repeat(np.array([0, 1], dtype=np.int64), [n_first, n - n_first]))
    X = centers[y] + rng.standard_normal((n, 2)) * np.sqrt(np.asarray(variances))[y][:, None]
    return X, y

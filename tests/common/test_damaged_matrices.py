"""Tests of wordplane.common.matrix: sparse matrices whose arrays lead out of them are refused by
every estimator, before SciPy follows them."""

import subprocess
import sys
from inspect import Parameter, isclass, signature

import numpy as np
import pytest
from scipy.sparse import bsr_array, coo_array, csc_array, csr_array, csr_matrix

import wordplane.features
import wordplane.learners
from wordplane.common.errors import InputError
from wordplane.common.matrix import as_csr, as_rows, as_scipy
from wordplane.common.matrix_estimator import MatrixEstimator

X = np.array([[1.0, 0, 2, 1], [0, 1, 0, 1], [3, 0, 0, 1], [0, 1, 1, 0]])
Y = ["a", "b", "a", "b"]
FAR = 2**31 - 1
NAMED = {**vars(wordplane.learners), **vars(wordplane.features)}
for module in (wordplane.learners, wordplane.features):
    NAMED |= {name: getattr(module, name) for name in module.__all__}


def damaged():
    """By what is wrong: SciPy makes the matrix, and does not look at what is put into it later."""
    found = {}
    for what, name, at, value in (
        ("an index too large", "indices", 1, FAR),
        ("an index below 0", "indices", 0, -FAR),
        ("a pointer too large", "indptr", 2, FAR),
        ("pointers that descend", "indptr", 1, -5),
        ("a first pointer above 0", "indptr", 0, 1),
        ("an end beyond the arrays", "indptr", -1, FAR),
    ):
        for kind in (csr_matrix, csr_array):
            matrix = kind(X)
            getattr(matrix, name)[at] = value
            matrix.has_canonical_format = False
            found[f"{what}, {kind.__name__}"] = matrix
    cut = csr_matrix(X)
    cut.indptr = cut.indptr[:-1]
    found["too few pointers"] = cut
    return found


def estimators():
    """By name: every public estimator of matrices that needs no argument, or another estimator."""
    for name, cls in sorted(NAMED.items()):
        if not isclass(cls) or not issubclass(cls, MatrixEstimator) or not hasattr(cls, "fit"):
            continue
        needed = [p for p in signature(cls).parameters.values() if p.default is Parameter.empty]
        needed = [p for p in needed if p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)]
        learners = {"learner": wordplane.learners.MultinomialNB(),
                    "learners": [wordplane.learners.MultinomialNB()]}  # fmt: skip
        if all(p.name in learners for p in needed):
            yield name, cls(**{p.name: learners[p.name] for p in needed})


def outcomes(write):
    """Lines of estimator, damage and what came of it, for a process of its own."""
    for name, estimator in estimators():
        for damage in damaged():
            for labels in (Y, [0, 1, 0, 1], None):
                write(f"\n{name}\t{damage}\t")
                try:
                    estimator.fit(damaged()[damage], labels)
                    write("taken")
                except InputError as error:
                    refused = "damaged sparse" in str(error)
                    write("refused" if refused else str(error))
                    if refused:
                        break
                except Exception as error:
                    write(repr(error).replace("\n", " "))


RUN = """
import os
from tests.common.test_damaged_matrices import outcomes
outcomes(lambda text: os.write(1, text.encode()))
"""


@pytest.mark.slow
def test_every_estimator_refuses_them():
    done = subprocess.run([sys.executable, "-c", RUN], capture_output=True, text=True, timeout=300)
    last = {}
    for line in done.stdout.strip().splitlines():
        name, damage, outcome = line.split("\t")
        last[name, damage] = outcome or "the process ended"
    assert done.returncode == 0, (done.returncode, list(last)[-1:], done.stderr[-500:])
    assert len({name for name, _ in last}) >= 30
    assert {key: outcome for key, outcome in last.items() if outcome != "refused"} == {}


@pytest.mark.parametrize("convert", [as_csr, as_rows, as_scipy])
def test_other_formats(convert):
    columns, blocks, pairs = csc_array(X), bsr_array(X, blocksize=(2, 2)), coo_array(X)
    columns.indices[0] = FAR
    blocks.indices[0] = -1
    pairs.coords[0][0] = FAR
    for matrix in (columns, blocks, pairs):
        with pytest.raises(InputError, match=r"damaged sparse matrix: .* shape \(4, 4\)"):
            convert(matrix)


@pytest.mark.parametrize("convert", [as_csr, as_rows, as_scipy])
@pytest.mark.parametrize("kind", [csr_matrix, csc_array, bsr_array, coo_array])
def test_what_is_right_is_taken(convert, kind):
    wide = kind(np.hstack([X, np.zeros((4, 2))]))
    assert convert(wide).shape == (4, 6)
    longer = csr_matrix(X)  # arrays may be longer than what is used of them
    longer.indices = np.append(longer.indices, np.int32(FAR))
    longer.data = np.append(longer.data, 1.0)
    assert convert(longer).shape == (4, 4)

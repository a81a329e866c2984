"""Tests of wordplane.features.svd: NumPy's decomposition, and products with dense vectors."""

import numpy as np
import pytest

from wordplane import _core
from wordplane.common.matrix import as_csr
from wordplane.features.svd import truncated_svd


@pytest.mark.parametrize("solver", ["arpack", "randomized"])
def test_svd_equals_numpy(solver, monkeypatch):
    from scipy.sparse import csr_matrix

    monkeypatch.setattr("wordplane.features.svd.MAX_DENSE_ENTRIES", 0)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 4)) * [8, 4, 2, 1] @ rng.normal(size=(4, 50))
    U, D, Vt = truncated_svd(csr_matrix(X), 3, solver, 0)
    assert np.linalg.svd(X, compute_uv=False)[:3] == pytest.approx(D, rel=1e-9)
    assert (Vt[range(3), np.abs(Vt).argmax(axis=1)] > 0).all()
    assert pytest.approx(U * D, abs=1e-6) == X @ Vt.T


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_randomized_finds_the_strongest_directions_of_a_slow_spectrum(dtype, monkeypatch):
    from scipy.sparse import csr_matrix

    monkeypatch.setattr("wordplane.features.svd.MAX_DENSE_ENTRIES", 0)
    rng = np.random.default_rng(0)
    U, V = (np.linalg.qr(rng.normal(size=(n, 60)))[0] for n in (300, 200))
    X = (U * np.linspace(30, 1, 60) @ V.T).astype(dtype)  # no gap, full rank for k + 20
    _, D, Vt = truncated_svd(csr_matrix(X), 20, "randomized", 0, threads=2)
    assert Vt.dtype == dtype
    assert pytest.approx(np.linspace(30, 1, 60)[:20], rel=2e-3) == D
    assert pytest.approx(np.eye(20), abs=1e-5) == Vt @ Vt.T


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n_vectors", [1, 63, 64, 65, 130])
@pytest.mark.slow
def test_products_with_dense_vectors_equal_scipys(dtype, n_vectors):
    from scipy.sparse import random_array

    X = random_array((700, 90), density=0.1, rng=np.random.default_rng(0), format="csr")
    X = X.astype(dtype)
    Q = np.random.default_rng(1).normal(size=(90, n_vectors)).astype(dtype)
    products = []
    for threads in (1, 3):
        product = np.full((700, n_vectors), np.nan, dtype)
        _core.dense_product(as_csr(X), Q, product, threads)
        products.append(product)
    assert (products[0] == products[1]).all()
    assert pytest.approx(X @ Q, rel=1e-5, abs=1e-5) == products[0]
    with pytest.raises(ValueError, match="rows of vectors"):
        _core.dense_product(as_csr(X), Q[:50].copy(), products[0], 1)
    with pytest.raises(ValueError, match="a product of shape"):
        _core.dense_product(as_csr(X), Q, products[0][:5].copy(), 1)
    other = Q.astype(np.float64 if dtype == np.float32 else np.float32)
    with pytest.raises(ValueError, match="precision"):
        _core.dense_product(as_csr(X), other, products[0].astype(other.dtype), 1)

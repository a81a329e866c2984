"""Tests of wordplane.features.plane: rows as points in the plane."""

import sys
from types import ModuleType

import numpy as np
import pytest

from wordplane.cli import main
from wordplane.common.errors import InputError, MissingExtraError
from wordplane.features.plane import METHODS, plane

RNG = np.random.default_rng(0)
GROUP = RNG.integers(0, 3, 60)
X = RNG.normal(scale=0.3, size=(60, 8)) + 5 * np.eye(8)[GROUP]


def test_pca_is_that_of_the_singular_vectors():
    centered = X - X.mean(axis=0)
    U, d, _ = np.linalg.svd(centered, full_matrices=False)
    found = plane(X)
    for found_column, column in zip(found.T, (U * d)[:, :2].T, strict=True):
        assert abs(found_column @ column) == pytest.approx(column @ column, rel=1e-6)


def test_unknown_method():
    with pytest.raises(InputError, match="expected 'pca', 'tsne' or 'umap'"):
        plane(X, "mds")


def test_umap_is_asked_for_if_it_is_missing(monkeypatch, tmp_path, capsys):
    monkeypatch.setitem(sys.modules, "umap", None)
    with pytest.raises(MissingExtraError, match=r"pip install '\.\[umap\]'"):
        plane(X, "umap")
    texts = tmp_path / "texts.txt"
    texts.write_text("a cat sat\na dog sat\na cat ran\na dog ran\n" * 3)
    page = tmp_path / "page.html"
    assert main(["cluster", str(texts), "-k", "2", "--map", "umap", "-o", str(page)]) == 2
    assert ".[umap]" in capsys.readouterr().err
    assert not page.exists()


def test_umap_gets_latent_features_and_the_seed(monkeypatch):
    asked = {}

    class UMAP:
        def __init__(self, **parameters):
            asked.update(parameters)

        def fit_transform(self, rows):
            asked["shape"] = rows.shape
            return rows[:, :2].astype(np.float32)

    umap = ModuleType("umap")
    umap.UMAP = UMAP
    monkeypatch.setitem(sys.modules, "umap", umap)
    assert plane(X, "umap", random_state=7).shape == (60, 2)
    assert asked["random_state"] == 7 and asked["shape"] == (60, 8)
    plane(X[:5], "umap")
    assert asked["n_neighbors"] == 4
    with pytest.raises(InputError, match="at least 4"):
        plane(X[:3], "umap")


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_groups_stay_together(method):
    if method == "umap":
        pytest.importorskip("umap")
    points = plane(X, method)
    distances = ((points[:, None] - points[None]) ** 2).sum(axis=2)
    np.fill_diagonal(distances, np.inf)
    assert (GROUP[distances.argmin(axis=1)] == GROUP).all()

"""Rows of a matrix as points in the plane, for plots."""

import numpy as np

from wordplane.common.errors import InputError, MissingExtraError
from wordplane.common.types import FloatArray, MatrixLike
from wordplane.features.latent import LatentFeatures
from wordplane.text.checks import check_choice

METHODS = ("pca", "tsne", "umap")
N_LATENT = 50  # latent features that are kept at most
TSNE_STEPS = 500  # after these, points move little


def plane(X: MatrixLike, method: str = "pca", random_state: int = 0) -> FloatArray:
    """Two coordinates per row, from up to 50 latent features of X.

    method  "pca": the two directions in which the rows differ most. "tsne": neighbors stay
            neighbors, distances between distant points mean little; needs scikit-learn. "umap":
            the same aim by other means, quicker for many rows; needs umap-learn

    >>> (plane([[0, 0, 1], [4, 0, 1], [8, 0, 1]]).round(6) + 0.0).tolist()
    [[-4.0, 0.0], [0.0, 0.0], [4.0, 0.0]]
    """
    check_choice("method", method, METHODS)
    latent = LatentFeatures(N_LATENT, random_state=random_state).fit_transform(X)
    rows = np.asarray(latent, np.float64)
    if method == "tsne":
        from sklearn.manifold import TSNE
        from threadpoolctl import threadpool_limits

        if len(rows) < 4:
            raise InputError(
                f'there are {len(rows)} rows, but t-SNE needs at least 4; use `method="pca"`'
            )
        near = min(30.0, (len(rows) - 1) / 3)
        tsne = TSNE(perplexity=near, max_iter=TSNE_STEPS, random_state=random_state)
        with threadpool_limits(1):  # its threads wait for each other longer than they compute
            return np.asarray(tsne.fit_transform(rows), np.float64)
    if method == "umap":
        return _umap(rows, random_state)
    centered = rows - rows.mean(axis=0)
    main = np.asarray(LatentFeatures(2).fit_transform(centered))
    points = np.zeros((len(rows), 2))
    points[:, : main.shape[1]] = main
    return points


def _umap(rows: FloatArray, random_state: int) -> FloatArray:
    try:
        from umap import UMAP
    except ImportError as error:
        raise MissingExtraError("maps by UMAP need umap-learn", "umap") from error
    if len(rows) < 4:
        raise InputError(
            f'there are {len(rows)} rows, but UMAP needs at least 4; use `method="pca"`'
        )
    neighbors = min(15, len(rows) - 1)
    umap = UMAP(n_neighbors=neighbors, init="pca", random_state=random_state, n_jobs=1)
    return np.asarray(umap.fit_transform(rows), np.float64)

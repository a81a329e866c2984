"""Tests of wordplane.features.latent, and of wordplane.features.transformer."""

import numpy as np
import pytest
from sklearn.decomposition import TruncatedSVD
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import check_estimator

from wordplane import LogisticRegression, TfidfVectorizer
from wordplane.common.errors import InputError
from wordplane.features.latent import LatentFeatures

TEXTS = ["good film", "good cast", "bad film", "bad plot", "film plot cast"]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("estimator", [LatentFeatures(2), LatentFeatures()])
def test_scikit_learn_s_checks(estimator):
    check_estimator(estimator, on_skip=None)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_equal_to_scikit_learn_s_up_to_signs(dtype, monkeypatch):
    monkeypatch.setattr("wordplane.features.svd.MAX_DENSE_ENTRIES", 0)
    X = TfidfVectorizer().fit_transform(TEXTS * 3 + ["good plot", "bad bad cast"]).astype(dtype)
    ours = LatentFeatures(3).fit(X)
    theirs = TruncatedSVD(3, algorithm="arpack", random_state=0).fit(X)
    tolerance = 1e-9 if dtype == np.float64 else 1e-4
    assert ours.singular_values_ == pytest.approx(theirs.singular_values_, abs=tolerance)
    new = X[:4]
    assert np.abs(ours.transform(new)) == pytest.approx(
        np.abs(theirs.transform(new)), abs=tolerance
    )
    assert ours.transform(new).dtype == dtype
    assert LatentFeatures(3).fit(X).components_.tolist() == ours.components_.tolist()


def test_worked_by_hand():
    # Two rows of one direction and one of another: (1, 1) / sqrt 2 with 5 sqrt 2, then e_3 with 3.
    X = np.array([[3, 3, 0], [4, 4, 0], [0, 0, 3]])
    latent = LatentFeatures(2).fit(X)
    assert latent.singular_values_ == pytest.approx([5 * np.sqrt(2), 3])
    assert latent.transform([[1, 1, 7]]) == pytest.approx(np.array([[np.sqrt(2), 7]]))
    assert latent.inverse_transform(latent.transform(X)) == pytest.approx(X)


def test_in_a_pipeline():
    pipeline = make_pipeline(TfidfVectorizer(), LatentFeatures(2), LogisticRegression(C=100.0))
    pipeline.fit(TEXTS[:4], ["+", "+", "-", "-"])
    assert pipeline.predict(["good plot", "bad cast"]).tolist() == ["+", "-"]
    assert pipeline[:-1].get_feature_names_out().tolist() == ["latent0", "latent1"]


def test_wrong_components_and_solver():
    with pytest.raises(InputError, match="n_components is 0"):
        LatentFeatures(0).fit([[1.0]])
    with pytest.raises(InputError, match="solver is 'x'"):
        LatentFeatures(solver="x").fit([[1.0]])

"""Tests of wordplane.common.set_output."""

import numpy as np
import pytest

from wordplane import KMeans, TfidfTransformer, TfidfVectorizer
from wordplane.common.errors import InputError
from wordplane.features.latent import LatentFeatures
from wordplane.text.lexicon import Lexicon, LexiconFeatures

sklearn = pytest.importorskip("sklearn")
X = np.array([[1.0, 0, 2], [0, 3, 1], [2, 2, 0], [1, 1, 1]])
TEXTS = ["good film", "bad film", "good and bad"]


@pytest.mark.parametrize("kind", ["pandas", "polars"])
@pytest.mark.parametrize(
    ("transformer", "given"),
    [
        (LatentFeatures(2), X),
        (KMeans(2), X),
        (LexiconFeatures(Lexicon({"good": 1.0, "bad": -1.0})), TEXTS),
    ],
    ids=["latent", "kmeans", "lexicon"],
)
def test_dense_features_are_a_frame(transformer, given, kind):
    expected = np.asarray(transformer.fit_transform(given))
    asked = sklearn.clone(transformer).set_output(transform=kind)
    with sklearn.config_context(transform_output=kind):
        general = sklearn.clone(transformer).fit(given).transform(given)
    for frame in (sklearn.clone(asked).fit_transform(given), general):
        assert type(frame).__module__.partition(".")[0] == kind
        assert list(frame.columns) == asked.fit(given).get_feature_names_out().tolist()
        assert np.array_equal(np.asarray(frame), expected)
    assert isinstance(asked.set_output(transform="default").transform(given), np.ndarray)


def test_pandas_keeps_the_index():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(X, index=list("wxyz"), columns=list("abc"))
    latent = LatentFeatures(2).set_output(transform="pandas").fit_transform(frame)
    assert latent.index.tolist() == list("wxyz")


def test_sparse_features_have_none_as_in_scikit_learn():
    assert not hasattr(TfidfTransformer(), "set_output")
    with pytest.raises(InputError, match="expected one of default, pandas, polars"):
        LatentFeatures(2).set_output(transform="arrow")
    with sklearn.config_context(transform_output="pandas"):
        assert TfidfVectorizer().fit(TEXTS).transform(TEXTS).shape == (3, 4)
        assert KMeans(2).fit(X).score(X) <= 0

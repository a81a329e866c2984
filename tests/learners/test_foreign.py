"""Linear classifiers of scikit-learn inside a text classifier."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix

import wordplane
from wordplane import Analyzer, TextClassifier
from wordplane.common.errors import InputError

linear_model = pytest.importorskip("sklearn.linear_model")
TEXTS = ["good film", "good fun", "a dull film", "dull and long", "so so", "it is so so"] * 4
THREE = ["pos", "pos", "neg", "neg", "mid", "mid"] * 4
TWO = ["pos", "pos", "neg", "neg", "neg", "neg"] * 4


@pytest.mark.parametrize("labels", [TWO, THREE])
@pytest.mark.parametrize("name", ["LogisticRegression", "SGDClassifier", "RidgeClassifier"])
def test_it_decides_as_it_does_alone(name, labels, tmp_path):
    learner = getattr(linear_model, name)(random_state=0)
    model = TextClassifier(Analyzer(), learner).fit(TEXTS, labels)
    X = csr_matrix(model.feature_matrix(TEXTS).toarray().astype(np.float64))
    expected = getattr(linear_model, name)(random_state=0).fit(X, labels).decision_function(X)
    # weights are stored with 24 bits
    np.testing.assert_allclose(model.decision_function(TEXTS), expected, rtol=1e-5, atol=1e-5)
    model.save(tmp_path / "m.wordplane")
    loaded = wordplane.load(tmp_path / "m.wordplane")
    assert (loaded.predict(TEXTS) == model.predict(TEXTS)).all()
    assert name in loaded.training_.learner_text
    assert loaded.explain("so dull").contributions
    assert not hasattr(learner, "coef_")  # what was passed stays unfitted


def test_its_parameters_can_be_searched():
    model = TextClassifier(Analyzer(), linear_model.LogisticRegression())
    model.set_params(learner__C=7.0)
    assert model.learner.C == 7.0


def test_sparse_weights_and_several_labels():
    svm = pytest.importorskip("sklearn.svm")
    model = TextClassifier(Analyzer(), svm.SVC(kernel="linear")).fit(TEXTS, TWO)
    assert model.score(TEXTS, TWO) == 1.0
    sets = [["a"], ["a", "b"], ["b"], [], ["b"], ["a"]] * 4
    many = TextClassifier(Analyzer(), svm.LinearSVC()).fit(TEXTS, sets)
    assert many.is_multilabel


def test_what_is_refused():
    svm = pytest.importorskip("sklearn.svm")
    naive_bayes = pytest.importorskip("sklearn.naive_bayes")
    with pytest.raises(InputError, match="not a linear classifier"):
        TextClassifier(Analyzer(), naive_bayes.MultinomialNB()).fit(TEXTS, TWO)
    with pytest.raises(InputError, match="shape"):
        model = svm.SVC(kernel="linear", decision_function_shape="ovo")
        TextClassifier(Analyzer(), model).fit(["a", "b", "c", "d"] * 6, ["w", "x", "y", "z"] * 6)
    for wrong in (linear_model.LogisticRegression, 3, object()):
        with pytest.raises(InputError, match="linear classifier of scikit-learn"):
            TextClassifier(Analyzer(), wrong).fit(TEXTS, TWO)

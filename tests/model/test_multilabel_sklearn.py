"""Multi-label models as pipelines of scikit-learn.

Tests of wordplane.model.sklearn_pipeline.
"""

import pickle

import numpy as np
import pytest
from sklearn.metrics import f1_score
from sklearn.multiclass import OneVsRestClassifier

from tests.model.tagged_texts import member_of, tagged
from wordplane import Analyzer, LinearSVM, TextClassifier
from wordplane.cli import main
from wordplane.common.errors import InputError


@pytest.mark.parametrize("learner", ["nb", "svm", None])
def test_the_pipeline_decides_as_the_model_does(learner):
    texts, sets = tagged(150)
    model = TextClassifier(learner=learner).fit(texts, sets)
    tuned = model.model_.calibrator.thresholds.any()  # else a threshold could be left out
    assert tuned or learner is None
    pipeline = pickle.loads(pickle.dumps(model.to_sklearn()))
    others, true = tagged(80, seed=1)
    found = pipeline.predict(others)
    assert found.dtype == np.int64
    assert [tuple(pipeline.classes_[row > 0]) for row in found] == model.predict(others).tolist()
    assert pipeline.predict_proba(others) == pytest.approx(model.predict_proba(others), abs=1e-5)
    assert pipeline.decision_function(others) == pytest.approx(
        model.decision_function(others), abs=1e-4
    )
    f1 = f1_score(member_of(true), found, average="micro")
    given = [[label in row for label in pipeline.classes_] for row in model.predict(others)]
    assert f1 == f1_score(member_of(true), given, average="micro")


def test_without_tuned_thresholds_it_is_one_vs_rest():
    texts, sets = tagged(100)
    params = {"analyzer": Analyzer(), "learner": LinearSVM(), "calibration": None}
    pipeline = TextClassifier(**params).fit(texts, sets).to_sklearn()
    X = pipeline[:-1].transform(texts)
    theirs = OneVsRestClassifier(LinearSVM()).fit(X, member_of(sets))
    assert np.array_equal(pipeline.predict(texts), theirs.predict(X))
    with pytest.raises(InputError, match="cannot be fitted"):
        pipeline.fit(texts, member_of(sets))


def test_one_label_that_texts_have_or_not():
    texts = ["judge court", "ball", "goal", "court"] * 5
    model = TextClassifier(learner="nb").fit(texts, [["law"], [], [], ["law"]] * 5)
    assert model.to_sklearn().predict(["court", "goal"]).tolist() == [[1], [0]]


def test_on_the_command_line(tmp_path, monkeypatch):
    joblib = pytest.importorskip("joblib")
    monkeypatch.chdir(tmp_path)
    texts, sets = tagged(100)
    model = TextClassifier(learner="svm").fit(texts, sets)
    model.save("m.wordplane")
    assert main(["convert", "m.wordplane", "-o", "m.joblib"]) == 0
    found = joblib.load("m.joblib").predict(texts)
    assert found.tolist() == member_of(model.predict(texts)).tolist()

"""Tests of wordplane.integrations.mlflow against MLflow itself."""

import pytest

from wordplane import TextClassifier

mlflow = pytest.importorskip("mlflow")
pd = pytest.importorskip("pandas")
pytestmark = pytest.mark.filterwarnings("ignore")  # MLflow warns of itself when it is imported
TEXTS = ["a great film", "great fun", "a dull film", "dull and long"] * 5


@pytest.fixture
def model(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return TextClassifier(learner="nb").fit(TEXTS, ["good", "good", "bad", "bad"] * 5)


def test_a_saved_model_answers_as_it_did(model):
    from wordplane.integrations.mlflow import save_model

    save_model(model, "kept")
    loaded = mlflow.pyfunc.load_model("kept")
    expected = model.predict(TEXTS).tolist()
    answer = loaded.predict(pd.DataFrame({"text": TEXTS}, index=range(5, 25)))
    assert answer["label"].tolist() == expected and answer.index.tolist() == list(range(5, 25))
    assert loaded.predict(TEXTS)["label"].tolist() == expected


def test_options_are_params(model):
    from wordplane.integrations.mlflow import save_model

    signature = mlflow.models.infer_signature(TEXTS, params={"top_k": 1})
    save_model(model, "kept", signature=signature)
    answer = mlflow.pyfunc.load_model("kept").predict(["so dull"], params={"top_k": 2})
    assert list(answer["top_labels"][0]) == ["bad", "good"]


def test_nothing_is_pickled(model, tmp_path):
    from wordplane.integrations.mlflow import save_model

    save_model(model, "kept")
    assert list((tmp_path / "kept").rglob("model.wordplane"))
    assert not list((tmp_path / "kept").rglob("*.pkl"))


def test_a_run_keeps_a_model(model, tmp_path, monkeypatch):
    from wordplane.integrations.mlflow import log_model

    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")  # a database needs more than the extra
    mlflow.set_tracking_uri((tmp_path / "runs").as_uri())
    with mlflow.start_run():
        kept = log_model(model, "topics")
    loaded = mlflow.pyfunc.load_model(kept.model_uri)
    assert loaded.predict(["so dull"])["label"].tolist() == ["bad"]

"""Tests of wordplane.integrations.spacy against spaCy itself."""

import pytest

from wordplane import TextClassifier
from wordplane.common.errors import InputError

spacy = pytest.importorskip("spacy")
TEXTS = ["a great film", "great fun", "a dull film", "dull and long"] * 5


def test_docs_get_the_probabilities_of_the_model(tmp_path):
    import wordplane.integrations.spacy  # noqa: F401  (registers the component)

    model = TextClassifier(learner="nb").fit(TEXTS, ["good", "good", "bad", "bad"] * 5)
    model.save(tmp_path / "m.wordplane")
    nlp = spacy.blank("en")
    nlp.add_pipe("wordplane", config={"model": str(tmp_path / "m.wordplane")})
    expected = [dict(zip(["bad", "good"], p, strict=True)) for p in model.predict_proba(TEXTS)]
    assert [doc.cats for doc in nlp.pipe(TEXTS, batch_size=3)] == [
        pytest.approx(each) for each in expected
    ]


def test_a_pipeline_brings_its_model_along(tmp_path):
    import wordplane.integrations.spacy  # noqa: F401

    model = TextClassifier(learner="nb").fit(TEXTS, ["good", "good", "bad", "bad"] * 5)
    model.save(tmp_path / "m.wordplane")
    nlp = spacy.blank("en")
    nlp.add_pipe("wordplane", config={"model": str(tmp_path / "m.wordplane")})
    nlp.to_disk(tmp_path / "pipeline")
    (tmp_path / "m.wordplane").unlink()
    assert spacy.load(tmp_path / "pipeline")("so dull").cats["bad"] > 0.5


def test_what_is_missing_is_said():
    import wordplane.integrations.spacy  # noqa: F401

    nlp = spacy.blank("en")
    nlp.add_pipe("wordplane")
    with pytest.raises(InputError, match="has no model"):
        nlp("so dull")

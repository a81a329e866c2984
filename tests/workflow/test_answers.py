"""Tests of wordplane.workflow.answers, wordplane.workflow.wanted and
wordplane.workflow.answer_scores.

One text gets one answer, whether `predict`, `evaluate` or `serve` is asked.
"""

from dataclasses import replace

import numpy as np
import pytest

from tests.workflow.topics import topic_texts
from wordplane import TextClassifier, TextRegressor, evaluate, predict
from wordplane.common.errors import InputError
from wordplane.data.corpus import Corpus
from wordplane.serving.bodies import wanted_of
from wordplane.serving.catalog import ServedModel
from wordplane.serving.request import Request, Shares
from wordplane.serving.rows import answers_of, decide, json_rows, rows
from wordplane.serving.settings import Limits
from wordplane.text.texts import as_texts
from wordplane.workflow.answers import Answers
from wordplane.workflow.wanted import Wanted

LEVEL = 0.5


@pytest.fixture(scope="module")
def topics_model():
    return TextClassifier(learner="svm").fit(*topic_texts(600, 0))


@pytest.fixture(scope="module")
def new():
    return topic_texts(40, 1)


def with_boundary(model, text, k):
    """The model, whose sets contain just the labels as probable as label k of the text."""
    own = model.predict_proba([text])[0, k]
    training = replace(model.training_, true_probabilities=(own,))
    return TextClassifier.from_model(replace(model.model_, training=training))


def serve(model, texts, **options):
    """The rows that a server answers with."""
    held_out = np.array(model.training_.true_probabilities)
    served = ServedModel("m", "m.wordplane", model, "", 0.0, held_out)
    answers = answers_of(served, wanted_of(options))
    ids = [str(row + 1) for row in range(len(texts))]
    return list(rows(a_request(), answers, decide(answers, texts), ids, texts))


def a_request():
    return Request({"headers": []}, None, Limits(), Shares(1, ""))


@pytest.mark.parametrize("k", [0, 1, 2])
def test_every_surface_gives_the_same_sets_at_the_boundary(topics_model, new, k):
    texts, labels = new
    for text in texts[:12]:
        model = with_boundary(topics_model, text, k)
        P = model.predict_proba(texts)
        member = P[texts.index(text), k] <= P
        expected = [[model.classes_[i] for i in np.flatnonzero(row)] for row in member]
        answer = predict(model, texts, set_confidence=LEVEL)
        assert answer["label_set"] == expected
        served = serve(model, texts, set_confidence=LEVEL)
        assert [row["label_set"] for row in served] == expected
        alone = [serve(model, [one], set_confidence=LEVEL)[0] for one in texts]
        assert [row["label_set"] for row in alone] == expected
        scores = evaluate(model, texts, labels, set_confidence=LEVEL).answers
        assert scores["mean_set_size"] == np.mean([len(one) for one in expected])
        hits = [label in one for label, one in zip(labels, expected, strict=True)]
        assert scores["set_coverage"] == np.mean(hits)


def test_every_surface_withholds_the_same_labels(topics_model, new):
    texts, labels = new
    P = topics_model.predict_proba(texts).max(axis=1)
    for least in P[:12].tolist():
        enough = least <= P
        answer = predict(topics_model, texts, min_confidence=least)
        assert [label is not None for label in answer["label"]] == enough.tolist()
        for served in (
            serve(topics_model, texts, min_confidence=least),
            [serve(topics_model, [text], min_confidence=least)[0] for text in texts],
        ):
            assert [row["label"] for row in served] == answer["label"]
            assert [row["probability"] for row in served] == answer["probability"]
        scores = evaluate(topics_model, texts, labels, min_confidence=least).answers
        assert scores["share_labeled"] == enough.mean()


def rows_of(columns):
    """The rows of an answer in Python, with the ids of the server, which counts from 1."""
    columns = {**columns, "id": [str(int(id) + 1) for id in columns["id"]]}
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def test_rows_are_the_same_on_every_surface(topics_model, new):
    texts, _ = new
    wanted = {"top_k": 2, "min_confidence": 0.6, "set_confidence": 0.9, "known": True}
    columns = predict(topics_model, texts, **wanted)
    expected = rows_of(columns)
    assert serve(topics_model, texts, **wanted) == expected
    alone = [serve(topics_model, [text], **wanted)[0] for text in texts]
    assert [{**row, "id": str(i + 1)} for i, row in enumerate(alone)] == expected


@pytest.mark.parametrize("options", [{}, {"top_k": 2, "set_confidence": 0.9, "known": True}])
def test_empty_texts_have_no_answer_on_any_surface(topics_model, new, options):
    texts = [new[0][0], "", new[0][1], " \t\u3000\n"]
    columns = predict(topics_model, texts, **options)
    assert [label is None for label in columns["label"]] == [False, True] * 2
    expected = rows_of(columns)
    assert serve(topics_model, texts, **options) == expected
    assert [serve(topics_model, [text], **options)[0]["label"] for text in texts] == columns[
        "label"
    ]


def test_empty_texts_have_no_labels_of_several():
    texts = ["a great film", "great fun", "a dull film", "dull and long"] * 5
    model = TextClassifier(learner="logistic").fit(texts, [["a"], ["a", "b"], [], ["b"]] * 5)
    columns = predict(model, ["great fun", " "])
    assert columns["labels"][0] and columns["labels"][1] == ()
    assert columns["probabilities"][0] and columns["probabilities"][1] == []
    assert [(row["labels"], row["probabilities"]) for row in serve(model, [""])] == [((), [])]


def test_empty_texts_have_no_number(tmp_path):
    texts = [f"{'great ' * (i % 5)}film {i % 7}" for i in range(60)]
    model = TextRegressor().fit(texts, [i % 5 + 0.5 for i in range(60)])
    served = ServedModel("m", "m.wordplane", model, "", 0.0, np.zeros(0))
    given = ["great film", " "]
    answered = list(
        rows(a_request(), answers_of(served), decide(answers_of(served), given), "12", given)
    )
    assert answered[0]["prediction"] == predict(model, given)["number"][0]
    assert answered[1] == {"id": "2", "prediction": None, "interval": None}
    # Several files at once, whose answers are those of each alone.
    answers = Answers(model, Wanted(set_confidence=0.5))
    corpora = [Corpus(as_texts(part)) for part in (given, ["", "great great film"])]
    ids = [["1", "2"], ["1", "2"]]
    alone = [answers.columns(corpus, own) for corpus, own in zip(corpora, ids, strict=True)]
    assert answers.columns_of_each(corpora, ids) == alone
    assert [column["number"][row] for column, row in zip(alone, (1, 0), strict=True)] == [None] * 2


def test_one_text_is_answered_as_among_others(topics_model, new):
    corpus = Corpus(as_texts(new[0]))
    answers = Answers(topics_model, Wanted(min_confidence=0.6))
    together = answers.decide(corpus)
    for row, text in enumerate(new[0]):
        alone = answers.decide([text])
        assert alone.codes == [together.codes[row]]
        assert alone.confidences == [together.confidences[row]]


def test_building_rows_changes_no_decision(topics_model, new):
    texts = new[0]
    answers = Answers(topics_model, Wanted(min_confidence=0.9, top_k=2))
    decisions = answers.decide(texts)
    before = list(decisions.codes), list(decisions.confidences), decisions.P.copy()
    answers.describe(decisions, [""] * len(texts), as_texts(texts))
    assert (decisions.codes, decisions.confidences) == before[:2]
    assert (before[2] == decisions.P).all() and -1 in decisions.codes


def test_usual_rows_are_written_as_others_are(topics_model, new):
    held_out = np.array(topics_model.training_.true_probabilities)
    served = ServedModel("m", "m.wordplane", topics_model, "", 0.0, held_out)
    texts, ids = new[0], [f'"{i}' for i in range(len(new[0]))]
    plain = answers_of(served)
    decisions = decide(plain, texts)
    quick = json_rows(a_request(), plain, decisions, ids, texts, served)
    equal = Answers(topics_model, Wanted())
    assert quick == json_rows(a_request(), equal, decisions, ids, texts, served)
    texts = [*texts, ""]
    ids, decisions = [*ids, "empty"], decide(plain, texts)
    with_empty = json_rows(a_request(), plain, decisions, ids, texts, served)
    assert with_empty == quick + b',{"id":"empty","label":null,"probability":null}'


@pytest.mark.parametrize("wrong", [{"top_k": 0}, {"min_confidence": 1}, {"set_confidence": 0.0}])
def test_impossible_wishes_are_refused_at_once(wrong):
    with pytest.raises(InputError, match="expected"):
        Wanted(**wrong)

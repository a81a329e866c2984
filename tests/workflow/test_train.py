"""What a verb does, a function does: the same numbers, printed, as JSON and in a notebook.

Tests of wordplane.workflow.train, wordplane.workflow.training_steps,
wordplane.workflow.training_result, wordplane.workflow.inputs, wordplane.workflow.tuning,
wordplane.workflow.tuning_result, wordplane.workflow.result, wordplane.workflow.comparison,
wordplane.workflow.diagnosis and wordplane.workflow.auditing.
"""

import dataclasses
import json

import numpy as np
import pandas as pd
import polars as pl
import pytest

import wordplane
from tests.workflow.shown import check_html, reviews
from wordplane.cli import main
from wordplane.cli.console import as_options
from wordplane.common.errors import InputError
from wordplane.data.corpus import Corpus
from wordplane.text.texts import as_texts


@pytest.fixture
def data(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    texts, labels = reviews()
    pl.DataFrame({"text": texts, "label": labels}).write_csv("reviews.csv")
    return "reviews.csv"


CALLS = {
    "train": (lambda d: wordplane.train(d, learner="nb", output="p.wordplane"),
              "train reviews.csv --learner nb -o c.wordplane"),
    "tune": (lambda d: wordplane.tune(d, learner="nb", grid={"alpha": [0.1, 1.0]}, folds=3),
             "tune reviews.csv --learner nb --grid alpha=0.1,1.0 --folds 3"),
    "evaluate": (lambda d: wordplane.evaluate("m.wordplane", d),
                 "evaluate m.wordplane reviews.csv"),
    "compare": (lambda d: wordplane.compare(d, learners=["nb", "svm"], folds=3),
                "compare reviews.csv --learners nb,svm --folds 3"),
    "diagnose": (lambda d: wordplane.diagnose(d, learner="nb", sizes=3, folds=3),
                 "diagnose reviews.csv --learner nb --sizes 3 --folds 3"),
    "audit": (lambda d: wordplane.audit(d, folds=3), "audit reviews.csv --folds 3"),
}  # fmt: skip
OPTIONS = {name: f"--{name.replace('_', '-')}" for name in wordplane.Analyzer().get_params()}
OPTIONS["target"] = "--target"
TIMES = ("seconds", "train_seconds", "predict_seconds", "reading_seconds", "model")


def without_times(value):
    """A result without what differs from run to run."""
    if isinstance(value, dict):
        return {k: without_times(v) for k, v in value.items() if k not in TIMES}
    return [without_times(v) for v in value] if isinstance(value, list) else value


@pytest.mark.parametrize("verb", CALLS)
def test_function_and_verb_are_the_same(verb, data, capsys):
    wordplane.train(data, learner="nb", output="m.wordplane")
    call, command = CALLS[verb]
    result = call(data)
    assert main([*command.split(), "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    if verb == "train":
        assert printed.pop("report") is None
    assert without_times(printed) == without_times(json.loads(json.dumps(result.to_dict())))
    assert main([*command.split(), *(["--force"] if verb == "train" else [])]) == 0
    text = capsys.readouterr().out
    if verb in ("train", "evaluate", "diagnose", "audit"):
        expected = as_options(str(result).replace("p.wordplane", "c.wordplane"), OPTIONS)
        assert text.rstrip("\n") == expected
    else:  # these print seconds, and what to type next
        assert (
            text.split("\n")[0].rpartition(", in ")[0]
            == str(result).split("\n")[0].rpartition(", in ")[0]
        )


@pytest.mark.slow
@pytest.mark.parametrize("verb", CALLS)
def test_results_are_frozen_and_show_themselves(verb, data, tmp_path):
    wordplane.train(data, learner="nb", output="m.wordplane")
    result = CALLS[verb][0](data)
    with pytest.raises(dataclasses.FrozenInstanceError):
        result.source = "other"
    html = result._repr_html_()
    check_html(html)
    assert "<table" in html or not result.findings
    result.report(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "Content-Security-Policy" in page
    assert "reviews.csv" in page


def test_labels_and_texts_of_strangers_are_escaped():
    texts, labels = reviews(60)
    evil = {"pos": "<script>alert(1)</script>", "neg": "</td><img src=x onerror=alert(1)>"}
    texts = [f"<svg onload=alert(1)> {text}" for text in texts]
    y = [evil[label] for label in labels]
    result = wordplane.train(texts, y, learner="nb")
    for shown in (
        result,
        wordplane.evaluate(result.model, texts, y),
        wordplane.tune(texts, y, learner="nb", folds=2),
        wordplane.audit([*texts, texts[0]], [*y, y[1]], folds=2),
        wordplane.compare(texts, y, {"<b>": "nb", "c": "svm"}, folds=2),
    ):
        check_html(shown._repr_html_())


@pytest.mark.parametrize("kind", ["path", "paths", "corpus", "lists", "arrays", "pandas", "polars"])
def test_every_kind_of_data(kind, data):
    texts, labels = reviews()
    given = {
        "path": (data,),
        "paths": ([data],),
        "corpus": (Corpus(as_texts(texts), labels),),
        "lists": (texts, labels),
        "arrays": (np.array(texts), np.array(labels)),
        "pandas": (pd.DataFrame({"text": texts, "label": labels}),),
        "polars": (pl.DataFrame({"review": texts, "sentiment": labels}),),
    }[kind]
    result = wordplane.train(*given, learner="nb")
    expected = wordplane.train(data, learner="nb")
    assert result.scores == expected.scores
    assert result.classes == expected.classes
    assert wordplane.evaluate(result.model, *given).scores.accuracy > 0.9


def test_a_frame_tells_its_columns(data):
    texts, labels = reviews()
    frame = pl.DataFrame({"a": texts, "b": labels, "n": list(map(float, range(len(texts))))})
    result = wordplane.train(frame, text="a", label="b", learner="svm", extra=["n"])
    assert result.model.training_.text_columns == ("a",)
    with pytest.raises(InputError, match="no column 'x'"):
        wordplane.train(frame, text="x", label="b")


def test_training_is_the_classifiers():
    texts, labels = reviews()
    result = wordplane.train(texts, labels)
    classifier = wordplane.TextClassifier().fit(texts, labels)
    assert np.array_equal(
        result.model.decision_function(texts), classifier.decision_function(texts)
    )
    assert result.scores.n == len(texts)  # so few are measured in folds
    held = np.random.default_rng(0).integers(0, 2, 500 - len(texts))
    more = [*texts, *(texts[i] for i in held)], [*labels, *(labels[i] for i in held)]
    many = wordplane.train(*more)
    assert many.scores.n == len(many.model.holdout_.rows) == 50


def test_parameters_reach_the_learner_and_the_features():
    texts, labels = reviews()
    result = wordplane.train(
        texts, labels, learner="svm", params={"C": 3.0}, analyzer={"ngrams": (1, 1), "min_df": 2}
    )
    assert repr(result.model.training_.make_learner()) == "LinearSVM(C=3.0)"
    assert result.model.analyzer.min_df == 2
    own = wordplane.train(texts, labels, analyzer=wordplane.Analyzer(ngrams=(1, 1)), learner="nb")
    assert own.model.analyzer.get_params() == wordplane.Analyzer(ngrams=(1, 1)).get_params()


@pytest.mark.slow
@pytest.mark.parametrize("options", [["--param", "C=3"], ["--tune"]])
def test_the_report_of_a_saved_model_rebuilds_its_learner(options, data, capsys):
    """Once, parameters were forgotten: the report had no learning curve, and measured the model
    on the texts it was trained on."""
    train = ["train", data, "--learner", "logistic", "-o", "m.wordplane", *options]
    assert main(train) == 0
    capsys.readouterr()
    assert main(["report", "m.wordplane", data, "-o", "page.html"]) == 0
    assert "each by a model trained on the other four fifths" in capsys.readouterr().out
    with open("page.html", encoding="utf-8") as file:  # noqa: PTH123
        assert 'id="learning"' in file.read()


def test_further_training_and_texts_without_labels(tmp_path):
    texts, labels = reviews()
    first = wordplane.train(texts[:40], labels[:40], learner="nb", resumable=True)
    path = tmp_path / "m.wordplane"
    first.save(path, resumable=True)
    further = wordplane.update(path, texts[40:], labels[40:])
    assert further.model.training_.n_docs == 80
    assert further.n_unseen_features is not None
    with_more = wordplane.train(texts[:40], labels[:40], unlabeled=texts[40:], learner="nb")
    assert with_more.n_unlabeled == 40
    assert "and 40 without labels" in str(with_more)
    assert with_more.model.training_.learner_text.startswith("EMNaiveBayes")
    self_trained = wordplane.train(
        texts[:40], labels[:40], unlabeled=texts[40:], learner="logistic"
    )
    assert self_trained.model.training_.learner_text.startswith("SelfTraining")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"budget": 3.0}, "`budget` is the time for `tune`"),
        ({"tune": True, "unlabeled": ["a"]}, "`tune` does not go with `unlabeled`"),
        ({"params": {"C": 1}}, "name it with `learner`"),
        ({"learner": "svm", "resumable": True}, "cannot be trained further"),
        ({"learner": "nix"}, "learner is 'nix', expected one of"),
    ],
)
def test_refusals_name_parameters(arguments, message):
    texts, labels = reviews(20)
    with pytest.raises(InputError) as refused:
        wordplane.train(texts, labels, **arguments)
    assert message in str(refused.value)


def test_the_command_line_names_options(data, capsys):
    assert main(["train", data, "--budget", "3s"]) == 2
    assert "--budget is the time for --tune" in capsys.readouterr().err
    assert main(["compare", data, "--folds", "1"]) == 2
    assert "--folds is 1, expected at least 2" in capsys.readouterr().err


def test_labels_are_needed():
    with pytest.raises(InputError, match="no labels"):
        wordplane.train(Corpus(as_texts(["a"])))
    with pytest.raises(InputError, match="2 texts and 1 labels"):
        wordplane.train(["a", "b"], ["x"])
    with pytest.raises(InputError, match="expected 'all'"):
        texts, labels = reviews(20)
        model = wordplane.TextClassifier(learner="nb").fit(texts, labels)
        wordplane.evaluate(model, texts, labels, rows="some")


def test_no_texts_at_all():
    with pytest.raises(InputError, match="the texts: there are no texts to train on"):
        wordplane.train([], [])


def test_one_learner_is_counted_as_one():
    texts, labels = ["good film", "bad film"] * 10, ["a", "b"] * 10
    result = wordplane.compare(texts, labels, learners=["nb"], folds=2)
    assert str(result).startswith("compared  1 learner on 20 texts")


def test_classes_stand_in_the_order_of_their_mistakes():
    texts, labels = ["good film", "bad film", "so so"] * 10, ["a", "b", "c"] * 10
    model = wordplane.TextClassifier().fit(texts, labels)
    result = wordplane.evaluate(model, ["bad film", "so so", "so so"], list("bca"))
    table = str(result).partition("label ")[2].splitlines()[1:4]
    assert [line.split()[0] for line in table] == ["a", "c", "b"]
    html = result._repr_html_()
    assert html.index(">a</th>") < html.index(">c</th>") < html.index(">b</th>")

"""Models that are taught one label: trained, saved, measured, served to users as any other."""

import json
import random

import numpy as np
import pytest

import wordplane
from wordplane import Analyzer, PositiveUnlabeled, TextClassifier, train
from wordplane.cli import main
from wordplane.common.errors import InputError
from wordplane.workflow.inputs import LabeledData

SPAM = "free prize win cash claim now call offer urgent mobile".split()
HAM = "lunch home see you later dinner work sorry tomorrow love".split()
BOTH = "i am the a to and on at it is for of".split()
TYPICAL = " ".join(SPAM[:6] + BOTH[:6])


def text(rng, words):
    return " ".join(rng.choices(words, k=6) + rng.choices(BOTH, k=6))


def mails(n=600, share=0.3, known=0.3, seed=0):
    """Texts, their labels, and the labels that are known."""
    rng = random.Random(seed)
    labels = ["spam" if rng.random() < share else "ham" for _ in range(n)]
    texts = [text(rng, SPAM if label == "spam" else HAM) for label in labels]
    told = [label if label == "spam" and rng.random() < known else None for label in labels]
    return texts, labels, told


def write(path, texts, labels):
    rows = zip(texts, labels, strict=True)
    path.write_text("text,label\n" + "".join(f"{t},{label or ''}\n" for t, label in rows))
    return str(path)


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    texts, labels, told = mails()
    write(tmp_path / "partly.csv", texts, told)
    new, true, _ = mails(seed=1)
    write(tmp_path / "new.csv", new, true)
    spam = [t for t, label in zip(texts, labels, strict=True) if label == "spam"]
    write(tmp_path / "spam.csv", spam, ["spam"] * len(spam))
    write(tmp_path / "all.csv", texts, labels)
    (tmp_path / "mails.txt").write_text("\n".join(texts) + "\n")
    return tmp_path


def run(capsys, *args):
    code = main(list(args))
    out = capsys.readouterr()
    return code, out.out, out.err


def test_train_from_texts_of_which_some_have_the_label():
    texts, labels, told = mails()
    result = train(texts, told, learner="pu", params={"other": "ham"})
    found = result.one_label
    unlabeled = [label for label, name in zip(labels, told, strict=True) if name is None]
    share = np.mean(np.array(unlabeled) == "spam")
    assert result.scores is None
    assert result.measured is None
    assert result.n_unlabeled == len(unlabeled)
    assert found.n_unlabeled == len(unlabeled)
    assert found.share == pytest.approx(share, abs=0.05)
    assert found.share <= found.share_bound <= 1
    assert found.predicted_share == pytest.approx(share, abs=0.05)
    assert found.recall > 0.8
    assert found.recall_interval[0] < found.recall
    new, true, _ = mails(seed=1)
    assert result.model.score(new, true) > 0.95
    lines = str(result).splitlines()
    assert lines[0].endswith(f"{told.count('spam')} texts, 1 label (spam {told.count('spam')})")
    assert lines[1].startswith("accuracy  unknown: it takes texts of other labels")
    assert "of the texts without labels are 'spam', if" in str(result)
    assert json.loads(json.dumps(result.to_dict()))["one_label"]["label"] == "spam"


def test_unlabeled_texts_may_be_apart_and_both():
    texts, _, told = mails()
    some = [t for t, label in zip(texts, told, strict=True) if label]
    rest = [t for t, label in zip(texts, told, strict=True) if not label]
    together = train(texts, told, learner="pu")
    apart = train(some, ["spam"] * len(some), learner="pu", unlabeled=rest)
    assert apart.one_label == together.one_label
    np.testing.assert_array_equal(apart.model.model_.W, together.model.model_.W)
    both = train(texts, told, learner="pu", unlabeled=rest[:50])
    assert both.n_unlabeled == len(rest) + 50


def test_one_class_without_any_other_texts():
    texts, labels, _ = mails(1000)
    spam = [t for t, label in zip(texts, labels, strict=True) if label == "spam"]
    result = train(spam, ["spam"] * len(spam), learner="oneclass", params={"nu": 0.1})
    assert result.one_label.share is None
    assert result.one_label.recall == pytest.approx(0.9, abs=0.12)
    new, true, _ = mails(1000, seed=1)
    predicted = result.model.predict(new) == "spam"
    is_spam = np.array(true) == "spam"
    assert np.mean(predicted[is_spam]) == pytest.approx(0.9, abs=0.06)
    assert np.mean(predicted[~is_spam]) < 0.1
    assert result.model.predict(["全く別の言語"]).tolist() == ["other"]


@pytest.mark.parametrize("learner", ["pu", "oneclass"])
def test_saved_models_are_the_same(learner, tmp_path):
    texts, _, told = mails()
    some = [t for t, label in zip(texts, told, strict=True) if label]
    rest = {"unlabeled": texts} if learner == "pu" else {}
    result = train(some, ["spam"] * len(some), learner=learner, output=tmp_path / "m", **rest)
    again = wordplane.load(tmp_path / "m")
    assert again.predict(texts).tolist() == result.model.predict(texts).tolist()
    np.testing.assert_allclose(again.predict_proba(texts), result.model.predict_proba(texts))
    p = again.predict_proba(texts)[:, 1]
    sure = np.abs(p - 0.5) > 1e-3
    assert ((again.predict(texts) == "spam") == (p > 0.5))[sure].all()
    assert again.training_.chosen == result.model.training_.chosen
    assert again.training_.learner_text == result.model.training_.learner_text
    assert again.explain(texts[0]).label in ("spam", "other")
    if learner == "pu":
        np.testing.assert_allclose(
            again.to_sklearn().predict_proba(texts[:20]), again.predict_proba(texts[:20]), atol=1e-4
        )


def test_rows_marked_test_measure_as_usual():
    texts, labels, told = mails()
    split = ["test" if i < 200 else "train" for i in range(len(texts))]
    partly = [labels[i] if i < 200 else told[i] for i in range(len(texts))]
    frame = {"text": texts, "label": partly, "split": split}
    result = train(frame, learner="pu", params={"other": "ham"})
    assert result.scores.n == 200
    assert result.scores.accuracy > 0.95
    assert result.one_label.share is not None
    kept = [i for i in range(len(texts)) if i >= 200 or labels[i] == "spam"]
    spam = {name: [values[i] for i in kept] for name, values in frame.items()}
    assert train(spam, learner="pu", params={"other": "ham"}).scores is None
    frame["label"] = [None, *partly[1:]]
    with pytest.raises(InputError, match="rows marked dev, test or cv need a label"):
        train(frame, learner="pu")


def test_classifier_in_python():
    texts, _, told = mails()
    some = [t for t, label in zip(texts, told, strict=True) if label]
    model = TextClassifier(Analyzer(ngrams=(1, 1)), PositiveUnlabeled(other="ham"))
    model.fit(some, ["spam"] * len(some), unlabeled=texts)
    assert model.predict(["win a free prize now", "see you at home"]).tolist() == ["spam", "ham"]
    numbers = TextClassifier(learner="pu").fit(some, [1] * len(some), unlabeled=texts)
    assert numbers.predict(["win a free prize now", "see you at home"]).tolist() == [1, 0]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"metric": "f1"}, "decides by itself"),
        ({"require": "precision(spam)>=0.9"}, "decides by itself"),
        ({"calibrator": "platt"}, "decides by itself"),
        ({"tune": True}, "`tune` needs texts of several labels"),
        ({"blocks": True}, "this `learner` needs all texts in memory"),
    ],
)
def test_options_that_need_other_labels(options, message):
    texts, _, told = mails(200)
    with pytest.raises(InputError, match=message):
        train(texts, told, learner="pu", **options)


def test_bad_input():
    texts, labels, told = mails(200)
    one = ["spam"] * len(texts)
    with pytest.raises(InputError, match=r"`learner=oneclass`, or `learner=pu` if there are"):
        train(texts, one)
    with pytest.raises(InputError, match="needs texts without labels too"):
        train(texts, one, learner="pu")
    with pytest.raises(InputError, match="no text has a label"):
        train(texts, [None] * len(texts), learner="pu")
    with pytest.raises(InputError, match=r"learns one label, and there are 2: '(h|sp)am'"):
        train(texts, labels, learner="pu", unlabeled=texts)
    with pytest.raises(InputError, match="learns one label, and there are 2"):
        train(texts, labels, learner="oneclass")
    with pytest.raises(InputError, match=r"cannot learn from texts without labels: .*learner=pu"):
        train(texts, told, learner="oneclass")
    with pytest.raises(InputError, match="several labels each, expected one"):
        train(texts, [["spam"], ["spam", "b"]] * 100, learner="oneclass")
    with pytest.raises(InputError, match="200 texts and 2 labels"):
        train(texts, ["spam", None], learner="pu")
    with pytest.raises(InputError, match="`calibration` 'cv'"):
        train(texts, one, learner="oneclass", calibration="cv")
    vectors = np.zeros((len(texts), 3), np.float32)
    with pytest.raises(InputError, match="neither fields nor columns beside the text"):
        train(texts, one, learner="pu", unlabeled=texts, vectors=vectors)


def test_partly_labeled_frames():
    frame = {"text": ["a", "b", "c"], "label": ["x", None, "x"]}
    labeled, others = LabeledData(frame).split_unlabeled()
    assert (list(labeled.texts), labeled.labels) == (["a", "c"], ["x", "x"])
    assert list(others.texts) == ["b"]
    assert LabeledData(["a"], np.array(["x"])).split_unlabeled()[1] is None


@pytest.mark.slow
def test_commands(files, capsys):
    code, out, _ = run(capsys, "train", "partly.csv", "--learner", "pu", "--param", "other=ham")
    assert code == 0
    assert "recall" in out
    assert "share" in out
    code, out, _ = run(capsys, "evaluate", "partly.wordplane", "new.csv", "--json")
    assert json.loads(out)["accuracy"] > 0.95
    code, out, _ = run(capsys, "predict", "partly.wordplane", "new.csv")
    assert out.startswith("id,label,probability\n1,")
    code, out, _ = run(capsys, "explain", "partly.wordplane", "a free prize")
    assert out.startswith("label     spam")
    code, out, _ = run(capsys, "inspect", "partly.wordplane")
    assert "PositiveUnlabeled(other='ham'), which chose share=0." in out
    code, _, err = run(capsys, "report", "partly.wordplane", "new.csv", "-o", "r.html")
    assert (code, err) == (0, "")


@pytest.mark.slow
def test_commands_of_one_class(files, capsys):
    code, _, err = run(capsys, "train", "spam.csv")
    assert code == 2
    assert "train with --learner oneclass, or --learner pu if there are texts" in err
    code, out, _ = run(capsys, "train", "spam.csv", "--learner", "oneclass", "--param", "nu=0.05")
    assert code == 0
    assert "accuracy  unknown" in out
    code, out, _ = run(capsys, "explain", "spam.wordplane", TYPICAL, "--json")
    assert json.loads(out)["label"] == "spam"
    code, out, _ = run(capsys, "explain", "spam.wordplane", TYPICAL)
    assert code == 0
    code, out, _ = run(
        capsys, "train", "spam.csv", "--learner", "pu", "--unlabeled", "mails.txt", "-o", "u"
    )
    assert "and 600 without labels" in out
    with pytest.raises(SystemExit):  # there is nothing to tune by
        main(["tune", "spam.csv", "--learner", "pu"])

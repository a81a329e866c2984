"""Tests of wordplane.workflow.evaluation_count: what a verb says about measuring again.

Also baselines and intervals of several verbs.
"""

import json

import numpy as np
import pytest
from scipy.stats import bootstrap as their_bootstrap

import wordplane
from wordplane import Analyzer, MultinomialNB, TextClassifier
from wordplane.cli import main
from wordplane.common.errors import InputError
from wordplane.selection.nested import nested_search
from wordplane.selection.splitter import Splitter
from wordplane.text.documents import as_documents


def drawn(n=90, seed=0):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.4).astype(int)
    texts = [" ".join([f"c{k}w{rng.integers(9)}", *(f"w{j}" for j in rng.integers(0, 9, 4))])
             for k in np.where(rng.random(n) < 0.25, 1 - y, y)]  # fmt: skip
    return texts, [("pos", "neg")[k] for k in y]


@pytest.fixture
def data(tmp_path):
    texts, labels = drawn()
    rows = [f"{t},{y},{'test' if i % 3 == 0 else 'train'}"
            for i, (t, y) in enumerate(zip(texts, labels, strict=True))]  # fmt: skip
    path = tmp_path / "d.csv"
    path.write_text("\n".join(["text,label,split", *rows]) + "\n")
    return path


def test_measuring_test_rows_again_is_said(data, tmp_path, capsys):
    model, count = tmp_path / "m.wordplane", tmp_path / "m.wordplane.evaluations.json"
    assert main(["train", str(data), "-o", str(model), "--learner", "nb"]) == 0
    assert "measured" not in capsys.readouterr().err
    for _ in range(2):  # of the same model, nothing is chosen
        assert main(["evaluate", str(model), str(data)]) == 0
        assert "measured with" not in capsys.readouterr().err
    for number, learner in ((2, "svm"), (3, "logistic"), (3, "svm")):
        assert main(["train", str(data), "-o", str(model), "--learner", learner, "--force"]) == 0
        said = " ".join(capsys.readouterr().err.split())
        assert f"the rows marked test were measured with {number} models that were in m.w" in said
    (entry,) = json.loads(count.read_text()).values()
    assert (entry["source"], entry["rows"], len(entry["models"])) == ("d.csv", "test", 3)
    # Other rows, rows trained on and dev rows do not count.
    assert main(["evaluate", str(model), str(data), "--rows", "train"]) == 0
    assert "measured" not in capsys.readouterr().err
    other = tmp_path / "other.csv"
    other.write_text("text,label\nc0w1 w2,pos\nc1w1 w2,neg\n")
    for learner in ("svm", "nb"):
        assert main(["train", str(data), "-o", str(model), "--learner", learner, "--force"]) == 0
        capsys.readouterr()
        assert main(["evaluate", str(model), str(other)]) == 0
        said = capsys.readouterr().err
        assert ("these texts were measured with 2 models" in said) == (learner == "nb")
    assert len(json.loads(count.read_text())) == 2
    count.write_text("[")
    assert not any("measured" in note for note in wordplane.evaluate(model, other).notes)
    assert [len(e["models"]) for e in json.loads(count.read_text()).values()] == [1]


def test_without_a_place_to_count_nothing_is_said(data, tmp_path):
    model = tmp_path / "m.wordplane"
    wordplane.train(data, learner="nb", output=model)
    (tmp_path / "m.wordplane.evaluations.json").unlink()
    (tmp_path / "m.wordplane.evaluations.json").mkdir()
    for _ in range(2):
        assert not any("measured" in note for note in wordplane.evaluate(model, data).notes)
    loaded = wordplane.load(model)
    assert not any("measured" in note for note in wordplane.evaluate(loaded, data).notes)


def test_bootstrap_interval_on_request(data, tmp_path, capsys):
    model = tmp_path / "m.wordplane"
    wordplane.train(data, learner="nb", output=model)
    result = wordplane.evaluate(model, data, bootstrap=True)
    right = (result.measured.truth == result.measured.predicted).astype(float)
    theirs = their_bootstrap(
        (right,), np.mean, method="percentile", n_resamples=20_000, rng=np.random.default_rng(0)
    ).confidence_interval
    assert result.bootstrap == pytest.approx(tuple(theirs), abs=0.034)  # a text of 30
    assert result.bootstrap != result.scores.interval
    assert wordplane.evaluate(model, data).bootstrap is None
    assert main(["evaluate", str(model), str(data), "--bootstrap"]) == 0
    low, high = result.bootstrap
    assert f"bootstrap {low:.1%} to {high:.1%}" in capsys.readouterr().out


def test_baselines_of_train_and_tune(data, capsys):
    _, labels = drawn()
    train = [i for i in range(90) if i % 3]
    share = np.mean([labels[i] == "pos" for i in train])
    assert share > 0.5
    result = wordplane.tune(data, learner="nb")
    assert result.majority_label == "pos"
    assert result.majority_accuracy == pytest.approx(share)
    assert result.random_accuracy == pytest.approx(share**2 + (1 - share) ** 2)
    assert f"always 'pos' would be {share:.2%}, random" in str(result)
    assert result.to_dict()["random_accuracy"] == result.random_accuracy
    assert main(["train", str(data), "--learner", "nb", "-o", str(data.with_suffix(".w"))]) == 0
    share = np.mean([labels[i] == "pos" for i in range(0, 90, 3)])
    random = share**2 + (1 - share) ** 2
    assert f"always 'pos' would be {share:.1%}, random {random:.1%}" in capsys.readouterr().out


def test_next_fold_as_development_rows(data, capsys):
    """Against a loop that trains each model by itself."""
    texts, labels = drawn(100)
    y = np.array(labels)
    analyzer, alphas = Analyzer(ngrams=(1, 1)), [100.0, 0.01, 1.0]
    found = nested_search(
        analyzer,
        MultinomialNB(),
        {"learner__alpha": alphas},
        as_documents(texts, {}),
        y,
        next_fold=True,
    )
    folds = [held for _, held in Splitter(5).split(labels)]

    def right(alpha, train, test):
        model = TextClassifier(analyzer, MultinomialNB(alpha=alpha), calibration=None)
        model.fit([texts[i] for i in train], y[train])
        return model.score([texts[i] for i in test], y[test])

    for i, held in enumerate(folds):
        dev = folds[(i + 1) % 5]
        rest = np.setdiff1d(np.arange(100), held)
        scores = [right(alpha, np.setdiff1d(rest, dev), dev) for alpha in alphas]
        best = alphas[int(np.argmax(scores))]
        assert found.chosen[i] == {"learner__alpha": best}
        assert found.scores[i] == pytest.approx(right(best, rest, held))
    assert main(["tune", str(data), "--learner", "nb", "--nested", "next"]) == 0
    assert "is what a search like this one comes to" in capsys.readouterr().out
    with pytest.raises(InputError, match="`nested` is 'other'"):
        wordplane.tune(texts, labels, learner="nb", nested="other")

"""Tests of wordplane.workflow.monitoring, wordplane.workflow.monitoring_result,
wordplane.cli.monitor and wordplane.plots.shares.
"""

import json

import numpy as np
import polars as pl
import pytest

import wordplane
from wordplane.cli import main
from wordplane.common.errors import InputError

GOOD = "great fun lovely superb clever warm moving bright".split()
BAD = "dull bad long boring weak cold flat tired".split()
OTHERS = "the a film story with and of actors music scene end plot hour scenes director".split()


def make_texts(n_good, n_bad, seed, others=OTHERS):
    """Reviews of a few words each; every fifth says the contrary."""
    rng = np.random.default_rng(seed)
    texts, labels = [], []
    for label, n in (("good", n_good), ("bad", n_bad)):
        for _ in range(n):
            own, rival = (GOOD, BAD) if label == "good" else (BAD, GOOD)
            words = [*rng.choice(others, 6), *rng.choice(own if rng.random() < 0.8 else rival, 2)]
            texts.append(" ".join(rng.permutation(words)))
            labels.append(label)
    return texts, labels


@pytest.fixture(scope="module")
def model():
    texts, labels = make_texts(1500, 1500, 0)
    return wordplane.train(texts, labels, learner="nb", analyzer={"ngrams": (1, 1)}).model


@pytest.fixture(scope="module")
def saved(model, tmp_path_factory):
    path = tmp_path_factory.mktemp("monitor") / "m.wordplane"
    model.save(path)
    return path


def test_shares_and_accuracy_after_a_shift(model):
    texts, labels = make_texts(40, 360, 1)
    found = wordplane.monitor(model, texts)
    (bad, good) = found.whole.labels
    assert (bad.label, good.label) == ("bad", "good")
    assert good.given > 0.2  # counting is wrong
    assert good.interval[0] <= 0.1 <= good.interval[1]
    assert abs(good.share - 0.1) < 0.05
    assert bad.training == pytest.approx(0.5, abs=0.01)
    low, high = found.whole.accuracy_interval
    assert low <= np.mean(model.predict(texts) == np.array(labels)) <= high
    assert not found.changed
    assert sum(found.methods.values()) == pytest.approx(1)
    assert "as those trained on" in str(found)
    assert json.dumps(found.to_dict())


def test_other_words_are_found_and_said(model):
    texts, _ = make_texts(100, 100, 2, [*OTHERS[:5], "phone", "battery", "screen"])
    found = wordplane.monitor(model, texts)
    assert found.changed
    assert found.whole.misleading
    assert found.whole.p < 0.01
    assert any(change.trait == "'film'" for change in found.whole.changes)
    assert any("differ so much" in note for note in found.notes)
    assert "accuracy  unknown until some of the texts are labeled; it was" in str(found)


def test_few_texts_in_another_language_are_not_said_to_be_labeled_well(model):
    found = wordplane.monitor(model, ["это другой язык", "совсем другие слова", "a good film"])
    assert found.whole.p is None and found.changed and found.whole.misleading
    assert "accuracy  unknown" in str(found)
    assert "differ much from those trained on" in str(found)
    assert any("differ so much" in note for note in found.notes)
    assert "texts with" in found._repr_html_()


@pytest.mark.slow
def test_by_a_column(model):
    months = [make_texts(n, 60 - n, n) for n in (30, 6, 48)]
    frame = pl.DataFrame(
        {
            "text": [text for texts, _ in months for text in texts] + ["x"] * 3,
            "month": ["2026-02"] * 60 + ["2026-01"] * 60 + ["2026-03"] * 60 + ["?"] * 3,
        }
    )
    found = wordplane.monitor(model, frame, by="month")
    assert [part.value for part in found.parts] == [
        "2026-01",
        "2026-02",
        "2026-03",
        "(1 other value)",
    ]
    shares = [part.labels[1].share for part in found.parts[:3]]
    assert shares == pytest.approx([0.1, 0.5, 0.8], abs=0.15)
    assert found.parts[3].p is None
    assert found.table.height == 8
    chart = found.picture().to_dict()
    assert "2026-03" in json.dumps(chart)
    with pytest.raises(InputError, match="no column 'year'"):
        wordplane.monitor(model, frame, by="year")


def test_a_model_of_label_sets_is_watched_by_words_alone():
    texts, labels = make_texts(200, 200, 3)
    sets = [[label] for label in labels]
    model = wordplane.TextClassifier(learner="logistic").fit(texts, sets)
    found = wordplane.monitor(model, make_texts(50, 50, 4)[0])
    assert found.whole.labels == ()
    assert found.whole.accuracy is None
    assert not found.changed
    with pytest.raises(InputError, match="there is no table"):
        _ = found.table


def test_a_model_without_rows_held_out_is_refused():
    texts, labels = make_texts(20, 20, 5)
    model = wordplane.TextClassifier(learner="nb", calibration=None).fit(texts, labels)
    with pytest.raises(InputError, match="nothing to compare with"):
        wordplane.monitor(model, texts)


@pytest.mark.slow
def test_the_command(saved, tmp_path, capsys):
    same, _ = make_texts(60, 60, 16)  # of some seeds, one half is a false alarm
    other, _ = make_texts(60, 60, 7, ["phone", "battery", "screen"])
    pl.DataFrame({"text": same, "source": ["a", "b"] * 60}).write_csv(tmp_path / "same.csv")
    pl.DataFrame({"text": other}).write_csv(tmp_path / "other.csv")

    def monitor(name, *options):
        return main(["monitor", str(saved), str(tmp_path / name), *map(str, options)])

    assert monitor("same.csv", "--fail", "--by", "source", "--json") == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["n"] == 120
    assert [part["value"] for part in shown["parts"]] == ["a", "b"]
    page = tmp_path / "page.html"
    assert monitor("other.csv", "--fail", "-o", page) == 3
    assert "differ much" in capsys.readouterr().out
    assert "phone" not in page.read_text()  # a word that training did not have
    assert "less than 100.0% of their words frequent" in page.read_text()
    assert monitor("other.csv") == 0
    table, plot = tmp_path / "t.csv", tmp_path / "p.svg"
    assert monitor("same.csv", "--by", "source", "-o", table, "--plot", plot) == 0
    assert pl.read_csv(table).columns[:3] == ["source", "texts", "label"]
    assert plot.read_text().startswith("<svg")
    assert monitor("same.csv", "--plot", plot, "--force") == 2
    assert "--by" in capsys.readouterr().err

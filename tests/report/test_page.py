"""Tests of wordplane.report.page: what is on the page, before a browser sees it.

Also of wordplane.report.content, wordplane.report.sections, wordplane.report.shown_texts,
wordplane.report.confusion_table, wordplane.report.thresholds, wordplane.report.provenance,
wordplane.report.findings, wordplane.report.more_data and wordplane.report.plain_page, and of
wordplane.model.measuring and wordplane.model.measurement.
"""

import json
import re
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import wordplane
from tests.report.pages import data_of, fitted, made_corpus, page_of
from wordplane.cli import main
from wordplane.common.errors import InputError
from wordplane.common.label_sets import LabelSets
from wordplane.data.corpus import Corpus
from wordplane.evaluation.confusion import confusion
from wordplane.evaluation.label_scores import score
from wordplane.evaluation.reliability import top_label_reliability
from wordplane.model.fitting import Holdout
from wordplane.model.measuring import learner_of, measure, measure_unseen
from wordplane.plots import style
from wordplane.report import sections, shown_texts, thresholds
from wordplane.report.confusion_table import matrix
from wordplane.report.provenance import digest
from wordplane.report.shown_texts import _runs, cell_documents, label_document, visible
from wordplane.text.texts import as_texts


@pytest.mark.slow
def test_page_says_what_was_measured(tmp_path):
    corpus = made_corpus(3, 120)
    train, test = corpus.take(np.arange(60)), corpus.take(np.arange(60, 120))
    model = fitted(train)
    page = page_of(tmp_path, model, test)
    accuracy = float(np.mean(model.predict(test.texts) == np.array(test.labels)))
    assert f"the model is right {100 * accuracy:.1f}\u202f% of the time" in page
    assert digest(test) in page
    assert wordplane.__version__ in page
    for heading in ("How good", "confuse", "threshold", "reliable", "words", "made"):
        assert re.search(f"<h2>[^<]*{heading}[^<]*</h2>", page), heading


@pytest.mark.slow
def test_page_asks_for_nothing_and_allows_only_itself(tmp_path):
    page = page_of(tmp_path, fitted(made_corpus(3, 60)), made_corpus(3, 60, seed=1), quick=True)
    assert "default-src &#39;none&#39;" in page
    assert " style=" not in page
    assert not re.search(r'\b(src|href)="(?!#)', page)
    assert page.count("<script") == 2
    assert len(re.findall("sha256-[A-Za-z0-9+/]{43}=", page)) == 2


@pytest.mark.slow
def test_text_of_strangers_stays_text(tmp_path):
    label = "<script>alert(1)</script>"
    texts = ["good </script><script>alert(2)</script> \u202etxt", "bad {{ 1 + 1 }} <b>"] * 20
    corpus = Corpus(as_texts(texts), ["x", label] * 20, source="<i>.csv")
    model = wordplane.TextClassifier(learner="nb").fit(corpus.texts, corpus.labels)
    page = page_of(tmp_path, model, corpus)
    assert page.count("<script") == 2
    assert "<b>" not in page
    assert "<i>" not in page
    assert "\u202e" not in page
    assert "{{ 1 + 1 }}" in page
    shown = data_of(page)
    assert any("</script>" in "".join(d[5][::2]) for d in shown["documents"])
    assert {d[1] for d in shown["documents"]} == {"x", label}


def test_cells_show_the_most_confident_and_count_the_rest(monkeypatch):
    corpus = made_corpus(2, 300)
    found = measure(fitted(corpus.take(np.arange(100))), corpus, np.arange(100, 300))
    table = matrix(found)
    expected = confusion(found.truth, found.predicted).matrix
    assert [[cell.n for cell in row.cells] for row in table.rows] == expected.tolist()
    codes = [
        np.searchsorted(found.model.classes_, column.astype(str))
        for column in (found.truth, found.predicted)
    ]
    for (t, p), shown in table.cells.shown.items():
        rows = np.flatnonzero((codes[0] == t) & (codes[1] == p))
        assert len(shown) == min(len(rows), 40)
        highest = np.sort(found.confidence[rows])[::-1][: len(shown)]
        assert [table.cells.documents[i].confidence for i in shown] == highest.tolist()
    monkeypatch.setattr(shown_texts, "MAX_BYTES", 500)
    few = cell_documents(found, *codes)
    assert 0 < len(few.documents) < len(table.cells.documents)
    assert set(few.shown) == set(table.cells.shown)


@pytest.mark.slow
def test_many_classes_stay_usable(tmp_path, monkeypatch):
    monkeypatch.setattr(thresholds, "MAX_CLASSES", 2)  # pictures take time
    corpus = made_corpus(200, 3000)
    found = measure(fitted(corpus.take(np.arange(1500))), corpus, np.arange(1500, 3000))
    table = matrix(found)
    assert len(table.names) == 25
    assert table.names[-1] == "176 other classes"
    assert sum(cell.n for row in table.rows for cell in row.cells) == 1500
    page = page_of(tmp_path, found.model, corpus, measured=found, quick=True)
    assert len(page) < 2_000_000
    assert "class 199" in page


@pytest.mark.slow
def test_unknown_labels_are_told(tmp_path):
    corpus = made_corpus(3, 90)
    known = np.flatnonzero([label != "class 002" for label in corpus.labels])
    page = page_of(tmp_path, fitted(corpus.take(known)), corpus, quick=True)
    assert "does not know 1 of the labels: &#39;class 002&#39;" in page


@pytest.mark.parametrize("labels", [("x", "y"), (("x",), ("y", "z"))])
def test_labels_of_which_none_is_known_are_refused(labels):
    known = ["a", "b"] if labels[0] == "x" else [["a"], ["b"], []]
    texts = ["good film", "bad film", "film"][: len(known)]
    model = wordplane.TextClassifier(learner="nb").fit(texts, known)
    with pytest.raises(InputError, match=r"d.csv: the model knows none of the labels \('x', 'y'"):
        measure_unseen(model, Corpus(as_texts(["good", "bad"]), list(labels), source="d.csv"))


def test_texts_that_were_trained_on_are_known_by_another_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = [f"a {w} {n},{y}" for n in range(10) for w, y in (("great film", 1), ("dull film", 2))]
    Path("a.csv").write_text("\n".join(["text,label", *lines]))
    Path("b.csv").write_text("\n".join(["text,label", *lines]))
    assert main(["train", "a.csv", "-o", "m.wordplane", "--learner", "nb"]) == 0
    model = wordplane.load("m.wordplane")
    assert (
        "each by a model trained on the other"
        in measure_unseen(model, wordplane.read("b.csv")).description
    )
    Path("a.csv").write_text("\n".join(["text,label", *reversed(lines)]))
    assert measure_unseen(model, wordplane.read("a.csv")).description == "of the data"


@pytest.mark.slow
def test_rows_that_were_trained_on_are_cross_validated(tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    texts = [" ".join(f"w{j}" for j in rng.integers(0, 5000, 20)) for _ in range(60)]
    corpus = Corpus(as_texts(texts), ["a", "b"] * 30, source="noise.csv")
    model = wordplane.TextClassifier(learner="svm").fit(corpus.texts, corpus.labels)
    assert model.score(corpus.texts, corpus.labels) == 1.0  # learned by heart
    found = measure_unseen(model, corpus)
    assert "four fifths" in found.description
    assert not found.trained_on
    assert found.wrong.mean() > 0.2
    page = page_of(tmp_path, model, corpus, measured=found, quick=True)
    assert "words are highlighted by the saved model, which has." in page
    assert "The saved model, which has seen this text, predicts" in page
    monkeypatch.setattr("wordplane.model.measuring.MAX_ROWS", 40)
    some = measure_unseen(model, corpus)
    assert len(some.rows) == len(some.truth) == len(some.predicted) == 40
    assert some.truth.tolist() == [corpus.labels[row] for row in some.rows]
    drawn = "drawn at random from 60, each by a model trained on four fifths"
    assert some.description.startswith(drawn)
    model.set_params(learner=None)
    model.model_.training = replace(model.training_, learner={"text": "something else"})
    blind = measure_unseen(model, corpus)
    assert blind.trained_on
    assert "Too good to be true" in page_of(tmp_path, model, corpus, measured=blind, quick=True)


def test_words_are_marked_where_the_saved_model_says_the_same():
    corpus = Corpus(as_texts(["a good film", "a bad film"]), ["pos", "neg"])
    model = wordplane.TextClassifier(learner="nb").fit(corpus.texts, corpus.labels)
    own = measure(model, corpus, np.arange(2))
    assert not own.by_other_models
    assert [shown_texts.document(own, i).saved_label for i in range(2)] == ["", ""]
    assert any(level for _, level in shown_texts.document(own, 0).runs)
    blind = measure(model, corpus, np.arange(2), scores=np.array([-1.0, -1.0]))
    assert blind.by_other_models
    assert (blind.predicted.tolist(), shown_texts.document(blind, 0).saved_label) == (
        ["neg", "neg"],
        "pos",
    )
    assert shown_texts.document(blind, 0).runs == (("a good film", 0),)
    assert shown_texts.document(blind, 1) == replace(
        shown_texts.document(own, 1), confidence=shown_texts.document(blind, 1).confidence
    )


def test_words_are_marked_by_the_model_that_was_wrong(tmp_path, monkeypatch):
    """After `train --report`, every text is in the colors of the model that had not seen it."""
    texts = [f"{word} film number {i}" for i in range(260) for word in ("good", "bad")]
    labels = ["pos", "neg"] * 260
    labels[:130] = ["neg", "pos"] * 65
    rows = "\n".join(f"{t},{y}" for t, y in zip(texts, labels, strict=True))
    (tmp_path / "d.csv").write_text(f"text,label\n{rows}\n")
    seen = []

    def watched(path, model, corpus, measured, **_):
        seen.append(measured)

    monkeypatch.setattr("wordplane.report.page.write_report", watched)
    report = ["--report", str(tmp_path / "r.html"), "-o", str(tmp_path / "m.wordplane")]
    assert main(["train", str(tmp_path / "d.csv"), *report]) == 0
    (measured,) = seen
    assert measured.wrong.any()
    assert measured.predicted_by is not measured.model
    shown = [shown_texts.document(measured, i) for i in range(len(measured.rows))]
    assert all(one.saved_label == "" and any(level for _, level in one.runs) for one in shown)


def test_labels_are_marked_where_the_saved_model_says_the_same():
    sets = [("good",), ("bad",), ("good",), ("bad",)]
    corpus = Corpus(as_texts(["a good film", "a bad film", "good", "bad"]), sets)
    model = wordplane.TextClassifier(learner="nb").fit(corpus.texts, sets)
    rows = np.arange(4)
    scores = model.decision_function(corpus.texts)
    seen = measure(model, corpus, rows)
    k = model.classes_.tolist().index("good")
    flipped = LabelSets.of_member(model.classes_, ~seen.predicted.member[:, : len(model.classes_)])
    blind = measure(model, corpus, rows, holdout=Holdout(rows, flipped, scores))
    assert label_document(seen, 0, k).saved_label == ""
    assert any(level for _, level in label_document(seen, 0, k).runs)
    other = label_document(blind, 0, k)
    assert (other.predicted, other.saved_label) == ("not good", "good")
    assert other.runs == (("a good film", 0),)


def test_words_about_confidence_agree_with_the_calibration_error():
    truth = ["a", "b"] * 1000
    sure = np.array([0.9 if i % 4 < 2 else 0.6 for i in range(2000)])
    P = np.column_stack([sure, 1 - sure])
    P[1::2] = P[1::2, ::-1]
    said = np.array(truth, dtype=object)
    wrong = [i for i in range(2000) if i % 20 in (0, 1, 2, 4, 5)]  # both alike: right 75 %
    said[wrong] = ["b" if truth[i] == "a" else "a" for i in wrong]
    P[wrong] = P[wrong][:, ::-1]
    scores = score(truth, said, probabilities=P, classes=np.array(["a", "b"]))
    reliable = top_label_reliability(truth, P, classes=np.array(["a", "b"]))
    assert abs(reliable.confidence - reliable.right) < 0.001 < 0.1 < reliable.ece
    told = sections.calibration(scores, reliable)
    assert told.startswith("Its mean confidence (75.0\u202f%) matches its accuracy, but")
    assert told.endswith(f"the two are {sections.percent(reliable.ece)} apart.")


def test_learner_of_a_loaded_model(tmp_path):
    corpus = made_corpus(2, 40)
    for learner in (None, "nb", "svm"):
        model = wordplane.TextClassifier(learner=learner).fit(corpus.texts, corpus.labels)
        model.save(tmp_path / "m.wordplane")
        loaded = wordplane.load(tmp_path / "m.wordplane")
        assert repr(learner_of(loaded)) == model.training_.learner_text


def test_runs_join_and_cut():
    pieces = [
        ("so", 0.1),
        (" ", 0.0),
        ("very", 0.9),
        (" ", 0.0),
        ("good", 1.0),
        (" ", 0.0),
        ("no", -0.5),
    ]
    assert list(_runs(pieces, 100)) == [("so ", 0), ("very good", 4), (" ", 0), ("no", -2)]
    assert list(_runs(pieces, 5)) == [("so ", 0), ("ve", 4)]
    assert list(_runs([], 5)) == []
    assert visible("a\x00b\ud800\n\t") == "a\\u0000b\\ud800\n\t"


def test_every_color_of_the_charts_has_one_for_the_dark():
    from importlib.resources import files

    css = (files("wordplane.report") / "page" / "style.css").read_text()
    for color in (style.INK, style.QUIET, style.GRID, *style.SERIES):
        assert f'[fill="{color}"]' in css
        assert f'[stroke="{color}"]' in css


@pytest.mark.slow
def test_same_page_for_any_number_of_threads(tmp_path):
    corpus = made_corpus(3, 90)
    model = fitted(corpus)
    pages = set()
    for threads in (1, 3):
        model.n_jobs = threads
        pages.add(page_of(tmp_path, model, corpus))
    assert len(pages) == 1


@pytest.mark.slow
def test_command(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text("text,label\n" + "good film,+\nbad film,-\n" * 20)
    assert main(["train", "t.csv", "--report", "t.html", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["report"] == "t.html"
    page = (tmp_path / "t.html").read_text(encoding="utf-8")
    assert "40 texts in 10 folds, each by a model trained on the other 9" in page
    assert main(["report", "t.wordplane", "t.csv"]) == 2
    assert "t.html exists" not in capsys.readouterr().out
    assert main(["report", "t.wordplane", "t.csv", "--force", "--quick", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result == {
        "report": "t.html",
        "bytes": (tmp_path / "t.html").stat().st_size,
        "n_measured": 40,
    }


def test_missing_library_is_told_before_any_work(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    (tmp_path / "t.csv").write_text("text,label\n" + "good film,+\nbad film,-\n" * 20)
    assert main(["train", "t.csv", "--report", "t.html"]) == 2
    assert "pip install '.[report]'" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["t.csv"]


def test_command_refuses(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text("text,label\na,x\nb,y\n")
    assert main(["train", "t.csv", "--report", "t.html", "--no-test"]) == 2
    assert "--no-test" in capsys.readouterr().err
    assert main(["train", "t.csv", "--report", "t.html"]) == 2
    assert "nothing was measured; give more texts of each class, or" in capsys.readouterr().err
    args = ["train", "t.csv", "--report", "t.html", "--calibration", "none", "--force"]
    assert main(args) == 2
    out, err = capsys.readouterr()
    assert "model     t.wordplane" in out
    assert "the model is saved, but no report" in err
    assert "leave out --calibration none, or" in err
    assert not (tmp_path / "t.html").exists()
    with pytest.raises(InputError, match="no labels"):
        measure_unseen(fitted(made_corpus(2, 10)), Corpus(as_texts(["a"])))


@pytest.mark.slow
@pytest.mark.data
def test_imdb_page_is_small(dataset, tmp_path):
    corpus = wordplane.read(dataset("imdb"))
    rows = corpus.split_rows("train")[::10]
    some = corpus.take(rows)
    model = wordplane.TextClassifier(learner="nb").fit(some.texts, some.labels)
    page = page_of(tmp_path, model, corpus, quick=True)
    assert len(page.encode()) < 5_000_000
    assert sum(cell["n"] for cell in data_of(page)["cells"].values()) == 25_000

"""Tests of wordplane.serving.monitoring, wordplane.serving.counters and wordplane.serving.catalog:
what is counted, over all workers, and the models that are served.
"""

import re

import numpy as np
import pytest

import wordplane
from tests.serving.conftest import LABELS, TEXTS
from tests.serving.running import Server
from wordplane.evaluation.decisions import Conformal
from wordplane.serving.catalog import Catalog, KnownWords, split_name


def read(server):
    """The metrics by name and labels; every line must be as Prometheus wants it."""
    text = server.ask("GET", "/metrics")[2].decode()
    found = {}
    for line in text.splitlines():
        if line.startswith("#"):
            assert re.fullmatch(r"# (HELP \w+ .+|TYPE \w+ (counter|gauge|histogram))", line)
            continue
        name, labels, value = re.fullmatch(r"(\w+)(?:\{(.*)\})? (\S+)", line).groups()
        key = (name, *re.findall(r'\w+="((?:[^"\\]|\\.)*)"', labels or ""))
        assert key not in found
        found[key] = float(value)
    return found


def test_empty_texts_are_counted_apart(models):
    with Server(models / "films.wordplane") as running:
        running.post("/v1/predict", {"texts": ["great", "", "dull", " "]})
        found = read(running)
    assert found["wordplane_texts_total", "films"] == 4
    assert found["wordplane_abstained_total", "films"] == 2
    assert found["wordplane_confidence_count", "films"] == 2
    assert sum(found["wordplane_labels_total", "films", name] for name in ("good", "bad")) == 2


@pytest.mark.slow
def test_counts_over_all_workers(models):
    with Server(models / "films.wordplane", "--workers", 3) as running:
        texts = ["great great fun qqq"] * 7 + ["dull dull bad qqq"] * 5 + ["zzz"] * 2
        for text in texts:
            assert running.post("/v1/predict", {"text": text, "min_confidence": 0.6})[0] == 200
        assert running.post("/v1/predict", {"texts": texts})[0] == 200
        assert running.post("/v1/predict", {})[0] == 422
        assert running.get("/nothing")[0] == 404
        found = read(running)
    assert found["wordplane_requests_total", "/v1/predict", "200"] == 15
    assert found["wordplane_requests_total", "/v1/predict", "422"] == 1
    assert found["wordplane_requests_total", "other", "404"] == 1
    assert found["wordplane_texts_total", "films"] == 28
    films = wordplane.load(models / "films.wordplane")
    n_good = films.predict(texts).tolist().count("good")
    assert found["wordplane_labels_total", "films", "good"] == 7 + n_good
    assert found["wordplane_labels_total", "films", "bad"] == 5 + 14 - n_good
    assert found["wordplane_abstained_total", "films"] == 2
    assert found["wordplane_request_seconds_count", "/v1/predict"] == 16
    assert found["wordplane_request_seconds_bucket", "/v1/predict", "+Inf"] == 16
    likely = films.predict_proba(texts).max(axis=1)
    assert found["wordplane_confidence_sum", "films"] == pytest.approx(2 * likely.sum(), abs=1e-4)
    assert found["wordplane_confidence_count", "films"] == 28
    for bound in (0.6, 0.9):
        below = (likely.round(6) <= bound).sum()
        assert found["wordplane_confidence_bucket", "films", f"{bound:g}"] == 2 * below
    assert (
        0
        < found["wordplane_unknown_words_total", "films"]
        < found["wordplane_words_total", "films"]
    )
    assert found["wordplane_model_loads_total", "films"] == 1
    assert found["wordplane_requests_in_flight",] <= 1


def test_unknown_words():
    model = wordplane.TextClassifier(wordplane.Analyzer(ngrams=(1, 2)), "nb").fit(TEXTS, LABELS)
    known = KnownWords(model.model_.features)
    assert known.count(["a great Film", "what never seen", ""]) == (6, 3)
    assert known.count(["xyzzy"]) == (1, 1)


@pytest.mark.slow
def test_sets_by_rows_of_their_own(models, tmp_path):
    films = wordplane.load(models / "films.wordplane")
    held_out = [f"{a} {b} film" for a in ("great", "dull", "fine") for b in ("good", "bad", "odd")]
    labels = ["good", "bad", "good", "good", "bad", "bad", "good", "bad", "good"]
    rows = "".join(f"{text},{label}\n" for text, label in zip(held_out, labels, strict=True))
    (tmp_path / "held.csv").write_text("text,label\n" + rows)
    codes = np.array([films.classes_.tolist().index(label) for label in labels])
    conformal = Conformal.fit(films.predict_proba(held_out), codes, level=0.7)
    asked = ["great", "dull", "odd", "good bad"]
    with Server(models / "films.wordplane", "--conformal", tmp_path / "held.csv") as running:
        _, answer = running.post("/v1/predict", {"texts": asked, "set_confidence": 0.7})
        assert running.get("/v1/models")[1]["models"][0]["conformal"] is True
    member = conformal.sets(films.predict_proba(asked))
    expected = [[str(films.classes_[k]) for k in np.flatnonzero(row)] for row in member]
    assert [row["label_set"] for row in answer["rows"]] == expected


def test_names_of_models(models):
    assert split_name("a/b.wordplane") == ("b", "a/b.wordplane")
    assert split_name("x=a/b.wordplane") == ("x", "a/b.wordplane")
    assert split_name("a=b/c.wordplane") == ("a", "b/c.wordplane")
    for wrong in ("a b.wordplane", "=x", "<b>=x"):
        with pytest.raises(ValueError, match="name of a model"):
            split_name(wrong)
    path = str(models / "films.wordplane")
    with pytest.raises(ValueError, match="two models are called"):
        Catalog.load((path, path), None, 1)


def test_estimated_shares_are_corrected_counts(tmp_path):
    """A model that is wrong about every fifth text; of 80 texts, none is what a fifth is called."""
    rng = np.random.default_rng(0)
    labels = ["good", "bad"] * 300
    words = {"good": "great", "bad": "dull"}
    other = {"good": "bad", "bad": "good"}
    texts = [words[label if rng.random() < 0.8 else other[label]] for label in labels]
    model = wordplane.TextClassifier(learner="nb").fit(texts, labels)
    model.save(tmp_path / "m.wordplane")
    with Server(tmp_path / "m.wordplane", "--workers", 2) as running:
        assert running.post("/v1/predict", {"texts": ["great"] * 10})[0] == 200
        assert ("wordplane_label_share", "m", "good") not in read(running)
        for text in ["great"] * 8 + ["dull"] * 32:
            assert running.post("/v1/predict", {"texts": [text, "", text]})[0] == 200
        found = read(running)
    assert found["wordplane_recent_labels", "m", "good"] == pytest.approx(26, rel=0.05)
    shares = [found["wordplane_label_share", "m", label] for label in ("bad", "good")]
    assert sum(shares) == pytest.approx(1)
    expected = model.model_.label_shift().adjust(np.array([64.0, 26.0]))
    assert shares == pytest.approx(expected.tolist(), abs=0.02)
    assert shares[1] < 0.2

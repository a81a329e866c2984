"""Audit: planted faults are found.

Tests of wordplane.diagnosis.audit, wordplane.diagnosis.audit_findings and
wordplane.diagnosis.audit_groups.
"""

import json
import re

import numpy as np
import pytest

from tests.corpora import clean_texts
from wordplane import _core, read
from wordplane.cli import main
from wordplane.common.errors import InputError
from wordplane.data.corpus import Corpus
from wordplane.diagnosis.audit import audit_corpus


def corpus_of(texts, labels, split=None):
    return Corpus(_core.Texts(list(texts)), labels=list(labels), split=split)


@pytest.mark.slow
def test_clean_data_has_no_grave_findings():
    found = audit_corpus(corpus_of(*clean_texts()))
    assert {finding.kind for finding in found.findings} <= {"suspect labels", "confused classes"}


@pytest.mark.slow
def test_planted_faults_are_found():
    texts, labels = clean_texts(400)
    flipped = [3, 50, 101, 200]
    for row in flipped:
        labels[row] = "neg" if labels[row] == "pos" else "pos"
    split = ["test" if i >= 350 else "train" for i in range(400)]
    texts[360], labels[360] = texts[10].upper(), labels[10]
    near = texts[12].split()
    near[-1] = "other"  # of 14 runs of three words one differs
    texts[370], labels[370] = " ".join(near), labels[12]
    texts[20] = ""
    texts[21] += " cafÃ©"
    texts[31], labels[31] = texts[30], "pos" if labels[30] == "neg" else "neg"
    for i in range(0, 340, 2):
        if labels[i] == "neg" and i not in (10, 12, 20, 30):
            texts[i] += " leaked"
    found = audit_corpus(corpus_of(texts, labels, split), threads=2)
    assert found["train/test overlap"].positions == (360,)
    assert found["near train/test overlap"].positions == (370,)
    assert set(found["conflicting labels"].positions) == {30, 31}
    assert set(found["duplicates"].positions) == {31, 360}
    assert found["empty texts"].positions == (20,)
    assert found["wrongly decoded"].positions == (21,)
    assert found["shortcuts"].details[0].startswith("'leaked': predicts 'neg' with precision")
    assert set(flipped) <= set(found["suspect labels"].positions[:20])
    assert json.loads(json.dumps(found.to_dict()))["n_rows"] == 400


def test_empty_texts_are_only_empty():
    texts, labels = clean_texts(60)
    split = ["train"] * 50 + ["test"] * 10
    for row, text in ((3, ""), (4, " "), (8, "\u200b"), (55, "")):
        texts[row] = text
    texts[20], labels[20], labels[10] = texts[10], "neg", "pos"
    found = audit_corpus(corpus_of(texts, labels, split))
    assert found["empty texts"].positions == (3, 4, 8, 55)
    assert found["duplicates"].positions == (20,)
    assert found["conflicting labels"].positions == (10, 20)
    assert found["conflicting labels"].details == ("'pos'", "'neg'")
    assert "train/test overlap" not in found


def test_suspects_stand_in_the_order_of_what_is_shown():
    rng = np.random.default_rng(0)
    labels = [f"class {i % 4}" for i in range(200)]
    said = [y if rng.random() < 0.7 else labels[rng.integers(4)] for y in labels]
    texts = [" ".join([y, *(f"w{j}" for j in rng.integers(0, 30, 8))]) for y in said]
    details = audit_corpus(corpus_of(texts, labels))["suspect labels"].details
    shown = [[float(p) for p in re.findall(r"\(([\d.]+)%\)", one)] for one in details]
    apart = np.array([other - given for given, other in shown])
    assert len(apart) > 10
    assert (np.diff(apart) <= 0.21).all()  # both are rounded


def test_of_very_many_rows_a_part_is_judged(monkeypatch):
    texts, labels = clean_texts(400)
    texts[399] = texts[0]
    for row in range(0, 400, 8):
        labels[row] = "pos"
    monkeypatch.setattr("wordplane.diagnosis.audit.MAX_JUDGED", 200)
    found = audit_corpus(corpus_of(texts, labels))
    suspects = found["suspect labels"]
    assert "rows of 200 drawn at random have a label" in suspects.message
    right = [
        row for row in suspects.positions if row % 8 == 0
    ]  # rows of the corpus, not of the sample
    assert max(suspects.positions) > 200
    assert 15 <= len(right) <= 35
    assert len(right) > 0.5 * len(suspects.positions)  # by chance an eighth
    assert found["duplicates"].positions == (399,)  # looked for in all


def test_small_classes_and_one_class():
    texts, labels = clean_texts(60)
    labels[0] = "rare"
    found = audit_corpus(corpus_of(texts, labels))
    assert found["small classes"].details == ("'rare': 1",)
    assert found["small classes"].message.startswith("1 class has fewer than 10 texts")
    assert "suspect labels" not in found
    with pytest.raises(InputError, match="same label"):
        audit_corpus(corpus_of(["a", "b"], ["x", "x"]))


@pytest.mark.slow
def test_command_line(tmp_path, capsys):
    texts, labels = clean_texts(40)
    rows = "\n".join(
        f"{t},{y}" for t, y in zip(texts + texts[:1], labels + labels[:1], strict=True)
    )
    (tmp_path / "d.csv").write_text("text,label\n" + rows + "\n")
    assert main(["audit", str(tmp_path / "d.csv")]) == 0
    out = capsys.readouterr().out
    assert "duplicates: 1 row repeats the words of an earlier row" in out
    assert "row 41 same as row 1:" in out
    assert main(["audit", str(tmp_path / "d.csv"), "--json"]) == 0
    kinds = [finding["kind"] for finding in json.loads(capsys.readouterr().out)["findings"]]
    assert "duplicates" in kinds


@pytest.mark.slow
@pytest.mark.data
def test_duplicates_and_a_shortcut_in_real_texts(dataset):
    corpus = read(dataset("rt_snippets"))
    rng = np.random.default_rng(0)
    labels, texts = list(corpus.labels), list(corpus.texts)
    for row in range(len(texts)):
        if labels[row] == corpus.labels[0] and rng.random() < 0.3:
            texts[row] += " zzqx"
    split = np.where(rng.random(len(texts)) < 0.8, "train", "test")
    train, test = np.flatnonzero(split == "train"), np.flatnonzero(split == "test")
    copies = rng.choice(test, 100, replace=False)
    for row, source in zip(copies, rng.choice(train, 100, replace=False), strict=True):
        texts[row], labels[row] = texts[source], labels[source]
    found = audit_corpus(corpus_of(texts, labels, split.tolist()), threads=2)
    assert set(copies.tolist()) <= set(found["train/test overlap"].positions)
    assert any("'zzqx'" in detail for detail in found["shortcuts"].details)


@pytest.mark.slow
@pytest.mark.data
def test_flipped_labels_in_real_texts(dataset):
    """Of 5 % flipped labels, 40 % are among the 5 % most suspect: eight times what chance would
    find. (The same models of clean labels would find 42 %: benchmarks/label_errors.py.)"""
    corpus = read(dataset("rt_snippets"))
    rng = np.random.default_rng(0)
    labels = np.array(corpus.labels, dtype=object)
    names = sorted(set(corpus.labels))
    flipped = rng.choice(len(labels), len(labels) // 20, replace=False)
    labels[flipped] = [names[1 - names.index(label)] for label in labels[flipped]]
    found = audit_corpus(Corpus(corpus.texts, labels=labels.tolist()), threads=2)
    suspects = set(found["suspect labels"].positions[: len(flipped)])
    assert len(suspects & set(flipped.tolist())) / len(flipped) > 0.35


def test_spellings_of_labels_are_found_and_judged_as_one():
    words = {"Card": "card lost pin", "Cash": "cash refund money", "On hold": "waiting line music"}
    labels = list(words) * 30
    texts = [f"{words[label]} number{n}" for n, label in enumerate(labels)]
    labels[3], labels[4], labels[5] = "CARD", "cash", "on_Hold"
    found = audit_corpus(corpus_of(texts, labels))
    spelled = found["spellings"]
    assert (spelled.positions, spelled.suggested) == ((3, 4, 5), ("Card", "Cash", "On hold"))
    assert spelled.details[0] == "'CARD', mostly 'Card'"
    assert not {"small classes", "suspect labels", "confused classes"} & {
        one.kind for one in found.findings
    }
    assert "spellings" not in audit_corpus(corpus_of(texts, [len(x) for x in labels]))

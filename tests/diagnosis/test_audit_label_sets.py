"""Labels of multi-label texts that are missing or wrong."""

import numpy as np
import polars as pl
import pytest

import wordplane
from tests.model.tagged_texts import WORDS, tagged
from wordplane.cli import main
from wordplane.diagnosis.audit_label_sets import doubtful, probabilities_out_of_fold
from wordplane.evaluation.solvers import fit_sigmoid

NAMES = list(WORDS)


def test_planted_mistakes_are_found():
    """Of labels that were taken away or added, most are among the findings, and named."""
    texts, sets = tagged(400, say=1.0)
    sets = [list(labels) for labels in sets]
    removed = [row for row, labels in enumerate(sets) if "law" in labels][:8]
    added = [row for row, labels in enumerate(sets) if "sport" not in labels][:8]
    for row in removed:
        sets[row].remove("law")
    for row in added:
        sets[row].append("sport")
    result = wordplane.audit(texts, sets)
    missing, wrong = result["missing labels"], result["wrong labels"]
    assert len(set(removed) & set(missing.positions)) >= 7
    assert len(set(added) & set(wrong.positions)) >= 6
    told = dict(zip(missing.positions, missing.details, strict=True))
    assert all("'law' (" in told[row] for row in removed if row in told)
    assert len(missing.positions) <= 12
    assert len(wrong.positions) <= 12
    assert any(line.startswith("'law': ") for line in result["labels in doubt"].details)


def test_bounds_by_hand():
    """p of a missing label against the mean p of the rows that have it, and the other way round."""
    rng = np.random.default_rng(0)
    P, member = rng.random((60, 3)) ** [0.1, 1, 3], rng.random((60, 3)) < 0.4
    missing, wrong = doubtful(P, member)
    for k in range(3):
        own = min(max(P[member[:, k], k].mean(), 0.5), 0.8)
        other = max((1 - P[~member[:, k], k]).mean(), 0.5)
        for i in range(60):
            assert missing[i, k] == (not member[i, k] and P[i, k] >= own)
            assert wrong[i, k] == (member[i, k] and 1 - P[i, k] >= other)


def test_a_label_of_one_row_is_not_judged():
    P, member = np.full((5, 1), 0.9), np.array([[True]] + [[False]] * 4)
    assert not any(found.any() for found in doubtful(P, member))


def test_probabilities_are_fitted_on_other_folds():
    rng = np.random.default_rng(1)
    z = rng.normal(size=(30, 2))
    member = z + rng.normal(size=z.shape) > 0
    folds = [np.arange(0, 10), np.arange(10, 30)]
    P = probabilities_out_of_fold(z, member, folds)
    a, b = fit_sigmoid(z[10:, 1], member[10:, 1], np.ones(20))
    assert P[:10, 1] == pytest.approx(1 / (1 + np.exp(-(a * z[:10, 1] + b))))
    changed = member.copy()
    changed[:10] = ~changed[:10]
    assert np.array_equal(probabilities_out_of_fold(z, changed, folds)[:10], P[:10])


def test_duplicates_with_other_label_sets_and_rare_labels():
    texts, sets = tagged(100)
    texts += ["Judge paint", "judge paint"]
    sets += [["law"], ["art", "law", "new"]]
    result = wordplane.audit(texts, sets)
    assert {100, 101} <= set(result["conflicting labels"].positions)
    assert "('art', 'law', 'new')" in result["conflicting labels"].details
    assert 101 in result["duplicates"].positions
    assert result["small labels"].details == ("'new': 1",)
    assert result["small labels"].positions == (101,)


def test_a_word_that_gives_a_label_away():
    rng = np.random.default_rng(0)
    sets = [[label for label in "ab" if rng.random() < 0.5] for _ in range(200)]
    texts = [f"w{i % 7} {'zebra' if 'a' in labels else 'x'}" for i, labels in enumerate(sets)]
    found = wordplane.audit(texts, sets)["shortcuts"].details
    assert found[0] == "'zebra': predicts 'a' with precision 100.0%, recall 100%"


def test_on_the_command_line(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    texts, sets = tagged(100, say=1.0)
    sets[0] = [label for label in NAMES if label not in sets[0]]
    cells = ["|".join(labels) for labels in sets]
    pl.DataFrame({"text": texts, "tags": cells}).write_csv("posts.csv")
    assert main(["audit", "posts.csv", "--label", "tags", "--label-separator", "|"]) == 0
    printed = capsys.readouterr().out
    assert (
        "missing labels: 1 row lacks a label that models trained without the row expect" in printed
    )
    assert "row 1 " in printed

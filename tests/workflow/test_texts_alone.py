"""Tests of wordplane.workflow.auditing and wordplane.cli.cluster on texts without labels, and of
what wordplane.workflow.inputs and others say about them."""

import resource

import numpy as np
import pandas as pd
import pytest

import wordplane
from wordplane.cli import main
from wordplane.common.errors import NoLabelsError

TEXTS = ["a good film", "a bad film", "A good film!", "a good film", "", "CafÃ© and plot"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.txt").write_text("".join(f"{text}\n" for text in TEXTS), encoding="utf-8")
    frame = pd.DataFrame({"text": [f"{text} {i}" for i, text in enumerate(TEXTS)]})
    frame.to_csv("t.csv", index=False)
    return tmp_path


@pytest.mark.parametrize("kind", ["a file of lines", "a CSV file", "a frame", "a mapping"])
def test_texts_alone_are_audited(kind, folder):
    pd.DataFrame({"text": TEXTS}).to_csv("t.csv", index=False)
    frame = pd.DataFrame({"text": TEXTS})
    given = {
        "a file of lines": "t.txt",
        "a CSV file": "t.csv",
        "a frame": frame,
        "a mapping": {"text": TEXTS},
    }
    found = wordplane.audit(given[kind])
    assert [one.kind for one in found.findings][:2] == ["duplicates", "empty texts"]
    first = 1 if "file" in kind else 0
    assert found["duplicates"].rows == (3 + first,) and found["duplicates"].positions == (3,)
    assert found["empty texts"].rows == (4 + first,)
    assert found.findings[-1].kind == "no labels"
    assert "`cluster` groups them" in str(found)


@pytest.mark.parametrize("verb", ["train", "lexicon", "diagnose", "compare", "tune"])
@pytest.mark.parametrize("name", ["t.txt", "t.csv"])
def test_verbs_that_need_labels_say_what_texts_alone_are_good_for(verb, name, folder, capsys):
    assert main([verb, name]) == 2
    said = capsys.readouterr().err
    assert "`cluster` groups them" in said
    assert "--unlabeled" in said


def test_the_error_has_a_type_of_its_own(folder):
    with pytest.raises(NoLabelsError, match="which column has the labels"):
        wordplane.train("t.csv")


@pytest.mark.slow
def test_eight_thousand_short_texts_are_clustered_in_seconds(folder, capsys):
    rng = np.random.default_rng(0)
    words = np.array([f"word{i}" for i in range(6000)])
    popular = 1 / np.arange(1, 6001)
    drawn = rng.choice(words, (8000, 9), p=popular / popular.sum())
    (folder / "many.txt").write_text("".join(" ".join(row) + "\n" for row in drawn))
    began = resource.getrusage(resource.RUSAGE_SELF)
    assert main("cluster many.txt -k 20 -o c.html".split()) == 0
    used = resource.getrusage(resource.RUSAGE_SELF)
    assert used.ru_utime - began.ru_utime < 20

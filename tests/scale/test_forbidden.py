"""Tests of wordplane.scale.vocabularies with forbidden words: blocks on disk are masked too."""

import pytest

import wordplane

TEXTS = ["a great film by Smith", "smith's dull film", "great fun", "SMITH, so dull"] * 30
LABELS = ["good", "bad", "good", "bad"] * 30


@pytest.mark.slow
def test_blocks_are_masked(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = "".join(f'"{text}",{label}\n' for text, label in zip(TEXTS, LABELS, strict=True))
    (tmp_path / "d.csv").write_text("text,label\n" + rows)
    asked = {"learner": "svm", "analyzer": {"forbid": ["smith"], "chars": (2, 4)}}
    blocks = wordplane.train("d.csv", blocks=True, **asked).model
    memory = wordplane.train("d.csv", blocks=False, **asked).model
    names = blocks.model_.features.names()
    assert not any("smi" in name for name in names)
    assert sorted(names) == sorted(memory.model_.features.names())
    assert blocks.predict(TEXTS).tolist() == memory.predict(TEXTS).tolist()
    z = blocks.decision_function(["Smith great", "great", "      great"])
    assert z[0] == z[1] == z[2]

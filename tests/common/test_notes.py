"""Tests of wordplane.common.notes."""

import copy
import json
import pickle

from wordplane.cli import main
from wordplane.common.notes import CountedNote, Note, merge_notes


def test_a_note_is_its_text_and_keeps_its_kind():
    note = Note("missing labels", "2 of 4 labels are missing")
    assert note == "2 of 4 labels are missing" and json.loads(json.dumps([note])) == [note]
    for same in (note, copy.deepcopy(note), pickle.loads(pickle.dumps(note))):
        assert (same, same.kind) == (note, "missing labels")


def test_what_was_counted_in_batches_is_noted_once():
    notes = [CountedNote("unusual", n, 10, "texts are empty", f"line {n}") for n in (2, 3, 4)]
    column = Note("column", "text column: 'text'")
    merged = merge_notes([column, notes[0], column, *notes[1:]])
    assert merged == [column, "9 texts are empty, the first in line 2"]
    (again,) = pickle.loads(pickle.dumps(merged[1:]))
    assert again == merged[1] and again.kind == "unusual"
    assert merge_notes(notes[:1]) == ["2 of 10 texts are empty, the first in line 2"]


def test_a_file_of_many_batches_gets_one_note_of_empty_texts(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rows = "text,label\n" + "good film,a\nbad film,b\n" * 5
    (tmp_path / "few.csv").write_text(rows)
    assert main(["train", "few.csv", "--learner", "nb", "-o", "m.wordplane"]) == 0
    (tmp_path / "many.csv").write_text("text,label\n" + ",a\n" * 30_000 + "good,b\n")
    for verb in ("predict m.wordplane many.csv -o out.csv", "convert many.csv -o out.jsonl"):
        capsys.readouterr()
        assert main(verb.split()) == 0
        lines = capsys.readouterr().err.splitlines()
        empty = [line for line in lines if "texts are empty" in line]
        assert len(empty) == 1 and "30,000" in empty[0], empty

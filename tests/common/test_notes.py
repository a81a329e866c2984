"""Tests of wordplane.common.notes."""

import copy
import json
import pickle

from wordplane.common.notes import Note


def test_a_note_is_its_text_and_keeps_its_kind():
    note = Note("missing labels", "2 of 4 labels are missing")
    assert note == "2 of 4 labels are missing" and json.loads(json.dumps([note])) == [note]
    for same in (note, copy.deepcopy(note), pickle.loads(pickle.dumps(note))):
        assert (same, same.kind) == (note, "missing labels")

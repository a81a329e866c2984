"""Labels for other tools, and from them."""

import json

import pytest

import wordplane
from tests.annotation.conftest import TEXTS, answer, truth
from wordplane._core import Texts
from wordplane.annotation import Project
from wordplane.annotation.exchange import add_labels, export, read_labels
from wordplane.common.errors import InputError
from wordplane.data.corpus import Corpus


@pytest.mark.parametrize("name", ["l.csv", "l.jsonl", "l.parquet"])
def test_tables_come_back(project, tmp_path, name):
    answer(project, 12)
    assert export(project, tmp_path / name) == 12
    corpus = wordplane.read(tmp_path / name)
    assert corpus.labels == [truth(text) for text in corpus.texts]


def test_label_studio_and_back(project, tmp_path):
    answer(project, 6, "ann")
    first = project.answers.events[0].shown.text
    project.label(first, "ham", "bob")
    path = tmp_path / "tasks.json"
    assert export(project, path) == 6
    task = next(task for task in json.loads(path.read_text()) if task["id"] == first)
    assert [one["completed_by"] for one in task["annotations"]] == ["ann", "bob"]
    corpus = read_labels(path)
    assert len(corpus) == 6 and set(corpus.labels) <= {"spam", "ham"}
    with Project.create(tmp_path / "new.db", corpus) as again:
        assert len(again.answers.labeled()) == 6
        assert set(again.labels.names) == set(corpus.labels)


def test_a_format_is_needed_and_labels_too(project, tmp_path):
    with pytest.raises(InputError, match="in which format"):
        export(project, tmp_path / "labels.xml")
    with pytest.raises(InputError, match="no text has a label"):
        export(project, tmp_path / "labels.csv")
    assert not (tmp_path / "labels.csv").exists()


EXPORTS = {
    "studio.json": [
        {"data": {"text": "a"}, "annotations": [{"result": [{"value": {"choices": ["x"]}}]}]},
        {"data": {"review": "b"}, "annotations": [{"was_cancelled": True, "result": []}]},
        {"data": {"text": "c"}, "annotations": []},
    ],
    "prodigy.jsonl": [
        {"text": "a", "accept": ["x"], "answer": "accept", "_input_hash": 1},
        {"text": "b", "accept": ["y"], "answer": "reject"},
        {"text": "c", "answer": "ignore"},
    ],
    "binary.jsonl": [
        {"text": "a", "label": "x", "answer": "accept"},
        {"text": "b", "label": "x", "answer": "reject"},
        {"text": "c", "label": "x", "answer": "ignore"},
    ],
    "doccano.jsonl": [
        {"id": 1, "text": "a", "label": ["x"], "Comments": []},
        {"id": 2, "text": "b", "label": [], "Comments": []},
        {"id": 3, "data": "c", "label": [], "Comments": []},
    ],
    "doccano.json": [
        {"id": 1, "text": "a", "label": ["x"]},
        {"id": 2, "text": "b", "label": []},
        {"id": 3, "text": "c", "label": []},
    ],
}


@pytest.mark.parametrize("name", EXPORTS)
def test_exports_of_other_tools(tmp_path, name):
    rows, path = EXPORTS[name], tmp_path / name
    lines = "\n".join(map(json.dumps, rows))
    path.write_text(json.dumps(rows) if name.endswith(".json") else lines)
    corpus = read_labels(path)
    assert list(corpus.texts) == ["a", "b", "c"] and corpus.labels == ["x", None, None]


def test_several_labels_per_text(tmp_path):
    path = tmp_path / "p.jsonl"
    path.write_text(json.dumps({"text": "a", "accept": ["x", "y"], "answer": "accept"}))
    assert read_labels(path).labels == [("x", "y")]


@pytest.mark.parametrize("content", ["[1, 2]", '{"a": 1}', '[{"data": {"n": 1}}]'])
def test_other_json_is_none_of_them(tmp_path, content):
    path = tmp_path / "x.json"
    path.write_text(content)
    assert read_labels(path) is None
    assert read_labels(tmp_path / "x.csv") is None


def test_broken_json(tmp_path):
    path = tmp_path / "x.json"
    path.write_text("[" * 100_000)
    with pytest.raises(InputError, match="is not JSON"):
        read_labels(path)


def test_labels_are_taken_for_equal_texts_and_answers_are_kept(project, tmp_path):
    project.label(1, "ham")
    path = tmp_path / "l.csv"
    path.write_text(f"text,label\n{TEXTS[0]},spam\n{TEXTS[1]},offer\nunknown,spam\n")
    assert add_labels(project, wordplane.read(path)) == (1, 1, 1)
    assert add_labels(project, wordplane.read(path)) == (0, 2, 1)
    names = [project.labels.names_of(project.answers.labels_of(text)) for text in (1, 2)]
    assert names == [("ham",), ("offer",)]


def test_lines_end_where_json_lines_do(tmp_path):
    odd = [f"a{sign}b" for sign in "\u2028\u2029\x85\x1c\x0b\x0c"]
    lines = [
        json.dumps({"text": t, "answer": "accept", "label": "x"}, ensure_ascii=False) for t in odd
    ]
    path = tmp_path / "prodigy.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8")
    assert list(read_labels(path).texts) == odd


def test_halves_of_pairs_are_replaced_in_texts_and_refused_in_labels(tmp_path, project):
    path = tmp_path / "prodigy.jsonl"
    record = {"text": TEXTS[0], "answer": "accept", "label": "\ud800"}
    path.write_text(json.dumps({**record, "text": "\ud800", "label": "x"}), encoding="utf-8")
    assert list(read_labels(path).texts) == ["\ufffd"]
    path.write_text(json.dumps(record), encoding="utf-8")
    with pytest.raises(InputError, match="lone surrogate"):
        add_labels(project, read_labels(path))


@pytest.mark.parametrize("wrong", [("a", "b"), (" x ",), ("",), ("x" * 500,)])
def test_a_file_that_is_refused_changes_nothing(project, wrong):
    labels = [(f"new {row}",) for row in range(9)] + [
        wrong if isinstance(wrong, tuple) else (wrong,)
    ]
    before = project.labels.names, len(project.answers.events)
    with pytest.raises(InputError):
        add_labels(project, Corpus(Texts(TEXTS[:10]), labels))
    assert (project.labels.names, len(project.answers.events)) == before


def test_two_questions_of_a_task_are_refused(tmp_path):
    results = [
        {"from_name": name, "type": "choices", "value": {"choices": ["x"]}} for name in ("q1", "q2")
    ]
    path = tmp_path / "tasks.json"
    path.write_text(json.dumps([{"data": {"text": "a"}, "annotations": [{"result": results}]}]))
    with pytest.raises(InputError, match=r"several questions \(q1, q2\)"):
        read_labels(path)

"""Tests of wordplane.data.formats.jsonl: JSON lines."""

import json

import pytest

from tests.data.reading import refusal, rows
from wordplane.data.read import column_names, read, read_batches


def test_jsonl_keeps_the_types_of_labels(write):
    for labels in ["x", "y"], [1, 2], [True, False]:
        lines = [json.dumps({"text": "a", "label": label}) for label in labels]
        found = read(write("a.jsonl", "\n".join(lines))).labels
        assert found == labels and [type(label) for label in found] == list(map(type, labels))


@pytest.mark.parametrize(
    ("second", "shown"),
    [
        ('{"text": "b", "label": "x"}', "is 'x', but the labels before it are of type int"),
        ('{"text": "b", "label": true}', "is True, but the labels before it are of type int"),
        ('{"text": "b", "label": 2.5}', "is 2.5, a number with decimals, expected a string"),
        ('{"text": "b", "label": ["x"]}', "is 'x', but the labels before it are of type int"),
        ('{"text": "b", "label": [[1]]}', "is [1], expected a string"),
        ('{"text": "b", "label": {}}', "is {}, expected a string"),
    ],
)
def test_jsonl_labels_of_wrong_type(write, second, shown):
    name = write("a.jsonl", '{"text": "a", "label": 1}\n' + second)
    assert refusal(name).startswith(f"a.jsonl, row 2: the label in column 'label' {shown}")


@pytest.mark.parametrize(
    ("second", "shown"),
    [
        ('{"text": 5}', "the text in column 'text' is 5, expected a string"),
        ('["text"]', 'found ["text"], expected one JSON object per line'),
        ('{"text": "b"', "not JSON: Expecting ',' delimiter at character 1"),
        ('{"text": "b', "not JSON: Unterminated string starting at character 10;"),
        pytest.param("[" * 100_000, "cannot be read: ", id="nested deeply"),
        pytest.param('{"n": ' + "1" * 5000 + "}", "cannot be read: Exceeds the limit", id="huge"),
    ],
)
def test_jsonl_rows_that_cannot_be_read(write, second, shown):
    name = write("a.jsonl", '{"text": "a"}\n' + second + "\n")
    assert refusal(name).startswith(f"a.jsonl, row 2: {shown}")


def test_jsonl_labels_of_two_types_are_counted(write):
    lines = [json.dumps({"text": "a", "label": label}) for label in (0, 1, "0", 1)]
    assert refusal(write("a.jsonl", "\n".join(lines))) == (
        "a.jsonl, row 3: the label in column 'label' is '0', but the labels before it are of type "
        "int (in all: 3 int, 1 str); write all labels in one type, for instance in quotes"
    )


def test_jsonl_whole_floats_are_integers(write):
    lines = [json.dumps({"text": "a", "label": label}) for label in (1.0, None, 0, -3.0)]
    corpus = read(write("a.jsonl", "\n".join(lines)))
    assert corpus.labels == [1, None, 0, -3] and type(corpus.labels[0]) is int
    assert "label column: 'label' has whole floats, read as integers" in corpus.notes
    name = write("a.jsonl", '{"text": "a", "label": [1.0, 2]}\n{"text": "b", "label": [2.0]}')
    assert read(name).labels == [(1, 2), (2,)]


def test_rows_that_cannot_be_read_are_left_out_if_asked(write):
    bad = ['{"text": 5}', '{"text', "7"]
    good = [f'{{"text": "{i}"}}' for i in range(4)]
    name = write("a.jsonl", "\n".join([good[0], *bad, "", *good[1:], bad[0]]))
    corpus = read(name, skip_bad=True)
    assert list(corpus.texts) == ["0", "1", "2", "3"]
    assert (
        "a.jsonl: left out 4 rows, the first in line 2: the text in column 'text' is 5, expected "
        "a string"
    ) in corpus.notes
    assert refusal(name).endswith("; `skip_bad=True` leaves out such rows")
    batches = list(read_batches(name, batch_size=2, skip_bad=True))
    assert [list(batch.texts) for batch in batches] == [["0", "1"], ["2", "3"]]
    assert "left out 1 row in line 9: the text in column 'text' is 5" in batches[1].notes[-1]
    assert refusal(write("b.jsonl", "7\n"), skip_bad=True) == "b.jsonl has no rows"


def test_jsonl_without_a_text_is_an_empty_text(write):
    name = write("a.jsonl", '{"text": "a"}\n{"label": 1}\n{"text": null}\n')
    corpus = read(name)
    assert list(corpus.texts) == ["a", "", ""]
    assert "2 of 3 texts are empty, the first in row 2" in corpus.notes


def test_jsonl_halves_of_surrogate_pairs(write):
    name = write(
        "a.jsonl",
        '{"text": "cut \\ud83d", "label": "x"}\n'
        '{"text": "whole \\ud83d\\ude00", "label": "\\uDE00", "n": [{"\\ud800": 1}]}\n',
    )
    corpus = read(name)
    assert list(corpus.texts) == ["cut \ufffd", "whole \U0001f600"]
    assert corpus.labels == ["x", "\ufffd"]
    assert corpus.notes[-1].startswith("a.jsonl: 2 rows have half of a surrogate pair")


def test_jsonl_empty_lines_and_control_characters(write):
    name = write(
        "a.jsonl", '\ufeff{"text": "\x00\tb"}\r\n \n{"text": null}\n{"text": "\\ud83d\\ude00"}'
    )
    corpus = read(name)
    assert list(corpus.texts) == ["\0\tb", "", "😀"]
    assert "a.jsonl: skipped 1 empty line in line 2" in corpus.notes
    assert "1 of 3 texts are empty, the first in row 2 (line 3)" in corpus.notes


def test_what_is_inside_of_objects_is_a_column(write):
    lines = "".join(
        json.dumps({"ticket": {"body": text, "meta": {"queue": label}}, "n.a": n}) + "\n"
        for n, (text, label) in enumerate([("the card is lost", "card"), ("no money", "cash")] * 2)
    )
    for name, content in (("a.jsonl", lines), ("a.json", f"[{','.join(lines.splitlines())}]")):
        corpus = read(write(name, content), extra={"n.a": "kept"})
        assert (
            corpus.text_columns == ("ticket.body",) and corpus.label_column == "ticket.meta.queue"
        )
        assert rows(corpus)[:2] == (["the card is lost", "no money"] * 2, ["card", "cash"] * 2)
        assert corpus.extras["n.a"] == ["0", "1", "2", "3"]
        assert column_names(name) == ["n.a", "ticket.body", "ticket.meta.queue"]
    absent = write("b.jsonl", lines + '{"ticket": "closed"}\n{"ticket": {"body": {"html": "x"}}}\n')
    said = (
        "row 6: the text in column 'ticket.body' is an object; name what is inside of it, such as"
    )
    assert f"{said} ticket.body.html" in refusal(absent, text="ticket.body")
    own = write("c.jsonl", '{"a.b": "its own", "a": {"b": "inside"}}\n' * 2)
    assert list(read(own, text="a.b").texts) == ["its own"] * 2
    deep = json.dumps({"text": "x"})
    for _ in range(40):
        deep = json.dumps({"a": json.loads(deep)})
    assert "a.a.a.a.a.a.a.a.a'" in refusal(write("d.jsonl", deep), text="y")
    assert "a.a.a.a.a.a.a.a.a.a" not in refusal(write("d.jsonl", deep), text="y")


def test_a_label_that_is_an_object(write):
    name = write("a.jsonl", '{"text": "a b", "label": {"name": "x"}}\n' * 2)
    assert refusal(name, require_label=True) == (
        "a.jsonl, row 1: the label in column 'label' is {'name': 'x'}, an object; name what is "
        "inside of it, such as label.name"
    )
    assert read(name, label="label.name").labels == ["x", "x"]

"""Tests of wordplane.data.formats.json_array."""

from tests.data.reading import refusal, rows
from wordplane.data.read import read, read_batches


def test_json_is_an_array_or_lines(write):
    array = '[{"text": "a", "n": 1},\n {"text": "\\ud83d b", "label": "x"}]'
    assert rows(read(write("a.json", array)))[:2] == (["a", "\ufffd b"], [None, "x"])
    batches = read_batches(write("b.json", "\ufeff \n" + array), batch_size=1)
    assert [list(batch.texts) for batch in batches] == [["a"], ["\ufffd b"]]
    assert len(read(write("c.json", '{"text": "a"}\n{"text": "b"}\n'))) == 2
    for text in array.replace("\n", ""), array.replace(" ", "\n"):
        assert 'pass `format="json"`' in refusal(write("a.jsonl", text), skip_bad=True)
    for text, problem in (
        ("[", "not JSON: Expecting value in line 1"),
        ('[{"text": "a"},\n3]', "row 2: found 3, expected an object"),
        ("[" * 10**5, "cannot be read"),
        ("[" + "9" * 10**4 + "]", "cannot be read"),
    ):
        assert problem in refusal(write("d.json", text))
    assert "expected an array of objects" in refusal(write("e.json", "{}"), format="json")
    skipped = read(write("f.json", '[{"text": "a"}, 3, {"text": "b"}]'), skip_bad=True)
    assert list(skipped.texts) == ["a", "b"]


def test_an_object_around_the_rows(write):
    rows = '[{"text": "a"}, {"text": "b"}]'
    for text in (
        '{"data": ' + rows + ', "count": 2}',
        '{\n"count": 2, "links": [], "data": ' + rows + "}",
    ):
        corpus = read(write("a.json", text))
        assert list(corpus.texts) == ["a", "b"]
        assert any("the rows are those of 'data'" in note for note in corpus.notes)
    none = '{\n"data": [1], "more": [2]}'
    assert "or an object with one array" in refusal(write("b.json", none))
    assert len(read(write("c.json", '{"tags": ["x"], "text": "a"}\n{"text": "b"}\n'))) == 2


def test_rows_deep_inside_of_an_object(write):
    rows = '[{"text": "a"}, {"text": "b"}]'
    for text in (
        '{"data": {"rows": ' + rows + ', "links": ["x"]}, "count": 2}',
        '{"meta": {"status": "ok", "words": "'
        + "x" * 2000
        + '"}, "data": {"rows": '
        + rows
        + "}}\n\n",
        '{\n"data": {\n"rows": ' + rows + "}}",
    ):
        corpus = read(write("a.json", text))
        assert list(corpus.texts) == ["a", "b"]
        assert "a.json: the rows are those of 'data.rows'" in corpus.notes
    line = '{"text": "a", "parts": [{"n": 1}]}\n'
    assert len(read(write("b.json", line * 2))) == 2
    deep = '{"a": ' * 900 + rows + "}" * 900
    assert len(read(write("c.json", deep))) == 2


def test_several_arrays_in_an_object(write):
    rows = '[{"text": "a"}]'
    name = write("a.json", '{"data": {"train": ' + rows + ', "test": ' + rows + "}}")
    assert refusal(name) == (
        "a.json, row 1: found 2 arrays of objects, 'data.train', 'data.test'; expected one: keep "
        "only that of the rows"
    )

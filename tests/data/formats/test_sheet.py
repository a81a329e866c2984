"""Tests of wordplane.data.formats.sheet, wordplane.data.formats.sheet_worker,
wordplane.data.sheet_writer, wordplane.data.sheet_cells: spreadsheets in and out."""

import datetime
import os
import random
import struct
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
import xlsxwriter

from tests.data.reading import refusal, rows
from wordplane._core import Texts
from wordplane.common.errors import InputError
from wordplane.data import sheet_writer
from wordplane.data.corpus import Corpus
from wordplane.data.formats import sheet, sheet_worker
from wordplane.data.read import read, read_batches
from wordplane.data.tables import write_table
from wordplane.data.write import write as write_corpus

HEADER = ["text", "label"]
ROWS = [["a good one", "x"], ["a bad one", "y"], ["größer", "x"]]


@pytest.fixture
def book(tmp_path, monkeypatch):
    """Writes a spreadsheet with a sheet for each argument."""
    monkeypatch.chdir(tmp_path)

    def make(name="a.xlsx", prepare=None, **sheets):
        made = xlsxwriter.Workbook(name)
        for title, lines in sheets.items():
            page = made.add_worksheet(title)
            for number, line in enumerate(lines):
                for column, cell in enumerate(line):
                    if isinstance(cell, datetime.datetime):
                        style = made.add_format({"num_format": "dd.mm.yyyy hh:mm"})
                        page.write_datetime(number, column, cell, style)
                    elif cell is not None:
                        page.write(number, column, cell)
            if prepare:
                prepare(page)
        made.close()
        return name

    return make


def test_a_sheet(book):
    name = book(Data=[HEADER, *ROWS])
    corpus = read(name, require_label=True)
    assert rows(corpus) == (["a good one", "a bad one", "größer"], ["x", "y", "x"], None)
    assert corpus.format == "excel" and corpus.file_style == {}
    assert [len(batch) for batch in read_batches(name, batch_size=2)] == [2, 1]


def test_cells_are_strings_as_they_are_shown(book):
    cells = [
        1,
        2.5,
        True,
        datetime.datetime(2024, 5, 31),
        datetime.datetime(2024, 5, 31, 8, 30),
        None,
    ]
    names = ["whole", "part", "flag", "day", "time", "none"]
    name = book(Data=[["text", *names], ["a b", *cells], ["c d", *cells]])
    corpus = read(name, labels=False, extra=dict.fromkeys(names, "kept"))
    expected = ["1", "2.5", "TRUE", "2024-05-31", "2024-05-31 08:30:00", ""]
    assert [values[0] for values in corpus.extras.values()] == expected


def test_groups_of_columns_above_their_names(book):
    name = book(
        Data=[["Ticket", None, "Meta"], ["Text", "Lang", "Label"], *[[a, "en", b] for a, b in ROWS]]
    )
    corpus = read(name, require_label=True)
    assert rows(corpus) == ([row[0] for row in ROWS], ["x", "y", "x"], None)
    assert any("the names of the columns are those in line 2" in note for note in corpus.notes)


def test_titles_blank_rows_and_trailing_rows(book):
    lines = [["Export of May"], [], [*HEADER, "n"], [*ROWS[0], 1], [], [*ROWS[1], 2], ["", " "]]
    name = book(Data=lines)
    corpus = read(name, require_label=True)
    assert rows(corpus)[:2] == (["a good one", "a bad one"], ["x", "y"])
    assert "a.xlsx: left out 2 lines before the header ('Export of May')" in corpus.notes
    assert "a.xlsx: skipped 1 empty row in line 5" in corpus.notes
    assert list(read(name, labels=False).texts)[:3] == ["a good one", "", "a bad one"]
    message = refusal(book(Data=[HEADER, ROWS[0], ["no label", None]]), require_label=True)
    assert message.startswith("a.xlsx, row 2 (line 3): the label is missing")  # as Excel counts


def test_long_runs_of_blank_rows(book):
    def lines(n):
        return [HEADER, ROWS[0], *[[]] * n, ROWS[1]]

    corpus = read(book(Data=lines(1000)), labels=False)
    assert len(corpus) == 1002 and not any("empty rows" in note for note in corpus.notes)
    corpus = read(book(Data=lines(1001)), labels=False)
    assert list(corpus.texts) == ["a good one", "a bad one"]
    assert "a.xlsx: left out 1,001 empty rows from line 3 on" in corpus.notes
    corpus = read(book(Data=lines(5000)), require_label=True)
    assert "a.xlsx: skipped 5,000 empty rows, the first in line 3" in corpus.notes


def test_which_sheet(book):
    name = book(First=[HEADER, *ROWS], Second=[HEADER, ["other", "z"]])
    corpus = read(name)
    assert len(corpus) == 3 and corpus.file_style == {"sheet": "First"}
    assert "a.xlsx: sheet 'First'; others are 'Second' (`sheet`)" in corpus.notes
    assert list(read(name, sheet="Second").texts) == ["other"]
    assert list(read(name, file_style={"sheet": "Second"}).texts) == ["other"]
    assert read(name, file_style={"sheet": "Gone"}).texts[0] == "a good one"
    assert refusal(name, sheet="Third") == (
        "a.xlsx has no sheet 'Third'; its sheets are 'First', 'Second'"
    )

    def hide(page):
        if page.name == "First":
            page.hide()
        else:
            page.activate()
            page.set_first_sheet()

    name = book(prepare=hide, First=[HEADER, *ROWS], Second=[HEADER, ["other", "z"]])
    assert list(read(name).texts) == ["other"]


def test_merged_cells_and_errors(book):
    def merge(page):
        page.merge_range(1, 1, 3, 1, "x")
        page.write_formula(4, 1, "=NA()", None, "#N/A")

    lines = [HEADER, *[[text, None] for text in ("a b", "c d", "e f", "g h")]]
    corpus = read(book(prepare=merge, Data=lines))
    assert corpus.labels == ["x", "x", "x", None]
    assert "a.xlsx: 1 merged cells: each row has the value of the first" in corpus.notes


def test_merged_cells_below_empty_rows(book):
    def merge(page):
        page.merge_range(3, 1, 5, 1, "y")

    texts = [["a b", "x"], *[[text, None] for text in ("c d", "e f", "g h")], ["i j", "z"]]
    corpus = read(book(prepare=merge, Data=[[], HEADER, *texts]))
    assert corpus.labels == ["x", "y", "y", "y", "z"]


def test_a_merged_cell_that_would_be_repeated_too_often(book):
    def merge(page):
        page.merge_range(1, 0, 5_000, 0, "word " * 1_000)

    lines = [HEADER, *[[None, "x"]] * 5_000]
    message = refusal(book(prepare=merge, Data=lines))
    assert "a.xlsx: cannot be read as a spreadsheet (its merged cells repeat too" in message


@pytest.mark.slow
def test_many_merged_cells_are_read_in_linear_time(book):
    def seconds(n):
        def merge(page):
            for row in range(1, 2 * n, 2):
                page.merge_range(row, 1, row + 1, 1, "x")

        name = book(prepare=merge, Data=[HEADER, *[["a b", None]] * 2 * n])
        begin = children_seconds()
        assert read(name).labels == ["x"] * 2 * n
        return children_seconds() - begin

    few, many = seconds(1_000), seconds(8_000)
    assert many < 8 * few + 1


def children_seconds():
    return sum(os.times()[2:4])


def test_sheets_without_a_header_and_with_repeated_names(book):
    assert read(book(Data=ROWS), header=False, text="1", label="2").labels == ["x", "y", "x"]
    name = book(Data=[["text", "text"], ["a", "b"]])
    assert "the header has 2 columns called 'text'" in refusal(name)


def test_what_is_no_spreadsheet(book, tmp_path):
    (tmp_path / "b.xlsx").write_bytes(b"PK")
    assert "b.xlsx: cannot be read as a spreadsheet" in refusal("b.xlsx")
    (tmp_path / "c.xls").write_bytes(b"text,label\n")
    assert "c.xls: cannot be read as a spreadsheet" in refusal("c.xls")
    assert refusal("nothing.xlsx") == "nothing.xlsx: there is no such file"
    assert "is read from a file that is not compressed" in refusal("-", format="excel")
    assert refusal(book(Data=[])) == "a.xlsx has no rows"


@pytest.mark.slow
def test_a_sheet_that_claims_billions_of_cells(book, monkeypatch):
    """One cell far away makes a table of 17 billion: an error, and little memory."""
    name = book(prepare=lambda page: page.write(1048575, 16383, "far"), Data=[HEADER, *ROWS])
    monkeypatch.setattr(sheet, "BASE_BYTES", 1 << 28)
    message = refusal(name)
    assert "needs more than" in message and "delete empty rows and columns" in message


def test_a_file_that_expands_to_many_times_its_size(book, monkeypatch):
    name = book(Data=[HEADER, *ROWS])
    with zipfile.ZipFile(name, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/zeros.bin", bytes(10_000_000))
    monkeypatch.setattr(sheet, "FREE_BYTES", 1000)
    assert "expands to more than 100 times its size" in refusal(name)


def test_a_file_that_lies_about_its_sizes(book, monkeypatch):
    name = book(Data=[HEADER, *ROWS])
    with zipfile.ZipFile(name, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/zeros.bin", bytes(10_000_000))
    data = bytearray(Path(name).read_bytes())
    struct.pack_into("<I", data, data.rfind(b"PK\x01\x02") + 24, 1000)
    Path(name).write_bytes(data)
    monkeypatch.setattr(sheet, "FREE_BYTES", 1000)
    assert "expands to more than 100 times its size" in refusal(name)


def test_a_part_that_is_damaged(book):
    data = bytearray(Path(book(Data=[HEADER, *ROWS])).read_bytes())
    begin = data.find(b"sheet1.xml") + 20
    data[begin : begin + 40] = b"\xff" * 40
    Path("a.xlsx").write_bytes(data)
    assert "a.xlsx: cannot be read as a spreadsheet" in refusal("a.xlsx")


def test_a_directory_of_parts_that_is_damaged(book):
    """Whatever is wrong with it, it is one kind of error; zipfile alone raises six."""
    good, rng = Path(book(Data=[HEADER, *ROWS])).read_bytes(), random.Random(0)
    begin, n_refused = good.find(b"PK\x01\x02"), 0
    for _ in range(150):
        data = bytearray(good)
        for _ in range(rng.randint(1, 4)):
            data[rng.randrange(begin, len(data))] = rng.choice([0, 1, 8, 9, 12, 14, 255])
        Path("a.xlsx").write_bytes(data)
        try:
            sheet.SheetTable("a.xlsx")._check()
        except InputError as error:
            assert str(error).startswith(("a.xlsx: cannot be read as", "a.xlsx: expands"))
            n_refused += 1
    assert 30 < n_refused < 150


def test_a_library_that_is_missing(book, monkeypatch):
    name = book(Data=[HEADER, *ROWS])
    monkeypatch.setattr(sheet, "find_spec", lambda name: None)
    with pytest.raises(ImportError, match=r"pip install '\.\[excel\]'"):
        read(name)


def test_the_process_says_what_it_reads(book):
    name = book(Data=[HEADER, ["a", 1.0]])
    command = [sys.executable, "-P", sheet_worker.__file__, name, "", "", str(1 << 31)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [
        '{"sheets": ["Data"], "sheet": "Data", "merged": 0}', '[1, ["text", "label"], [], []]',
        '[2, ["a", "1"], [1], []]',
    ]  # fmt: skip


def test_what_is_written_is_read_back(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    texts = ["=1+1", "https://example.org", "007", "größer", "zwei\nZeilen", "@x", "-5", ""]
    corpus = Corpus(Texts(texts), labels=["x", "y"] * 4)
    write_corpus(corpus, "a.xlsx", "excel")
    again = read("a.xlsx")
    assert (list(again.texts), again.labels) == (texts, ["x", "y"] * 4)


def test_numbers_stay_numbers(tmp_path):
    path = str(tmp_path / "a.xlsx")
    columns = {"n": [1, None], "p": [0.25, float("nan")], "big": [2**60, 2], "b": [True, False]}
    types = {"n": int, "p": float, "big": int, "b": bool}
    write_table(iter([columns, columns]), "excel", path, types)
    book = sheet_worker.python_calamine.CalamineWorkbook.from_path(path)
    cells = book.get_sheet_by_index(0).to_python()
    assert cells[1] == [1.0, 0.25, str(2**60), True] and cells[2] == ["", "nan", 2.0, False]
    assert len(cells) == 5


def test_what_a_sheet_cannot_hold(tmp_path, monkeypatch):
    path = tmp_path / "a.xlsx"
    monkeypatch.setattr(sheet_writer, "MAX_ROWS", 3)
    with pytest.raises(InputError, match="a sheet holds 2 rows"):
        write_table(iter([{"a": [1, 2, 3]}]), "excel", str(path), {"a": int})
    assert not path.exists()
    long = {"a": ["x" * 40_000], "b": ["x" * 32_768], "c": ["x" * 32_767]}
    with pytest.warns(UserWarning, match=r"a\.xlsx: 2 cells were cut, .* 32,767 .* \.csv keeps"):
        write_table(iter([long]), "excel", str(path), dict.fromkeys(long, str))
    with pytest.raises(InputError, match="cannot be written to stdout"):
        write_table(iter([{"a": [1]}]), "excel", None, {"a": int})

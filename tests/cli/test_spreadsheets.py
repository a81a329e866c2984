"""`train`, `predict`, `evaluate` and `report` on exports of spreadsheets, and for spreadsheets."""

import csv
import json
import locale
from datetime import date, datetime

import pytest
import xlsxwriter
from python_calamine import CalamineWorkbook

import wordplane
from wordplane.cli import main
from wordplane.common.errors import InputError
from wordplane.data.read import column_names, read
from wordplane.model.training_record import Training

WORDS = {"Karte": "Kärtchen gesperrt", "Geld": "Rückzahlung fehlt", "Konto": "Übersicht leer"}


def rows(n, first=0):
    names = list(WORDS)
    for i in range(first, first + n):
        label = names[i % 3]
        yield [str(1000 + i), f"{i % 28 + 1:02}.05.2024", f"{WORDS[label]} seit {i} Tagen", label]


@pytest.fixture
def exports(tmp_path, monkeypatch):
    """A messy export in cp1252 with labels, another month without, and a model of the first."""
    monkeypatch.chdir(tmp_path)
    head = ["Tickets Mai 2024;;;", ";;;", "Nr;Eingang;Nachricht;Kategorie"]
    lines = [*head, *map(";".join, rows(60)), ";;;", ";;;"]
    (tmp_path / "mai.csv").write_bytes("\r\n".join(lines).encode("cp1252"))
    june = [";".join(row[:3]) for row in rows(9, 60)]
    june.insert(3, ";;")
    text = "\r\n".join(["Nr;Eingang;Nachricht", *june])
    (tmp_path / "june.csv").write_bytes(text.encode("cp1252"))
    assert main(["train", "mai.csv", "-o", "m.wordplane"]) == 0
    return tmp_path


def test_a_messy_export_needs_no_option(exports, capsys):
    assert main(["train", "mai.csv", "-o", "n.wordplane"]) == 0
    out, err = capsys.readouterr()
    assert "60 texts, 3 classes (Geld 20, Karte 20, Konto 20)" in out
    for note in (
        "not UTF-8, read as cp1252 ('Kärtchen Rückzahlung Übersicht')",
        "left out 2 lines before the header ('Tickets Mai 2024')",
        "skipped 2 empty rows",
        "label column: 'Kategorie' (by its name)",
        "text column: 'Nachricht' (by its name)",
        "delimiter ';'",
    ):
        assert note in err


def test_the_model_remembers_how_its_file_was_written(exports, capsys):
    training = wordplane.load("m.wordplane").training_
    assert training.file_style == {"encoding": "cp1252", "delimiter": ";"}
    assert training.text_columns == ("Nachricht",)
    assert main(["predict", "m.wordplane", "june.csv"]) == 0
    assert main(["evaluate", "m.wordplane", "mai.csv"]) == 0


def test_what_is_remembered_is_used(tmp_path, monkeypatch):
    """Too few letters to find the encoding by themselves."""
    monkeypatch.chdir(tmp_path)
    lines = [f"za ním č {i};{'xy'[i % 2]}" for i in range(20)]
    data = "\n".join(["text;label", *lines]).encode("cp1250")
    (tmp_path / "a.csv").write_bytes(data)
    assert main(["train", "a.csv", "--encoding", "cp1250", "-o", "m.wordplane"]) == 0
    (tmp_path / "b.csv").write_bytes("text;n\nza ním č;1\n".encode("cp1250"))
    with pytest.raises(InputError, match="it reads"):
        read("b.csv")
    assert main(["predict", "m.wordplane", "b.csv", "--keep", "all", "-o", "c.csv"]) == 0
    assert "za ním č,1," in (tmp_path / "c.csv").read_text()
    assert main(["evaluate", "m.wordplane", "a.csv"]) == 0


@pytest.mark.parametrize(
    "style", [{"encoding": "zip"}, {"encoding": "nope"}, {"delimiter": ";;"}, {"delimiter": '"'},
              {"sheet": 1}, {"other": "x"}, "cp1252"],
)  # fmt: skip
def test_a_model_file_cannot_say_how_to_read_what_is_no_text(style):
    with pytest.raises(InputError, match="file_style"):
        Training.from_dict({"file_style": style})


def test_all_columns_are_kept_and_two_are_added(exports, capsys):
    assert main(["predict", "m.wordplane", "june.csv", "--keep", "all", "-o", "out.csv"]) == 0
    with (exports / "out.csv").open(encoding="utf-8") as file:
        found = list(csv.DictReader(file))
    assert list(found[0]) == ["Nr", "Eingang", "Nachricht", "label", "probability"]
    assert [row["label"] for row in found[:4]] == ["Karte", "Geld", "Konto", ""]
    assert found[3] == {"Nr": "", "Eingang": "", "Nachricht": "", "label": "", "probability": ""}
    assert len(found) == 10 and found[0]["Eingang"] == "05.05.2024"
    assert main(["predict", "m.wordplane", "mai.csv", "--keep", "all", "--json"]) == 0
    first = json.loads(capsys.readouterr().out.splitlines()[0])
    assert list(first) == ["Nr", "Eingang", "Nachricht", "Kategorie", "label", "probability"]


def test_a_spreadsheet_in_and_a_spreadsheet_out(exports):
    assert main(["predict", "m.wordplane", "june.csv", "--keep", "all", "-o", "june.xlsx"]) == 0
    assert column_names("june.xlsx") == ["Nr", "Eingang", "Nachricht", "label", "probability"]
    assert main(["predict", "m.wordplane", "june.xlsx", "--keep", "Nr", "-o", "again.xlsx"]) == 0
    again = read("again.xlsx", text="Nr", labels=False, extra={"label": "kept"})
    assert again.extras["label"][:3] == ["Karte", "Geld", "Konto"]
    assert main(["train", "june.xlsx", "--skip-unlabeled", "-o", "x.wordplane"]) == 0
    assert main(["predict", "m.wordplane", "june.csv", "-o", "june.ods"]) == 2


def test_csv_for_excel(exports):
    command = ["predict", "m.wordplane", "june.csv", "--keep", "all", "--excel"]
    assert main([*command, "-o", "out.csv"]) == 0
    data = (exports / "out.csv").read_bytes()
    assert data.startswith("\ufeffNr;Eingang;Nachricht;label;probability\n".encode())
    assert "1060;05.05.2024;Kärtchen gesperrt seit 60 Tagen;Karte;" in data.decode()
    assert main([*command, "--delimiter", ";", "-o", "out.tsv"]) == 0
    assert main(["evaluate", "m.wordplane", "mai.csv", "--excel", "-o", "wrong.csv"]) == 0
    assert (exports / "wrong.csv").read_bytes().startswith("\ufeffrow;text;label;".encode())
    assert (exports / "wrong.csv").read_text().count("\n") == 1


@pytest.mark.parametrize(("point", "delimiter"), [(",", ";"), (".", ",")])
def test_the_delimiter_is_that_of_the_language(tmp_path, monkeypatch, point, delimiter):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(locale, "localeconv", lambda: {"decimal_point": point})
    lines = [f"good {i},x\nbad {i},y" for i in range(9)]
    (tmp_path / "a.csv").write_text("\n".join(["text,label", *lines]))
    assert main(["train", "a.csv", "-o", "m.wordplane"]) == 0
    (tmp_path / "b.txt").write_text("=good\n")
    assert main(["predict", "m.wordplane", "b.txt", "--excel", "-o", "o.csv"]) == 0
    assert (tmp_path / "o.csv").read_text().startswith(f"\ufeffid{delimiter}label{delimiter}")


def test_excel_reads_our_numbers_where_they_have_commas(exports):
    """Those that we add; columns of the user stay as they are, and so does CSV with commas."""
    command = ["predict", "m.wordplane", "x.csv", "--keep", "Nr", "--probabilities"]
    for delimiter, decimal in ((",", "."), (";", ",")):
        given = "Nr;Nachricht;Kategorie\n1.5;Rückzahlung;Karte\n".replace(";", delimiter)
        (exports / "x.csv").write_text(given, "utf-8")
        assert main([*command, "--excel", "--delimiter", delimiter, "-o", f"{decimal}.csv"]) == 0
        text = (exports / f"{decimal}.csv").read_text("utf-8-sig")
        (row,) = csv.DictReader(text.splitlines(), delimiter=delimiter)
        assert row["Nr"] == "1.5"
        numbers = [value for name, value in row.items() if name.startswith("probability")]
        assert len(numbers) == 4 and all(decimal in number for number in numbers)
        assert 0.9 < sum(float(number.replace(",", ".")) for number in numbers[1:]) < 1.1
    assert main(["evaluate", "m.wordplane", "x.csv", "--excel", "-o", "mistakes.csv"]) == 0
    (row,) = csv.DictReader(
        (exports / "mistakes.csv").read_text("utf-8-sig").splitlines(), delimiter=";"
    )
    assert "," in row["probability"]


def test_cells_that_excel_would_run_are_escaped(exports):
    (exports / "x.csv").write_text("Nr;Nachricht\n=1+1;Rückzahlung\n")
    command = ["predict", "m.wordplane", "x.csv", "--keep", "all"]
    assert main([*command, "--excel", "-o", "o.csv"]) == 0
    assert "'=1+1;Rückzahlung;" in (exports / "o.csv").read_text()


@pytest.mark.filterwarnings("default::UserWarning")
def test_long_cells_that_are_cut_are_noted(exports, capsys):
    (exports / "x.csv").write_text(f"Nr;Nachricht\n1;{'Rückzahlung ' * 4000}\n", "utf-8")
    command = ["predict", "m.wordplane", "x.csv", "--keep", "all"]
    for name, n in (("o.xlsx", 1), ("o.csv", 0)):
        assert main([*command, "-o", name]) == 0
        note = f"note: {name}: 1 cell was cut, since Excel holds 32,767 characters in each"
        assert capsys.readouterr().err.count(note) == n


def test_empty_texts_get_a_label_on_request(exports, capsys):
    (exports / "e.txt").write_text("Rückzahlung\n\n \n")
    assert main(["predict", "m.wordplane", "e.txt"]) == 0
    out, err = capsys.readouterr()
    assert [line.split(",")[1] for line in out.splitlines()[1:]] == ["Geld", "", ""]
    assert "note: empty texts get no label (--label-empty labels them)" in err
    assert main(["predict", "m.wordplane", "e.txt", "--label-empty"]) == 0
    out, err = capsys.readouterr()
    assert all(line.split(",")[1] in WORDS for line in out.splitlines()[1:])
    assert "get no label" not in err
    more = ["--probabilities", "--top-k", "2", "--explain", "2", "--json"]
    assert main(["predict", "m.wordplane", "e.txt", *more]) == 0
    row = json.loads(capsys.readouterr().out.splitlines()[1])
    assert row["label"] is row["probability"] is row["probability:Geld"] is None
    assert row["top_labels"] == row["words"] == []


def test_labels_only(exports, capsys):
    (exports / "e.txt").write_text("Rückzahlung\n\nKärtchen\n")
    assert main(["predict", "m.wordplane", "e.txt", "-o", "labels.txt"]) == 0
    assert (exports / "labels.txt").read_text() == "Geld\n\nKarte\n"
    capsys.readouterr()
    assert main(["predict", "m.wordplane", "e.txt", "--output-format", "lines"]) == 0
    assert capsys.readouterr().out == "Geld\n\nKarte\n"


def test_all_columns_of_what_has_none(exports, capsys):
    (exports / "e.txt").write_text("Rückzahlung\n")
    assert main(["predict", "m.wordplane", "e.txt", "--keep", "all"]) == 2
    assert "have no columns" in capsys.readouterr().err
    model = wordplane.load("m.wordplane")
    kept = wordplane.predict(model, {"Nachricht": ["Rückzahlung"], "n": [1]}, keep="all")
    assert list(kept) == ["Nachricht", "n", "label", "probability"] and kept["n"] == ["1"]


def test_lines_of_fasttext_are_recognized(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    words = ("bad", "good")
    lines = [f"__label__{'xy'[i % 2]} some {words[i % 2]} words {i}" for i in range(20)]
    (tmp_path / "train.txt").write_text("\n".join(lines))
    assert main(["train", "train.txt"]) == 0
    out, err = capsys.readouterr()
    assert "20 texts, 2 classes (x 10, y 10)" in out
    assert "train.txt: labels are words that begin with __label__ (fastText)" in err
    assert main(["predict", "train.wordplane", "train.txt", "-o", "labels.txt"]) == 0
    assert (tmp_path / "labels.txt").read_text().split() == ["x", "y"] * 10


def test_a_model_knows_what_stands_between_labels(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rows = [f"price of {i};price" for i in range(8)] + [f"sound {i};sound" for i in range(8)]
    rows += [f"price and sound {i};price|sound" for i in range(8)]
    (tmp_path / "t.csv").write_text("\n".join(["text;label", *rows]) + "\n")
    assert main("train t.csv --label-separator | -o m.wordplane --learner svm".split()) == 0
    assert wordplane.load("m.wordplane").training_.file_style["label_separator"] == "|"
    capsys.readouterr()
    assert main("evaluate m.wordplane t.csv".split()) == 0
    assert "measured  24 texts" in capsys.readouterr().out


def test_numbers_and_dates_of_a_spreadsheet_stay_numbers_and_dates(exports):
    given = [
        ["Nr", "Nachricht", "Eingang", "Betrag", "PLZ", "bezahlt"],
        [17.0, "Die Karte ist weg", date(2024, 5, 31), -12.5, "01234", True],
        [18.0, "Das Geld ist weg", datetime(2024, 6, 1, 12, 30), 1e15, "=1+1", False],
    ]
    with xlsxwriter.Workbook("july.xlsx") as book:
        sheet = book.add_worksheet()
        style = book.add_format({"num_format": "dd.mm.yyyy"})
        for row, cells in enumerate(given):
            for column, cell in enumerate(cells):
                if isinstance(cell, date):
                    sheet.write_datetime(row, column, cell, style)
                elif isinstance(cell, str):
                    sheet.write_string(row, column, cell)
                else:
                    sheet.write(row, column, cell)
    predict = ["predict", "m.wordplane", "july.xlsx", "--text", "Nachricht", "--keep", "all"]
    assert main([*predict, "-o", "labeled.xlsx"]) == 0
    found = CalamineWorkbook.from_path("labeled.xlsx").get_sheet_by_index(0).to_python()
    expected = [row[:5] for row in given]
    assert [row[:5] for row in found] == expected
    for name in ("labeled.csv", "labeled.parquet", "labeled.jsonl"):
        assert main([*predict, "--escape-formulas", "-o", name]) == 0
        again = read(name, text="Nachricht", labels=False, extra=dict.fromkeys(given[0], "kept"))
        assert again.extras["Betrag"] == ["-12.5", "1e+15"], name
        assert again.extras["Eingang"] == ["2024-05-31", "2024-06-01 12:30:00"]

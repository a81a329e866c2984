"""Plays the first hour with a spreadsheet: makes five messy exports, and runs every command of
docs/guide/spreadsheets.md on them, with the time that each takes. None may fail.

    python examples/first_hour.py FOLDER
"""

import csv
import io
import random
import re
import subprocess
import sys
import time
from datetime import date, datetime, timedelta
from pathlib import Path

import xlsxwriter

GUIDE = Path(__file__).resolve().parents[1] / "docs" / "guide" / "spreadsheets.md"
GERMAN = {
    "Karte": ["Meine Kärtchen wurden gesperrt", "Die neue Karte ist nicht angekommen",
              "Ich möchte eine größere Karte bestellen", "Karte am Automaten eingezogen"],
    "Überweisung": ["Die Überweisung ist nicht gebucht", "Falscher Empfänger bei der Überweisung",
                    "Wie lange dauert eine Überweisung", "Überweisung doppelt ausgeführt"],
    "Gebühren": ["Die Gebühren sind zu hoch", "Für das Konto wurden Gebühren abgezogen",
                 "Warum zahle ich plötzlich Gebühren", "Gebühren bitte zurückerstatten"],
}  # fmt: skip
GREETINGS = ["Guten Tag", "Schöne Grüße", "Mit freundlichen Grüßen", "Bitte um Rückruf", "Hallo"]
FRENCH = {
    "positif": ["très bon séjour, équipe agréable", "repas délicieux et décoration soignée"],
    "négatif": ["chambre très bruyante, déçu", "accueil désagréable et repas mauvais"],
}
RUSSIAN = {
    "хорошо": ["отличный товар, всем советую", "быстрая доставка, очень доволен"],
    "плохо": ["ужасное качество, верните деньги", "товар пришёл сломанный, не советую"],
}
ENGLISH = {
    "refund": ["please refund my order", "I want my money back"],
    "delivery": ["where is my parcel", "the package has not arrived"],
    "product": ["the zip is broken", "it does not work at all"],
}
JAPANESE = {
    "良い": ["部屋がとても綺麗でした", "朝食が美味しかったです"],
    "悪い": ["部屋が汚くて残念でした", "対応がとても悪かったです"],
}


def sentences(texts, n, rng):
    """Labels and texts, no two alike."""
    labels = list(texts)
    for i in range(n):
        label = labels[i % len(labels)]
        yield label, f"{rng.choice(texts[label])} ({i})"


def table(rows, delimiter):
    file = io.StringIO()
    csv.writer(file, delimiter=delimiter).writerows(rows)
    return file.getvalue()


def tickets(n, first, rng, labels=True):
    """Rows of a German ticket system, with fewer agents than categories."""
    for i, (label, text) in enumerate(sentences(GERMAN, n, rng), first):
        day = (date(2024, 5, 1) + timedelta(days=i % 28)).strftime("%d.%m.%Y")
        message = f"{rng.choice(GREETINGS)}, {text.replace('(', f'{i}; (')}"
        row = [1000 + i, day, f"Anfrage {i}", message]
        yield [*row, label, f"Frau {'AB'[i % 2]}"] if labels else row


def make_exports(folder):
    """Write the files that the guide names."""
    rng = random.Random(0)
    head = ["Ticket-Nr", "Eingang", "Betreff", "Nachricht", "Kategorie", "Bearbeiter"]
    may = list(tickets(180, 0, rng))
    may += may[:6]  # exported twice
    may[20][4] = "Karte" if may[20][4] != "Karte" else "Gebühren"  # a wrong label
    blank = [[""] * 6] * 5
    title = [["Ticketexport Mai 2024", *[""] * 5], [""] * 6]
    text = table([*title, head, *may, *blank], ";")
    (folder / "tickets-may.csv").write_bytes(text.encode("cp1252"))
    test = list(tickets(60, 500, rng))
    for row in test[:12:4]:  # somebody was careless
        row[4] = "Karte" if row[4] != "Karte" else "Gebühren"
    text = table([head, *test], ";")
    (folder / "tickets-test.csv").write_bytes(text.encode("cp1252"))
    june = list(tickets(40, 700, rng, labels=False))
    june.insert(10, [""] * 4)
    (folder / "tickets-june.csv").write_bytes(table([head[:4], *june], ";").encode("cp1252"))
    rows = [[f"{i:03}", text, label] for i, (label, text) in enumerate(sentences(FRENCH, 80, rng))]
    text = table([["Numéro", "Commentaire", "Catégorie"], *rows], "\t")
    (folder / "avis.csv").write_bytes(text.encode("utf-16"))
    rows = [[label, text] for label, text in sentences(RUSSIAN, 80, rng)]
    text = table([["Тональность", "Отзыв"], *rows], ";")
    (folder / "otzyvy.csv").write_bytes(text.encode("cp1251"))
    rows = [[i, text, label, "EU" if i % 2 else "US"]
            for i, (label, text) in enumerate(sentences(ENGLISH, 90, rng))]  # fmt: skip
    text = "sep=,\r\n" + table([["order", "message", "category", "region"], *rows], ",")
    (folder / "orders.csv").write_bytes(text.encode("utf-8-sig"))
    make_workbook(folder / "hotel.xlsx", rng)


def make_workbook(path, rng):
    """A title, a table with dates and merged cells, and another sheet."""
    book = xlsxwriter.Workbook(str(path))
    sheet, day = book.add_worksheet("レビュー"), book.add_format({"num_format": "yyyy/mm/dd"})
    sheet.write(0, 0, "ホテルのレビュー 2024年")
    sheet.write_row(2, 0, ["日付", "ホテル", "コメント", "分類"])
    rows = list(sentences(JAPANESE, 60, rng))
    for row, (label, text) in enumerate(rows, 3):
        sheet.write_datetime(row, 0, datetime(2024, 5, 1 + row % 28), day)
        sheet.write_row(row, 2, [text, label])
    for row in range(3, 3 + len(rows), 10):
        sheet.merge_range(row, 1, row + 9, 1, f"ホテル{row}")
    book.add_worksheet("集計").write_row(0, 0, ["分類", "件数"])
    book.close()


def commands():
    """The commands of the guide, in order."""
    blocks = re.findall(r"```console\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
    return [line.split() for block in blocks for line in block.splitlines()]


def main(folder):
    """Run all of them; returns what each printed."""
    folder.mkdir(parents=True, exist_ok=True)
    make_exports(folder)
    printed = {}
    for command in commands():
        began = time.perf_counter()
        words = [sys.executable, "-m", *command]
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True)
        name = " ".join(command)
        print(f"{time.perf_counter() - began:6.1f} s  {name}", flush=True)
        printed[name] = done.stdout + done.stderr
        if done.returncode != 0:
            raise SystemExit(f"exit code {done.returncode}:\n{printed[name]}")
    return printed


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    for output in main(Path(sys.argv[1])).values():
        print(f"\n{output.rstrip()}")

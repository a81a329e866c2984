"""The first hour with a spreadsheet, as the guide has it: no command fails."""

import importlib.util
import time
from pathlib import Path

import pytest

from wordplane.data.read import read

SCRIPT = Path(__file__).resolve().parents[1] / "examples" / "first_hour.py"


@pytest.mark.slow
def test_every_command_of_the_guide(tmp_path):
    spec = importlib.util.spec_from_file_location("first_hour", SCRIPT)
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    began = time.monotonic()
    printed = script.main(tmp_path)
    assert time.monotonic() - began < 600
    assert len(printed) >= 13
    trained = printed["wordplane train tickets-may.csv -o tickets.wordplane"]
    assert "186 texts, 3 classes (Karte 63, Überweisung 62, Gebühren 61)" in trained
    assert "read as cp1252 ('" in trained and "skipped 5 empty rows" in trained
    assert "left out 2 lines before the header ('Ticketexport Mai 2024')" in trained
    assert "2 classes (négatif 40, positif 40)" in printed["wordplane train avis.csv"]
    assert "2 classes (плохо 40, хорошо 40)" in printed["wordplane train otzyvy.csv"]
    assert "3 classes (delivery 30, product 30, refund 30)" in printed["wordplane train orders.csv"]
    hotel = printed["wordplane train hotel.xlsx"]
    assert "2 classes (悪い 30, 良い 30)" in hotel and "sheet 'レビュー'" in hotel
    fixed = printed["wordplane audit tickets-may.csv --fix clean.csv --yes"]
    assert "wrote 180 rows to clean.csv" in fixed
    tested = "wordplane evaluate tickets.wordplane tickets-test.csv -o mistakes.xlsx"
    assert "wrote 3 mistakes to mistakes.xlsx" in printed[tested]
    june = read(tmp_path / "june.xlsx", text="Nachricht", labels=False, extra={"label": "kept"})
    labels = list(june.extras["label"])
    assert len(labels) == 41 and labels[10] == ""
    assert set(labels) == {"", "Karte", "Überweisung", "Gebühren"}
    assert (tmp_path / "june.csv").read_bytes().startswith("\ufeffTicket-Nr;Eingang;".encode())
    assert (tmp_path / "labels.txt").read_text().splitlines() == labels

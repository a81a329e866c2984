"""A small file of reviews, and a model of them."""

import csv

import pytest

from wordplane.cli import main

ROWS = [
    ("a great film", "pos"), ("great fun", "pos"), ("really great, great cast", "pos"),
    ("fun and great", "pos"), ("a dull film", "neg"), ("dull, long", "neg"),
    ("really dull, poor cast", "neg"), ("long and dull", "neg"),
]  # fmt: skip


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def data(here):
    with (here / "reviews.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("text", "label"), *ROWS])
    return "reviews.csv"


@pytest.fixture
def model(data):
    assert main(["train", data, "-o", "m.wordplane", "--json"]) == 0
    return "m.wordplane"


@pytest.fixture
def two_texts(here):
    """A model of `title` and `verdict`, where `body` and `label` would be guessed."""
    label = {"pos": "good", "neg": "bad"}
    rows = [f"{i % 2},{t.replace(',', '')},none of it,{label[y]}" for i, (t, y) in enumerate(ROWS)]
    (here / "d.csv").write_text("\n".join(["label,title,body,verdict", *rows]))
    columns = ["--text", "title", "--label", "verdict"]
    assert main(["train", "d.csv", *columns, "-o", "m.wordplane", "--json"]) == 0
    return "m.wordplane"

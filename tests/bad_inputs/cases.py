"""What a kind of bad input is made of: files in a folder, and how they are read."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

GOOD = [("good film", "a"), ("bad film", "b")] * 4  # rows that nothing is wrong with
N_GOOD = len(GOOD)


@dataclass
class Case:
    """What is given to a verb.

    source   a file, or what is given in its place
    n_rows   the rows that are in it
    options  how it is read, as `wordplane.read` takes it
    n_texts  the rows that `predict` reads, which needs no labels: by default the same
    n_read   the rows that `read` reads, which does not require labels: by default the same
    """

    source: str
    n_rows: int
    options: dict = field(default_factory=dict)
    n_texts: int | None = None
    n_read: int | None = None

    def __post_init__(self):
        if self.n_read is None:
            self.n_read = self.n_rows
        if self.n_texts is None:
            self.n_texts = self.n_rows


Builder = Callable[[Path], Case]


def file(name: str, content: str | bytes, n_rows: int, **options) -> Builder:
    """One file of its own."""

    def build(folder: Path) -> Case:
        data = content.encode() if isinstance(content, str) else content
        (folder / name).write_bytes(data)
        return Case(name, n_rows, options)

    return build


def given(source: str, n_rows: int = 0, **options) -> Builder:
    """Nothing is made."""
    return lambda folder: Case(source, n_rows, options)


def made(source: str, make: Callable[[Path], object], n_rows: int = 0, **options) -> Builder:
    """Whatever `make` puts into the folder."""

    def build(folder: Path) -> Case:
        make(folder)
        return Case(source, n_rows, options)

    return build


def more_texts(build: Builder) -> Builder:
    """The same, of which `predict` reads one row more."""
    return lambda folder: replace(case := build(folder), n_texts=case.n_rows + 1)


def unlabeled(build: Builder) -> Builder:
    """The same, of which all read one row more that do not need labels."""
    return lambda folder: replace(
        case := build(folder), n_texts=case.n_rows + 1, n_read=case.n_rows + 1
    )


def csv(*lines: str, header: str = "text,label", more: int | None = None, **options) -> Builder:
    """Good rows and then these lines; `more` of them are rows (by default, each is one)."""
    good = [f"{text},{label}" + "," * (header.count(",") - 1) for text, label in GOOD]
    n_rows = N_GOOD + (len(lines) if more is None else more)
    return file("x.csv", "\n".join([header, *good, *lines]) + "\n", n_rows, **options)


def jsonl(*lines: str | dict, more: int | None = None, **options) -> Builder:
    """The same as objects."""
    good = [{"text": text, "label": label} for text, label in GOOD]
    written = [one if isinstance(one, str) else json.dumps(one) for one in [*good, *lines]]
    n_rows = N_GOOD + (len(lines) if more is None else more)
    return file("x.jsonl", "\n".join(written) + "\n", n_rows, **options)


def labels(*values: object) -> Builder:
    """A JSONL file of these labels, ten texts of each."""
    rows = [{"text": f"text {i} of it", "label": value} for i in range(10) for value in values]
    return file("x.jsonl", "\n".join(map(json.dumps, rows)) + "\n", len(rows))


def parquet(columns: Callable[[], dict], n_rows: int, name: str = "x.parquet", **options):
    """A frame of polars, written as the name says."""

    def make(folder: Path) -> None:
        import polars as pl

        frame = pl.DataFrame(columns())
        path = folder / name
        (frame.write_parquet if name.endswith("parquet") else frame.write_ipc)(path)

    return made(name, make, n_rows, **options)

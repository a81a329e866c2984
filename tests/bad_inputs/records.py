"""JSON lines, Parquet and Arrow."""

import datetime
import json
from decimal import Decimal

from tests.bad_inputs.cases import GOOD, N_GOOD, file, jsonl, labels, made, parquet

TEXTS = [text for text, _ in GOOD]
LABELS = [label for _, label in GOOD]


def row(text: str = '"film"', label: str = '"a"', more: str = "") -> str:
    return f'{{"text": {text}, "label": {label}{more}}}'


def objects(*rows: dict):
    return file("x.jsonl", "".join(json.dumps(one) + "\n" for one in rows), len(rows))


JSON = {
    "an array in place of lines": file("x.jsonl", '[{"text": "a", "label": "b"}]\n', 0),
    "an object over several lines": file("x.jsonl", json.dumps({"text": "a"}, indent=1), 0),
    "a line that is a number": jsonl("12"),
    "a line that is a string": jsonl('"film"'),
    "a line that is null": jsonl("null"),
    "a line that is a list": jsonl("[1, 2]"),
    "a line that is a list, left out": jsonl("[1, 2]", more=0, skip_bad=True),
    "a line cut short": jsonl('{"text": "fil'),
    "two objects in a line": jsonl(row() + row()),
    "a comma after the last value": jsonl('{"text": "film", "label": "a",}'),
    "single quotes": jsonl("{'text': 'film', 'label': 'a'}"),
    "a comment": jsonl("// comment"),
    "names without quotes": jsonl('{text: "film"}'),
    "a line break inside a string": jsonl('{"text": "two', 'lines", "label": "a"}'),
    "empty lines between objects": jsonl("", row(), "", more=1),
    "a name twice in an object": jsonl(row(more=', "label": "b"')),
    "NaN as a value": jsonl(row(more=', "x": NaN')),
    "a number of 5,000 digits": jsonl(row(more=f', "x": {"9" * 5000}')),
    "a number of 1e999": jsonl(row(more=', "x": 1e999')),
    "brackets a hundred thousand deep": jsonl(row(more=f', "x": {"[" * 100_000}{"]" * 100_000}')),
    "half of an emoji": jsonl(row('"good \\ud83d"')),
    "half of an emoji in a label": jsonl(row(label='"\\ud83d"')),
    "an escaped zero": jsonl(row('"a \\u0000 b"')),
    "a raw tab in a string": jsonl(row('"a \t b"')),
    "an object without the text": jsonl({"label": "a"}),
    "an object without the label": jsonl({"text": "film"}),
    "an empty object": jsonl({}),
    "a text that is null": jsonl(row("null")),
    "a text that is a number": jsonl(row("12")),
    "a text that is a list": jsonl(row('["a", "b"]')),
    "a text that is an object": jsonl(row('{"a": "b"}')),
    "a text that is true": jsonl(row("true")),
    "a text that is a number, left out": jsonl(row("12"), more=0, skip_bad=True),
    "a new name in every row": objects(
        *({"text": t, "label": one, f"k{i}": 1} for i, (t, one) in enumerate(GOOD))
    ),
    "an empty name": jsonl(row(more=', "": 1')),
    "names that differ in case": jsonl(row(more=', "Text": "other"')),
    "objects in objects": objects(*({"data": {"text": t}, "label": one} for t, one in GOOD)),
    "UTF-8 with a mark, in JSON lines": file("x.jsonl", "\ufeff" + (row() + "\n") * 2
                                           + (row(label='"b"') + "\n") * 2, 4),
}  # fmt: skip

TYPES = {
    "integers": labels(0, 1),
    "booleans": labels(True, False),
    "whole floats": labels(0.0, 1.0),
    "floats": labels(0.5, 1.5),
    "floats, one of them NaN": labels(0.0, 1.0, float("nan")),
    "strings and integers": labels("a", 1),
    "booleans and integers": labels(True, 0),
    "integers of more than 64 bits": labels(2**70, 1),
    "negative integers": labels(-1, 1),
    "objects": labels({"a": 1}, {"b": 2}),
    "lists of one label": labels(["a"], ["b"]),
    "lists of several labels": labels(["a", "b"], ["b"], ["c"]),
    "lists, some empty": labels(["a"], ["b"], []),
    "empty lists alone": labels([], []),
    "lists and strings": labels(["a", "b"], "c"),
    "lists in lists": labels([["a"]], [["b"]]),
    "lists of strings and integers": labels(["a", 1], ["b"]),
    "lists with null": labels(["a", None], ["b", "c"]),
    "lists with a label twice": labels(["a", "a"], ["b", "c"]),
    "lists of one label, which is null": labels(["a"], ["b"], [None]),
    "null among strings": labels("a", "b", None),
    "null alone": labels(None, None),
    "empty strings among strings": labels("a", "b", ""),
}


def arrow_stream(folder):
    import polars as pl

    pl.DataFrame({"text": TEXTS, "label": LABELS}).write_ipc_stream(folder / "x.arrows")


def cut(folder):
    import polars as pl

    pl.DataFrame({"text": TEXTS, "label": LABELS}).write_parquet(folder / "x.parquet")
    data = (folder / "x.parquet").read_bytes()
    (folder / "x.parquet").write_bytes(data[: len(data) // 2])


def frame(**columns):
    return parquet(lambda: {"text": TEXTS, "label": LABELS, **columns}, N_GOOD)


def typed(name: str, values: list, kind: str):
    """A frame with one column of a type that Python values do not tell."""

    def columns():
        import polars as pl

        return {"text": TEXTS, "label": LABELS, name: pl.Series(values, dtype=getattr(pl, kind))}

    return parquet(columns, N_GOOD)


COLUMNAR = {
    "bytes that are not Parquet": file("x.parquet", b"text,label\n" * 20, 0),
    "a Parquet file cut short": made("x.parquet", cut),
    "bytes that are not Arrow": file("x.arrow", b"text,label\n" * 20, 0),
    "an Arrow file called .parquet": parquet(
        lambda: {"text": TEXTS, "label": LABELS}, 0, "x.arrow", format="parquet"
    ),
    "an Arrow stream": made("x.arrows", arrow_stream, N_GOOD),
    "Parquet without rows": parquet(lambda: {"text": [], "label": []}, 0),
    "Parquet without columns": parquet(dict, 0),
    "a column of texts that holds integers": frame(text=list(range(8))),
    "a column of texts that holds bytes": frame(text=[b"good"] * 8),
    "a column of texts that holds lists": frame(text=[["a"]] * 8),
    "texts that are null": frame(text=[*TEXTS[:7], None]),
    "texts that are all null": frame(text=[None] * 8),
    "texts as categories": typed("text", TEXTS, "Categorical"),
    "labels as categories": typed("label", LABELS, "Categorical"),
    "labels that are null": frame(label=[*LABELS[:7], None]),
    "labels that are all null": frame(label=[None] * 8),
    "labels as whole floats": frame(label=[0.0, 1.0] * 4),
    "labels as floats": frame(label=[0.5, 1.5] * 4),
    "labels as unsigned integers": typed("label", [2**63 + 1, 1] * 4, "UInt64"),
    "labels as decimals": frame(label=[Decimal("1.5"), Decimal("2.5")] * 4),
    "labels as dates": frame(label=[datetime.date(2024, 1, 1), datetime.date(2024, 1, 2)] * 4),
    "labels as bytes": frame(label=[b"a", b"b"] * 4),
    "labels as records": frame(label=[{"x": "a"}, {"x": "b"}] * 4),
    "labels as lists": frame(label=[["a"], ["b", "c"]] * 4),
    "labels as lists with null": frame(label=[["a"], ["b", None]] * 4),
    "weights that are null": frame(weight=[1.0] * 7 + [None]),
    "weights that are infinite": frame(weight=[1.0] * 7 + [float("inf")]),
    "ids that are integers": frame(id=list(range(8))),
    "ids that are null": frame(id=[None, *"abcdefg"]),
    "a split that is null": frame(split=["train"] * 7 + [None]),
    "a column of records that is not needed": frame(x=[{"a": 1}] * 8),
}

"""Files of random rows are read back unchanged, whole and in batches."""

import csv
import gzip
import io
import json
import tempfile
from pathlib import Path

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from tests.data.reading import rows
from wordplane.data.read import read, read_batches

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
LABEL = TEXT.map(str.strip).filter(bool)
BATCH = st.integers(1, 8)
ROWS = st.lists(st.tuples(TEXT, LABEL, TEXT), min_size=1, max_size=20)


def check_round_trip(name, data, expected, batch_size, **options):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        path.write_bytes(data)
        whole = read(path, **options)
        batches = list(read_batches(path, batch_size=batch_size, **options))
    assert rows(whole) == expected
    assert [len(batch) for batch in batches[:-1]] == [batch_size] * (len(batches) - 1)
    assert [text for batch in batches for text in batch.texts] == expected[0]
    for batched, column in ("labels", 1), ("ids", 2):
        if expected[column] is not None:
            values = [value for b in batches for value in getattr(b, batched) or [None] * len(b)]
            assert values == expected[column]


@given(ROWS, BATCH, st.sampled_from(",;\t|"), st.booleans())
def test_csv_round_trip(table, batch_size, delimiter, bom):
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter)
    writer.writerows([("text", "label", "id"), *table])
    data = out.getvalue().encode("utf-8-sig" if bom else "utf-8")
    check_round_trip("a.csv", data, tuple(map(list, zip(*table, strict=True))), batch_size)


@given(ROWS, BATCH)
def test_tsv_round_trip_in_another_encoding(table, batch_size):
    out = io.StringIO()
    csv.writer(out, delimiter="\t").writerows([("text", "label", "id"), *table])
    expected = tuple(map(list, zip(*table, strict=True)))
    data = out.getvalue().encode("utf-16")
    check_round_trip("a.tsv", data, expected, batch_size, encoding="utf-16")


@given(
    st.lists(st.tuples(TEXT, TEXT), min_size=1, max_size=20),
    st.sampled_from([LABEL, st.integers(-(2**63) + 1, 2**63 - 1), st.booleans()]),
    st.data(),
    st.booleans(),
    BATCH,
)
def test_jsonl_round_trip(table, label, data, ascii_only, batch_size):
    labels = [data.draw(label) for _ in table]
    lines = [
        json.dumps({"text": text, "label": label, "id": id}, ensure_ascii=ascii_only)
        for (text, id), label in zip(table, labels, strict=True)
    ]
    expected = [text for text, _ in table], labels, [id for _, id in table]
    check_round_trip("a.ndjson", "\n".join(lines).encode(), expected, batch_size)


@given(
    st.lists(st.tuples(st.none() | TEXT, st.integers(-5, 5), TEXT), min_size=1, max_size=20),
    BATCH,
    st.integers(1, 5),
)
def test_parquet_round_trip(table, batch_size, row_group_size):
    frame = pl.DataFrame(
        table, schema={"text": pl.String, "label": pl.Int8, "id": pl.String}, orient="row"
    )
    out = io.BytesIO()
    frame.write_parquet(out, row_group_size=row_group_size)
    texts, labels, ids = map(list, zip(*table, strict=True))
    expected = [text or "" for text in texts], labels, ids
    check_round_trip("a.parquet", out.getvalue(), expected, batch_size)


LINE = TEXT.map(lambda text: text.replace("\n", " ").replace("\ufeff", " ").rstrip("\r"))


@given(st.lists(LINE, min_size=1, max_size=20), st.sampled_from(["\n", "\r\n"]), BATCH)
def test_lines_round_trip(lines, end, batch_size):
    data = "".join(line + end for line in lines).encode()
    check_round_trip("a.txt", data, (lines, None, None), batch_size)
    check_round_trip("a.txt.gz", gzip.compress(data), (lines, None, None), batch_size)
    wide = "".join(line + end for line in lines).encode("utf-16")
    check_round_trip("a.txt", wide, (lines, None, None), batch_size, encoding="utf-16")

"""Tests of wordplane.data.compression: compressed files."""

import bz2
import gzip
import io
import lzma
import random
import sys
import zipfile

import pytest
from backports import zstd

from tests.data.reading import refusal
from wordplane._core import Texts
from wordplane.common.errors import InputError
from wordplane.common.memory import EXPANSION
from wordplane.data.compression import FREE_BYTES, NAMES
from wordplane.data.corpus import Corpus
from wordplane.data.read import read, read_batches
from wordplane.data.write import choose_format
from wordplane.data.write import write as write_corpus

TABLE = b"text,label\na b,x\nc d,y\n"


def zipped(members):
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return made.getvalue()


PACK = {"bz2": bz2.compress, "xz": lzma.compress, "zip": lambda data: zipped({"a.csv": data})}


def test_every_compression_has_an_expansion():
    assert EXPANSION.keys() == NAMES.keys()


def test_gz(write):
    write("a.csv.gz", gzip.compress(b"text,label\na,x\n"))
    write("a.JSONL.GZ", gzip.compress(b'{"text": "b"}\n'))
    assert list(read("a.csv.gz").texts) == ["a"]
    assert list(read("a.JSONL.GZ").texts) == ["b"]


def test_gz_damaged(write):
    # noise, so that there is something to damage in the middle
    text = "".join(random.Random(0).choices("abcdefghij\n", k=5000))
    data = gzip.compress(text.encode())
    broken = bytearray(data)
    broken[len(data) // 2] ^= 0xFF
    for damaged in data[:-9], bytes(broken), b"not gzip":
        message = refusal(write("a.txt.gz", damaged))
        assert message.startswith("a.txt.gz: the gzip data is damaged or cut short")
        assert refusal(write("a.csv.gz", damaged)).startswith("a.csv.gz: ")


def test_zst_of_several_frames(write):
    data = zstd.compress(b"one\n") + zstd.compress(b"two\n")
    assert list(read(write("a.txt.zst", data)).texts) == ["one", "two"]


@pytest.mark.parametrize("cut", [slice(0, -3), slice(5, None), slice(0, 0)])
def test_damaged_zst(write, cut):
    data = zstd.compress(b"text,label\na,b\n" * 1_000)
    message = refusal(write("a.csv.zst", data[cut]))
    assert message.startswith("a.csv.zst") and ("damaged" in message or "no rows" in message)


def test_zst_without_its_library(write, monkeypatch):
    monkeypatch.setitem(sys.modules, "backports", None)
    monkeypatch.setitem(sys.modules, "compression", None)
    assert "pip install '.[zst]'" in refusal(write("a.txt.zst", b""))


@pytest.mark.parametrize("ending", PACK)
def test_other_compressions(write, ending):
    name = write(f"a.csv.{ending}", PACK[ending](TABLE))
    assert list(read(name, require_label=True).texts) == ["a b", "c d"]
    (batch,) = read_batches(name)
    assert batch.labels == ["x", "y"]


@pytest.mark.parametrize("ending", PACK)
def test_damage_of_other_compressions(write, ending):
    what = {"bz2": "bzip2"}.get(ending, ending)
    text = "".join(random.Random(0).choices("abcdefghij\n", k=5000))
    data = PACK[ending](f"text,label\n{text}".encode())
    broken = bytearray(data)
    broken[len(data) // 2] ^= 0xFF
    for damaged in data[:-20], bytes(broken), b"not compressed":
        message = refusal(write(f"a.csv.{ending}", damaged))
        assert f"a.csv.{ending}: the {what} data is damaged or cut short" in message


@pytest.mark.parametrize("ending", PACK)
def test_what_expands_without_measure_is_refused(write, ending):
    name = write(f"a.txt.{ending}", PACK[ending](bytes(FREE_BYTES + (1 << 25))))
    if ending == "zip":
        name = write(name, zipped({"a.txt": bytes(FREE_BYTES + (1 << 25))}))
    assert "expands to more than 100 times its size" in refusal(name)


def test_missing_files_of_other_compressions(write):
    for ending in PACK:
        assert "no such file" in refusal(f"none.csv.{ending}")


def test_a_zip_file_is_read_by_the_name_in_it(write):
    jsonl = b'{"text": "a b"}\n{"text": "c d"}\n'
    aside = {"__MACOSX/._b.jsonl": b"x", "data/README.txt": b"x", "LICENSE": b"x"}
    name = write("a.zip", zipped({"data/b.jsonl": jsonl, **aside}))
    assert list(read(name).texts) == ["a b", "c d"]
    name = write("b.zip", zipped({"b.unknown": jsonl}))
    assert "the extension '.unknown' is not that of a known format" in refusal(name)
    assert list(read(name, format="jsonl").texts) == ["a b", "c d"]


def test_a_zip_file_of_several_files_is_refused_by_name(write):
    name = write("a.zip", zipped({"train.csv": TABLE, "test.csv": TABLE}))
    assert refusal(name) == "a.zip: holds train.csv, test.csv; expected one file: unpack it"
    name = write("a.zip", zipped({f"{n}.csv": TABLE for n in range(5)}))
    assert "holds 0.csv, 1.csv, 2.csv, 3.csv ...; expected one" in refusal(name)
    assert "holds no file; expected one" in refusal(write("a.zip", zipped({})))


def test_an_encrypted_zip_file(write):
    data = bytearray(zipped({"a.csv": TABLE}))
    for mark, at in (b"PK\3\4", 6), (b"PK\1\2", 8):
        data[data.index(mark) + at] |= 1
    assert "encrypted" in refusal(write("a.csv.zip", bytes(data)))


def test_a_zip_file_with_a_damaged_name(write):
    data = zipped({"ä.csv": TABLE}).replace("ä".encode(), b"\xff\xff")
    assert "the zip data is damaged" in refusal(write("a.csv.zip", data))


@pytest.mark.parametrize("ending", ["bz2", "xz"])
def test_other_compressions_are_written(write, ending):
    name = write(f"a.csv.{ending}", b"")
    write_corpus(Corpus(Texts(["a b"])), name, "csv")
    assert list(read(name).texts) == ["a b"]


def test_zip_is_not_written(write):
    for write_to in (
        lambda: choose_format("a.csv.zip", None, ("csv",)),
        lambda: write_corpus(Corpus(Texts(["a b"])), "a.csv.zip", "csv"),
    ):
        with pytest.raises(InputError, match=r"\.zip files are read, not written; let the name"):
            write_to()

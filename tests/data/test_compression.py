"""Tests of wordplane.data.compression: .gz and .zst."""

import gzip
import random
import sys

import pytest
from backports import zstd

from tests.data.reading import refusal
from wordplane.data.read import read


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

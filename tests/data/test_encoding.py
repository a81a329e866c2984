"""Tests of wordplane.data.encoding: encodings, and bytes that do not decode."""

import gzip

import pytest

from tests.data.reading import refusal
from wordplane.common.errors import InputError
from wordplane.data.read import read, read_batches


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"a\nb\nc\xe9d\n", "row 3: byte 0xe9 at offset 5 is not UTF-8; the file may be in latin-1 "
         "or cp1252: try `encoding=\"cp1252\"`"),
        (b"a\nb\nc\xe9\x93\n", "row 3: byte 0xe9 at offset 5 is not UTF-8; the file may be in "
         "cp1252: try `encoding=\"cp1252\"`"),
        (b"\xef\xbb\xbfa\n\x90\xe9\n", "row 2: byte 0x90 at offset 5 is not UTF-8; the file may be "
         "in latin-1: try `encoding=\"latin-1\"`"),
        ("ab\näbcdef\n".encode("utf-16-le"), "row 1: 10 of the first 20 bytes are zero; the file "
         "may be in UTF-16: try `encoding=\"utf-16-le\"`"),
        ("ab\näbcdef\n".encode("utf-16-be"), "row 1: 10 of the first 20 bytes are zero; the file "
         "may be in UTF-16: try `encoding=\"utf-16-be\"`"),
        ("abcdef\n".encode("utf-32-be"), "row 1: 21 of the first 28 bytes are zero; the file "
         "may be in UTF-32: try `encoding=\"utf-32-be\"`"),
        # in UTF-8, so not to be counted among the bytes that speak for an encoding
        ("“quoted”\n".encode() + b"\xe9\n", "row 2: byte 0xe9 at offset 13 is not UTF-8; the file "
         "may be in latin-1 or cp1252: try `encoding=\"cp1252\"`"),
    ],
)  # fmt: skip
def test_bad_bytes_are_named(write, data, message):
    assert refusal(write("a.txt", data)) == f"a.txt, {message}"
    with pytest.raises(InputError) as error:
        list(read_batches("a.txt", batch_size=1))
    assert str(error.value) == f"a.txt, {message}"


def test_bad_bytes_in_records(write):
    tail = 'is not UTF-8; the file may be in latin-1 or cp1252: try `encoding="cp1252"`'
    name = write("a.csv", 'text,label\n"é\n",y\n'.encode() + b"caf\xe9,x\n")
    assert refusal(name) == f"a.csv, row 2 (line 4): byte 0xe9 at offset 22 {tail}"
    name = write("a.csv", b"text,label,pr\xe9nom\na,b,c\n")
    assert refusal(name) == f"a.csv, header: byte 0xe9 at offset 13 {tail}"
    assert refusal(name, header=False) == f"a.csv, row 1: byte 0xe9 at offset 13 {tail}"
    name = write("a.jsonl", b'{"text": "a"}\n\n{"text": "\xe9"}\n')
    assert refusal(name) == f"a.jsonl, row 2 (line 3): byte 0xe9 at offset 25 {tail}"


def test_other_encodings(write):
    assert list(read(write("a.txt", b"\x93caf\xe9\x94\n"), encoding="cp1252").texts) == ["“café”"]
    assert list(read(write("a.txt", "日本\n".encode("shift_jis")), encoding="sjis").texts) == [
        "日本"
    ]
    bom = write("a.txt", b"\xef\xbb\xbfa\n")
    assert list(read(bom, encoding="utf-8-sig").texts) == list(read(bom).texts) == ["a"]
    message = refusal(write("a.txt", b"ab\n\x81\n"), encoding="cp1252")
    assert message == (
        "a.txt, row 2: byte 0x81 at offset 3 is not cp1252; pass the right `encoding`"
    )
    message = refusal(write("a.txt", "a\nb\n".encode("utf-16")[:-1]), encoding="utf-16")
    assert message.startswith("a.txt, row 2: here or later: not utf-16 (")
    message = refusal(write("a.txt", b"a\n+2AA-\n"), encoding="utf-7")
    assert message == "a.txt, row 2: utf-7 text with a lone surrogate"


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-be", "utf-32"])
def test_a_byte_order_mark_is_honored(write, stdin, encoding):
    def marked(text):
        return ("\ufeff" * (encoding == "utf-16-be") + text).encode(encoding)

    files = {
        "a.txt": "é\n日\n",
        "a.csv": "text,label\né,x\n日,y\n",
        "a.tsv": "text\tlabel\r\né\tx\r\n日\ty\r\n",
        "a.jsonl": '{"text": "é", "label": "x"}\n{"text": "日", "label": "y"}\n',
        "a.ft": "__label__x é\n__label__y 日\n",
    }
    for name, text in files.items():
        assert list(read(write(name, marked(text))).texts) == ["é", "日"]
        assert list(read(write(f"{name}.gz", gzip.compress(marked(text)))).texts) == ["é", "日"]
        (batch,) = read_batches(name)
        assert list(batch.texts) == ["é", "日"]
        stdin(marked(text))
        format = {"txt": "lines", "ft": "fasttext"}.get(name[2:], name[2:])
        assert list(read("-", format=format).texts) == ["é", "日"]
    write("folder/x/1", marked("é"))
    assert list(read("folder").texts) == ["é"]


@pytest.mark.parametrize("encoding", ["utf-9", "base64", "a\0b"])
def test_an_encoding_that_does_not_exist(write, encoding):
    assert "is not a text encoding that Python knows" in refusal(
        write("a.txt", "a"), encoding=encoding
    )


@pytest.mark.parametrize("name", ["a.ft", "a.vw", "a.svmlight"])
def test_bytes_that_are_not_utf8(write, name):
    row = {"a.ft": b"__label__x ", "a.vw": b"x | ", "a.svmlight": b"1 # "}[name]
    found = refusal(write(name, row + b"a\n" + row + b"caf\xe9\n"))
    assert found.startswith(f"{name}, row 2")
    assert "is not UTF-8; the file may be in latin-1 or cp1252" in found
    assert len(read(name, encoding="latin-1")) == 2

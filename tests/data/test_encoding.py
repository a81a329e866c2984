"""Tests of wordplane.data.encoding: encodings, and bytes that do not decode."""

import gzip
import random

import pytest

from tests.data.reading import refusal
from wordplane.data.read import read, read_batches

NOISE = random.Random(0).randbytes(500)
GERMAN = ["Größe fehlt nicht", "schöne Grüße", "ganz ohne Umlaut", "Käse über Öl"]


def texts_of(name, **options):
    """The texts by both ways of reading, which must agree, and the notes."""
    corpus = read(name, **options)
    batches = list(read_batches(name, batch_size=1, **options))
    assert [text for batch in batches for text in batch.texts] == list(corpus.texts)
    notes = [note for batch in batches for note in batch.notes if note.kind == "encoding"]
    assert notes == [note for note in corpus.notes if note.kind == "encoding"]
    assert batches[-1].file_style == corpus.file_style
    return list(corpus.texts), notes, corpus.file_style


@pytest.mark.parametrize("form", ["txt", "csv", "tsv", "jsonl", "ft", "vw", "csv.gz"])
@pytest.mark.parametrize(
    "encoding", ["cp1252", "latin-1", "utf-16-le", "utf-16-be", "utf-16", "utf-32-le"]
)
def test_encodings_are_found_and_noted(write, form, encoding):
    rows = {
        "txt": "{}\n", "csv": '"{}",x\n', "tsv": "{}\tx\n", "jsonl": '{{"text": "{}"}}\n',
        "ft": "__label__x {}\n", "vw": "x | {}\n", "csv.gz": '"{}",x\n',
    }  # fmt: skip
    head = {"csv": "text,label\n", "tsv": "text\tlabel\n", "csv.gz": "text,label\n"}.get(form, "")
    data = (head + "".join(rows[form].format(text) for text in GERMAN)).encode(encoding)
    name = write(f"a.{form}", gzip.compress(data) if form.endswith("gz") else data)
    texts, notes, style = texts_of(name)
    assert texts == GERMAN
    found = "cp1252" if encoding == "latin-1" else encoding
    assert style["encoding"] == found
    assert len(notes) == 1 and f"read as {found} (" in notes[0]
    if found == "cp1252":
        assert "'Größe schöne Grüße'" in notes[0]  # how it reads, to be checked


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize(
    "texts",
    [
        ["I love it \U0001f600\U0001f44d", "bad \U0001f621"],
        ["\U0001f600 great", "\U0001f600\U0001f900 worse"],
        ["日本語\U0001f600です", "悪い\u3000もの"],
    ],
)
def test_emoji_in_utf16_without_a_mark(write, encoding, texts):
    name = write("a.csv", "".join(f"{text},x\n" for text in ["text", *texts]).encode(encoding))
    found, notes, style = texts_of(name)
    assert found == texts and style == {"encoding": encoding} and len(notes) == 1
    name = write("a.txt", "\n".join(texts).encode(encoding))
    assert texts_of(name)[0] == texts


def test_zeros_in_utf8_are_not_utf16(write):
    name = write("a.txt", "ab\0cd\0e Größe\n")
    assert texts_of(name) == (["ab\0cd\0e Größe"], [], {})


def test_a_file_that_is_ascii_for_long_changes_its_encoding_late(write):
    plain = "".join(f"row {i},x\n" for i in range(3000))
    name = write("a.csv", b"text,label\n" + plain.encode() + "Größe,y\nGrüße,y\n".encode("cp1252"))
    texts, notes, style = texts_of(name)
    assert texts[-2:] == ["Größe", "Grüße"] and len(texts) == 3002
    assert style == {"encoding": "cp1252"} and len(notes) == 1
    name = write("a.txt", plain.encode() + "Größe\nGrüße".encode("cp1252"))
    assert texts_of(name)[0][-2:] == ["Größe", "Grüße"]
    data = "".join(f'{{"text": "row {i}"}}\n' for i in range(3000)).encode()
    name = write("a.jsonl", data + '{"text": "Größe"}\n'.encode("cp1252"))
    assert texts_of(name)[0][-1] == "Größe"


def test_utf8_is_not_noted(write):
    assert texts_of(write("a.csv", "text,label\nGröße,x\n")) == (["Größe"], [], {})


def test_two_encodings_in_one_file_are_refused(write):
    tail = "is not UTF-8, and lines before it are: the file mixes encodings; mend these lines, or "
    name = write("a.txt", "“quoted”\n".encode() + b"caf\xe9\n")
    assert refusal(name).startswith(f"a.txt, row 2: byte 0xe9 at offset 16 {tail}name one")
    name = write("a.csv", 'text,label\n"é\n",y\n'.encode() + b"caf\xe9,x\n")
    assert refusal(name).startswith(f"a.csv, row 2 (line 4): byte 0xe9 at offset 22 {tail}")


def test_what_cannot_be_decided_is_said_with_samples(write):
    name = write("a.csv", "text,label\nza ním è,x\n".encode("cp1252"))
    message = refusal(name)
    assert "as cp1252 it reads 'za ním è,x', as cp1250 it reads 'za ním č,x'" in message
    assert "say which is right with `encoding=" in message
    assert list(read(name, encoding="cp1250").texts) == ["za ním č"]
    assert list(read(name, file_style={"encoding": "cp1250"}).texts) == ["za ním č"]


def test_what_is_no_text_is_refused(write):
    assert "no known encoding gives readable text" in refusal(write("a.txt", NOISE))
    assert "this is a spreadsheet or zip file" in refusal(write("a.csv", b"PK\x03\x04\xff\xfe\xfd"))


def test_an_encoding_that_is_named_is_kept_to(write):
    name = write("a.csv", b"text,label,pr\xe9nom\na,b,c\n")
    tail = "is not UTF-8; the file may be in cp1252 ('prénom'): try `encoding=\"cp1252\"`"
    assert refusal(name, encoding="utf-8") == f"a.csv, header: byte 0xe9 at offset 13 {tail}"
    name = write("a.txt", "abcdefgh\n".encode("utf-16-le"))
    assert 'may be utf-16-le: try `encoding="utf-16-le"`' in refusal(name, encoding="utf-8")
    assert read(write("a.txt", b"\x93caf\xe9\x94\n"), encoding="cp1252").file_style == {
        "encoding": "cp1252"
    }


def test_a_hint_comes_before_a_guess_and_after_utf8(write):
    style = {"encoding": "cp1251"}
    assert texts_of(write("a.csv", "text,label\nGröße,x\n"), file_style=style)[0] == ["Größe"]
    name = write("a.csv", "text,label\nÏðèâåò,x\n".encode("cp1252"))
    assert texts_of(name, file_style=style)[0] == ["Привет"]
    name = write("b.csv", "text,label\nжжж,x\n".encode("koi8-r"))
    texts, notes, _ = texts_of(name, file_style={"encoding": "koi8-r"})
    assert texts == ["жжж"] and notes == ["b.csv: not UTF-8, read as koi8-r as before ('жжж')"]


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

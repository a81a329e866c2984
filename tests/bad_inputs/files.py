"""Files as a whole, and their bytes."""

import bz2
import gzip
import io
import lzma
import os
import random
import zipfile

from tests.bad_inputs.cases import GOOD, N_GOOD, csv, file, given, made

TABLE = "text,label\n" + "".join(f"{text},{label}\n" for text, label in GOOD)
PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01"
EMPTY = {
    f"an empty .{ending} file": file(f"x.{ending}", "", 0)
    for ending in "csv tsv jsonl txt parquet arrow counts ft vw svm".split()
}


def loop(folder):
    (folder / "x.csv").symlink_to("x.csv")


def dangling(folder):
    (folder / "x.csv").symlink_to("nowhere.csv")


def good_files(folder):
    (folder / "1.csv").write_text(TABLE)
    (folder / "2.csv").write_text("words,class\nother film,a\n")


def mixed_files(folder):
    (folder / "1.csv").write_text(TABLE)
    (folder / "2.jsonl").write_text('{"text": "other film", "label": "a"}\n')


def model(folder):
    os.link(folder / "good.wordplane", folder / "x.csv")


def zipped(*names):
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as members:
        for name in names:
            members.writestr(name, TABLE)
    return archive.getvalue()


def odd_name(name):
    return made(name, lambda folder: (folder / name).write_text(TABLE), N_GOOD)


FILES = {
    "no such file": given("none.csv"),
    "no such file, and the extension is unknown": given("none.xyz"),
    "a pattern that matches nothing": given("none*.csv"),
    "a name with a zero byte": given("a\0b.csv"),
    "a name of 300 letters": given("x" * 300 + ".csv"),
    "a folder called like a file": made("x.csv", lambda f: (f / "x.csv").mkdir()),
    "a link to itself": made("x.csv", loop),
    "a link to nothing": made("x.csv", dangling),
    "the device /dev/null": given("/dev/null", format="csv"),
    "an unknown extension": file("x.dat", TABLE, 0),
    "no extension": file("x", TABLE, 0),
    "an array of JSON that is cut off": file("x.json", '[{"text": "a", "label": "b"', 0),
    "a spreadsheet that is damaged": file("x.xlsx", b"PK\3\4", 0),
    "the extension in capitals": file("x.CSV", TABLE, N_GOOD),
    "a model in place of the data": made("x.csv", model),
    "a picture called .txt": file("x.txt", PNG, 0),
    "a picture called .csv": file("x.csv", PNG, 0),
    "a spreadsheet called .csv": file("x.csv", b"PK\3\4\x14\0\6\0\x08\0\0\0!\0b\xee\x9dh", 0),
    "a web page called .csv": file(
        "x.csv", "<html><body>\n<p>Not found, sorry</p>\n</body></html>\n", 0
    ),
    "a name with brackets and a star": odd_name("a[1]*.csv"),
    "a name with a line break": odd_name("a\nb.csv"),
    "a name with an escape sequence": odd_name("a\x1b[31m.csv"),
    "a name that is not UTF-8": odd_name(os.fsdecode(b"caf\xe9.csv")),
    "a name that begins with a hyphen": odd_name("./-x.csv"),
    **EMPTY,
    "a CSV file that is a header alone": file("x.csv", "text,label\n", 0),
    "a CSV file of empty lines": file("x.csv", "\n\n\n", 0),
    "a CSV file that is a byte order mark": file("x.csv", b"\xef\xbb\xbf", 0),
    "a JSONL file of empty lines": file("x.jsonl", "\n \n\n", 0),
    "a second file that lacks a column": made("*.csv", good_files),
    "two files of different formats": made("[12].*", mixed_files, N_GOOD + 1),
}

COMPRESSED = {
    "a .gz file that is not compressed": file("x.csv.gz", TABLE, 0),
    "a .gz file cut short": file("x.csv.gz", gzip.compress(TABLE.encode() * 50)[:-20], 0),
    "a .gz file with a wrong checksum": file(
        "x.csv.gz", gzip.compress(TABLE.encode())[:-8] + b"\0" * 8, 0
    ),
    "a .gz file with bytes after its end": file(
        "x.csv.gz", gzip.compress(TABLE.encode()) + b"more", 0
    ),
    "a .gz file of no bytes": file("x.csv.gz", b"", 0),
    "a .gz file of nothing": file("x.csv.gz", gzip.compress(b""), 0),
    "a .gz file in a .gz file": file("x.csv.gz", gzip.compress(gzip.compress(TABLE.encode())), 0),
    "a .gz file of two parts": file("x.csv.gz", gzip.compress(TABLE[:30].encode())
                                    + gzip.compress(TABLE[30:].encode()), N_GOOD),
    "compressed bytes without .gz": file("x.csv", gzip.compress(TABLE.encode()), 0),
    "a .zst file that is not compressed": file("x.csv.zst", TABLE, 0),
    "a .zip file that is damaged": file("x.csv.zip", b"PK\3\4", 0),
    "a .zip file of two files": file("x.csv.zip", zipped("a.csv", "b.csv"), 0),
    "a .bz2 file cut short": file("x.csv.bz2", bz2.compress(TABLE.encode() * 50)[:-20], 0),
    "an .xz file cut short": file("x.csv.xz", lzma.compress(TABLE.encode() * 50)[:-20], 0),
    "a .tar.gz file": file("x.tar.gz", gzip.compress(b"x" * 512), 0),
}  # fmt: skip


def with_bytes(data: bytes, more: int = 1, **options):
    """A CSV file with these bytes as the text of its ninth row."""
    return file("x.csv", TABLE.encode() + data + b",a\n", N_GOOD + more, **options)


def lines(data: bytes, n_rows: int, **options):
    return file("x.txt", data, n_rows, **options)


NOISE = random.Random(0).randbytes(500)
JSON = b'{"text": "good", "label": "a"}\n{"text": "bad", "label": "b"}\n'
DIFFERENT = "text,label\n" + "".join(f"{text} {i},{y}\n" for i, (text, y) in enumerate(GOOD))
ENCODING = {
    "UTF-8 with a byte order mark": file("x.csv", b"\xef\xbb\xbf" + TABLE.encode(), N_GOOD),
    "UTF-16 with a byte order mark": file("x.csv", TABLE.encode("utf-16"), N_GOOD),
    "UTF-32 with a byte order mark": file("x.csv", TABLE.encode("utf-32"), N_GOOD),
    "UTF-16 without a byte order mark": file("x.csv", TABLE.encode("utf-16-le"), N_GOOD),
    "UTF-16 that ends in half a character": file("x.csv", TABLE.encode("utf-16") + b"a", 0),
    "Latin-1 in a CSV file": with_bytes(b"caf\xe9 film"),
    "Latin-1 in a JSONL file": file("x.jsonl", JSON + b'{"text": "caf\xe9", "label": "a"}\n', 3),
    "Latin-1 in the header": file("x.csv", b"text,caf\xe9,label\na,b,c\nd,e,f\n", 2),
    "Latin-1 in a .txt file": lines(b"good\ncaf\xe9\n", 2),
    "cp1252 quotes": with_bytes(b"\x93good\x94 film"),
    "a byte that begins no character": with_bytes(b"a \x80 b"),
    "a character cut short": with_bytes(b"a \xe2\x82 b"),
    "an overlong zero": with_bytes(b"a \xc0\x80 b"),
    "Latin-1, read as the UTF-8 that is asked for": with_bytes(b"caf\xe9 film", encoding="utf-8"),
    "bytes that are no text": file("x.csv", b"text,label\n" + NOISE, 0),
    "UTF-8 and Latin-1 in one file": with_bytes("café,a\n".encode() + b"caf\xe9 film"),
    "a surrogate as bytes": with_bytes(b"a \xed\xa0\x80 b"),
    "a character beyond Unicode": with_bytes(b"a \xf5\x80\x80\x80 b"),
    "the last byte is missing": file("x.txt", "good\nschö".encode()[:-1], 0),
    "UTF-8 read as Latin-1": with_bytes("café".encode(), encoding="latin-1"),
    "UTF-8 read as ASCII": with_bytes("café".encode(), encoding="ascii"),
    "UTF-8 read as UTF-16": file("x.csv", TABLE, 0, encoding="utf-16"),
    "an unknown encoding": file("x.csv", TABLE, 0, encoding="utf-99"),
    "an encoding that is not one of texts": file("x.csv", TABLE, 0, encoding="base64"),
    "a zero byte in a text": with_bytes(b"a \0 b"),
    "an escape sequence in a text": with_bytes(b"a \x1b[31m b"),
    "a byte order mark inside": with_bytes(b"a \xef\xbb\xbf b"),
    "a text of control characters alone": with_bytes(b"\x01\x02"),
    "U+FFFF and other noncharacters": with_bytes("a \uffff\ufdd0 b".encode()),
    "a letter with a thousand accents": with_bytes(("e" + "\u0301" * 1000).encode()),
    "letters from right to left, with overrides": with_bytes("\u202eabc שלום".encode()),
    "a family emoji": with_bytes("good 👨‍👩‍👧".encode()),
}

CHOICES = {
    "a text column that is not there": csv(text="words"),
    "a label column that is not there": csv(label="class"),
    "an id column that is not there": csv(id="number"),
    "a weight column that is not there": csv(weight="w"),
    "two text columns with a comma between them, one of them absent": csv(text="text,body"),
    "the text column as label": file("x.csv", DIFFERENT, N_GOOD, label="text"),
    "the same column as text and label": csv(text="label", label="label"),
    "a delimiter of two characters": csv(delimiter=";;"),
    "an empty delimiter": csv(delimiter=""),
    "a quote as delimiter": csv(delimiter='"'),
    "a delimiter that is not in the file": csv(delimiter=";"),
    "a header read as data": file("x.csv", TABLE, N_GOOD + 1, header=False, text="1", label="2"),
}

"""Tests of wordplane.data.formats.folder: folders of documents."""

import os
from pathlib import Path

import pytest

from tests.data.reading import refusal, rows
from wordplane.data.read import read, read_batches


def test_folder(write):
    for name in "neg/b.txt", "pos/sub/a.txt", "pos/z", "pos/é.txt":
        write(f"films/{name}", f"Text of {name}\r\n")
    corpus = read("films")
    names = ["neg/b.txt", "pos/sub/a.txt", "pos/z", "pos/é.txt"]
    expected = [f"Text of {name}\r\n" for name in names], ["neg", "pos", "pos", "pos"], names
    assert rows(corpus) == expected
    assert corpus.split is None and corpus.notes == ()
    batches = list(read_batches("films", batch_size=3))
    assert [id for batch in batches for id in batch.ids] == names


def test_folder_without_classes(write):
    for name in "1.eml", "2.eml", "older/3.eml", ".hidden":
        write(f"inbox/{name}", f"Text of {name}")
    corpus = read("inbox", labels=False)
    names = ["1.eml", "2.eml", "older/3.eml"]
    assert rows(corpus) == ([f"Text of {name}" for name in names], None, names)
    assert corpus.notes == ("inbox: files hidden, not read: 1 (such as .hidden)",)
    write("parts/test/pos/1", "a")
    write("parts/train/2", "b")
    corpus = read("parts", labels=False)
    assert (corpus.ids, corpus.split) == (["test/pos/1", "train/2"], ["test", "train"])
    Path("empty").mkdir()
    assert refusal("empty", labels=False).startswith("empty: found no documents, expected files")


def test_folder_with_a_split(write):
    for name in "test/neg/a", "train/pos/b", "Validation/pos/c":
        write(f"films/{name}", name)
    corpus = read("films")
    assert corpus.ids == ["Validation/pos/c", "test/neg/a", "train/pos/b"]
    assert corpus.labels == ["pos", "neg", "pos"]
    assert corpus.split == ["dev", "test", "train"]


def test_folder_says_what_it_did_not_take(write):
    for name in "README", "pos/a", "pos/.DS_Store", ".git/config":
        write(f"films/{name}", "x")
    corpus = read("films")
    assert corpus.ids == ["pos/a"]
    assert corpus.notes == (
        "films: files hidden, not read: 2 (such as .git/config)",
        "films: files outside the class folders, not read: 1 (such as README)",
    )
    write("films/neg/.DS_Store", "x")
    Path("films/mixed/sub").mkdir(parents=True)
    assert read("films").notes[-1] == "films: class folders without files: 2 (such as mixed)"


def test_folder_leaves_out_what_is_no_text(write):
    write("mails/a/1.eml", "x")
    write("mails/b/2.eml", "y")
    write("mails/b/photo.jpg", b"\xff\xd8\xff\xe0\0\x10JFIF")
    write("mails/c/wide.txt", "zwei".encode("utf-16-le"))
    corpus = read("mails")
    assert corpus.ids == ["a/1.eml", "b/2.eml", "c/wide.txt"]
    assert corpus.texts[2] == "zwei"
    assert corpus.notes == (
        "mails: files that are not text, not read: 1 (such as b/photo.jpg)",
        "mails: files that are read as utf-16-le ('zwei'): 1 (such as mails/c/wide.txt)",
    )
    write("wide/a/1.txt", "zwei".encode("utf-16-le"))
    assert list(read("wide", encoding="utf-16-le").texts) == ["zwei"]


def test_folder_without_documents(write):
    write("films/README", "x")
    assert refusal("films").startswith("films: found no documents, expected one subfolder")
    assert refusal("films/README", format="folder") == "films/README: is not a folder"


def test_folder_bad_bytes(write):
    write("films/neg/a.txt", "fine")
    write("films/pos/b.txt", b"caf\xe9")
    message = refusal("films", encoding="utf-8")
    assert message.startswith("films, row 2: films/pos/b.txt: byte 0xe9 at offset 3 is not UTF-8")
    corpus = read("films")
    assert list(corpus.texts) == list(read("films", encoding="cp1252").texts) == ["fine", "café"]
    assert corpus.notes[0].startswith("films: files that are not UTF-8, read as cp1252 ('café')")


def test_folder_with_a_name_that_is_not_utf_8(write):
    try:
        write("films/pos/caf\udce9", "x")
    except OSError:
        pytest.skip("this file system takes UTF-8 names only")
    assert "row 1: the name 'films/pos/caf\\udce9' is not UTF-8; rename the file" in refusal(
        "films"
    )


@pytest.fixture
def links(write):
    """A folder with links, a pipe and what cannot be read."""
    write("films/neg/a", "text a")
    write("films/pos/b", "text b")
    write("elsewhere/secret", "secret")
    write("elsewhere/deep/c", "text c")
    films = Path("films").resolve()
    (films / "pos/inside").symlink_to(films / "neg/a")
    (films / "pos/outside").symlink_to(Path("elsewhere/secret").resolve())
    (films / "pos/nothing").symlink_to("no such file")
    (films / "neg/linked").symlink_to(Path("elsewhere/deep").resolve())
    (films / "neg/again").symlink_to(films)
    os.mkfifo(films / "neg/pipe")
    return films


def test_links_and_pipes_are_left_out_with_a_word(links):
    corpus = read("films")
    assert corpus.ids == ["neg/a", "pos/b", "pos/inside"]
    assert corpus.notes == (
        "films: links to files outside (`follow_links=True` follows them), not read: 1 (such as "
        "pos/outside)",
        "films: links to folders (`follow_links=True` follows them), not read: 1 (such as "
        "neg/linked)",
        "films: links to folders read before, not read: 1 (such as neg/again)",
        "films: links to nothing, not read: 1 (such as pos/nothing)",
        "films: pipes, sockets and devices, not read: 1 (such as neg/pipe)",
    )


def test_links_are_followed_on_request(links):
    corpus = read("films", follow_links=True)
    assert corpus.ids == ["neg/a", "neg/linked/c", "pos/b", "pos/inside", "pos/outside"]
    assert [note.split(",")[0] for note in corpus.notes] == [
        "films: links to folders read before",
        "films: links to nothing",
        "films: pipes",
    ]


def test_folders_that_cannot_be_read_are_named(links, monkeypatch):
    listed = Path.iterdir

    def iterdir(folder):
        if folder.name == "neg":
            raise PermissionError(13, "Permission denied")
        return listed(folder)

    monkeypatch.setattr(Path, "iterdir", iterdir)
    note = "films: folders that cannot be read (Permission denied), not read: 1 (such as neg)"
    assert note in read("films").notes

"""Tests of wordplane.common.files, wordplane.common.json_text and wordplane.common.toml."""

import shutil

import pytest

from wordplane.common import files
from wordplane.common.errors import InputError, WordplaneError
from wordplane.common.json_text import parse_json
from wordplane.common.toml import DEEPEST, read_toml


def test_a_file_is_the_old_one_until_the_new_one_is_whole(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("old")
    with pytest.raises(RuntimeError), files.whole_file(path) as draft:
        draft.write_text("ne")
        assert path.read_text() == "old"
        raise RuntimeError
    assert [p.name for p in tmp_path.iterdir()] == ["a.txt"]
    with files.whole_file(path) as draft:
        draft.write_text("new")
    assert path.read_text() == "new"


def test_links_and_permissions_stay(tmp_path):
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_text("old")
    target.chmod(0o640)
    link.symlink_to(target)
    with files.whole_file(link) as draft:
        draft.write_text("new")
    assert link.is_symlink()
    assert target.read_text() == "new"
    assert target.stat().st_mode & 0o777 == 0o640


def test_the_longest_name_that_a_file_can_have(tmp_path):
    path = tmp_path / ("é" * 125 + ".csv")  # 254 bytes
    with files.whole_file(path) as draft:
        draft.write_text("new")
    assert path.read_text() == "new" and len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("examples/rev1ews.csv", "examples/reviews.csv"),
        ("exampl3s/reviews.csv", "examples/reviews.csv"),
        ("dta/exampl3s/rev1ews.csv", "data/examples/reviews.csv"),
        ("exampl3s", "examples"),
        ("exampl3s/other.txt", None),
        ("elsewhere/reviews.csv", None),
        ("examples/" + "x" * 300, None),
        ("examples/reviews.csv/x", None),
        ("examples/rest.csv", None),
    ],
)
def test_what_may_be_meant_by_a_file_that_is_not_there(tmp_path, monkeypatch, given, meant):
    monkeypatch.chdir(tmp_path)
    for folder in (tmp_path / "examples", tmp_path / "data" / "examples"):
        folder.mkdir(parents=True)
        (folder / "reviews.csv").touch()
    hint = f"; did you mean {meant}?" if meant else ""
    assert files.no_such_file(given) == f"{given}: there is no such file{hint}"


def test_what_cannot_be_written(tmp_path):
    for path, message in (
        (tmp_path, "is a folder"),
        ("/dev/null", "is a device"),
        ("a\0b", "name"),
    ):
        with pytest.raises(InputError, match=message), files.whole_file(path):
            pass
    with (
        pytest.raises(WordplaneError, match="cannot write"),
        files.whole_file(tmp_path / "x" / "y"),
    ):
        pass
    with pytest.raises(InputError, match="is not a name that a file can have"):
        files.check_name("a\0b")


def test_drafts_are_removed_by_a_process_that_ends(tmp_path):
    folder = tmp_path / "blocks"
    folder.mkdir()
    with files.draft_folder(folder, shutil.rmtree):
        files.remove_drafts()
    assert not folder.exists()


@pytest.mark.parametrize("text", ["NaN", "[1e999]", r'"\ud800"', "{"])
def test_json_that_could_not_be_written_again(text):
    with pytest.raises(ValueError):
        parse_json(text)


def test_toml(tmp_path):
    path = tmp_path / "a.toml"
    path.write_text("[a]\nb = 1\n")
    assert read_toml(path) == {"a": {"b": 1}}
    for text, message in (("a = ", "a.toml"), (".".join("a" * (DEEPEST + 2)) + " = 1", "parts")):
        path.write_text(text)
        with pytest.raises(InputError, match=message):
            read_toml(path)
    with pytest.raises(InputError, match="there is no such file"):
        read_toml(tmp_path / "none.toml")

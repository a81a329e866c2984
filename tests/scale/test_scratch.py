"""Folders for blocks are given back.

Tests of wordplane.scale.scratch, wordplane.scale.scratch_record and
wordplane.scale.scratch_format.
"""

import os
import shutil
import subprocess
import sys

import numpy as np
import pytest

from tests.scale.scratch_folders import leave_behind, read_record, write_record
from wordplane.common.errors import InputError, WordplaneError
from wordplane.common.files import remove_drafts
from wordplane.common.forms import ArrayForm, StepForm
from wordplane.scale import scratch as scratch_module
from wordplane.scale.scratch import open_scratch, remove_abandoned
from wordplane.scale.scratch_format import TEXTS
from wordplane.scale.scratch_record import Record

NUMBERS = StepForm({"n": ArrayForm("int64", "numbers")}, {"*": int})


def test_the_folder_is_removed_after_an_error(tmp_path):
    with pytest.raises(KeyError), open_scratch(tmp_path) as scratch:
        scratch.write("a", 0, np.arange(3))
        raise KeyError
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_comes_while_the_folder_is_removed_goes_too(tmp_path, monkeypatch):
    rmtree, calls = shutil.rmtree, []

    def remove_late(folder, **given):
        calls.append(folder)
        if len(calls) > 1:  # at first, another process was writing into it
            rmtree(folder, **given)

    monkeypatch.setattr(shutil, "rmtree", remove_late)
    with open_scratch(tmp_path):
        pass
    assert len(calls) == 2
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_process_left_is_removed_at_the_next_start(tmp_path):
    program = (
        "import os, signal, numpy as np\n"
        "from wordplane.scale.scratch import open_scratch\n"
        f"with open_scratch({str(tmp_path)!r}) as scratch:\n"
        "    scratch.write('a', 0, np.arange(3))\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == -9
    assert len(list(tmp_path.iterdir())) == 1
    with open_scratch(tmp_path) as scratch:
        assert [path.name for path in tmp_path.iterdir()] == [scratch.folder.name]


def test_the_folder_of_a_living_process_stays(tmp_path):
    with open_scratch(tmp_path) as first, open_scratch(tmp_path) as second:
        assert first.folder.exists()
        assert second.folder.exists()


def test_a_lost_or_short_file_is_named(tmp_path):
    with open_scratch(tmp_path) as scratch:
        scratch.append("a", 0, np.arange(2))
        scratch.append("a", 0, np.arange(2, 3))
        assert scratch.read("a", 0).tolist() == [0, 1, 2]
        assert scratch.read_run("a", 0, 1, 3).tolist() == [1, 2]
        os.truncate(scratch.folder / "a-0.array", 20)
        with pytest.raises(WordplaneError, match=r"a-0\.array, which this training has written"):
            scratch.read_run("a", 0, 1, 3)
        with pytest.raises(WordplaneError, match="it has 20 bytes, expected 24"):
            scratch.read("a", 0)
        with pytest.raises(WordplaneError, match=r"b-7\.array, which this training has written"):
            scratch.read("b", 7)


def test_disk_is_asked_for_ahead(tmp_path):
    with open_scratch(tmp_path) as scratch, pytest.raises(InputError, match="GB of disk"):
        scratch.require(1e18, "training on blocks")


def test_a_folder_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(InputError, match="is not a folder"), open_scratch(tmp_path / "none"):
        pass


def test_a_folder_that_is_removed_before_it_is_locked_is_made_again(tmp_path, monkeypatch):
    lock_file, removed = scratch_module.lock_file, []

    def late(lock, *, wait):
        if not removed:  # what another start does with a folder that is not locked yet
            removed.append(next(tmp_path.iterdir()))
            shutil.rmtree(removed[0])
        return lock_file(lock, wait=wait)

    monkeypatch.setattr(scratch_module, "lock_file", late)
    with open_scratch(tmp_path) as scratch:
        assert [scratch.folder] == list(tmp_path.iterdir()) != removed


def test_a_folder_is_taken_over_by_the_same_key_alone(tmp_path):
    program = (
        "import os, signal, numpy as np\n"
        "from wordplane.scale.scratch import open_scratch\n"
        f"with open_scratch({str(tmp_path)!r}, 'mine') as scratch:\n"
        "    scratch.finish('a', [('n', np.arange(3))], {'x': 1})\n"
        "    scratch.finish('a', [('n', np.arange(4))], {'x': 2})\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == -9
    (left,) = tmp_path.iterdir()
    with open_scratch(tmp_path, "mine", resume=True) as scratch:
        assert scratch.folder == left
        found = scratch.finished("a", NUMBERS)
        assert (found.arrays["n"].tolist(), found.facts) == ([0, 1, 2, 3], {"x": 2})
        assert scratch.finished("b", NUMBERS) is None
        with open_scratch(tmp_path, "mine", resume=True) as other:
            assert not other.is_resumed
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "array", [np.float64(3), np.zeros((0, 2)), np.asfortranarray(np.arange(6).reshape(2, 3))]
)
def test_arrays_of_any_shape_come_back(tmp_path, array):
    with open_scratch(tmp_path) as scratch:
        scratch.write("a", 0, np.asarray(array))
        np.testing.assert_array_equal(scratch.read("a", 0), array)
        assert scratch.read("a", 0).shape == array.shape


def test_a_folder_that_is_half_removed_is_not_resumed(tmp_path):
    """A process that is killed while it gives its folder back leaves some files of it."""
    program = (
        "import os, shutil, numpy as np\n"
        "from wordplane.scale.scratch import open_scratch\n"
        "def remove_some(folder, **given):\n"
        "    next(path for path in folder.iterdir() if path.suffix == '.array').unlink()\n"
        "    os._exit(9)\n"
        "shutil.rmtree = remove_some\n"
        f"with open_scratch({str(tmp_path)!r}, 'mine') as scratch:\n"
        "    scratch.finish('a', [('n', np.arange(3))])\n"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 9
    assert len(list(tmp_path.iterdir())) == 1
    with open_scratch(tmp_path, "mine", resume=True) as scratch:
        assert not scratch.is_resumed
        assert scratch.finished("a", NUMBERS) is None
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("trap", ["mode", "link"])
def test_a_folder_of_others_is_neither_taken_over_nor_removed(tmp_path, trap):
    """In a folder that all may write to, anybody can make one with the right name."""
    made = tmp_path / "elsewhere" if trap == "link" else tmp_path / "wordplane-blocks-mine-0"
    made.mkdir(mode=0o700)
    (made / "lock").touch()
    if trap == "link":
        (tmp_path / "wordplane-blocks-mine-0").symlink_to(made)
    else:
        made.chmod(0o777)
    with open_scratch(tmp_path, "mine", resume=True) as scratch:
        assert not scratch.is_resumed
    assert (made / "lock").exists()


def test_no_file_is_written_through_a_link(tmp_path):
    target = tmp_path / "precious"
    target.write_text("text")
    with open_scratch(tmp_path) as scratch:
        for name in ("a-0.array", "s-n-0.array", "record", "record.draft"):
            (scratch.folder / name).symlink_to(target)
        scratch.write("a", 0, np.arange(3))
        scratch.finish("s", [("n", np.arange(4))])
        assert scratch.read("a", 0).tolist() == [0, 1, 2]
        assert not (scratch.folder / "record").is_symlink()
    assert target.read_text() == "text"


def test_the_usual_folder_is_private(tmp_path, monkeypatch):
    monkeypatch.setattr(scratch_module, "gettempdir", lambda: str(tmp_path))
    with open_scratch() as scratch:
        assert scratch.folder.parent.parent == tmp_path
        assert scratch.folder.parent.stat().st_mode & 0o777 == 0o700
    scratch.folder.parent.chmod(0o755)
    with pytest.raises(InputError, match="not a folder that you alone can enter"), open_scratch():
        pass


@pytest.mark.parametrize("shift", [-1e6, 1e6])
def test_a_folder_that_was_never_locked_is_removed_whatever_the_clock_says(tmp_path, shift):
    left = tmp_path / "wordplane-blocks-mine-0"
    left.mkdir(mode=0o700)
    now = left.stat().st_mtime
    os.utime(left, (now + shift, now + shift))
    with open_scratch(tmp_path):
        assert not left.exists()


def test_another_start_may_remove_a_folder_before_it_is_locked(tmp_path, monkeypatch):
    """As it does if it takes the folder for one that was left behind."""
    lock, made = scratch_module._lock, []

    def late(folder, **options):
        if not made:
            made.append(folder)
            remove_abandoned(tmp_path)
        return lock(folder, **options)

    monkeypatch.setattr(scratch_module, "_lock", late)
    with open_scratch(tmp_path) as scratch:
        assert [scratch.folder] == list(tmp_path.iterdir()) != made


def test_what_ends_the_process_at_once_gives_the_folder_another_name_first(tmp_path, monkeypatch):
    """So that nobody resumes what a kill left of it."""
    with open_scratch(tmp_path, "mine") as scratch:
        scratch.finish("a", [("n", np.arange(3))])
        with monkeypatch.context() as patch:
            patch.setattr(shutil, "rmtree", lambda *_, **__: None)  # killed right then
            patch.setattr(scratch_module, "REMOVALS", 1)
            remove_drafts()
        assert not scratch.folder.exists()
        with open_scratch(tmp_path, "mine", resume=True) as other:
            assert not other.is_resumed


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"version": 9}, "another version"),
        ({"files": {}, "steps": 3}, "steps is 3, expected an object"),
        ({"files": {"a": {"type": "object", "shape": [1], "crc": 0}}}, "a is not an array"),
        ({"files": {"a": {"type": "int64", "shape": [0, 1 << 70], "crc": 0}}}, "a is not an"),
        ({"files": {"a": {"type": "int64", "shape": [-1], "crc": 0}}}, r"shape\[0\] is -1"),
        ({"more": 1}, "expected"),
    ],
    ids=str,
)
def test_a_record_that_is_not_as_declared_is_refused(tmp_path, change, why):
    folder = leave_behind(tmp_path)
    write_record(folder, {**read_record(folder), **change})
    with (
        pytest.raises(WordplaneError, match=f"record, which this training.*{why}"),
        open_scratch(tmp_path, "mine", resume=True),
    ):
        pass
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("shape", "why"),
    [([2**40], "it has 24 bytes, expected 8796093022208"), ([3, 1], "of 2 dimensions")],
    ids=str,
)
def test_a_shape_that_is_not_that_of_the_file_is_refused(tmp_path, shape, why):
    folder = leave_behind(tmp_path)
    record = read_record(folder)
    record["files"]["a-n-0.array"]["shape"] = shape
    write_record(folder, record)
    with (
        pytest.raises(WordplaneError, match=why),
        open_scratch(tmp_path, "mine", resume=True) as scratch,
    ):
        scratch.finished("a", NUMBERS)


def test_facts_that_are_not_as_declared_are_refused(tmp_path):
    folder = leave_behind(tmp_path)
    record = read_record(folder)
    record["steps"]["a"]["facts"]["x"] = "1"
    write_record(folder, record)
    with (
        pytest.raises(WordplaneError, match="a: x is '1', expected int"),
        open_scratch(tmp_path, "mine", resume=True) as scratch,
    ):
        scratch.finished("a", NUMBERS)


def test_arrays_of_a_block_agree_with_each_other(tmp_path):
    folder = leave_behind(tmp_path, [("t-bytes", np.zeros(5, np.uint8)), ("t-ends", np.arange(6))])
    assert (folder / "t-ends-0.array").exists()
    with open_scratch(tmp_path, "mine", resume=True) as scratch:
        assert len(scratch.read_block(TEXTS, "t", 0, {"texts": 6})["ends"]) == 6
    leave_behind(tmp_path, [("t-bytes", np.zeros(5, np.uint8)), ("t-ends", np.arange(7))])
    with (
        pytest.raises(WordplaneError, match="ends does not ascend to 5"),
        open_scratch(tmp_path, "mine", resume=True) as scratch,
    ):
        scratch.read_block(TEXTS, "t", 0, {"texts": 7})


def test_arrays_of_a_learner_are_not_resumed(tmp_path):
    with open_scratch(tmp_path) as scratch:
        own = scratch.section("first")
        own.write("packed", 0, np.arange(3))
        own.finish("passes", [("w", np.arange(2))])
        assert set(Record.load(scratch.folder).files) == {"first-passes-w-0.array"}
        assert own.read("packed", 0).tolist() == [0, 1, 2]

"""Folders for blocks are given back.

Tests of wordplane.scale.scratch.
"""

import gc
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from wordplane.common.errors import InputError, WordplaneError
from wordplane.scale import scratch as scratch_module
from wordplane.scale.scratch import open_scratch


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
        scratch.append("a", 0, np.arange(3))
        assert scratch.read_run("a", 0, np.int64, 1, 3).tolist() == [1, 2]
        with pytest.raises(WordplaneError, match=r"a-0\.npy, which this training has written"):
            scratch.read_run("a", 0, np.int64, 1, 4)
        with pytest.raises(WordplaneError, match=r"b-7\.npy, which this training has written"):
            scratch.read("b", 7)


def test_disk_is_asked_for_ahead(tmp_path):
    with open_scratch(tmp_path) as scratch, pytest.raises(InputError, match="GB of disk"):
        scratch.require(1e18, "training on blocks")


def test_a_folder_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(InputError, match="is not a folder"), open_scratch(tmp_path / "none"):
        pass


def test_a_folder_that_is_removed_before_it_is_locked_is_made_again(tmp_path, monkeypatch):
    flock, removed = scratch_module.fcntl.flock, []

    def late(lock, how):
        if not removed:  # what another start does with a folder that is not locked yet
            removed.append(next(tmp_path.iterdir()))
            shutil.rmtree(removed[0])
        flock(lock, how)

    monkeypatch.setattr(scratch_module.fcntl, "flock", late)
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
        found = scratch.finished("a")
        assert (found.arrays["n"].tolist(), found.facts) == ([0, 1, 2, 3], {"x": 2})
        assert scratch.finished("b") is None
        with open_scratch(tmp_path, "mine", resume=True) as other:
            assert not other.is_resumed
    assert list(tmp_path.iterdir()) == []


def test_threads_read_at_once(tmp_path):
    threshold = gc.get_threshold()
    gc.callbacks.append(let_others_run)
    gc.set_threshold(5)
    try:
        with open_scratch(tmp_path) as scratch, ThreadPoolExecutor(4) as pool:
            for block in range(4):
                scratch.write("a", block, np.full((2, 3), block))
            blocks = list(range(4)) * 200
            found = list(pool.map(lambda block: scratch.read("a", block).sum(), blocks))
    finally:
        gc.set_threshold(*threshold)
        gc.callbacks.remove(let_others_run)
    assert found == [6 * block for block in blocks]


def let_others_run(phase, info):
    time.sleep(0)


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
        "    next(path for path in folder.iterdir() if path.suffix == '.npy').unlink()\n"
        "    os._exit(9)\n"
        "shutil.rmtree = remove_some\n"
        f"with open_scratch({str(tmp_path)!r}, 'mine') as scratch:\n"
        "    scratch.finish('a', [('n', np.arange(3))])\n"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 9
    assert len(list(tmp_path.iterdir())) == 1
    with open_scratch(tmp_path, "mine", resume=True) as scratch:
        assert not scratch.is_resumed
        assert scratch.finished("a") is None
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
        for name in ("a-0.npy", "s-0.json"):
            (scratch.folder / name).symlink_to(target)
        scratch.write("a", 0, np.arange(3))
        with pytest.raises(WordplaneError, match="gone or damaged"):
            scratch.finish("s")
        assert scratch.read("a", 0).tolist() == [0, 1, 2]
    assert target.read_text() == "text"


def test_the_usual_folder_is_private(tmp_path, monkeypatch):
    monkeypatch.setattr(scratch_module, "gettempdir", lambda: str(tmp_path))
    with open_scratch() as scratch:
        assert scratch.folder.parent.parent == tmp_path
        assert scratch.folder.parent.stat().st_mode & 0o777 == 0o700
    scratch.folder.parent.chmod(0o755)
    with pytest.raises(InputError, match="not a folder that you alone can enter"), open_scratch():
        pass

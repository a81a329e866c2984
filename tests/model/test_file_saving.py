"""Models are written whole or not at all: tests of saving by wordplane.model.file."""

import errno
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import wordplane
from tests.model.model_files import small
from tests.power_cut import VARIANTS, Replay, record
from wordplane.common.errors import ModelFileError, WordplaneError
from wordplane.model.training_record import Training


def test_saving_replaces_and_follows_links(tmp_path):
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_text("old")
    link.symlink_to(target)
    small().save(link)
    assert link.is_symlink()
    assert wordplane.load(target).predict(["great"]) == ["pos"]
    assert sorted(p.name for p in tmp_path.iterdir()) == ["link", "target"]


def test_saving_keeps_the_mode(tmp_path):
    path = tmp_path / "m"
    path.touch(0o600)
    small().save(path)
    assert path.stat().st_mode & 0o777 == 0o600


def test_saving_to_impossible_places(tmp_path):
    with pytest.raises(WordplaneError, match="is a folder"):
        small().save(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(WordplaneError, match="device or pipe"):
        small().save(tmp_path / "pipe")
    with pytest.raises(WordplaneError, match=r"cannot write .*No such file"):
        small().save(tmp_path / "absent" / "m")


@pytest.mark.parametrize("call", ["write_bytes", "fsync", "replace"])
def test_errors_of_the_disk_leave_the_old_model(tmp_path, monkeypatch, call):
    path = tmp_path / "m.wordplane"
    path.write_bytes(b"old")

    def fail(*args, **kwargs):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(os if call == "fsync" else Path, call, fail)
        with pytest.raises(WordplaneError, match=r"cannot write .*No space left"):
            small().save(path)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")
@pytest.mark.parametrize("fault", ["signal=KILL", "error=ENOSPC", "error=EIO"])
@pytest.mark.parametrize("syscall", ["write", "fsync", "rename", "close", "openat"])
def test_faults_at_every_system_call(tmp_path, syscall, fault):
    """Whatever happens at whichever call of a save, the file is the old model or the new one."""
    path = tmp_path / "m.wordplane"
    model = small()
    model.model_.training = Training(source="old")
    model.save(path)
    old = path.read_bytes()
    script = tmp_path / "save.py"
    # The save begins after a dot is written; faults are set for the calls from there on.
    script.write_text(
        "import sys, wordplane\n"
        "from wordplane.model.file import save_model\n"
        "model = wordplane.load(sys.argv[1])\n"
        "from wordplane.model.training_record import Training\n"
        "model.model_.training = Training(source='new')\n"
        "sys.stdout.write('.'); sys.stdout.flush()\n"
        "save_model(model.model_, sys.argv[1])\n"
    )
    calls = calls_of_a_save(script, tmp_path / "copy", path, syscall)
    assert calls, f"a save makes no {syscall}"
    seen = set()
    for number in calls:
        path.write_bytes(old)
        subprocess.run(
            ["strace", "-f", "-qq", "-o", os.devnull, "-e", f"trace={syscall}",
             "-e", f"inject={syscall}:{fault}:when={number}",
             sys.executable, str(script), str(path)],
            capture_output=True, timeout=60, check=False,
        )  # fmt: skip
        version = wordplane.load(path).training_.source
        seen.add(version)
        assert version in ("old", "new")
        if version == "old":
            assert path.read_bytes() == old
        for leftover in tmp_path.glob(".wordplane-*.tmp"):
            assert fault == "signal=KILL" or syscall == "close"
            leftover.unlink()
    if syscall in ("write", "rename"):
        assert seen == {"old"}


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")
def test_a_power_cut_at_any_moment_leaves_the_old_model_or_the_new_one(tmp_path):
    """And the new one from the moment on in which the save has returned."""
    folder = tmp_path / "folder"
    folder.mkdir()
    path = folder / "m.wordplane"
    model = small()
    model.model_.training = Training(source="old")
    model.save(path)
    replay = Replay(folder)
    program = (
        "import sys, wordplane\n"
        "from wordplane.model.training_record import Training\n"
        "model = wordplane.load(sys.argv[1])\n"
        "model.model_.training = Training(source='new')\n"
        "model.save(sys.argv[1])\n"
        "print('saved', flush=True)\n"
    )
    seen, n_moments = set(), 0
    for call in record([sys.executable, "-c", program, path], tmp_path / "log"):
        if not replay.play(call):
            continue
        n_moments += 1
        for variant in VARIANTS:
            found = tmp_path / f"{n_moments}-{variant}"
            replay.write(found, variant, n_moments)
            version = wordplane.load(found / "m.wordplane").training_.source
            assert version == "new" or not replay.said
            seen.add((variant, version))
    assert n_moments >= 5
    assert seen == {(variant, version) for variant in VARIANTS for version in ("old", "new")}


def test_a_system_without_more_threads_loads_models(tmp_path, monkeypatch):
    def refused(thread):
        raise RuntimeError("can't start new thread")

    path = tmp_path / "m.wordplane"
    small().save(path)
    monkeypatch.setattr("threading.Thread.start", refused)
    assert wordplane.load(path).predict(["good"]) is not None
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(ModelFileError, match="damaged"):
        wordplane.load(path)


def calls_of_a_save(script, copy, path, syscall):
    """The numbers of the system calls of this kind that a save makes, among all it makes."""
    shutil.copy(path, copy)
    log = script.with_suffix(".log")
    subprocess.run(
        ["strace", "-f", "-o", str(log), "-e", f"trace={syscall},write",
         sys.executable, str(script), str(copy)],
        check=True, timeout=60, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    number, saving, found = 0, False, []
    lines = log.read_text().splitlines()
    # strace numbers the calls of every thread by themselves
    process = next(line.split()[0] for line in lines if re.search(r'write\(1, "\."', line))
    for line in lines:
        if not line.startswith(process):
            continue
        if re.search(r'write\(1, "\."', line):
            saving = True
            number += syscall == "write"
            continue
        if f" {syscall}(" not in line:
            continue
        number += 1
        if saving and "exited" not in line:
            found.append(number)
            if len(found) == 12:
                break
    return found

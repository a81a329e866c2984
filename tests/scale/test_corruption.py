"""A folder of blocks with one damaged file gives the same model when it is resumed, or one clear
error: never another model, a wait without end or a traceback.

Tests of wordplane.scale.scratch_record and wordplane.scale.scratch_format.
"""

import json
import os
import random
import shutil
import signal
import zlib

import numpy as np
import pytest

from tests.scale.mixed_texts import write_films
from tests.scale.scratch_folders import (
    BLOCK_ROWS,
    DEALT_BLOCKS,
    read_record,
    train_until,
    write_record,
)
from wordplane import train
from wordplane.common.errors import WordplaneError
from wordplane.scale import row_encoding
from wordplane.workflow import block_training

STAGES = [
    ("counting words", 4),
    ("counting n-grams of 2", 2),
    ("fitting LinearSVM", 2),
]
LIMIT = 60  # seconds
HUGE = b"\x93NUMPY\x01\x00v\x00{'descr': '<i8', 'fortran_order': False, 'shape': (1 << 60,), }"


def flip(place):
    def damage(path, _):
        data = bytearray(path.read_bytes() or b"\0")
        data[int(place * (len(data) - 1))] ^= 1 << int(place * 7)
        path.write_bytes(data)

    return damage


def swap(path, others):
    """With another file of the folder; one of the same size, if there is one."""
    same = [each for each in others if each.stat().st_size == path.stat().st_size]
    other = (same or others)[0]
    data = path.read_bytes()
    path.write_bytes(other.read_bytes())
    other.write_bytes(data)


def replace_by(make):
    def damage(path, _):
        path.unlink()
        make(path)

    return damage


DAMAGES = {
    "first bit": flip(0.0),
    "a bit": flip(0.6),
    "last bit": flip(1.0),
    "half": lambda path, _: os.truncate(path, path.stat().st_size // 2),
    "empty": lambda path, _: os.truncate(path, 0),
    "longer": lambda path, _: path.write_bytes(path.read_bytes() + b"\0" * 8),
    "zeros": lambda path, _: path.write_bytes(bytes(path.stat().st_size)),
    "a huge header": lambda path, _: path.write_bytes(HUGE + path.read_bytes()),
    "swapped": swap,
    "gone": lambda path, _: path.unlink(),
    "a folder": replace_by(lambda path: path.mkdir()),
    "a pipe": replace_by(os.mkfifo),
    "a link": replace_by(lambda path: path.symlink_to("/dev/zero")),
}


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    monkeypatch.setattr(block_training, "BLOCK_ROWS", BLOCK_ROWS)
    monkeypatch.setattr(row_encoding, "DEALT_BLOCKS", DEALT_BLOCKS)
    monkeypatch.setattr(os, "fsync", lambda _: None)  # no power is cut here


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return write_films(tmp_path_factory.mktemp("data") / "films.csv", 130)


@pytest.fixture
def trained(data, tmp_path):
    """The bytes of the undamaged model."""
    train(data, blocks=True, scratch=tmp_path, output=tmp_path / "model", n_jobs=1)
    return (tmp_path / "model").read_bytes()


def leave(data, tmp_path, stage):
    left = tmp_path / "left"
    left.mkdir()
    train_until(*stage, data, left)
    return left


def resume(data, left, tmp_path, damage):
    """What comes of the folder with a damage: the bytes of the model, or the error."""
    scratch, out = tmp_path / "scratch", tmp_path / "resumed"
    shutil.copytree(left, scratch)
    (folder,) = scratch.iterdir()
    damage(folder)
    out.unlink(missing_ok=True)
    signal.alarm(LIMIT)
    try:
        train(data, blocks=True, scratch=scratch, resume=True, output=out, n_jobs=1)
        return out.read_bytes()
    except WordplaneError as error:
        assert "\n" not in str(error)
        assert "is gone or damaged" in str(error) or "cannot write" in str(error)
        assert list(scratch.iterdir()) == []
        return "refused"
    finally:
        signal.alarm(0)
        shutil.rmtree(scratch)


def files_of(left):
    (folder,) = left.iterdir()
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.slow
@pytest.mark.parametrize("stage", STAGES, ids=str)
def test_each_damage_of_each_file(data, trained, tmp_path, stage):
    left, outcomes = leave(data, tmp_path, stage), {}
    for number, name in enumerate(files_of(left)):
        for place, (kind, damage) in enumerate(DAMAGES.items()):
            if (number + place) % 6 and kind not in ("a bit", "swapped"):
                continue  # every sixth one: all take minutes

            def damage_one(folder, name=name, damage=damage):
                others = sorted(path for path in folder.iterdir() if path.name != name)
                damage(folder / name, others)

            found = resume(data, left, tmp_path, damage_one)
            outcomes[name, kind] = found == trained, found == "refused"
    wrong = [key for key, (is_same, is_refused) in outcomes.items() if not (is_same or is_refused)]
    assert wrong == []
    assert any(is_refused for _, is_refused in outcomes.values())
    assert any(is_same for is_same, _ in outcomes.values())  # as if the lock is damaged


@pytest.mark.soak
def test_many_random_damages(data, trained, tmp_path):
    rng, n_same = random.Random(0), 0
    for number, stage in enumerate(STAGES):
        where = tmp_path / str(number)
        where.mkdir()
        left = leave(data, where, stage)
        names = files_of(left)
        for _ in range(250):
            name, kind = rng.choice(names), rng.choice([*DAMAGES, "bits", "bits", "run"])

            def damage(folder, name=name, kind=kind):
                path = folder / name
                if kind in DAMAGES:
                    DAMAGES[kind](path, [each for each in folder.iterdir() if each != path])
                    return
                content = bytearray(path.read_bytes() or b"\0")
                for _ in range(rng.randint(1, 20) if kind == "bits" else 0):
                    content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
                if kind == "run":
                    begin = rng.randrange(len(content))
                    content[begin : begin + 64] = rng.randbytes(rng.randint(0, 64))
                path.write_bytes(content)

            found = resume(data, left, where, damage)
            assert found in (trained, "refused"), (stage, name, kind)
            n_same += found == trained
    assert 0 < n_same < 1000


def forge(folder, rng):
    """Change something, and make the checksums right again: what no accident does."""
    record = read_record(folder)
    if rng.random() < 0.5:
        name = rng.choice(sorted(record["files"]))
        entry = record["files"][name]
        path = folder / name
        if not path.exists() or rng.random() < 0.3:
            entry[rng.choice(["type", "shape"])] = rng.choice(
                ["uint8", "float64", "object", [1 << 40], [0], [2, 2], 7]
            )
        else:
            array = np.fromfile(path, entry["type"]).reshape(entry["shape"])
            if array.size:
                array.flat[rng.randrange(array.size)] = rng.choice([0, 1, 3, 100, 127])
            data = array.tobytes()
            entry["crc"] = zlib.crc32(data)
            path.write_bytes(data)
    else:
        step = rng.choice(sorted(record["steps"]))
        entry = record["steps"][step]
        key = rng.choice(sorted(entry))
        entry[key] = rng.choice([0, 1, 9, [], ["n"], {}, {"sizes": 3}, "x", None])
    json.dumps(record)
    write_record(folder, record)


@pytest.mark.soak
@pytest.mark.filterwarnings("ignore::wordplane.common.errors.ConvergenceWarning")
def test_forged_folders_neither_crash_nor_end_in_a_traceback(data, tmp_path):
    """They may give another model: whoever can write here is the user who trains."""
    rng = random.Random(1)
    for number, stage in enumerate(STAGES):
        where = tmp_path / str(number)
        where.mkdir()
        left = leave(data, where, stage)
        for _ in range(150):
            resume(data, left, where, lambda folder: forge(folder, rng))

"""Models of fastText with other bytes: refused with an error that says why, or they work."""

import atexit
import shutil
import struct
import tempfile
from pathlib import Path

import numpy as np
from python_input import Input
from small_models import FASTTEXT

from wordplane.common.errors import InputError
from wordplane.model.classifier import TextClassifier
from wordplane.model.fasttext import read_fasttext_model
from wordplane.model.file import from_bytes, to_bytes

MEMORY = Path("/dev/shm")
FOLDER = Path(tempfile.mkdtemp(dir=MEMORY if MEMORY.is_dir() else None))
atexit.register(shutil.rmtree, FOLDER)

MODELS = [path.read_bytes() for path in sorted(FASTTEXT.glob("*.[bf][it][nz]"))]
HEAD = 96  # bytes, of which most are sizes
TEXTS = ["", "ba ko ti", "語 x </s> x", "__label__l0 😀"]


def change(data: bytearray, given: Input) -> None:
    at = given.number(0, HEAD - 1) if given.flag() else given.number(0, len(data))
    kind = given.number(0, 3)
    if kind == 0 and at < len(data):
        data[at] ^= 1 << given.number(0, 7)
    elif kind == 1 and at < len(data):
        data[at] = given.number(0, 255)
    elif kind == 2:
        number = [0, -1, 1, 2**31 - 1, 1 << 20, given.number(0, 255)][given.number(0, 5)]
        data[at : at + 4] = struct.pack("<i", number)
    else:
        del data[at : at + given.number(1, 255)]


def one_input(data: bytes) -> None:
    given = Input(data)
    changed = bytearray(MODELS[given.number(0, len(MODELS) - 1)])
    for _ in range(given.number(1, 4)):
        change(changed, given)
    path = FOLDER / "model.bin"
    path.write_bytes(changed)
    try:
        stored = to_bytes(read_fasttext_model(path))
    except InputError:
        return
    model = TextClassifier.from_model(from_bytes(stored))
    P = model.predict_proba(TEXTS)
    assert ((P >= 0) & (P <= 1)).all()
    assert np.isfinite([model.explain(text).score for text in TEXTS]).all()

"""Folders of blocks that an ended training has left, with one damage that no checksum hides.

`train --resume` gives the bytes that it would have given without the damage, or refuses it with an
error that says why. blocks.py has the damages whose checksums are right.
"""

import atexit
import os
import shutil
import tempfile
import warnings
from pathlib import Path

from python_input import Input

from wordplane import train
from wordplane.common.errors import ConvergenceWarning, WordplaneError
from wordplane.scale import row_encoding
from wordplane.scale.scratch_record import Record
from wordplane.workflow import block_training

MEMORY = Path("/dev/shm")  # files are written and read a hundred times a second
FOLDER = Path(tempfile.mkdtemp(dir=MEMORY if MEMORY.is_dir() else None))
atexit.register(shutil.rmtree, FOLDER)
SCRATCH, MODEL, DATA = FOLDER / "scratch", FOLDER / "model", FOLDER / "films.csv"
TEXTS = ["a great film", "great fun", "a dull film", "dull, long", "not a great film", "dull film"]
LABELS = ["pos", "pos", "neg", "neg", "neg", "neg"]
SAID = ("is gone or damaged", "cannot write")

os.environ["SOURCE_DATE_EPOCH"] = "0"
warnings.simplefilter("ignore", ConvergenceWarning)
block_training.BLOCK_ROWS = 5  # several blocks although there are few texts
row_encoding.DEALT_BLOCKS = 2


def run(resume: bool) -> bytes:
    """The bytes of the model."""
    options = {"learner": "nb", "analyzer": {"ngrams": (1, 2)}, "test": False, "n_jobs": 1}
    train(DATA, blocks=True, scratch=SCRATCH, output=MODEL, resume=resume, **options)
    return MODEL.read_bytes()


def make() -> tuple[bytes, list[tuple[str, dict[str, bytes]]]]:
    """The model, and the folder after each step: its name, and its files."""
    rows = [f"{text},{label}\n" for text, label in zip(TEXTS, LABELS, strict=True)]
    DATA.write_text("text,label\n" + "".join(rows).replace("dull, long", "dull long") * 3)
    save, stages = Record.save, []

    def save_and_look(record: Record) -> None:
        save(record)
        folder = record.folder
        stages.append((folder.name, {path.name: path.read_bytes() for path in folder.iterdir()}))

    SCRATCH.mkdir()
    Record.save = save_and_look  # type: ignore[method-assign]
    model = run(resume=False)
    Record.save = save  # type: ignore[method-assign]
    return model, stages


EXPECTED, STAGES = make()


def damage(files: dict[str, bytes], data: Input) -> None:
    """Change one file."""
    names = sorted(files)
    name = names[data.number(0, len(names) - 1)]
    content = bytearray(files[name])
    kind = data.number(0, 6)
    at = data.number(0, max(len(content) - 1, 0))
    if kind == 0:
        del files[name]
        return
    if kind == 1:
        del content[at:]
    elif kind == 2:
        content += bytes(data.number(1, 255))
    elif kind == 3:
        other = names[data.number(0, len(names) - 1)]
        files[name], files[other] = files[other], files[name]
        return
    elif kind == 4:
        content[at : at + data.number(1, 64)] = bytes(data.number(0, 64))
    elif content:
        for _ in range(data.number(1, 4)):
            content[data.number(0, len(content) - 1)] ^= 1 << data.number(0, 7)
    files[name] = bytes(content)


def one_input(given: bytes) -> None:
    data = Input(given)
    name, files = STAGES[data.number(0, len(STAGES) - 1)]
    files = dict(files)
    damage(files, data)
    folder = SCRATCH / name
    folder.mkdir(mode=0o700)
    for each, content in files.items():
        (folder / each).write_bytes(content)
    try:
        assert run(resume=True) == EXPECTED
    except WordplaneError as error:
        assert "\n" not in str(error) and any(said in str(error) for said in SAID), error
    assert list(SCRATCH.iterdir()) == []

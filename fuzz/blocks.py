"""Folders of blocks that somebody has changed, with the checksums made right again.

They are refused with an error that says why, or read; `train --resume` reads them in this order.
"""

import atexit
import json
import shutil
import tempfile
import zlib
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from documents import Document, change
from python_input import Input

from wordplane import Analyzer
from wordplane.common.errors import WordplaneError
from wordplane.data.corpus import Corpus
from wordplane.scale.row_encoding import encode_rows
from wordplane.scale.scratch import Scratch
from wordplane.scale.scratch_record import Record
from wordplane.scale.text_blocks import store_texts
from wordplane.scale.vocabularies import count_vocabularies
from wordplane.text.texts import as_texts

MEMORY = Path("/dev/shm")  # files are written and read a thousand times a second
FOLDER = Path(tempfile.mkdtemp(dir=MEMORY if MEMORY.is_dir() else None))
atexit.register(shutil.rmtree, FOLDER)
TEXTS = ["a great film", "great fun", "a dull film", "dull, long", "not a great film"]
LABELS = ["pos", "pos", "neg", "neg", "neg"]
ANALYZER = Analyzer(ngrams=(1, 2), min_df=1)


def batches() -> list[Corpus]:
    corpus = Corpus(as_texts(TEXTS), LABELS, split=["train"] * 4 + ["test"])
    return [corpus.take(range(3)), corpus.take(range(3, 5))]


def resume(folder: Path) -> None:
    """The steps of a training up to its first fit."""
    scratch = Scratch(folder, Record.load(folder))
    stored = store_texts(batches(), scratch)
    blocks = stored.parts["train"]
    held_out = np.zeros(len(blocks), bool)
    held_out[:1] = True
    kept = count_vocabularies(ANALYZER, blocks, held_out, 1)
    columns = {part: np.arange(sum(each.sizes), dtype=np.int32) for part, each in kept.items()}
    blocks.keep_only(held_out)
    rows = encode_rows(kept, columns, blocks, binary=False, deal=None, threads=1)
    for block in range(len(rows.bounds) - 1):
        rows.read(block)


def make() -> list[tuple[dict[str, bytes], dict[str, Any]]]:
    """The files of a folder after each of its steps, and its record."""
    folder, save, stages = FOLDER / "made", Record.save, []

    def save_and_look(record: Record) -> None:
        save(record)
        files = {path.name: path.read_bytes() for path in folder.iterdir()}
        stages.append((files, json.loads(files.pop("record").partition(b"\n")[2])))

    folder.mkdir()
    Record.save = save_and_look  # type: ignore[method-assign]
    resume(folder)
    Record.save = save  # type: ignore[method-assign]
    return stages


STAGES = make()


def change_file(files: dict[str, bytes], record: Any, data: Input) -> None:
    names = sorted(name for name in files if name in record["files"])
    if not names:
        return
    name = names[data.number(0, len(names) - 1)]
    entry, content = record["files"][name], bytearray(files[name])
    kind = data.number(0, 3)
    if kind == 0 and content:
        content[data.number(0, len(content) - 1)] = data.number(0, 255)
    elif kind == 1:
        content = content[: data.number(0, len(content))]
        size = np.dtype(entry["type"]).itemsize
        entry["shape"] = [len(content) // size, *entry["shape"][1:]]
    elif kind == 2:
        other = names[data.number(0, len(names) - 1)]
        content, record["files"][name] = bytearray(files[other]), dict(record["files"][other])
    else:
        del files[name]
        return
    files[name] = bytes(content)
    record["files"][name]["crc"] = zlib.crc32(content)


def one_input(given: bytes) -> None:
    data = Input(given)
    files, record = STAGES[data.number(0, len(STAGES) - 1)]
    files, record = dict(files), json.loads(json.dumps(record))
    for _ in range(data.number(1, 3)):
        if data.flag() and isinstance(record.get("files"), dict):
            change_file(files, record, data)
        else:
            record = change(record, data, Document(record))
            break  # it may be anything now
    folder = FOLDER / "changed"
    folder.mkdir()
    try:
        for name, content in files.items():
            (folder / name).write_bytes(content)
        body = json.dumps(record).encode()
        (folder / "record").write_bytes(sha256(body).hexdigest().encode() + b"\n" + body)
        resume(folder)
    except WordplaneError as error:
        assert "\n" not in str(error)
    finally:
        shutil.rmtree(folder)

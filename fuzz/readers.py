"""Files of every format that people write: read, or refused with an error that says why.

Whole and in batches, a file has the same rows.
"""

import atexit
import math
import shutil
import tempfile
from pathlib import Path

import numpy as np
from seeds import FORMATS

from wordplane.common.errors import InputError
from wordplane.data.corpus import Corpus, label_tuple
from wordplane.data.formats import counts, delimited, fasttext, jsonl, svmlight, vw  # noqa: F401
from wordplane.data.read import read, read_batches
from wordplane.features.pretrained.read import read_word_vectors
from wordplane.text.lexicon import Lexicon

MEMORY = Path("/dev/shm")  # files are written and read a thousand times a second
FOLDER = Path(tempfile.mkdtemp(dir=MEMORY if MEMORY.is_dir() else None))
atexit.register(shutil.rmtree, FOLDER)


def rows(corpora: list[Corpus]) -> list[tuple[object, ...]]:
    """Texts, sets of labels and weights; a batch does not know whether others have sets."""
    return [
        (text, label_tuple(label), weight)
        for corpus in corpora
        for text, label, weight in zip(
            corpus.texts,
            corpus.labels or [None] * len(corpus),
            [1.0] * len(corpus) if corpus.weights is None else corpus.weights,
            strict=True,
        )
    ]


def read_table(path: Path, format: str, options: int) -> None:
    named = {
        "format": format,
        "header": not options & 1,
        "skip_bad": bool(options & 2),
        "labels": not options & 4,
        "encoding": "latin-1" if options & 8 else "utf-8",
        "label_separator": "," if options & 16 else None,
        "skip_unlabeled": bool(options & 32),
    }
    try:
        whole = rows([read(path, **named)])
    except InputError:
        return
    batched = rows(list(read_batches(path, batch_size=1 + (options >> 6), **named)))
    if named["skip_unlabeled"]:  # a row without labels is one of several labels, or to be left out
        whole, batched = ([row for row in one if row[1]] for one in (whole, batched))
    assert whole == batched, (whole, batched)


def read_embeddings(path: Path) -> None:
    try:
        source = read_word_vectors(path)
        words, vectors = source.lookup(source.words)
    except InputError:
        return
    assert len(words) == len(set(words)) == len(vectors) > 0
    assert np.isfinite(vectors).all()


def read_lexicon(path: Path) -> None:
    try:
        lexicon = Lexicon.read(path)
    except InputError:
        return
    assert all(word and math.isfinite(score) for word, score in lexicon.items())


def one_input(data: bytes) -> None:
    if len(data) < 2:
        return
    format = FORMATS[data[0] % len(FORMATS)]
    path = FOLDER / ("input.gz" if format == "gz" else "input")
    path.write_bytes(data[2:])
    if format == "vec":
        read_embeddings(path)
    elif format == "lexicon":
        read_lexicon(path)
    else:
        read_table(path, "csv" if format == "gz" else format, data[1])

"""A fingerprint of texts: a model remembers it, and so knows the texts that it was trained on."""

from hashlib import sha256

import numpy as np

from wordplane._core import Texts
from wordplane.common.types import IntArray
from wordplane.data.corpus import Corpus
from wordplane.model.training_record import Training

MAX_TEXTS = 200  # that are looked at
TRAINED_ON = "these are the texts the model was trained on; it will do worse on new ones"


def fingerprint(texts: Texts, rows: IntArray) -> str:
    """The number of rows and 200 of their texts, evenly spaced, as a short hash.

    >>> from wordplane.text.texts import as_texts
    >>> one = fingerprint(as_texts(["a", "b"]), np.array([0, 1]))
    >>> one == fingerprint(as_texts(["b", "a"]), np.array([1, 0]))
    True
    """
    return fingerprint_of_sample(len(rows), texts.take(rows[fingerprint_rows(len(rows))]))


def fingerprint_rows(n_rows: int) -> IntArray:
    """The rows whose texts are looked at."""
    return np.linspace(0, n_rows - 1, min(MAX_TEXTS, n_rows)).astype(np.int64)


def fingerprint_of_sample(n_rows: int, texts: Texts) -> str:
    """The fingerprint of n_rows texts of which these are the `fingerprint_rows`."""
    digest = sha256(b"%d" % n_rows)
    for text in texts:
        digest.update(b"\0" + text.encode("utf-8", "surrogatepass"))
    return digest.hexdigest()[:16]


def was_trained_on(training: Training, corpus: Corpus) -> bool:
    """Whether the rows to train on of a corpus are those that this record tells of."""
    return training.fingerprint == fingerprint(corpus.texts, corpus.split_rows("train"))

"""Whether texts are those that a model was trained on, by a mark that the model keeps of them."""

from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordplane._core import Texts
from wordplane.data.corpus import Corpus

MOST = 200  # texts that are looked at
TRAINED_ON = "these are the texts the model was trained on; it will do worse on new ones"


def mark(texts: Texts, rows: NDArray[np.int64]) -> str:
    """The number of rows and 200 of their texts, evenly spaced, as a short hash.

    >>> from wordplane.text.texts import as_texts
    >>> mark(as_texts(["a", "b"]), np.array([0, 1])) == mark(as_texts(["b", "a"]), np.array([1, 0]))
    True
    """
    found = sha256(b"%d" % len(rows))
    for row in rows[np.linspace(0, len(rows) - 1, min(MOST, len(rows))).astype(int)].tolist():
        found.update(b"\0" + texts[row].encode("utf-8", "surrogatepass"))
    return found.hexdigest()[:16]


def trained_on(training: dict[str, Any], corpus: Corpus) -> bool:
    """Whether the rows to train on of a corpus are those of a model with this summary."""
    return training.get("texts_mark") == mark(corpus.texts, corpus.split_rows("train"))

"""Files of word embeddings: Wordplane's own, and the text format of word2vec and GloVe.

Wordplane's file is safetensors: words, vectors and idf as arrays, the parameters as JSON. It is
checked when it is loaded, and nothing in it is executed.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import ClassVar, Self, cast

import numpy as np
from numpy.typing import NDArray

from wordplane.common.errors import InputError, ModelFileError
from wordplane.common.files import whole_file
from wordplane.common.json_text import parse_json
from wordplane.common.memory import require_memory_for
from wordplane.common.progress import notify
from wordplane.common.types import FloatArray, JsonObject

FORMAT = "wordplane embeddings 2"
MOST_DIGITS = 9  # of a number of words or of numbers
VOCABULARY = ("word_bytes", "word_ends", "ngram_firsts", "ngram_lasts", "columns")
VocabularyArrays = tuple[
    NDArray[np.uint8],
    NDArray[np.int64],
    NDArray[np.uint32],
    NDArray[np.uint32],
    NDArray[np.int32],
]


@dataclass(frozen=True)
class StoredEmbeddings:
    """The content of a file of word embeddings: parameters and arrays."""

    ARRAYS: ClassVar[dict[str, tuple[str, int]]] = {
        "word_bytes": ("uint8", 1),
        "word_ends": ("int64", 1),
        "ngram_firsts": ("uint32", 1),
        "ngram_lasts": ("uint32", 1),
        "columns": ("int32", 1),
        "vectors": ("float32", 2),
        "idf": ("float64", 1),
    }

    parameters: JsonObject
    arrays: dict[str, NDArray[np.generic]]

    def save(self, path: str | PathLike[str]) -> None:
        """Write the file; an old file stays intact until the new one is complete."""
        from safetensors.numpy import save

        document = json.dumps(self.parameters, sort_keys=True)
        data = _sort_metadata(save(self.arrays, {"format": FORMAT, "parameters": document}))
        with whole_file(path) as draft:
            draft.write_bytes(data)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Read a file; `check` says whether its content can be used."""
        from safetensors import SafetensorError, safe_open

        if not Path(path).is_file():
            raise InputError(f"{path}: there is no such file")
        require_memory_for([str(path)], "reading all vectors", "give a file with fewer words")
        try:
            with safe_open(path, "numpy") as file:
                metadata = file.metadata() or {}
                if metadata.get("format") != FORMAT:
                    raise ModelFileError(f"{path}: this is not a file of embeddings from Wordplane")
                arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
            parameters = parse_json(metadata["parameters"])
        except (
            SafetensorError,
            AttributeError,
            ValueError,
            KeyError,
            TypeError,
            RecursionError,
        ) as error:
            raise ModelFileError(f"{path}: cannot be used as embeddings: {error}") from None
        except OSError as error:
            raise InputError(f"{path}: cannot be read: {error.strerror}") from None
        return cls(parameters, arrays)

    def check(self, parameters: Iterable[str]) -> None:
        """Raise an error if names of parameters or arrays are wrong, or values are not finite."""
        if not isinstance(self.parameters, dict) or set(self.parameters) != set(parameters):
            raise InputError(f"expected the parameters {', '.join(sorted(parameters))}")
        for name in set(self.ARRAYS) | set(self.arrays):
            array = self.arrays.get(name)
            dtype, n_dims = self.ARRAYS.get(name, ("", 0))
            if array is None and name == "idf":
                continue
            if array is None or array.dtype.name != dtype or array.ndim != n_dims:
                raise InputError(f"the array {name} is not {n_dims}-dimensional {dtype}")
            if name in ("vectors", "idf") and not np.isfinite(cast(FloatArray, array)).all():
                raise InputError(f"{name} has a value that is not finite")
        idf = cast(FloatArray | None, self.arrays.get("idf"))
        if idf is not None and (len(idf) != len(self.arrays["vectors"]) or (idf < 0).any()):
            raise InputError("idf: expected one number of 0 or more per word")


def _sort_metadata(data: bytes) -> bytes:
    """The same safetensors with sorted metadata, which the library writes in a random order."""
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + size])
    header["__metadata__"] = dict(sorted(header["__metadata__"].items()))
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text + data[8 + size :]


def vocabulary_arrays(arrays: dict[str, NDArray[np.generic]]) -> VocabularyArrays:
    """The arrays of the vocabulary, whose types `check` has checked."""
    return cast(VocabularyArrays, tuple(arrays[name] for name in VOCABULARY))


def read_vectors(path: str | PathLike[str]) -> tuple[list[str], NDArray[np.float32]]:
    """The words and vectors of a text file with a word and its numbers, separated by blanks, on
    each line.

    A first line of two whole numbers, as word2vec writes it, is skipped. If a word occurs twice,
    its first vector counts.
    """
    require_memory_for([str(path)], "reading all vectors", "give a file with fewer words")
    try:
        lines = Path(path).read_bytes().decode("utf-8").split("\n")
    except FileNotFoundError:
        raise InputError(f"{path}: there is no such file") from None
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read as UTF-8 text: {error}") from None
    head = lines[0].split()
    is_header = len(head) == 2 and all(n.isdecimal() and len(n) <= MOST_DIGITS for n in head)
    n_numbers = int(head[1]) if is_header else None
    first = 0 if n_numbers is None else 1
    rows: dict[str, NDArray[np.float32]] = {}
    for number, line in enumerate(lines[first:], first + 1):
        fields = line.rstrip().split(" ")
        if fields == [""]:
            continue
        n_numbers = len(fields) - 1 if n_numbers is None else n_numbers
        word = " ".join(fields[:-n_numbers]) if n_numbers > 0 else ""
        place = f"{path}, line {number}"
        rows.setdefault(word, _parse_vector(fields[-n_numbers:], n_numbers, place))
        if not word:
            raise InputError(
                f"{place}: found {line!r:.60}, expected a word and {n_numbers} numbers"
            )
        if number % 10_000 == 0:
            notify("reading vectors", number, len(lines))
    if not rows:
        raise InputError(f"{path}: the file has no words")
    return list(rows), np.array(list(rows.values()))


def _parse_vector(fields: list[str], n_numbers: int, place: str) -> NDArray[np.float32]:
    try:
        vector = np.array(fields, np.float32)
    except ValueError:
        vector = np.zeros(0, np.float32)
    if len(vector) != n_numbers or not np.isfinite(vector).all():
        raise InputError(f"{place}: expected a word and {n_numbers} finite numbers")
    return vector

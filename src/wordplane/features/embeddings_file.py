"""Files of word embeddings: Wordplane's own.

It is safetensors: words, vectors and idf as arrays, the parameters as JSON. It is
checked when it is loaded, and nothing in it is executed.
"""

import json
from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from typing import ClassVar, Self, cast

import numpy as np
from numpy.typing import NDArray

from wordplane.common.errors import InputError, ModelFileError
from wordplane.common.files import no_such_file, whole_file
from wordplane.common.frozen import frozen
from wordplane.common.json_text import parse_json
from wordplane.common.memory import require_memory_for
from wordplane.common.tensor_file import tensor_bytes
from wordplane.common.types import FloatArray, JsonObject

FORMAT = "wordplane embeddings 2"
VOCABULARY = ("word_bytes", "word_ends", "ngram_firsts", "ngram_lasts", "columns")
VocabularyArrays = tuple[
    NDArray[np.uint8],
    NDArray[np.int64],
    NDArray[np.uint32],
    NDArray[np.uint32],
    NDArray[np.int32],
]


@frozen
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
        document = json.dumps(self.parameters, sort_keys=True)
        data = tensor_bytes(self.arrays, {"format": FORMAT, "parameters": document})
        with whole_file(path) as draft:
            draft.write_bytes(data)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Read a file; `check` says whether its content can be used."""
        from safetensors import SafetensorError, safe_open

        if not Path(path).is_file():
            raise InputError(no_such_file(path))
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


def vocabulary_arrays(arrays: dict[str, NDArray[np.generic]]) -> VocabularyArrays:
    """The arrays of the vocabulary, whose types `check` has checked."""
    return cast(VocabularyArrays, tuple(arrays[name] for name in VOCABULARY))

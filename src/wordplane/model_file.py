"""The model file: written whole or not at all, safe to load from strangers.

    8 bytes    magic: "WORDPLN" and the version of the format
    32 bytes   SHA-256 of all that follows
    8 bytes    length of the payload, little-endian
    payload    safetensors: the arrays, and one JSON document as metadata

The digest finds damage. It stops no malice, since anyone can compute it: therefore every
size, type and index is checked before use, nothing in the file is executed, and a few
golden texts must get the scores that were stored with them. docs/model-file.md has it all.
"""

import hashlib
import json
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load, save

import wordplane
from wordplane import _core
from wordplane.errors import ModelFileError, WordplaneError
from wordplane.files import whole_file
from wordplane.labels import class_array
from wordplane.learners.base import best_class
from wordplane.text.analyzer import Analyzer
from wordplane.text_model import TextModel

MAGIC = b"WORDPLN"
VERSION = 1
HEADER = len(MAGIC) + 1 + 32 + 8

# Every array of the file, its type and number of dimensions: the vocabulary, then W and b.
ARRAYS: dict[str, tuple[str, int]] = {
    "word_bytes": ("uint8", 1),
    "word_ends": ("int64", 1),
    "ngram_firsts": ("uint32", 1),
    "ngram_lasts": ("uint32", 1),
    "columns": ("int32", 1),
    "W": ("float32", 2),
    "b": ("float64", 1),
}

LABEL_TYPES = {"string": str, "integer": int, "boolean": bool}
GOLDEN_TOLERANCE = 1e-5


def save_model(model: TextModel, path: str | PathLike[str]) -> None:
    """Write the model; the old file stays whole until the new one is."""
    data = to_bytes(model)
    with whole_file(path) as draft:
        draft.write_bytes(data)


def load_model(path: str | PathLike[str]) -> TextModel:
    """Read a model, checking everything; ModelFileError says what is wrong with it."""
    try:
        with Path(path).open("rb") as file:
            data = file.read(HEADER)
            _check_magic(data)
            return from_bytes(data + file.read())
    except FileNotFoundError:
        raise ModelFileError(f"{path}: there is no such file") from None
    except OSError as error:
        raise ModelFileError(f"{path}: cannot be read ({error.strerror})") from None
    except ModelFileError as error:
        raise ModelFileError(f"{path}: {error}") from None


def to_bytes(model: TextModel) -> bytes:
    """The file's content. It depends on nothing but the model."""
    arrays: dict[str, NDArray[Any]] = dict(
        zip(ARRAYS, (*model.vocabulary.arrays(), model.W, model.b), strict=True)
    )
    metadata = {
        "kind": "linear",
        "wordplane": wordplane.__version__,
        "unicode": _core.unicode_version,
        "analyzer": model.analyzer.to_dict(),
        "classes": _labels_to_json(model.classes),
        "training": model.training,
        "golden": _golden_rows(model),
    }
    if not (np.isfinite(model.W).all() and np.isfinite(model.b).all()):
        raise WordplaneError("the model has a weight that is not finite; it cannot be saved")
    document = json.dumps(metadata, sort_keys=True, ensure_ascii=False, allow_nan=False)
    payload = save(arrays, {"wordplane": document})
    body = len(payload).to_bytes(8, "little") + payload
    return MAGIC + bytes([VERSION]) + hashlib.sha256(body).digest() + body


def from_bytes(data: bytes) -> TextModel:
    """The model in a file's content."""
    payload = _checked_payload(data)
    arrays = _arrays(payload)
    metadata = _metadata(payload)
    try:
        analyzer = Analyzer.from_dict(metadata["analyzer"])
        words, ends, firsts, lasts, columns = (arrays[name] for name in list(ARRAYS)[:5])
        vocabulary = _core.Vocabulary(words, ends, firsts, lasts, columns)
    except ValueError as error:
        raise ModelFileError(f"not a usable model: {error}") from None
    classes = _labels_from_json(metadata["classes"])
    W, b = arrays["W"], arrays["b"]
    n_outputs = 1 if len(classes) == 2 else len(classes)
    _require(W.shape == (vocabulary.n_features, n_outputs), "weights of another shape")
    _require(b.shape == (n_outputs,), "biases of another shape")
    _require(bool(np.isfinite(W).all() and np.isfinite(b).all()), "a weight that is not finite")
    _require(isinstance(metadata["training"], dict), "no training summary")
    model = TextModel(analyzer, vocabulary, classes, W, b, metadata["training"])
    _check_golden(model, metadata["golden"])
    return model


def _require(holds: bool, what: str) -> None:
    if not holds:
        raise ModelFileError(f"not a usable model: {what}")


def _check_magic(data: bytes) -> None:
    if data[: len(MAGIC)] != MAGIC:
        raise ModelFileError("this is not a Wordplane model")


def _checked_payload(data: bytes) -> bytes:
    _check_magic(data)
    if len(data) < HEADER:
        raise ModelFileError(f"the file ends after {len(data)} bytes: it is cut off")
    version = data[len(MAGIC)]
    if version != VERSION:
        raise ModelFileError(
            f"the model has format version {version}, this Wordplane reads version {VERSION}; "
            "use the Wordplane that wrote it, or train again"
        )
    body = data[HEADER - 8 :]
    if hashlib.sha256(body).digest() != data[HEADER - 40 : HEADER - 8]:
        raise ModelFileError("the file is damaged: its SHA-256 does not match its content")
    if int.from_bytes(body[:8], "little") != len(body) - 8:
        raise ModelFileError("the file is damaged: its payload has another length than stated")
    return body[8:]


def _arrays(payload: bytes) -> dict[str, NDArray[Any]]:
    try:
        arrays: dict[str, NDArray[Any]] = load(payload)
    except (SafetensorError, ValueError, KeyError) as error:
        raise ModelFileError(f"not a usable model: {error}") from None
    _require(set(arrays) == set(ARRAYS), f"the arrays {', '.join(ARRAYS)} are expected")
    for name, (dtype, n_dims) in ARRAYS.items():
        array = arrays[name]
        _require(
            array.dtype.name == dtype and array.ndim == n_dims,
            f"{name} is {array.ndim}-dimensional {array.dtype}, not {n_dims}-dimensional {dtype}",
        )
    return arrays


def _metadata(payload: bytes) -> dict[str, Any]:
    # safetensors: 8 bytes length of a JSON header, checked by load() before.
    header_end = 8 + int.from_bytes(payload[:8], "little")
    try:
        header = json.loads(payload[8:header_end])
        metadata = json.loads(header["__metadata__"]["wordplane"])
    except (ValueError, KeyError, TypeError, RecursionError):
        raise ModelFileError("not a usable model: the metadata cannot be read") from None
    expected = {"kind", "wordplane", "unicode", "analyzer", "classes", "training", "golden"}
    _require(isinstance(metadata, dict) and set(metadata) >= expected, "metadata is missing")
    _require(metadata["kind"] == "linear", f"a model of the unknown kind {metadata['kind']!r}")
    return dict(metadata)


def _labels_to_json(classes: NDArray[Any]) -> dict[str, Any]:
    values = classes.tolist()
    name = next(name for name, kind in LABEL_TYPES.items() if type(values[0]) is kind)
    return {"type": name, "values": values}


def _labels_from_json(classes: Any) -> NDArray[Any]:
    _require(
        isinstance(classes, dict)
        and isinstance(classes.get("type"), str)
        and classes["type"] in LABEL_TYPES
        and isinstance(classes.get("values"), list),
        "no classes",
    )
    kind, values = LABEL_TYPES[classes["type"]], classes["values"]
    _require(all(type(value) is kind for value in values), "labels of another type than stated")
    _require(len(values) >= 2 and values == sorted(set(values)), "classes not sorted")
    try:
        "".join(values if kind is str else ()).encode()
    except UnicodeEncodeError:
        raise ModelFileError("not a usable model: a label that is no text") from None
    _require(kind is not int or -(2**63) <= values[0] <= values[-1] < 2**63, "a label out of range")
    return class_array(values)


def _golden_rows(model: TextModel) -> list[dict[str, Any]]:
    """A few texts with their scores. They are made of the model's own features, so that no
    training text and no word that was left out reaches the file."""
    strongest = np.argsort(-np.abs(model.W).max(axis=1), kind="stable")[:24].tolist()
    item = "{}:1" if model.analyzer.tokens == "counts" else "{}"
    names = [item.format(model.vocabulary.name(column)) for column in strongest]
    texts = ["", " ".join(names[:8]), " ".join(names[8:]), " ".join(names[:2] * 2)]
    z = model.scores(_core.Texts(texts), threads=1)
    best = _best(model, z)
    return [
        {"text": text, "class": int(k), "scores": row.tolist()}
        for text, k, row in zip(texts, best, z, strict=True)
    ]


def _check_golden(model: TextModel, rows: Any) -> None:
    shape = (len(rows), len(model.b)) if isinstance(rows, list) else None
    try:
        texts = _core.Texts([row["text"] for row in rows])
        expected = np.array([row["scores"] for row in rows], dtype=np.float64)
        best = [row["class"] for row in rows]
        z = model.scores(texts, threads=1)
    except (TypeError, ValueError, KeyError, OverflowError):
        raise ModelFileError("not a usable model: no golden rows") from None
    _require(len(rows) > 0 and expected.shape == shape, "no golden rows")
    if not np.allclose(z, expected, rtol=GOLDEN_TOLERANCE, atol=GOLDEN_TOLERANCE) or (
        _best(model, z).tolist() != best
    ):
        raise ModelFileError(
            "the model does not give its golden texts the scores it gave when it was saved: "
            "this build reads text differently; train again"
        )


def _best(model: TextModel, z: NDArray[np.float64]) -> NDArray[np.intp]:
    return best_class(z[:, 0] if z.shape[1] == 1 else z, len(model.classes))

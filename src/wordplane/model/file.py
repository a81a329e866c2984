"""The model file: written whole or not at all, safe to load from strangers.

    8 bytes    magic: "WORDPLN" and the version of the format
    32 bytes   SHA-256 of all that follows
    8 bytes    length of the payload, little-endian
    payload    safetensors: the arrays, and one JSON document as metadata

The digest finds damage. It stops no malice, since anyone can compute it: therefore every
size, type and index is checked before use, nothing in the file is executed, and a few golden
texts must get the answers that were stored with them. docs/model-file.md has it all.

The core reads the format (`native/model`), as it does for the library; what arrays and metadata
mean is read here.
"""

from __future__ import annotations

import hashlib
import json
import os
import shlex
from io import FileIO
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

import wordplane
from wordplane import _core
from wordplane.common.errors import InputError, ModelFileError, WordplaneError
from wordplane.common.files import check_name, no_such_file, whole_file
from wordplane.common.label_chain import LabelChain
from wordplane.common.memory import require_memory_for
from wordplane.common.pool import start_job
from wordplane.common.tensor_file import tensor_bytes
from wordplane.common.types import JsonObject
from wordplane.evaluation.calibration import Calibrator, calibrator_from_dict
from wordplane.evaluation.label_decisions import LabelDecisions
from wordplane.evaluation.number_intervals import KIND as NUMBER
from wordplane.evaluation.number_intervals import NumberIntervals
from wordplane.features.conjunctions import NO_PAIRS
from wordplane.features.dense_features import DenseFeatures
from wordplane.features.embeddings_file import StoredEmbeddings
from wordplane.features.text_features import TextFeatures
from wordplane.learners.describing import describe
from wordplane.learners.resuming import check_resumable, resume
from wordplane.model import stored_fasttext
from wordplane.model.golden import check_golden, golden
from wordplane.model.packing import pack, pack_array
from wordplane.model.reference import PREFIX as REFERENCE
from wordplane.model.reference import REFERENCE_ARRAYS, take_reference
from wordplane.model.stored_groups import read_categories, read_dimensions, read_groups
from wordplane.model.stored_labels import labels_from_json, labels_to_json
from wordplane.model.stored_metadata import check_metadata, require
from wordplane.model.stored_parts import name_part, take_part
from wordplane.model.stored_tree import PREFIX as TREE
from wordplane.model.stored_tree import TREE_ARRAYS, read_tree
from wordplane.model.stored_vocabulary import (
    VOCABULARY_ARRAYS,
    read_vocabulary,
    vocabulary_arrays,
)
from wordplane.model.stored_weights import WEIGHT_ARRAYS, take_weights, weight_arrays
from wordplane.model.text_model import Calibration, TextModel
from wordplane.model.training_record import Training
from wordplane.text.analyzer import Analyzer

if TYPE_CHECKING:  # few models have embeddings
    from wordplane.features.embeddings import WordEmbeddings

MAGIC = b"WORDPLN"
VERSION = 5
DIGEST = slice(len(MAGIC) + 1, len(MAGIC) + 1 + 32)
HEADER = DIGEST.stop + 8
SMALL = 1 << 18  # bytes

# The arrays of the file, with their types and numbers of dimensions. A vocabulary's names begin
# with its part of the features, such as words.columns; idf is there if the analyzer has one.
ARRAYS = {
    "idf": ("float64", 1),
    "center": ("float64", 1),
    "scale": ("float64", 1),
    "pairs": ("int64", 2),
    "b": ("float64", 1),
    "chain": ("float64", 2),  # of a multi-label model whose labels depend on each other
}

Arrays: TypeAlias = dict[str, NDArray[Any]]
Json: TypeAlias = Any  # of a file that may be anybody's: every value is checked before use

MAX_IDF = 1e30  # its square, and the scores, are then finite

STATE = "state."  # of a learner that can go on, if it was asked for


def save_model(model: TextModel, path: str | PathLike[str], resumable: bool = False) -> None:
    """Write the model; the old file stays whole until the new one is."""
    data = to_bytes(model, resumable)
    with whole_file(path) as draft:
        draft.write_bytes(data)


def load_model(path: str | PathLike[str]) -> TextModel:
    """Read a model, checking everything; ModelFileError says what is wrong with it."""
    check_name(os.fspath(path))
    try:
        with Path(path).open("rb", buffering=0) as file:
            advice = "use a machine with more memory"
            require_memory_for([os.fspath(path)], f"loading {path}", advice)
            content = _read(file)
        return from_bytes(content)
    except FileNotFoundError:
        raise ModelFileError(no_such_file(path)) from None
    except OSError as error:
        raise ModelFileError(f"{path}: cannot be read ({error.strerror})") from None
    except ModelFileError as error:
        hint = "" if content.startswith(MAGIC) else _hint(os.fspath(path))
        raise ModelFileError(f"{path}: {error}{hint}") from None


def stored_digest(path: str | PathLike[str]) -> str:
    """The SHA-256 that a model file has in its head, in hexadecimal digits: which version it is."""
    with Path(path).open("rb") as file:
        return file.read(DIGEST.stop)[DIGEST].hex()


def _read(file: FileIO) -> bytes:
    """The content; of another file, which may have no end, the first bytes."""
    start = file.read(len(MAGIC))
    if start != MAGIC:
        return start
    if not file.seekable():
        return start + file.readall()
    file.seek(0)
    return file.readall()


def _hint(path: str) -> str:
    """What to do with a file that is not a model, if its name says what it is."""
    ending = Path(path).suffix.lower()
    if ending in (".bin", ".ftz"):
        own = shlex.quote(str(Path(path).with_suffix(".wordplane")))
        return f"; a model of fastText becomes one: wordplane convert {shlex.quote(path)} -o {own}"
    if ending in (".pkl", ".pickle", ".joblib"):
        return "; pickles are never loaded, since they can run code: train a model on the texts"
    if ending in (".csv", ".tsv", ".txt", ".jsonl", ".parquet", ".xlsx"):
        return f"; to make one of labeled texts: wordplane train {shlex.quote(path)}"
    return ""


def to_bytes(model: TextModel, resumable: bool = False) -> bytes:
    """The file's content, if `resumable` with what the learner needs to go on. It depends on
    nothing but the model."""
    if not (np.isfinite(model.W).all() and np.isfinite(model.b).all()):
        raise WordplaneError("the model has a weight that is not finite; it cannot be saved")
    features = model.features
    arrays: Arrays = {
        "center": features.dense.center,
        "scale": features.dense.scale,
        "b": model.b,
        **_weight_arrays(model),
    }
    if features.idf is not None:
        arrays["idf"] = features.idf
    if features.spec.selection.conjoin is not None:
        arrays["pairs"] = features.pairs
    for part, vocabulary in features.vocabularies.items():
        names = vocabulary_arrays([part], features.spec)
        arrays.update(zip(names, vocabulary.arrays(), strict=True))
    embeddings = {
        name: cast("WordEmbeddings", fitted).to_stored()
        for name, fitted in features.spec.columns.embeddings.items()
    }
    for number, stored in enumerate(embeddings.values()):
        arrays |= name_part(f"embedding{number}.", stored.arrays)
    metadata: JsonObject = {
        "kind": "linear" if model.is_linear else "fasttext" if model.tree is None else "tree",
        "wordplane": wordplane.__version__,
        "unicode": _core.unicode_version,
        "analyzer": features.spec.to_dict(),
        "groups": features.groups,
        "categories": features.dense.categories,
        "classes": labels_to_json(model.classes),
        "calibration": None if model.calibrator is None else model.calibrator.to_dict(),
        "training": model.training.to_dict(),
        "golden": golden(model),
    }
    if model.reference is not None:
        metadata["reference"] = model.reference.traits.to_dict()
        arrays.update(model.reference.arrays())
    if model.chain is not None:
        metadata["chain"], arrays["chain"] = model.chain.order.tolist(), model.chain.links
    if resumable:
        learner = check_resumable(model.learner)
        metadata["learner"] = describe(learner)
        arrays |= name_part(STATE, learner.get_state())
    if model.tree is not None:
        metadata["tree"] = {"beam": model.tree.beam}
    if model.fasttext is not None:
        metadata["fasttext"] = model.fasttext.settings.to_dict()
    if features.dense.dimensions:
        metadata["vectors"] = features.dense.dimensions
    if embeddings:
        metadata["embeddings"] = [[name, held.parameters] for name, held in embeddings.items()]
    # Not sorted: the order of lexica and columns is that of their features.
    document = json.dumps(metadata, ensure_ascii=False, allow_nan=False)
    return seal(_payload(arrays, document))


def _payload(arrays: Arrays, document: str) -> bytes:
    """Packed, if the weights have 8 bits."""
    if "W_step" not in arrays:
        return tensor_bytes(arrays, {"wordplane": document})
    packed = {name: pack_array(array) for name, array in arrays.items()}
    return pack(tensor_bytes(packed, {"wordplane": document}))


def _weight_arrays(model: TextModel) -> Arrays:
    if model.tree is not None:
        return name_part(TREE, model.tree.arrays)
    if model.fasttext is not None:
        return name_part(stored_fasttext.PREFIX, model.fasttext.arrays)
    return weight_arrays(model.W)


def seal(payload: bytes) -> bytes:
    """The payload behind its header."""
    body = len(payload).to_bytes(8, "little") + payload
    return MAGIC + bytes([VERSION]) + hashlib.sha256(body).digest() + body


def from_bytes(data: bytes) -> TextModel:
    """The model in a file's content."""
    file = _core.ModelFile(data)
    threads = 2 if len(data) > SMALL else 1  # to start one takes longer than to read a few bytes
    is_intact = start_job(file.is_intact, threads)
    try:
        model = from_parts(*_read_parts(file))
    except ModelFileError:
        if is_intact():
            raise
    if not is_intact():
        raise ModelFileError(
            "the file is damaged: it is not what its SHA-256 was taken of, so it is incomplete or "
            "was changed since it was saved"
        )
    return model


def read_parts(data: bytes) -> tuple[Arrays, Json]:
    """The arrays and the metadata of a file's content, which may be any bytes under a header."""
    return _read_parts(_core.ModelFile(data))


def _read_parts(file: _core.ModelFile) -> tuple[Arrays, Json]:
    arrays, metadata = file.read()
    # A vocabulary is built from its arrays. What the model keeps of the others must not keep the
    # whole content.
    kept = {name for name in arrays if name.rpartition(".")[2] not in VOCABULARY_ARRAYS}
    return {name: each.copy() if name in kept else each for name, each in arrays.items()}, metadata


def from_parts(arrays: Arrays, metadata: Json) -> TextModel:
    """The model of arrays and metadata, which need not be what was written: everything is checked.
    Whatever is wrong with them, it ends in a ModelFileError."""
    try:
        _check_arrays(arrays)
        check_metadata(metadata)
        with np.errstate(all="ignore"):  # what is not finite is not what was stored
            return _checked_model(dict(arrays), metadata)
    except MemoryError:
        raise
    except Exception as error:
        raise _refusal(error) from None


def _refusal(error: Exception) -> ModelFileError:
    """What is wrong with a file. Parts that are read refuse what they do not expect with an
    InputError; the core refuses with a ValueError; anything else is a check that is missing."""
    if isinstance(error, ModelFileError):
        return error
    expected = isinstance(error, ValueError)
    what = str(error) if expected else f"it cannot be read ({type(error).__name__}: {error})"
    return ModelFileError(f"not a usable model: {what}")


def _checked_model(arrays: Arrays, metadata: dict[str, Json]) -> TextModel:
    state, links = take_part(STATE, arrays), arrays.pop("chain", None)
    of_tree, of_fasttext = take_part(TREE, arrays), take_part(stored_fasttext.PREFIX, arrays)
    classes, b = labels_from_json(metadata["classes"]), arrays.get("b", np.zeros(0))
    reference = take_reference(arrays, metadata.get("reference"), len(classes), len(b))
    W = take_weights(arrays, len(b))
    features = _features(arrays, metadata)
    calibrator = _calibrator(metadata["calibration"], len(classes))
    sets, numbers = (isinstance(calibrator, k) for k in (LabelDecisions, NumberIntervals))
    require(numbers == (len(classes) == 0), "classes of numbers, or none of labels")
    require(sets or numbers or len(classes) > 1, "one class only")
    is_linear = metadata["kind"] == "linear"
    require(not numbers or is_linear, "a tree of numbers")
    fasttext = stored_fasttext.read_weights(metadata, of_fasttext, classes, features)
    n_outputs = 1 if numbers or (len(classes) == 2 and not sets) else len(classes)
    n_outputs = n_outputs if fasttext is None else fasttext.n_outputs
    require(not sets or n_outputs == len(classes), "one score of two labels, and sets of them")
    n_rows = features.n_features if is_linear else 0
    require(W.shape == (n_rows, n_outputs), "weights of another shape")
    require(b.shape == (n_outputs,), "biases of another shape")
    require(bool(np.isfinite(W).all() and np.isfinite(b).all()), "a weight that is not finite")
    training = Training.from_dict(metadata["training"])
    require(sets or links is None, "a chain of labels, of which a text has one")
    require(("chain" in metadata) == (links is not None), "a chain and its links go together")
    require(bool(state) == ("learner" in metadata), "a learner and its state go together")
    learner = chain = None
    if "learner" in metadata:
        learner = resume(metadata["learner"], state, classes, features.n_features)
    if links is not None:
        chain = LabelChain.checked(metadata["chain"], links, len(b))
    tree = read_tree(metadata, of_tree, len(classes), features.n_features)
    parts = (features, classes, W, b, calibrator, training, learner, chain, tree, reference)
    model = TextModel(*parts, fasttext)
    check_golden(model, metadata["golden"])
    return model


def _check_arrays(arrays: Arrays) -> None:
    for name, array in arrays.items():
        if name.startswith(STATE):
            require(array.dtype == np.float64, f"{name} is of type {array.dtype}")
            continue
        part, _, of_part = name.rpartition(".")
        known = StoredEmbeddings.ARRAYS if part.startswith("embedding") else VOCABULARY_ARRAYS
        known = TREE_ARRAYS if name.startswith(TREE) else known
        known = stored_fasttext.ARRAYS if name.startswith(stored_fasttext.PREFIX) else known
        known = REFERENCE_ARRAYS if name.startswith(REFERENCE) else known
        expected = ARRAYS.get(name) or known.get(of_part) or WEIGHT_ARRAYS.get(name)
        if expected is None:
            raise InputError(f"an array {name!r}, which is not known")
        dtype, n_dims = expected
        dtype = "int8" if name == "W" and "W_step" in arrays else dtype
        if array.dtype != dtype or array.ndim != n_dims:
            found = f"{array.ndim}-dimensional {array.dtype}"
            raise InputError(f"{name} is {found}, not {n_dims}-dimensional {dtype}")


def _features(arrays: Arrays, metadata: dict[str, Json]) -> TextFeatures:
    embeddings = _embeddings(arrays, metadata.get("embeddings", []))
    spec = Analyzer.from_dict(metadata["analyzer"], embeddings or None).resolve()
    parts = list(spec.analyses())
    optional = {"idf": spec.weighting.idf, "pairs": spec.selection.conjoin}
    own = {"center", "scale", "b"} | ({"W"} if metadata["kind"] == "linear" else set())
    expected = own | {name for name in optional if optional[name]}
    expected |= set(vocabulary_arrays(parts, spec))
    require(set(arrays) == expected, f"the arrays {', '.join(sorted(expected))} are expected")
    vocabularies = {part: read_vocabulary(arrays, part, spec) for part in parts}
    for name in expected & {"idf", "center", "scale"}:
        require(bool(np.isfinite(arrays[name]).all()), f"a value of {name} that is not finite")
    if "idf" in expected:
        require(bool((np.abs(arrays["idf"]) <= MAX_IDF).all()), "an idf that is out of range")
    return TextFeatures(
        spec=spec,
        vocabularies=vocabularies,
        groups=read_groups(metadata["groups"], spec),
        idf=arrays.get("idf"),
        dense=DenseFeatures(
            spec,
            arrays["center"],
            arrays["scale"],
            read_categories(metadata["categories"], spec.columns),
            read_dimensions(metadata.get("vectors", {}), spec.columns, len(arrays["center"])),
        ),
        pairs=arrays.get("pairs", NO_PAIRS),
    )


def _embeddings(arrays: Arrays, described: Json) -> dict[str, WordEmbeddings]:
    """The word embeddings; takes their arrays out of all arrays."""
    named = isinstance(described, list) and all(
        isinstance(pair, list) and len(pair) == 2 and isinstance(pair[0], str) for pair in described
    )
    require(named, "embeddings with their parameters are expected")
    if not described:
        return {}
    from wordplane.features.embeddings import WordEmbeddings

    embeddings = {}
    for number, (name, parameters) in enumerate(described):
        stored = StoredEmbeddings(parameters, take_part(f"embedding{number}.", arrays))
        embeddings[name] = WordEmbeddings.from_stored(stored)
    return embeddings


def _calibrator(described: Json, n_classes: int) -> Calibration:
    if described is None:
        return None
    calibrator: Calibrator | LabelDecisions
    kind = described.get("kind")
    if kind == NUMBER:
        return NumberIntervals.from_dict(described)
    if kind == "labels":
        calibrator = LabelDecisions.from_dict(described)
    else:
        calibrator = calibrator_from_dict(described)
    require(calibrator.n_classes == n_classes, "a calibration of other classes")
    return calibrator

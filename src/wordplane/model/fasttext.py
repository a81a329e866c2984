"""Supervised models of fastText, `.bin` and `.ftz`, as models of Wordplane.

Texts are read as fastText reads them, labels and probabilities are those that it gives
(`learners.support.fasttext_weights`). The file may come from a stranger: sizes are checked.
"""

from os import PathLike
from pathlib import Path

import numpy as np

import wordplane
from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.common.labels import class_array
from wordplane.common.memory import require_memory_for
from wordplane.common.types import AnyArray
from wordplane.evaluation.calibration import LogProbabilities
from wordplane.evaluation.label_decisions import LabelDecisions
from wordplane.features.dense_features import DenseFeatures
from wordplane.features.pretrained.archive import open_vectors
from wordplane.features.pretrained.fasttext_file import (
    SUPERVISED,
    Dictionary,
    Head,
    Source,
    is_fasttext,
    read_head,
)
from wordplane.features.text_features import TextFeatures
from wordplane.learners.support.fasttext_weights import (
    PREFIX,
    FastTextSettings,
    FastTextWeights,
)
from wordplane.model.text_model import Calibration, TextModel
from wordplane.model.training_record import Training
from wordplane.text.analyzer import Analyzer

LOSSES = {1: "hs", 2: "ns", 3: "softmax", 4: "ova"}
N_CENTROIDS = 256

Arrays = dict[str, AnyArray]


def read_fasttext_model(path: str | PathLike[str], label_prefix: str = PREFIX) -> TextModel:
    """The model of a file; its labels lose the prefix."""
    require_memory_for([str(path)], f"reading {path}", "use a machine with more memory")
    with open_vectors(path) as (stream, name):
        if not is_fasttext(stream.peek(4)[:4]):
            raise InputError(f"{name}: this is not a model of fastText")
        source = Source(stream, name)
        head = read_head(source)
        if head.model != SUPERVISED or head.n_labels == 0:
            raise InputError(
                f"{name}: has vectors of words and no labels: it is not a classifier; to train one "
                f"with these vectors: wordplane train DATA --pretrained {name}"
            )
        dictionary = source.read_dictionary(head)
        arrays, parts = _read_arrays(source, head)
        source.check_end()
    try:
        return _model(Path(name).name, head, dictionary, arrays, parts, label_prefix)
    except InputError as error:
        raise InputError(f"{name}: {error}") from None


def _read_arrays(source: Source, head: Head) -> tuple[Arrays, dict[str, int]]:
    """The buckets that are kept, and both matrices; and the columns of the parts of these."""
    arrays: Arrays = {}
    if head.n_kept >= 0:
        arrays["kept"] = source.array("<i4", head.n_kept, 2)
    parts = {"input_part": 0, "output_part": 0}
    is_quantized = False
    for name, n_rows in (("input", None), ("output", head.n_labels)):
        (flag,) = source.unpack("<B")
        if flag > 1:
            raise _damaged(source)
        # The flag of the output is set by quantize -qout, and means nothing in another file.
        is_quantized = flag == 1 and (name == "input" or is_quantized)
        if name == "input" and head.n_kept >= 0 and not is_quantized:
            raise _damaged(source)
        if is_quantized:
            parts[f"{name}_part"] = _read_codes(source, head, name, n_rows, arrays)
            continue
        rows, columns = source.unpack("<2q")
        _check_shape(source, head, rows, columns, n_rows)
        arrays[name] = source.array("<f4", rows, columns)
    return arrays, parts


def _read_codes(source: Source, head: Head, name: str, n_rows: int | None, arrays: Arrays) -> int:
    """The codes of a product-quantized matrix; the columns of its parts."""
    has_norms, rows, columns, n_codes = source.unpack("<B2qi")
    _check_shape(source, head, rows, columns, n_rows)
    if rows == 0 or n_codes % rows != 0 or n_codes <= 0 or has_norms > 1:
        raise _damaged(source)
    arrays[f"{name}_codes"] = source.array("u1", rows, n_codes // rows)
    part, arrays[f"{name}_centroids"] = _read_centroids(source, columns, n_codes // rows)
    if has_norms:
        arrays[f"{name}_norm_codes"] = source.array("u1", rows)
        _, arrays[f"{name}_norms"] = _read_centroids(source, 1, 1)
    return part


def _read_centroids(source: Source, columns: int, n_parts: int) -> tuple[int, AnyArray]:
    """The columns of a part, and the centroids of all parts."""
    n_columns, found, part, last = source.unpack("<4i")
    fits = n_columns == columns and found == n_parts and 1 <= part <= columns
    if not fits or last != columns - (n_parts - 1) * part or not 1 <= last <= part:
        raise _damaged(source)
    return part, source.array("<f4", columns * N_CENTROIDS)


def _check_shape(source: Source, head: Head, rows: int, columns: int, n_rows: int | None) -> None:
    right = head.n_words <= rows < 2**31 if n_rows is None else rows == n_rows
    if columns != head.n_numbers or not right:
        raise _damaged(source)


def _damaged(source: Source) -> InputError:
    return InputError(f"{source.path}: the sizes of its matrices cannot be right: it is damaged")


def _model(
    name: str,
    head: Head,
    dictionary: Dictionary,
    arrays: Arrays,
    parts: dict[str, int],
    label_prefix: str,
) -> TextModel:
    loss = LOSSES.get(head.loss)
    if loss is None:
        raise InputError(f"the loss has the number {head.loss}, expected 1 to 4: it is damaged")
    labels = [_without(label, label_prefix) for label in dictionary.labels]
    if len(labels) < 2:
        raise InputError(f"the only label is {labels[0]!r}: there is nothing to decide")
    order = sorted(range(len(labels)), key=labels.__getitem__)
    arrays["order"] = np.array(order, np.int32)
    if loss == "hs":
        arrays["counts"] = np.array(dictionary.label_counts, np.int64)
    settings = FastTextSettings(
        loss=loss,
        n_columns=head.n_numbers,
        n_buckets=head.n_buckets,
        min_n=head.shortest,
        max_n=head.longest,
        word_ngrams=max(head.word_ngrams, 1),
        prefix=label_prefix,
        **parts,
    )
    features = _features(dictionary.words)
    classes = class_array([labels[i] for i in order])
    words = features.vocabularies["words"]
    assert isinstance(words, _core.Vocabulary)
    weights = FastTextWeights(words, classes.tolist(), settings, arrays)
    n_outputs = weights.n_outputs
    described = f"fastText ({loss}, {head.n_numbers} dimensions)"
    training = Training(
        learner={"text": described},
        n_docs=dictionary.n_texts if dictionary.n_texts > 0 else None,
        source=name,
        versions={"wordplane": wordplane.__version__},
    )
    return TextModel(
        features,
        classes,
        np.zeros((0, n_outputs), np.float32),
        np.zeros(n_outputs),
        _calibrator(loss, dictionary),
        training,
        fasttext=weights,
    )


def _without(label: str, prefix: str) -> str:
    """A label without the prefix; as it is if it has none, or nothing else."""
    return label.removeprefix(prefix) or label


def _calibrator(loss: str, dictionary: Dictionary) -> Calibration:
    """How scores become probabilities. One-vs-all is for texts with several labels; where there
    are not more labels than texts, they had one each."""
    if loss == "softmax":
        return None
    n_labels = len(dictionary.labels)
    if loss == "ova" and sum(dictionary.label_counts) > dictionary.n_texts > 0:
        return LabelDecisions.untuned(n_labels)
    return LogProbabilities(n_labels)


def _features(words: list[str]) -> TextFeatures:
    """The listed words as features, for what is said of words; fastText's own are more."""
    try:
        encoded = [word.encode() for word in words]
    except UnicodeEncodeError:
        raise InputError("a word is not valid Unicode") from None
    none = np.zeros(0, np.uint32)
    vocabulary = _core.Vocabulary(
        np.frombuffer(b"".join(encoded), np.uint8),
        np.cumsum([len(word) for word in encoded], dtype=np.int64),
        none,
        none,
        np.arange(len(words), dtype=np.int32),
        "words",
    )
    spec = Analyzer(tokens="whitespace", lowercase=False, ngrams=(1, 1), norm="l1").resolve()
    empty = np.zeros(0)
    return TextFeatures(
        spec=spec,
        vocabularies={"words": vocabulary},
        groups=[("word", 0)],
        idf=None,
        dense=DenseFeatures(spec, empty, empty, {}, {}),
    )

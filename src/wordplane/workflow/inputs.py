"""What users pass as data: a path, a frame, a corpus, or texts and labels."""

import pathlib
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias, TypedDict, Union, Unpack

import numpy as np

from wordplane.common.errors import InputError
from wordplane.common.groups import as_groups
from wordplane.common.label_sets import as_labels_or_sets
from wordplane.common.labels import as_rows
from wordplane.common.types import IntArray, LabelsLike
from wordplane.data.corpus import Corpus
from wordplane.data.encoding import STDIN
from wordplane.data.read import Frame, expand_paths, read, read_batches
from wordplane.data.vectors import VECTOR_KIND, GivenVectors, VectorsLike, is_vector_file
from wordplane.model.classifier import TextClassifier
from wordplane.model.text_model import ModelColumns
from wordplane.text.texts import as_texts

if TYPE_CHECKING:
    from distributed import Client

Path: TypeAlias = str | PathLike[str]
DataLike: TypeAlias = Path | Sequence[Path] | Frame | Mapping[str, object] | Corpus | Iterable[str]
DaskLike: TypeAlias = Union[str, "Client"]  # an address, "local", or a client

GroupsLike: TypeAlias = Iterable[Hashable] | None


class Reading(TypedDict, total=False):
    """How files and frames are read; `wordplane.read` explains each."""

    format: str | None
    text: str | Sequence[str] | None
    label: str | None
    id: str | None
    weight: str | None
    group: str | None
    extra: str | Sequence[str] | Mapping[str, str]
    fields: str | Sequence[str] | Mapping[str, float]
    vectors: VectorsLike
    encoding: str
    header: bool
    delimiter: str | None
    label_separator: str | None
    skip_unlabeled: bool
    skip_bad: bool
    follow_links: bool


def load_corpus(
    data: DataLike,
    labels: LabelsLike | None = None,
    groups: GroupsLike = None,
    **reading: Unpack[Reading],
) -> Corpus:
    """The labeled texts that a user means.

    With `labels`, data are texts. Without, they are a corpus, a file or several, or a frame with a
    column of texts and one of labels. `groups` say which texts belong together.

    >>> load_corpus(["good", "bad"], ["+", "-"]).labels
    ['+', '-']
    """
    if isinstance(data, Corpus):
        corpus = _with_labels(data, labels)
    elif labels is not None:
        corpus = _with_labels(load_texts(data, reading), labels)
    else:
        corpus = read(data, require_label=True, **reading)
    return _with_groups(corpus, groups)


def load_partly_labeled(
    data: DataLike,
    labels: LabelsLike | None = None,
    groups: GroupsLike = None,
    **reading: Unpack[Reading],
) -> tuple[Corpus, Corpus | None]:
    """The labeled texts that a user means, and those whose label is missing (None), if any.

    >>> labeled, others = load_partly_labeled(["cheap pills", "hi"], ["spam", None])
    >>> list(labeled.texts), labeled.labels, list(others.texts)
    (['cheap pills'], ['spam'], ['hi'])
    """
    if isinstance(data, Corpus):
        corpus = data
    else:
        corpus = read(data, **reading) if labels is None else load_texts(data, reading)
    corpus = _with_groups(corpus, groups)
    found: Sequence[Any] | None = corpus.labels
    if labels is not None:
        found = np.asarray(as_rows(labels), dtype=object).tolist()
    if found is None or all(label is None for label in found):
        raise InputError(f"{name_of(corpus)}: no text has a label, and texts of one are needed")
    if len(found) != len(corpus):
        raise InputError(f"{len(corpus)} texts and {len(found)} labels: one each is needed")
    has_label = [row for row, label in enumerate(found) if label is not None]
    labeled = _with_labels(corpus.take(has_label), [found[row] for row in has_label])
    if len(labeled) == len(corpus):
        return labeled, None
    notes = tuple(note for note in corpus.notes if "labels are missing" not in note)
    others = corpus.take([row for row, label in enumerate(found) if label is None])
    if set(others.split or ()) - {"train"}:
        raise InputError(f"{name_of(corpus)}: rows marked dev or test need a label")
    return replace(labeled, notes=notes), Corpus(others.texts)


def load_texts(data: DataLike, reading: Mapping[str, object]) -> Corpus:
    """Texts without labels: columns of a frame, or a list, to which `extra` names no columns but
    those of `vectors`."""
    given: dict[str, Any] = dict(reading)
    if isinstance(data, Mapping) or hasattr(data, "columns"):
        return next(read_batches(data, batch_size=None, labels=False, **given))  # type: ignore[arg-type]
    if given.get("fields"):
        raise InputError("`fields` are columns: give a frame or a mapping that has them")
    corpus, vectors = Corpus(as_texts(data)), given.get("vectors")
    if vectors is None:
        return corpus
    kinds = given.get("extra", {})
    beside = GivenVectors(vectors, kinds if isinstance(kinds, Mapping) else {})
    corpus = beside.add(corpus)
    beside.check_end()
    return corpus


def load_corpus_for(
    model: TextClassifier,
    data: DataLike,
    labels: LabelsLike | None = None,
    beside: Sequence[str] | Mapping[str, str] = (),
    groups: GroupsLike = None,
    **reading: Unpack[Reading],
) -> Corpus:
    """The same from the columns that a model was trained on, unless others are named, and with the
    columns `beside`. Rows of a multi-label model may have no label."""
    if isinstance(data, Corpus):
        return load_corpus(data, labels, groups)
    own = model_columns(model, reading)
    kinds = beside if isinstance(beside, Mapping) else dict.fromkeys(beside, "category")
    own["extra"] = {**kinds, **own["extra"]}
    given: dict[str, object] = {**reading, **own}
    if labels is not None:
        return _with_groups(_with_labels(load_texts(data, given), labels), groups)
    required = not model.is_multilabel
    batches = read_batches(data, batch_size=None, require_label=required, **given)  # type: ignore[arg-type]
    return _with_groups(next(batches), groups)


def model_columns(
    model: TextClassifier, reading: Reading | Mapping[str, object] = MappingProxyType({})
) -> ModelColumns:
    """Arguments of `read_batches`: the columns of the model, where none are named."""
    columns = model.model_.columns()
    if reading.get("vectors") is not None and VECTOR_KIND not in columns["extra"].values():
        raise InputError("`vectors` are given, but the model was trained without any")
    if reading.get("fields"):
        raise InputError("`fields` are those of the model: leave them out here")
    return columns


def choose_rows(corpus: Corpus, rows: str) -> Corpus:
    """The rows that are marked train, dev or test, or "all"."""
    if rows == "all":
        return corpus
    if rows not in ("train", "dev", "test"):
        raise InputError(f"rows is {rows!r}, expected 'all', 'train', 'dev' or 'test'")
    if corpus.split is None:
        raise InputError(f"{name_of(corpus)}: rows marked {rows} (`rows`) need a column `split`")
    return corpus.take([row for row, part in enumerate(corpus.split) if part == rows])


def worker_files(data: object, reading: Reading | Mapping[str, object]) -> list[str]:
    """The files that workers of Dask read, each as a whole: absolute paths."""
    if not isinstance(data, str | PathLike | list | tuple):
        raise InputError("`dask` reads files that all workers see: name them")
    paths = expand_paths(data)
    if STDIN in paths:
        raise InputError("workers of Dask cannot read standard input: name files")
    if reading.get("vectors") is not None and is_vector_file(str(reading["vectors"])):
        raise InputError("workers of Dask read whole files: `vectors` must be a column of them")
    return [str(pathlib.Path(path).absolute()) for path in paths]


def rows_to_measure(corpus: Corpus, rows: str | None) -> tuple[Corpus, str]:
    """The rows that are asked for, or else those marked test, or else all; and which these are."""
    wanted = rows or ("test" if corpus.split and "test" in corpus.split else "all")
    corpus = choose_rows(corpus, wanted)
    if len(corpus) == 0:
        raise InputError(f"{name_of(corpus)}: no row is marked {wanted}")
    return corpus, wanted


def training_rows(corpus: Corpus) -> IntArray:
    """The rows that may be trained on; there must be some."""
    rows = corpus.split_rows("train")
    if len(rows) == 0:
        raise InputError(f"{name_of(corpus)}: no row is marked train, so none can be trained on")
    return rows


def name_of(corpus: Corpus) -> str:
    """What messages call the data."""
    return corpus.source or "the texts"


def check_folds(folds: int, corpus: Corpus) -> None:
    """There are texts for so many folds."""
    if folds < 2:
        raise InputError(f"`folds` is {folds}, expected at least 2")
    if folds > len(corpus):
        raise InputError(
            f"{name_of(corpus)}: {folds} folds need at least {folds} texts, there are "
            f"{len(corpus)}: give more texts, or fewer `folds`"
        )


def _with_groups(corpus: Corpus, groups: GroupsLike) -> Corpus:
    return corpus if groups is None else replace(corpus, groups=as_groups(groups, len(corpus)))


def _with_labels(corpus: Corpus, labels: LabelsLike | None) -> Corpus:
    if labels is not None:
        y = as_labels_or_sets(labels)
        if len(y) != len(corpus):
            raise InputError(f"{len(corpus)} texts and {len(y)} labels: one each is needed")
        corpus = replace(corpus, labels=y.tolist())
    if corpus.labels is None:
        raise InputError(f"{name_of(corpus)}: there are no labels to learn from: pass `labels`")
    return corpus

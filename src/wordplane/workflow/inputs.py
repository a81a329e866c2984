"""What users pass as data: a path, a frame, a corpus, or texts and labels."""

import pathlib
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from os import PathLike
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, Union, Unpack

import numpy as np

from wordplane.common.errors import InputError, NoLabelsError
from wordplane.common.frozen import frozen
from wordplane.common.groups import as_groups
from wordplane.common.label_sets import are_label_sets, as_labels_or_sets
from wordplane.common.labels import as_rows
from wordplane.common.types import IntArray, LabelsLike
from wordplane.data.corpus import Corpus
from wordplane.data.databases import is_database
from wordplane.data.encoding import STDIN
from wordplane.data.frames import is_frame
from wordplane.data.read import Frame, expand_paths, read, read_batches
from wordplane.data.read_options import Reading as Reading
from wordplane.data.read_options import ReadKeywords
from wordplane.data.vectors import VECTOR_KIND, GivenVectors, is_vector_file
from wordplane.model.predictor import TextPredictor
from wordplane.model.remote import is_remote
from wordplane.model.text_model import ModelColumns
from wordplane.text.texts import as_texts

if TYPE_CHECKING:
    from distributed import Client

Path: TypeAlias = str | PathLike[str]
Source: TypeAlias = Path | Sequence[Path] | Frame | Mapping[str, object] | Iterable[str]
DataLike: TypeAlias = Source | Corpus
DaskLike: TypeAlias = Union[str, "Client"]  # an address, "local", or a client
GroupsLike: TypeAlias = Iterable[Hashable] | None
# The options of reading that have nothing to do with labels.
OF_TEXTS = (
    "query",
    "format",
    "text",
    "id",
    "encoding",
    "header",
    "delimiter",
    "skip_bad",
    "follow_links",
)


@frozen
class LabeledData:
    """Labeled texts as a user passes them; which kind they are is asked once, here.

    With `labels`, data are texts. Without, they are a corpus, files, or a frame with a column of
    texts and one of labels; for `dask`, also a collection of Dask. `groups` say which texts belong
    together.
    """

    data: DataLike
    labels: LabelsLike | None = None
    groups: GroupsLike = None
    reading: Reading = field(default_factory=lambda: Reading())

    @property
    def kind(self) -> Literal["corpus", "collection", "texts", "files", "frame"]:
        """What the data are."""
        if isinstance(self.data, Corpus):
            return "corpus"
        if is_remote(self.data):
            return "collection"
        if self.labels is not None:
            return "texts"
        return "files" if isinstance(self.data, str | PathLike | list | tuple) else "frame"

    def paths(self) -> list[str] | None:
        """The files; None if the data are something else, or can be read only once."""
        if self.kind != "files" or not isinstance(self.data, str | PathLike | list | tuple):
            return None
        try:
            paths = expand_paths(self.data)
        except (InputError, TypeError):
            return None
        return None if STDIN in paths or any(map(is_database, paths)) else paths

    def corpus(self) -> Corpus:
        """All of them, each with a label."""
        check_groups(self.reading, has_groups=self.groups is not None)
        if self.kind in ("corpus", "texts"):
            corpus = _with_labels(self._unlabeled(), self.labels)
        else:
            corpus = read(self.source, require_label=True, **self.reading)
            _refuse_numbers(corpus, self.reading)
        return _with_groups(corpus, self.groups)

    def texts(self) -> Corpus:
        """All of them without labels."""
        if self.kind in ("corpus", "texts"):
            return self._unlabeled()
        given = {name: value for name, value in self.reading.items() if name in OF_TEXTS}
        return read(self.source, labels=False, **given)  # type: ignore[arg-type]

    def batches(self, size: int) -> Iterator[Corpus]:
        """The same, some rows at a time."""
        if self.kind in ("corpus", "texts"):
            corpus = self.corpus()
            for begin in range(0, len(corpus), size):
                yield corpus.take(np.arange(begin, min(begin + size, len(corpus))))
            return
        options, is_first = self.reading, True
        for batch in read_batches(self.source, batch_size=size, require_label=True, **options):
            if is_first:
                _refuse_numbers(batch, options)
            is_first = False
            yield batch

    def split_unlabeled(self) -> tuple[Corpus, Corpus | None]:
        """Those with a label, and those whose label is missing (None), if there are any.

        >>> labeled, others = LabeledData(["cheap pills", "hi"], ["spam", None]).split_unlabeled()
        >>> list(labeled.texts), labeled.labels, list(others.texts)
        (['cheap pills'], ['spam'], ['hi'])
        """
        is_read = self.kind in ("files", "frame", "collection")
        corpus = read(self.source, **self.reading) if is_read else self._unlabeled()
        corpus = _with_groups(corpus, self.groups)
        labels: Sequence[Any] | None = corpus.labels
        if self.labels is not None:
            labels = np.asarray(as_rows(self.labels), dtype=object).tolist()
        if labels is None or all(label is None for label in labels):
            raise InputError(f"{name_of(corpus)}: no text has a label, and texts of one are needed")
        if len(labels) != len(corpus):
            raise InputError(f"{len(corpus)} texts and {len(labels)} labels: one each is needed")
        has_label = [row for row, label in enumerate(labels) if label is not None]
        labeled = _with_labels(corpus.take(has_label), [labels[row] for row in has_label])
        if len(labeled) == len(corpus):
            return labeled, None
        notes = tuple(note for note in corpus.notes if note.kind != "missing labels")
        others = corpus.take([row for row, label in enumerate(labels) if label is None])
        if set(others.split or ()) - {"train"}:
            raise InputError(f"{name_of(corpus)}: rows marked dev, test or cv need a label")
        return replace(labeled, notes=notes), Corpus(others.texts)

    @property
    def source(self) -> Source:
        """Files, or a frame."""
        assert not isinstance(self.data, Corpus)
        return self.data

    def _unlabeled(self) -> Corpus:
        """Texts and columns that are in memory."""
        return self.data if isinstance(self.data, Corpus) else load_texts(self.data, self.reading)


def load_corpus(
    data: DataLike,
    labels: LabelsLike | None = None,
    groups: GroupsLike = None,
    **reading: Unpack[Reading],
) -> Corpus:
    """The labeled texts that a user means.

    >>> load_corpus(["good", "bad"], ["+", "-"]).labels
    ['+', '-']
    """
    return LabeledData(data, labels, groups, reading).corpus()


def load_unlabeled(data: DataLike, reading: Reading) -> Corpus:
    """Texts without labels, read as the labeled ones are."""
    given = {name: value for name, value in reading.items() if name in OF_TEXTS}
    if isinstance(data, Corpus):
        return data
    if isinstance(data, str | PathLike):
        return read(data, labels=False, **given)  # type: ignore[arg-type]
    return Corpus(as_texts(data))


def load_texts(data: DataLike, reading: Mapping[str, object]) -> Corpus:
    """Texts without labels: columns of a frame, or a list, to which `extra` names no columns but
    those of `vectors`."""
    given: dict[str, Any] = dict(reading)
    if is_frame(data):
        given["labels"] = False
        return next(read_batches(data, batch_size=None, **given))  # type: ignore[arg-type]
    if unknown := sorted(given.keys() - ReadKeywords.__annotations__.keys()):
        raise TypeError(f"got an unexpected keyword argument {unknown[0]!r}")
    if given.get("fields"):
        raise InputError("`fields` are columns: give a frame or a mapping that has them")
    if given.get("time") is not None:
        raise InputError("`time` is a column: give a frame or a mapping that has it")
    corpus, vectors = Corpus(as_texts(data)), given.get("vectors")
    if vectors is None:
        return corpus
    kinds = given.get("extra", {})
    matrix = GivenVectors(vectors, kinds if isinstance(kinds, Mapping) else {})
    corpus = matrix.add(corpus)
    matrix.check_end()
    return corpus


def load_corpus_for(
    model: TextPredictor,
    data: DataLike,
    labels: LabelsLike | None = None,
    columns: Sequence[str] | Mapping[str, str] = (),
    groups: GroupsLike = None,
    **reading: Unpack[Reading],
) -> Corpus:
    """The same from the columns that a model was trained on, unless others are named, and with the
    `columns` too. Rows of a multi-label model may have no label."""
    check_groups(reading, has_groups=groups is not None)
    if isinstance(data, Corpus):
        return load_corpus(data, labels, groups)
    own = model_columns(model, reading)
    kinds = columns if isinstance(columns, Mapping) else dict.fromkeys(columns, "category")
    own["extra"] = {**kinds, **own["extra"]}
    given: dict[str, object] = {**reading, **own}
    if labels is not None:
        return _with_groups(_with_labels(load_texts(data, given), labels), groups)
    required = not model.is_multilabel
    batches = read_batches(data, batch_size=None, require_label=required, **given)  # type: ignore[arg-type]
    return _with_groups(next(batches), groups)


def model_columns(
    model: TextPredictor, reading: Reading | Mapping[str, object] = MappingProxyType({})
) -> ModelColumns:
    """Arguments of `read_batches`: the columns of the model, where none are named."""
    columns = model.model_.columns()
    if reading.get("vectors") is not None and VECTOR_KIND not in columns["extra"].values():
        raise InputError("`vectors` are given, but the model was trained without any")
    if reading.get("fields"):
        raise InputError("`fields` are those of the model: leave them out here")
    return columns


def choose_rows(corpus: Corpus, rows: str) -> Corpus:
    """The rows that are marked train, dev, test or cv, or "all"."""
    if rows == "all":
        return corpus
    if rows not in ("train", "dev", "test", "cv"):
        raise InputError(f"rows is {rows!r}, expected 'all', 'train', 'dev', 'test' or 'cv'")
    if corpus.split is None:
        raise InputError(f"{name_of(corpus)}: rows marked {rows} (`rows`) need a column `split`")
    return corpus.take([row for row, part in enumerate(corpus.split) if part == rows])


def worker_files(data: object, reading: Reading | Mapping[str, object]) -> list[str]:
    """The files that workers of Dask read, each as a whole: absolute paths."""
    if not isinstance(data, str | PathLike | list | tuple):
        raise InputError("`dask` reads files that all workers see: name them")
    paths = expand_paths(data)
    if STDIN in paths or any(is_database(path) for path in paths):
        raise InputError("workers of Dask read neither standard input nor databases: name files")
    if reading.get("vectors") is not None and is_vector_file(str(reading["vectors"])):
        raise InputError("workers of Dask read whole files: `vectors` must be a column of them")
    return [str(pathlib.Path(path).absolute()) for path in paths]


def rows_to_measure(corpus: Corpus, rows: str | None) -> tuple[Corpus, str]:
    """The rows that are asked for, or else those marked test or cv, or else all; and which these
    are."""
    marked = set(corpus.split or ())
    wanted = rows or next((part for part in ("test", "cv") if part in marked), "all")
    corpus = choose_rows(corpus, wanted)
    if len(corpus) == 0:
        raise InputError(f"{name_of(corpus)}: no row is marked {wanted}")
    return corpus, wanted


def has_learned_from(model: TextPredictor, corpus: Corpus, chosen: Corpus, marked: str) -> bool:
    """Whether a model was trained on rows that were chosen to be measured: on these alone, on all
    rows, or on those marked train and cv."""
    others = [replace(corpus, split=None), *[corpus] * (marked == "cv")]
    return any(model.was_fitted_on(each) for each in (chosen, *others))


def training_rows(corpus: Corpus) -> IntArray:
    """The rows that may be trained on; there must be some."""
    rows = corpus.split_rows("train")
    if len(corpus) == 0:
        raise InputError(f"{name_of(corpus)}: there are no texts to train on")
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


def refuse_sets(corpus: Corpus, verb: str) -> None:
    """For what needs one label per text."""
    if are_label_sets(corpus.labels):
        raise InputError(
            f"{name_of(corpus)}: the texts are multi-label, and `wordplane {verb}` needs one label "
            "per text; `wordplane train` and `wordplane evaluate` take several"
        )


def refuse_time(reading: Reading | Mapping[str, object]) -> None:
    """For functions that hold no texts out by time."""
    if reading.get("time") is not None:
        raise InputError(
            "`time` holds out the latest texts, which only training and cross-validation do: leave "
            "it out here"
        )


def check_groups(reading: Reading, *, has_groups: bool) -> None:
    """Texts are held out by time or by groups, not by both."""
    if reading.get("time") is not None and (has_groups or reading.get("group") is not None):
        raise InputError("`time` holds out the latest texts, `group` whole groups: give one")


def _with_groups(corpus: Corpus, groups: GroupsLike) -> Corpus:
    return corpus if groups is None else replace(corpus, groups=as_groups(groups, len(corpus)))


def _with_labels(corpus: Corpus, labels: LabelsLike | None) -> Corpus:
    if labels is not None:
        y = as_labels_or_sets(labels)
        if len(y) != len(corpus):
            raise InputError(f"{len(corpus)} texts and {len(y)} labels: one each is needed")
        corpus = replace(corpus, labels=y.tolist())
    if corpus.labels is None:
        raise NoLabelsError(f"{name_of(corpus)}: there are no labels to learn from: pass `labels`")
    return corpus


def _refuse_numbers(corpus: Corpus, reading: Reading) -> None:
    from wordplane.data.number_labels import refuse_numbers  # prediction does not need it

    refuse_numbers(corpus, reading)

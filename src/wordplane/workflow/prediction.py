"""Label texts: one row per text, in order, with as much beside the label as is asked for.

    id, label, probability    always; of a multi-label model id, labels, probabilities
    top_labels, ...           the k likeliest labels, and their probabilities
    probability:LABEL         the probability of every label
    known, unfamiliar         the share of the words that the model knows, and whether the text is
                              unlike those that it was trained on
    levels, ...               the likeliest part at every level of labels such as a/b/c, and their
                              probabilities
    label_set                 labels of which the true one is with a given probability (conformal)
    words, contributions      the features that speak most for and against the label
    any other                 columns of the data, as they were

With a least confidence, a text whose label is less probable gets no label (None); with levels, the
part of a label that is probable enough.
"""

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise
from os import PathLike
from types import GenericAlias
from typing import Any, Unpack

import numpy as np

from wordplane.common.errors import InputError
from wordplane.common.label_sets import LabelSets
from wordplane.common.memory import available_memory
from wordplane.common.types import FloatArray
from wordplane.data.corpus import Corpus
from wordplane.data.read import read_batches
from wordplane.data.tables import Batch
from wordplane.evaluation.decisions import Conformal
from wordplane.evaluation.hierarchy import Hierarchy
from wordplane.evaluation.rankings import likeliest
from wordplane.learners.support.base import best_class
from wordplane.model.classifier import TextClassifier
from wordplane.model.explanation import Explanation
from wordplane.text.fields import FIELD_KIND
from wordplane.workflow.inputs import (
    DaskLike,
    DataLike,
    Reading,
    choose_rows,
    load_texts,
    model_columns,
    worker_files,
)

DIGITS = 6  # of probabilities
MAX_SCORES = 10_000_000  # at once

Types = dict[str, type | GenericAlias]


@dataclass(frozen=True)
class Wanted:
    """What to tell of each text beside its label.

    top_k           this many of the likeliest labels
    probabilities   of every label
    min_confidence  the least probability of a label that is given
    set_confidence  how probably a set of labels is to contain the true one
    explain         this many features that speak most for or against the label
    known           how much of the text the model knows
    separator       what stands between the levels of labels, to tell the likeliest of every level
    keep            columns of the data
    """

    top_k: int | None = None
    probabilities: bool = False
    min_confidence: float | None = None
    set_confidence: float | None = None
    explain: int | None = None
    keep: tuple[str, ...] = ()
    known: bool = False
    separator: str | None = None

    def check(self, model: TextClassifier) -> None:
        """Refuse what the model cannot tell."""
        for name in ("top_k", "explain"):
            number = getattr(self, name)
            if number is not None and number < 1:
                raise InputError(f"`{name}` is {number}, expected 1 or more")
        for name in ("min_confidence", "set_confidence"):
            share = getattr(self, name)
            if share is None:
                continue
            if not 0 < share < 1:
                raise InputError(f"`{name}` is {share:g}, expected between 0 and 1")
            if model.is_multilabel:
                raise InputError(
                    f"`{name}` is for one label per text, and the model is multi-label: "
                    "`probabilities` gives those of all labels"
                )
        if self.separator is not None and model.is_multilabel:
            raise InputError("`separator` is for one label per text, and the model is multi-label")
        if self.known and not model.is_word_model:
            raise InputError("`known` counts words, and the model looks at none")
        if self.set_confidence is not None and not model.training_.true_probabilities:
            raise InputError(
                "`set_confidence` needs probabilities of rows held out, and the model has none: "
                "train it with `calibration` 'holdout'"
            )


def kept_names(columns: Iterable[str], own: Container[str]) -> dict[str, str]:
    """How columns of the data are called beside the answer's own, so that none is lost.

    >>> kept_names(["label", "note"], {"id", "label"})
    {'label': 'input_label', 'note': 'note'}
    >>> kept_names(["label", "input_label"], {"id", "label"})
    {'label': 'input_input_label', 'input_label': 'input_label'}
    """
    columns = list(columns)
    names: dict[str, str] = {}
    for column in columns:
        name = column
        while name in own or (name != column and name in columns):
            name = f"input_{name}"
        names[column] = name
    return names


class Answers:
    """The rows that a model gives to texts.

    >>> texts = ["what a great film", "great fun", "a dull film", "dull and long"] * 5
    >>> model = TextClassifier().fit(texts, ["good", "good", "bad", "bad"] * 5)
    >>> from wordplane.text.texts import as_texts
    >>> answers = Answers(model, Wanted(top_k=2))
    >>> answers.columns(Corpus(as_texts(["so dull"])), ["7"])["top_labels"]
    [['bad', 'good']]
    """

    def __init__(
        self,
        model: TextClassifier,
        wanted: Wanted,
        on_explanation: Callable[[Explanation], None] | None = None,
    ) -> None:
        wanted.check(model)
        self.model, self.wanted, self._on_explanation = model, wanted, on_explanation
        self._labels = model.classes_.tolist()
        self._conformal = None
        if wanted.set_confidence is not None:
            own = np.array(model.training_.true_probabilities)
            self._conformal = Conformal.of_true(own, wanted.set_confidence)
        self._hierarchy = None
        if wanted.separator is not None:
            self._hierarchy = Hierarchy.of(self._labels, wanted.separator)
        self._kept = kept_names(wanted.keep, self._own_types())

    def types(self) -> Types:
        """The type of each column."""
        return {**self._own_types(), **dict.fromkeys(self._kept.values(), str)}

    def _own_types(self) -> Types:
        wanted, kind = self.wanted, type(self._labels[0])
        types: Types = {"id": str, "label": kind, "probability": float}
        if self.model.is_multilabel:
            types = {"id": str, "labels": list[kind], "probabilities": list[float]}  # type: ignore[valid-type]
        if wanted.known:
            types |= {"known": float, "unfamiliar": bool}
        if wanted.top_k is not None:
            types["top_labels"] = list[kind]  # type: ignore[valid-type]
            types["top_probabilities"] = list[float]
        if wanted.separator is not None:
            types |= {"levels": list[str], "level_probabilities": list[float]}
        if wanted.probabilities:
            types |= {f"probability:{label}": float for label in self._labels}
        if wanted.set_confidence is not None:
            types["label_set"] = list[kind]  # type: ignore[valid-type]
        if wanted.explain is not None:
            types |= {"words": list[str], "contributions": list[float]}
        return types

    def columns(self, corpus: Corpus, ids: Sequence[str]) -> Batch:
        """The values of each column for some texts; with thousands of labels, a few at a time."""
        step = max(MAX_SCORES // len(self._labels), 1)
        if len(corpus) <= step:
            return self._columns(corpus, ids)
        parts = []
        for begin in range(0, len(corpus), step):
            rows = np.arange(begin, min(begin + step, len(corpus)))
            parts.append(self._columns(corpus.take(rows), ids[begin : begin + step]))
        return {name: list(chain(*(part[name] for part in parts))) for name in parts[0]}

    def _columns(self, corpus: Corpus, ids: Sequence[str]) -> Batch:
        wanted, model = self.wanted, self.model
        # From the scores, as predict does it: equal probabilities may hide which is larger.
        z = model.decision_function(corpus)
        found, P = model.labels_of(z), model.probabilities_of(z)
        columns: dict[str, Sequence[Any]] = {"id": ids}
        if isinstance(found, LabelSets):
            columns["labels"] = found.tolist()
            given, starts = P[found.pairs()].round(DIGITS).tolist(), found.starts.tolist()
            columns["probabilities"] = [given[a:b] for a, b in pairwise(starts)]
        else:
            likely = P[np.arange(len(z)), best_class(z, len(self._labels))].round(DIGITS)
            columns["label"], columns["probability"] = found.tolist(), likely.tolist()
            if wanted.min_confidence is not None:
                enough = (likely >= wanted.min_confidence).tolist()
                pairs = zip(found.tolist(), enough, strict=True)
                columns["label"] = [label if is_enough else None for label, is_enough in pairs]
        if wanted.known:
            known, unfamiliar = model.knowledge(corpus)
            columns["known"] = known.round(DIGITS).tolist()
            columns["unfamiliar"] = unfamiliar.tolist()
        if wanted.top_k is not None:
            best = likeliest(P, wanted.top_k)
            columns["top_labels"] = [[self._labels[k] for k in row] for row in best.tolist()]
            top = np.take_along_axis(P, best, axis=1)
            columns["top_probabilities"] = top.round(DIGITS).tolist()
        if self._hierarchy is not None:
            columns |= self._levels(self._hierarchy, P, columns)
        if wanted.probabilities:
            for k, label in enumerate(self._labels):
                columns[f"probability:{label}"] = P[:, k].round(DIGITS).tolist()
        if self._conformal is not None:
            columns["label_set"] = self._sets(P.round(DIGITS))
        if wanted.explain is not None:
            columns["words"], columns["contributions"] = self._words(corpus, wanted.explain)
        for name, kept in self._kept.items():
            held = corpus.vectors[name].tolist() if name in corpus.vectors else corpus.extras[name]
            columns[kept] = [_as_text(value) for value in held]
        return columns

    def _levels(
        self, hierarchy: Hierarchy, P: FloatArray, columns: Mapping[str, Sequence[Any]]
    ) -> dict[str, Sequence[Any]]:
        """The likeliest part of every level, and labels that end where they are probable enough."""
        found = hierarchy.likeliest(P)
        shares = [[round(p, DIGITS) for p in row] for _, row in found]
        told: dict[str, Sequence[Any]] = {
            "levels": [names for names, _ in found],
            "level_probabilities": shares,
        }
        if self.wanted.min_confidence is not None:
            stops = hierarchy.stop(P, self.wanted.min_confidence)
            told["label"] = [name for name, _ in stops]
            told["probability"] = [
                row[n - 1] if n else p
                for (_, n), row, p in zip(stops, shares, columns["probability"], strict=True)
            ]
        return told

    def _sets(self, P: FloatArray) -> list[list[Any]]:
        assert self._conformal is not None
        member = self._conformal.least <= P
        return [[self._labels[k] for k in np.flatnonzero(row).tolist()] for row in member]

    def _words(self, corpus: Corpus, n: int) -> tuple[list[list[str]], list[list[float]]]:
        """The features that say most about the label of each text, all places of one together."""
        words, values = [], []
        for row in range(len(corpus)):
            explanation = self.model.explain(corpus.take([row]))
            if self._on_explanation is not None:
                self._on_explanation(explanation)
            strongest = explanation.by_feature()[:n]
            words.append([name for name, _ in strongest])
            values.append([round(value, DIGITS) for _, value in strongest])
        return words, values


def _as_text(value: object) -> str:
    return f"{value:.15g}" if isinstance(value, float) else str(value)


def predict_batches(
    answers: Answers, source: Any, rows: str = "all", **reading: Any
) -> Iterator[tuple[Batch, tuple[str, ...]]]:
    """The answers for files of any size, batch by batch, and the notes of reading them."""
    for batch, notes, _ in _answered(answers, source, rows, reading):
        yield batch, notes


def _answered(
    answers: Answers, source: Any, rows: str, reading: Mapping[str, Any]
) -> Iterator[tuple[Batch, tuple[str, ...], int]]:
    """Answers, notes, and the number of rows so far, which are the ids where there are none."""
    columns = _columns_to_read(answers.model, answers.wanted.keep, reading)
    n_rows = 0
    for batch in read_batches(source, **{**reading, **columns}):
        ids = batch.ids or [str(row) for row in range(n_rows + 1, n_rows + len(batch) + 1)]
        n_rows += len(batch)
        chosen = choose_rows(replace(batch, ids=ids), rows)
        yield answers.columns(chosen, chosen.ids or []), batch.notes, n_rows


def predict_on_dask(
    answers: Answers, source: Any, dask: DaskLike, rows: str = "all", **reading: Any
) -> Iterator[tuple[Batch, tuple[str, ...]]]:
    """`predict_batches` on the workers of Dask, each of which reads and answers whole files."""
    from wordplane.scale.dask_tasks import open_tasks
    from wordplane.scale.scratch import open_scratch

    files = worker_files(source, reading)
    n = len(files)
    columns = _columns_to_read(answers.model, answers.wanted.keep, reading)
    first = next(read_batches(files, **{**reading, **columns, "batch_size": 1}))
    if first.text_columns and FIELD_KIND not in columns["extra"].values():  # of the first file
        reading = {**reading, "text": first.text_columns}
    with (
        open_scratch() as scratch,
        open_tasks(
            dask, answers.model.n_jobs, available_memory(), scratch.folder, shared=False
        ) as tasks,
    ):
        shared = [tasks.send("model", answers)] * n
        parts = tasks.map("predict-texts", predict_file, shared, files, [rows] * n, [reading] * n)
        n_before = 0
        while parts:
            (answered,) = tasks.collect([parts.pop(0)])
            for batch, notes, _ in answered:
                if first.ids is None:
                    numbers = [str(n_before + int(number)) for number in batch["id"]]
                    batch = {**batch, "id": numbers}
                yield batch, notes
            n_before += answered[-1][2] if answered else 0


def predict_file(
    answers: Answers, path: str, rows: str, reading: Mapping[str, Any]
) -> list[tuple[Batch, tuple[str, ...], int]]:
    """The answers for a file."""
    return list(_answered(answers, path, rows, reading))


def _columns_to_read(
    model: TextClassifier, keep: Sequence[str], reading: Reading | Mapping[str, Any]
) -> dict[str, Any]:
    own = model_columns(model, reading)
    return {**own, "extra": {**dict.fromkeys(keep, "category"), **own["extra"]}}


def _unlabeled_corpus(
    model: TextClassifier, data: DataLike, reading: Reading, keep: Sequence[str]
) -> Corpus:
    if isinstance(data, Corpus):
        return data
    given: dict[str, Any] = {**reading, **_columns_to_read(model, keep, reading)}
    if not isinstance(data, str | PathLike):
        return load_texts(data, given)
    return next(read_batches(data, batch_size=None, labels=False, **given))


def answer(
    answers: Answers, data: DataLike, **reading: Unpack[Reading]
) -> tuple[Corpus, dict[str, Sequence[object]]]:
    """Texts in memory, and the columns of the answers."""
    corpus = _unlabeled_corpus(answers.model, data, reading, answers.wanted.keep)
    ids = corpus.ids or [str(row + 1) for row in range(len(corpus))]
    return corpus, dict(answers.columns(corpus, ids))


def predict(
    model: TextClassifier,
    data: DataLike,
    *,
    top_k: int | None = None,
    probabilities: bool = False,
    min_confidence: float | None = None,
    set_confidence: float | None = None,
    explain: int | None = None,
    known: bool = False,
    keep: Sequence[str] = (),
    separator: str | None = None,
    **reading: Unpack[Reading],
) -> dict[str, Sequence[object]]:
    """Label texts, and tell as much beside as is asked for: a mapping of columns, which polars and
    pandas take.

    >>> texts = ["what a great film", "great fun", "a dull film", "dull and long"] * 5
    >>> model = TextClassifier().fit(texts, ["good", "good", "bad", "bad"] * 5)
    >>> answer = predict(model, ["so dull", "great"], min_confidence=0.6, explain=1)
    >>> answer["label"], [words[0] for words in answer["words"]]
    (['bad', 'good'], ['dull', 'great'])
    """
    wanted = Wanted(
        top_k, probabilities, min_confidence, set_confidence, explain, tuple(keep), known, separator
    )
    return answer(Answers(model, wanted), data, **reading)[1]

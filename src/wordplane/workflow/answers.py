"""The answer to a text: its label, and whatever else is asked for.

    id, label, probability    always; of a multi-label model id, labels, probabilities; of a model
                              that predicts numbers id, number
    low, high                 the interval that a number is in with a given probability (conformal)
    known, unfamiliar         the share of the words that the model knows, and whether the text is
                              unlike those that it was trained on
    top_labels, ...           the k likeliest labels, and their probabilities
    levels, ...               the likeliest part at every level of labels such as a/b/c, and their
                              probabilities
    probability:LABEL         the probability of every label
    label_set                 labels of which the true one is with a given probability (conformal)
    words, contributions      the features that speak most for and against the label
    any other                 columns of the data, as they were

With a least confidence, a text whose label is less probable gets no label (None); with levels, the
part of a label that is probable enough. Probabilities are rounded when they are shown, and only
then: what is decided by them is decided by the numbers that the model gives.

Rows of `predict`, `serve` and `explain -o` are built here; `evaluate` measures the same decisions.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Sequence, Set
from functools import cached_property
from itertools import chain, pairwise
from types import GenericAlias
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from wordplane._core import Texts
from wordplane.common.label_sets import LabelSets
from wordplane.common.threads import thread_count
from wordplane.common.types import FloatArray, IntArray, Label
from wordplane.data.corpus import Corpus
from wordplane.evaluation.decisions import ABSTAINED, Conformal
from wordplane.evaluation.number_intervals import NumberIntervals
from wordplane.learners.support.base import best_class
from wordplane.model.classifier import TextClassifier
from wordplane.model.predictor import TextPredictor
from wordplane.text.documents import TextsLike, as_documents
from wordplane.workflow.row_filter import RowFilter
from wordplane.workflow.wanted import Wanted

if TYPE_CHECKING:  # what few answers need is imported when they do
    from wordplane.evaluation.hierarchy import Hierarchy
    from wordplane.model.explanation import Explanation
    from wordplane.model.known_words import KnownWords

DIGITS = 6  # of probabilities
MAX_SCORES = 1_000_000  # at once: more would not stay in the cache

Types = dict[str, type | GenericAlias]
Columns = dict[str, Sequence[object]]  # the values of each


def kept_names(columns: Iterable[str], own: Container[str]) -> dict[str, str]:
    """The names of columns of the data among those of the answer, so that none is lost.

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


class Decisions(NamedTuple):
    """What a model says of some texts.

    P            the probabilities of all labels; of a model that predicts numbers, these
    codes        of the label that each text is given, -1 for none; of a multi-label model, those of
                 all labels of all texts
    confidences  the probability of the likeliest label of each text, as it is shown
    sets         the labels of the texts, if the model is multi-label
    unanswered   the rows of empty texts, which get no answer; others are not looked at
    """

    P: FloatArray
    codes: list[int]
    confidences: list[float]
    sets: LabelSets | None = None
    unanswered: frozenset[int] = frozenset()

    def take(self, rows: IntArray) -> Decisions:
        """What it says of these texts."""
        chosen = rows.tolist()
        unanswered = frozenset(at for at, row in enumerate(chosen) if row in self.unanswered)
        if not self.confidences:  # numbers
            return self._replace(P=self.P[rows], unanswered=unanswered)
        confidences = [self.confidences[row] for row in chosen]
        sets = None if self.sets is None else self.sets[rows]
        codes = [self.codes[row] for row in chosen] if sets is None else sets.codes.tolist()
        return Decisions(self.P[rows], codes, confidences, sets, unanswered)


class Answers:
    """The rows that a model gives to texts.

    on_explanation      gets the explanations of a text, one for each label that it is given
    true_probabilities  those of the true labels of rows held out, for sets of labels; by default
                        those that the model has from its training
    known_words         the words of the model, if they are at hand

    >>> texts = ["what a great film", "great fun", "a dull film", "dull and long"] * 5
    >>> model = TextClassifier().fit(texts, ["good", "good", "bad", "bad"] * 5)
    >>> from wordplane.text.texts import as_texts
    >>> answers = Answers(model, Wanted(top_k=2))
    >>> answers.columns(Corpus(as_texts(["so dull"])), ["7"])["top_labels"]
    [['bad', 'good']]
    """

    def __init__(
        self,
        model: TextPredictor,
        wanted: Wanted,
        on_explanation: Callable[[Sequence[Explanation]], None] | None = None,
        *,
        true_probabilities: FloatArray | None = None,
        known_words: KnownWords | None = None,
    ) -> None:
        if true_probabilities is None:
            wanted.check(model)
        self.model, self.wanted, self._on_explanation = model, wanted, on_explanation
        self._labels: list[Label] = model.model_.classes.tolist()
        self._conformal, self._intervals = None, model.model_.calibrator
        if wanted.set_confidence is not None and self._labels:
            self._conformal = prediction_sets(model, wanted.set_confidence, true_probabilities)
        self._hierarchy = None
        if wanted.separator is not None:
            from wordplane.evaluation.hierarchy import Hierarchy

            self._hierarchy = Hierarchy.of(self._labels, wanted.separator)
        self._filter = RowFilter(wanted.keep_if, self._labels) if wanted.keep_if else None
        self._kept = kept_names(wanted.keep, self._own_types())
        # Columns next to a text may say enough about it.
        self._kinds = model.model_.features.spec.columns.kinds
        self.skips_empty = not self._kinds and not wanted.label_empty
        if known_words is not None:
            self._known_words = known_words

    @cached_property
    def _known_words(self) -> KnownWords:
        from wordplane.model.known_words import KnownWords

        return KnownWords(self.model.model_.features)

    def types(self) -> Types:
        """The type of each column."""
        own, kept = self._own_types(), dict.fromkeys(self._kept.values(), str)
        return {**kept, **own} if self.wanted.like_input else {**own, **kept}

    def _own_types(self) -> Types:
        wanted, kind = self.wanted, type(self._labels[0]) if self._labels else float
        lists = GenericAlias(list, (kind,))
        types: Types = {"id": str, "label": kind, "probability": float}
        if self.model.is_multilabel:
            types = {"id": str, "labels": lists, "probabilities": list[float]}
        if not self._labels:
            types = {"id": str, "number": float}
        if wanted.known:
            types |= {"known": float, "unfamiliar": bool}
        if wanted.top_k is not None:
            types |= {"top_labels": lists, "top_probabilities": list[float]}
        if wanted.separator is not None:
            types |= {"levels": list[str], "level_probabilities": list[float]}
        if wanted.probabilities:
            types |= {f"probability:{label}": float for label in self._labels}
        if wanted.set_confidence is not None:
            types |= {"label_set": lists} if self._labels else {"low": float, "high": float}
        if wanted.explain is not None:
            types |= {"words": list[str], "contributions": list[float]}
        if wanted.like_input:
            types.pop("id")
        return types

    def columns(self, corpus: Corpus, ids: Sequence[str]) -> Columns:
        """The values of each column for some texts; with thousands of labels, a few at a time."""
        step = max(MAX_SCORES // max(len(self._labels), 1), 1)
        if len(corpus) <= step:
            return self._columns(corpus, ids, self.decide(corpus))
        parts = []
        for begin in range(0, len(corpus), step):
            rows = np.arange(begin, min(begin + step, len(corpus)))
            part = corpus.take(rows)
            parts.append(self._columns(part, ids[begin : begin + step], self.decide(part)))
        return {name: list(chain(*(part[name] for part in parts))) for name in parts[0]}

    def columns_of_each(self, corpora: Sequence[Corpus], ids: Sequence[list[str]]) -> list[Columns]:
        """The values of each column for several corpora, whose labels are decided at once."""
        if sum(map(len, corpora)) * max(len(self._labels), 1) > MAX_SCORES:
            return [self.columns(corpus, own) for corpus, own in zip(corpora, ids, strict=True)]
        decisions, ends = self.decide(Corpus.join(corpora)), np.cumsum([*map(len, corpora)])
        return [
            self._columns(corpus, own, decisions.take(np.arange(end - len(corpus), end)))
            for corpus, own, end in zip(corpora, ids, ends, strict=True)
        ]

    def _columns(self, corpus: Corpus, ids: Sequence[str], decisions: Decisions) -> Columns:
        if self._filter is not None:
            rows = self._filter.rows(decisions.P, decisions.codes, decisions.sets)
            rows = rows[[row not in decisions.unanswered for row in rows.tolist()]]
            corpus, decisions = corpus.take(rows), decisions.take(rows)
            ids = [ids[row] for row in rows.tolist()]
        columns = self.describe(decisions, ids, corpus.texts)
        if self.wanted.explain is not None:
            words, values = self._words(corpus, self.wanted.explain)
            more: Columns = {"words": words, "contributions": values}
            columns |= _without_answers(more, decisions.unanswered)
        given: Columns = {}
        for name, kept in self._kept.items():
            own = corpus.vectors[name].tolist() if name in corpus.vectors else corpus.extras[name]
            given[kept] = [_as_text(value) for value in own]
        if self.wanted.like_input:
            columns.pop("id")
            return {**given, **columns}
        return {**columns, **given}

    def decide(self, texts: TextsLike) -> Decisions:
        """The labels of texts; empty ones have none, unless they are wanted."""
        documents = as_documents(texts, self._kinds)
        decisions = self._decide(self.model.decision_function(documents))
        if not self.skips_empty or not (empty := documents.texts.blank()):
            return decisions
        return decisions._replace(unanswered=frozenset(empty))

    def _decide(self, z: FloatArray) -> Decisions:
        """The decisions by the scores of texts."""
        model, least = self.model, self.wanted.min_confidence
        if not isinstance(model, TextClassifier):
            return Decisions(z[:, None], [], [])
        P = model.probabilities_of(z)
        if model.is_multilabel:
            sets = model.labels_of(z)
            assert isinstance(sets, LabelSets)
            confidences = P.max(axis=1, initial=0.0).round(DIGITS).tolist()
            return Decisions(P, sets.codes.tolist(), confidences, sets)
        # From the scores, as predict does it: equal probabilities may hide which is larger.
        if len(z) == 1:  # without array operations, which would take longer than the rest
            k = int(z.item() > 0 if z.ndim == 1 else z.argmax())
            p = P.item(0, k)
            given = k if least is None or p >= least else ABSTAINED
            return Decisions(P, [given], [round(p * 10**DIGITS) / 10**DIGITS])
        codes = best_class(z, len(self._labels))
        own = P[np.arange(len(z)), codes]
        if least is not None:
            codes = np.where(own >= least, codes, ABSTAINED)
        return Decisions(P, codes.tolist(), own.round(DIGITS).tolist())

    def describe(self, decisions: Decisions, ids: Sequence[str], texts: Texts) -> Columns:
        """Decisions as columns, with what is asked for; `texts` are those that it is about."""
        wanted, P, labels = self.wanted, decisions.P, self._labels
        columns: Columns = {"id": ids}
        if not labels:
            columns |= self.number_columns(P[:, 0])
        elif decisions.sets is not None:
            columns["labels"] = decisions.sets.tolist()
            own = P[decisions.sets.pairs()].round(DIGITS).tolist()
            starts = decisions.sets.starts.tolist()
            columns["probabilities"] = [own[a:b] for a, b in pairwise(starts)]
        else:
            columns["label"] = [None if k < 0 else labels[k] for k in decisions.codes]
            columns["probability"] = decisions.confidences
        if wanted.known:
            threads = 1 if len(texts) == 1 else thread_count(self.model.n_jobs)
            shares = self._known_words.shares(texts, threads)
            from wordplane.model.known_words import knowledge

            known, unfamiliar = knowledge(shares, self.model.training_.least_known)
            columns["known"] = known.round(DIGITS).tolist()
            columns["unfamiliar"] = unfamiliar.tolist()
        if wanted.top_k is not None:
            from wordplane.evaluation.rankings import likeliest

            best = likeliest(P, wanted.top_k)
            columns["top_labels"] = [[labels[k] for k in row] for row in best.tolist()]
            top = np.take_along_axis(P, best, axis=1)
            columns["top_probabilities"] = top.round(DIGITS).tolist()
        if self._hierarchy is not None:
            columns |= self._levels(self._hierarchy, decisions)
        if wanted.probabilities:
            for k, label in enumerate(labels):
                columns[f"probability:{label}"] = P[:, k].round(DIGITS).tolist()
        if self._conformal is not None:
            member = self._conformal.sets(P)
            columns["label_set"] = [
                [labels[k] for k in np.flatnonzero(row).tolist()] for row in member
            ]
        return _without_answers(columns, decisions.unanswered)

    def number_columns(self, z: FloatArray) -> dict[str, list[float]]:
        """Numbers, and the ends of their intervals if these are asked for."""
        columns: dict[str, list[float]] = {"number": z.round(DIGITS).tolist()}
        if self.wanted.set_confidence is not None and isinstance(self._intervals, NumberIntervals):
            low, high = self._intervals.margins(self.wanted.set_confidence)
            columns["low"] = (z + low).round(DIGITS).tolist()
            columns["high"] = (z + high).round(DIGITS).tolist()
        return columns

    def _levels(self, hierarchy: Hierarchy, decisions: Decisions) -> Columns:
        """The likeliest part of every level, and labels that end where they are probable enough."""
        levels = hierarchy.likeliest(decisions.P)
        shares = [[round(p, DIGITS) for p in row] for _, row in levels]
        columns: Columns = {
            "levels": [names for names, _ in levels],
            "level_probabilities": shares,
        }
        if self.wanted.min_confidence is not None:
            stops = hierarchy.stop(decisions.P, self.wanted.min_confidence)
            columns["label"] = [name for name, _ in stops]
            columns["probability"] = [
                row[n - 1] if n else p
                for (_, n), row, p in zip(stops, shares, decisions.confidences, strict=True)
            ]
        return columns

    def _words(self, corpus: Corpus, n: int) -> tuple[list[list[str]], list[list[float]]]:
        """The words that say most about the label of each text, all places of one together."""
        words, values = [], []
        for row in range(len(corpus)):
            text = corpus.take([row])
            explanation = self.model.explain(text)
            if self._on_explanation is not None:
                self._on_explanation([explanation, *self._other_labels(text, explanation.label)])
            strongest = explanation.by_word()[:n]
            words.append([name for name, _ in strongest])
            values.append([round(value, DIGITS) for _, value in strongest])
        return words, values

    def _other_labels(self, text: Corpus, label: Label | None) -> list[Explanation]:
        """The explanations of the other labels that a text is given."""
        if not isinstance(self.model, TextClassifier) or not self.model.is_multilabel:
            return []
        given = self.model.predict(text)[0]
        return [self.model.explain(text, other) for other in given if other != label]


def prediction_sets(
    model: TextPredictor, level: float, true_probabilities: FloatArray | None = None
) -> Conformal:
    """The rule by which a label is in the set of a text, from rows held out in training or from
    the probabilities that others have of their true labels."""
    own = model.training_.true_probabilities if true_probabilities is None else true_probabilities
    return Conformal.of_true(np.array(own), level)


def _as_text(value: object) -> str:
    if isinstance(value, str):
        return value
    return f"{value:.15g}" if isinstance(value, float) else str(value)


def _without_answers(columns: Columns, rows: Set[int]) -> Columns:
    """The columns, where some rows have no answer: None, or an empty list.

    >>> _without_answers({"id": ["1", "2"], "label": ["a", "b"], "top_labels": [["a"], ["b"]]}, {1})
    {'id': ['1', '2'], 'label': ['a', None], 'top_labels': [['a'], []]}
    """
    if not rows:
        return columns
    facts = ("id", "known", "unfamiliar")
    return {
        name: values
        if name in facts
        else [
            (type(value)() if isinstance(value, list | tuple) else None) if row in rows else value
            for row, value in enumerate(values)
        ]
        for name, values in columns.items()
    }

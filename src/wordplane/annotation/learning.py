"""One round of learning: from labels to a model, its scores of texts without labels, and labels
that it doubts. It changes nothing, so it can run in the background."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from wordplane._core import Texts
from wordplane.annotation.store import Labels
from wordplane.common.errors import InputError
from wordplane.common.label_sets import LabelSets
from wordplane.common.types import FloatArray, IntArray
from wordplane.diagnosis.label_noise import margins
from wordplane.model.classifier import TextClassifier
from wordplane.model.fingerprint import fingerprint
from wordplane.model.word_vectors import PoolVectors
from wordplane.selection.cross_validation import out_of_fold

MIN_DOUBTING = 40  # labels, before any of them is doubted
MIN_DOUBT = 0.5  # by which another label must be likelier
MAX_DOUBTS = 100
MAX_DOUBTING = 5000  # labels of which doubts are sought
MAX_STACKED = 1000  # labels that word vectors of the pool can still help


@dataclass(frozen=True)
class Lesson:
    """What is to be learned from.

    labeled     the labels of texts by number, from 1
    weak        labels that rules give, with weights
    candidates  rows, from 0, to score
    """

    texts: Texts
    labeled: Mapping[int, Labels]
    weak: Mapping[int, tuple[int, float]]
    candidates: IntArray
    vectors: PoolVectors | None
    multi: bool
    threads: int


@dataclass(frozen=True)
class Doubt:
    """A label that models of the other texts find unlikely.

    text    its number
    label   what they would say
    margin  by how much the probability of that is larger
    """

    text: int
    label: int
    margin: float


@dataclass(frozen=True)
class Learned:
    """What was learned.

    number      of the model, from 1
    classes     the numbers of the labels, in the order of the columns of P
    candidates  the rows that were scored, from 0
    P           their probabilities of the labels
    """

    number: int
    n_labels: int
    classifier: TextClassifier
    classes: list[int]
    candidates: IntArray
    P: FloatArray
    doubts: list[Doubt]
    multi: bool

    def guess(self, text: str) -> tuple[Labels, float]:
        """The labels that the model gives to a text, and their probability (of several labels, the
        probability of the least sure decision)."""
        z = self.classifier.decision_function([text])
        p = self.classifier.probabilities_of(z)[0]
        labels = self.classifier.labels_of(z)
        if isinstance(labels, LabelSets):
            given = tuple(int(label) for label in labels.tolist()[0])
            return given, float(np.maximum(p, 1 - p).min())
        label = int(labels[0])
        return (label,), float(p[self.classes.index(label)])

    def uncertainty(self) -> FloatArray:
        """1 where the model is least sure, 0 where it is sure."""
        if self.multi:
            return np.asarray(1 - 2 * np.abs(self.P - 0.5).min(axis=1))
        best = np.sort(self.P, axis=1)[:, -2:]
        return np.asarray(1 - (best[:, 1] - best[:, 0]))


def can_learn(lesson: Lesson) -> bool:
    """Whether there are two different labels."""
    said = set(lesson.labeled.values())
    said |= {(label,) for label, _ in lesson.weak.values()}
    return len(said) > 1


def fit_classifier(lesson: Lesson, names: Mapping[int, str] | None = None) -> TextClassifier:
    """The classifier of all labels, which it knows by number, or by their names. Folds that weight
    word vectors calibrate it, too, unless it is to be used elsewhere."""
    numbers = [*lesson.labeled, *lesson.weak]
    given: list[Labels] = [*lesson.labeled.values(), *((k,) for k, _ in lesson.weak.values())]
    weights = [1.0] * len(lesson.labeled) + [weight for _, weight in lesson.weak.values()]
    called = given if names is None else [tuple(names[k] for k in labels) for labels in given]
    stacks = not lesson.multi and len(numbers) <= MAX_STACKED
    by_folds = stacks and lesson.vectors is not None and names is None
    calibration = "cv" if by_folds else "holdout"
    return TextClassifier(calibration=calibration, n_jobs=lesson.threads).fit(
        lesson.texts.take(np.array(numbers, np.int64) - 1),
        called if lesson.multi else np.array([labels[0] for labels in called]),
        sample_weight=weights if lesson.weak else None,
        unlabeled=lesson.vectors if stacks else None,
    )


def fit_named_classifier(lesson: Lesson, names: Mapping[int, str]) -> TextClassifier:
    """The classifier to be used elsewhere, which knows labels by name; it remembers the texts that
    were labeled by hand, in the order in which the file of the project has them."""
    lesson = replace(lesson, labeled=dict(sorted(lesson.labeled.items())))
    classifier = fit_classifier(lesson, names)
    rows = np.array(list(lesson.labeled), np.int64) - 1
    found = fingerprint(lesson.texts, rows)
    classifier.model_.training = replace(classifier.training_, fingerprint=found)
    return classifier


def learn(lesson: Lesson, number: int) -> Learned | None:
    """Learn from labels; None if there is too little to learn from."""
    if not can_learn(lesson):
        return None
    try:
        classifier = fit_classifier(lesson)
    except InputError:  # no word occurs in any of them, for instance
        return None
    z = classifier.decision_function(lesson.texts.take(lesson.candidates))
    return Learned(
        number,
        len(lesson.labeled),
        classifier,
        [int(label) for label in classifier.classes_.tolist()],
        lesson.candidates,
        classifier.probabilities_of(z),
        find_doubts(classifier, lesson),
        lesson.multi,
    )


def find_doubts(classifier: TextClassifier, lesson: Lesson) -> list[Doubt]:
    """Labels given by hand that models of the other texts find unlikely, most unlikely first."""
    n = len(lesson.labeled)
    if lesson.multi or not MIN_DOUBTING <= n <= MAX_DOUBTING:
        return []
    numbers = np.array(list(lesson.labeled), np.int64)
    y = np.array([labels[0] for labels in lesson.labeled.values()])
    try:
        plan = classifier.make_plan(lesson.texts.take(numbers - 1), y)
        parts = plan.analyzer, plan.learner, plan.documents
        result = out_of_fold(*parts, y, threads=lesson.threads)
    except InputError:
        return []
    margin, best, _ = margins(result, y)
    order = np.argsort(-np.nan_to_num(margin, nan=-1.0), kind="stable")[:MAX_DOUBTS].tolist()
    return [
        Doubt(int(numbers[row]), int(result.classes[best[row]]), float(margin[row]))
        for row in order
        if margin[row] > MIN_DOUBT
    ]

"""What a project knows about itself: accuracy, progress, agreement, and texts worth a look.

Accuracy is measured on texts drawn at random alone. The model says what it would answer before the
person does, and it is counted how often both agree. Texts that come up in the random order but were
labeled before for another reason count too, with what the model said then. The interval is a
confidence sequence (`wordplane.evaluation.anytime`) of the latest half of these texts: it holds at
all times at once, so stopping as soon as the number pleases does not make it wrong. It is an
interval of the mean accuracy of the models that made these guesses; the model of now has learned
from more labels, and is usually a little better.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from wordplane.annotation.answers import GIVEN
from wordplane.annotation.items import Item
from wordplane.annotation.project import FILE, Project
from wordplane.annotation.rules import find_matches
from wordplane.annotation.store import Event
from wordplane.common.errors import InputError
from wordplane.data.formats.sqlite import RANDOM
from wordplane.diagnosis.forecast import Forecast, forecast
from wordplane.diagnosis.learning_curve import learning_curve
from wordplane.evaluation.agreement import Agreement, compare_people
from wordplane.evaluation.anytime import recent_share
from wordplane.evaluation.intervals import Interval

PACE_SECONDS = 600.0
PAUSE_SECONDS = 60.0  # between two answers, which count as a pause
MIN_FORECAST = 60  # labels


@dataclass(frozen=True)
class Accuracy:
    """How good the model is, by texts drawn at random.

    right, n  of the latest n of them, the model guessed so many right before they were labeled
    n_random  all that were drawn and labeled
    interval  of the accuracy, 95 %; it holds at all times at once
    """

    right: int
    n: int
    n_random: int
    interval: Interval

    @property
    def share(self) -> float | None:
        """The accuracy, or None if nothing was measured."""
        return self.right / self.n if self.n else None


def outcomes(project: Project) -> list[bool]:
    """Whether the model was right, for each text of the random order that has been labeled."""
    events = project.answers.events
    drawn = {event.shown.text for event in events if event.shown.reason == RANDOM}
    found: list[bool] = []
    for text in project.chooser.random_order:
        if not drawn:
            break
        drawn.discard(text)
        first, labels = project.answers.first(text), project.answers.labels_of(text)
        if first is None or labels is None or first.shown.guess is None:
            continue
        found.append(set(project.labels.current(first.shown.guess)) == set(labels))
    return found


def measure_accuracy(project: Project) -> Accuracy:
    """How good the model is."""
    found = outcomes(project)
    right, n, interval = recent_share(found)
    return Accuracy(right, n, len(found), interval)


@dataclass(frozen=True)
class Progress:
    """How far the work is.

    n_labeled    texts that have a label
    n_skipped    texts that were skipped by everybody who saw them
    per_label    texts that have each label
    per_minute   answers of a person in a minute of the last ten, without pauses; None at first
    reasons      why texts were shown, how often
    """

    n_texts: int
    n_labeled: int
    n_skipped: int
    per_label: dict[str, int]
    per_minute: float | None
    reasons: dict[str, int]


def measure_progress(project: Project, person: str) -> Progress:
    """How far the work is, and how quick a person."""
    labeled = project.answers.labeled()
    counts = Counter(number for labels in labeled.values() for number in labels)
    own = [e for e in project.answers.events[-200:] if e.person == project.people.get(person)]
    reasons = Counter(e.shown.reason for e in project.answers.events if e.shown.reason != GIVEN)
    return Progress(
        len(project),
        len(labeled),
        len(project.answers) - len(labeled),
        {label.name: counts[label.number] for label in project.labels},
        _pace(own),
        dict(reasons),
    )


def _pace(events: Sequence[Event]) -> float | None:
    times = [event.time for event in events if event.time > time.time() - PACE_SECONDS]
    steps = [b - a for a, b in pairwise(times) if b - a < PAUSE_SECONDS]
    seconds = sum(steps)
    return 60 * len(steps) / seconds if len(steps) >= 3 and seconds > 0 else None


def forecast_gain(project: Project) -> Forecast | None:
    """What a hundred more labels would bring, by a learning curve of those there are; None if they
    are too few. It takes seconds."""
    with project.lock:
        learned, labeled = project.learned, project.answers.labeled()
    if learned is None or project.multi or len(labeled) < MIN_FORECAST:
        return None
    y = np.array([labels[0] for labels in labeled.values()])
    texts = project.texts.take(np.array(list(labeled), np.int64) - 1)
    try:
        plan = learned.classifier.make_plan(texts, y)
        curve = learning_curve(plan.analyzer, plan.learner, plan.documents, y, sizes=5)
    except InputError:  # a label has a single text
        return None
    return forecast(curve, 100)


def search(project: Project, query: str, most: int = 20) -> tuple[list[int], list[int]]:
    """The texts without a label that match a query (`wordplane.annotation.rules`), and some of
    them, spread over all."""
    rows = (find_matches(query, project.texts) + 1).tolist()
    found = [text for text in rows if text not in project.answers]
    step = max(1, len(found) // most)
    return found, found[::step][:most]


def look(project: Project, text: int) -> Item:
    """A text with its labels, without showing it to anybody."""
    has = project.answers.labels_of(text)
    names = None if has is None else project.labels.names_of(has)
    content = project.texts[text - 1]
    return Item(text, project.name_of(text), content, "", None, None, names)


def texts_labeled(project: Project, label: str | None, most: int = 100) -> list[int]:
    """The texts that have a label, or any, the latest first."""
    wanted = None if label is None else project.labels.number(label)
    found = dict.fromkeys(event.shown.text for event in reversed(project.answers.events))
    has = ((text, project.answers.labels_of(text)) for text in found)
    chosen = (t for t, labels in has if labels is not None and (not wanted or wanted in labels))
    return [text for text, _ in zip(chosen, range(most), strict=False)]


def texts_unsure(project: Project, label: str, most: int = 20) -> list[int]:
    """Texts without a label of which the model is least sure whether they have this one."""
    learned, number = project.learned, project.labels.number(label)
    if learned is None or number not in learned.classes:
        return []
    p = learned.P[:, learned.classes.index(number)]
    order = (learned.candidates[np.argsort(np.abs(p - 0.5), kind="stable")] + 1).tolist()
    return [text for text in order if text not in project.answers][:most]


def measure_agreement(project: Project) -> list[Agreement]:
    """How far people agree: all of them, then every two."""
    ratings = [
        {name: frozenset(labels) for name, labels in said.items()} for _, said in _shared(project)
    ]
    return compare_people(ratings)


def disagreements(project: Project) -> list[tuple[int, dict[str, tuple[str, ...]]]]:
    """The texts that people label differently, and what each says."""
    return [
        (text, {name: project.labels.names_of(labels) for name, labels in said.items()})
        for text, said in _shared(project)
        if len({frozenset(labels) for labels in said.values()}) > 1
    ]


def _shared(project: Project) -> list[tuple[int, dict[str, tuple[int, ...]]]]:
    """The texts that several people labeled, and what each said."""
    names = {number: name for name, number in project.people.items() if name != FILE}
    found = []
    for text in dict.fromkeys(event.shown.text for event in project.answers.events):
        said = {
            names[person]: labels
            for person, labels in project.answers.given(text).items()
            if labels is not None and person in names
        }
        if len(said) > 1:
            found.append((text, said))
    return found

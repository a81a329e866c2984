"""A project: texts, the labels that people give them, and the model that learns meanwhile."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace
from os import PathLike, fspath
from typing import Self, Unpack

import numpy as np

from wordplane.annotation.answers import DIRECT, GIVEN, SEARCH, Answers
from wordplane.annotation.choice import OVERLAP, SHARES, check_shares, choose_ahead
from wordplane.annotation.chooser import Chooser
from wordplane.annotation.items import Data, Item, as_corpus
from wordplane.annotation.labels import MAX_NAME, LabelBook
from wordplane.annotation.learning import Learned, Lesson, can_learn, fit_named_classifier, learn
from wordplane.annotation.pool import Pool, some_rows
from wordplane.annotation.rules import RuleBook
from wordplane.annotation.screening import Screening
from wordplane.annotation.store import Event, Labels, Rule, Shown, Store
from wordplane.common.errors import InputError
from wordplane.common.threads import thread_count
from wordplane.data.corpus import label_tuple
from wordplane.data.read_options import Reading
from wordplane.model.classifier import TextClassifier

ME = "me"  # who labels, if nobody says
FILE = "file"  # who gave the labels that the data had
CANDIDATES = 6000, 4 << 20  # texts, and bytes, that are scored after each round of learning
FIND_CANDIDATES = 200_000, 64 << 20  # the same in screening
USUAL_OVERLAP = 0.1  # share of texts that go to two people, if there are several


def check_recall(recall: float) -> float:
    """The share of relevant texts that screening is to find."""
    if not 0.5 <= recall < 1:
        raise InputError(f"`recall` is {recall}, expected a share from 0.5 to below 1")
    return recall


class Project:
    """Texts, labels, and a model that learns from them; all of it in one file.

    `next` gives a text, `label`, `skip` and `undo` change its answer, `learn` trains the model (the
    page of `wordplane annotate` does that in the background). What a method has acknowledged is on
    disk. Threads may share a project.

    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> texts = ["cheap pills now", "lunch at noon?", "cheap loans", "see you at noon", "cheap!"]
    >>> project = Project.create(f"{folder.name}/p.db", texts, labels=["spam", "ham"])
    >>> for _ in range(4):
    ...     item = project.next()
    ...     project.label(item.text, "spam" if "cheap" in item.content else "ham")
    >>> project.undo()
    >>> project.skip(project.next().text)
    >>> project.learn()
    True
    >>> len(project.next().guess)
    1
    >>> project.close(); folder.cleanup()
    """

    def __init__(self, store: Store, n_jobs: int | None = None) -> None:
        self.store, self._threads = store, thread_count(n_jobs)
        self.lock = threading.RLock()
        self.texts, self._names = store.texts()
        stored = store.load()
        self.settings, self._people = stored.settings, stored.people
        self.labels = LabelBook(store, stored.labels)
        self.answers = Answers(self.labels, stored.events)
        self._shown, self.rules = stored.shown, RuleBook(store, self.labels, self.texts)
        self._pool: Pool | None = None
        self.learned: Learned | None = None
        self._learned_state = 0, 0  # answers and rules that have been learned from
        self.chooser = Chooser(len(self.texts), int(str(self.settings["seed"])), self.answers)
        self._screening: Screening | None = None
        self._recount()

    @classmethod
    def create(
        cls,
        path: str | PathLike[str],
        data: Data,
        *,
        labels: Sequence[str] = (),
        multi: bool = False,
        find: str | None = None,
        recall: float = 0.95,
        seed: int = 0,
        n_jobs: int | None = None,
        **reading: Unpack[Reading],
    ) -> Self:
        """A new project.

        data    a list of texts, or what `wordplane.read` takes; labels that it has are kept
        labels  their names; those of the data are added, and more can be at any time
        multi   whether a text can have several labels, or none
        find    screening: find nearly all texts of this label
        recall  the share of them that is to be found
        """
        corpus = as_corpus(data, reading)
        if len(corpus) == 0:
            raise InputError("there are no texts to label")
        given = corpus.labels or [None] * len(corpus)
        names = [*labels, *sorted({str(k) for row in given for k in label_tuple(row)})]
        names += [find] if find is not None and find not in names else []
        check_recall(recall)
        settings: dict[str, object] = {
            "source": corpus.source,
            "multi": multi or any(isinstance(row, tuple) and len(row) != 1 for row in given),
            "seed": seed,
            "shares": SHARES,
            "find": find,
            "recall": recall,
        }
        store = Store.create(fspath(path), corpus.texts, corpus.ids, settings)
        project = cls(store, n_jobs)
        try:
            for name in dict.fromkeys(names):
                project.labels.add(name)
            project.label_rows(
                [
                    (number, [str(label) for label in label_tuple(row)])
                    for number, row in enumerate(given, 1)
                    if row is not None
                ]
            )
        except BaseException:
            project.close()
            raise
        return project

    @classmethod
    def open(cls, path: str | PathLike[str], n_jobs: int | None = None) -> Self:
        """The project of a file that nobody else has open for writing."""
        store = Store.open(fspath(path))
        try:
            return cls(store, n_jobs)
        except BaseException:
            store.close()
            raise

    def close(self) -> None:
        """Close the file."""
        self.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __len__(self) -> int:
        return len(self.texts)

    @property
    def path(self) -> str:
        """Where the project is kept."""
        return self.store.path

    @property
    def multi(self) -> bool:
        """Whether a text can have several labels."""
        return bool(self.settings["multi"])

    @property
    def find(self) -> int | None:
        """The label that screening looks for."""
        name = self.settings.get("find")
        return None if name is None else self.labels.find(str(name))

    @property
    def shares(self) -> dict[str, float]:
        """The shares of the reasons that texts are chosen by now."""
        if self._screening is not None:
            return check_shares(self._screening.shares)
        given = self.settings["shares"]
        assert isinstance(given, dict)
        if not given.get(OVERLAP) and sum(name != FILE for name in self._people) > 1:
            return check_shares(given | {OVERLAP: USUAL_OVERLAP})
        return check_shares(given)

    # Answers

    def next(self, person: str = ME) -> Item | None:
        """The text that a person should label now, until it is answered; None if all are."""
        with self.lock:
            number = self._person(person)
            shown = self._shown.get(number)
            if shown is None:
                taken = {other.text for other in self._shown.values()}
                chosen = self.chooser.choose(number, self.shares, taken)
                shown = None if chosen is None else self._guessed(chosen)
                self.store.show(number, shown)
                self._show(number, shown)
            return None if shown is None else self._item(shown)

    def label(
        self, text: int, labels: str | Sequence[str], person: str = ME, *, add: bool = False
    ) -> None:
        """Give a text its label, or its labels; with `add`, those that are not known are added."""
        names = [labels] if isinstance(labels, str) else list(labels)
        with self.lock:
            if add:
                for name in names:
                    if self.labels.find(name) is None:
                        self.labels.add(name)
            numbers = tuple(dict.fromkeys(self.labels.number(name) for name in names))
            if not self.multi and len(numbers) != 1:
                raise InputError(f"{len(numbers)} labels for a text, expected one")
            self._answer(text, numbers, person)

    def skip(self, text: int, person: str = ME) -> None:
        """Leave a text without a label; it is not shown to this person again."""
        with self.lock:
            self._answer(text, None, person)

    def undo(self, person: str = ME) -> None:
        """Take back the last answer of a person, or all of a search; the text is shown again."""
        with self.lock:
            number = self._person(person)
            events = self.answers.last(number)
            if not events:
                raise InputError("there is nothing to undo")
            again = events[0].shown if len(events) == 1 else self._shown.get(number)
            self.store.take_back(events, again)
            self.answers.remove(events)
            self._show(number, again)
            self._recount()

    def label_all(self, texts: Sequence[int], label: str, person: str = ME) -> int:
        """Give all of these texts that have no label this one; returns how many these were."""
        with self.lock:
            number = self.labels.number(label)
            new = [text for text in dict.fromkeys(texts) if text not in self.answers]
            for text in new:
                self._check_text(text)
            self._answer_all(person, [(Shown(text, SEARCH), (number,)) for text in new])
            return len(new)

    def label_rows(self, rows: Sequence[tuple[int, Sequence[str]]]) -> None:
        """Give texts (their numbers) labels that come from elsewhere, all of them or none; labels
        that are not known are added."""
        with self.lock:
            for text, names in rows:
                self._check_text(text)
                if not self.multi and len(set(names)) != 1:
                    raise InputError(f"{len(set(names))} labels for text {text}, expected one")
            known = set(self.labels.names)
            named = dict.fromkeys(name for _, names in rows for name in names)
            new = [name for name in named if name not in known]
            for name in new:
                self.labels.check_new(name)
            for name in new:
                self.labels.add(name)
            numbers = {label.name: label.number for label in self.labels}
            self._answer_all(
                FILE,
                [
                    (Shown(text, GIVEN), tuple(dict.fromkeys(numbers[name] for name in names)))
                    for text, names in rows
                ],
            )

    def look_at(self, text: int, person: str = ME) -> Item:
        """Show this text to a person next, for instance to correct its label."""
        with self.lock:
            self._check_text(text)
            number = self._person(person)
            shown = self._guessed(Shown(text, DIRECT))
            self.store.show(number, shown)
            self._show(number, shown)
            return self._item(shown)

    def _answer(self, text: int, labels: Labels | None, person: str) -> None:
        self._check_text(text)
        number = self._person(person)
        current = self._shown.get(number)
        if current is not None and current.text == text:
            shown, then = current, None
        else:  # not what this person was shown: it was not chosen by us, so it measures nothing
            shown, then = self._guessed(Shown(text, DIRECT)), current
        self._add(self.store.answer(number, [(shown, labels)], then))
        self._show(number, then)

    def _answer_all(self, person: str, answers: list[tuple[Shown, Labels | None]]) -> None:
        if answers:
            number = self._person(person)
            self._add(self.store.answer(number, answers, self._shown.get(number)))

    def _add(self, events: Sequence[Event]) -> None:
        for event in events:
            self._screen(event)
            self.answers.add([event])
            self.chooser.count(event.shown.reason)

    def _screen(self, event: Event) -> None:
        """Note a text that is read for the first time."""
        if self._screening is not None and event.shown.text not in self.answers:
            relevant = self.find in self.labels.current(event.labels or ())
            self._screening.read(relevant, event.shown.reason)

    def _recount(self) -> None:
        """Count all answers again."""
        events, self.answers = self.answers.events, Answers(self.labels)
        if self.settings.get("find") is not None:
            self._screening = Screening(len(self.texts), float(str(self.settings["recall"])))
        for event in events:
            self._screen(event)
            self.answers.add([event])
        self.chooser.restart(self.answers)
        self._counted_version = self.labels.version

    def _guessed(self, shown: Shown) -> Shown:
        """With what the model says of the text now, before anybody answers."""
        if self.learned is None:
            return shown
        guess, p = self.learned.guess(self.texts[shown.text - 1])
        return replace(shown, model=self.learned.number, guess=guess, probability=p)

    def _show(self, person: int, shown: Shown | None) -> None:
        if shown is None:
            self._shown.pop(person, None)
        else:
            self._shown[person] = shown

    def _item(self, shown: Shown) -> Item:
        has = self.answers.labels_of(shown.text)
        return Item(
            shown.text,
            self.name_of(shown.text),
            self.texts[shown.text - 1],
            shown.reason,
            None if shown.guess is None else self.labels.names_of(shown.guess),
            shown.probability,
            None if has is None else self.labels.names_of(has),
        )

    # Learning

    @property
    def is_behind(self) -> bool:
        """Whether there are answers that the model has not learned from."""
        return (len(self.answers.events), self.rules.version) != self._learned_state

    def prepare(self, *, vectors: bool = True) -> None:
        """Look at the texts without labels, for clusters, near-duplicates and word vectors."""
        pool = Pool.prepare(
            self.texts,
            len(self.labels),
            seed=int(str(self.settings["seed"])),
            threads=self._threads,
            vectors=vectors and not self.multi,
        )
        with self.lock:
            self._pool = pool
        self._choose_ahead()

    def learn(self) -> bool:
        """Learn from all labels, and choose which texts come next. Returns whether there was enough
        to learn from. The project can be used from other threads meanwhile."""
        with self.lock:
            lesson, state = self._lesson(), (len(self.answers.events), self.rules.version)
            number = 1 if self.learned is None else self.learned.number + 1
        learned = learn(lesson, number)
        with self.lock:
            self.learned, self._learned_state = learned, state
        self._choose_ahead()
        return learned is not None

    def _lesson(self) -> Lesson:
        labeled = self.answers.labeled()
        weak = self.rules.weak_labels(labeled)
        limits = CANDIDATES if self.find is None else FIND_CANDIDATES
        rng = np.random.default_rng([len(self.answers.events), 1])
        candidates = some_rows(self.texts, rng, *limits)
        vectors = None if self._pool is None else self._pool.vectors
        return Lesson(self.texts, labeled, weak, candidates, vectors, self.multi, self._threads)

    def _choose_ahead(self) -> None:
        """Choose texts for each reason; others need not wait meanwhile."""
        with self.lock:
            labels = [label.number for label in self.labels]
            labeled = {e.shown.text: e.labels or () for e in self.answers.events}
            words = self.rules.rows_by_label()
            known = self.learned, self._pool
        queues = choose_ahead(*known, labeled, labels, words, self.find)
        with self.lock:
            self.chooser.queues = queues

    # Labels, people, rules and settings

    def rename_label(self, name: str, new: str) -> None:
        """Give a label another name."""
        with self.lock:
            self.labels.rename(name, new)
            if self.settings.get("find") == name:
                self.set("find", new)

    def merge_labels(self, name: str, into: str) -> None:
        """Make a label part of another: its texts have that one now."""
        with self.lock:
            self.labels.merge(name, into)
            if self.settings.get("find") == name:
                self.set("find", into)

    def add_rule(self, label: str, pattern: str, person: str = ME) -> Rule:
        """Trust words for a label (`wordplane.annotation.rules`)."""
        with self.lock:
            rule = self.rules.add(label, pattern, self._person(person))
        self._choose_ahead()
        return rule

    def look_for(self, label: str, recall: float) -> None:
        """Screening: find nearly all texts of this label from now on."""
        with self.lock:
            if self.labels.find(label) is None:
                self.labels.add(label)
            self.set("recall", check_recall(recall))
            self.set("find", label)
            self._recount()

    def classifier(self) -> TextClassifier:
        """A classifier of all labels, by their names, to be saved and used elsewhere."""
        with self.lock:
            lesson = self._lesson()
            names = {label.number: label.name for label in self.labels}
        if not can_learn(lesson):
            raise InputError(f"{self.path}: there are no two different labels to learn from")
        return fit_named_classifier(lesson, names)

    def comment(self, text: int, comment: str, person: str = ME) -> None:
        """Leave a comment on a text, to come back to."""
        with self.lock:
            self._check_text(text)
            self.store.comment(self._person(person), text, comment)

    def set_shares(self, shares: Mapping[str, object]) -> None:
        """Set the shares of the reasons that texts are chosen by."""
        with self.lock:
            self.set("shares", check_shares(shares))

    def set(self, key: str, value: object) -> None:
        """Change a setting."""
        with self.lock:
            self.store.put_setting(key, value)
            self.settings[key] = value

    @property
    def people(self) -> dict[str, int]:
        """The numbers of the people who gave answers, by name."""
        return dict(self._people)

    @property
    def screening(self) -> Screening | None:
        """How far the search for a label is; None if there is none."""
        with self.lock:
            if self._screening is not None and self._counted_version != self.labels.version:
                self._recount()
            return self._screening

    def name_of(self, text: int) -> str:
        """The id of a text in the data, or else its number."""
        return str(text) if self._names is None else self._names[text - 1]

    def _person(self, name: str) -> int:
        if name not in self._people:
            if not 0 < len(name) <= MAX_NAME:
                raise InputError(f"the name has {len(name)} characters, expected 1 to {MAX_NAME}")
            self._people[name] = self.store.person(name)
        return self._people[name]

    def text(self, number: int) -> str:
        """A text by its number, from 1."""
        self._check_text(number)
        return self.texts[number - 1]

    def _check_text(self, text: int) -> None:
        if not 1 <= text <= len(self.texts):
            raise InputError(f"there is no text {text}: they are 1 to {len(self.texts)}")

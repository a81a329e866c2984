"""The answers of people to texts, in memory: what the file says, quick to ask."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from wordplane.annotation.labels import LabelBook
from wordplane.annotation.store import Event, Labels
from wordplane.common.votes import latest_majority

# Reasons that people have, who pick texts themselves.
GIVEN, SEARCH, DIRECT = "given", "search", "direct"
DOUBT = "doubt"  # the model doubts the label that a text has
Given = dict[int, Labels | None]  # what each person said of a text


class Answers:
    """What people answered: the last of their answers to each text that was not taken back."""

    def __init__(self, book: LabelBook, events: Iterable[Event] = ()) -> None:
        self._book = book
        self.events: list[Event] = []
        self._of_text: dict[int, list[Event]] = defaultdict(list)
        self.add(events)

    def add(self, events: Iterable[Event]) -> None:
        """More answers."""
        for event in events:
            self.events.append(event)
            self._of_text[event.shown.text].append(event)

    def remove(self, events: Iterable[Event]) -> None:
        """These were taken back."""
        gone = {event.number for event in events}
        self.events = [event for event in self.events if event.number not in gone]
        for text in {event.shown.text for event in events}:
            self._of_text[text] = [e for e in self._of_text[text] if e.number not in gone]
            if not self._of_text[text]:
                del self._of_text[text]

    def __contains__(self, text: int) -> bool:
        return text in self._of_text

    def __len__(self) -> int:
        return len(self._of_text)

    def given(self, text: int) -> Given:
        """What each person said of a text."""
        said: Given = {}
        for event in self._of_text.get(text, ()):
            said.pop(event.person, None)  # so that the latest comes last
            labels = event.labels
            said[event.person] = None if labels is None else self._book.current(labels)
        return said

    def labels_of(self, text: int) -> Labels | None:
        """What most people say of a text; of several answers that are as frequent, the latest.
        None if nobody gave it a label."""
        said = [labels for labels in self.given(text).values() if labels is not None]
        return latest_majority(said) if said else None

    def first(self, text: int) -> Event | None:
        """The first answer to a text that is not a skip."""
        return next((e for e in self._of_text.get(text, ()) if e.labels is not None), None)

    def labeled(self) -> dict[int, Labels]:
        """The labels of all texts that have some; of several per text, there may be none."""
        found = {text: self.labels_of(text) for text in self._of_text}
        return {text: labels for text, labels in found.items() if labels is not None}

    def last(self, person: int) -> list[Event]:
        """The last answer of a person, or all that they gave at once then."""
        last = next((e for e in reversed(self.events) if e.person == person), None)
        if last is None or last.batch is None:
            return [] if last is None else [last]
        return [e for e in self.events if e.batch == last.batch]

    def of_text(self, text: int) -> list[Event]:
        """All answers to a text, in order."""
        return list(self._of_text.get(text, ()))

    def was_rechecked(self, text: int) -> bool:
        """Whether somebody has looked at the label of a text again."""
        reasons = [event.shown.reason for event in self._of_text.get(text, ())]
        return DOUBT in reasons or DIRECT in reasons[1:]

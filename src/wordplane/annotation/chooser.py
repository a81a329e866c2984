"""Takes the next text from the queues of the reasons, so that their shares come out right."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Collection, Mapping

import numpy as np

from wordplane.annotation.answers import DIRECT, DOUBT, GIVEN, SEARCH, Answers
from wordplane.annotation.choice import (
    CLUSTER,
    COUNTS_AS,
    OVERLAP,
    RARE,
    UNCERTAIN,
    WORDS,
    Queues,
    reasons_by_need,
)
from wordplane.annotation.screening import LIKELY
from wordplane.annotation.store import Shown
from wordplane.data.formats.sqlite import RANDOM

WINDOW = 40  # answers, the latest, among which shares are to come out right
# Where texts for a reason come from, the first that has any.
SOURCES = {
    UNCERTAIN: (LIKELY, UNCERTAIN, WORDS, CLUSTER),
    RARE: (WORDS, RARE),
    DOUBT: (DOUBT,),
}


class Chooser:
    """Chooses the next text.

    random_order  all texts in an order that the seed of the project alone decides
    queues        texts for each of the other reasons
    """

    def __init__(self, n_texts: int, seed: int, answers: Answers) -> None:
        order = np.random.default_rng(seed).permutation(n_texts) + 1
        self.random_order: list[int] = order.tolist()
        self.queues: Queues = {}
        self.restart(answers)

    def restart(self, answers: Answers) -> None:
        """Count the answers again."""
        self._answers, self._place = answers, 0
        self._recent: deque[str] = deque(maxlen=WINDOW)
        for event in answers.events:
            self.count(event.shown.reason)

    def count(self, reason: str) -> None:
        """A text was answered that was shown for this reason."""
        if reason not in (GIVEN, SEARCH, DIRECT):
            self._recent.append(COUNTS_AS.get(reason, reason))

    def choose(
        self, person: int, shares: Mapping[str, float], taken: Collection[int]
    ) -> Shown | None:
        """The text that a person should see next; others look at those that are taken."""
        for reason in [*reasons_by_need(shares, Counter(self._recent)), RANDOM]:
            if reason == RANDOM:
                found = self._take_random(taken)
            elif reason == OVERLAP:
                found = self._take_overlap(person, taken)
            else:
                found = self._take_queued(reason, taken)
            if found is not None:
                return found
        return None

    def _take_random(self, taken: Collection[int]) -> Shown | None:
        """The next text in the random order. Those that were answered for another reason are passed
        over here, but measure accuracy too (`insight.outcomes`): left out, they would make the rest
        look easier than it is."""
        order = self.random_order
        while self._place < len(order) and order[self._place] in self._answers:
            self._place += 1
        for place in range(self._place, len(order)):
            if order[place] not in self._answers and order[place] not in taken:
                return Shown(order[place], RANDOM)
        return None

    def _take_overlap(self, person: int, taken: Collection[int]) -> Shown | None:
        for event in reversed(self._answers.events):
            text = event.shown.text
            said = self._answers.given(text)
            is_open = event.labels is not None and person not in said and len(said) == 1
            if is_open and event.shown.reason == RANDOM and text not in taken:
                return Shown(text, OVERLAP)
        return None

    def _take_queued(self, reason: str, taken: Collection[int]) -> Shown | None:
        for source in SOURCES[reason]:
            queue = self.queues.get(source, [])
            while queue:
                text = queue.pop(0)
                if text in taken or (text in self._answers) != (source == DOUBT):
                    continue
                if source == DOUBT and self._answers.was_rechecked(text):
                    continue
                return Shown(text, source)
        return None

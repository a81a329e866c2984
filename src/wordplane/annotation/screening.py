"""Screening: find nearly all texts of one label, and know when they have been found.

The texts that the model finds likeliest are read first, with some at random among them. When the
likely ones bring little any more ("dry"), all further ones are drawn at random from those not read.
Those bet against the number of relevant texts that would make the recall too low
(`evaluation.anytime.TotalBound`); when it is ruled out with 95 % confidence, reading can stop. The
bound holds at all times at once, so stopping at that moment is what it is for. Draws before the dry
moment bet nothing: relevant texts among them are no surprise, and would only cost.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import ceil, exp, log

from wordplane.data.formats.sqlite import RANDOM
from wordplane.evaluation.anytime import BETS, LEVEL, TotalBound

LIKELY = "likely"
TARGET = 0.95  # share of the relevant texts, unless another is asked for

WINDOW = 75  # texts read in the order of the model
MIN_FOUND = 3
MAX_DRY = 1  # relevant ones among them, at most, when they bring little
FEW_RANDOM = 0.05  # share of texts at random before


@dataclass(frozen=True)
class Recall:
    """What is known about how many relevant texts were found.

    found      so many
    most       there are at most so many in all, with the confidence
    recall     found / most: what is shown
    is_reached  whether that is enough
    n_read     texts read
    n_spared   texts that need not be read, if it is
    """

    found: int
    most: int
    recall: float
    is_reached: bool
    n_read: int
    n_spared: int


@dataclass
class Screening:
    """Follows a search for relevant texts.

    >>> search = Screening(1000)
    >>> for number in range(90):
    ...     search.read(number < 12, "likely")
    >>> search.is_dry, search.recall().most
    (True, 922)
    >>> while not search.recall().is_reached:
    ...     search.read(False, "random")
    >>> search.recall().n_read < 1000
    True
    """

    n_texts: int
    target: float = TARGET
    found: int = 0
    n_read: int = 0
    _ranked: list[bool] = field(default_factory=list)
    _bound: TotalBound = field(init=False)

    def __post_init__(self) -> None:
        self._bound = TotalBound(self.n_texts)

    @property
    def is_dry(self) -> bool:
        """Whether the order of the model brings little any more."""
        return (
            self.found >= MIN_FOUND
            and len(self._ranked) >= WINDOW
            and sum(self._ranked[-WINDOW:]) <= MAX_DRY
        )

    @property
    def shares(self) -> dict[str, float]:
        """The shares of the reasons to show texts for now."""
        random = 1.0 if self.is_dry else FEW_RANDOM
        return {RANDOM: random, "uncertain": 1 - random}

    def read(self, is_relevant: bool, how: str = "other") -> None:
        """A text was read: drawn at "random" from those not read, because the model found it
        "likely", or for another reason."""
        if how == RANDOM and self.is_dry:
            self._bound.draw(is_relevant, unread=self.n_texts - self.n_read, found=self.found)
            if is_relevant:  # of a kind that the model did not know: look at its order again
                self._ranked.clear()
        elif how == LIKELY:
            self._ranked.append(is_relevant)
        self.n_read += 1
        self.found += is_relevant

    def recall(self) -> Recall:
        """What is known now."""
        unread = self.n_texts - self.n_read
        most = self._bound.most(found=self.found, unread=unread)
        shown = self.found / most if most else 1.0
        reached = unread == 0 or (self.found >= MIN_FOUND and shown >= self.target)
        return Recall(self.found, most, shown, reached, self.n_read, unread if reached else 0)


def expected_reading(n_texts: int, share: float, target: float = TARGET) -> int:
    """About how many texts must be read if `share` of them are relevant: those, a tenth more, and
    what it takes to rule out that too many are left.

    >>> expected_reading(100_000, 0.01)
    7404
    >>> expected_reading(100_000, 0.2)
    22329
    """
    relevant = n_texts * share
    missed = max(relevant * (1 / target - 1), 1.0)
    needed = -log(1 - LEVEL) - log(BETS[0][1])
    ranked = min(1.1 * relevant + WINDOW, n_texts)
    unread = n_texts - ranked
    # A draw with p = missed / unread left multiplies the stake by 1 / (1 - p): about
    # missed log(unread / (unread - drawn)) in all, as a logarithm.
    drawn = unread * (1 - exp(-needed / missed))
    return min(n_texts, ceil(ranked + drawn))

"""What every optimizer returns."""

import math
from dataclasses import dataclass, field

from wordplane.optimize.vectors import Floats


@dataclass
class Result:
    """The weights, and how the search ended.

    `gradient_norm` is the largest component of the gradient at w (with an l1 penalty: of the
    shortest subgradient). `reason` says why it stopped: "gradient" or "gap" (at most tol),
    "change" (the objective hardly changed), "step" (no step makes it smaller, within rounding
    errors) or "max_iter". `history` has the objective at the start and after every iteration. `gap`
    is what the loss is above the optimum at most, where that is known.
    """

    w: Floats
    loss: float
    gradient_norm: float
    n_iter: int
    reason: str
    history: list[float] = field(default_factory=list)
    gap: float = math.inf

    @property
    def converged(self) -> bool:
        """Whether the tolerance was reached."""
        return self.reason in ("gradient", "gap", "change")


def is_stalled(history: list[float], span: int = 20) -> bool:
    """Whether the objective has not decreased at all in the last `span` iterations."""
    return len(history) > span and min(history[-span:]) >= history[-span - 1]

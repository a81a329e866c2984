"""What every optimizer returns."""

import math
import warnings
from dataclasses import dataclass, field

from wordplane.common.errors import ConvergenceWarning
from wordplane.optimize.vectors import Floats

SPAN = 20  # iterations without a decrease that are enough to stop


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

    def warn_unless_converged(self, solver: str, tol: float, stacklevel: int) -> None:
        """A warning that says where the solver of a learner stopped, if that was too early."""
        if not self.converged:
            warnings.warn(
                f"{solver} stopped ({self.reason}) after {self.n_iter} iterations before it "
                f"reached tol={tol}: objective {self.loss:.6g}, largest component of the gradient "
                f"{self.gradient_norm:.3g}; raise max_iter or tol, or scale the features",
                ConvergenceWarning,
                stacklevel=stacklevel,
            )


def is_stalled(history: list[float]) -> bool:
    """Whether the objective has not decreased at all in the last iterations."""
    return len(history) > SPAN and min(history[-SPAN:]) >= history[-SPAN - 1]

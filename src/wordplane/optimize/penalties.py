"""Penalties on weights.

    l2 / 2 ||w||^2 + l1 ||w||_1        over the penalized coordinates

with the proximal step  argmin_v ||v - w||^2 / (2 step) + penalty(v), which shrinks weights
towards 0 and, with l1, reaches it:  sign(w) max(|w| - step l1, 0) / (1 + step l2).
"""

import numpy as np

from wordplane.common.frozen import frozen
from wordplane.optimize.vectors import Floats, dot


@frozen
class Penalty:
    """l2 / 2 ||w||^2 + l1 ||w||_1, without the last `free` coordinates, which are biases.

    >>> Penalty(l1=1.0).proximal(np.array([3.0, -0.5]), 1.0)
    array([ 2., -0.])
    """

    l2: float = 0.0
    l1: float = 0.0
    free: int = 0

    def value(self, w: Floats) -> float:
        """The penalty of w."""
        return self.smooth_value(w) + self.l1_value(w)

    def gradient(self, w: Floats) -> Floats:
        """Its gradient; where w_j = 0, that of l1 counts as 0."""
        return self.smooth_gradient(w) + self.l1_at(w) * np.sign(w)

    def smooth_value(self, w: Floats) -> float:
        """The part without l1."""
        penalized = w[: len(w) - self.free]
        return self.l2 / 2 * dot(penalized, penalized) if self.l2 else 0.0

    def smooth_gradient(self, w: Floats) -> Floats:
        """The gradient of the part without l1."""
        gradient = self.l2 * w
        gradient[len(w) - self.free :] = 0.0
        return gradient

    def l1_value(self, w: Floats) -> float:
        """The l1 part, which is not smooth."""
        return self.l1 * float(np.abs(w[: len(w) - self.free]).sum()) if self.l1 else 0.0

    def l1_at(self, w: Floats) -> Floats:
        """The strength of l1 at every coordinate."""
        strength = np.full(len(w), self.l1)
        strength[len(w) - self.free :] = 0.0
        return strength

    def proximal(self, w: Floats, step: Floats | float, *, l2: bool = True) -> Floats:
        """The proximal step from w, for the whole penalty or, without l2, for l1 alone."""
        new = w
        if self.l1:
            new = np.sign(new) * np.maximum(np.abs(new) - step * self.l1, 0)
        if self.l2 and l2:
            new = new / (1 + step * self.l2)
        if self.free and new is not w:
            new[-self.free :] = w[-self.free :]
        return new

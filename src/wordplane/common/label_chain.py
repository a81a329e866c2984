"""A chain of labels: what earlier labels are decided to be changes the scores of later ones.

    for every label k in the order of the chain:
        z_k = x w_k + b_k + sum of links[j, k] over the labels j before k whose z_j > 0

Reference: Read, Pfahringer, Holmes and Frank (2011), Classifier chains for multi-label
classification, Machine Learning 85(3).
"""

from dataclasses import dataclass
from typing import Self

import numpy as np

from wordplane.common.errors import InputError
from wordplane.common.types import FloatArray, IntArray, JsonObject


@dataclass(frozen=True, eq=False)
class LabelChain:
    """The numbers of the labels in the order of the chain, and what label j adds to label k."""

    order: IntArray
    links: FloatArray  # K x K, 0 where j is not before k

    def follow(self, z: FloatArray) -> FloatArray:
        """The scores along the chain, from those of the texts alone; n x K.

        >>> chain = LabelChain(np.array([1, 0]), np.array([[0.0, 0.0], [3.0, 0.0]]))
        >>> chain.follow(np.array([[-1.0, 2.0], [-1.0, -2.0]]))
        array([[ 2.,  2.],
               [-1., -2.]])
        """
        z = z.copy()
        for k in self.order.tolist():
            z += np.outer(z[:, k] > 0, self.links[k])
        return z

    def to_dict(self) -> JsonObject:
        """As a JSON-serializable dictionary."""
        return {"order": self.order.tolist(), "links": self.links.tolist()}

    @classmethod
    def checked(cls, order: object, links: FloatArray, n_labels: int) -> Self:
        """The chain of a file, which may be anybody's."""
        numbers = order if isinstance(order, list) else []
        if not all(type(k) is int for k in numbers) or sorted(numbers) != list(range(n_labels)):
            raise InputError(f"a chain with an order of {n_labels} labels is expected")
        place = np.argsort(numbers)
        before = place[:, None] < place
        if links.shape != (n_labels, n_labels) or not np.isfinite(links).all():
            raise InputError("the links of the chain have another shape, or are not finite")
        if links[~before].any():
            raise InputError("a label of the chain changes one that is before it")
        return cls(np.array(numbers, np.int64), links)

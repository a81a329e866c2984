"""Word embeddings, as far as an analyzer needs to know them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol, TypeAlias

from wordplane.common.errors import InputError
from wordplane.text.checks import check_mapping

if TYPE_CHECKING:  # the options of the command line are made without NumPy
    import numpy as np
    from numpy.typing import NDArray

    from wordplane import _core
    from wordplane.common.types import FloatArray, IntArray

# Words of a text, their first characters and ends, and what each adds.
WordShares: TypeAlias = "tuple[list[str], IntArray, IntArray, FloatArray]"


class Embeddings(Protocol):
    """Fitted word embeddings: what an analyzer needs of `WordEmbeddings`."""

    @property
    def vectors_(self) -> NDArray[np.float32]: ...

    @property
    def counts(self) -> bool:
        """Whether a text is the sum of its vectors instead of their mean, and stays that."""

    def means(self, texts: _core.Texts, threads: int) -> FloatArray:
        """The mean vector of the words of each text."""

    def contributions(self, texts: _core.Texts, values: FloatArray) -> WordShares:
        """What the words of the first text add to the mean of `values`, one per word."""


def check_embeddings(embeddings: Mapping[str, Embeddings] | None) -> dict[str, Embeddings]:
    """The word embeddings by name, each of them fitted."""
    if embeddings is None:
        return {}
    named = dict(check_mapping("embeddings", embeddings, "names to fitted WordEmbeddings"))
    for name, one in named.items():
        if not hasattr(one, "vectors_"):
            raise InputError(
                f"embeddings[{name!r}] is {one!r}, expected fitted WordEmbeddings; fit "
                "them on texts first (they need no labels)"
            )
    return named

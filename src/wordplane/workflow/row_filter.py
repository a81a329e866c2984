"""Which rows to write: those whose labels meet a condition."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from wordplane.common.errors import InputError
from wordplane.common.label_sets import LabelSets
from wordplane.common.types import FloatArray, IntArray, Label
from wordplane.data.columns import as_number, list_names

ANY = "*"


class RowFilter:
    """Keeps the rows that meet at least one of some conditions.

    A condition is a label, which the text must be given, or LABEL=P, whose probability must be at
    least P whichever label is given. `*` is any label.

    >>> RowFilter(["spam=0.9", "ham"], ["ham", "spam"]).conditions
    [(1, 0.9), (0, None)]
    >>> RowFilter(["egg"], ["ham", "spam"])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    wordplane.common.errors.InputError: `keep_if` is 'egg', expected ...
    """

    def __init__(self, conditions: Sequence[str], labels: Sequence[Label]) -> None:
        self._code: dict[str, int | None] = {ANY: None}
        self._code |= {str(label): k for k, label in enumerate(labels)}
        self.conditions = [self._parse(condition) for condition in conditions]

    def _parse(self, condition: str) -> tuple[int | None, float | None]:
        """The code of a label, None for any, and a least probability, if there is one."""
        if condition in self._code:
            return self._code[condition], None
        name, _, text = condition.rpartition("=")
        share = as_number(text)
        if name not in self._code or share is None or not 0 < share < 1:
            names = list_names([name for name in self._code if name != ANY])
            raise InputError(
                f"`keep_if` is {condition!r:.60}, expected a label ({names}), or {ANY} for any, "
                "alone or with a least probability between 0 and 1, such as "
                f"{list(self._code)[-1]}=0.9"
            )
        return self._code[name], share

    def rows(self, P: FloatArray, codes: Sequence[int], sets: LabelSets | None) -> IntArray:
        """The rows that pass, in order, by the probabilities of all labels, and the code of the
        label that each text is given, or else its set of labels."""
        passes = np.zeros(len(P), dtype=bool)
        for code, share in self.conditions:
            if share is not None:
                own = P.max(axis=1, initial=0.0) if code is None else P[:, code]
                passes |= own >= share
            elif sets is not None:
                member = sets.member
                passes |= member.any(axis=1) if code is None else member[:, code]
            else:
                given = np.array(codes)
                passes |= given >= 0 if code is None else given == code
        return np.flatnonzero(passes).astype(np.int64)

"""Cells of spreadsheets that are numbers or dates: texts, as all cells are, that a spreadsheet gets
back as what they were."""

from __future__ import annotations

from datetime import datetime


class NumberCell(str):
    """The text of a number.

    >>> NumberCell("12.5").number
    12.5
    """

    __slots__ = ()

    @property
    def number(self) -> float:
        return float(self)


class DateCell(str):
    """The text of a date, or of a date and a time.

    >>> DateCell("2024-05-31").time
    datetime.datetime(2024, 5, 31, 0, 0)
    """

    __slots__ = ()

    @property
    def time(self) -> datetime:
        return datetime.fromisoformat(self)

"""How a table begins: which character is between its cells, and which row has their names.

Spreadsheets and databases write lines before the table: `sep=;`, a title, the date, a blank line.
The table begins with the first row that is as wide as the rows after it and reads like names. Of
two rows of names, such as groups of columns above the columns, the second is taken if it names
texts and labels, and the first does not.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from dataclasses import replace

from wordplane.common.frozen import frozen
from wordplane.data.column_names import label_groups, text_groups
from wordplane.data.columns import as_number

HEAD_LINES, HEAD_CHARACTERS = 60, 1 << 20  # looked at, whichever comes first
DELIMITERS = ",;\t|"  # the first of these where they are equally frequent
MAX_NAME = 80  # characters
MIN_REGULAR = 0.9  # share of the rows after the names that must be as wide
MIN_ROWS = 2
SEPARATOR_LINE = re.compile(r"sep=([^\"\r\n])[;,]*\r?\n?", re.IGNORECASE)  # from spreadsheets
QUOTED = re.compile(r'"[^"]*"')

Row = tuple[int, list[str]]  # with the number of lines before it


@frozen
class Opening:
    """The beginning of a file with a character between cells.

    how       how the delimiter was found, if that is worth a note
    n_before  lines before the names of the columns
    skips     whether these are more than a line that names the delimiter
    is_second whether these have other names of columns
    """

    delimiter: str
    how: str = ""
    n_before: int = 0
    title: str = ""
    skips: bool = False
    is_second: bool = False


def find_opening(head: list[str], given: str | None, hint: str | None, header: bool) -> Opening:
    """How the table begins, from its first lines.

    given  the delimiter that the user names
    hint   the delimiter of the file that the model was trained on
    """
    named = SEPARATOR_LINE.fullmatch(head[0])
    first = 1 if named else 0
    if given is not None:
        opening = Opening(given, n_before=first)
    elif named:
        how = "as the first line says" if named[1] != "," else ""
        opening = Opening(named[1], how, first)
    else:
        opening = _most_frequent(next(filter(str.strip, head), ""), hint)
    if not header:
        return opening
    usual, start = opening, TableStart(_rows(head[first:], opening.delimiter))
    if not start.is_regular and given is None and not named:
        for delimiter in DELIMITERS:
            other = TableStart(_rows(head, delimiter))
            if (other.is_regular, other.width) > (start.is_regular, start.width):
                start, opening = other, Opening(delimiter, "it divides the first rows evenly")
    if not (start.is_regular and start.skips):
        return usual
    n_before = first + start.n_before
    return replace(
        opening, n_before=n_before, title=start.title, skips=True, is_second=start.is_second
    )


def _most_frequent(line: str, hint: str | None) -> Opening:
    unquoted = QUOTED.sub("", line)
    if hint is not None and hint in unquoted:
        return Opening(hint)
    best = max(DELIMITERS, key=unquoted.count)
    return Opening(best, "the most frequent in the first line" if best != "," else "")


class TableStart:
    """Where a table begins among its first rows.

    n_before    lines before its names
    title       the first words before its names
    skips       whether what is before them is more than empty lines
    is_second   whether it has a row that could have been taken for the names
    is_regular  whether what follows is a table
    width       the number of cells of most rows
    """

    def __init__(self, rows: list[Row]) -> None:
        self.n_before, self.title, self.width = 0, "", 1
        self.is_regular = self.skips = self.is_second = False
        widths = Counter(len(fields) for _, fields in rows if len(fields) > 1)
        if not widths:
            return
        self.width = widths.most_common(1)[0][0]
        for number, (n_before, fields) in enumerate(rows):
            is_title = self._is_title(fields)
            if is_title or _is_above_names(fields, [each for _, each in rows[number + 1 :]]):
                self.is_second = self.is_second or not is_title
                self.skips = self.skips or bool(fields)
                self.title = self.title or next(filter(None, map(str.strip, fields)), "")
                continue
            after = [len(each) for _, each in rows[number + 1 :] if any(map(str.strip, each))]
            fitting = sum(width == self.width for width in after)
            self.is_regular = (
                len(fields) == self.width
                and fitting >= MIN_REGULAR * len(after)
                and (not self.skips or (fitting >= MIN_ROWS and self._are_names(fields)))
            )
            self.n_before = n_before
            return

    def _is_title(self, fields: list[str]) -> bool:
        """Whether less than half of the cells of a row are filled, the first among them; of two
        cells, the first alone."""
        filled = [bool(field.strip()) for field in fields]
        if not any(filled):
            return True
        few = 2 * sum(filled) < self.width
        if len(fields) < self.width:
            return few or sum(filled) == 1
        return filled[0] and (few if self.width > 2 else not filled[1])

    def _are_names(self, fields: list[str]) -> bool:
        """Whether cells read like the names of columns."""
        names = [field.strip() for field in fields if field.strip()]
        known = any(any(groups(names)) for groups in (text_groups, label_groups))
        return _are_plain(names) and (known or self.width > 2)


def _is_above_names(fields: list[str], after: list[list[str]]) -> bool:
    """Whether the next row has the names: some of texts and labels, found nowhere below."""
    after = [row for row in after if any(map(str.strip, row))]
    if len(after) <= MIN_ROWS or len(after[0]) != len(fields) or _name_both(fields):
        return False
    names, *others = after
    return (
        _are_plain(list(filter(str.strip, names)))
        and _name_both(names)
        and not any(name == cell for row in others for name, cell in zip(names, row, strict=False))
    )


def _name_both(fields: list[str]) -> bool:
    """Whether one cell names texts, and another labels."""
    texts, labels = (set().union(*groups(fields)) for groups in (text_groups, label_groups))
    return bool(texts and labels) and len(texts | labels) > 1


def _are_plain(names: list[str]) -> bool:
    """Whether the names are short, differ, and are not numbers."""
    plain = all(len(name) <= MAX_NAME and as_number(name) is None for name in names)
    return plain and len(set(names)) == len(names)


def _rows(lines: list[str], delimiter: str) -> list[Row]:
    """The rows of the first lines, but for one that may not end there."""
    reader = csv.reader(lines, delimiter=delimiter)
    rows: list[Row] = []
    begin = 0
    try:
        for fields in reader:
            rows.append((begin, fields))
            begin = reader.line_num
    except csv.Error:
        pass
    is_cut = len(lines) >= HEAD_LINES or sum(map(len, lines)) > HEAD_CHARACTERS
    return rows[:-1] if is_cut else rows

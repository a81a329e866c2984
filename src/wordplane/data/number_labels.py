"""Labels that look like numbers to predict: asked about before every number becomes a class."""

from collections.abc import Mapping, Sequence

import numpy as np

from wordplane.common.errors import InputError
from wordplane.common.frozen import frozen
from wordplane.common.labels import MOST_RATINGS
from wordplane.data.columns import as_number
from wordplane.data.corpus import Corpus

MOST_INTEGERS = 0.2  # of the rows: classes that have numbers as names repeat more often


@frozen
class NumberQuestion:
    """Whether a column has numbers to predict, or classes."""

    column: str
    n_values: int
    examples: str

    def __str__(self) -> str:
        return f"the column {self.column!r} has {self.n_values:,} numbers, such as {self.examples}"


class NumberLabelsError(InputError):
    """Labels that look like numbers to predict. The command line asks whoever is at the
    terminal."""

    def __init__(self, file: str, question: NumberQuestion) -> None:
        self.file, self.questions = file, (question,)
        column = question.column
        super().__init__(
            f"{file}: {question}: to predict the number, train with `target={column!r}`; if every "
            f"number is a class of its own, name the column with `label={column!r}`"
        )
        self.remedies = ({"target": column}, {"label": column})

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        return NumberLabelsError, (self.file, self.questions[0])


def are_numbers(labels: Sequence[object]) -> bool:
    """Whether labels look like numbers to predict: all are numbers, of many different values, with
    decimals or on few rows each.

    >>> are_numbers([str(n / 8) for n in range(100)]), are_numbers(["1", "2", "3", "4", "5"] * 20)
    (True, False)
    """
    different = set(labels)
    if len(different) <= MOST_RATINGS:
        return False
    values = [as_number(label) for label in different]
    numbers = np.array([np.nan if value is None else value for value in values])
    if not np.isfinite(numbers).all():
        return False
    return bool((numbers % 1 != 0).any()) or len(different) > MOST_INTEGERS * len(labels)


def number_question(column: str, values: Sequence[object]) -> NumberQuestion:
    """What to ask about a column."""
    examples = ", ".join(map(str, list(dict.fromkeys(values))[:3]))
    return NumberQuestion(column, len(set(values)), examples)


def refuse_numbers(corpus: Corpus, reading: Mapping[str, object]) -> None:
    """Refuse labels that look like numbers to predict, unless their column was named as `label`."""
    column, labels = corpus.label_column, corpus.labels
    if column is None or labels is None or reading.get("label") is not None:
        return
    if are_numbers(labels):
        raise NumberLabelsError(corpus.source or "the texts", number_question(column, labels))

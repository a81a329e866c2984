"""Why all texts of a file got their labels: each by itself, and on average."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Unpack

from wordplane.common.html import html_table
from wordplane.common.types import JsonObject, Label
from wordplane.model.explanation import Explanation
from wordplane.model.predictor import TextPredictor
from wordplane.model.saved_models import as_predictor
from wordplane.workflow.answers import Answers
from wordplane.workflow.inputs import DataLike, Reading
from wordplane.workflow.prediction import answer
from wordplane.workflow.result import Result, shorten
from wordplane.workflow.wanted import Wanted


@dataclass(frozen=True)
class LabelContributions:
    """The words that decide most about the texts that got a label, with their means."""

    label: Label
    n_texts: int
    words: tuple[tuple[str, float], ...]


class MeanContributions:
    """What every word adds to the scores of the labels that texts got, for or against them: the
    mean of its size over the texts of a label. A text without the word counts as 0."""

    def __init__(self) -> None:
        self._n_texts: Counter[Label] = Counter()
        self._sums: defaultdict[Label, defaultdict[str, float]] = defaultdict(
            lambda: defaultdict(float)
        )

    def add(self, explanations: Iterable[Explanation]) -> None:
        """Count one text, by the explanations of its labels."""
        for explanation in explanations:
            self._n_texts[explanation.label] += 1
            sums = self._sums.setdefault(explanation.label, defaultdict(float))
            for word, value in explanation.by_word():
                sums[word] += abs(value)

    def of_labels(self, top: int) -> tuple[LabelContributions, ...]:
        """The words with the largest means of each label, the commonest label first."""
        labels = []
        for label, n in sorted(self._n_texts.items(), key=lambda item: (-item[1], str(item[0]))):
            strongest = sorted(self._sums[label].items(), key=lambda item: (-item[1], item[0]))
            means = tuple((word, total / n) for word, total in strongest[:top])
            labels.append(LabelContributions(label, n, means))
        return tuple(labels)


@dataclass(frozen=True, repr=False)
class ExplanationResult(Result):
    """The rows that `predict` gives, with the words of each, and the means by label."""

    rows: Mapping[str, Sequence[object]]
    labels: tuple[LabelContributions, ...]
    source: str = ""
    notes: tuple[str, ...] = ()

    def to_dict(self) -> JsonObject:
        """The means as JSON can hold them."""
        return {"source": self.source, "labels": label_dicts(self.labels)}

    def __str__(self) -> str:
        return label_text(self.labels)

    def _repr_html_(self) -> str:
        """A table for each label."""
        return "".join(
            html_table(
                ["word", "adds on average"],
                [(word, f"{mean:.4f}") for word, mean in one.words],
                f"{shorten(one.label)}: {one.n_texts:,} texts",
            )
            for one in self.labels
        )


def label_dicts(labels: Sequence[LabelContributions]) -> list[JsonObject]:
    """The means as JSON can hold them."""
    return [
        {
            "label": one.label,
            "texts": one.n_texts,
            "words": [{"word": word, "mean": mean} for word, mean in one.words],
        }
        for one in labels
    ]


def label_text(labels: Sequence[LabelContributions]) -> str:
    """The means as the command prints them."""
    lines = []
    for one in labels:
        lines.append(f"{shorten(one.label)}: {one.n_texts:,} texts; a word adds, for or against,")
        lines += [f"{mean:>9.4f}  {word}" for word, mean in one.words]
    return "\n".join(lines)


def explain(
    model: TextPredictor | str | PathLike[str],
    data: DataLike,
    *,
    top: int = 10,
    **reading: Unpack[Reading],
) -> ExplanationResult:
    """Explain the labels of many texts, each and on average.

    Parameters
    ----------
    model : TextClassifier, TextRegressor or path
        A fitted model, or the file of one.
    data
        Texts: a path, a frame, a list of strings or a Corpus.
    top : int, default 10
        How many words of each text and of each label are listed.
    **reading
        How files and frames are read, as for `train`.

    Examples
    --------
    >>> from wordplane import TextClassifier
    >>> texts = ["what a great film", "great fun", "a dull film", "dull and long"] * 5
    >>> model = TextClassifier().fit(texts, ["good", "good", "bad", "bad"] * 5)
    >>> result = explain(model, texts, top=1)
    >>> [(one.label, one.n_texts, one.words[0][0]) for one in result.labels]
    [('bad', 10, 'dull'), ('good', 10, 'great')]
    >>> result.rows["words"][2]
    ['dull']
    """
    means = MeanContributions()
    corpus, rows = answer(
        Answers(as_predictor(model), Wanted(explain=top), means.add), data, **reading
    )
    return ExplanationResult(rows, means.of_labels(top), corpus.source, corpus.notes)

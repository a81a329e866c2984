"""Lexica from labelled texts: every frequent word or n-gram as a mini classifier.

The mini classifier of word w for class c says "texts that contain w are of class c". With n_w
texts that contain w, n_c texts of class c and n_wc texts that are both, of n in all:

    precision = n_wc / n_w      recall = n_wc / n_c      F1 = 2 n_wc / (n_w + n_c)

F1 alone favours words that are everywhere: saying c of every text has the full recall and the
share of c as its precision, and in balanced classes no single word has a larger F1. So only
words count that make c likelier: its odds among the texts with w are at least `min_odds` times
its odds among all texts.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.common.labels import as_labels, encode
from wordplane.common.threads import thread_count
from wordplane.features.counting import count_frequent, counted_matrix
from wordplane.features.scores import class_sums
from wordplane.text.analyzer import Analyzer
from wordplane.text.lexicon import Lexicon
from wordplane.text.texts import as_texts

MIN_ODDS = 2.0


@dataclass(frozen=True)
class MiniClassifier:
    """A word, the class it speaks for, the number of texts that contain it, and how good it is."""

    word: str
    label: Any
    n: int
    precision: float
    recall: float
    f1: float


class Induction:
    """The mini classifiers of a corpus, made by `induce`.

    classes     the labels, sorted
    n_docs      the number of texts of each class
    present     the number of texts of each class (rows) that contain each word (columns)
    vocabulary  the names of the columns
    """

    def __init__(
        self,
        classes: list[Any],
        n_docs: NDArray[np.float64],
        present: NDArray[np.float64],
        vocabulary: _core.Vocabulary,
    ) -> None:
        self.classes = classes
        self.n_docs = n_docs
        self.present = present
        self.vocabulary = vocabulary

    def records(
        self, label: Any = None, *, top: int | None = None, min_odds: float = MIN_ODDS
    ) -> list[MiniClassifier]:
        """The mini classifiers of one class or of all, by F1, the best first.

        Among equals those with the larger precision come first, then the more frequent words.
        `min_odds=0` has them all, also those that speak against their class.
        """
        chosen = range(len(self.classes)) if label is None else [self._number(label)]
        n_w = self.present.sum(axis=0)
        words, labels, values = [], [], []
        for k in chosen:
            n_wc, n_c = self.present[k], self.n_docs[k]
            figures = _figures(n_wc, n_w, n_c)
            kept = _speaking(n_wc, n_w, n_c, self.n_docs.sum(), min_odds)
            words.append(kept)
            labels.append(np.full(len(kept), k))
            values.append(figures[:, kept])
        word, number = np.concatenate(words), np.concatenate(labels)
        precision, recall, f1 = np.concatenate(values, axis=1)
        order = np.lexsort((number, word, -precision, -f1))[:top]
        return [
            MiniClassifier(
                word=self.vocabulary.name(int(word[i])),
                label=self.classes[number[i]],
                n=int(n_w[word[i]]),
                precision=float(precision[i]),
                recall=float(recall[i]),
                f1=float(f1[i]),
            )
            for i in order
        ]

    def lexicon(self, label: Any, *, top: int | None = None, min_odds: float = MIN_ODDS) -> Lexicon:
        """The words for and against a class, each with the score P(c | w) - P(c).

        P(c | w) is the share of class c among the texts that contain w, its precision, and
        P(c) the share among all texts: the score is above 0 for the `top` best words that speak
        for the class, and below 0 for as many that speak for the others taken as one class.
        """
        k = self._number(label)
        n, n_c, n_w = self.n_docs.sum(), self.n_docs[k], self.present.sum(axis=0)
        sides = []
        for n_wc, size in ((self.present[k], n_c), (n_w - self.present[k], n - n_c)):
            precision, _, f1 = _figures(n_wc, n_w, size)
            kept = _speaking(n_wc, n_w, size, n, min_odds)
            sides.append(kept[np.lexsort((kept, -precision[kept], -f1[kept]))[:top]])
        score = self.present[k] / n_w - n_c / n
        return Lexicon(
            {self.vocabulary.name(int(j)): float(score[j]) for j in np.concatenate(sides)}
        )

    def _number(self, label: Any) -> int:
        if label not in self.classes:
            known = ", ".join(map(repr, self.classes[:10]))
            raise InputError(f"there is no class {label!r}; the classes are {known}")
        return self.classes.index(label)


def induce(
    texts: Any,
    y: Any,
    *,
    analyzer: Analyzer | None = None,
    min_df: int = 5,
    n_jobs: int | None = None,
) -> Induction:
    """Count in which classes each word or n-gram occurs that is in at least `min_df` texts.

    >>> texts = ["great fun", "great cast", "dull", "dull cast"]
    >>> found = induce(texts, ["pos", "pos", "neg", "neg"], min_df=2)
    >>> for record in found.records("pos"):
    ...     print(record)
    MiniClassifier(word='great', label='pos', n=2, precision=1.0, recall=1.0, f1=1.0)
    >>> found.lexicon("pos")
    Lexicon({'great': 0.5, 'dull': -0.5})
    """
    column, labels = as_texts(texts), as_labels(y)
    if len(labels) != len(column):
        raise InputError(f"{len(column)} texts and {len(labels)} labels: one each is needed")
    classes, codes = encode(labels)
    if len(classes) < 2:
        raise InputError("all texts have the same label; words can only tell classes apart")
    if type(min_df) is not int or min_df < 1:
        raise InputError(f"min_df is {min_df!r}, expected a whole number from 1 up")
    threads = thread_count(n_jobs)
    analysis = (Analyzer() if analyzer is None else analyzer).word_analysis()
    counter = count_frequent(analysis, column, min_df, threads)
    present = class_sums(counted_matrix(counter, True, threads), codes, len(classes), threads)
    n_docs = np.bincount(codes, minlength=len(classes)).astype(np.float64)
    return Induction(classes.tolist(), n_docs, present, counter.vocabulary())


def _figures(
    n_wc: NDArray[np.float64], n_w: NDArray[np.float64], n_c: float
) -> NDArray[np.float64]:
    """Precision, recall and F1, one row each."""
    return np.array([n_wc / n_w, n_wc / n_c, 2 * n_wc / (n_w + n_c)])


def _speaking(
    n_wc: NDArray[np.float64], n_w: NDArray[np.float64], n_c: float, n: float, min_odds: float
) -> NDArray[np.intp]:
    """The words that make the odds of the class at least `min_odds` times what they are.

    Multiplied out, because products of whole numbers are exact and quotients are not.
    """
    return np.flatnonzero(n_wc * (n - n_c) >= min_odds * (n_w - n_wc) * n_c)

"""Lexica from labeled texts: every frequent word or n-gram is a mini classifier.

The mini classifier of word w for class c says "texts that contain w are of class c". Of n texts,
n_w contain w, n_c are of class c and n_wc are both:

    precision = n_wc / n_w      recall = n_wc / n_c      F1 = 2 n_wc / (n_w + n_c)

F1 alone favors words that occur everywhere: predicting c for every text has a recall of 1 and the
share of c as its precision, and with balanced classes no single word has a larger F1. So only
words count that make c more likely: its odds among the texts with w are at least `min_odds` times
its odds among all texts.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.common.labels import as_labels, encode
from wordplane.common.threads import thread_count
from wordplane.common.types import FloatArray, Label, LabelsLike, TextsLike
from wordplane.features.counting.core import count_features, take_counts
from wordplane.features.scores import class_sums
from wordplane.text.analyzer import Analyzer
from wordplane.text.lexicon import Lexicon
from wordplane.text.texts import as_texts

MIN_ODDS = 2.0


@dataclass(frozen=True)
class MiniClassifier:
    """A word, the class that it predicts, the number of texts that contain it, and its quality."""

    word: str
    label: Label
    n: int
    precision: float
    recall: float
    f1: float


class Induction:
    """The mini classifiers of a corpus, as `induce` returns them.

    classes     the labels, sorted
    n_docs      the number of texts of each class
    present     the number of texts of each class (rows) that contain each word (columns)
    vocabulary  the names of the columns
    """

    def __init__(
        self,
        classes: list[Label],
        n_docs: FloatArray,
        present: FloatArray,
        vocabulary: _core.Vocabulary,
    ) -> None:
        self.classes = classes
        self.n_docs = n_docs
        self.present = present
        self.vocabulary = vocabulary

    def records(
        self, label: Label | None = None, *, top: int | None = None, min_odds: float = MIN_ODDS
    ) -> list[MiniClassifier]:
        """The mini classifiers of one class or of all, by F1, the best first.

        Ties go to the larger precision, then to the more frequent word. With `min_odds=0` all
        are returned, even those that make their class less likely.
        """
        codes = range(len(self.classes)) if label is None else [self._code(label)]
        n_w = self.present.sum(axis=0)
        words, labels, values = [], [], []
        for k in codes:
            n_wc, n_c = self.present[k], self.n_docs[k]
            measures = _precision_recall_f1(n_wc, n_w, n_c)
            typical = _typical_words(n_wc, n_w, n_c, self.n_docs.sum(), min_odds)
            words.append(typical)
            labels.append(np.full(len(typical), k))
            values.append(measures[:, typical])
        word, code = np.concatenate(words), np.concatenate(labels)
        precision, recall, f1 = np.concatenate(values, axis=1)
        order = np.lexsort((code, word, -precision, -f1))[:top]
        return [
            MiniClassifier(
                word=self.vocabulary.name(int(word[i])),
                label=self.classes[code[i]],
                n=int(n_w[word[i]]),
                precision=float(precision[i]),
                recall=float(recall[i]),
                f1=float(f1[i]),
            )
            for i in order
        ]

    def lexicon(
        self, label: Label, *, top: int | None = None, min_odds: float = MIN_ODDS
    ) -> Lexicon:
        """The words for and against a class, each with the score P(c | w) - P(c).

        P(c | w) is the share of class c among the texts that contain w, the precision of w, and
        P(c) the share among all texts. The score is above 0 for the `top` best words for the
        class, and below 0 for the `top` best words for all other classes taken as one.
        """
        k = self._code(label)
        n, n_c, n_w = self.n_docs.sum(), self.n_docs[k], self.present.sum(axis=0)
        sides = []
        for n_wc, size in ((self.present[k], n_c), (n_w - self.present[k], n - n_c)):
            precision, _, f1 = _precision_recall_f1(n_wc, n_w, size)
            typical = _typical_words(n_wc, n_w, size, n, min_odds)
            order = np.lexsort((typical, -precision[typical], -f1[typical]))
            sides.append(typical[order[:top]])
        score = self.present[k] / n_w - n_c / n
        return Lexicon(
            {self.vocabulary.name(int(j)): float(score[j]) for j in np.concatenate(sides)}
        )

    def _code(self, label: Label) -> int:
        if label not in self.classes:
            known = ", ".join(map(repr, self.classes[:10]))
            raise InputError(f"there is no class {label!r}; the classes are {known}")
        return self.classes.index(label)


def induce(
    texts: TextsLike,
    y: LabelsLike,
    *,
    analyzer: Analyzer | None = None,
    min_df: int = 5,
    n_jobs: int | None = None,
) -> Induction:
    """Count in which classes each word or n-gram occurs, if it occurs in at least `min_df` texts.

    >>> texts = ["great fun", "great cast", "dull", "dull cast"]
    >>> induction = induce(texts, ["pos", "pos", "neg", "neg"], min_df=2)
    >>> for record in induction.records("pos"):
    ...     print(record)
    MiniClassifier(word='great', label='pos', n=2, precision=1.0, recall=1.0, f1=1.0)
    >>> induction.lexicon("pos")
    Lexicon({'great': 0.5, 'dull': -0.5})
    """
    native, labels = as_texts(texts), as_labels(y)
    if len(labels) != len(native):
        raise InputError(
            f"there are {len(native)} texts and {len(labels)} labels, expected one label per text"
        )
    classes, codes = encode(labels)
    if len(classes) < 2:
        raise InputError("all texts have the same label, expected two classes or more")
    if type(min_df) is not int or min_df < 1:
        raise InputError(f"min_df is {min_df!r}, expected a whole number of 1 or more")
    threads = thread_count(n_jobs)
    spec = (Analyzer() if analyzer is None else analyzer).resolve()
    counter = count_features(spec.tokens.word_analysis(), [native], "frequency", threads)
    keep = counter.document_frequency(threads) >= min_df
    if not keep.any():
        raise InputError(
            f"no feature occurs in {min_df} or more of the {len(native)} texts; lower `min_df`"
            if counter.n_features
            else f"none of the {len(native)} texts has a word"
        )
    counter.select(keep, threads)
    indptr, indices, values = take_counts(counter, np.float32, threads)
    matrix = _core.Csr(counter.n_selected, indptr, indices, np.ones_like(values))
    present = class_sums(matrix, codes, len(classes), threads)
    n_docs = np.bincount(codes, minlength=len(classes)).astype(np.float64)
    return Induction(classes.tolist(), n_docs, present, counter.vocabulary())


def _precision_recall_f1(n_wc: FloatArray, n_w: FloatArray, n_c: float) -> FloatArray:
    """Precision, recall and F1, one row each."""
    return np.array([n_wc / n_w, n_wc / n_c, 2 * n_wc / (n_w + n_c)])


def _typical_words(
    n_wc: FloatArray, n_w: FloatArray, n_c: float, n: float, min_odds: float
) -> NDArray[np.intp]:
    """The words whose texts have at least `min_odds` times the odds of the class in all texts.

    Multiplied out, because products of whole numbers are exact and quotients are not.
    """
    return np.flatnonzero(n_wc * (n - n_c) >= min_odds * (n_w - n_wc) * n_c)

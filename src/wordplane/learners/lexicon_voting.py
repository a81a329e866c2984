"""Lexicon voting with reversal after negation: a baseline without training.

    score = 0, reversed = no
    over the tokens, from left to right:
        an entry of the lexicon (the longest that begins here) adds its vote: +1 or -1 by the
            sign of its score, or the score itself; the other way round while reversed
        else a negation word (not, never, didn't ...) reverses, up to the next punctuation mark
    positive if score > 0, else negative

An entry that itself holds a negation ("not bad") votes as it stands and reverses nothing.

Reference: Nakagawa, Inui and Kurohashi (2010), Dependency tree-based sentiment classification
using CRFs with hidden variables, NAACL ("voting with negation reversal").
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Self
from unicodedata import category

import numpy as np

from wordplane.common.errors import InputError
from wordplane.common.labels import as_labels
from wordplane.common.types import FloatArray, LabelArray, LabelsLike
from wordplane.learners.support.untrained import UntrainedClassifier
from wordplane.text.analyzer import Analyzer
from wordplane.text.lexicon import Lexicon
from wordplane.text.negation import NEGATIONS, negates
from wordplane.text.texts import as_texts

if TYPE_CHECKING:
    from sklearn.utils import Tags


class LexiconVoting(UntrainedClassifier):
    """Words vote for positive or negative; after a negation they vote the other way.

    Parameters
    ----------
    lexicon : Lexicon or mapping
        Words (or several words with blanks between) and their scores.
    classes : (str, str), default ("negative", "positive")
        What texts are called whose votes are negative or balanced, and positive.
    by_score : bool, default False
        Add up the scores of the words, not just their signs.
    negations : collection of str, default None
        The words that reverse what follows; None means those of `Analyzer(negation=True)`.
    analyzer : Analyzer, default None
        How texts become tokens; None means `Analyzer()`.

    Attributes
    ----------
    classes_
        The two labels, sorted.

    Examples
    --------
    >>> model = LexiconVoting({"good": 1, "fun": 2, "dull": -1})
    >>> model.predict(["good fun", "I didn't find it good, no fun", "not dull"])
    array(['positive', 'negative', 'positive'], dtype='<U8')
    >>> model.decision_function(["never dull, but not good"])
    array([0.])
    """

    def __init__(
        self,
        lexicon: Mapping[str, float],
        *,
        classes: Sequence[str] | Sequence[int] = ("negative", "positive"),
        by_score: bool = False,
        negations: Collection[str] | None = None,
        analyzer: Analyzer | None = None,
    ) -> None:
        self.lexicon = lexicon
        self.classes = classes
        self.by_score = by_score
        self.negations = negations
        self.analyzer = analyzer

    @property
    def classes_(self) -> LabelArray:
        """The two labels, sorted."""
        return np.unique(self._labels())

    def fit(self, texts: Iterable[str], y: LabelsLike | None = None) -> Self:
        """Nothing is learned; texts and parameters are checked."""
        as_texts(texts)
        self._lexicon()
        self._labels()
        return self

    def decision_function(self, texts: Iterable[str]) -> FloatArray:
        """The votes for `classes_[1]`."""
        lexicon = self._lexicon()
        longest = max((entry.count(" ") + 1 for entry in lexicon), default=0)
        tokens = (Analyzer() if self.analyzer is None else self.analyzer).resolve().tokens
        votes = [
            self._votes([token.text for token in tokens.tokenize(text)], lexicon, longest)
            for text in as_texts(texts)
        ]
        z = np.array(votes, dtype=np.float64)
        return z if self._labels()[1] == self.classes_[1] else -z

    def predict(self, texts: Iterable[str]) -> LabelArray:
        """The label of every text: the second of `classes` if the votes are above 0."""
        z = self.decision_function(texts)
        negative, positive = self._labels()
        votes = z if positive == self.classes_[1] else -z
        return np.asarray(np.where(votes > 0, positive, negative))

    def __sklearn_tags__(self) -> "Tags":
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    def _votes(self, tokens: list[str], lexicon: Lexicon, longest: int) -> float:
        votes, sign, i = 0.0, 1.0, 0
        while i < len(tokens):
            for n in range(min(longest, len(tokens) - i), 0, -1):
                score = lexicon.get(" ".join(tokens[i : i + n]))
                if score is not None:
                    votes += sign * (score if self.by_score else np.sign(score))
                    i += n
                    break
            else:
                if self._negates(tokens[i]):
                    sign = -1.0
                elif len(tokens[i]) == 1 and category(tokens[i])[0] == "P":
                    sign = 1.0
                i += 1
        return votes

    def _negates(self, token: str) -> bool:
        return negates(token, NEGATIONS if self.negations is None else self.negations)

    def _lexicon(self) -> Lexicon:
        if not isinstance(self.lexicon, Mapping):
            raise InputError(f"lexicon is {self.lexicon!r}, expected a Lexicon or a mapping")
        if isinstance(self.negations, str):
            raise InputError(f"negations is {self.negations!r}, expected a list of words")
        return self.lexicon if isinstance(self.lexicon, Lexicon) else Lexicon(self.lexicon)

    def _labels(self) -> LabelArray:
        labels = np.unique(as_labels(self.classes))
        if len(self.classes) != 2 or len(labels) != 2:
            raise InputError(f"classes is {self.classes!r}, expected the two labels")
        return np.asarray([*self.classes])

"""What can be asked of a fitted model besides labels: why, what else, how much it knows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wordplane.common.errors import InputError
from wordplane.common.estimator import TextEstimator
from wordplane.common.threads import thread_count
from wordplane.common.types import CsrMatrix, Label
from wordplane.features.text_counts import word_vocabularies
from wordplane.model.remote import refuse_remote
from wordplane.model.text_model import TextModel
from wordplane.text.documents import Documents, TextsLike, as_documents

if TYPE_CHECKING:  # what prediction does not need is imported where it is used
    from wordplane.model.explanation import Explanation
    from wordplane.model.flip import Flip
    from wordplane.model.known_words import Knowledge
    from wordplane.model.similar import Neighbour


class ModelInspection(TextEstimator):
    """The questions; `TextClassifier` fits the model."""

    model_: TextModel
    n_jobs: int | None

    def explain(self, text: str | TextsLike, label: Label | None = None) -> Explanation:
        """Which words of the text speak for and against a label, and how much: its own, or, if the
        model is one of sets of labels, the one with the highest score above its threshold.

        With columns beside the text, pass a frame (or mapping) of one row.
        """
        from wordplane.model.explanation import explain

        self._check_fitted()
        documents = self._document(text)
        return explain(self.model_, documents, label)

    def knowledge(self, texts: TextsLike) -> Knowledge:
        """The share of the words of each text that the model knows, and whether a text is unlike
        those that it was trained on (see `wordplane.model.known_words`).

        >>> from wordplane import Analyzer, TextClassifier
        >>> model = TextClassifier(Analyzer(ngrams=(1, 1)), "nb").fit(["good film", "bad"], [1, 0])
        >>> known, unfamiliar = model.knowledge(["a bad film, really", "这部电影很好"])
        >>> known.tolist(), unfamiliar.tolist()
        ([0.4, 0.0], [False, True])
        """
        from wordplane.model.known_words import KnownWords, knowledge

        self._check_fitted()
        documents, words = self._documents(texts), KnownWords(self.model_.features)
        shares = words.shares(documents.texts, thread_count(self.n_jobs))
        return knowledge(shares, self.model_.training.least_known)

    @property
    def is_word_model(self) -> bool:
        """Whether the fitted model keeps words that its features are made of."""
        self._check_fitted()
        return bool(word_vocabularies(self.model_.features.vocabularies))

    def flip(self, text: str | TextsLike) -> Flip | None:
        """The fewest words of the text without which it would get another label; None if it
        keeps its label whatever is taken away.

        >>> from wordplane import Analyzer, TextClassifier
        >>> model = TextClassifier(Analyzer(ngrams=(1, 1)), "nb")
        >>> model = model.fit(["good fun", "good film", "bad", "a bad film"], [1, 1, 0, 0])
        >>> model.flip("a good, good film")
        Flip(words=('good',), label=0, text='a , film', is_smallest=True)
        """
        from wordplane.model.flip import smallest_flip

        self._check_fitted()
        if self.model_.multilabel:
            raise InputError("the model gives sets of labels: there is no other label to flip to")
        documents = self._document(text)
        return smallest_flip(self.model_, documents)

    def nearest(self, text: str | TextsLike, texts: TextsLike, n: int = 5) -> list[Neighbour]:
        """The n texts (such as those trained on) that are most like a text: their row numbers and
        the cosine of the features, the most alike first.

        >>> from wordplane import Analyzer, TextClassifier
        >>> model = TextClassifier(Analyzer(ngrams=(1, 1)), "nb").fit(["good film", "bad"], [1, 0])
        >>> model.nearest("bad, bad film", ["good film", "bad"], n=1)[0].row
        1
        """
        from wordplane.model.similar import nearest

        self._check_fitted()
        documents = self._document(text)
        others = self._documents(texts)
        return nearest(self.model_, documents, others, n, thread_count(self.n_jobs))

    def feature_matrix(self, texts: TextsLike) -> CsrMatrix:
        """The texts as values of the model's features: a sparse matrix of SciPy's, row by row."""
        from scipy.sparse import csr_array

        self._check_fitted()
        X = self.model_.features.transform(self._documents(texts), thread_count(self.n_jobs))
        indptr, indices, values = X.arrays()
        matrix: CsrMatrix = csr_array((values, indices, indptr), shape=X.shape)
        return matrix

    def to_sklearn(self) -> Any:
        """The same classifier as a Pipeline of scikit-learn's own estimators.

        `predict` and `predict_proba` give the same (a multi-label `predict` a matrix of 0 and 1,
        with a column for each of `classes_`); only words are found by a function of
        Wordplane's, which scikit-learn has no pattern for. Refuses features that scikit-learn
        does not have.
        """
        from wordplane.model.sklearn_pipeline import pipeline_of

        self._check_fitted()
        return pipeline_of(self.model_)

    def top_features(self, n: int = 10) -> dict[Label, list[tuple[str, float]]]:
        """The features that speak most for each class, with their weights, strongest first.

        >>> from wordplane import Analyzer, TextClassifier
        >>> model = TextClassifier(Analyzer(ngrams=(1, 1)), "nb")
        >>> model = model.fit(["good good", "good fun", "bad"], ["pos", "pos", "neg"])
        >>> [name for name, weight in model.top_features(2)["pos"]]
        ['good', 'fun']
        """
        from wordplane.model.explanation import top_features

        self._check_fitted()
        return top_features(self.model_, n)

    def _document(self, text: str | TextsLike) -> Documents:
        """One text, or a frame of one row with its columns."""
        documents = self._documents([text] if isinstance(text, str) else text)
        if len(documents) == 0:
            raise InputError("there is no text, expected one")
        return documents

    def _documents(self, texts: TextsLike) -> Documents:
        refuse_remote(texts)
        return as_documents(texts, self.model_.features.spec.columns.kinds)

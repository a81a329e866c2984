"""What fitted classifiers and regressors of texts share: a `TextModel` that scores, knows words,
finds similar texts, and is saved."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from os import PathLike
from typing import TYPE_CHECKING, overload

import numpy as np

from wordplane.common.errors import InputError
from wordplane.common.estimator import TextEstimator
from wordplane.common.threads import thread_count
from wordplane.common.types import CsrMatrix, FloatArray, Label
from wordplane.data.corpus import Corpus
from wordplane.features.text_counts import word_vocabularies
from wordplane.model.file import save_model
from wordplane.model.fingerprint import fingerprint
from wordplane.model.json_document import json_lines
from wordplane.model.remote import refuse_remote
from wordplane.model.text_model import TextModel
from wordplane.model.training_record import Training
from wordplane.text.analyzer import Analyzer
from wordplane.text.documents import Documents, TextsLike, as_documents

if TYPE_CHECKING:  # what prediction does not need is imported where it is used
    from wordplane.model.explanation import Explanation
    from wordplane.model.known_words import Knowledge
    from wordplane.model.nearest_texts import Neighbor


class TextPredictor(TextEstimator):
    """A classifier or regressor of texts, with its fitted model."""

    analyzer: Analyzer | None
    n_jobs: int | None
    random_state: int
    model_: TextModel

    def decision_function(self, texts: TextsLike | Documents) -> FloatArray:
        """The score of every class, or with two classes that of `classes_[1]` alone; of a
        regressor, the number."""
        self._check_fitted()
        documents = self._documents(texts)
        threads = 1 if len(documents) == 1 else thread_count(self.n_jobs)
        z = self.model_.scores(documents, threads)
        return z[:, 0] if z.shape[1] == 1 and not self.model_.multilabel else z

    @overload
    def explain(  # type: ignore[overload-overlap]  # a string is not meant as its letters
        self, text: str | Mapping[str, object] | Corpus, label: Label | None = None
    ) -> Explanation: ...

    @overload
    def explain(self, text: Iterable[str], label: Label | None = None) -> list[Explanation]: ...

    def explain(
        self, text: str | TextsLike, label: Label | None = None
    ) -> Explanation | list[Explanation]:
        """Which words of the text speak for and against a label, and how much: its own, or, if the
        model is one of sets of labels, the one with the highest score above its threshold. Of a
        regressor: which raise and lower the number.

        Of a list or column of texts, a list: the explanation of each. With columns next to the
        text, pass a frame (or mapping) of one row. `wordplane.explain` explains all rows of a file
        or frame, each and on average.

        >>> from wordplane import TextClassifier
        >>> model = TextClassifier(learner="nb").fit(["good film", "bad film"], ["+", "-"])
        >>> model.explain("good").label
        '+'
        >>> [one.label for one in model.explain(["good", "bad"])]
        ['+', '-']
        """
        from wordplane.model.explanation import explain

        self._check_fitted()
        if isinstance(text, str | Mapping | Corpus) or hasattr(type(text), "columns"):
            return explain(self.model_, self._document(text), label)
        documents = self._documents(text)
        rows = (documents.take(np.array([row])) for row in range(len(documents)))
        return [explain(self.model_, row, label) for row in rows]

    def knowledge(self, texts: TextsLike) -> Knowledge:
        """The share of the words of each text that the model knows, and whether a text is unlike
        those that it was trained on (see `wordplane.model.known_words`).

        >>> from wordplane import TextClassifier
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

    def nearest(self, text: str | TextsLike, texts: TextsLike, n: int = 5) -> list[Neighbor]:
        """The n texts (such as those trained on) that are most like a text: their row numbers and
        the cosine of the features, the most alike first.

        >>> from wordplane import TextClassifier
        >>> model = TextClassifier(Analyzer(ngrams=(1, 1)), "nb").fit(["good film", "bad"], [1, 0])
        >>> model.nearest("bad, bad film", ["good film", "bad"], n=1)[0].row
        1
        """
        from wordplane.model.nearest_texts import nearest

        self._check_fitted()
        documents = self._document(text), self._documents(texts)
        return nearest(self.model_, *documents, n, thread_count(self.n_jobs))

    def feature_matrix(self, texts: TextsLike) -> CsrMatrix:
        """The texts as values of the model's features: a sparse matrix of SciPy's, row by row."""
        from scipy.sparse import csr_array

        self._check_fitted()
        X = self.model_.features.transform(self._documents(texts), thread_count(self.n_jobs))
        indptr, indices, values = X.arrays()
        matrix: CsrMatrix = csr_array((values, indices, indptr), shape=X.shape)
        return matrix

    def top_features(self, n: int = 10) -> dict[Label, list[tuple[str, float]]]:
        """The features that speak most for each class, with their weights, strongest first; of a
        regressor, those that raise the number and those that lower it.

        >>> from wordplane import TextClassifier
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
        if len(documents) != 1:
            raise InputError(
                f"{len(documents):,} texts were given, expected one: pass one text, or a frame of "
                "one row (to explain many, see `wordplane.explain`)"
            )
        return documents

    def _documents(self, texts: TextsLike | Documents) -> Documents:
        refuse_remote(texts)
        return as_documents(texts, self.model_.features.spec.columns.kinds)

    @property
    def training_(self) -> Training:
        """How the model was made."""
        self._check_fitted()
        return self.model_.training

    def was_fitted_on(self, corpus: Corpus) -> bool:
        """Whether the texts to train on of a corpus are those that the model learned from."""
        known = self.training_.fingerprint or getattr(self, "_fingerprint", None)
        return known == fingerprint(corpus.texts, corpus.split_rows("train"))

    @property
    def is_multilabel(self) -> bool:
        """Whether the fitted model gives sets of labels."""
        self._check_fitted()
        return self.model_.multilabel

    @property
    def n_features(self) -> int:
        """The number of features of the fitted model."""
        self._check_fitted()
        return self.model_.features.n_features

    def _repr_html_(self) -> str:
        """For notebooks: what the model is, how good, and what it looks at."""
        from wordplane.common.html import html_paragraph
        from wordplane.model.card import html_card

        if not self.__sklearn_is_fitted__():
            return html_paragraph(repr(self))
        return html_card(type(self).__name__, self.model_)

    def save(self, path: str | PathLike[str], *, resumable: bool = False) -> None:
        """Write the model to a file that `wordplane.load` reads; if `resumable`, with what its
        learner needs for `partial_fit`, several times the size of the weights."""
        self._check_fitted()
        save_model(self.model_, path, resumable)

    def to_json(self) -> Iterator[str]:
        """The whole model as the lines of a JSON document (docs/convert.md)."""
        self._check_fitted()
        return json_lines(self.model_)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")

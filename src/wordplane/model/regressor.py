"""TextRegressor: texts and numbers in, a regressor that reads text out."""

from __future__ import annotations

import platform
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

import wordplane
from wordplane.common.errors import InputError
from wordplane.common.estimator import EstimatorTags
from wordplane.common.groups import as_groups, other_rows
from wordplane.common.threads import thread_count
from wordplane.common.times import latest_rows
from wordplane.common.types import FloatArray, IntArray, JsonObject, WeightsLike
from wordplane.common.weights import as_weights
from wordplane.data.corpus import Corpus
from wordplane.data.splits import holdout, stratified_folds
from wordplane.evaluation.number_intervals import NumberIntervals
from wordplane.features.text_features import fit_texts
from wordplane.learners.linear_regressor import LinearRegressor, check_regression
from wordplane.learners.support.regressor import as_target, r_squared
from wordplane.model.boundary import FEW_TEXTS
from wordplane.model.fingerprint import fingerprint
from wordplane.model.known_words import known_words_of, least_known
from wordplane.model.predictor import TextPredictor
from wordplane.model.recipe import Recipe
from wordplane.model.remote import refuse_remote
from wordplane.model.text_model import TextModel
from wordplane.model.training_record import Training
from wordplane.text.analyzer import Analyzer
from wordplane.text.documents import Documents, TextsLike, as_documents

FOLDS = 10
FEWEST = 10  # rows to hold any out of
STRATA = 10  # of targets: a split keeps small and large ones in proportion
HELD_OUT = 0.1
MOST_WORDS_ROWS = 1000  # of which known words are counted


@dataclass(frozen=True)
class NumberHoldout:
    """Rows that a fit did not see, and the numbers that it gave them.

    folds  in how many folds, so that every row was held out once; 0: a part was held out once
    """

    rows: IntArray
    predicted: FloatArray
    folds: int = 0


class TextRegressor(TextPredictor):
    """A linear regressor of texts: it predicts a number, such as a rating or a price.

    Parameters
    ----------
    analyzer : Analyzer, default None
        How texts become features; None means those of the recipe that suit the texts (see
        `wordplane.model.recipe`), with log tf, and of long texts all words and pairs of words.
    loss : "squared", "huber" or "quantile", default "squared"
        What an error costs: "squared" predicts the mean, "huber" too, with less heed of outliers,
        "quantile" the median or another quantile.
    alpha : float, default None
        Strength of the ridge penalty; None chooses it by folds.
    quantile : float, default 0.5
        Which quantile the loss "quantile" predicts.
    calibration : "holdout" or None, default "holdout"
        What intervals are made of, and how good the regressor is: the errors on a tenth of the
        texts that a first fit did not see (of fewer than 500 texts, on all in ten folds; of a
        corpus with times, on the latest tenth), or nothing.
    n_jobs : int, default None
        Threads to use; None and -1 mean all.
    random_state : int, default 0
        The seed of what is held out, and of the folds.

    Attributes
    ----------
    holdout_
        The rows held out, and the numbers predicted for them; None if there are none.
    alpha_
        The strength of the penalty.
    model_, training_
        The fitted model, and how it was made.

    Examples
    --------
    >>> texts = ["a great film", "great fun, great", "a dull film", "dull and long"] * 5
    >>> model = TextRegressor().fit(texts, [8.5, 9.5, 3.0, 2.0] * 5)
    >>> model.predict(["great", "so dull"]).round().tolist()
    [9.0, 3.0]
    """

    holdout_: NumberHoldout | None
    alpha_: float

    def __init__(
        self,
        analyzer: Analyzer | None = None,
        *,
        loss: str = "squared",
        alpha: float | None = None,
        quantile: float = 0.5,
        calibration: str | None = "holdout",
        n_jobs: int | None = None,
        random_state: int = 0,
    ) -> None:
        self.analyzer = analyzer
        self.loss = loss
        self.alpha = alpha
        self.quantile = quantile
        self.calibration = calibration
        self.n_jobs = n_jobs
        self.random_state = random_state

    @classmethod
    def from_model(cls, model: TextModel) -> Self:
        """The regressor that has this fitted model."""
        regressor = cls(model.features.analyzer)
        regressor._set_fitted(model, None)
        return regressor

    def fit(
        self,
        texts: TextsLike,
        y: ArrayLike | None = None,
        sample_weight: WeightsLike = None,
        *,
        groups: Iterable[Hashable] | None = None,
    ) -> Self:
        """Learn from texts and their numbers.

        `groups`, one value per text, say which texts are held out together (author, thread).
        """
        if self.calibration not in ("holdout", None):
            raise InputError(f"calibration is {self.calibration!r}, expected 'holdout' or None")
        learner = self._learner()
        check_regression(learner)
        refuse_remote(texts, y)
        data = self._data(texts, y, sample_weight, groups)
        held_out = model = None
        if self.calibration is not None and len(data.y) >= FEWEST:
            held_out, model, learner = data.hold_out(learner)
        errors = np.zeros(0) if held_out is None else data.y[held_out.rows] - held_out.predicted
        fitted = data.fit(learner, NumberIntervals.fit(errors))
        asked: JsonObject = {"text": repr(self._learner())}  # not what it has chosen
        fitted.training = replace(fitted.training, learner=asked)
        if model is not None and held_out is not None:
            least = data.least_known(model, held_out.rows)
            fitted.training = replace(fitted.training, least_known=least)
        self._set_fitted(fitted, held_out)
        # Not part of the model, whose file is the same for any order of the texts.
        self._fingerprint = fingerprint(data.documents.texts, np.arange(len(data.documents)))
        return self

    def predict(self, texts: TextsLike) -> FloatArray:
        """The number of every text."""
        return self.decision_function(texts)

    def predict_interval(self, texts: TextsLike, level: float = 0.9) -> FloatArray:
        """For every text, two ends between which its number is with this probability, on average
        over texts like those held out in training (see `wordplane.evaluation.number_intervals`).

        >>> texts = ["a great film", "great fun, great", "a dull film", "dull and long"] * 5
        >>> model = TextRegressor().fit(texts, [8.5, 9.5, 3.0, 2.0] * 5)
        >>> low, high = model.predict_interval(["great"], level=0.8)[0].tolist()
        >>> bool(low < model.predict(["great"])[0] < high)
        True
        """
        z, intervals = self.predict(texts), self.model_.calibrator
        assert isinstance(intervals, NumberIntervals)
        return np.asarray(z[:, None] + np.array(intervals.margins(level)))

    def score(self, texts: TextsLike, y: ArrayLike, sample_weight: WeightsLike = None) -> float:
        """R^2: 1 less the squared errors as a share of those of the mean of y."""
        return r_squared(self.predict(texts), y, sample_weight)

    def __sklearn_tags__(self) -> EstimatorTags:
        from sklearn.utils import RegressorTags

        tags = super().__sklearn_tags__()
        tags.estimator_type = "regressor"
        tags.regressor_tags = RegressorTags()
        tags.target_tags.required = True
        return tags

    def _learner(self) -> LinearRegressor:
        return LinearRegressor(
            loss=self.loss,
            alpha=self.alpha,
            quantile=self.quantile,
            n_jobs=self.n_jobs,
            random_state=self.random_state,
        )

    def _data(
        self,
        texts: TextsLike,
        y: ArrayLike | None,
        sample_weight: WeightsLike,
        groups: Iterable[Hashable] | None,
    ) -> _Data:
        kinds = {} if self.analyzer is None else self.analyzer.resolve().columns.kinds
        documents, targets = as_documents(texts, kinds), as_target(y)
        if len(targets) != len(documents):
            raise InputError(
                f"{len(documents)} texts and {len(targets)} numbers: one each is needed"
            )
        if len(targets) == 0:
            raise InputError("there are no texts to learn from")
        analyzer = self.analyzer
        if analyzer is None:
            analyzer = suited_analyzer(documents)
        return _Data(
            analyzer,
            documents,
            targets,
            as_weights(sample_weight, len(targets)),
            None if groups is None else as_groups(groups, len(targets)),
            texts.times if isinstance(texts, Corpus) else None,
            thread_count(self.n_jobs),
            self.random_state,
        )

    def _set_fitted(self, model: TextModel, held_out: NumberHoldout | None) -> None:
        self.model_, self.holdout_ = model, held_out
        self.alpha_ = float(str(model.training.chosen.get("alpha", "nan")))


def suited_analyzer(documents: Documents) -> Analyzer:
    """How texts are read if nobody says otherwise: as the recipe does, with log tf."""
    recipe = Recipe.of(documents, n_classes=2)
    analyzer = recipe.analyzer().set_params(tf="log")
    if recipe.short or recipe.script != "spaced":
        return analyzer
    # Stars of 6,005 film reviews, three folds: RMSE 2.047, with the recipe's own 2.076.
    return analyzer.set_params(ngrams=(1, 2), min_df=1)


@dataclass(frozen=True)
class _Data:
    """Documents with numbers, and how they become features."""

    analyzer: Analyzer
    documents: Documents
    y: FloatArray
    weights: FloatArray
    groups: IntArray | None
    times: IntArray | None
    threads: int
    random_state: int

    def fit(
        self,
        learner: LinearRegressor,
        intervals: NumberIntervals,
        rows: IntArray | None = None,
    ) -> TextModel:
        """The model of some rows, or all."""
        documents = self.documents if rows is None else self.documents.take(rows)
        y, weights = (self.y, self.weights) if rows is None else (self.y[rows], self.weights[rows])
        texts = fit_texts(self.analyzer, documents, self.threads)
        learner.fit(texts.X, y, weights)
        return TextModel(
            features=texts.features(),
            classes=np.array([], dtype=np.int64),
            W=learner.coef_[:, None].astype(np.float32),
            b=np.array([learner.intercept_]),
            calibrator=intervals,
            training=_record(learner, len(y)),
        )

    def hold_out(
        self, learner: LinearRegressor
    ) -> tuple[NumberHoldout | None, TextModel | None, LinearRegressor]:
        """What models without some rows say of them, one of these models, and the learner with
        the parameters that it has chosen without them."""
        edges = np.quantile(self.y, np.linspace(0, 1, STRATA + 1)[1:-1])
        strata, none = np.searchsorted(edges, self.y), NumberIntervals(np.zeros(0))
        seed, n_docs = self.random_state, len(self.y)
        n_groups = n_docs if self.groups is None else len(np.unique(self.groups))
        if n_docs >= FEW_TEXTS or n_groups < FEWEST or self.times is not None:
            if self.times is None:
                _, rows = holdout(strata, HELD_OUT, seed, self.groups)
            else:
                rows = latest_rows(self.times, HELD_OUT)
            if len(rows) == 0:
                return None, None, learner
            model = self.fit(learner, none, other_rows(n_docs, rows))
            z = model.scores(self.documents.take(rows), self.threads)[:, 0]
            chosen: JsonObject = {"alpha": learner.alpha_}
            if learner.loss == "huber":
                chosen["delta"] = learner.delta_
            return NumberHoldout(rows, z), model, learner.set_params(**chosen)
        z = np.zeros(n_docs)
        for rows in stratified_folds(strata, FOLDS, seed, self.groups):
            model = self.fit(learner, none, other_rows(n_docs, rows))
            z[rows] = model.scores(self.documents.take(rows), self.threads)[:, 0]
        return NumberHoldout(np.arange(n_docs), z, FOLDS), model, learner

    def least_known(self, model: TextModel, rows: IntArray) -> float:
        """The share of known words below which a text is unfamiliar."""
        words = known_words_of(model.features)
        if words is None or len(rows) == len(self.y):  # of folds, a model has seen most rows
            return 0.0
        few = rows[np.linspace(0, len(rows) - 1, min(len(rows), MOST_WORDS_ROWS)).astype(np.intp)]
        return least_known(words.shares(self.documents.texts.take(few), self.threads))


def _record(learner: LinearRegressor, n_docs: int) -> Training:
    """How a model was made."""
    chosen: JsonObject = {"alpha": learner.alpha_}
    if learner.loss == "huber":
        chosen["delta"] = learner.delta_
    return Training(
        learner={"text": repr(learner)},
        n_docs=n_docs,
        chosen=chosen,
        versions={
            "wordplane": wordplane.__version__,
            "python": platform.python_version(),
            "numpy": np.__version__,
        },
    )

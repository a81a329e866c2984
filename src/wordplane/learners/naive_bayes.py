"""Multinomial naive Bayes.

    mu_k   = n_k / n                                            (share of the documents)
    phi_kj = (alpha + count_kj) / (V alpha + sum_j count_kj)     (share of the words)
    z_k    = log mu_k + sum_j x_j log phi_kj

so the weights are W = log phi and b = log mu, and P(k | x) = softmax(z). What all classes
share changes neither decision nor probability: `coef_` holds log phi less its mean over the
classes, or, with two classes, the one row log phi_1 - log phi_0; `intercept_` likewise.

Without smoothing (alpha = 0) a word that a class never had vetoes it: log phi = -inf. What is
predicted is the limit for alpha -> 0, where phi of such a word is alpha / sum_j count_kj: first
the class with the fewest vetoes (each occurrence of such a word is one), among these the largest
z with phi = 1 / sum_j count_kj for the vetoing words, then the lowest class. `coef_` is finite and
decides the same: there, VETO stands for -log alpha.

References: McCallum and Nigam (1998), A comparison of event models for naive Bayes.
Wang and Manning (2012), Baselines and bigrams (for `binary`).
"""

from collections.abc import Mapping, Sequence
from numbers import Real
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import ArrayLike

from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.common.labels import Codes, as_labels, encode_known
from wordplane.common.threads import thread_count
from wordplane.common.types import (
    FloatArray,
    IntArray,
    JsonObject,
    LabelArray,
    LabelsLike,
    MatrixLike,
    WeightsLike,
)
from wordplane.data.splits import stratified_folds
from wordplane.learners.support.alpha_choice import (
    ALPHAS,
    AlphaScores,
    alpha_scores,
    block_alpha_scores,
)
from wordplane.learners.support.base import (
    ClassWeight,
    log_softmax,
    probabilities,
    row_weights,
)
from wordplane.learners.support.class_counts import (
    CountingClassifier,
    Prior,
    binarize,
    center,
    check_counts,
    log_prior,
)
from wordplane.learners.support.incremental import StateValue
from wordplane.learners.support.row_blocks import RowBlocks, Sums

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

VETO = 1e6
CHOICES = ("cv", "loo", "auto")
AUTO_ALPHAS = (0.01, 0.1, 1.0)
MIN_DOCS, MAX_PAIRS = 1000, 40_000_000  # where alpha="auto" chooses: held-out scores take 100 MB


class MultinomialNB(CountingClassifier):
    """Naive Bayes on counts of words.

    Parameters
    ----------
    alpha : float, "cv", "loo" or "auto", default 1.0
        Added to the count of every word in every class, from 0 up. "cv" and "loo" choose the
        best of `alphas` by cross-validation or by leaving out one document at a time. "auto", what
        text classifiers take, chooses 0.01, 0.1 or 1 by cross-validation if there are 1,000
        documents and no more than 40 million pairs of document and class; else it is 1.
    alphas : sequence of float, default (0.001, 0.01, 0.1, 1, 10)
        What "cv" and "loo" choose from.
    cv : int, default 10
        The number of (stratified) folds for "cv".
    binary : bool, default False
        A word counts once per document, in `fit` and in prediction.
    fit_prior : bool, default True
        Learn the share of the classes; False takes them as equally likely.
    class_prior : array of shape (n_classes,), default None
        Use these shares instead of learning them.
    prior_alpha : float, default 0
        Added to the number of documents of every class where the shares are learned.
    random_state : int, default 0
        The seed of the folds.

    Attributes
    ----------
    class_log_prior_, feature_log_prob_
        log mu and log phi.
    alpha_, alpha_scores_
        The alpha used; if it was chosen, accuracy and log-loss of each.

    Examples
    --------
    >>> X = [[2, 1, 0], [1, 1, 0], [0, 1, 3], [0, 0, 2]]
    >>> model = MultinomialNB().fit(X, ["sport", "sport", "law", "law"])
    >>> model.predict([[1, 0, 0], [0, 0, 1]])
    array(['sport', 'law'], dtype='<U5')
    >>> model.feature_count_
    array([[0., 1., 5.],
           [3., 2., 0.]])
    >>> MultinomialNB(alpha="loo").fit(X, ["sport", "sport", "law", "law"]).alpha_
    0.001
    """

    name = "nb"
    text_defaults: Mapping[str, object] = {"alpha": "auto"}
    learns_from_blocks = learns_from_sums = True
    shuffles_rows = False
    state = ("class_count_", "feature_count_", "alpha_")

    class_log_prior_: FloatArray
    feature_log_prob_: FloatArray
    alpha_: float
    alpha_scores_: AlphaScores

    def __init__(
        self,
        *,
        alpha: float | str = 1.0,
        alphas: Sequence[float] = ALPHAS,
        cv: int = 10,
        binary: bool = False,
        fit_prior: bool = True,
        class_prior: ArrayLike | None = None,
        prior_alpha: float = 0.0,
        class_weight: ClassWeight = None,
        n_jobs: int | None = None,
        random_state: int = 0,
    ) -> None:
        self.alpha = alpha
        self.alphas = alphas
        self.cv = cv
        self.binary = binary
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.prior_alpha = prior_alpha
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.random_state = random_state

    @property
    def reads_binary(self) -> bool:
        """Whether the model is one of 0/1 values, whatever the counts."""
        return self.binary

    def fit_blocks(self, rows: RowBlocks, y: LabelsLike, sample_weight: WeightsLike = None) -> Self:
        """Count the words of every class, block by block: the same bits as `fit`."""
        codes, weights = self._weighted_blocks(rows, y, sample_weight)
        rows = rows.change(binarize) if self._binary() else rows
        self._start()
        self.alpha_ = self._choose_alpha(rows, codes, sample_weight)
        self.class_count_ += np.bincount(codes, weights, minlength=len(self.classes_))
        parts = rows.split(codes), rows.split(weights)
        job = "counting words of classes"
        (self.feature_count_,) = rows.sum(add_counts, (self.feature_count_,), (), *parts, job=job)
        self._smooth()
        return self

    def prepare_for_one_label(self) -> None:
        """alpha="auto" is 1: a choice for every label would take long."""
        if self.alpha == "auto":
            self.alpha = 1.0

    def chosen_parameters(self) -> JsonObject:
        """alpha, unless it was given."""
        return {"alpha": self.alpha_} if self.alpha in CHOICES else {}

    def set_state(
        self, arrays: Mapping[str, FloatArray], classes: LabelArray, n_features: int
    ) -> None:
        """Become the learner whose `get_state` this is. Arrays that do not fit are refused."""
        super().set_state(arrays, classes, n_features)
        if self.alpha_ < 0:
            raise InputError("alpha_ in the state of MultinomialNB is below 0")

    def predict_log_proba(self, X: MatrixLike) -> FloatArray:
        """log P(k | x) for every class; where all have a veto, the limit of alpha to 0."""
        matrix = self._known_counts(X)
        z = self._joint_scores(matrix)
        vetoed = np.isneginf(z).all(axis=1)
        if vetoed.any():
            with np.errstate(divide="ignore"):
                z[vetoed] = np.log(probabilities(self._scores(matrix))[vetoed])
        return log_softmax(z)

    def predict_joint_log_proba(self, X: MatrixLike, *, coefficient: bool = False) -> FloatArray:
        """log P(x, k) for every class, with the words in this order; -inf where there is a veto.

        With `coefficient`, with these words in any order: times (sum_j x_j)! / prod_j x_j!.
        """
        matrix = self._known_counts(X)
        z = self._joint_scores(matrix)
        return z + _log_coefficients(matrix)[:, None] if coefficient else z

    def joint_log_likelihood(
        self, X: MatrixLike, y: LabelsLike, *, coefficient: bool = False
    ) -> float:
        """sum_i log P(x_i, y_i), what the smoothed counts are the maximum of if alpha = 0."""
        z = self.predict_joint_log_proba(X, coefficient=coefficient)
        return float(z[np.arange(len(z)), encode_known(as_labels(y), self.classes_)].sum())

    def sample(
        self, n_docs: int, length: int = 100, random_state: int = 0
    ) -> tuple["csr_matrix", LabelArray]:
        """Documents of `length` words from the model: k by mu, then each word by phi_k."""
        from scipy.sparse import csr_matrix

        self._check_fitted()
        rng = np.random.default_rng(random_state)
        mu = np.exp(self.class_log_prior_)
        codes = rng.choice(len(mu), n_docs, p=mu / mu.sum())
        words = np.empty((n_docs, length), dtype=np.int32)
        for k in np.unique(codes):
            phi = np.exp(self.feature_log_prob_[k])
            its_docs = codes == k
            words[its_docs] = rng.choice(len(phi), (its_docs.sum(), length), p=phi / phi.sum())
        indptr = np.arange(n_docs + 1) * length
        shape = (n_docs, self.n_features_in_)
        X = csr_matrix((np.ones(words.size), words.ravel(), indptr), shape=shape)
        X.sum_duplicates()
        return X, self.classes_[codes]

    def _binary(self) -> bool:
        if not isinstance(self.binary, (bool, np.bool_)):
            raise InputError(f"binary is {self.binary!r}, expected True or False")
        return bool(self.binary)

    def _values(self, X: _core.Csr) -> _core.Csr:
        return binarize(X) if self._binary() else X

    def _joint_scores(self, X: _core.Csr) -> FloatArray:
        threads = thread_count(self.n_jobs)
        W, b = np.ascontiguousarray(self.feature_log_prob_.T), self.class_log_prior_
        if self.alpha_ > 0:
            return _core.linear_scores(X, W, b, threads)
        vetoes = np.isneginf(W)
        z = _core.linear_scores(X, np.where(vetoes, 0.0, W), b, threads)
        n_vetoes = _core.linear_scores(X, vetoes.astype(float), np.zeros(len(b)), threads)
        z[n_vetoes > 0] = -np.inf
        return z

    def _prior(self) -> Prior:
        return Prior(self.fit_prior, self.class_prior, self.prior_alpha)

    def _given_alpha(self) -> float:
        if not (isinstance(self.alpha, Real) and 0 <= float(self.alpha) < float("inf")):
            raise InputError(
                f"alpha is {self.alpha!r}, expected a finite number from 0 up, or one of 'cv', "
                "'loo' and 'auto'"
            )
        return float(self.alpha)

    def _choose_alpha(
        self, X: _core.Csr | RowBlocks, codes: Codes, sample_weight: WeightsLike
    ) -> float:
        vars(self).pop("alpha_scores_", None)  # of an earlier fit
        if self.alpha not in CHOICES:
            return self._given_alpha()
        n_docs = X.shape[0]
        alphas = self.alphas
        if self.alpha == "auto":
            if n_docs < MIN_DOCS or n_docs * len(self.classes_) > MAX_PAIRS:
                return 1.0
            alphas = AUTO_ALPHAS
        weights = row_weights(X, codes, self.classes_, sample_weight, None)
        if self.alpha == "loo":
            if isinstance(X, RowBlocks):
                raise InputError("alpha='loo' needs all rows in memory: use 'cv' or a number")
            folds = list(np.arange(n_docs)[:, None])
        else:
            folds = stratified_folds(codes, self.cv, self.random_state)
        given = codes, weights, self.classes_, alphas, folds, self.class_weight, self._prior()
        if isinstance(X, RowBlocks):
            self.alpha_scores_ = block_alpha_scores(X, *given)
        else:
            self.alpha_scores_ = alpha_scores(X, *given, threads=thread_count(self.n_jobs))
        return self.alpha_scores_.best

    def _start(self) -> None:
        self.alpha_ = 1.0 if self.alpha in CHOICES else self._given_alpha()
        super()._start()

    def _prepare(
        self, X: _core.Csr, codes: Codes, sample_weight: WeightsLike, *, are_all: bool
    ) -> None:
        if are_all:
            self.alpha_ = self._choose_alpha(self._values(X), codes, sample_weight)
        elif self.alpha in ("cv", "loo"):
            raise InputError(f"alpha={self.alpha!r} needs all documents at once: use fit")

    def _add(self, X: _core.Csr, codes: Codes, sample_weight: WeightsLike) -> Self:
        if self.alpha not in CHOICES:  # it may have been set to another number
            self.alpha_ = self._given_alpha()
        return super()._add(X, codes, sample_weight)

    def _refill(self, before: Mapping[str, StateValue], place: IntArray, kept: IntArray) -> None:
        self.alpha_ = float(before["alpha_"] or 0.0)
        super()._refill(before, place, kept)

    def _smooth(self) -> None:
        self.class_log_prior_ = log_prior(self.class_count_, self._prior())
        totals = self.feature_count_.sum(axis=1, keepdims=True)
        totals += self.alpha_ * self.n_features_in_
        log_totals = np.log(np.where(totals > 0, totals, 1.0))
        with np.errstate(divide="ignore"):  # -inf is a veto
            self.feature_log_prob_ = self.feature_count_ + self.alpha_
            np.log(self.feature_log_prob_, out=self.feature_log_prob_)
            self.feature_log_prob_ -= log_totals
        log_phi = self.feature_log_prob_
        if self.alpha_ == 0:
            log_phi = np.where(np.isneginf(log_phi), -VETO - log_totals, log_phi)
        self._set_weights(*center(log_phi.T, self.class_log_prior_))


def add_counts(sums: Sums, X: _core.Csr, threads: int, codes: Codes, weights: FloatArray) -> None:
    """Add the counts of every feature by class."""
    check_counts(X, "MultinomialNB")
    _core.add_class_counts(X, codes, weights, sums[0], threads)


def _log_coefficients(X: _core.Csr) -> FloatArray:
    """log((sum_j x_j)! / prod_j x_j!) of every row."""
    from scipy.special import gammaln

    indptr, indices, values = X.arrays()
    of_values = _core.Csr(X.shape[1], indptr, indices, gammaln(values.astype(np.float64) + 1))
    ones, zero = np.ones((X.shape[1], 1)), np.zeros(1)
    sums, logs = (_core.linear_scores(part, ones, zero, 1)[:, 0] for part in (X, of_values))
    return np.asarray(gammaln(sums + 1) - logs)

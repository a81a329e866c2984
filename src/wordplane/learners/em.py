"""Naive Bayes that also learns from documents without labels, by expectation maximization.

    start with the parameters that the labeled documents give
    repeat
        E:  p_ik = P(k | x_i) for unlabeled documents; always 0 or 1 for the others
        M:  mu_k   = (a + sum_i w_i p_ik) / (K a + sum_i w_i)
            phi_kj = (alpha + sum_i w_i p_ik x_ij) / (V alpha + sum_ij w_i p_ik x_ij)   multinomial
            phi_kj = (alpha + sum_i w_i p_ik x_ij) / (2 alpha + sum_i w_i p_ik)         Bernoulli
    until the penalized log-likelihood rises by less than tol of itself

w_i = 1 (or the weight of row and class) for labeled documents and `unlabeled_weight` for the
others. Every round raises (or keeps)

    sum_labeled w_i log P(x_i, y_i) + sum_unlabeled w_i log sum_k P(x_i, k) + log prior

where the prior is what the smoothing stands for: a sum_k log mu_k + alpha sum_kj log phi_kj, for
Bernoulli with log(1 - phi_kj) as well. The likelihood without the prior may fall. Neither says
that the classes stay what they were: an accuracy on documents of which the labels are known does.

Without any labels this is soft clustering: it starts from random p_ik, and the best of several
starts is kept.

Reference: Nigam, McCallum, Thrun and Mitchell (2000), Text classification from labeled and
unlabeled documents using EM, Machine Learning 39.
"""

import warnings
from typing import NamedTuple, Self

import numpy as np

from wordplane import _core
from wordplane.common.errors import ConvergenceWarning, InputError
from wordplane.common.labels import Codes, as_labels, encode_known
from wordplane.common.progress import notify
from wordplane.common.threads import thread_count
from wordplane.common.types import (
    FloatArray,
    JsonObject,
    LabelArray,
    LabelsLike,
    MatrixLike,
    WeightsLike,
)
from wordplane.learners.naive_bayes import MultinomialNB
from wordplane.learners.support.base import (
    ALPHA_GRID,
    ClassWeight,
    LinearClassifier,
    Tables,
    probabilities,
)
from wordplane.learners.support.class_counts import binarize, center, check_alpha, check_counts
from wordplane.learners.support.parameter_checks import (
    check_choice,
    check_not_negative,
    check_positive,
    check_share,
    check_whole,
)

MODELS = ("multinomial", "bernoulli")


class Counts(NamedTuple):
    """What the parameters are made of."""

    docs: FloatArray  # sum_i w_i p_ik
    words: FloatArray  # sum_i w_i p_ik x_ij, a column per class


class Dev(NamedTuple):
    """Rows that every round is measured on."""

    X: MatrixLike
    labels: LabelArray


class Parameters(NamedTuple):
    """log P(x, k) = x W + b, and the log of the prior at these parameters."""

    W: FloatArray
    b: FloatArray
    log_prior: float


class EMNaiveBayes(LinearClassifier):
    """Naive Bayes from documents with and without labels.

    Parameters
    ----------
    model : "multinomial" or "bernoulli", default "multinomial"
        Counts of words, or which of them occur.
    alpha : float or "loo", default 1.0
        Added to the count of every word in every class, above 0. "loo": what leave-one-out on the
        labeled documents chooses, as in `MultinomialNB`; for few labels and many words that is
        far below 1. Multinomial only.
    prior_alpha : float, default 1.0
        Added to the number of documents of every class, above 0.
    unlabeled_weight : float, default 1.0
        How much an unlabeled document counts relative to a labeled one, from 0 to 1.
    max_iter : int, default 50
        The most rounds.
    tol : float, default 1e-5
        By what share of itself the penalized log-likelihood must rise for another round.
    n_clusters : int, default None
        The number of classes if there are no labels at all.
    n_init : int, default 5
        The number of random starts if there are no labels.
    class_weight : "balanced" or mapping, default None
        The weight of the labeled documents of each class; "balanced" makes all classes count
        alike.
    random_state : int, default 0
        The seed of the random starts.

    Attributes
    ----------
    penalized_log_likelihood_, log_likelihood_
        With the prior and without, at the start and after every round.
    dev_accuracy_
        With `dev`, the accuracy on it at the start and after every round.
    alpha_
        The alpha used.
    n_iter_, converged_
        M steps (the first is that of the labeled documents), and whether they ended by `tol`.

    Examples
    --------
    >>> X, y = [[2, 0, 0, 0], [0, 0, 2, 0]], ["sport", "law"]
    >>> model = EMNaiveBayes().fit(X, y, unlabeled=[[1, 2, 0, 0], [0, 0, 1, 2]])
    >>> model.predict([[0, 1, 0, 0], [0, 0, 0, 1]])  # words that no labeled document has
    array(['sport', 'law'], dtype='<U5')
    """

    name = "em"
    grid = ALPHA_GRID
    reads_counts = True
    takes_negative = False
    scores_poorly = True
    penalized_log_likelihood_: list[float]
    log_likelihood_: list[float]
    dev_accuracy_: list[float]
    alpha_: float

    def __init__(
        self,
        *,
        model: str = "multinomial",
        alpha: float | str = 1.0,
        prior_alpha: float = 1.0,
        unlabeled_weight: float = 1.0,
        max_iter: int = 50,
        tol: float = 1e-5,
        n_clusters: int | None = None,
        n_init: int = 5,
        class_weight: ClassWeight = None,
        n_jobs: int | None = None,
        random_state: int = 0,
    ) -> None:
        self.model = model
        self.alpha = alpha
        self.prior_alpha = prior_alpha
        self.unlabeled_weight = unlabeled_weight
        self.max_iter = max_iter
        self.tol = tol
        self.n_clusters = n_clusters
        self.n_init = n_init
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.random_state = random_state

    @property
    def reads_binary(self) -> bool:
        """Whether a word counts once per document."""
        return self.model == "bernoulli"

    def tables(self) -> Tables:
        """The shares of each row in the classes, known and computed."""
        return Tables(weights=4, rows=1, pairs=1)

    def fit(
        self,
        X: MatrixLike,
        y: LabelsLike | None,
        sample_weight: WeightsLike = None,
        *,
        unlabeled: MatrixLike | None = None,
        dev: tuple[MatrixLike, LabelsLike] | None = None,
    ) -> Self:
        """Learn from X with labels y and from the rows of `unlabeled`.

        y=None (with `n_clusters`) means that X has no labels. `dev` is a pair (X, y) of rows that
        are not learned from, on which every round is measured.
        """
        self._check_parameters()
        matrix = self._counted(self._new_features(X))
        if y is None and self.n_clusters is not None:
            self.alpha_ = check_alpha(self.alpha)
            return self._cluster(matrix)
        codes = self._new_labels(matrix, y)
        weights = self._row_weights(matrix, codes, sample_weight)
        self.alpha_ = self._choose_alpha(matrix, codes, weights)
        labeled = self._counts(matrix, weights[:, None] * np.eye(len(self.classes_))[codes])
        rest = None if unlabeled is None else self._counted(self._known_features(unlabeled))
        known = None if dev is None else self._dev_rows(dev)
        self._rounds(labeled, labeled, rest, known)
        return self

    def chosen_parameters(self) -> JsonObject:
        """alpha, unless it was given."""
        return {"alpha": self.alpha_} if self.alpha == "loo" else {}

    def rounds(self) -> list[dict[str, float]]:
        """The log-likelihoods and, with `dev`, the accuracy on it."""
        columns = {
            "log_likelihood": self.log_likelihood_,
            "penalized_log_likelihood": self.penalized_log_likelihood_,
        }
        if hasattr(self, "dev_accuracy_"):
            columns["dev_accuracy"] = self.dev_accuracy_
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]

    def decision_function(self, X: MatrixLike) -> FloatArray:
        """The score of every class, or with two classes that of `classes_[1]` alone."""
        self._check_fitted()
        return self._scores(self._values(self._known_features(X)))

    def predict_proba(self, X: MatrixLike) -> FloatArray:
        """P(k | x) for every class."""
        z = self.decision_function(X)
        return np.ones((len(z), 1)) if len(self.classes_) == 1 else probabilities(z)

    def _rounds(
        self, start: Counts, labeled: Counts, rest: _core.Csr | None, dev: Dev | None
    ) -> None:
        """EM from the counts `start`; rows of `rest` are those without labels."""
        self.penalized_log_likelihood_, self.log_likelihood_ = [], []
        self.__dict__.pop("dev_accuracy_", None)
        if dev is not None:
            self.dev_accuracy_ = []
        weight = float(self.unlabeled_weight)
        counts = start
        self.converged_ = rest is None or weight == 0
        for n_iter in range(int(self.max_iter) + 1):
            self.n_iter_ = n_iter + 1
            now = self._parameters(counts)
            likelihood = float((labeled.words * now.W).sum() + labeled.docs @ now.b)
            if rest is not None:
                z = _core.linear_scores(rest, now.W, now.b, thread_count(self.n_jobs))
                evidence = _log_sum_exp(z)
                likelihood += weight * float(evidence.sum())
            self._set_weights(*center(now.W, now.b))
            self._note(likelihood, now.log_prior, dev)
            notify("EM", n_iter, 0)
            values = self.penalized_log_likelihood_
            if n_iter > 0:
                self.converged_ |= values[-1] - values[-2] <= self.tol * abs(values[-2])
            if rest is None or self.converged_ or n_iter == self.max_iter:
                break
            p = weight * np.exp(z - evidence[:, None])
            soft = self._counts(rest, p)
            counts = Counts(labeled.docs + soft.docs, labeled.words + soft.words)
        if not self.converged_:
            warnings.warn(
                f"EM stopped after max_iter={self.max_iter} rounds, of which the last still raised "
                f"the penalized log-likelihood by more than tol={self.tol} of itself; raise "
                "`max_iter` or `tol`",
                ConvergenceWarning,
                stacklevel=4,
            )

    def _choose_alpha(self, X: _core.Csr, codes: Codes, sample_weight: WeightsLike) -> float:
        if self.alpha != "loo":
            return check_alpha(self.alpha)
        return MultinomialNB(alpha="loo", n_jobs=self.n_jobs).fit(X, codes, sample_weight).alpha_

    def _cluster(self, X: _core.Csr) -> Self:
        """Soft clustering: the best of several random starts."""
        n_clusters = int(self.n_clusters or 0)
        self.classes_ = np.arange(n_clusters)
        rng = np.random.default_rng(self.random_state)
        none = Counts(np.zeros(n_clusters), np.zeros((X.shape[1], n_clusters)))
        best, most = vars(self).copy(), -np.inf
        for _ in range(int(self.n_init)):
            p = rng.dirichlet(np.ones(n_clusters), X.shape[0])
            self._rounds(self._counts(X, p), none, X, None)
            if self.penalized_log_likelihood_[-1] > most:
                best, most = vars(self).copy(), self.penalized_log_likelihood_[-1]
        self.__dict__.update(best)
        return self

    def _counts(self, X: _core.Csr, p: FloatArray) -> Counts:
        words = np.zeros((X.shape[1], p.shape[1]))
        _core.linear_gradient(X, np.ascontiguousarray(p), words, thread_count(self.n_jobs))
        return Counts(p.sum(axis=0), words)

    def _parameters(self, counts: Counts) -> Parameters:
        """The M step."""
        alpha, a = self.alpha_, float(self.prior_alpha)
        n_features, n_classes = counts.words.shape
        total = counts.docs.sum()
        log_mu = np.log(a + counts.docs) - np.log(n_classes * a + total)
        if self.model == "multinomial":
            sums = counts.words.sum(axis=0) + n_features * alpha
            log_phi = np.log(alpha + counts.words) - np.log(sums)
            return Parameters(log_phi, log_mu, float(a * log_mu.sum() + alpha * log_phi.sum()))
        log_n = np.log(2 * alpha + counts.docs)
        log_phi = np.log(alpha + counts.words) - log_n
        # Sums of the same weights in another order may fall below 0 by rounding.
        log_absent = np.log(alpha + np.maximum(counts.docs - counts.words, 0.0)) - log_n
        prior = a * log_mu.sum() + alpha * (log_phi.sum() + log_absent.sum())
        return Parameters(log_phi - log_absent, log_mu + log_absent.sum(axis=0), float(prior))

    def _note(self, likelihood: float, log_prior: float, dev: Dev | None) -> None:
        self.log_likelihood_.append(likelihood)
        self.penalized_log_likelihood_.append(likelihood + log_prior)
        if dev is not None:
            X, labels = dev
            self.dev_accuracy_.append(self.score(X, labels))

    def _dev_rows(self, dev: tuple[MatrixLike, LabelsLike]) -> Dev:
        X, y = dev
        labels = as_labels(y)
        encode_known(labels, self.classes_)
        return Dev(X, labels)

    def _values(self, X: _core.Csr) -> _core.Csr:
        return binarize(X) if self.model == "bernoulli" else X

    def _counted(self, X: _core.Csr) -> _core.Csr:
        """Rows to learn from."""
        check_counts(X, type(self).__name__)
        return self._values(X)

    def _check_parameters(self) -> None:
        check_choice(self, "model", MODELS)
        if self.alpha != "loo":
            check_alpha(self.alpha)
        elif self.model != "multinomial":
            raise InputError("alpha is 'loo', which only the multinomial model has: give a number")
        check_positive(self, "prior_alpha")
        check_share(self, "unlabeled_weight")
        check_not_negative(self, "tol")
        check_whole(self, "max_iter", "n_init", *["n_clusters"] * (self.n_clusters is not None))


def _log_sum_exp(z: FloatArray) -> FloatArray:
    most = z.max(axis=1)
    return np.asarray(most + np.log(np.exp(z - most[:, None]).sum(axis=1)))

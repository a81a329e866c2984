"""How often each class occurs in texts without labels, and how many of their labels are right.

To count the labels that a classifier gives is wrong where classes have changed their shares: it
was trained for other shares, and errs for them. If the texts of each class are still what they were
(label shift), the shares can be corrected by texts held out, whose classes are known. What is asked
of these is how much more frequent what the classifier says of a text is in class k than in all:

    counts        r_ik = p(the label given to i | k) / p(the label given to i)
    em            r_ik = p(k | i) / p(k), probabilities recalibrated: softmax(a log p + c)
    narrow, wide  r_ik = p(the probabilities of i | k) / p(the probabilities of i), both by a sum of
                  Gaussian kernels around those of texts held out

The shares p that are likeliest, by EM from equal ones,

    p_k <- mean over i of  p_k r_ik / sum over l of p_l r_il

are the adjusted counts, the estimate of Saerens et al., and matched distributions. Which of the
four is best depends on classifier and texts. So they are tried on samples of one half of the texts
held out, with shares at random, by what the other half says; the weight of each is 1 / error^2.

Estimate and interval come from draws of the unknown labels: of every text by p_k r_ik, then of p by
the Dirichlet distribution of their counts + 1 (Tanner and Wong's data augmentation). For every
hundred draws or so, texts held out are reweighted (a Bayesian bootstrap), one of the four is
taken by its weight, and a text with nothing to say, of a weight at random, is added to each class:
errors that were not seen among few texts are still possible. A draw of labels says how many labels
given would be right, too.

References: Saerens, Latinne and Decaestecker (2002), Neural Computation 14(1); Forman (2008), Data
Mining and Knowledge Discovery 17(2), adjusted counts; Gonzalez-Castro, Alaiz-Rodriguez and Alegre
(2013), Information Sciences 218, and Moreo, Gonzalez and del Coz (2025), Machine Learning 114,
matching; Tanner and Wong (1987), JASA 82; Rubin (1981), Annals of Statistics 9(1).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from wordplane.common.errors import InputError
from wordplane.common.types import FloatArray, IntArray
from wordplane.evaluation.calibration import softmax
from wordplane.evaluation.intervals import Interval, percentile_interval

METHODS = ("counts", "em", "narrow", "wide")
BANDWIDTH = {"narrow": 0.1, "wide": 0.2}
N_HALVES, N_PER_HALF = 6, 8  # simulated shifts
MAX_SIMULATED = 500  # texts of each
N_WEIGHTED, N_PER_WEIGHT = 40, 10  # draws
EXTRA_SHAPE, EXTRA_SCALE = 0.3, 1.7  # of the weight of the text that is added to each class
EXTRA = EXTRA_SHAPE * EXTRA_SCALE  # its mean
SPREAD = 1.25  # of draws: a rare class has few texts held out, whose weights vary too little
PENALTY = 20.0  # of recalibration: how many texts its prior is worth
LEAST = 1e-9  # probability


class ShiftEstimate(NamedTuple):
    """The shares of the classes, and how many labels are right, with 95 % intervals.

    draws  the shares in each draw
    """

    shares: FloatArray
    intervals: list[Interval]
    accuracy: float
    accuracy_interval: Interval
    draws: FloatArray


def likeliest_shares(
    ratios: FloatArray, n_steps: int = 1000, counts: FloatArray | None = None
) -> FloatArray:
    """The likeliest shares of the classes, by EM; row i stands for counts[i] texts.

    >>> likeliest_shares(np.array([[1.6, 0.4], [1.6, 0.4], [0.4, 1.6]])).round(4).tolist()
    [0.7778, 0.2222]
    """
    weights = np.ones(len(ratios)) if counts is None else counts
    weights = weights / weights.sum()
    shares = np.full(ratios.shape[1], 1 / ratios.shape[1])
    for _ in range(n_steps):
        joint = ratios * shares
        joint /= joint.sum(axis=1, keepdims=True)
        after = weights @ joint
        if np.abs(after - shares).max() < 1e-6:
            return np.asarray(after)
        shares = after
    return shares


@dataclass(frozen=True, eq=False)
class LabelShift:
    """What texts held out say of others.

    P          the probabilities of their classes
    codes      the numbers of their classes
    predicted  those that they were given
    """

    P: FloatArray
    codes: IntArray
    predicted: IntArray
    random_state: int = 0

    def __post_init__(self) -> None:
        if len(np.unique(self.codes)) < 2:
            raise InputError("the texts held out have one class only: shares need two at least")

    @cached_property
    def errors(self) -> dict[str, float]:
        """By method, the mean error of shares in simulated shifts."""
        rng = np.random.default_rng(self.random_state)
        found: dict[str, list[float]] = {name: [] for name in METHODS}
        n = len(self.codes)
        for number in range(N_HALVES):
            order = np.lexsort([rng.random(n), self.codes])
            # Of a class with an odd number of rows, sometimes the one half has more, or the other.
            rows = order[(np.arange(n) + number) % 2 == 0]
            other = order[(np.arange(n) + number) % 2 == 1]
            pools = [other[self.codes[other] == k] for k in np.unique(self.codes[other])]
            half = self.take(rows)
            texts = _Texts(self.P[other], self.predicted[other], half)
            place = np.empty(n, np.int64)
            place[other] = np.arange(len(other))
            weights, extra = np.ones(len(rows)), np.full(self._n_classes, EXTRA)
            ratios = {name: half.ratios(name, texts, weights, extra) for name in METHODS}
            for _ in range(N_PER_HALF):
                shares = rng.dirichlet(np.ones(len(pools)))
                counts = rng.multinomial(min(n, MAX_SIMULATED), shares)
                drawn = np.concatenate([rng.choice(*of) for of in zip(pools, counts, strict=True)])
                true = np.bincount(self.codes[drawn], minlength=self._n_classes) / len(drawn)
                for name in METHODS:
                    estimate = likeliest_shares(ratios[name][place[drawn]], 50)
                    found[name].append(float(np.abs(estimate - true).mean()))
        return {name: float(np.mean(errors)) for name, errors in found.items()}

    @property
    def weights(self) -> dict[str, float]:
        """By method, how much it counts."""
        inverse = {name: 1 / (error + 1e-4) ** 2 for name, error in self.errors.items()}
        return {name: value / sum(inverse.values()) for name, value in inverse.items()}

    @property
    def _n_classes(self) -> int:
        """The number of classes."""
        return int(self.P.shape[1])

    def estimate(
        self, P: FloatArray, predicted: IntArray, *, of_population: bool = False
    ) -> ShiftEstimate:
        """The shares of the classes in texts that have these probabilities and predicted classes;
        or, if `of_population`, in all texts that they were drawn from.

        >>> rng = np.random.default_rng(0)
        >>> codes = np.repeat([0, 1], 200)
        >>> P = 1 / (1 + np.exp(rng.normal(3 - 6 * codes, 3)))
        >>> P = np.column_stack([1 - P, P])
        >>> shift = LabelShift(P, codes, P.argmax(axis=1))
        >>> few = np.concatenate([np.arange(190), np.arange(200, 210)])
        >>> predicted = P[few].argmax(axis=1)
        >>> predicted.mean().round(2), shift.estimate(P[few], predicted).shares.round(2)
        (np.float64(0.2), array([0.95, 0.05]))
        """
        rng = np.random.default_rng(self.random_state)
        texts = _Texts(P, predicted, self)
        methods = self._methods(rng)
        shares = np.full(self._n_classes, 1 / self._n_classes)
        draws: list[FloatArray] = []
        right: list[float] = []
        for name in methods:
            weights = rng.standard_exponential(len(self.codes))
            extra = rng.gamma(EXTRA_SHAPE, EXTRA_SCALE, self._n_classes)
            ratios = self.ratios(name, texts, weights, extra)
            if not draws:
                shares = likeliest_shares(ratios, 50)
            for _ in range(N_PER_WEIGHT):
                until = np.cumsum(ratios * shares, axis=1)
                labels = (until < rng.random((len(P), 1)) * until[:, -1:]).sum(axis=1)
                counts = np.bincount(labels, minlength=self._n_classes)
                shares = rng.dirichlet(counts + 1.0)
                draws.append(shares if of_population else counts / len(P))
                right.append(float(np.mean(labels == predicted)))
        found = np.array(draws)
        return ShiftEstimate(
            found.mean(axis=0),
            [_interval(column) for column in found.T],
            float(np.mean(right)),
            _interval(np.array(right)),
            found,
        )

    def adjust(self, counts: FloatArray) -> FloatArray:
        """The shares of the classes, given how often each was predicted: adjusted counts alone,
        which take no time.

        >>> codes, predicted = np.repeat([0, 1], 100), np.repeat([0, 1, 0, 1], [90, 10, 10, 90])
        >>> shift = LabelShift(np.eye(2)[predicted], codes, predicted)
        >>> shift.adjust(np.array([74.0, 26.0])).round(2)
        array([0.8, 0.2])
        """
        every = _Texts(np.eye(self._n_classes), np.arange(self._n_classes), self)
        weights, extra = np.ones(len(self.codes)), np.full(self._n_classes, EXTRA)
        return likeliest_shares(self.ratios("counts", every, weights, extra), counts=counts)

    def _methods(self, rng: np.random.Generator) -> list[str]:
        """One for each time that texts are weighted, as often as its weight says, in any order."""
        ends = np.cumsum(list(self.weights.values())) * N_WEIGHTED
        times = np.diff(np.floor(ends + 0.5).astype(np.int64), prepend=0).tolist()
        listed = [name for name, n in zip(METHODS, times, strict=True) for _ in range(n)]
        return [listed[i] for i in rng.permutation(len(listed)).tolist()]

    def take(self, rows: IntArray) -> LabelShift:
        """The same by some of the texts held out."""
        return LabelShift(self.P[rows], self.codes[rows], self.predicted[rows])

    def ratios(
        self, method: str, texts: _Texts, weights: FloatArray, extra: FloatArray
    ) -> FloatArray:
        """r_ik of the texts by rows with weights, and with `extra` rows of each class that have
        nothing to say."""
        member = np.zeros((len(self.codes), self._n_classes))
        member[np.arange(len(self.codes)), self.codes] = weights
        size = member.sum(axis=0)
        if method == "em":
            known = np.maximum(size, LEAST * size.sum())
            ratios = texts.recalibrated(weights) * (size.sum() / known)
        else:
            similar = texts.similar(method, member)
            in_class = similar / np.maximum(size, LEAST)
            in_all = similar.sum(axis=1, keepdims=True) / size.sum()
            ratios = np.ones_like(in_class)
            np.divide(in_class, in_all, out=ratios, where=in_all > 0)
        return np.asarray((size * ratios + extra) / (size + extra))


class _Texts:
    """Texts, and those held out that they are compared with."""

    def __init__(self, P: FloatArray, predicted: IntArray, by: LabelShift) -> None:
        self.P, self.predicted, self.by = P, predicted, by
        self._kernels: dict[str, FloatArray] = {}

    def similar(self, method: str, member: FloatArray) -> FloatArray:
        """How many rows of each class are like each text."""
        if method == "counts":
            table = np.zeros((self.P.shape[1], member.shape[1]))
            np.add.at(table, self.by.predicted, member)
            return np.asarray(table[self.predicted])
        if method not in self._kernels:
            self._kernels[method] = _kernel(self.P, self.by.P, BANDWIDTH[method])
        return self._kernels[method] @ member

    def recalibrated(self, weights: FloatArray) -> FloatArray:
        """The probabilities of their classes."""
        a, c = _recalibration(self.by.P, self.by.codes, weights)
        return softmax(a * np.log(np.maximum(self.P, LEAST)) + c)


def _interval(draws: FloatArray) -> Interval:
    mean = draws.mean()
    return percentile_interval(np.clip(mean + SPREAD * (draws - mean), 0.0, 1.0))


def _kernel(P: FloatArray, Q: FloatArray, bandwidth: float) -> FloatArray:
    square = (P**2).sum(axis=1)[:, None] + (Q**2).sum(axis=1) - 2 * (P @ Q.T)
    return np.asarray(np.exp(-np.maximum(square, 0.0) / (2 * bandwidth**2)))


def _recalibration(P: FloatArray, codes: IntArray, weights: FloatArray) -> tuple[float, FloatArray]:
    """a and c of softmax(a log p + c) with the least log-loss; a prior holds them near 1 and 0.

    Reference: Alexandari, Kundaje and Shrikumar (2020), ICML: bias-corrected temperature scaling.
    """
    from scipy.optimize import minimize

    rows, n_classes = np.arange(len(codes)), P.shape[1]
    log_p = np.log(np.maximum(P, LEAST))
    w = weights * (len(codes) / weights.sum())

    def loss(parameters: FloatArray) -> tuple[float, FloatArray]:
        a, c = parameters[0], parameters[1:]
        Q = softmax(a * log_p + c)
        value = -(w * np.log(np.maximum(Q[rows, codes], LEAST))).sum()
        value += PENALTY / 2 * (5 * (a - 1) ** 2 + (c**2).sum())
        Q[rows, codes] -= 1
        Q *= w[:, None]
        slope = (Q * log_p).sum() + PENALTY * 5 * (a - 1)
        return float(value), np.append(slope, Q.sum(axis=0) + PENALTY * c)

    start = np.append(1.0, np.zeros(n_classes))
    found = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 50}).x
    return float(found[0]), np.asarray(found[1:])

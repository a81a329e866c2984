"""Calibration: from scores to reliable probabilities.

Each calibrator is fitted on rows that its classifier has not seen: scores z and the true class of
each row. z is one column, the score of class 1 against class 0, or one column per class; of two
columns only the difference counts. Probabilities have one column per class.

    Temperature       P = softmax(z / T): one number for all classes, the best class stays the best
    PowerTemperature  P = softmax(-d^p / T), d_k = max_j z_j - z_k, with p < 1 for scores that grow
                      faster than the evidence; p = 1 is Temperature
    Platt             p_k = 1 / (1 + exp(-(a_k m_k + b_k))), divided by their sum
    Isotonic          p_k = a non-decreasing piecewise linear function of m_k fitted by least
                      squares, divided by their sum; needs a thousand rows or more

m_k = z_k - max_{j != k} z_j is the margin of class k over its best rival; with two classes, plus or
minus their difference. The scores alone are not enough: a number that is added to all scores of a
row, such as a log-likelihood that grows with the length of the text, says nothing about its class.
On 8,000 posts of 20 newsgroups, with a linear SVM on tf-idf, m instead of z reduced the calibration
error of Platt from 10 % to 3 %; with naive Bayes, z was useless (accuracy 8 % instead of 83 %).

Targets are never exactly 0 or 1, so that scores that separate the classes perfectly do not yield
probabilities of 0 and 1. Platt and Isotonic have Platt's targets, (n_pos + 1) / (n_pos + 2) and
1 / (n_neg + 2); Temperature gives 1 / (n + 2) of each row's target to the other classes.

References: Platt (1999); Lin, Lin and Weng (2007), Machine Learning 68; Zadrozny and Elkan
(2002), KDD; Guo et al. (2017), ICML; Ayer et al. (1955) for pool-adjacent-violators.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.common.frozen import frozen
from wordplane.common.types import FloatArray, IntArray, JsonObject, LabelsLike, WeightsLike
from wordplane.common.weights import as_weights
from wordplane.evaluation.arrays import as_floats
from wordplane.evaluation.solvers import (
    fit_isotonic,
    fit_sigmoid,
    increasing_root,
    sigmoid,
    weighted_mean,
)

POWERS = (1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1)
MAX_POINTS = 1_000_000  # of one class of an isotonic calibrator that is read from a file


@frozen
class Temperature:
    """softmax(z / temperature).

    >>> z = [[2.0, 0.0], [2.0, 0.0], [2.0, 0.0], [0.0, 2.0]]
    >>> calibrator = Temperature.fit(z, [0, 0, 1, 1])  # equally confident, and wrong once in four
    >>> calibrator.transform([[2.0, 0.0]]).round(2)
    array([[0.67, 0.33]])
    """

    n_classes: int
    temperature: float

    @classmethod
    def fit(cls, z: ArrayLike, y: LabelsLike, weights: WeightsLike = None) -> "Temperature":
        """Minimize the log-loss over 1 / T, in which it is convex, by Newton's method."""
        Z, codes, w = _check(z, y, weights)
        Z = Z if Z.ndim == 2 else np.column_stack([np.zeros(len(Z)), Z])
        n_classes = Z.shape[1]
        Z = Z - Z.max(axis=1, keepdims=True)
        # The expected score under the smoothed target of each row.
        own, others = Z[np.arange(len(Z)), codes], Z.sum(axis=1)
        smoothing = 1 / (w.sum() + 2)
        target = (1 - smoothing) * own + smoothing * (others - own) / (n_classes - 1)
        spread = -float(np.average(Z.mean(axis=1), weights=w))
        if spread < 1e-100:  # all classes of a row score the same: any temperature will do
            return cls(n_classes, 1.0)

        def slope(inverse: float) -> tuple[float, float]:
            """First and second derivative of the mean loss with respect to 1 / T."""
            P = softmax(inverse * Z)
            mean = (P * Z).sum(axis=1)
            variance = (P * Z * Z).sum(axis=1) - mean * mean
            return weighted_mean(mean - target, w), weighted_mean(variance, w)

        return cls(n_classes, 1 / increasing_root(slope, 1e-6 / spread, 1e6 / spread))

    def transform(self, z: ArrayLike) -> FloatArray:
        """Probabilities, one column per class."""
        return _power_softmax(z, self.n_classes, 1.0, self.temperature)

    def to_dict(self) -> JsonObject:
        """As a JSON-serializable dictionary."""
        return {
            "kind": "temperature",
            "n_classes": self.n_classes,
            "temperature": self.temperature,
        }

    @classmethod
    def from_dict(cls, data: JsonObject) -> "Temperature":
        """The inverse of `to_dict`; the data are checked."""
        n_classes = read_header(data, "temperature", {"temperature"})
        (temperature,) = read_numbers([data["temperature"]], "temperature", 1)
        if not temperature > 0:
            raise InputError(f"calibration: the temperature is {temperature}, expected above 0")
        return cls(n_classes, float(temperature))


@frozen
class PowerTemperature:
    """softmax(-d^power / temperature), where d_k = max_j z_j - z_k is the distance to the best.

    Naive Bayes adds up words as if they were independent, so the scores of long texts are far too
    confident; d^p with p < 1 corrects this, and never changes which class is best.

    >>> z = np.repeat([0.5, 2.0, 8.0, 32.0], 100)  # right 60, 70, 80 and 90 times of 100
    >>> y = np.concatenate([np.arange(100) < right for right in (60, 70, 80, 90)]).astype(int)
    >>> calibrator = PowerTemperature.fit(z, y)
    >>> calibrator.power
    0.4
    >>> calibrator.transform([0.5, 2.0, 8.0, 32.0])[:, 1].round(2)
    array([0.61, 0.68, 0.79, 0.91])
    """

    n_classes: int
    temperature: float
    power: float

    @classmethod
    def fit(cls, z: ArrayLike, y: LabelsLike, weights: WeightsLike = None) -> "PowerTemperature":
        """The best temperature for each power; a power other than 1 must gain a nat in total."""
        Z, codes, w = _check(z, y, weights)
        trials = []
        for power in POWERS:
            powers = _signed_power(Z, power)
            temperature = Temperature.fit(powers, codes, w).temperature
            x = powers / temperature
            P = (_two_columns(x) if x.ndim == 1 else softmax(x))[np.arange(len(codes)), codes]
            loss = -float((w * np.log(np.maximum(P, np.finfo(float).tiny))).sum())
            penalty = 0.0 if power == 1.0 else 1.0
            trials.append((loss + penalty, cls(_n_classes(Z), temperature, power)))
        return min(trials, key=lambda trial: trial[0])[1]

    def transform(self, z: ArrayLike) -> FloatArray:
        """Probabilities, one column per class."""
        return _power_softmax(z, self.n_classes, self.power, self.temperature)

    def to_dict(self) -> JsonObject:
        """As a JSON-serializable dictionary."""
        values = {"temperature": self.temperature, "power": self.power}
        return {"kind": "power", "n_classes": self.n_classes, **values}

    @classmethod
    def from_dict(cls, data: JsonObject) -> "PowerTemperature":
        """The inverse of `to_dict`; the data are checked."""
        n_classes = read_header(data, "power", {"temperature", "power"})
        numbers = [data["temperature"], data["power"]]
        temperature, power = read_numbers(numbers, "temperature and power", 2).tolist()
        if not (temperature > 0 and 0 < power <= 1):
            raise InputError(
                f"calibration: the temperature is {temperature} and the power {power}, expected "
                "both above 0 and the power at most 1"
            )
        return cls(n_classes, temperature, power)


@dataclass(frozen=True, eq=False)
class Platt:
    """One sigmoid per class, a single one for two classes: 1 / (1 + exp(-(a m + b))).

    >>> calibrator = Platt.fit([-2.0, -1.0, 1.0, 2.0, 3.0, -3.0], [0, 0, 1, 1, 1, 0])
    >>> calibrator.transform([-3.0, 0.0, 3.0]).round(2)
    array([[0.87, 0.13],
           [0.5 , 0.5 ],
           [0.13, 0.87]])
    """

    n_classes: int
    a: FloatArray
    b: FloatArray

    @classmethod
    def fit(cls, z: ArrayLike, y: LabelsLike, weights: WeightsLike = None) -> "Platt":
        """Maximize the likelihood of Platt's targets by Newton's method, class by class."""
        Z, codes, w = _check(z, y, weights)
        columns = [fit_sigmoid(column, is_class, w) for column, is_class in _one_vs_rest(Z, codes)]
        a, b = (np.array(values) for values in zip(*columns, strict=True))
        return cls(_n_classes(Z), a, b)

    def transform(self, z: ArrayLike) -> FloatArray:
        """Probabilities, one column per class."""
        return _core.platt(_rows(_scores(z, self.n_classes)), self.a, self.b)

    def to_dict(self) -> JsonObject:
        """As a JSON-serializable dictionary."""
        values = {"a": self.a.tolist(), "b": self.b.tolist()}
        return {"kind": "platt", "n_classes": self.n_classes, **values}

    @classmethod
    def from_dict(cls, data: JsonObject) -> "Platt":
        """The inverse of `to_dict`; the data are checked."""
        n_classes = read_header(data, "platt", {"a", "b"})
        n_columns = 1 if n_classes == 2 else n_classes
        a, b = (read_numbers(data[name], name, n_columns) for name in ("a", "b"))
        return cls(n_classes, a, b)


@dataclass(frozen=True, eq=False)
class Isotonic:
    """One piecewise linear function per class, a single one for two classes; flat outside.

    >>> calibrator = Isotonic.fit([1.0, 2.0, 3.0, 4.0], [0, 1, 0, 1])
    >>> calibrator.x, calibrator.p
    ((array([1., 2., 3., 4.]),), (array([0.25, 0.5 , 0.5 , 0.75]),))
    >>> calibrator.transform([0.0, 1.6])
    array([[0.75, 0.25],
           [0.6 , 0.4 ]])
    """

    n_classes: int
    x: tuple[FloatArray, ...]
    p: tuple[FloatArray, ...]

    @classmethod
    def fit(cls, z: ArrayLike, y: LabelsLike, weights: WeightsLike = None) -> "Isotonic":
        """Fit each class by pooling adjacent violators."""
        Z, codes, w = _check(z, y, weights)
        lines = [fit_isotonic(column, is_class, w) for column, is_class in _one_vs_rest(Z, codes)]
        x, p = zip(*lines, strict=True)
        return cls(_n_classes(Z), x, p)

    def transform(self, z: ArrayLike) -> FloatArray:
        """Probabilities, one column per class."""
        return _core.isotonic(_rows(_scores(z, self.n_classes)), list(self.x), list(self.p))

    def to_dict(self) -> JsonObject:
        """As a JSON-serializable dictionary."""
        values = {"x": [x.tolist() for x in self.x], "p": [p.tolist() for p in self.p]}
        return {"kind": "isotonic", "n_classes": self.n_classes, **values}

    @classmethod
    def from_dict(cls, data: JsonObject) -> "Isotonic":
        """The inverse of `to_dict`; the data are checked."""
        n_classes = read_header(data, "isotonic", {"x", "p"})
        n_columns = 1 if n_classes == 2 else n_classes
        lines = []
        for x_values, p_values in zip(
            *(_read_list(data[name], name, n_columns) for name in ("x", "p")), strict=True
        ):
            x = read_numbers(x_values, "x", None)
            p = read_numbers(p_values, "p", len(x))
            if (np.diff(x) <= 0).any() or (np.diff(p) < 0).any() or p[0] < 0 or p[-1] > 1:
                raise InputError("calibration: the points of an isotonic function do not increase")
            lines.append((x, p))
        x_lines, p_lines = zip(*lines, strict=True)
        return cls(n_classes, x_lines, p_lines)


@frozen
class LogProbabilities:
    """exp(z), of scores that are logarithms already, as those of models of fastText. Probabilities
    of a row need not sum to 1, and nothing is fitted.

    >>> LogProbabilities(2).transform(np.log([[0.5, 0.75]]))
    array([[0.5 , 0.75]])
    """

    n_classes: int

    def transform(self, z: ArrayLike) -> FloatArray:
        """Probabilities, one column per class."""
        Z = as_floats(z, "the scores", n_dims=2)
        if Z.shape[1] != self.n_classes:
            raise InputError(f"scores of {Z.shape[1]} classes, expected {self.n_classes}")
        return np.asarray(np.exp(np.minimum(Z, 0.0)))

    def to_dict(self) -> JsonObject:
        """As a JSON-serializable dictionary."""
        return {"kind": "logarithms", "n_classes": self.n_classes}

    @classmethod
    def from_dict(cls, data: JsonObject) -> "LogProbabilities":
        """The inverse of `to_dict`; the data are checked."""
        return cls(read_header(data, "logarithms", set()))


FittedCalibrator = Temperature | PowerTemperature | Platt | Isotonic
Calibrator = FittedCalibrator | LogProbabilities
CALIBRATORS: dict[str, type[FittedCalibrator]] = {
    "temperature": Temperature,
    "power": PowerTemperature,
    "platt": Platt,
    "isotonic": Isotonic,
}


def calibrator_from_dict(data: JsonObject) -> Calibrator:
    """The calibrator that `to_dict` describes; anything else is an error.

    >>> calibrator_from_dict({"kind": "temperature", "n_classes": 3, "temperature": 1.5})
    Temperature(n_classes=3, temperature=1.5)
    """
    kind = data.get("kind") if isinstance(data, dict) else None
    kinds: dict[str, type[Calibrator]] = {**CALIBRATORS, "logarithms": LogProbabilities}
    if not isinstance(kind, str) or kind not in kinds:
        raise InputError(f"calibration: the kind is {kind!r}, expected one of {', '.join(kinds)}")
    return kinds[kind].from_dict(data)


def _power_softmax(z: ArrayLike, n_classes: int, power: float, temperature: float) -> FloatArray:
    """softmax(-d^power / temperature) in native code, which is fast for a single row too."""
    Z = np.asarray(z)
    if Z.dtype != np.float64 or Z.ndim > 2 or _n_classes(Z) != n_classes:
        Z = _scores(z, n_classes)  # converted, or an error
    try:
        return _core.power_softmax(Z, power, temperature)
    except ValueError as error:
        raise InputError(str(error)) from None


def softmax(Z: FloatArray) -> FloatArray:
    """exp(z_k) / sum_j exp(z_j) of each row.

    >>> softmax(np.array([[1000.0, 1000.0]]))
    array([[0.5, 0.5]])
    """
    E = np.exp(Z - Z.max(axis=1, keepdims=True))
    return np.asarray(E / E.sum(axis=1, keepdims=True))


def margins(Z: FloatArray) -> FloatArray:
    """The margin of each class over its best rival: z_k - max_{j != k} z_j.

    >>> margins(np.array([[5.0, 3.0, 1.0]]))
    array([[ 2., -2., -4.]])
    """
    ordered = np.partition(Z, -2, axis=1)
    second, first = ordered[:, -2:-1], ordered[:, -1:]
    is_best = np.arange(Z.shape[1]) == Z.argmax(axis=1)[:, None]
    return np.asarray(Z - np.where(is_best, second, first))


def _signed_power(Z: FloatArray, power: float) -> FloatArray:
    """sign(z) |z|^power for two classes, otherwise -d^power."""
    if Z.ndim == 1:
        return np.sign(Z) * np.abs(Z) ** power
    return np.asarray(-((Z.max(axis=1, keepdims=True) - Z) ** power))


def _one_vs_rest(Z: FloatArray, codes: IntArray) -> list[tuple[FloatArray, NDArray[np.bool_]]]:
    if Z.ndim == 1:
        return [(Z, codes == 1)]
    M = margins(Z)
    return [(M[:, k], codes == k) for k in range(Z.shape[1])]


def _two_columns(z: FloatArray) -> FloatArray:
    return np.column_stack([sigmoid(-z), sigmoid(z)])


def normalize(P: FloatArray) -> FloatArray:
    """Divide rows by their sums; in a row of zeros, all classes are equally probable."""
    total = P.sum(axis=1, keepdims=True)
    uniform = np.full_like(P, 1 / P.shape[1])
    return np.asarray(np.divide(P, total, out=uniform, where=total > 0))


def _rows(Z: FloatArray) -> FloatArray:
    """Scores as rows, also those of one column."""
    return np.ascontiguousarray(Z[:, None] if Z.ndim == 1 else Z)


def _n_classes(Z: FloatArray) -> int:
    return 2 if Z.ndim == 1 else Z.shape[1]


def _scores(z: ArrayLike, n_classes: int | None = None) -> FloatArray:
    """The checked scores: one column for two classes, otherwise one per class."""
    Z = np.asarray(z)
    Z = as_floats(z, "the scores", n_dims=2 if Z.ndim == 2 else 1)
    if Z.size > 0 and np.abs(Z).max() > 1e100:
        raise InputError(
            f"a score has the absolute value {np.abs(Z).max():g}, expected at most 1e100"
        )
    n_scored = _n_classes(Z)
    if n_scored < 2 or (n_classes is not None and n_scored != n_classes):
        expected = "at least 2" if n_classes is None else n_classes
        raise InputError(f"there are scores of {n_scored} classes, expected {expected}")
    return Z[:, 1] - Z[:, 0] if Z.ndim == 2 and n_scored == 2 else Z


def _check(
    z: ArrayLike, y: LabelsLike, weights: WeightsLike
) -> tuple[FloatArray, IntArray, FloatArray]:
    Z, codes = _scores(z), np.asarray(y)
    n_classes = _n_classes(Z)
    if codes.ndim != 1 or codes.dtype.kind not in "biu" or len(codes) != len(Z) or len(Z) == 0:
        raise InputError(
            f"y has the shape {codes.shape} and the type {codes.dtype}, expected the class number "
            f"of each of the {len(Z):,} rows, and at least one row"
        )
    codes = codes.astype(np.int64)
    if codes.min() < 0 or codes.max() >= n_classes:
        raise InputError(
            f"y contains {codes.min()} to {codes.max()}, expected 0 to {n_classes - 1}"
        )
    return Z, codes, as_weights(weights, len(Z))


def read_header(data: JsonObject, kind: str, fields: set[str], min_classes: int = 2) -> int:
    """Check the fields of a stored calibrator, and return its number of classes."""
    if not isinstance(data, dict) or set(data) != {"kind", "n_classes"} | fields:
        raise InputError(f"calibration: expected kind, n_classes and {', '.join(sorted(fields))}")
    n_classes = data["n_classes"]
    if data["kind"] != kind or type(n_classes) is not int or n_classes < min_classes:
        raise InputError(
            f"calibration: found {data['kind']!r} of {n_classes!r} classes, expected "
            f"{kind!r} of {min_classes} or more"
        )
    return n_classes


def _read_list(values: object, name: str, length: int) -> list[object]:
    if not isinstance(values, list) or len(values) != length:
        raise InputError(f"calibration: {name} is not a list of {length} lists")
    return values


def read_numbers(values: object, name: str, length: int | None) -> FloatArray:
    """A list of finite numbers, of this length if it is known."""
    if not isinstance(values, list) or not all(type(v) in (int, float) for v in values):
        raise InputError(f"calibration: {name} is not a list of numbers")
    if not 1 <= len(values) <= MAX_POINTS or length not in (None, len(values)):
        raise InputError(f"calibration: {name} has {len(values)} numbers, expected {length}")
    try:
        array = np.array(values, dtype=np.float64)
    except OverflowError:
        raise InputError(f"calibration: {name} contains an integer with too many digits") from None
    if not np.isfinite(array).all():
        raise InputError(f"calibration: {name} contains NaN or infinity")
    return array

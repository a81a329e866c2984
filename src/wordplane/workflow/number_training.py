"""Train a model that predicts numbers: measure it on rows held out, fit it on all rows, save it."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path

import numpy as np

from wordplane.common.errors import InputError
from wordplane.common.estimator import parameter_defaults
from wordplane.common.files import size_text
from wordplane.common.groups import take_groups
from wordplane.common.types import FloatArray, IntArray, JsonObject
from wordplane.data.corpus import Corpus
from wordplane.evaluation.number_intervals import NumberIntervals
from wordplane.evaluation.number_scores import NumberScores, figure
from wordplane.model.fingerprint import fingerprint
from wordplane.model.recipe import unsuited_parameters
from wordplane.model.regressor import TextRegressor, suited_analyzer
from wordplane.text.analyzer import Analyzer
from wordplane.text.documents import Documents
from wordplane.workflow.inputs import LabeledData, training_rows
from wordplane.workflow.numbers import read_numbers
from wordplane.workflow.result import Line, Result, number_lines
from wordplane.workflow.spec import AnalyzerLike, column_parameters

PARAMETERS = ("loss", "alpha", "quantile")
LEVEL = 0.9  # of the interval that is shown
# What else `train` can be told, and what it is if nobody does.
OF_LABELS: dict[str, object] = {
    "learner": None, "metric": None, "require": None, "chain": False, "tune": False,
    "budget": None, "resumable": False, "max_size": None, "calibrator": "power", "label": None,
    "label_separator": None, "skip_unlabeled": False, "blocks": None, "resume": False,
    "scratch": None, "dask": None,
}  # fmt: skip


@dataclass(frozen=True, repr=False)
class NumberTrainingResult(Result):
    """A model that predicts numbers, how good it is, and what it was trained on.

    model      the regressor, trained on all training rows
    target     the column that it predicts
    tested_on  which texts the scores were measured on, and by which model
    scores     None if nothing was measured
    path       where the model was saved; None if it was not
    """

    model: TextRegressor = field(repr=False)
    source: str
    notes: tuple[str, ...]
    target: str
    n_rows: int
    n_train: int
    lowest: float
    highest: float
    median: float
    tested_on: str
    scores: NumberScores | None
    n_features: int
    path: str | None
    model_bytes: int | None

    def to_dict(self) -> JsonObject:
        """The numbers as JSON can hold them."""
        names = ("target", "n_rows", "n_train", "lowest", "highest", "median", "tested_on")
        return {
            "source": self.source,
            "notes": list(self.notes),
            **{name: getattr(self, name) for name in names},
            "n_test": 0 if self.scores is None else self.scores.n,
            "scores": None if self.scores is None else self.scores.to_dict(),
            "chosen": self.model.training_.chosen,
            "n_features": self.n_features,
            "model": self.path,
            "model_bytes": self.model_bytes,
        }

    def _lines(self) -> list[Line]:
        span = f"{figure(self.lowest)} to {figure(self.highest)}, median {figure(self.median)}"
        source = self.source or "texts given in Python"
        lines = [("read", f"{source}: {self.n_rows:,} texts, {self.target!r} from {span}")]
        if self.scores is None:
            lines.append(("tested", self.tested_on))
        else:
            lines.append(("tested", f"on {self.scores.n:,} texts {self.tested_on}"))
            lines += number_lines(self.scores)
        lines += interval_lines(self.model)
        chosen = ", ".join(
            f"{name} {value:.3g}"
            for name, value in self.model.training_.chosen.items()
            if isinstance(value, float)
        )
        saved = f"{self.n_features:,} features"
        if self.path is not None and self.model_bytes is not None:
            saved = f"{self.path} ({size_text(self.model_bytes)}, {saved})"
        how = f"{self.model.loss} loss, {chosen}"
        return [*lines, ("model", f"{saved}, trained on {self.n_train:,} texts ({how})")]


def interval_lines(model: TextRegressor) -> list[Line]:
    """How wide intervals are."""
    intervals = model.model_.calibrator
    assert isinstance(intervals, NumberIntervals)
    low, high = intervals.margins(LEVEL)
    if not np.isfinite(high):
        return []
    within = f"within {figure(low, '+')} to {figure(high, '+')} of the prediction"
    text = f"{LEVEL:.0%} of new texts {within}"
    return [("interval", text)]


def train_numbers(
    given: LabeledData,
    target: str,
    options: Mapping[str, object],
    *,
    output: str | PathLike[str] | None,
) -> NumberTrainingResult:
    """Learn to predict the numbers of a column; `options` are those of `train`."""
    _refuse_options(options)
    corpus, y = read_numbers(given, target)
    if given.groups is not None:
        raise InputError("`groups` go with texts in Python: name a column with `group`")
    rows = training_rows(corpus)
    weights = None if corpus.weights is None else corpus.weights[rows]
    model = _regressor(corpus, options)
    model.fit(corpus.take(rows), y[rows], weights, groups=take_groups(corpus.groups, rows))
    tested_on, scores = _measure(model, corpus, y, rows, test=options.get("test", True) is True)
    model.model_.training = replace(
        model.training_,
        seed=model.random_state,
        source=Path(corpus.source).name,
        text_columns=corpus.text_columns,
        label_column=target,
        file_style=corpus.file_style,
        fingerprint=fingerprint(corpus.texts, rows),
        tested_on=tested_on,
        scores=scores,
    )
    if output is not None:
        model.save(output)
    return NumberTrainingResult(
        model=model,
        source=corpus.source,
        notes=corpus.notes,
        target=target,
        n_rows=len(corpus),
        n_train=len(rows),
        lowest=float(y[rows].min()),
        highest=float(y[rows].max()),
        median=float(np.median(y[rows])),
        tested_on=tested_on,
        scores=scores,
        n_features=model.n_features,
        path=None if output is None else str(output),
        model_bytes=None if output is None else Path(output).stat().st_size,
    )


def _refuse_options(options: Mapping[str, object]) -> None:
    for name, default in OF_LABELS.items():
        if options.get(name, default) != default:
            raise InputError(f"`target` predicts numbers, and `{name}` is for labels: leave it out")


def _regressor(corpus: Corpus, options: Mapping[str, object]) -> TextRegressor:
    """A regressor for a corpus, as the options say."""
    params = options.get("params") or {}
    assert isinstance(params, Mapping)
    unknown = [name for name in params if name not in PARAMETERS]
    if unknown:
        known = ", ".join(PARAMETERS)
        raise InputError(f"`params`: with `target` there is no parameter {unknown[0]}, but {known}")
    calibration = "holdout" if options.get("test", True) else None
    if options.get("calibration", "holdout") is None:
        calibration = None
    defaults = parameter_defaults(TextRegressor)
    return TextRegressor(
        _analyzer(corpus, options.get("analyzer")),  # type: ignore[arg-type]
        calibration=calibration,
        n_jobs=options.get("n_jobs"),  # type: ignore[arg-type]
        random_state=options.get("random_state", 0),  # type: ignore[arg-type]
        **{name: params.get(name, defaults[name]) for name in PARAMETERS},
    )


def _analyzer(corpus: Corpus, given: AnalyzerLike) -> Analyzer | None:
    """What is given, or changed in what suits the texts."""
    changes = {} if given is None or isinstance(given, Analyzer) else dict(given)
    changes |= column_parameters(corpus)
    if not changes:
        return given if isinstance(given, Analyzer) else None
    if isinstance(given, Analyzer):
        analyzer = given
    else:
        analyzer = suited_analyzer(Documents(corpus.texts))
        changes = {**unsuited_parameters(changes), **changes}
    return Analyzer(**analyzer.get_params(deep=False)).set_params(**changes)


def _measure(
    model: TextRegressor, corpus: Corpus, y: FloatArray, train: IntArray, *, test: bool
) -> tuple[str, NumberScores | None]:
    """How good the model is, on rows marked test or dev, or else on those held out."""
    for part in ("test", "dev"):
        rows = corpus.split_rows(part)
        if test and len(rows) > 0:
            found = _score(model.predict(corpus.take(rows)), corpus, y, rows)
            return f"marked {part}, never trained on", found
    held_out = model.holdout_
    if held_out is None:
        return "not tested", None
    if held_out.folds:
        how = (
            f"in {held_out.folds} folds, each by a model trained on the other {held_out.folds - 1}"
        )
    else:
        which = "held out" if corpus.groups is None else "held out in whole groups"
        which = which if corpus.times is None else "that are the latest"
        how = f"{which}, by a model trained on the other {len(train) - len(held_out.rows):,}"
    return how, _score(held_out.predicted, corpus, y, train[held_out.rows])


def _score(z: FloatArray, corpus: Corpus, y: FloatArray, rows: IntArray) -> NumberScores:
    return NumberScores.of(y[rows], z, groups=take_groups(corpus.groups, rows))

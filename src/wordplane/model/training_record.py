"""How a model was made: the record that its file keeps.

The record is JSON in the file. Every value is checked when it is read; keys that this version does
not know are left out. The analyzer is stored once, beside the record, as part of the features.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, field, fields, replace
from typing import TYPE_CHECKING, Self

import numpy as np

import wordplane
from wordplane.common.errors import InputError
from wordplane.common.frozen import frozen
from wordplane.common.types import JsonObject
from wordplane.data.encoding import check_encoding
from wordplane.evaluation.label_scores import ClassScores, Scores
from wordplane.evaluation.requirements import is_requirement
from wordplane.learners.describing import describe, from_description
from wordplane.learners.support.base import LinearClassifier
from wordplane.learners.support.protocols import ChoosesParameters, RecordsRounds

if TYPE_CHECKING:
    from wordplane.evaluation.number_scores import NumberScores
    from wordplane.evaluation.set_scores import SetScores

MAX_NUMBER = 1e300
GUARANTEE = {"threshold", "n_rows", "n_label", "n_given", "n_right"}
LOSSES = {"log_loss", "log_loss_without"}
VECTOR_FOLDS = (
    set[str](),
    {"accuracy", "accuracy_without", *LOSSES},
    {"f1", "f1_without", *LOSSES},
)
_LISTS = ("rounds", "shift", "boundary", "true_probabilities")  # left out of the file if empty


@frozen
class Training:
    """What a model was trained by and on, and how good it was.

    learner       name and parameters of the learner, as `describing.describe` gives them
    n_docs        the number of texts that it learned from
    n_unlabeled   the number of texts without labels among what it learned from, not in n_docs
    pretrained    the name of the file whose word vectors it uses, if any
    vector_folds  accuracy (or F1 of the rarer class) and log loss by folds, with and without word
                  vectors, if that decided whether to use them
    race          what was tried and chosen by folds, if the analyzer and the learner were (see
                  `wordplane.model.race`)
    chosen        parameters that the learner chose while it was fitted, such as alpha
    seed          the seed of hold-out, folds and learner
    source        the name of the data, without its folder
    text_columns, label_column   where texts and labels stand in that data
    file_style    how its file is written, where that is unusual (see `Corpus`)
    metric        the metric that labels are decided for, or what is required of them, if anything
    shift         what was added to the biases for that
    boundary      what was added to the biases as few texts asked for (see `boundary`)
    guarantee     what rows held out show of what is required (see `evaluation.requirements`)
    true_probabilities  of rows held out, the probability of their label (at most 1,000 of them)
    least_known   a text of which a smaller share of the words is known is unfamiliar
    fingerprint   a short hash of the texts (see `fingerprint`)
    tested_on     which texts the scores were measured on, and by which model
    scores        how good it was there
    edits         the features that were forbidden, pinned and capped (see `editing`), if any
    rounds        what was measured in each round of training, of learners that learn in rounds
    versions      of Wordplane, Python and NumPy
    """

    learner: JsonObject | None = None
    n_docs: int | None = None
    n_unlabeled: int = 0
    pretrained: str = ""
    vector_folds: JsonObject = field(default_factory=dict)
    race: JsonObject = field(default_factory=dict)
    chosen: JsonObject = field(default_factory=dict)
    seed: int | None = None
    source: str | None = None
    text_columns: tuple[str, ...] = ()
    label_column: str | None = None
    file_style: dict[str, str] = field(default_factory=dict)
    metric: str | None = None
    shift: tuple[float, ...] = ()
    boundary: tuple[float, ...] = ()
    guarantee: JsonObject = field(default_factory=dict)
    true_probabilities: tuple[float, ...] = ()
    least_known: float = 0.0
    fingerprint: str | None = None
    tested_on: str | None = None
    scores: Scores | SetScores | NumberScores | None = None
    edits: JsonObject = field(default_factory=dict)
    rounds: tuple[dict[str, float], ...] = ()
    versions: JsonObject = field(default_factory=dict)

    @classmethod
    def by(cls, learner: LinearClassifier, fitted: LinearClassifier, n_docs: int) -> Self:
        """The record of a learner that was fitted on so many texts."""
        import platform

        versions: JsonObject = {
            "wordplane": wordplane.__version__,
            "python": platform.python_version(),
            "numpy": np.__version__,
        }
        try:
            described = describe(learner)
        except InputError:  # such as a parameter that is a function
            described = {"text": repr(learner)}
        return cls(
            described,
            n_docs,
            chosen=fitted.chosen_parameters() if isinstance(fitted, ChoosesParameters) else {},
            rounds=tuple(fitted.rounds()) if isinstance(fitted, RecordsRounds) else (),
            versions=versions,
        )

    def make_learner(self) -> LinearClassifier | None:
        """A new learner such as the one that made the model; None if the record has not enough."""
        if self.learner is None:
            return None
        try:
            return from_description(self.learner)
        except InputError:
            return None

    def why_not_refit(self) -> str:
        """Why a model like this one cannot be fitted to other texts; empty if one can."""
        if self.n_unlabeled:
            return "it learned from texts without labels too"
        if self.pretrained:
            return "it uses pretrained word vectors, which its file does not have"
        if is_requirement(self.metric):
            return (
                "what was shown of its requirement would no longer hold; train it without `require`"
            )
        if self.make_learner() is None:
            return f"its file does not say how to make its learner again ({self.learner_text})"
        return ""

    @property
    def learner_text(self) -> str:
        """The learner as Python code, such as LinearSVM(C=3)."""
        if self.learner is None:
            return "unknown"
        learner = self.make_learner()
        return str(self.learner.get("text", "unknown")) if learner is None else repr(learner)

    def resume(self, n_docs: int) -> Training:
        """The record of a model after more texts (or fewer); its old scores say nothing of it."""
        n_all = max((self.n_docs or 0) + n_docs, 0)
        return replace(self, n_docs=n_all, tested_on=None, scores=None, rounds=())

    def to_dict(self) -> JsonObject:
        """The record as JSON can hold it."""
        # The name of a file need not be valid Unicode.
        source = None if self.source is None else self.source.encode(errors="replace").decode()
        record = {**asdict(self), "text_columns": list(self.text_columns), "source": source}
        record |= {name: list(record[name]) for name in _LISTS}
        plain = (
            "race", "metric", "guarantee", "least_known", "edits", "file_style", "pretrained"
        )  # fmt: skip
        unset = {name for name in (*plain, *_LISTS) if not record[name]}
        return {name: value for name, value in record.items() if name not in unset}

    @classmethod
    def from_dict(cls, record: Mapping[str, object]) -> Self:
        """The record from JSON; an InputError names what is wrong with it."""
        known = {f.name: record[f.name] for f in fields(cls) if f.name in record}
        for name, value in known.items():
            if not _EXPECTED[name](value):
                raise InputError(f"the training record has {name} {value!r:.60}")
        columns, scores = known.get("text_columns", ()), known.get("scores")
        known["text_columns"] = tuple(columns)  # type: ignore[arg-type]
        known |= {name: tuple(known.get(name, ())) for name in _LISTS}  # type: ignore[arg-type]
        known["scores"] = None if scores is None else _scores(scores)
        return cls(**known)  # type: ignore[arg-type]


def _is_text(value: object) -> bool:
    return value is None or isinstance(value, str)


def _is_count(value: object) -> bool:
    return type(value) is int and value >= 0


def _is_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _is_plain(value: object) -> bool:
    return isinstance(value, dict) and all(
        isinstance(v, str | bool) or _is_number(v) for v in value.values()
    )


def _is_style(value: object) -> bool:
    """Whether files could be read so: a text encoding, one character, a name."""
    if not isinstance(value, dict) or not all(isinstance(each, str) for each in value.values()):
        return False
    try:
        check_encoding(value.get("encoding", "utf-8"))
    except InputError:
        return False
    delimiter = value.get("delimiter", ",")
    known = set(value) <= {"encoding", "delimiter", "sheet", "header", "label_separator"}
    return known and len(delimiter) == 1 and delimiter not in '"\r\n'


def _is_edits(value: object) -> bool:
    if value == {}:
        return True
    if not isinstance(value, dict) or set(value) != {"forbid", "pin", "cap"}:
        return False
    weights = (value["pin"], value["cap"])
    are_weights = all(isinstance(each, dict) and _is_plain_numbers(each) for each in weights)
    return are_weights and _is_texts(value["forbid"])


def _is_plain_numbers(values: dict[str, object]) -> bool:
    return all(map(_is_number, values.values()))


def _is_race(value: object) -> bool:
    if value == {}:
        return True
    if not isinstance(value, dict) or set(value) != {"chosen", "n_texts", "accuracy", "left_out"}:
        return False
    accuracy = value["accuracy"]
    return (
        isinstance(accuracy, dict)
        and _is_plain_numbers(accuracy)
        and value["chosen"] in accuracy
        and _is_count(value["n_texts"])
        and _is_texts(value["left_out"])
    )


def _is_rounds(value: object) -> bool:
    return isinstance(value, list) and all(
        isinstance(row, dict) and all(map(_is_number, row.values())) for row in value
    )


def _is_numbers(value: object) -> bool:
    return isinstance(value, list) and all(map(_is_number, value))


def _is_object(value: object) -> bool:
    return value is None or isinstance(value, dict)


_EXPECTED = {
    "guarantee": lambda value: (
        isinstance(value, dict)
        and set(value) in (set(), GUARANTEE)
        and all(map(_is_number, value.values()))
    ),
    "edits": _is_edits,
    "learner": _is_object,
    "n_docs": lambda value: value is None or _is_count(value),
    "n_unlabeled": _is_count,
    "pretrained": lambda value: isinstance(value, str),
    "vector_folds": lambda value: (
        isinstance(value, dict)
        and set(value) in VECTOR_FOLDS
        and all(map(_is_number, value.values()))
    ),
    "race": _is_race,
    "chosen": _is_plain,
    "seed": lambda value: value is None or type(value) is int,
    "source": _is_text,
    "text_columns": _is_texts,
    "label_column": _is_text,
    "file_style": _is_style,
    "metric": _is_text,
    "shift": _is_numbers,
    "boundary": _is_numbers,
    "true_probabilities": _is_numbers,
    "least_known": lambda value: _is_number(value) and 0 <= value <= 1,
    "fingerprint": _is_text,
    "tested_on": _is_text,
    "scores": _is_object,
    "rounds": _is_rounds,
    "versions": _is_plain,
}


def _scores(record: object) -> Scores | SetScores | NumberScores:
    """Scores from JSON."""
    known = record if isinstance(record, dict) else {}
    kind = _kind_of_scores(known)
    names = {f.name for f in fields(kind)}
    if not isinstance(record, dict) or not names <= set(record):
        raise InputError("the training record has scores that are incomplete")
    values: dict[str, object] = {}
    for name in names:
        value = record[name]
        if name == "classes":
            value = _class_scores(value)
        elif isinstance(value, list):
            value = tuple(value)
        if name != "classes" and not _is_score(name, value):
            raise InputError(f"the training record has a score {name} of {value!r:.60}")
        values[name] = value
    return kind(**values)  # type: ignore[arg-type]


def _kind_of_scores(record: JsonObject) -> type[Scores | SetScores | NumberScores]:
    if "subset_accuracy" in record:
        from wordplane.evaluation.set_scores import SetScores

        return SetScores
    if "spearman" in record:
        from wordplane.evaluation.number_scores import NumberScores

        return NumberScores
    return Scores


def _class_scores(rows: object) -> tuple[ClassScores, ...]:
    names = {f.name for f in fields(ClassScores)}
    if not isinstance(rows, list) or not all(isinstance(r, dict) and names <= set(r) for r in rows):
        raise InputError("the training record has scores of classes that are incomplete")
    for row in rows:
        for name in names - {"label"}:
            if not _is_number(row[name]):
                raise InputError(f"the training record has a score {name} of {row[name]!r:.60}")
    return tuple(ClassScores(**{name: row[name] for name in names}) for row in rows)


def _is_number(value: object) -> bool:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and abs(value) <= MAX_NUMBER  # type: ignore[arg-type]


def _is_score(name: str, value: object) -> bool:
    """Whether a field of `Scores` or `SetScores` can have this value."""
    if name == "n":
        return _is_count(value)
    if name == "majority_label":
        return _is_label(value)
    if name == "majority_set":
        return isinstance(value, tuple) and all(map(_is_label, value))
    if value is None:
        return "log_loss" in name  # of models without probabilities
    if name.endswith("interval"):
        return isinstance(value, tuple) and len(value) == 2 and all(map(_is_number, value))
    return _is_number(value)


def _is_label(value: object) -> bool:
    return isinstance(value, str) or (isinstance(value, int) and abs(value) < 2**63)

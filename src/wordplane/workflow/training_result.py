"""What training returns: the model, how good it is, and what it was trained on."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from os import PathLike

from wordplane.common.errors import InputError
from wordplane.common.files import size_text
from wordplane.common.label_sets import LabelSets
from wordplane.common.types import JsonObject, Label, LabelArray
from wordplane.data.corpus import Corpus
from wordplane.evaluation.label_scores import Scores
from wordplane.evaluation.ordered_scores import OrderedScores
from wordplane.evaluation.set_scores import SetScores
from wordplane.features.growing import can_grow
from wordplane.model.classifier import TextClassifier
from wordplane.model.decision import decision_lines
from wordplane.model.drift import Moved
from wordplane.model.measurement import Measurement, SetMeasurement
from wordplane.model.race import Choice
from wordplane.workflow.one_label import OneLabelTraining
from wordplane.workflow.result import (
    Line,
    Result,
    class_html,
    ordered_lines,
    score_lines,
    shorten,
)
from wordplane.workflow.weak_spots import WeakSpots

MAX_CLASSES_SHOWN = 8


@dataclass(frozen=True, repr=False)
class TrainingResult(Result):
    """A model, how good it is, and what it was trained on.

    model      the classifier, trained on all training rows
    classes    how many texts each label has
    tested_on  which texts the scores were measured on, and by which model
    scores     None if nothing was measured
    path       where the model was saved; None if it was not
    rounds     of a learner such as EM, the likelihood and the accuracy on the texts held out in
               each round; empty for others
    measured   the texts behind the scores
    moved      of a model that was trained further, the words that it changed its mind about
    new_classes  and the classes that it did not have
    one_label  of a learner that is taught one label, what is known without texts of another
    ordered    of a learner that takes labels to be in order, how far they are off
    weak_spots the worst classes, those with few texts, and how many texts are repeated
    """

    model: TextClassifier = field(repr=False)
    source: str
    notes: tuple[str, ...]
    n_rows: int
    n_train: int
    n_unlabeled: int
    pretrained: str
    vector_folds: JsonObject
    multilabel: bool
    classes: dict[str, int]
    tested_on: str
    scores: Scores | SetScores | None
    n_features: int
    path: str | None
    model_bytes: int | None
    corpus: Corpus = field(repr=False)
    rounds: tuple[dict[str, float], ...] = ()
    n_unseen_features: int | None = None
    measured: Measurement | SetMeasurement | None = field(repr=False, default=None)
    moved: tuple[Moved, ...] = ()
    new_classes: tuple[Label, ...] = ()
    ordered: OrderedScores | None = None
    one_label: OneLabelTraining | None = None
    weak_spots: WeakSpots | None = None

    def save(self, path: str | PathLike[str], *, resumable: bool = False) -> None:
        """Write the model to a file."""
        self.model.save(path, resumable=resumable)

    def to_dict(self) -> JsonObject:
        """The numbers as JSON can hold them."""
        return {
            "source": self.source,
            "notes": list(self.notes),
            "n_rows": self.n_rows,
            "n_train": self.n_train,
            "n_unlabeled": self.n_unlabeled,
            "pretrained": self.pretrained or None,
            "vector_folds": self.vector_folds,
            "race": self.model.training_.race,
            "n_test": 0 if self.scores is None else self.scores.n,
            "multilabel": self.multilabel,
            "classes": self.classes,
            "tested_on": self.tested_on,
            "guarantee": self.model.training_.guarantee or None,
            "scores": None if self.scores is None else self.scores.to_dict(),
            "n_features": self.n_features,
            "n_unseen_features": self.n_unseen_features,
            "model": self.path,
            "model_bytes": self.model_bytes,
            "rounds": list(self.rounds),
            "moved": [one._asdict() for one in self.moved],
            "new_classes": list(self.new_classes),
            "one_label": None if self.one_label is None else self.one_label.to_dict(),
            "ordered": None if self.ordered is None else self.ordered.to_dict(),
            "weak_spots": None if self.weak_spots is None else self.weak_spots.to_dict(),
        }

    def _repr_html_(self) -> str:
        """For notebooks: what the command prints, and the classes one by one."""
        by_class = "" if self.scores is None else class_html(self.scores.classes)
        return super()._repr_html_() + by_class

    def report(self, path: str | PathLike[str], *, quick: bool = False) -> None:
        """Write a page about the model and its data: how good it is, why, and what to do next."""
        from wordplane.report.page import write_report

        if self.measured is None and self.scores is not None:
            raise InputError(
                "a report needs the texts in memory, and the model was trained on blocks: save it, "
                "and use `wordplane report` on a part of the data"
            )
        if self.measured is None:
            raise InputError(
                f"there is nothing to report on: the model was {self.tested_on}; mark rows as test "
                "in a column `split`, or leave `test` and `calibration` at their defaults and give "
                "more texts of each class"
            )
        seed = self.model.random_state
        write_report(path, self.model, self.corpus, self.measured, quick=quick, random_state=seed)

    def _lines(self) -> list[Line]:
        by_size = sorted(self.classes.items(), key=lambda pair: -pair[1])
        classes = [f"{shorten(label)} {n:,}" for label, n in by_size]
        shown = ", ".join(classes[:MAX_CLASSES_SHOWN])
        if len(classes) > MAX_CLASSES_SHOWN:
            shown += f" and {len(classes) - MAX_CLASSES_SHOWN} more"
        kind = "classes" if len(classes) != 1 else "label"
        if self.multilabel:
            kind = "labels, any number per text"
        source = self.source or "texts given in Python"
        lines = [("read", f"{source}: {self.n_rows:,} texts, {len(classes)} {kind} ({shown})")]
        if self.scores is None:
            lines.append(("accuracy", self.tested_on))
        else:
            lines.append(("tested", f"on {self.scores.n:,} texts {self.tested_on}"))
            lines += [*score_lines(self.scores), *ordered_lines(self.ordered)]
        if self.weak_spots is not None:
            lines += self.weak_spots.lines(self.scores, self.n_rows)
        lines += [] if self.one_label is None else self.one_label.lines()
        lines += [
            ("rounds" if number == 0 else "", f"{number}: {_round_text(values)}")
            for number, values in enumerate(self.rounds)
        ]
        if self.model.training_.race:
            lines.append(("chosen", str(Choice.from_dict(self.model.training_.race))))
        if self.vector_folds:
            lines.append(("vectors", self._vectors_text()))
        lines += decision_lines(self.model.model_)
        features = f"{self.n_features:,} features"
        saved = features
        if self.path is not None and self.model_bytes is not None:
            saved = f"{self.path} ({size_text(self.model_bytes)}, {features})"
        also = f" and {self.n_unlabeled:,} without labels" if self.n_unlabeled else ""
        lines.append(("model", f"{saved}, trained on {self.n_train:,} texts{also}"))
        if self.n_unseen_features is not None:
            lines.append(self._news())
        lines += [
            ("moved" if number == 0 else "", f"{feature!r} for {label!r}: {a:+.2f} to {b:+.2f}")
            for number, (feature, label, a, b) in enumerate(self.moved)
        ]
        return lines

    def _news(self) -> Line:
        """What the texts have that the model did not have before."""
        news = f"{self.n_unseen_features:,} features"
        if not can_grow(self.model.model_.features.spec):
            return "ignored", f"{news} that the model does not have"
        if self.new_classes:
            named = shorten(", ".join(map(repr, self.new_classes)))
            news += f", {len(self.new_classes)} of the classes ({named})"
        return "new", f"{news} that the model did not have"

    def _vectors_text(self) -> str:
        """Whether word vectors were used, of what, and why."""
        folds, of = self.vector_folds, []
        if self.n_unlabeled:
            of.append("the texts without labels")
        if self.pretrained:
            of.append(self.pretrained)
        used = f"used, those of {' and of '.join(of)}" if of else "not used"
        metric = "accuracy" if "accuracy" in folds else "f1"
        score, without = folds[metric], folds[f"{metric}_without"]
        shown = f"{score:.1%} against {without:.1%} without"
        if metric == "f1":
            shown = f"F1 of the rarer class {score:.3f} against {without:.3f} without"
        return (
            f"{used}: {shown}, log loss {folds['log_loss']:.3f} against "
            f"{folds['log_loss_without']:.3f}, by folds"
        )


def _round_text(values: Mapping[str, float]) -> str:
    return ", ".join(
        f"{name.replace('_', ' ')} {value:.1%}"
        if name.endswith("accuracy")
        else f"{name.replace('_', ' ')} {value:.3f}"
        if name.endswith("loss")
        else f"{name.replace('_', ' ')} {value:,.0f}"
        if value.is_integer()
        else f"{name.replace('_', ' ')} {value:,.1f}"
        for name, value in values.items()
    )


def class_sizes(labels: LabelArray | LabelSets) -> list[tuple[object, int]]:
    """Every label, and how many rows have it."""
    if isinstance(labels, LabelSets):
        n_rows = labels.sizes().tolist()
        return list(zip(labels.classes.tolist(), n_rows, strict=True))
    return sorted(Counter(labels.tolist()).items())

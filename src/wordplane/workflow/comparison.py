"""Compare learners on the same texts and folds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import TypeAlias, TypeGuard, Unpack, cast

from wordplane.common.errors import InputError
from wordplane.common.label_sets import as_labels_or_sets
from wordplane.common.notes import Note
from wordplane.common.parameters import refuse_string
from wordplane.common.types import JsonObject, LabelsLike
from wordplane.diagnosis.audit_findings import count_text
from wordplane.diagnosis.learner_comparison import Pipeline, compare_classifiers
from wordplane.diagnosis.learner_results import LearnerComparison
from wordplane.evaluation.fold_variance import DIFFERENCE_VARIANCE, SCORE_VARIANCE
from wordplane.learners.names import LEARNERS, RECIPE
from wordplane.model.classifier import TextClassifier
from wordplane.selection.splitter import Splitter
from wordplane.workflow.inputs import (
    DataLike,
    GroupsLike,
    Reading,
    check_folds,
    load_corpus,
    training_rows,
)
from wordplane.workflow.result import Result
from wordplane.workflow.spec import AnalyzerLike, LearnerLike, TrainingSpec

Compared: TypeAlias = LearnerLike | TextClassifier | Pipeline
ALL_LEARNERS = (RECIPE, *LEARNERS)


@dataclass(frozen=True, repr=False)
class ComparisonResult(LearnerComparison, Result):
    """Learners in the order of the metric, which differences are real, and what each costs."""

    source: str = ""
    notes: tuple[str, ...] = ()

    def to_dict(self) -> JsonObject:
        """The numbers as JSON can hold them."""
        return {"source": self.source, "notes": list(self.notes), **super().to_dict()}

    def __str__(self) -> str:
        reading = sum(self.reading_seconds.values())
        test = f"{self.test}, by {self.metric}"
        if self.metric == "accuracy":
            test = f"McNemar's test of {self.unit}" if self.unit else "McNemar's mid-p"
        corrected = f", corrected for all {self.n_pairs} pairs of learners" * (self.n_pairs > 1)
        early = " The earlier half of the texts was only learned from." * self.by_time
        learners = count_text(len(self.results), "learner", "learners")
        return (
            f"compared  {learners} on {self.n_docs:,} texts of "
            f"{self.source or 'a list'}, {self.splits}, in {self.seconds:.0f} s\n\n"
            f"{super().__str__()}\n\n"
            f"In brackets 95 % intervals. Differences are tested by {test}{corrected}.\n"
            f"Models of folds share what they learn from: {SCORE_VARIANCE} texts count as one in "
            f"intervals, {DIFFERENCE_VARIANCE} in tests.{early}\n"
            "Train: the rows of one fold, predict: all rows, by one core. Both are without "
            f"reading the texts, which took {reading:.1f} s in all."
        )


def compare(
    data: DataLike,
    labels: LabelsLike | None = None,
    learners: Sequence[Compared] | Mapping[str, Compared] | None = None,
    *,
    analyzer: AnalyzerLike = None,
    metric: str | None = None,
    groups: GroupsLike = None,
    folds: int = 5,
    repeats: int = 1,
    budget: float = 60.0,
    n_jobs: int | None = None,
    random_state: int = 0,
    **reading: Unpack[Reading],
) -> ComparisonResult:
    """Cross-validate learners on the same texts, and say which differences are real.

    Rows marked test or dev are not looked at. A learner that does not fit into the time is listed
    as skipped, with how long it would take.

    Parameters
    ----------
    data, labels
        Labeled texts, as for `train`.
    learners : list or mapping, default None
        Names of learners, learners, whole `TextClassifier`s, or pipelines of scikit-learn that take
        texts; or a mapping from names of your own to these. None means all and the recipe.
    analyzer : Analyzer or mapping, default None
        How texts become features. A mapping changes parameters of what suits each learner.
    metric : str, default None
        What learners are ordered and told apart by: one of those of `evaluate`, on labels by the
        learner's own boundary. None means accuracy, or micro-F1 of multi-label texts; their
        thresholds are chosen among the rows that each fold trains on.
    folds : int, default 5
        Every row is predicted by a model of the other folds. With `time`, a column of dates or
        numbers, folds follow one another in time, and each is predicted by a model of the texts
        before it.
    repeats : int, default 1
        Split the texts into folds so many times, each time at random: less depends on chance.
    budget : float, default 60
        Seconds that it may take.
    random_state : int, default 0
        The seed of the folds.
    groups, n_jobs, **reading
        As for `train`.

    Examples
    --------
    >>> texts = ["what a great film", "great fun", "a dull film", "dull and long"] * 10
    >>> result = compare(texts, ["good", "good", "bad", "bad"] * 10, ["nb", "perceptron"])
    >>> [(r.name, r.scores.accuracy) for r in result.results]
    [('nb', 1.0), ('perceptron', 1.0)]
    >>> result.verdicts()
    ['perceptron and nb are not distinguishable: accuracy +0.0 points, p = 1 (McNemar, mid-p,
    corrected for 1 comparison)']
    """
    if not budget > 0:
        raise InputError(f"`budget` is {budget!r}, expected a number of seconds above 0")
    refuse_string("`learners`", learners, "names")
    if learners is None:
        learners = ALL_LEARNERS
    named = learners if isinstance(learners, Mapping) else _with_names(learners)
    if not named:
        raise InputError("no `learners` were named")
    corpus = load_corpus(data, labels, groups, **reading)
    corpus = corpus.take(training_rows(corpus))
    check_folds(folds, corpus)
    classifiers: dict[str, TextClassifier | Pipeline] = {}
    for name, learner in named.items():
        if isinstance(learner, TextClassifier):
            params = learner.get_params(deep=False)
            shared = {"n_jobs": n_jobs, "random_state": random_state}
            classifiers[name] = TextClassifier(**{**params, **shared})
        elif takes_texts(learner):
            classifiers[name] = learner
        else:
            ours = cast(LearnerLike, learner)
            spec = TrainingSpec(ours, analyzer=analyzer, random_state=random_state)
            classifiers[name] = spec.classifier(corpus, n_jobs)
    compared = compare_classifiers(
        corpus,
        as_labels_or_sets(corpus.labels),
        classifiers,
        splitter=Splitter(folds, repeats, corpus.groups, corpus.times, random_state),
        budget=budget,
        metric=metric,
    )
    notes = corpus.notes
    if corpus.weights is not None:
        notes = (*notes, Note("method", "weights of rows are not used in comparisons"))
    values = {f.name: getattr(compared, f.name) for f in fields(compared)}
    return replace(ComparisonResult(**values), source=corpus.source, notes=notes)


def takes_texts(learner: object) -> TypeGuard[Pipeline]:
    """Whether it is a pipeline of another library, or a search for the parameters of one.

    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.feature_extraction.text import TfidfVectorizer
    >>> from sklearn.svm import LinearSVC
    >>> takes_texts(make_pipeline(TfidfVectorizer(), LinearSVC())), takes_texts(LinearSVC())
    (True, False)
    """
    inner = getattr(learner, "estimator", None)
    return hasattr(learner, "steps") or (inner is not None and takes_texts(inner))


def _with_names(learners: Sequence[Compared]) -> dict[str, Compared]:
    """Learners by names: their own, or those of their classes; numbered if several are alike."""
    named: dict[str, Compared] = {}
    for learner in learners:
        name = learner if isinstance(learner, str) else _name(learner)
        alike = sum(other == name or other.startswith(f"{name} ") for other in named)
        named[f"{name} {alike + 1}" if alike else name] = learner
    return named


def _name(learner: object) -> str:
    steps = getattr(learner, "steps", None)
    if steps is None:
        return type(learner).__name__
    return " + ".join(type(step).__name__ for _, step in steps)

"""The classifier that a learner, its parameters, features and data ask for."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

from wordplane.common.errors import InputError
from wordplane.common.label_sets import count_classes
from wordplane.common.types import IntArray, Label
from wordplane.data.corpus import Corpus
from wordplane.data.vectors import VECTOR_KIND
from wordplane.evaluation.label_scores import Scores
from wordplane.evaluation.set_scores import SetScores
from wordplane.learners.names import RECIPE, WITH_UNLABELED
from wordplane.learners.registry import learner_named
from wordplane.learners.support.base import LinearClassifier
from wordplane.model.classifier import TextClassifier
from wordplane.model.decision import USUAL_KIND
from wordplane.model.fingerprint import fingerprint
from wordplane.model.recipe import (
    COUNTS_LEARNER,
    Recipe,
    default_analyzer,
    unlabeled_learner,
    unsuited_parameters,
)
from wordplane.text.analyzer import Analyzer
from wordplane.text.documents import Documents

LearnerLike: TypeAlias = str | LinearClassifier | None
AnalyzerLike: TypeAlias = Analyzer | Mapping[str, object] | None


def make_classifier(
    corpus: Corpus,
    learner: LearnerLike = None,
    params: Mapping[str, object] | None = None,
    analyzer: AnalyzerLike = None,
    *,
    unlabeled: bool = False,
    calibration: str | None = "holdout",
    calibrator: str = USUAL_KIND,
    metric: str | None = None,
    chain: bool | Sequence[Label] = False,
    n_jobs: int | None = None,
    random_state: int = 0,
    n_docs: int | None = None,
    n_classes: int | None = None,
) -> TextClassifier:
    """A classifier for a corpus.

    learner    a name, a learner, or None for the recipe (naive Bayes for `word:count` items)
    params     parameters of the learner, or of the recipe's, an NBSVM
    analyzer   an analyzer, or parameters that change the one that suits learner and texts
    unlabeled  whether it is to learn from texts without labels too
    n_docs, n_classes  if the corpus is a sample without labels: of how many texts and classes
    """
    given = {} if isinstance(analyzer, Analyzer) else dict(analyzer or {})
    is_counts = corpus.has_counts and "tokens" not in given
    if is_counts and learner is None:
        learner = COUNTS_LEARNER
    chosen = _learner(learner, params or {}, unlabeled)
    if corpus.fields:
        given["fields"] = corpus.fields
    beside = {name: held for name, held in corpus.extras.items() if name not in corpus.fields}
    if beside or corpus.vectors:
        kinds = {
            name: "number" if all(isinstance(value, float) for value in values) else "category"
            for name, values in beside.items()
        }
        given["columns"] = {**kinds, **dict.fromkeys(corpus.vectors, VECTOR_KIND)}
    if is_counts:
        given = {"tokens": "counts", "ngrams": (1, 1), **given}
    elif corpus.has_tokens and not isinstance(analyzer, Analyzer):
        given = {"tokens": "whitespace", **given}
    tuned_recipe = chosen is None and bool(params)
    if given or tuned_recipe:
        if n_classes is None:
            n_classes = count_classes(corpus.labels or [])
        sample = Documents(corpus.texts), n_classes, n_docs
        suited = analyzer
        if not isinstance(suited, Analyzer):
            suited = default_analyzer(chosen, *sample)
            given = {**unsuited_parameters(given), **given}
        if tuned_recipe:
            chosen = _recipe_learner(Recipe.of(*sample).learner(random_state), params or {})
        analyzer = Analyzer(**suited.get_params(deep=False)).set_params(**given)
        analyzer.check()
    return TextClassifier(
        analyzer if isinstance(analyzer, Analyzer) else None,
        chosen,
        calibration=calibration,
        calibrator=calibrator,
        metric=metric,
        chain=chain,
        n_jobs=n_jobs,
        random_state=random_state,
    )


def _learner(
    learner: LearnerLike, params: Mapping[str, object], unlabeled: bool
) -> LinearClassifier | None:
    if learner == RECIPE:
        learner = None
    if isinstance(learner, str):
        learner = learner_named(WITH_UNLABELED.get(learner, learner) if unlabeled else learner)
    if params and learner is None and unlabeled:
        raise InputError("`params` with `unlabeled` are those of a learner: name it with `learner`")
    if unlabeled and learner is not None:
        return unlabeled_learner(learner, params)
    return learner if learner is None or not params else learner.set_params(**params)


def _recipe_learner(learner: LinearClassifier, params: Mapping[str, object]) -> LinearClassifier:
    """The recipe's learner with other parameters."""
    unknown = [name for name in params if name not in learner.get_params()]
    if unknown:
        raise InputError(
            f"`params`: the recipe has no parameter {unknown[0]}, but learner__C, beta and others "
            "of an NBSVM; for those of another learner, name it with `learner`"
        )
    return learner.set_params(**params)


def record_training(
    classifier: TextClassifier,
    corpus: Corpus,
    rows: IntArray,
    tested_on: str | None = None,
    scores: Scores | SetScores | None = None,
) -> None:
    """Note in the model what it was trained on and how good it is."""
    classifier.record(
        replace(
            classifier.training_,
            seed=classifier.random_state,
            # Only the name of the file: its folder does not concern whoever gets the model.
            source=Path(corpus.source).name,
            text_columns=corpus.text_columns,
            label_column=corpus.label_column,
            fingerprint=fingerprint(corpus.texts, rows),
            tested_on=tested_on,
            scores=scores,
        )
    )

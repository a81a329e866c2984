"""What to train: a `TrainingSpec`, checked once, which makes the classifier for a corpus."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TypeAlias, TypedDict

from wordplane.common.errors import InputError
from wordplane.common.frozen import frozen
from wordplane.common.label_sets import count_classes
from wordplane.common.parameters import check_whole
from wordplane.common.types import Label
from wordplane.data.corpus import Corpus
from wordplane.data.vectors import VECTOR_KIND
from wordplane.evaluation.requirements import Requirement
from wordplane.learners.names import RECIPE, WITH_UNLABELED
from wordplane.learners.registry import learner_named, learns_one_label
from wordplane.learners.support.base import LinearClassifier
from wordplane.model.classifier import TextClassifier
from wordplane.model.decision import USUAL_KIND, Rule
from wordplane.model.recipe import (
    COUNTS_LEARNER,
    Parts,
    Recipe,
    choose_parts,
    default_analyzer,
    unlabeled_learner,
    unsuited_parameters,
)
from wordplane.text.analyzer import Analyzer
from wordplane.text.documents import Documents

LearnerLike: TypeAlias = str | LinearClassifier | None
AnalyzerLike: TypeAlias = Analyzer | Mapping[str, object] | None


class DecisionOptions(TypedDict, total=False):
    """How labels are decided and the model is measured; `TrainingSpec` explains each."""

    test: bool
    calibration: str | None
    metric: str | None
    require: str | None
    random_state: int


class SpecOptions(DecisionOptions, total=False):
    """The fields of a `TrainingSpec` that users give."""

    calibrator: str
    learner: LearnerLike
    params: Mapping[str, object] | None
    analyzer: AnalyzerLike
    chain: bool | Sequence[Label]
    tune: bool
    budget: float | None
    resumable: bool
    max_size: int | None


@frozen
class TrainingSpec:
    """What to train, whatever it is trained on and wherever; `train` explains each field.

    Refuses what does not go together. `unlabeled` and `pretrained` say whether texts without labels
    and a file of word vectors are given.
    """

    learner: LearnerLike = None
    params: Mapping[str, object] | None = None
    analyzer: AnalyzerLike = None
    test: bool = True
    calibration: str | None = "holdout"
    calibrator: str = USUAL_KIND
    metric: str | None = None
    require: str | None = None
    chain: bool | Sequence[Label] = False
    tune: bool = False
    budget: float | None = None
    resumable: bool = False
    max_size: int | None = None
    unlabeled: bool = False
    pretrained: bool = False
    random_state: int = 0

    def __post_init__(self) -> None:
        has_metric, has_chain = self.metric is not None, self.chain is not False
        refused = {
            "`tune` does not go with `unlabeled`": self.tune and self.unlabeled,
            "`tune` does not go with `pretrained`": self.tune and self.pretrained,
            "`pretrained` goes with the recipe: leave out `learner` and `params`": (
                self.pretrained and (self.learner not in (None, RECIPE) or bool(self.params))
            ),
            "`chain` goes neither with `tune` nor with `resumable`": (
                has_chain and (self.tune or self.resumable)
            ),
            "`max_size` goes neither with `require` nor with `resumable`": (
                self.max_size is not None and (self.require is not None or self.resumable)
            ),
            "`budget` is the time for `tune`: give that too": (
                self.budget is not None and not self.tune
            ),
            "`metric` needs rows to decide on, and `test` is off": has_metric and not self.test,
            "`require` goes neither with `metric` nor without a `test`": (
                self.require is not None and (has_metric or not self.test)
            ),
            "`tune` needs texts of several labels, and this learner is taught one": (
                self.tune and self.one_label
            ),
        }
        for why, is_given in refused.items():
            if is_given:
                raise InputError(why)
        check_whole("`random_state`", self.random_state)
        _ = self.rule

    @property
    def one_label(self) -> bool:
        """Whether the learner is taught one label."""
        return learns_one_label(self.learner)

    @cached_property
    def rule(self) -> Rule:
        """How labels and probabilities are to be found."""
        metric = self.metric
        if self.require is not None:
            metric = str(Requirement.parse(self.require))
        calibration = self.calibration if self.test else None
        return Rule(calibration, metric, self.calibrator, self.random_state).check()

    def parts(self, sample: Corpus, n_docs: int, n_classes: int) -> Parts:
        """The analyzer and the learner for n_docs texts with n_classes labels, by a sample."""
        chosen = self.classifier(sample, n_docs=n_docs, n_classes=n_classes)
        given, documents = (chosen.analyzer, chosen.learner), Documents(sample.texts)
        seed = self.random_state
        return choose_parts(*given, documents, n_classes, n_docs, random_state=seed)

    def classifier(
        self,
        corpus: Corpus,
        n_jobs: int | None = None,
        *,
        unlabeled: bool = False,
        n_docs: int | None = None,
        n_classes: int | None = None,
    ) -> TextClassifier:
        """A classifier for a corpus.

        unlabeled  whether the corpus has texts without labels to learn from too
        n_docs, n_classes  if the corpus is a sample without labels: of how many texts and classes
        """
        learner, analyzer, given = self.learner, self.analyzer, dict[str, object]()
        if not isinstance(analyzer, Analyzer):
            analyzer, given = None, dict(analyzer or {})
        if corpus.has_counts and "tokens" not in given:
            learner = COUNTS_LEARNER if learner is None else learner
            given = {"tokens": "counts", "ngrams": (1, 1), **given}
        elif corpus.has_tokens and analyzer is None:
            given = {"tokens": "whitespace", **given}
        given |= column_parameters(corpus)
        chosen = self._learner(learner, unlabeled=unlabeled or self.unlabeled)
        changes_recipe = chosen is None and bool(self.params)
        if given or changes_recipe:
            n_classes = count_classes(corpus.labels or []) if n_classes is None else n_classes
            sample = Documents(corpus.texts), n_classes, n_docs
            if analyzer is None:
                analyzer = default_analyzer(chosen, *sample)
                given = {**unsuited_parameters(given), **given}
            if changes_recipe:
                chosen = _set_recipe(Recipe.of(*sample).learner(self.random_state), self.params)
            analyzer = Analyzer(**analyzer.get_params(deep=False)).set_params(**given)
            analyzer.resolve()
        asks_for_recipe = chosen is None and self.learner == RECIPE
        return TextClassifier(
            analyzer,
            RECIPE if asks_for_recipe else chosen,
            calibration=self.rule.calibration,
            calibrator=self.calibrator,
            metric=self.rule.metric,
            chain=self.chain,
            max_size=self.max_size,
            n_jobs=n_jobs,
            random_state=self.random_state,
        )

    def _learner(self, learner: LearnerLike, *, unlabeled: bool) -> LinearClassifier | None:
        params = self.params or {}
        if learner == RECIPE:
            learner = None
        if isinstance(learner, str):
            learner = learner_named(WITH_UNLABELED.get(learner, learner) if unlabeled else learner)
        if params and learner is None and unlabeled:
            raise InputError(
                "`params` with `unlabeled` are those of a learner: name it with `learner`"
            )
        if unlabeled and learner is not None:
            return unlabeled_learner(learner, params)
        return learner if learner is None or not params else learner.set_params(**params)


def column_parameters(corpus: Corpus) -> dict[str, object]:
    """The parameters of an analyzer that reads the columns of a corpus next to the texts."""
    parameters: dict[str, object] = {"fields": corpus.fields} if corpus.fields else {}
    extras = {name: each for name, each in corpus.extras.items() if name not in corpus.fields}
    if extras or corpus.vectors:
        kinds = {
            name: "number" if all(isinstance(value, float) for value in values) else "category"
            for name, values in extras.items()
        }
        parameters["columns"] = {**kinds, **dict.fromkeys(corpus.vectors, VECTOR_KIND)}
    return parameters


def _set_recipe(learner: LinearClassifier, params: Mapping[str, object] | None) -> LinearClassifier:
    """The recipe's learner with other parameters."""
    params = params or {}
    unknown = [name for name in params if name not in learner.get_params()]
    if unknown:
        raise InputError(
            f"`params`: the recipe has no parameter {unknown[0]}, but learner__C, beta and others "
            "of an NBSVM; for those of another learner, name it with `learner`"
        )
    return learner.set_params(**params)

"""Learners by name, and what they must know when their columns are features of texts."""

from importlib import import_module
from typing import Any, Protocol

from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.common.label_sets import LabelSets
from wordplane.learners.support.base import LinearClassifier
from wordplane.learners.support.one_vs_rest import OneVsRest

# Names on the command line, and where they live: modules are imported when they are asked for.
LEARNERS = {
    "nb": "naive_bayes.MultinomialNB",
    "bernoulli": "bernoulli_nb.BernoulliNB",
    "complement": "complement_nb.ComplementNB",
    "perceptron": "perceptron.Perceptron",
    "mira": "mira.MIRA",
    "onlinesvm": "online_svm.OnlineSVM",
    "svm": "svm.LinearSVM",
    "logistic": "logistic.LogisticRegression",
    "nbsvm": "nbsvm.NBSVM",
    "ridge": "least_squares.RidgeClassifier",
    "em": "em.EMNaiveBayes",
}
# Where another default is better on texts than the estimator's own.
FOR_TEXT: dict[str, dict[str, Any]] = {"nb": {"alpha": "auto"}}
# Names that one may try, and what is meant.
WITHOUT_WEIGHTS = {"knn": "KNeighbors", "neighbors": "KNeighbors", "kernel": "KernelSVM"}


class CountedGroups(Protocol):
    """What is asked of fitted features: the first columns of groups, and how many count."""

    groups: list[tuple[str, int]]
    n_counted: int


def learner_named(name: str) -> LinearClassifier:
    """A new learner by its name on the command line."""
    if name in WITHOUT_WEIGHTS:
        raise InputError(f"learner is {name!r}: {without_weights(WITHOUT_WEIGHTS[name])}")
    if name not in LEARNERS:
        raise InputError(f"learner is {name!r}, expected one of {', '.join(LEARNERS)}")
    module, _, cls = LEARNERS[name].partition(".")
    kind = getattr(import_module(f"wordplane.learners.{module}"), cls)
    learner: LinearClassifier = kind(**FOR_TEXT.get(name, {}))
    return learner


def without_weights(learner: str) -> str:
    """Why a learner makes no text model, and what to do."""
    return (
        f"{learner} decides by training texts, which a model file does not hold: use it from "
        "Python, after a vectoriser (docs/neighbors.md, docs/kernels.md)"
    )


def check_learner(learner: Any) -> None:
    """Only linear learners of ours make a text model."""
    if getattr(learner, "kind", "") in ("neighbors", "kernel"):
        raise InputError(without_weights(repr(learner)))
    if not isinstance(learner, LinearClassifier):
        raise InputError(
            f"learner is {learner!r}, expected a name or one of Wordplane's learners; "
            "others go into a scikit-learn pipeline after a vectoriser"
        )
    if learner.kind != "linear":
        raise InputError(f"{learner!r} is no linear model, which a text model must be")


def fitted_on(
    learner: Any,
    features: CountedGroups,
    X: _core.Csr,
    y: Any,
    threads: int,
    sample_weight: Any = None,
    unlabeled: _core.Csr | None = None,
) -> Any:
    """A new learner with the parameters of `learner`, fitted to the features of texts.

    `unlabeled` are rows without labels, for learners that can use them.
    """
    new = type(learner)(**{**learner.get_params(deep=False), "n_jobs": threads})
    if getattr(new, "blocks", ()) is None:  # NBSVM scales each group by itself
        n_columns = X.shape[1]
        cuts = {start for _, start in features.groups} | {features.n_counted}
        inside = [cut for cut in sorted(cuts) if 0 < cut < n_columns]
        new.set_params(blocks=inside or None, n_unscaled=n_columns - features.n_counted)
    if isinstance(y, LabelSets):
        if new.get_params().get("alpha") == "auto":
            new.set_params(alpha=1.0)  # a choice for every label would take long
        new = OneVsRest(new, n_jobs=threads)
    more = {} if unlabeled is None else {"unlabeled": unlabeled}
    return new.fit(X, y, sample_weight=sample_weight, **more)


def class_names() -> dict[str, str]:
    """The learners' names on the command line by the names of their classes."""
    return {path.rpartition(".")[2]: name for name, path in LEARNERS.items()}


def describe(learner: Any) -> dict[str, Any]:
    name = class_names().get(type(learner).__name__)
    if name is None:
        raise InputError("interim")
    defaults = type(learner)().get_params(deep=False)
    params = {}
    for key, value in learner.get_params(deep=False).items():
        if key != "n_jobs" and repr(value) != repr(defaults[key]):
            params[key] = describe(value) if isinstance(value, LinearClassifier) else value
    return {"name": name, "params": params}


def from_description(described: Any) -> LinearClassifier:
    if not isinstance(described, dict) or described.get("name") not in LEARNERS:
        raise InputError("interim")
    module, _, cls = LEARNERS[described["name"]].partition(".")
    params = {
        k: from_description(v) if isinstance(v, dict) and "name" in v else v
        for k, v in described["params"].items()
    }
    learner: LinearClassifier = getattr(import_module(f"wordplane.learners.{module}"), cls)(
        **params
    )
    return learner

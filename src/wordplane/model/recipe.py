"""The recipe: what a classifier is made of if nobody says otherwise.

Words and runs of them, each text's values binary * idf with length 1, scaled by how much more
often the feature occurs in the class than outside it (NBSVM with smoothing by mass), and a
squared-hinge SVM for every class. What pays depends on how long texts are:

    short  (median below 100 tokens)  words 1-2, NOT_ after negations, characters 2-6;
                                      half way between naive Bayes and the SVM, C = 1.5
    long                              words 1-3 that two texts have at least, 1-2 if there are
                                      more than five classes; the SVM's weights, C = 1

With less C, the rarer of two uneven classes is hardly ever predicted.

Reference: Wang and Manning (2012), Baselines and bigrams.
"""

from collections.abc import Mapping

import numpy as np

from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.learners.nbsvm import NBSVM
from wordplane.learners.registry import learner_named
from wordplane.learners.support.base import LinearClassifier
from wordplane.learners.svm import LinearSVM
from wordplane.text.analyzer import Analyzer
from wordplane.text.documents import Documents

SHORT = 100  # tokens
MANY = 5  # classes
SAMPLE = 200  # texts that are looked at


def are_short(documents: Documents) -> bool:
    """Whether the median of the numbers of tokens is below 100."""
    n_docs = len(documents)
    rows = np.linspace(0, n_docs - 1, min(n_docs, SAMPLE)).astype(int)
    sample = documents.texts.take(rows)
    lengths = _core.count_tokens(Analyzer().word_analysis(), sample, 0, len(rows), 1)
    middle = np.sort(lengths)[[(len(rows) - 1) // 2, len(rows) // 2]] if len(rows) else 0
    return bool(np.mean(middle) < SHORT)


def recipe_analyzer(short: bool, n_classes: int) -> Analyzer:
    """How the recipe reads texts."""
    common = Analyzer(boundaries=True, tf="binary", idf="smooth", norm="l2")
    if short:
        return common.set_params(ngrams=(1, 2), negation=True, chars=(2, 6))
    # Opinions hang on turns of phrase; many classes are mostly topics, which have their own words
    # (20 newsgroups, folds of the training part: 93.2 % with runs of three, 93.6 % without).
    return common.set_params(ngrams=(1, 2 if n_classes > MANY else 3), min_df=2)


def recipe_learner(short: bool, random_state: int = 0) -> NBSVM:
    """How the recipe finds weights."""
    svm = LinearSVM(C=1.5 if short else 1.0, tol=0.003, random_state=random_state)
    return NBSVM(
        beta=0.5 if short else 1.0,
        binary=False,
        smoothing="mass",
        scaling="shifted",
        learner=svm,
    )


def default_analyzer(
    learner: LinearClassifier | None, documents: Documents, n_classes: int
) -> Analyzer:
    """What suits a learner: counts for naive Bayes, the recipe's features for None, else tf-idf."""
    if learner is None:
        return recipe_analyzer(are_short(documents), n_classes)
    return Analyzer() if learner.reads_counts else Analyzer(tf="binary", idf="exact", norm="l2")


def binary_analyzer(analyzer: Analyzer, learner: LinearClassifier) -> Analyzer:
    """The analyzer for a learner that asks whether a feature occurs, not how often."""
    if analyzer.lexicon_entries() or analyzer.fitted_embeddings() or analyzer.column_kinds():
        raise InputError(
            f"{learner!r} takes every value as 1: it cannot use lexica, embeddings or columns "
            "beside the text"
        )
    changed = {"tf": "binary", "idf": None, "norm": None, "weights": None}
    return Analyzer(**{**analyzer.get_params(deep=False), **changed})


def counts_learner() -> LinearClassifier:
    """What learns from `word:count` items if nobody says otherwise: naive Bayes."""
    return learner_named("nb")


def unlabeled_learner(
    learner: LinearClassifier | None, params: Mapping[str, object]
) -> LinearClassifier:
    """What learns from texts without labels too: EM naive Bayes, with alpha chosen by leaving one
    out, if nobody names a learner; else that learner, by self-training if it cannot itself."""
    from wordplane.learners.em import EMNaiveBayes
    from wordplane.learners.self_training import SelfTraining

    if learner is None or isinstance(learner, EMNaiveBayes):
        learner = learner or learner_named("em")
        if params.get("model") != "bernoulli":
            params = {"alpha": "loo", **params}
    learner.set_params(**params)
    return learner if learner.uses_unlabeled else SelfTraining(learner)

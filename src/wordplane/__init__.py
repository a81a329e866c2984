"""Wordplane: linear text classification.

>>> import wordplane
>>> model = wordplane.TextClassifier().fit(
...     ["a great film", "great fun", "a dull film", "dull and long"],
...     ["good", "good", "bad", "bad"],
... )
>>> model.predict(["what a great day"])
array(['good'], dtype='<U4')

Names are loaded when they are first used, so that `import wordplane` stays quick. Rarer classes are
in `wordplane.learners`, `wordplane.features` and `wordplane.text`.
"""

__version__ = "0.1.0"

_NAMES = {
    "common.versions": "show_versions",
    "data.read": "read",
    "features.count_vectorizer": "CountVectorizer",
    "features.embeddings": "WordEmbeddings",
    "features.hashing_vectorizer": "HashingVectorizer",
    "features.select": "SelectFeatures",
    "features.tfidf": "TfidfTransformer TfidfVectorizer",
    "learners.bernoulli_nb": "BernoulliNB",
    "learners.complement_nb": "ComplementNB",
    "learners.em": "EMNaiveBayes",
    "learners.ensemble": "Bagging Ensemble",
    "learners.gaussian_nb": "GaussianNB",
    "learners.kernel_svm": "KernelSVM",
    "learners.kmeans": "KMeans",
    "learners.least_squares": "RidgeClassifier",
    "learners.logistic": "LogisticRegression",
    "learners.label_tree": "LabelTree",
    "learners.mira": "MIRA",
    "learners.naive_bayes": "MultinomialNB",
    "learners.nbsvm": "NBSVM",
    "learners.neighbors": "KNeighbors",
    "learners.online_logistic": "OnlineLogistic",
    "learners.online_svm": "OnlineSVM",
    "learners.one_class_svm": "OneClassSVM",
    "learners.ordinal": "OrdinalLogistic",
    "learners.perceptron": "Perceptron",
    "learners.positive_unlabeled": "PositiveUnlabeled",
    "learners.self_training": "SelfTraining",
    "learners.svm": "LinearSVM",
    "model.classifier": "TextClassifier",
    "model.saved_models": "load",
    "model.regressor": "TextRegressor",
    "scale.dask_classifier": "DaskTextClassifier",
    "text.analyzer": "Analyzer",
    "text.lexicon": "Lexicon",
    "workflow.auditing": "audit",
    "workflow.behavior": "check_behavior",
    "workflow.behavior_tests": "BehaviorTest",
    "workflow.comparison": "compare",
    "workflow.compressing": "compress",
    "workflow.diagnosis": "diagnose",
    "workflow.editing": "edit",
    "workflow.evaluation": "evaluate",
    "workflow.explaining": "explain",
    "workflow.model_comparison": "compare_models",
    "workflow.monitoring": "monitor",
    "workflow.prediction": "predict",
    "workflow.train": "train",
    "workflow.tuning": "tune",
    "workflow.unlearn": "unlearn",
    "workflow.update": "update",
}
_MODULES = {name: module for module, names in _NAMES.items() for name in names.split()}
__all__ = [*_MODULES, "datasets"]


# Not by `lazy_names`: `wordplane --version` loads nothing else of the package.
def __getattr__(name: str) -> object:
    from importlib import import_module

    if name == "datasets":
        return import_module("wordplane.data.datasets")
    if name not in _MODULES:
        raise AttributeError(f"module 'wordplane' has no attribute {name!r}")
    return getattr(import_module(f"wordplane.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    return [*globals(), *__all__]

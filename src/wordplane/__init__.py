"""Wordplane: linear text classification.

>>> import wordplane
>>> model = wordplane.TextClassifier().fit(
...     ["a great film", "great fun", "a dull film", "dull and long"],
...     ["good", "good", "bad", "bad"],
... )
>>> model.predict(["what a great day"])
array(['good'], dtype='<U4')

Names are loaded when they are first used, so that `import wordplane` stays quick.
"""

from typing import TYPE_CHECKING

__version__ = "0.1.0"

if TYPE_CHECKING:
    import wordplane.data.datasets as datasets
    from wordplane.classifier import TextClassifier, load
    from wordplane.data.read import read
    from wordplane.features.conjunctions import Conjunctions
    from wordplane.features.count_vectorizer import CountVectorizer
    from wordplane.features.embeddings import WordEmbeddings
    from wordplane.features.hashing_vectorizer import HashingVectorizer
    from wordplane.features.latent import LatentFeatures
    from wordplane.features.select import SelectFeatures
    from wordplane.features.tfidf import TfidfTransformer, TfidfVectorizer
    from wordplane.features.weighting import Weighting
    from wordplane.learner_comparison import compare
    from wordplane.learners.approximate_neighbors import ApproximateNeighbors
    from wordplane.learners.baselines import MajorityBaseline, RandomBaseline
    from wordplane.learners.bernoulli_nb import BernoulliNB
    from wordplane.learners.complement_nb import ComplementNB
    from wordplane.learners.em import EMNaiveBayes
    from wordplane.learners.ensemble import Bagging, Ensemble
    from wordplane.learners.gaussian_nb import GaussianNB
    from wordplane.learners.hand_set import HandSetWeights
    from wordplane.learners.joint import JointLinearClassifier
    from wordplane.learners.kernel_svm import KernelSVM
    from wordplane.learners.kmeans import KMeans
    from wordplane.learners.least_squares import LeastSquares, RidgeClassifier
    from wordplane.learners.lexicon_voting import LexiconVoting
    from wordplane.learners.logistic import LogisticRegression
    from wordplane.learners.mira import MIRA
    from wordplane.learners.naive_bayes import MultinomialNB
    from wordplane.learners.nbsvm import NBSVM
    from wordplane.learners.neighbors import KNeighbors, KNeighborsRegressor
    from wordplane.learners.online_svm import OnlineSVM
    from wordplane.learners.perceptron import Perceptron
    from wordplane.learners.self_training import SelfTraining
    from wordplane.learners.svm import LinearSVM
    from wordplane.text.analyzer import Analyzer
    from wordplane.text.lexicon import Lexicon, LexiconFeatures

__all__ = [
    "MIRA",
    "NBSVM",
    "Analyzer",
    "ApproximateNeighbors",
    "Bagging",
    "BernoulliNB",
    "ComplementNB",
    "Conjunctions",
    "CountVectorizer",
    "EMNaiveBayes",
    "Ensemble",
    "GaussianNB",
    "HandSetWeights",
    "HashingVectorizer",
    "JointLinearClassifier",
    "KMeans",
    "KNeighbors",
    "KNeighborsRegressor",
    "KernelSVM",
    "LatentFeatures",
    "LeastSquares",
    "Lexicon",
    "LexiconFeatures",
    "LexiconVoting",
    "LinearSVM",
    "LogisticRegression",
    "MajorityBaseline",
    "MultinomialNB",
    "OnlineSVM",
    "Perceptron",
    "RandomBaseline",
    "RidgeClassifier",
    "SelectFeatures",
    "SelfTraining",
    "TextClassifier",
    "TfidfTransformer",
    "TfidfVectorizer",
    "Weighting",
    "WordEmbeddings",
    "compare",
    "datasets",
    "load",
    "read",
]

_MODULES = {
    "BernoulliNB": "wordplane.learners.bernoulli_nb",
    "ComplementNB": "wordplane.learners.complement_nb",
    "GaussianNB": "wordplane.learners.gaussian_nb",
    "Perceptron": "wordplane.learners.perceptron",
    "MIRA": "wordplane.learners.mira",
    "OnlineSVM": "wordplane.learners.online_svm",
    "MajorityBaseline": "wordplane.learners.baselines",
    "RandomBaseline": "wordplane.learners.baselines",
    "HandSetWeights": "wordplane.learners.hand_set",
    "LexiconVoting": "wordplane.learners.lexicon_voting",
    "Ensemble": "wordplane.learners.ensemble",
    "Bagging": "wordplane.learners.ensemble",
    "Analyzer": "wordplane.text.analyzer",
    "CountVectorizer": "wordplane.features.count_vectorizer",
    "Lexicon": "wordplane.text.lexicon",
    "LexiconFeatures": "wordplane.text.lexicon",
    "HashingVectorizer": "wordplane.features.hashing_vectorizer",
    "LinearSVM": "wordplane.learners.svm",
    "LeastSquares": "wordplane.learners.least_squares",
    "LogisticRegression": "wordplane.learners.logistic",
    "RidgeClassifier": "wordplane.learners.least_squares",
    "MultinomialNB": "wordplane.learners.naive_bayes",
    "NBSVM": "wordplane.learners.nbsvm",
    "SelectFeatures": "wordplane.features.select",
    "TextClassifier": "wordplane.classifier",
    "TfidfTransformer": "wordplane.features.tfidf",
    "TfidfVectorizer": "wordplane.features.tfidf",
    "Weighting": "wordplane.features.weighting",
    "compare": "wordplane.learner_comparison",
    "WordEmbeddings": "wordplane.features.embeddings",
    "Conjunctions": "wordplane.features.conjunctions",
    "KMeans": "wordplane.learners.kmeans",
    "LatentFeatures": "wordplane.features.latent",
    "ApproximateNeighbors": "wordplane.learners.approximate_neighbors",
    "EMNaiveBayes": "wordplane.learners.em",
    "JointLinearClassifier": "wordplane.learners.joint",
    "KNeighbors": "wordplane.learners.neighbors",
    "KNeighborsRegressor": "wordplane.learners.neighbors",
    "KernelSVM": "wordplane.learners.kernel_svm",
    "SelfTraining": "wordplane.learners.self_training",
    "load": "wordplane.classifier",
    "read": "wordplane.data.read",
}


def __getattr__(name: str) -> object:
    from importlib import import_module

    if name == "datasets":
        return import_module("wordplane.data.datasets")
    if name not in _MODULES:
        raise AttributeError(f"module 'wordplane' has no attribute {name!r}")
    return getattr(import_module(_MODULES[name]), name)


def __dir__() -> list[str]:
    return [*globals(), *__all__]

"""The public names, for type checkers; `__init__.py` loads them when they are first used."""

from wordplane.data.read import read as read
from wordplane.diagnosis.learner_comparison import compare as compare
from wordplane.features.conjunctions import Conjunctions as Conjunctions
from wordplane.features.count_vectorizer import CountVectorizer as CountVectorizer
from wordplane.features.embeddings import WordEmbeddings as WordEmbeddings
from wordplane.features.hashing_vectorizer import HashingVectorizer as HashingVectorizer
from wordplane.features.latent import LatentFeatures as LatentFeatures
from wordplane.features.select import SelectFeatures as SelectFeatures
from wordplane.features.tfidf import TfidfTransformer as TfidfTransformer
from wordplane.features.tfidf import TfidfVectorizer as TfidfVectorizer
from wordplane.features.weighting import Weighting as Weighting
from wordplane.learners.approximate_neighbors import ApproximateNeighbors as ApproximateNeighbors
from wordplane.learners.baselines import MajorityBaseline as MajorityBaseline
from wordplane.learners.baselines import RandomBaseline as RandomBaseline
from wordplane.learners.bernoulli_nb import BernoulliNB as BernoulliNB
from wordplane.learners.complement_nb import ComplementNB as ComplementNB
from wordplane.learners.em import EMNaiveBayes as EMNaiveBayes
from wordplane.learners.ensemble import Bagging as Bagging
from wordplane.learners.ensemble import Ensemble as Ensemble
from wordplane.learners.gaussian_nb import GaussianNB as GaussianNB
from wordplane.learners.hand_set import HandSetWeights as HandSetWeights
from wordplane.learners.joint import JointLinearClassifier as JointLinearClassifier
from wordplane.learners.kernel_svm import KernelSVM as KernelSVM
from wordplane.learners.kmeans import KMeans as KMeans
from wordplane.learners.least_squares import LeastSquares as LeastSquares
from wordplane.learners.least_squares import RidgeClassifier as RidgeClassifier
from wordplane.learners.lexicon_voting import LexiconVoting as LexiconVoting
from wordplane.learners.logistic import LogisticRegression as LogisticRegression
from wordplane.learners.mira import MIRA as MIRA
from wordplane.learners.naive_bayes import MultinomialNB as MultinomialNB
from wordplane.learners.nbsvm import NBSVM as NBSVM
from wordplane.learners.neighbors import KNeighbors as KNeighbors
from wordplane.learners.neighbors import KNeighborsRegressor as KNeighborsRegressor
from wordplane.learners.online_svm import OnlineSVM as OnlineSVM
from wordplane.learners.perceptron import Perceptron as Perceptron
from wordplane.learners.self_training import SelfTraining as SelfTraining
from wordplane.learners.svm import LinearSVM as LinearSVM
from wordplane.model.classifier import TextClassifier as TextClassifier
from wordplane.model.classifier import load as load
from wordplane.text.analyzer import Analyzer as Analyzer
from wordplane.text.lexicon import Lexicon as Lexicon
from wordplane.text.lexicon import LexiconFeatures as LexiconFeatures

__version__: str

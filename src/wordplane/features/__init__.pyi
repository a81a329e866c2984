"""The public names, for type checkers; `__init__.py` loads them when they are first used."""

from wordplane.features.conjunctions import Conjunctions as Conjunctions
from wordplane.features.count_vectorizer import CountVectorizer as CountVectorizer
from wordplane.features.embeddings import WordEmbeddings as WordEmbeddings
from wordplane.features.hashing_vectorizer import HashingVectorizer as HashingVectorizer
from wordplane.features.induction import induce as induce
from wordplane.features.latent import LatentFeatures as LatentFeatures
from wordplane.features.scores import chi2 as chi2
from wordplane.features.scores import corpus_tfidf as corpus_tfidf
from wordplane.features.scores import information_gain as information_gain
from wordplane.features.select import SelectFeatures as SelectFeatures
from wordplane.features.subset_search import dev_error as dev_error
from wordplane.features.subset_search import search_subsets as search_subsets
from wordplane.features.tfidf import TfidfTransformer as TfidfTransformer
from wordplane.features.tfidf import TfidfVectorizer as TfidfVectorizer
from wordplane.features.weighting import Weighting as Weighting

"""A pytest plugin that puts our vectorizers in the place of scikit-learn's."""

import sklearn.feature_extraction.text as text

import wordplane

for name in ("CountVectorizer", "TfidfVectorizer", "TfidfTransformer", "HashingVectorizer"):
    setattr(text, name, getattr(wordplane, name))

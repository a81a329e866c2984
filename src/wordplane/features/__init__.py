"""From texts to a matrix of features.

The way of a text through an analyzer, for models:

    documents (text/documents) + specification (text/analyzer_spec)
      -> text_features    all of it: fit_texts, and TextFeatures for further texts
           stems          replaces words by their stems, if a language is named
           text_counts    counts words, characters and tokens: counting/core, hashing
           scores         selects features by their labels
           dense_features lexica, numbers, vectors, embeddings and categories
           conjunctions   pairs of features
      -> Csr, the matrix; growing adds and removes features later
    fold_counts           counts once for many fits on some of the texts (folds)

and through scikit-learn's classes: document_reader -> count_vectorizer (counting/*), tfidf or
hashing_vectorizer -> SciPy matrix -> weighting, select, latent (svd), plane. cooccurrence -> svd
-> embeddings makes word vectors; induction and subset_search look at features one by one.
"""

from wordplane.common.lazy_names import lazy_names

__all__, __getattr__, __dir__ = lazy_names(
    __name__,
    {
        "conjunctions": "Conjunctions",
        "count_vectorizer": "CountVectorizer",
        "embeddings": "WordEmbeddings",
        "hashing_vectorizer": "HashingVectorizer",
        "induction": "induce",
        "latent": "LatentFeatures",
        "scores": "chi2 corpus_tfidf information_gain",
        "select": "SelectFeatures",
        "subset_search": "dev_error search_subsets",
        "tfidf": "TfidfTransformer TfidfVectorizer",
        "weighting": "Weighting",
    },
)

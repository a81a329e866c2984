"""From tokens to a matrix of features."""

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

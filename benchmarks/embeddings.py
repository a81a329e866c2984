"""Word embeddings on the IMDB reviews: throughput of counting, neighbors, accuracy as features.

python benchmarks/embeddings.py ../shared/datasets/imdb.parquet
"""

import resource
import sys
import time

import polars as pl

from wordplane import Analyzer, KMeans, LogisticRegression, TextClassifier, WordEmbeddings
from wordplane.common.threads import thread_count
from wordplane.features.cooccurrence import CONTEXTS, cooccurrence
from wordplane.text.texts import as_texts

WORDS = ("awful", "hilarious", "director", "1950s")
TFIDF = {"tf": "log", "idf": "smooth", "norm": "l2"}


def peak() -> str:
    return f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6:.1f} GB"


def counting(texts, n_bytes: int) -> None:
    embeddings = WordEmbeddings()
    words, _ = embeddings._frequent_words(texts, thread_count(None))
    for context in CONTEXTS:
        for threads in (1, thread_count(None)):
            began, worked = time.perf_counter(), time.process_time()
            counts = cooccurrence(embeddings._analysis(), words, texts, context, 5, threads)
            seconds, cpu = time.perf_counter() - began, time.process_time() - worked
            print(
                f"{context:8} {threads} threads: {int(counts.sum()) / 1e6:.0f} M pairs of "
                f"{words.n_features:,} words, {counts.nnz / 1e6:.1f} M different, {seconds:.1f} s "
                f"(CPU {cpu:.1f} s), {n_bytes / 1e6 / cpu:.0f} MB per CPU second, {peak()}",
                flush=True,
            )


def accuracies(train: pl.DataFrame, test: pl.DataFrame, embeddings: WordEmbeddings) -> None:
    labels = KMeans(200, spherical=True, n_init=1).fit(embeddings.vectors_).labels_
    pmi = {"pmi": embeddings}
    groups = {
        "word clusters": Analyzer(ngrams=None, embeddings={"kinds": embeddings.clustered(labels)}),
        "centroids": Analyzer(ngrams=None, embeddings=pmi),
        "words": Analyzer(ngrams=(1, 1), **TFIDF),
        "words and centroids": Analyzer(ngrams=(1, 1), embeddings=pmi, **TFIDF),
        "n-grams 1-2": Analyzer(ngrams=(1, 2), **TFIDF),
        "n-grams 1-2 and centroids": Analyzer(ngrams=(1, 2), embeddings=pmi, **TFIDF),
    }
    for name, analyzer in groups.items():
        scores = {}
        for C in (10.0, 100.0):
            model = TextClassifier(analyzer, LogisticRegression(C=C), calibration=None)
            scores[C] = model.fit(train["text"], train["label"]).score(test["text"], test["label"])
        print(f"{name:28}", *(f"C={C:g} {score:.2%}" for C, score in scores.items()), flush=True)


def main() -> None:
    frame = pl.read_parquet(sys.argv[1])
    texts = as_texts(frame["text"])
    counting(texts, int(frame["text"].str.len_bytes().sum()))
    began, worked = time.perf_counter(), time.process_time()
    embeddings = WordEmbeddings().fit(texts)
    seconds, cpu = time.perf_counter() - began, time.process_time() - worked
    print(f"fitted in {seconds:.0f} s (CPU {cpu:.0f} s), {peak()}")
    for word in WORDS:
        print(f"  {word}: {', '.join(near for near, _ in embeddings.neighbors(word))}")
    train, test = (frame.filter(pl.col("split") == part) for part in ("train", "test"))
    for weights in ("tf", "tfidf"):
        print(f"weights={weights}")
        accuracies(train, test, embeddings.set_params(weights=weights))


if __name__ == "__main__":
    main()

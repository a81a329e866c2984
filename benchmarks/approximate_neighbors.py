"""How many of the true neighbors the approximate index finds, on word and document vectors.

    python benchmarks/approximate_neighbors.py [FOLDER OF DATA SETS]

Vectors of the words of all IMDB reviews, and of the 25,000 training reviews as means of them.
Queries are 1,000 words that are not in the index, and 1,000 test reviews. Writes
benchmarks/results/approximate_neighbors.md.
"""

import sys
import time
from pathlib import Path

import numpy as np

import wordplane
from wordplane import KNeighbors, WordEmbeddings
from wordplane.learners.approximate_neighbors import ApproximateNeighbors

HERE = Path(__file__).resolve().parent
N_QUERIES, K = 1000, 10


def cpu_of(job):
    began = time.process_time()
    job()
    return time.process_time() - began


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE.parents[1] / "shared" / "datasets"
    corpus = wordplane.read(folder / "imdb.parquet")
    embeddings = WordEmbeddings().fit(corpus.texts)
    train, test = (corpus.take(corpus.split_rows(part)).texts for part in ("train", "test"))
    order = np.random.default_rng(0).permutation(len(embeddings.vectors_))
    words = embeddings.vectors_[order].astype(float)
    some = np.random.default_rng(0).permutation(len(test))[:N_QUERIES]
    sets = {
        "words": (words[N_QUERIES:], words[:N_QUERIES]),
        "reviews": (embeddings.transform(train), embeddings.transform(test)[some]),
    }
    lines = [
        f"# Recall of the approximate index, {K} neighbors by cosine",
        "",
        f"The share of the true {K} nearest rows that is found, {N_QUERIES:,} queries that are not "
        "in the index; times in CPU seconds, of all queries for the searches. "
        "`python benchmarks/approximate_neighbors.py`",
        "",
        "| vectors | rows x numbers | expansion_search | recall | search | exact search | build |",
        "| --- | --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for name, (rows, queries) in sets.items():
        exact = KNeighbors(n_neighbors=K).fit(rows, np.zeros(len(rows), int))
        exact_time = cpu_of(lambda model=exact, Q=queries: model.kneighbors(Q))
        for expansion in (16, 64, 256):
            index = ApproximateNeighbors(n_neighbors=K, expansion_search=expansion)
            build = cpu_of(lambda index=index, X=rows: index.fit(X))
            search = cpu_of(lambda index=index, Q=queries: index.kneighbors(Q))
            lines.append(
                f"| {name} | {len(rows):,} x {rows.shape[1]} | {expansion} "
                f"| {index.recall(queries):.1%} | {search:.2f} | {exact_time:.1f} | {build:.0f} |"
            )
            print(lines[-1], flush=True)
    path = HERE / "results" / "approximate_neighbors.md"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

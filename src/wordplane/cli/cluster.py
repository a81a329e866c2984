"""`wordplane cluster DATA`"""

import argparse
import csv
from dataclasses import asdict
from pathlib import PurePath

import numpy as np

from wordplane.cli.console import plain, print_json, say_notes, show_progress
from wordplane.cli.options import (
    add_common_options,
    add_data_options,
    add_rows_option,
    has_labels,
    reading_options,
)
from wordplane.cli.outputs import PAGE_ENDING, check_ending, check_output
from wordplane.cli.values import number_range
from wordplane.common.errors import InputError
from wordplane.common.files import whole_file
from wordplane.common.types import CsrMatrix, JsonObject
from wordplane.data.corpus import Corpus
from wordplane.data.read import read
from wordplane.diagnosis.clusters import STOP_WORDS, ClusterSummary, summarize_clusters
from wordplane.features.plane import METHODS, plane
from wordplane.features.tfidf import TfidfVectorizer
from wordplane.learners.kmeans import KMeans
from wordplane.workflow.inputs import choose_rows

EPILOG = """\
Texts are counted without English stop words, weighted by tf-idf, and grouped by spherical k-means
(by k-means with --euclidean). The words of a cluster are those that tell it from the others. With
--seeded, clusters start from the labels that some of the rows have; the rest of the rows may have
none. The page of -o has a map and the central texts of each cluster.

examples:
  wordplane cluster mails.csv -k 12 -o clusters.html
  wordplane cluster mails.csv -k 12 --assign clusters.csv
  wordplane cluster mails.csv --label topic --seeded -k 5
  wordplane cluster reviews.txt --map pca -o clusters.html
  wordplane cluster reviews.txt --map umap -o clusters.html
"""


MOST_POINTS = 1000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("data", nargs="+", help="texts: a file, folder, pattern, - for stdin")
    parser.add_argument(
        "-k", "--clusters", type=int, default=8, metavar="K", help="how many (default: 8)"
    )
    parser.add_argument("-o", "--output", metavar="FILE", help="where the page (.html) is written")
    parser.add_argument("--assign", metavar="FILE", help="write the cluster of every row (.csv)")
    parser.add_argument("--force", action="store_true", help="overwrite existing files")
    parser.add_argument("--seeded", action="store_true", help="start from the labels of the rows")
    parser.add_argument("--euclidean", action="store_true", help="k-means instead of spherical")
    parser.add_argument(
        "--restarts", type=int, default=5, metavar="N", help="starts to choose from (default: 5)"
    )
    parser.add_argument(
        "--ngrams",
        type=number_range,
        default=(1, 1),
        metavar="FROM,TO",
        help="shortest and longest word n-grams (default: 1,1)",
    )
    parser.add_argument(
        "--min-df", type=int, default=2, metavar="N", help="texts a word must occur in (default: 2)"
    )
    parser.add_argument(
        "--max-df",
        type=float,
        default=0.5,
        metavar="SHARE",
        help="largest share of texts with a word (default: 0.5)",
    )
    parser.add_argument(
        "--map", choices=METHODS, help="of the page (default: tsne; umap needs umap-learn)"
    )
    parser.add_argument(
        "--top", type=int, default=10, metavar="N", help="words per cluster (default: 10)"
    )
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="random seed (default: 0)")
    add_rows_option(parser, "all")
    add_common_options(parser)
    add_data_options(parser, labels=True)


def run(args: argparse.Namespace) -> int:
    if args.output:
        check_output(args.output, args.force, args.data)
        check_ending(args.output, PAGE_ENDING, "a page")
    if args.assign:
        check_output(args.assign, args.force, [*args.data, args.output], "--assign")
    args.map = args.map or "tsne"
    if args.top < 1:
        raise InputError(f"--top is {args.top}, expected at least 1")
    with show_progress():
        corpus = read(args.data, labels=has_labels(args), **reading_options(args))
        corpus = choose_rows(corpus, args.rows or "all")
        if corpus.format == "counts":
            raise InputError(f"{corpus.source}: texts are needed, these are counts of words")
        if args.seeded and corpus.labels is None:
            raise InputError(f"{corpus.source}: --seeded needs labels; name them with --label")
        X, names = _matrix(args, corpus)
        kmeans = KMeans(
            args.clusters,
            spherical=not args.euclidean,
            n_init=args.restarts,
            random_state=args.seed,
        ).fit(X, seeds=corpus.labels if args.seeded else None)
        clusters = summarize_clusters(kmeans, X, names, corpus.labels, n_words=args.top)
        if args.output:
            _write_page(args, corpus, clusters, kmeans, X)
        if args.assign:
            _write_rows(args.assign, corpus, kmeans)
    if args.json:
        result = [_as_json(cluster, corpus) for cluster in clusters]
        print_json({"source": corpus.source, "notes": list(corpus.notes), "clusters": result})
        return 0
    say_notes(corpus.notes)
    _print(clusters)
    for what, path in (("page", args.output), ("rows", args.assign)):
        if path:
            print(f"{what}  {plain(path)}")
    return 0


def _matrix(args: argparse.Namespace, corpus: Corpus) -> tuple[CsrMatrix, list[str]]:
    vectorizer = TfidfVectorizer(
        ngram_range=args.ngrams,
        min_df=args.min_df,
        max_df=args.max_df,
        sublinear_tf=True,
        stop_words=sorted(STOP_WORDS),
    )
    try:
        return vectorizer.fit_transform(corpus.texts), vectorizer.get_feature_names_out().tolist()
    except ValueError as error:
        hint = "lower --min-df or raise --max-df"
        raise InputError(f"{corpus.source}: {error} ({hint})") from None


def _write_page(
    args: argparse.Namespace,
    corpus: Corpus,
    summaries: list[ClusterSummary],
    kmeans: KMeans,
    X: CsrMatrix,
) -> None:
    from wordplane.report.clusters import write_cluster_page

    title = PurePath(corpus.source).name or "texts"
    # As many as can be distinguished in a picture.
    shown = np.unique(np.linspace(0, len(corpus) - 1, MOST_POINTS).astype(int))
    points = plane(X[shown], args.map, args.seed)
    clusters = kmeans.labels_[shown]
    write_cluster_page(
        args.output, title, summaries, corpus.texts, clusters, points, args.map, corpus.notes
    )


def _write_rows(path: str, corpus: Corpus, kmeans: KMeans) -> None:
    ids = corpus.ids or [str(row) for row in range(1, len(corpus) + 1)]
    with whole_file(path) as draft, draft.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("id", "cluster"))
        writer.writerows(zip(ids, kmeans.labels_.tolist(), strict=True))


def _as_json(cluster: ClusterSummary, corpus: Corpus) -> JsonObject:
    ids = corpus.ids or [str(row) for row in range(1, len(corpus) + 1)]
    return {
        **asdict(cluster),
        "words": [word for word, _ in cluster.words],
        "central": [ids[row] for row in cluster.central],
        "labels": {str(label): n for label, n in cluster.labels.items()},
    }


def _print(clusters: list[ClusterSummary]) -> None:
    print("cluster   texts  words")
    for c in clusters:
        name = str(c.cluster) if c.seed is None else f"{c.cluster} {c.seed}"
        words = ", ".join(word for word, _ in c.words)
        print(f"{plain(name):7}  {c.n:>6,}  {plain(words)}")
        if c.labels:
            total = sum(c.labels.values())
            shares = [f"{label} {n / total:.0%}" for label, n in list(c.labels.items())[:4]]
            print(f"{'':15}  labels: {plain(', '.join(shares))}")

"""`wordplane lexicon DATA`"""

import argparse
from collections.abc import Iterable
from dataclasses import asdict

import numpy as np

from wordplane.cli.console import plain, print_json, say_notes, show_progress
from wordplane.cli.options import (
    add_common_options,
    add_data_options,
    add_rows_option,
    reading_options,
)
from wordplane.cli.outputs import check_output
from wordplane.cli.values import number_range
from wordplane.common.errors import InputError
from wordplane.common.labels import as_labels
from wordplane.common.types import JsonObject, Label
from wordplane.data.corpus import Corpus, RowLabels
from wordplane.data.read import read
from wordplane.features.induction import MIN_ODDS, Induction, MiniClassifier, induce
from wordplane.text.analyzer import Analyzer
from wordplane.workflow.inputs import choose_rows, refuse_sets

EPILOG = """\
Every word or n-gram is a small classifier: "texts that contain it are of this class".
n is the number of texts that contain it; the list is sorted by F1. Words that are everywhere
say nothing: only those are listed that at least double the odds of their class (--min-odds).

The file of -o has the --top words for the class and as many against it, one per line with its
score: the share of the class among the texts with the word, less its share among all texts.

examples:
  wordplane lexicon reviews.csv
  wordplane lexicon reviews.csv --class positive --ngrams 1,1 --top 500 -o positive.txt
  wordplane lexicon mails.parquet --min-df 20 --json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("data", nargs="+", help="labeled texts: a file, folder, pattern, -")
    parser.add_argument(
        "--class", dest="label_of", metavar="LABEL", help="list only the words of this class"
    )
    parser.add_argument(
        "--ngrams",
        type=number_range,
        metavar="FROM,TO",
        help="shortest and longest word n-grams (default: 1,2)",
    )
    parser.add_argument(
        "--min-df", type=int, default=5, metavar="N", help="texts a word must occur in (default: 5)"
    )
    parser.add_argument(
        "--min-odds",
        type=float,
        default=MIN_ODDS,
        metavar="X",
        help=f"factor by which it must raise the odds of its class (default: {MIN_ODDS:g})",
    )
    parser.add_argument(
        "--top", type=int, default=50, metavar="N", help="words to list (default: 50)"
    )
    parser.add_argument("-o", "--output", metavar="FILE", help="where the lexicon is written")
    parser.add_argument("--force", action="store_true", help="overwrite an existing file")
    add_rows_option(parser, "all but those marked test")
    add_common_options(parser)
    add_data_options(parser, labels=True)


def run(args: argparse.Namespace) -> int:
    if args.output:
        check_output(args.output, args.force, args.data)
    if args.top < 1:
        raise InputError(f"--top is {args.top}, expected at least 1")
    if not args.min_odds >= 0:
        raise InputError(f"--min-odds is {args.min_odds}, expected 0 or more")
    with show_progress():
        corpus = _without_test(
            read(args.data, require_label=True, **reading_options(args)), args.rows
        )
        refuse_sets(corpus, "lexicon")
        label = _class_named(corpus.labels or [], args.label_of)
        induction = induce(
            corpus.texts,
            as_labels(corpus.labels),
            analyzer=_analyzer(corpus, args.ngrams),
            min_df=args.min_df,
            n_jobs=args.threads,
        )
        records = induction.records(label, top=args.top, min_odds=args.min_odds)
    notes: list[str] = list(corpus.notes)
    if corpus.weights is not None:
        notes.append("the weights of the rows are not used: every text counts once")
    written = None
    if args.output:
        written = _write(args, induction, label, corpus.source)
    if args.json:
        print_json(_result(corpus, notes, induction, records, written))
        return 0
    say_notes(notes)
    _print(records)
    if written:
        print(
            f"\nlexicon  {plain(args.output)}: {written['n']:,} words for and against "
            f"{plain(repr(written['class']))}"
        )
    return 0


def _without_test(corpus: Corpus, wish: str | None) -> Corpus:
    """The rows to learn from: never, unless asked for, those that something is measured on."""
    if wish is not None or corpus.split is None:
        chosen = choose_rows(corpus, wish or "all")
    else:
        chosen = corpus.take(np.flatnonzero(np.array(corpus.split) != "test"))
    if len(chosen) == 0:
        raise InputError(f"{corpus.source}: there is no row to learn from; choose some with --rows")
    return chosen


def _analyzer(corpus: Corpus, ngrams: tuple[int, int] | None) -> Analyzer:
    if corpus.has_counts:
        return Analyzer(tokens="counts", ngrams=ngrams or (1, 1))
    return Analyzer(ngrams=ngrams or (1, 2))


def _class_named(labels: Iterable[RowLabels], wish: str | None) -> Label | None:
    if wish is None:
        return None
    known = {str(label): label for label in labels if isinstance(label, Label)}
    if wish not in known:
        shown = ", ".join(sorted(known)[:10])
        raise InputError(f"--class is {wish!r}, expected one of the labels {shown}")
    return known[wish]


def _write(
    args: argparse.Namespace, induction: Induction, label: Label | None, source: str
) -> JsonObject:
    if label is None and len(induction.classes) > 2:
        raise InputError("a lexicon is for one class: name it with --class")
    label = induction.classes[1] if label is None else label
    lexicon = induction.lexicon(label, top=args.top, min_odds=args.min_odds)
    lexicon.write(args.output, f"P({label} | word) - P({label}), from {source}")
    return {"file": args.output, "class": label, "n": len(lexicon)}


def _result(
    corpus: Corpus,
    notes: list[str],
    induction: Induction,
    records: list[MiniClassifier],
    written: JsonObject | None,
) -> JsonObject:
    sizes = zip(induction.classes, induction.n_docs.tolist(), strict=True)
    return {
        "source": corpus.source,
        "notes": notes,
        "n_texts": len(corpus),
        "classes": {str(label): int(n) for label, n in sizes},
        "words": [
            {"word": r.word, "class": r.label}
            | {key: value for key, value in asdict(r).items() if key not in ("word", "label")}
            for r in records
        ],
        "lexicon": written,
    }


def _print(records: list[MiniClassifier]) -> None:
    if not records:
        print("no word speaks for any class; lower --min-df or --min-odds")
        return
    words = [plain(r.word) for r in records]
    labels = [plain(r.label) for r in records]
    width, class_width = (max(map(len, names)) for names in (["word", *words], ["class", *labels]))
    print(f"{'word':{width}}  {'class':{class_width}}  {'n':>8}  precision  recall     F1")
    for word, label, r in zip(words, labels, records, strict=True):
        figures = f"{r.precision:>9.1%}  {r.recall:>6.1%}  {r.f1:>5.1%}"
        print(f"{word:{width}}  {label:{class_width}}  {r.n:>8,}  {figures}")

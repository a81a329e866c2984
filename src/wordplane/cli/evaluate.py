"""`wordplane evaluate MODEL DATA`"""

import argparse
from dataclasses import replace
from typing import Any

import numpy as np

from wordplane.cli.options import (
    accuracy_text,
    add_common_options,
    add_data_options,
    add_rows_option,
    add_seed_option,
    chosen_rows,
    load_model,
    plain,
    print_json,
    progress_bar,
    read_for,
    reader_arguments,
    say,
    scores_lines,
)
from wordplane.common.errors import InputError
from wordplane.common.label_sets import LabelSets, are_label_sets, as_label_sets
from wordplane.common.labels import as_model_labels, check_known
from wordplane.common.progress import listen
from wordplane.data.corpus import Corpus, label_tuple
from wordplane.evaluation.confusion import most_confused
from wordplane.evaluation.metrics import ClassScores, Scores, score
from wordplane.evaluation.reliability import Reliability, brier_score, top_label_reliability
from wordplane.evaluation.set_scores import score_sets
from wordplane.learners.support.base import best_class
from wordplane.model.classifier import TextClassifier
from wordplane.model.fingerprint import TRAINED_ON, trained_on

EPILOG = """\
If the data has a column `split`, the rows marked test are measured; --rows chooses others.
Measured on rows it was trained on, a model looks better than it is.

examples:
  wordplane evaluate m.wordplane test.csv
  wordplane evaluate m.wordplane reviews.parquet --rows test --json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", help="a model that `train` wrote")
    parser.add_argument("data", nargs="+", help="labelled texts: a file, folder, pattern, -")
    add_rows_option(parser, "test if there are any, else all")
    add_seed_option(parser)
    add_common_options(parser)
    add_data_options(parser, labels=True)


def run(args: argparse.Namespace) -> int:
    model = load_model(args)
    with progress_bar() as show, listen(show):
        # Rows without a label are nothing wrong where a row may have any number of them.
        corpus = read_for(model, reader_arguments(args), require_label=not model.is_multilabel)
        wanted = args.rows or ("test" if corpus.split and "test" in corpus.split else "all")
        corpus = chosen_rows(corpus, wanted)
        if len(corpus) == 0:
            raise InputError(f"{corpus.source}: no row is marked {wanted}")
        if trained_on(model.training_, corpus):
            corpus = replace(corpus, notes=(*corpus.notes, TRAINED_ON))
        if model.is_multilabel or are_label_sets(corpus.labels or []):
            return _measure_sets(model, corpus, wanted, as_json=args.json)
        truth = as_model_labels(corpus.labels or [], model.classes_)
        classes = model.classes_
        check_known(truth.tolist(), classes, corpus.source)
        z = model.decision_function(corpus)
        said, P = classes[best_class(z, len(classes))], model.probabilities_of(z)
        scores = score(truth, said, probabilities=P, classes=classes, random_state=args.seed)
        reliable = top_label_reliability(truth, P, classes=classes)
    mistakes = most_confused(truth, said, 5)
    if args.json:
        more = {
            "brier": brier_score(truth, P, classes=classes),
            "reliability": reliable.to_dict(),
            "most_confused": mistakes,
        }
        print_json({"rows": wanted, "notes": list(corpus.notes), **scores.to_dict(), **more})
        return 0
    for note in corpus.notes:
        say(f"note: {note}")
    _print(scores, reliable, mistakes, wanted)
    unknown = set(truth.tolist()) - set(classes.tolist())
    if unknown:
        named = ", ".join(sorted(map(repr, unknown)))
        say(f"note: the model does not know the labels {named}")
    return 0


def _measure_sets(model: TextClassifier, corpus: Corpus, rows: str, *, as_json: bool) -> int:
    """The same for a model of sets of labels."""
    if not model.is_multilabel:
        raise InputError(f"{corpus.source} has several labels per text, the model gives one")
    if not are_label_sets(corpus.labels or []):
        raise InputError(
            f"{corpus.source} has one label per text, the model gives sets of labels: say what is "
            "between the labels with --label-separator, or give lists (JSONL, Parquet)"
        )
    sets = [
        as_model_labels(label_tuple(labels), model.classes_).tolist()
        for labels in corpus.labels or []
    ]
    truth = as_label_sets(sets)
    check_known(truth.classes.tolist(), model.classes_, corpus.source)
    found = model.labels_of(model.decision_function(corpus))
    assert isinstance(found, LabelSets)
    known = model.classes_.tolist()
    unknown = sorted(set(truth.classes.tolist()) - set(known), key=str)
    everything = np.array([*known, *unknown], dtype=object)
    scores = score_sets(truth.with_classes(everything), found.with_classes(everything))
    if as_json:
        print_json({"rows": rows, "notes": list(corpus.notes), **scores.to_dict()})
        return 0
    for note in corpus.notes:
        say(f"note: {note}")
    print(f"measured  {scores.n:,} texts" + ("" if rows == "all" else f" marked {rows}"))
    for line in scores_lines(scores.to_dict()):
        print(line)
    _print_classes(scores.classes)
    if unknown:
        say(f"note: the model does not know the labels {', '.join(map(repr, unknown))}")
    return 0


def _print(
    scores: Scores, reliable: Reliability, mistakes: list[tuple[Any, Any, float]], rows: str
) -> None:
    print(f"measured  {scores.n:,} texts" + ("" if rows == "all" else f" marked {rows}"))
    print(f"accuracy  {accuracy_text(scores.to_dict())}, random {scores.random_accuracy:.1%}")
    print(
        f"macro F1  {scores.macro_f1:.1%} (95 % interval {_between(scores.macro_f1_interval)}); "
        f"always {plain(repr(scores.majority_label))} would be {scores.majority_macro_f1:.1%}, "
        f"random {scores.random_macro_f1:.1%}"
    )
    if scores.log_loss is not None and scores.log_loss_interval is not None:
        low, high = scores.log_loss_interval
        print(
            f"log-loss  {scores.log_loss:.4f} (95 % interval {low:.4f} to {high:.4f}); "
            f"the shares of the classes would be {scores.prior_log_loss:.4f}"
        )
    print(
        f"sure      {reliable.confidence:.1%} on average, and right {reliable.right:.1%}; "
        f"calibration error {reliable.ece:.1%}"
    )
    width = _print_classes(scores.classes)
    macro = f"{scores.macro_precision:>9.1%}  {scores.macro_recall:>6.1%}  {scores.macro_f1:>6.1%}"
    print(f"{'macro':{width}}  {scores.n:>8,}  {macro}")
    if mistakes:
        print("\ncommonest mistakes")
    for true, said, n in mistakes:
        print(f"  {n:,.0f} of {plain(true)} called {plain(said)}")


def _print_classes(classes: tuple[ClassScores, ...]) -> int:
    """A table with a row per class; returns the width of its first column."""
    width = max(len("label"), *(len(plain(c.label)) for c in classes))
    print(f"\n{'label':{width}}  {'texts':>8}  precision  recall      F1")
    for c in classes:
        row = f"{c.precision:>9.1%}  {c.recall:>6.1%}  {c.f1:>6.1%}"
        print(f"{plain(c.label):{width}}  {c.n:>8,}  {row}")
    return width


def _between(interval: tuple[float, float]) -> str:
    low, high = interval
    return f"{low:.1%} to {high:.1%}"

"""`wordplane evaluate MODEL DATA`"""

import argparse
from typing import Any

import numpy as np

import wordplane
from wordplane.cli.options import (
    accuracy_text,
    add_common_options,
    add_data_options,
    add_rows_option,
    add_seed_option,
    chosen_rows,
    plain,
    print_json,
    progress_bar,
    reader_arguments,
    say,
)
from wordplane.data.read import read
from wordplane.errors import InputError
from wordplane.evaluation.confusion import most_confused
from wordplane.evaluation.metrics import Scores, score
from wordplane.evaluation.reliability import Reliability, brier_score, top_label_reliability
from wordplane.learners.base import best_class
from wordplane.progress import listen

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
    model = wordplane.load(args.model)
    model.n_jobs = args.threads
    args.extra = model.analyzer.column_kinds() if model.analyzer else {}
    with progress_bar() as show, listen(show):
        corpus = read(require_label=True, **reader_arguments(args))
        wanted = args.rows or ("test" if corpus.split and "test" in corpus.split else "all")
        corpus = chosen_rows(corpus, wanted)
        if len(corpus) == 0:
            raise InputError(f"{corpus.source}: no row is marked {wanted}")
        truth = _as_model_labels(corpus.labels or [], model.classes_)
        classes = model.classes_
        _check_known(truth, classes, corpus.source)
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


def _as_model_labels(labels: list[Any], classes: Any) -> Any:
    """Labels of a file whose format has strings only, as the labels that the model knows."""
    if isinstance(classes.tolist()[0], str):
        return np.array([str(label) for label in labels], dtype=object)
    known = {str(label): label for label in classes.tolist()}
    return np.array([known.get(str(label), label) for label in labels], dtype=object)


def _check_known(truth: Any, classes: Any, source: str) -> None:
    found, known = set(truth.tolist()), set(classes.tolist())
    if found.isdisjoint(known):
        some, expected = (", ".join(sorted(map(repr, labels))[:5]) for labels in (found, known))
        raise InputError(
            f"{source}: the model knows none of the labels ({some}); it was trained on others "
            f"({expected}): name the right column with --label"
        )


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
    width = max(len("label"), *(len(plain(c.label)) for c in scores.classes))
    print(f"\n{'label':{width}}  {'texts':>8}  precision  recall      F1")
    for c in scores.classes:
        row = f"{c.precision:>9.1%}  {c.recall:>6.1%}  {c.f1:>6.1%}"
        print(f"{plain(c.label):{width}}  {c.n:>8,}  {row}")
    macro = f"{scores.macro_precision:>9.1%}  {scores.macro_recall:>6.1%}  {scores.macro_f1:>6.1%}"
    print(f"{'macro':{width}}  {scores.n:>8,}  {macro}")
    if mistakes:
        print("\ncommonest mistakes")
    for true, said, n in mistakes:
        print(f"  {n:,.0f} of {plain(true)} called {plain(said)}")


def _between(interval: tuple[float, float]) -> str:
    low, high = interval
    return f"{low:.1%} to {high:.1%}"

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
    chosen_rows,
    plain,
    print_json,
    progress_bar,
    reader_arguments,
    say,
)
from wordplane.data.read import read
from wordplane.errors import InputError
from wordplane.evaluation.metrics import Scores, score
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
        scores = score(truth, model.predict(corpus))
    if args.json:
        print_json({"rows": wanted, "notes": list(corpus.notes), **scores.to_dict()})
        return 0
    for note in corpus.notes:
        say(f"note: {note}")
    _print(scores, wanted, set(truth.tolist()) - set(model.classes_.tolist()))
    return 0


def _as_model_labels(labels: list[Any], classes: Any) -> Any:
    """Labels of a file whose format has strings only, as the labels that the model knows."""
    if isinstance(classes.tolist()[0], str):
        return np.array([str(label) for label in labels], dtype=object)
    known = {str(label): label for label in classes.tolist()}
    return np.array([known.get(str(label), label) for label in labels], dtype=object)


def _print(scores: Scores, rows: str, unknown: set[Any]) -> None:
    print(f"measured  {scores.n:,} texts" + ("" if rows == "all" else f" marked {rows}"))
    print(f"accuracy  {accuracy_text(scores.to_dict())}")
    width = max(len("label"), *(len(plain(c.label)) for c in scores.classes))
    print(f"\n{'label':{width}}  {'texts':>8}  precision  recall     F1")
    for c in scores.classes:
        row = f"{c.precision:>9.1%}  {c.recall:>6.1%}  {c.f1:>5.1%}"
        print(f"{plain(c.label):{width}}  {c.n:>8,}  {row}")
    if unknown:
        named = ", ".join(sorted(map(repr, unknown)))
        say(f"note: the model does not know the labels {named}")

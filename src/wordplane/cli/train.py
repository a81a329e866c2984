"""`wordplane train DATA -o MODEL`"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordplane.classifier import TextClassifier, default_analyzer
from wordplane.cli.options import (
    accuracy_text,
    add_analyzer_options,
    add_common_options,
    add_data_options,
    check_output,
    given_parameters,
    natural,
    plain,
    print_json,
    progress_bar,
    reader_arguments,
    say,
)
from wordplane.data.corpus import Corpus
from wordplane.data.encoding import STDIN
from wordplane.data.read import read
from wordplane.errors import InputError
from wordplane.evaluation.metrics import score
from wordplane.labels import as_labels
from wordplane.learners.for_text import LEARNERS, learner_named
from wordplane.learners.self_training import SelfTraining
from wordplane.progress import listen
from wordplane.text.documents import Documents

EPILOG = """\
The model is first trained on nine tenths of the texts and measured on the tenth that it has
not seen; then it is trained again on all of them and saved. If the data has a column `split`,
it is trained on the rows marked train and measured on those marked test (or, if there are
none, dev), which it is never trained on.

examples:
  wordplane train reviews.csv                        writes reviews.wordplane
  wordplane train tickets.jsonl --text subject --text body --label queue -o tickets.wordplane
  wordplane train 'mails/*.csv.gz' --encoding cp1252 --ngrams 1,3 --min-df 2
  wordplane train posts/                             one folder per class
  wordplane train tweets.csv --chars 2,6 --negation --suffixes 2,3 --shapes --lexica mood.tsv
  wordplane train mails.csv --extra n_links --extra sender
  wordplane train reviews.csv --learner nb --param alpha=0.1 --json
  wordplane train few.csv --unlabeled many.txt       by EM naive Bayes
  wordplane train few.csv --unlabeled many.txt --learner logistic    by self-training
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "data", nargs="+", help="labelled texts: a file, a folder per class, a pattern, - for stdin"
    )
    parser.add_argument("-o", "--output", metavar="MODEL", help="where the model is written")
    parser.add_argument("--force", action="store_true", help="overwrite an existing model")
    parser.add_argument(
        "--no-test", action="store_true", help="do not measure: train once, on all rows"
    )
    parser.add_argument(
        "--learner",
        choices=("recipe", *LEARNERS),
        default="recipe",
        help="how weights are found (default: recipe)",
    )
    parser.add_argument(
        "--unlabeled",
        metavar="FILE",
        help="texts without labels to learn from too: by EM naive Bayes, or by self-training of "
        "the learner that is named",
    )
    parser.add_argument(
        "--calibration",
        choices=("holdout", "cv", "none"),
        default="holdout",
        help="what probabilities are fitted on: the rows held out, all in five folds, or nothing",
    )
    parser.add_argument(
        "--param", action="append", default=[], metavar="NAME=VALUE", help="set one of the learner"
    )
    parser.add_argument(
        "--seed", type=natural, default=0, metavar="N", help="of the split (default: 0)"
    )
    add_common_options(parser)
    add_analyzer_options(parser)
    add_data_options(parser, labels=True)


def run(args: argparse.Namespace) -> int:
    output = args.output or default_output(args.data)
    check_output(output, args.force)
    classifier, given = make_classifier(args), given_parameters(args)
    with progress_bar() as show, listen(show):
        corpus = read(require_label=True, **reader_arguments(args))
        fit_to_data(classifier, corpus, given)
        more = None
        if args.unlabeled is not None:
            wish = {"source": [args.unlabeled], "label": None, "weight": None, "labels": False}
            more = read(**{**reader_arguments(args), **wish, "extra": ()})
        result = train(corpus, classifier, output, test=not args.no_test, unlabeled=more)
    if args.json:
        print_json(result)
    else:
        print_summary(result)
    return 0


def make_classifier(args: argparse.Namespace) -> TextClassifier:
    """The classifier that the options ask for."""
    learner = None if args.learner == "recipe" else learner_named(args.learner)
    params = dict(parameter(text) for text in args.param)
    unlabeled = args.unlabeled is not None
    if unlabeled and learner is None:
        learner = learner_named("em")
    if params and learner is None:
        raise InputError("--param sets a parameter of a learner: name it with --learner")
    if learner is not None:
        learner.set_params(**params)
    if unlabeled and args.learner not in ("recipe", "em"):
        learner = SelfTraining(learner)
    calibration = None if args.calibration == "none" or args.no_test else args.calibration
    return TextClassifier(
        None, learner, calibration=calibration, n_jobs=args.threads, random_state=args.seed
    )


def fit_to_data(classifier: TextClassifier, corpus: Corpus, given: dict[str, Any]) -> None:
    """The analyzer that options and data ask for: they change what suits the learner."""
    if corpus.extras:
        kinds = {
            name: "number" if all(isinstance(value, float) for value in values) else "category"
            for name, values in corpus.extras.items()
        }
        given = {**given, "columns": kinds}
    if corpus.format == "counts" and "tokens" not in given:
        classifier.learner = classifier.learner or learner_named("nb")
        given = {"tokens": "counts", "ngrams": (1, 1), **given}
    if given:
        suited = default_analyzer(classifier.learner, Documents(corpus.texts))
        classifier.analyzer = suited.set_params(**given)
        classifier.analyzer.check()


def train(
    corpus: Corpus,
    classifier: TextClassifier,
    output: str,
    *,
    test: bool,
    unlabeled: Corpus | None = None,
) -> dict[str, Any]:
    """Measure on held-out rows, train on all training rows, save; returns what to report."""
    labels = as_labels(corpus.labels)
    train_rows = train_rows_of(corpus)
    marked, marked_rows = "test", corpus.split_rows("test")
    if len(marked_rows) == 0:
        marked, marked_rows = "dev", corpus.split_rows("dev")
    if len(set(labels[train_rows].tolist())) < 2:
        raise InputError(
            f"{corpus.source}: every text has the label {labels[train_rows].tolist()[0]!r}; "
            "a classifier needs at least two different ones"
        )

    classifier.fit(
        corpus.take(train_rows),
        labels[train_rows],
        None if corpus.weights is None else corpus.weights[train_rows],
        unlabeled=unlabeled,
    )
    scores, tested_on = None, "not tested"
    if test and len(marked_rows) > 0:
        scores = score(labels[marked_rows], classifier.predict(corpus.take(marked_rows)))
        tested_on = f"marked {marked}, never trained on"
    elif hasattr(classifier, "holdout_"):
        held = train_rows[classifier.holdout_.rows]
        scores = score(labels[held], classifier.holdout_.predicted)
        n_others = len(train_rows) - len(held)
        tested_on = f"held out, by a model trained on the other {n_others:,}"
    elif test and classifier.calibration == "holdout":
        tested_on = "not tested: no class has a row to spare"

    result = {
        "source": corpus.source,
        "notes": list(corpus.notes),
        "n_rows": len(corpus),
        "n_train": len(train_rows),
        "n_unlabeled": 0 if unlabeled is None else len(unlabeled),
        "n_test": 0 if scores is None else scores.n,
        "classes": {str(label): n for label, n in sorted(Counter(labels.tolist()).items())},
        "tested_on": tested_on,
        "scores": None if scores is None else scores.to_dict(),
        "n_features": classifier.n_features,
    }
    # Of the data's place only the name: the rest is nobody's business who gets the model.
    classifier.training_.update(
        source=Path(corpus.source).name,
        text_columns=list(corpus.text_columns),
        tested_on=tested_on,
        scores=result["scores"],
    )
    classifier.save(output)
    return {**result, "model": output, "model_bytes": Path(output).stat().st_size}


def train_rows_of(corpus: Corpus) -> NDArray[np.int64]:
    """The rows that may be trained on; there must be some."""
    rows = corpus.split_rows("train")
    if len(rows) == 0:
        raise InputError(f"{corpus.source}: no row is marked train; none is left to train on")
    return rows


def print_summary(result: dict[str, Any]) -> None:
    """The result for a person."""
    for note in result["notes"]:
        say(f"note      {note}")
    classes = [f"{plain(label)} {n:,}" for label, n in result["classes"].items()]
    shown = ", ".join(classes[:8]) + (f" and {len(classes) - 8} more" if len(classes) > 8 else "")
    n_rows, n_classes = result["n_rows"], len(classes)
    print(f"read      {result['source']}: {n_rows:,} texts, {n_classes} classes ({shown})")
    scores = result["scores"]
    if scores is None:
        print(f"accuracy  {result['tested_on']}")
    else:
        print(f"tested    on {result['n_test']:,} texts {result['tested_on']}")
        print(f"accuracy  {accuracy_text(scores)}")
    print(
        f"model     {result['model']} ({_size(result['model_bytes'])}, "
        f"{result['n_features']:,} features), trained on {result['n_train']:,} texts"
        + (f" and {result['n_unlabeled']:,} without labels" if result["n_unlabeled"] else "")
    )
    sys.stdout.flush()


def _size(n_bytes: int) -> str:
    return f"{n_bytes / 1e6:.1f} MB" if n_bytes >= 1e6 else f"{n_bytes / 1e3:.0f} kB"


def default_output(sources: Iterable[str]) -> str:
    """reviews.csv.gz becomes reviews.wordplane, in the current folder."""
    first = next(iter(sources))
    name = Path(first).resolve().name.split(".")[0]
    if not name or first == STDIN or any(c in name for c in "*?["):
        name = "model"
    return f"{name}.wordplane"


def parameter(text: str) -> tuple[str, Any]:
    """'C=0.1' as ('C', 0.1): numbers, True, False and JSON as what they are, else a string."""
    name, equals, value = text.partition("=")
    if not equals:
        raise InputError(f"--param is {text!r}, expected NAME=VALUE such as alpha=0.1")
    if value in ("True", "False"):
        return name, value == "True"
    try:
        return name, json.loads(value)
    except json.JSONDecodeError:
        return name, value

"""`wordplane train DATA -o MODEL`"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordplane.cli.options import (
    add_analyzer_options,
    add_common_options,
    add_data_options,
    add_seed_option,
    check_output,
    given_parameters,
    learner_name,
    plain,
    print_json,
    progress_bar,
    read_for,
    reader_arguments,
    say,
    scores_lines,
    seconds,
)
from wordplane.common.errors import InputError
from wordplane.common.label_sets import LabelSets, are_label_sets, as_labels_or_sets, count_classes
from wordplane.common.labels import as_model_labels
from wordplane.common.progress import listen
from wordplane.data.corpus import Corpus
from wordplane.data.encoding import STDIN
from wordplane.data.read import read
from wordplane.evaluation.metrics import Scores, score
from wordplane.evaluation.set_scores import SetScores, score_sets
from wordplane.learners.registry import LEARNERS, learner_named
from wordplane.learners.resuming import resumable_names
from wordplane.learners.self_training import SelfTraining
from wordplane.model.classifier import TextClassifier, classifier_of, default_analyzer, load
from wordplane.model.fingerprint import mark
from wordplane.text.documents import Documents

Labels = NDArray[Any] | LabelSets

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
  wordplane train tweets.csv --features word,char,suffix --suffixes 3,4     these groups only
  wordplane train mails.csv --extra n_links --extra sender
  wordplane train posts.csv --label tags --label-separator '|'    several labels per text, or none
  wordplane train monday.csv --learner perceptron --resumable -o m.wordplane
  wordplane train tuesday.csv --from m.wordplane -o m.wordplane --force
  wordplane train reviews.csv --learner nb --param alpha=0.1 --json
  wordplane train reviews.csv --tune --budget 60s    look for better parameters first
  wordplane train reviews.csv --report reviews.html  a page to look at
  wordplane train few.csv --unlabeled many.txt       by EM naive Bayes
  wordplane train few.csv --unlabeled many.txt --learner logistic    by self-training
"""


MANY = 20  # texts, of which most should share their label with another


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "data", nargs="+", help="labelled texts: a file, a folder per class, a pattern, - for stdin"
    )
    parser.add_argument("-o", "--output", metavar="MODEL", help="where the model is written")
    parser.add_argument("--force", action="store_true", help="overwrite an existing model")
    parser.add_argument(
        "--no-test", action="store_true", help="do not measure: train once, on all rows"
    )
    add_learner_options(parser)
    parser.add_argument(
        "--from",
        dest="from_model",
        metavar="MODEL",
        help="go on with this model, its features and classes: naive Bayes and online learners",
    )
    parser.add_argument(
        "--resumable",
        action="store_true",
        help="keep in the model what --from needs, several times the size of the weights",
    )
    parser.add_argument(
        "--unlabeled",
        metavar="FILE",
        help="texts without labels to learn from too: by EM naive Bayes (with alpha=loo), or by "
        "self-training of the learner that is named",
    )
    parser.add_argument(
        "--calibration",
        choices=("holdout", "cv", "none"),
        default="holdout",
        help="what probabilities are fitted on: the rows held out, all in five folds, or nothing",
    )
    parser.add_argument(
        "--report", metavar="FILE", help="also write a page to look at, as `wordplane report` does"
    )
    parser.add_argument(
        "--tune",
        action="store_true",
        help="first find parameters of the learner by five folds, without the rows measured on "
        "(`wordplane tune` shows more)",
    )
    parser.add_argument(
        "--budget", type=seconds, metavar="TIME", help="for --tune, such as 60s or 5m"
    )
    add_seed_option(parser)
    add_common_options(parser)
    add_analyzer_options(parser)
    add_data_options(parser, labels=True)


def add_learner_options(parser: argparse.ArgumentParser) -> None:
    """Which learner, and its parameters."""
    parser.add_argument(
        "--learner",
        type=learner_name,
        choices=("recipe", *LEARNERS),
        default="recipe",
        help="how weights are found (default: recipe)",
    )
    parser.add_argument(
        "--param", action="append", default=[], metavar="NAME=VALUE", help="set one of the learner"
    )


def run(args: argparse.Namespace) -> int:
    reading = reader_arguments(args)
    output = args.output or default_output(args.data)
    inputs = [*args.data, args.unlabeled]
    check_output(output, args.force, inputs)
    if args.report is not None:
        check_output(args.report, args.force, [*inputs, output, args.from_model], "--report")
        if args.no_test:
            raise InputError("--report needs rows to measure on: leave out --no-test")
        from wordplane.plots.style import altair

        altair()  # if it is missing, nobody waits for the rest
    classifier = make_classifier(args, unlabeled=args.unlabeled is not None)
    given = given_parameters(args)
    if args.budget is not None and not args.tune:
        raise InputError("--budget is the time for --tune: give that too")
    if args.tune and (args.from_model or args.unlabeled):
        raise InputError("--tune goes neither with --from nor with --unlabeled")
    if args.from_model:
        classifier = _loaded(args, given)
    else:
        if args.resumable and args.learner not in resumable_names():
            raise InputError(
                f"--learner {args.learner} cannot go on learning; these can: "
                f"{', '.join(resumable_names())}"
            )
        classifier.calibration = (
            None if args.no_test or args.calibration == "none" else args.calibration
        )
    with progress_bar() as show, listen(show):
        if args.from_model:
            corpus = read_for(classifier, reading, require_label=True)
            if are_label_sets(corpus.labels):
                raise InputError(f"{corpus.source} has several labels per text, the model one")
            labels = as_model_labels(corpus.labels or [], classifier.classes_)
            corpus = replace(corpus, labels=labels.tolist())
        else:
            corpus = read(require_label=True, **reading)
            fit_to_data(classifier, corpus, given)
        if args.tune:
            from wordplane.cli.tune import tuned

            tuned(classifier, corpus, args.budget)
        more = None
        if args.unlabeled is not None:
            wish = {"source": [args.unlabeled], "label": None, "weight": None, "labels": False}
            wish["skip_unlabeled"] = False
            more = read(**{**reading, **wish, "extra": ()})
        result = train(
            corpus,
            classifier,
            output,
            test=not args.no_test,
            further=bool(args.from_model),
            resumable=args.resumable or bool(args.from_model),
            unlabeled=more,
            report=args.report,
        )
    if args.json:
        print_json(result)
    else:
        print_summary(result)
    if args.report is not None and result["report"] is None:
        how = "give more texts of each class"
        if classifier.calibration != "holdout":
            how = f"leave out --calibration {args.calibration}"
        raise InputError(
            f"the model is saved, but no report: nothing was measured; {how}, or mark rows as test "
            "in a column `split`"
        )
    return 0


def make_classifier(args: argparse.Namespace, *, unlabeled: bool = False) -> TextClassifier:
    """The classifier that the options ask for, if `unlabeled` one that also learns from texts
    without labels."""
    learner = None if args.learner == "recipe" else learner_named(args.learner)
    params = dict(parameter(text) for text in args.param)
    if unlabeled and args.learner in ("recipe", "em"):
        learner = learner_named("em")
        if params.get("model") != "bernoulli":
            params = {"alpha": "loo", **params}
    if params and learner is None:
        raise InputError("--param sets a parameter of a learner: name it with --learner")
    if learner is not None:
        learner.set_params(**params)
    if unlabeled and args.learner not in ("recipe", "em"):
        learner = SelfTraining(learner)
    return TextClassifier(None, learner, n_jobs=args.threads, random_state=args.seed)


def _loaded(args: argparse.Namespace, given: dict[str, Any]) -> TextClassifier:
    """The model to go on with, which decides on features and learner."""
    if given or args.param or args.extra or args.unlabeled or args.learner != "recipe":
        raise InputError(
            "--from goes on with the features and the learner of the model: leave out --learner, "
            "--param, --unlabeled, and what chooses features"
        )
    classifier = load(args.from_model)
    if not classifier.is_resumable:
        raise InputError(
            f"{args.from_model} cannot go on learning: train it with --resumable and one of the "
            f"learners {', '.join(resumable_names())}"
        )
    classifier.n_jobs, classifier.random_state = args.threads, args.seed
    classifier.calibration = None if args.no_test or args.calibration != "holdout" else "holdout"
    return classifier


def fit_to_data(classifier: TextClassifier, corpus: Corpus, given: dict[str, Any]) -> None:
    """The analyzer that options and data ask for: they change what suits the learner."""
    if corpus.extras:
        kinds = {
            name: "number" if all(isinstance(value, float) for value in values) else "category"
            for name, values in corpus.extras.items()
        }
        given = {**given, "columns": kinds}
    if corpus.has_counts and "tokens" not in given:
        classifier.learner = classifier.learner or learner_named("nb")
        given = {"tokens": "counts", "ngrams": (1, 1), **given}
    if given:
        documents, n_classes = Documents(corpus.texts), count_classes(corpus.labels or [])
        suited = default_analyzer(classifier.learner, documents, n_classes)
        classifier.analyzer = suited.set_params(**given)
        classifier.analyzer.check()


def train(
    corpus: Corpus,
    classifier: TextClassifier,
    output: str,
    *,
    test: bool,
    further: bool = False,
    resumable: bool = False,
    report: str | None = None,
    unlabeled: Corpus | None = None,
) -> dict[str, Any]:
    """Measure on held-out rows, train on all training rows, save; returns what to report."""
    labels = as_labels_or_sets(corpus.labels)
    train_rows = train_rows_of(corpus)
    classifier._keeps_holdout_model = report is not None and not isinstance(labels, LabelSets)
    marked, marked_rows = "test", corpus.split_rows("test")
    if len(marked_rows) == 0:
        marked, marked_rows = "dev", corpus.split_rows("dev")
    try:
        learn = classifier.partial_fit if further else partial(classifier.fit, unlabeled=unlabeled)
        learn(
            corpus.take(train_rows),
            labels[train_rows],
            None if corpus.weights is None else corpus.weights[train_rows],
        )
    except InputError as error:
        raise InputError(f"{corpus.source}: {error}") from None
    notes, n_classes = list(corpus.notes), len(classifier.classes_)
    if n_classes > len(train_rows) / 2 and len(train_rows) >= MANY and not further:
        notes.append(f"{n_classes:,} classes for {len(train_rows):,} texts: are these the labels?")
    scores, tested_on, held, z, said = None, "not tested", marked_rows, None, None
    if test and len(marked_rows) > 0:
        found = classifier.labels_of(classifier.decision_function(corpus.take(held)))
        scores = measured(labels[held], found)
        tested_on = f"marked {marked}, never trained on"
    elif hasattr(classifier, "holdout_"):
        held, z = train_rows[classifier.holdout_.rows], classifier.holdout_.scores
        found = classifier.holdout_.predicted
        scores = measured(labels[held], found)
        said = found if isinstance(found, LabelSets) else None
        n_others = len(train_rows) - len(held)
        how = "that went on with" if further else "trained on"
        tested_on = f"held out, by a model {how} the other {n_others:,}"
    elif test and classifier.calibration == "holdout":
        tested_on = "not tested: no class has a row to spare"

    result = {
        "source": corpus.source,
        "notes": notes,
        "n_rows": len(corpus),
        "n_train": len(train_rows),
        "n_unlabeled": 0 if unlabeled is None else len(unlabeled),
        "n_test": 0 if scores is None else scores.n,
        "multilabel": isinstance(labels, LabelSets),
        "classes": {str(label): n for label, n in class_sizes(labels)},
        "tested_on": tested_on,
        "scores": None if scores is None else scores.to_dict(),
        "n_features": classifier.n_features,
        "n_unseen_features": classifier.n_unseen_features_ if further else None,
    }
    remember_data(classifier, corpus, train_rows)
    classifier.training_.update(
        tested_on=tested_on, scores=result["scores"], seed=classifier.random_state
    )
    classifier.save(output, resumable=resumable)
    if report is not None and scores is not None:
        _write_report(report, classifier, corpus, held, z, said, tested_on)
    return {
        **result,
        "model": output,
        "model_bytes": Path(output).stat().st_size,
        "report": None if scores is None else report,
    }


def remember_data(classifier: TextClassifier, corpus: Corpus, rows: NDArray[np.int64]) -> None:
    """Where texts and labels stand, so that other verbs find them there, and by what to know the
    texts again. Of the data's place only the name: the rest is nobody's business who gets the
    model."""
    classifier.training_.update(
        source=Path(corpus.source).name,
        text_columns=list(corpus.text_columns),
        label_column=corpus.label_column,
        texts_mark=mark(corpus.texts, rows),
    )


def _write_report(
    path: str,
    classifier: TextClassifier,
    corpus: Corpus,
    rows: NDArray[np.int64],
    scores: NDArray[np.float64] | None,
    said: LabelSets | None,
    tested_on: str,
) -> None:
    from wordplane.report import measure, write_report

    blind = None if scores is None else classifier.holdout_.model
    by = None if blind is None else classifier_of(blind)
    measured = measure(classifier, corpus, rows, scores=scores, said=said, by=by, how=tested_on)
    write_report(path, classifier, corpus, measured, random_state=classifier.random_state)


def measured(truth: Labels, found: Labels) -> Scores | SetScores:
    """How good the labels, or the sets of labels, are."""
    if isinstance(truth, LabelSets) and isinstance(found, LabelSets):
        return score_sets(truth, found)
    return score(truth, found)


def class_sizes(labels: Labels) -> list[tuple[Any, int]]:
    """Every label, and how many rows have it."""
    if isinstance(labels, LabelSets):
        n_rows = labels.member.sum(axis=0).tolist()
        return list(zip(labels.classes.tolist(), n_rows, strict=True))
    return sorted(Counter(labels.tolist()).items())


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
    kind = "labels, any number per text" if result["multilabel"] else "classes"
    print(f"read      {result['source']}: {n_rows:,} texts, {n_classes} {kind} ({shown})")
    scores = result["scores"]
    if scores is None:
        print(f"accuracy  {result['tested_on']}")
    else:
        print(f"tested    on {result['n_test']:,} texts {result['tested_on']}")
        for line in scores_lines(scores):
            print(line)
    print(
        f"model     {result['model']} ({_size(result['model_bytes'])}, "
        f"{result['n_features']:,} features), trained on {result['n_train']:,} texts"
        + (f" and {result['n_unlabeled']:,} without labels" if result["n_unlabeled"] else "")
    )
    if result["n_unseen_features"] is not None:
        print(f"ignored   {result['n_unseen_features']:,} features that the model does not have")
    if result["report"]:
        print(f"report    {result['report']}")
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

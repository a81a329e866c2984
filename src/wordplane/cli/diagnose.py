"""`wordplane diagnose DATA`"""

import argparse
from math import log
from textwrap import fill

from wordplane.cli.options import (
    add_analyzer_options,
    add_common_options,
    add_data_options,
    check_folds,
    given_parameters,
    natural,
    plain,
    print_json,
    progress_bar,
    reader_arguments,
    say,
)
from wordplane.cli.train import add_learner_options, fit_to_data, make_classifier, train_rows_of
from wordplane.common.labels import as_labels
from wordplane.common.progress import listen
from wordplane.data.read import read
from wordplane.diagnosis.forecast import Forecast, forecast
from wordplane.diagnosis.learning_curve import LearningCurve, learning_curve
from wordplane.diagnosis.verdict import Verdict, verdict

EPILOG = """\
Models are trained on ever more of the texts and measured on others (by cross-validation). The
curve shows whether the model overfits, underfits or lacks texts, and what more of them would
bring. Rows marked test or dev are not looked at.

examples:
  wordplane diagnose reviews.csv
  wordplane diagnose reviews.csv --target 0.9 --more 5000
  wordplane diagnose reviews.csv --learner svm --param C=10 --ngrams 1,1
  wordplane diagnose reviews.csv --json > curve.json
"""

HEIGHT, STEP = 10, 7


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("data", nargs="+", help="labelled texts: a file, folder, pattern, -")
    add_learner_options(parser)
    parser.add_argument(
        "--target", type=share, metavar="SHARE", help="the accuracy that is wanted, such as 0.9"
    )
    parser.add_argument(
        "--more",
        type=natural,
        metavar="N",
        help="forecast what N more labelled texts would add (default: 1,000, and as many again)",
    )
    parser.add_argument("--sizes", type=natural, default=8, metavar="N", help="(default: 8)")
    parser.add_argument("--folds", type=natural, default=5, metavar="K", help="(default: 5)")
    parser.add_argument("--seed", type=natural, default=0, metavar="N", help="(default: 0)")
    add_common_options(parser)
    add_analyzer_options(parser)
    add_data_options(parser, labels=True)


def run(args: argparse.Namespace) -> int:
    classifier, given = make_classifier(args), given_parameters(args)
    with progress_bar() as show, listen(show):
        corpus = read(require_label=True, **reader_arguments(args))
        corpus = corpus.take(train_rows_of(corpus))
        fit_to_data(classifier, corpus, given)
        labels = as_labels(corpus.labels)
        plan = classifier.plan(corpus, labels, corpus.weights)
        check_folds(args.folds, corpus)
        curve = learning_curve(
            plan.analyzer,
            plan.learner,
            plan.documents,
            labels,
            sizes=args.sizes,
            folds=args.folds,
            sample_weight=plan.weights,
            random_state=args.seed,
            threads=plan.threads,
        )
    found = verdict(curve, args.target)
    wishes = [args.more] if args.more else sorted({min(1000, len(labels)), len(labels)})
    forecasts = [f for f in (forecast(curve, n_more) for n_more in wishes) if f is not None]
    if args.json:
        print_json(
            {
                "source": corpus.source,
                "learning_curve": curve.to_dict(),
                "verdict": vars(found),
                "forecasts": [vars(f) for f in forecasts],
            }
        )
        return 0
    for note in corpus.notes:
        say(f"note: {note}")
    if curve.sample:
        say(f"note: {curve.sample}")
    print(f"diagnosed {plain(corpus.source)}: {len(labels):,} texts, {args.folds} folds\n")
    _print(curve, found, forecasts)
    return 0


def _print(curve: LearningCurve, found: Verdict, forecasts: list[Forecast]) -> None:
    print(f"{'accuracy':>35}  {'log-loss':>17}")
    print(f"{'texts':>9}  {'training':>8}  {'others':>14}  {'training':>9}  {'others':>6}")
    for point in curve.points:
        low, high = point.interval("dev_accuracy")
        others = f"{point.mean('dev_accuracy'):.1%} ± {(high - low) / 2:.1%}"
        losses = f"{point.mean('train_loss'):>9.3f}  {point.mean('dev_loss'):>6.3f}"
        accuracy = f"{point.mean('train_accuracy'):>8.1%}  {others:>14}"
        print(f"{int(point.at):>9,}  {accuracy}  {losses}")
    print(f"\n{picture(curve)}\n")
    told = f"verdict   {found.kind}: {found.sentence}"
    print(fill(told, 90, subsequent_indent=" " * 10))
    if found.to_try:
        print(f"try       {found.to_try[0]}")
        for advice in found.to_try[1:]:
            print(f"          {advice}")
        print(f"not       {'; '.join(found.not_worth_it)}")
    for one in forecasts:
        print(f"forecast  {one}")
    if not forecasts:
        print("forecast  none: there are too few sizes or folds to draw a curve through")


def picture(curve: LearningCurve) -> str:
    """Accuracy by size: o of training texts, * of others with its interval |, - the baseline."""
    points = curve.points
    values = [point.mean(name) for point in points for name in ("train_accuracy", "dev_accuracy")]
    bottom, top = min(*values, curve.majority), max(values)
    height = max(top - bottom, 1e-9)
    logs = [log(point.at) for point in points]
    width = STEP * (len(points) - 1)
    canvas = [[" "] * (width + 3) for _ in range(HEIGHT + 1)]

    def row(value: float) -> int:
        return round(HEIGHT * (top - min(max(value, bottom), top)) / height)

    for column in range(width + 3):
        canvas[row(curve.majority)][column] = "-"
    for point, place in zip(points, logs, strict=True):
        column = 1 + round(width * (place - logs[0]) / max(logs[-1] - logs[0], 1e-9))
        low, high = point.interval("dev_accuracy")
        for line in range(row(high), row(low) + 1):
            canvas[line][column] = "|"
        canvas[row(point.mean("train_accuracy"))][column] = "o"
        canvas[row(point.mean("dev_accuracy"))][column] = "*"
    lines = [
        f"{top - height * i / HEIGHT:>8.1%} {''.join(line).rstrip()}"
        for i, line in enumerate(canvas)
    ]
    ends = f"{int(points[0].at):,}".ljust(width - 3) + f"{int(points[-1].at):,} texts"
    legend = "o training   * others, | their 95 % interval   - always the commonest label"
    return "\n".join([*lines, " " * 9 + ends, " " * 9 + legend])


def share(text: str) -> float:
    """'0.9' or '90%' as 0.9."""
    try:
        value = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        value = 0.0
    if not 0 < value <= 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a share such as 0.9 or 90%")
    return value

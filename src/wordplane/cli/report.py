"""`wordplane report MODEL DATA`"""

import argparse
from pathlib import Path

from wordplane.cli.console import plain, print_json, say_notes, show_progress
from wordplane.cli.options import (
    add_common_options,
    add_data_options,
    add_group_option,
    add_rows_option,
    add_time_option,
    add_vectors_option,
    check_model_first,
    reading_options,
)
from wordplane.cli.outputs import PAGE_ENDING, check_ending, check_output
from wordplane.cli.values import natural
from wordplane.model.classifier import TextClassifier
from wordplane.model.fingerprint import TRAINED_ON
from wordplane.model.measurement import Measurement, SetMeasurement
from wordplane.model.measuring import measure_unseen
from wordplane.model.number_measurement import NumberMeasurement
from wordplane.model.regressor import TextRegressor
from wordplane.model.saved_models import load
from wordplane.report.page import Heading, write_number_report, write_report
from wordplane.workflow.inputs import LabeledData, choose_rows, load_corpus_for
from wordplane.workflow.number_evaluation import evaluate_numbers, refuse_for_numbers
from wordplane.workflow.wanted import Wanted

EPILOG = """\
One page to look at in a browser: how good the model is, what it takes for what, with the texts
behind every number, which words count, which labels look mistaken, what may be wrong with the
data. The page needs no network and can be sent to others; it holds texts of the data. Of a model
that predicts numbers, it has the errors, a picture of predicted and true numbers, the words with
the largest weights and the texts that are farthest off.

If the data has a column `split`, the rows marked test are measured, or else those marked cv;
--rows chooses others.

examples:
  wordplane report m.wordplane test.csv                  writes m.html
  wordplane report m.wordplane reviews.parquet -o reviews.html --force
  wordplane report m.wordplane test.csv --title "Complaints, May" --train train.csv
  wordplane report m.wordplane test.csv --quick          without audit and learning curve
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", help="a model that `train` wrote")
    parser.add_argument("data", nargs="+", help="labeled texts: a file, folder, pattern, -")
    parser.add_argument("-o", "--output", metavar="FILE", help="the page (default: MODEL.html)")
    parser.add_argument("--force", action="store_true", help="overwrite an existing page")
    parser.add_argument(
        "--quick", action="store_true", help="leave out the audit and the learning curve"
    )
    parser.add_argument("--title", metavar="TEXT", help="its title (default: the name of the data)")
    parser.add_argument(
        "--train",
        metavar="FILE",
        help="the texts that the model was trained on, if DATA are others: for the learning curve",
    )
    parser.add_argument("--seed", type=natural, default=0, metavar="N", help="(default: 0)")
    add_rows_option(parser, "test if there are any, else cv, else all")
    add_group_option(parser)
    add_time_option(parser)
    add_common_options(parser)
    add_vectors_option(parser)
    add_data_options(parser, labels=True)


def run(args: argparse.Namespace) -> int:
    output = args.output or f"{Path(args.model).stem}.html"
    check_output(output, args.force, [args.model, *args.data])
    check_ending(output, PAGE_ENDING, "a report")
    check_model_first(args)
    model = load(args.model)
    model.n_jobs = args.threads
    if not isinstance(model, TextClassifier):
        return _report_numbers(args, model, output)
    with show_progress():
        corpus = load_corpus_for(model, args.data, **reading_options(args))
        corpus = choose_rows(corpus, args.rows or "all")
        measured = measure_unseen(model, corpus)
        train = None
        if args.train is not None:
            train = load_corpus_for(model, args.train, **reading_options(args))
        heading = Heading(args.title or "", Path(args.model).name)
        write_report(
            output,
            model,
            corpus,
            measured,
            heading=heading,
            train=train,
            quick=args.quick,
            random_state=args.seed,
        )
    return _say_written(args, output, measured)


def _report_numbers(args: argparse.Namespace, model: TextRegressor, output: str) -> int:
    """The page about a model that predicts numbers."""
    refuse_for_numbers(train=args.train, time=args.time)
    given = LabeledData(args.data, reading=reading_options(args))
    with show_progress():
        result = evaluate_numbers(
            model, given, args.rows, Wanted(), file=None, random_state=args.seed
        )
        heading = Heading(args.title or "", Path(args.model).name)
        write_number_report(output, result.measured, heading=heading)
    return _say_written(args, output, result.measured)


def _say_written(
    args: argparse.Namespace,
    output: str,
    measured: Measurement | SetMeasurement | NumberMeasurement,
) -> int:
    n_bytes = Path(output).stat().st_size
    if args.json:
        print_json({"report": output, "bytes": n_bytes, "n_measured": len(measured.rows)})
        return 0
    if measured.trained_on:
        say_notes([TRAINED_ON])
    print(f"report    {plain(output)} ({n_bytes / 1e3:,.0f} kB)")
    print(f"measured  {len(measured.rows):,} texts {measured.description}")
    return 0

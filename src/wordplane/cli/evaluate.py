"""`wordplane evaluate MODEL DATA`, `wordplane evaluate A B DATA`"""

import argparse

from wordplane.cli.console import say, say_next, show_progress, show_result
from wordplane.cli.next_steps import after_evaluation
from wordplane.cli.options import (
    CHARACTER,
    COLUMN,
    COUNT,
    SHARE,
    SWITCH,
    Typed,
    add_common_options,
    add_dask_option,
    add_data_options,
    add_options,
    add_rows_option,
    add_seed_option,
    add_vectors_option,
    check_model_first,
    helps_of,
    is_model,
    reading_options,
)
from wordplane.cli.outputs import add_escape_option, add_excel_option, check_output, excel_delimiter
from wordplane.common.errors import InputError
from wordplane.data.tables import TABLES
from wordplane.data.write import choose_format
from wordplane.workflow.evaluation import evaluate
from wordplane.workflow.evaluation_result import EvaluationResult
from wordplane.workflow.mistakes import write_frame
from wordplane.workflow.model_comparison import compare_models

EPILOG = """\
If the data has a column `split`, the rows marked test are measured, or else those marked cv;
--rows chooses others.
Measured on rows it was trained on, a model looks better than it is. Which models were measured on
the same test rows is kept in MODEL.evaluations.json, and said from the second model on.

With two models, A and B, it is said whether B is better or worse than A on the same texts, by the
first --metric (accuracy; multi-label micro_f1), and which labels changed. The exit code is 3 if B
is measurably worse (p < 0.05), for scripts that decide whether to put B in place of A.

Of a model that predicts numbers (`train --target`), the mean absolute error, RMSE, R2 and
Spearman's correlation are given, and with --set-confidence how many numbers are within intervals.

examples:
  wordplane evaluate m.wordplane test.csv
  wordplane evaluate m.wordplane test.csv -o mistakes.xlsx     to read and correct
  wordplane evaluate m.wordplane reviews.parquet --rows test --json
  wordplane evaluate m.wordplane mails.csv --metric mcc --metric ap:spam
  wordplane evaluate m.wordplane mails.csv --by country        is it as good everywhere?
  wordplane evaluate m.wordplane posts.csv --group author      texts of one author are alike
  wordplane evaluate m.wordplane mails.csv --by country --metric f1:spam --plot spam.svg
  wordplane evaluate old.wordplane new.wordplane test.csv -o changed.csv
  wordplane evaluate m.wordplane posts.csv --separator .       labels such as sci.med: every level
  wordplane evaluate m.wordplane 'mails/*.parquet' --dask tcp://10.0.0.1:8786
  wordplane evaluate m.wordplane mails.csv --top-k 3 --min-confidence 0.9 --set-confidence 0.95
"""


OPTIONS: dict[str, Typed] = {
    "bootstrap": SWITCH,
    "by": COLUMN,
    "top_k": COUNT,
    "min_confidence": SHARE,
    "set_confidence": SHARE,
    "separator": CHARACTER,
}
FOR_ONE_MODEL = ("dask", "plot", *OPTIONS)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", help="a model that `train` wrote")
    parser.add_argument(
        "data",
        nargs="+",
        help="labeled texts: a file, folder, pattern, -; optionally preceded by a second model",
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help="write all mistakes, the surest first, with their words, or for two models all texts "
        "whose labels changed: .csv, .tsv, .xlsx, .jsonl or .parquet",
    )
    parser.add_argument("--force", action="store_true", help="overwrite an existing file")
    add_escape_option(parser)
    add_excel_option(parser)
    add_rows_option(parser, "test if there are any, else cv, else all")
    add_options(parser, helps_of(evaluate), OPTIONS)
    parser.add_argument(
        "--metric",
        action="append",
        metavar="NAME",
        help="also this, with an interval: micro_f1, weighted_f1, macro_recall, mcc, kappa, "
        "quadratic_kappa, log_loss, f1:LABEL, ap:LABEL, auc:LABEL (without LABEL: of the rarer of "
        "two classes), precision@K, recall@K, ndcg@K or lrap; may be given several times",
    )
    parser.add_argument(
        "--plot",
        metavar="FILE",
        help="draw the first metric for each value of --by: .png, .svg, .html",
    )
    parser.add_argument(
        "--group",
        metavar="COLUMN",
        help="column that says which texts belong together (author, thread, customer): intervals "
        "and the test of two models come from whole groups",
    )
    add_dask_option(parser, "label each file on a Dask worker")
    add_seed_option(parser)
    add_common_options(parser)
    add_vectors_option(parser)
    add_data_options(parser, labels=True)


def run(args: argparse.Namespace) -> int:
    if is_model(args.model) and is_model(args.data[0]):
        return _compare(args)
    if args.output:
        check_output(args.output, args.force, [args.model, *args.data, args.plot])
        choose_format(args.output, None, TABLES)
    if args.plot:
        if not args.by:
            raise InputError("--plot draws the parts of --by: name a column")
        check_output(args.plot, args.force, [args.model, *args.data], "--plot")
    check_model_first(args)
    with show_progress():
        result = evaluate(
            args.model,
            args.data,
            rows=args.rows,
            metrics=args.metric or (),
            dask=args.dask,
            n_jobs=args.threads,
            random_state=args.seed,
            **{name: getattr(args, name) for name in OPTIONS},
            **reading_options(args),
        )
    if args.plot and isinstance(result, EvaluationResult) and result.slices is not None:
        from wordplane.plots.saving import save

        save(result.slices.picture(), args.plot)
    if args.output:
        style = result.model.training_.file_style
        write_frame(
            result.mistakes,
            args.output,
            escape_formulas=args.escape_formulas or args.excel,
            excel=excel_delimiter(args, style),
        )
    show_result(args, result)
    if args.output and not args.json:
        what = "mistakes" if isinstance(result, EvaluationResult) else "rows"
        say(f"wrote {len(result.mistakes):,} {what} to {args.output}")
    if not args.json and isinstance(result, EvaluationResult):
        say_next(after_evaluation(args, has_mistakes=result.has_mistakes))
    return 0


def _compare(args: argparse.Namespace) -> int:
    """What two models say of the same texts."""
    other, *args.data = args.data
    if not args.data:
        raise InputError(f"{other} is a model, not data: name labeled texts after the models")
    for name in FOR_ONE_MODEL:
        if getattr(args, name):
            raise InputError(f"`{name}` is for one model")
    if args.output:
        check_output(args.output, args.force, [args.model, other, *args.data])
        choose_format(args.output, None, TABLES)
    with show_progress():
        result = compare_models(
            args.model,
            other,
            args.data,
            rows=args.rows,
            metrics=args.metric or (),
            n_jobs=args.threads,
            random_state=args.seed,
            **reading_options(args),
        )
    if args.output:
        result.write_changes(args.output, escape_formulas=args.escape_formulas)
    show_result(args, result)
    if args.output and not args.json:
        say(f"wrote {len(result.changes):,} rows to {args.output}")
    return 3 if result.is_worse else 0

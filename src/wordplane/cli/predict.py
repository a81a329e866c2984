"""`wordplane predict MODEL DATA`"""

import argparse
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, cast, get_origin

from wordplane.cli.console import progress_bar, say
from wordplane.cli.options import (
    add_common_options,
    add_dask_option,
    add_data_options,
    add_escape_option,
    add_rows_option,
    add_vectors_option,
    check_output,
    load_model,
    reader_arguments,
)
from wordplane.cli.values import names
from wordplane.common.errors import InputError
from wordplane.data.tables import COLUMNAR, TABLES, Batch, write_table
from wordplane.data.write import choose_format
from wordplane.workflow.prediction import Answers, Wanted, predict_batches, predict_on_dask

EPILOG = """\
Every input row gives one output row, in order: its id (the row number if there is none), its
label, and the probability of that label. Files of any size are read in batches. Of a model of
sets of labels, a row has all its labels (there may be none) and the probability of each. Lists are
lists in JSONL and Parquet; in CSV, --label-separator stands between their items.

Standard input is answered as it comes, line by line, so that another program can write a text and
wait for its label.

examples:
  echo "great film" | wordplane predict m.wordplane -
  wordplane predict m.wordplane reviews.csv > labels.csv
  wordplane predict m.wordplane mails.txt --json | head
  wordplane predict m.wordplane reviews.parquet --rows test > labels.csv
  wordplane predict m.wordplane reviews.parquet --id number -o labels.parquet
  wordplane predict m.wordplane mails.csv --min-confidence 0.9 --keep subject,date
  wordplane predict m.wordplane mails.csv --top-k 3 --explain 5 --json
  wordplane predict m.wordplane mails.csv --known    is a text unlike those trained on?
  wordplane predict m.wordplane posts.csv --separator . --min-confidence 0.8    sci, if not sci.med
  wordplane predict m.wordplane mails.csv --set-confidence 0.95 -o sets.jsonl
  wordplane predict m.wordplane 'mails/*.parquet' --dask tcp://10.0.0.1:8786 -o labels.parquet
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", help="a model that `train` wrote")
    parser.add_argument("data", nargs="+", help="texts: a file, folder, pattern, - for stdin")
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help="write .csv, .tsv, .jsonl, .parquet or .arrow (default: stdout)",
    )
    parser.add_argument("--force", action="store_true", help="overwrite an existing file")
    parser.add_argument(
        "--output-format", choices=TABLES, help="instead of what -o's extension says"
    )
    parser.add_argument(
        "--label-separator",
        default="|",
        metavar="CHAR",
        help="between several labels of a row in CSV (default: |)",
    )
    add_escape_option(parser)
    more = parser.add_argument_group("more of each text")
    more.add_argument("--top-k", type=int, metavar="N", help="the N likeliest labels")
    more.add_argument(
        "--probabilities", action="store_true", help="the probability of every label, a column each"
    )
    more.add_argument(
        "--min-confidence",
        type=float,
        metavar="P",
        help="no label where the likeliest has a probability below this, such as 0.8; with "
        "--separator, the part of a label that has so much",
    )
    more.add_argument(
        "--separator",
        metavar="CHAR",
        help="of labels such as a/b/c: the likeliest part at every level",
    )
    more.add_argument(
        "--set-confidence",
        type=float,
        metavar="P",
        help="a set of labels that contains the true one with this probability, such as 0.95 "
        "(conformal, by the rows held out in training)",
    )
    more.add_argument(
        "--explain", type=int, metavar="N", help="the N words that say most about the label"
    )
    more.add_argument(
        "--known",
        action="store_true",
        help="the share of the words that the model knows, and whether the text is unfamiliar: "
        "unlike 99 in 100 of those held out in training",
    )
    more.add_argument(
        "--keep", type=names, metavar="COLUMN,...", help="these columns of the data, as they are"
    )
    add_dask_option(parser, "label files on the workers of Dask, each file by one")
    add_rows_option(parser, "all")
    add_common_options(parser)
    add_vectors_option(parser)
    add_data_options(parser, labels=False)


def run(args: argparse.Namespace) -> int:
    output = None if args.output == "-" else args.output
    on_stdout = None if output else "jsonl" if args.json else "csv"
    form = choose_format(output, args.output_format or on_stdout, TABLES)
    if form in COLUMNAR and output is None:
        raise InputError(f"{form} cannot be written to stdout: name a file with -o")
    if output:
        check_output(output, args.force, [args.model, *args.data])
    model = load_model(args)
    wanted = Wanted(
        top_k=args.top_k,
        probabilities=args.probabilities,
        min_confidence=args.min_confidence,
        set_confidence=args.set_confidence,
        explain=args.explain,
        keep=tuple(args.keep or ()),
        known=args.known,
        separator=args.separator,
    )
    answers = Answers(model, wanted)
    given = {"rows": args.rows or "all", **reader_arguments(args)}
    if args.dask is None:
        found = predict_batches(answers, **given)
    else:
        found = predict_on_dask(answers, dask=args.dask, **given)
    n_rows = write_answers(answers, found, form, output, args.label_separator, args.escape_formulas)
    if output:
        say(f"wrote {n_rows:,} rows to {output}")
    return 0


def write_answers(
    answers: Answers,
    found: Iterable[tuple[Batch, tuple[str, ...]]],
    form: str,
    output: str | None,
    separator: str = "|",
    escape_formulas: bool = False,
) -> int:
    """Write answers as they come, tell the notes of reading, and return the number of rows."""
    types = answers.types()
    n_rows = 0
    with progress_bar() as show:

        def batches() -> Iterator[Batch]:
            nonlocal n_rows
            told: set[str] = set()
            for batch, notes in found:
                for note in notes:
                    if note not in told:
                        say(f"note: {note}")
                told.update(notes)
                n_rows += len(batch["id"])
                yield batch
                show("rows labeled", n_rows, 0)

        rows = batches()
        lists = [name for name, kind in types.items() if get_origin(kind) is list]
        if lists and form in ("csv", "tsv"):
            rows = joined(rows, separator, lists, answers.model.classes_.tolist())
        write_table(rows, form, output, types, escape_formulas=escape_formulas)
    return n_rows


def joined(
    batches: Iterator[Batch], separator: str, lists: list[str], classes: list[Any]
) -> Iterator[Batch]:
    """Lists of labels, numbers and words as strings; no label may have the separator."""
    for label in map(str, classes):
        if not separator or separator in label:
            raise InputError(
                f"the label {label!r} cannot be told from two with {separator!r} between them: "
                "choose another --label-separator, or write .jsonl or .parquet"
            )
    for batch in batches:
        yield {
            name: held
            if name not in lists
            else [separator.join(map(str, cast(Sequence[object], one))) for one in held]
            for name, held in batch.items()
        }

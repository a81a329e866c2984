"""`wordplane predict MODEL DATA`"""

import argparse
import shlex
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

from wordplane.cli.console import progress_bar, say, say_notes, show_progress
from wordplane.cli.options import (
    CHARACTER,
    COUNT,
    SHARE,
    SWITCH,
    Typed,
    add_common_options,
    add_dask_option,
    add_data_options,
    add_options,
    add_rows_option,
    add_vectors_option,
    check_model_first,
    field_helps,
    reading_options,
)
from wordplane.cli.outputs import (
    add_escape_option,
    add_excel_option,
    check_output,
    excel_delimiter,
    names_file,
)
from wordplane.cli.values import names
from wordplane.common.errors import InputError
from wordplane.common.files import mask, no_such_file
from wordplane.common.notes import CountedNote, Note, merge_notes
from wordplane.data.databases import check_table, is_database
from wordplane.data.encoding import STDIN
from wordplane.data.read import expand_paths
from wordplane.data.read_options import Reading
from wordplane.data.tables import (
    FILES_ONLY,
    Batch,
)
from wordplane.data.write import choose_format, names_folder
from wordplane.model.saved_models import load
from wordplane.workflow.answer_files import FORMATS, AnswerFormat
from wordplane.workflow.answers import Answers
from wordplane.workflow.prediction import predict_batches, predict_on_dask, with_kept
from wordplane.workflow.wanted import Wanted

EPILOG = """\
Every input row gives one output row, in order: its id (the row number if there is none), its
label, and the probability of that label. Files of any size are read in batches. Of a model of
numbers (`train --target`), a row has the number, and with --set-confidence 0.9 the ends `low` and
`high` of an interval that 90 % of new texts are in. Of a model of
sets of labels, a row has all its labels (there may be none) and the probability of each. Lists are
lists in JSONL and Parquet; in CSV and .xlsx, --label-separator stands between their items. Empty
texts get no label. Encoding, delimiter and columns are those of the training data where they fit.

Standard input is answered as it comes, line by line, so that another program can write a text and
wait for its label.

examples:
  echo "great film" | wordplane predict m.wordplane -
  wordplane predict m.wordplane reviews.csv > labels.csv
  wordplane predict m.wordplane mails.txt --json | head
  wordplane predict m.wordplane reviews.parquet --rows test > labels.csv
  wordplane predict m.wordplane reviews.parquet --id number -o labels.parquet
  wordplane predict m.wordplane may.xlsx --keep all -o labeled.xlsx         all its columns, and two
  wordplane predict m.wordplane may.csv --keep all --excel -o labeled.csv   CSV that Excel opens
  wordplane predict m.wordplane may.csv -o labels.txt                       labels only
  wordplane predict m.wordplane mails.csv --min-confidence 0.9 --keep subject,date
  wordplane predict m.wordplane mails.csv --top-k 3 --explain 5 --json
  wordplane predict m.wordplane mails.csv --known    is a text unlike those trained on?
  wordplane predict m.wordplane posts.csv --separator . --min-confidence 0.8    sci, if not sci.med
  wordplane predict m.wordplane mails.csv --set-confidence 0.95 -o sets.jsonl
  wordplane predict m.wordplane 'web/*.parquet' -o out/            a file for each; run it again
                                                                   after a crash, or several times
  wordplane predict m.wordplane 's3://web/*.parquet' -o 's3://good/*.jsonl.zst' --keep all \\
      --keep-if good=0.9                                           a filter
  wordplane predict m.wordplane postgresql://host/shop --query "select id, text from mails" \\
      -o "postgresql://host/shop?table=labels"                     written at once, or not at all
  wordplane predict m.wordplane 'mails/*.parquet' --dask tcp://10.0.0.1:8786 -o labels.parquet
"""

OPTIONS: dict[str, Typed] = {
    "top_k": COUNT,
    "probabilities": SWITCH,
    "min_confidence": SHARE,
    "separator": CHARACTER,
    "set_confidence": SHARE,
    "explain": COUNT,
    "known": SWITCH,
    "label_empty": SWITCH,
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", help="a model that `train` wrote")
    parser.add_argument("data", nargs="+", help="texts: a file, folder, pattern, - for stdin")
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE|FOLDER/",
        help="write .csv, .tsv, .xlsx, .jsonl, .parquet, .arrow, or .txt with labels only "
        "(default: stdout); into a folder, a file for each file of the data: out/, or "
        "'out/*.jsonl.zst' for another format; into a database, "
        "'postgresql://host/db?table=NAME', also sqlite and duckdb",
    )
    parser.add_argument("--force", action="store_true", help="overwrite an existing file")
    parser.add_argument(
        "--output-format", choices=FORMATS, help="instead of what -o's extension says"
    )
    parser.add_argument(
        "--label-separator",
        default="|",
        metavar="CHAR",
        help="separator between the labels of a row in CSV (default: |)",
    )
    add_escape_option(parser)
    add_excel_option(parser)
    more = parser.add_argument_group("more of each text")
    helps = field_helps(Wanted)
    more.add_argument(
        "--keep", type=names, metavar="COLUMN,...", help=f"{helps['keep']}; `all` for all of them"
    )
    add_options(more, helps, OPTIONS)
    more.add_argument(
        "--keep-if", action="append", default=[], metavar="LABEL[=P]", help=helps["keep_if"]
    )
    add_dask_option(parser, "label each file on a Dask worker")
    add_rows_option(parser, "all")
    add_common_options(parser)
    add_vectors_option(parser)
    add_data_options(parser, labels=False)


def run(args: argparse.Namespace) -> int:
    output = None if args.output == "-" else args.output
    in_database = output is not None and is_database(output)
    is_sharded = output is not None and not in_database and names_folder(output)
    on_stdout = None if output else "jsonl" if args.json else "csv"
    form = args.output_format or on_stdout
    if is_sharded:
        _check_shards(args)
    elif in_database:
        form = "database"
        check_table(str(output), expand_paths(args.data), args.query, force=args.force)
    else:
        if output and form is None and not Path(output).suffix:
            raise InputError(
                f"{output}: in which format? Let it end in .csv, .jsonl, .parquet or another that "
                "names one, or in / for a folder with one file of answers for each file of the data"
            )
        form = choose_format(output, form, FORMATS, "--output-format")
        if form in FILES_ONLY and output is None:
            raise InputError(f"{form} cannot be written to stdout: name a file with -o")
    if output and not is_sharded:
        check_output(output, args.force, [args.model, *args.data])
    check_model_first(args)
    model = load(args.model)
    model.n_jobs = args.threads
    _check_files(args)
    asked = {name: getattr(args, name) for name in OPTIONS}
    rows, reading = args.rows or "all", reading_options(args, addresses=is_sharded)
    keep = "all" if args.keep == ["all"] else args.keep or ()
    wanted = Wanted(**asked, keep_if=tuple(args.keep_if))
    with _first_data(args, is_sharded and keep == "all") as data:
        answers = Answers(model, with_kept(wanted, keep, model, data, reading))
    written = AnswerFormat(
        form or "csv",
        args.label_separator,
        args.escape_formulas or args.excel,
        excel_delimiter(args, model.training_.file_style),
        args.force,
    )
    if is_sharded:
        return _write_shards(args, answers, written, rows, reading)
    if args.dask is None:
        batches = predict_batches(answers, args.data, rows, **reading)
    else:
        batches = predict_on_dask(answers, args.data, args.dask, rows, **reading)
    n_rows = write_answers(answers, batches, written, output)
    if output:
        say(f"wrote {n_rows:,} rows to {mask(output)}")
    return 0


def _first_data(
    args: argparse.Namespace, is_copied: bool
) -> AbstractContextManager[str | list[str]]:
    """What says which columns there are: the data, or a copy of the first shard."""
    if not is_copied:
        return nullcontext(args.data)
    from wordplane.data.shards import first_copy

    return first_copy(args.data)


def _check_shards(args: argparse.Namespace) -> None:
    if args.dask is not None:
        raise InputError(
            "with a folder as -o, leave out --dask: start the same command several times, on any "
            "machines that see the folder"
        )
    if args.force:
        raise InputError(f"--force is for a file: remove {args.output} to start again")


def _write_shards(
    args: argparse.Namespace, answers: Answers, form: AnswerFormat, rows: str, reading: Reading
) -> int:
    from wordplane.model.file import stored_digest
    from wordplane.workflow.shards import ShardedOutput, predict_shards

    digest = stored_digest(args.model)
    output = ShardedOutput.of(args.output, args.output_format, form, digest)
    with show_progress():
        counts = predict_shards(answers, args.data, output, rows, **reading)
    say_notes(counts.notes)
    before = counts.n_shards - counts.n_done - len(counts.failures)
    say(
        f"wrote {counts.n_rows:,} rows of {counts.n_done:,} shards to {args.output} ({counts.rate})"
        + (f"; {before:,} more shards were done before or by others" if before else "")
    )
    counts.check()
    return 0


def _check_files(args: argparse.Namespace) -> None:
    """Refuse a text where a file is expected, with how to label one text."""
    for path in args.data:
        named = Path(path).suffix or any(c in path for c in "/\\*?[") or path == STDIN
        if " " in path.strip() or not named:
            if names_file(path) or Path(path).is_dir():
                continue
            model, text = shlex.quote(args.model), shlex.quote(path)
            raise InputError(
                f"{no_such_file(path)}. To label one text: echo {text} | wordplane predict {model} "
                f"-, or to see which words count: wordplane explain {model} {text}"
            )


def write_answers(
    answers: Answers,
    answered: Iterable[tuple[Batch, tuple[Note, ...]]],
    form: AnswerFormat,
    output: str | None,
) -> int:
    """Write answers as they come, show the notes of reading, and return the number of rows."""
    with progress_bar() as show:

        def batches() -> Iterator[Batch]:
            n_rows = 0
            counted: list[Note] = []  # until all batches are
            shown: set[str] = set()
            for batch, notes in answered:
                counted += (note for note in notes if isinstance(note, CountedNote))
                now = [note for note in notes if not isinstance(note, CountedNote)]
                say_notes(note for note in now if note not in shown)
                shown.update(now)
                n_rows += len(next(iter(batch.values())))
                yield batch
                show("rows labeled", n_rows, 0)
            say_notes(merge_notes(counted))

        return form.write(answers, batches(), output)

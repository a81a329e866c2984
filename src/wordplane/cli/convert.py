"""`wordplane convert DATA -o FILE`, `wordplane convert MODEL -o FILE`"""

import argparse
import sys
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import cast

import wordplane
from wordplane._core import Texts
from wordplane.cli.console import plain, print_json, progress_bar, say_notes
from wordplane.cli.options import (
    add_common_options,
    add_data_options,
    check_inputs,
    has_labels,
    is_model,
    reading_options,
)
from wordplane.cli.outputs import check_output
from wordplane.common.errors import InputError
from wordplane.common.files import whole_file
from wordplane.common.notes import merge_notes
from wordplane.common.progress import Listener, listen
from wordplane.common.types import JsonObject
from wordplane.data.corpus import Corpus
from wordplane.data.encoding import STDIN
from wordplane.data.read import read_batches
from wordplane.data.read_options import LABEL_PREFIX, ReadKeywords
from wordplane.data.tables import FILES_ONLY, text_output
from wordplane.data.write import NEED_ALL, WRITABLE, choose_format, write
from wordplane.model.file import save_model
from wordplane.model.predictor import TextPredictor
from wordplane.model.saved_models import load_classifier
from wordplane.workflow.inputs import model_columns

EPILOG = """\
Data: every row is written, in order, with its text (several --text joined), label, id, weight,
split and the columns named with --extra. What a format cannot hold is said or refused.
With --features, svmlight gets the features that a model finds in the texts.

A model: to .html, a page that classifies and explains as one types, without a server or a network;
to .mjs, a module for Node with load(), predict(text) and explain(text); to .json (complete, for any
language); or to .joblib or .pkl, a pipeline of scikit-learn. Unpickling runs code: load such a file
only if it is your own. Wordplane itself reads none.
A supervised model of fastText (.bin, .ftz) becomes .wordplane, with the same labels and
probabilities; --label-prefix is what its labels lose.

examples:
  wordplane convert reviews.csv -o reviews.parquet
  wordplane convert 'logs/*.jsonl.zst' --text body --label queue -o queues.fasttext
  wordplane convert m.wordplane -o page.html
  wordplane convert m.wordplane -o m.json
  wordplane convert m.wordplane -o m.mjs
  wordplane convert m.wordplane -o m.joblib
  wordplane convert reviews.vw --output-format jsonl | head
  wordplane convert reviews.csv --features m.wordplane -o reviews.svmlight
  wordplane convert lid.176.ftz -o languages.wordplane
"""

PICKLES = (".joblib", ".pkl", ".pickle")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("data", nargs="+", help="texts (a file, folder, pattern, -), or a model")
    parser.add_argument("-o", "--output", metavar="FILE", help="(default: stdout)")
    parser.add_argument("--force", action="store_true", help="overwrite an existing file")
    parser.add_argument(
        "--output-format", choices=WRITABLE, help="of data, instead of what -o's extension says"
    )
    parser.add_argument(
        "--features", metavar="MODEL", help="write the features of this model, as svmlight"
    )
    parser.add_argument(
        "--extra", action="append", default=[], metavar="COLUMN", help="further column to keep"
    )
    add_common_options(parser)
    add_data_options(parser, labels=True)


def run(args: argparse.Namespace) -> int:
    check_inputs(args)
    output = None if args.output == "-" else args.output
    if output:
        check_output(output, args.force, [*args.data, args.features])
    if len(args.data) == 1 and _is_fasttext_model(args.data[0]):
        result = _convert_fasttext(args.data[0], output, args.label_prefix or LABEL_PREFIX)
    elif len(args.data) == 1 and is_model(args.data[0]):
        if output is None and sys.stdout.isatty():
            raise InputError("a model has more lines than a terminal can show: name a file with -o")
        result = _convert_model(args.data[0], output)
    else:
        result = _convert_data(args, output)
    if output and args.json:
        print_json(result)
    elif output:
        say_notes(cast(list[str], result.get("notes", [])))
        print(f"wrote     {plain(output)}: {result['n']:,} {result['what']}")
    return 0


def _is_fasttext_model(path: str) -> bool:
    """Whether a file is a model of fastText, or would be by its name if it were there."""
    from wordplane.features.pretrained.fasttext_file import is_fasttext

    if path == STDIN or not Path(path).is_file():
        return path.endswith((".bin", ".ftz"))
    with Path(path).open("rb") as file:
        return is_fasttext(file.read(4))


def _convert_fasttext(path: str, output: str | None, label_prefix: str) -> JsonObject:
    from wordplane.model.fasttext import read_fasttext_model

    if output is None or Path(output).suffix != ".wordplane":
        own = Path(path).with_suffix(".wordplane").name
        raise InputError(f"a model of fastText becomes a .wordplane file: name it with -o {own}")
    model = read_fasttext_model(path, label_prefix)
    save_model(model, output)
    return {"output": output, "n": len(model.classes), "what": "labels"}


def _convert_model(path: str, output: str | None) -> JsonObject:
    model = wordplane.load(path)
    ending = ".json" if output is None else Path(output).suffix.lower()
    if ending == ".json":
        with text_output(output) as file:
            for line in model.to_json():
                file.write(line + "\n")
    elif ending in PICKLES and output is not None:
        _write_pickle(load_classifier(path).to_sklearn(), output)
    elif ending in (".html", ".mjs") and output is not None:
        return _write_portable(model, path, output)
    else:
        raise InputError(
            f"{output}: a model becomes a page (.html), a module for Node (.mjs), .json, or a "
            f"scikit-learn pipeline in {', '.join(PICKLES)}"
        )
    return {"output": output, "n": model.n_features, "what": "features"}


def _write_portable(model: TextPredictor, path: str, output: str) -> JsonObject:
    from wordplane.portable.export import write_module, write_page

    if Path(output).suffix.lower() == ".mjs":
        notes = write_module(output, model.model_)
    else:
        notes = write_page(output, model.model_, Path(path).stem)
    return {"output": output, "n": model.n_features, "what": "features", "notes": notes}


def _write_pickle(pipeline: object, output: str) -> None:
    import joblib

    with whole_file(output) as draft:
        joblib.dump(pipeline, draft)


def _convert_data(args: argparse.Namespace, output: str | None) -> JsonObject:
    wish = args.output_format or ("jsonl" if args.json and output is None else None)
    form = choose_format(output, wish, WRITABLE, "--output-format")
    if form in FILES_ONLY and output is None:
        raise InputError(f"{form} cannot be written to stdout: name a file with -o")
    if args.features and form != "svmlight":
        raise InputError(f"--features writes svmlight, not {form}")
    model = None
    if args.features:
        model = wordplane.load(args.features)
        model.n_jobs = args.threads
    n_rows = 0
    notes: list[str] = []

    def batches(show: Listener) -> Iterator[Corpus]:
        nonlocal n_rows
        size = None if form in NEED_ALL else 10_000
        reading: JsonObject = {"labels": has_labels(args), **reading_options(args)}
        if model is not None:
            reading |= model_columns(model)
        for batch in read_batches(args.data, batch_size=size, **cast(ReadKeywords, reading)):
            if n_rows == 0 and batch.unread_columns:
                unread = ", ".join(map(repr, batch.unread_columns))
                notes.append(f"columns not kept: {unread}; name them with --extra to keep them")
            notes[:] = merge_notes([*notes, *batch.notes])
            n_rows += len(batch)
            yield batch if model is None else _with_features(batch, model)
            show("rows written", n_rows, 0)

    with progress_bar() as show, listen(show):
        notes += write(batches(show), output, form)
    if not output:
        say_notes(notes)
    return {"output": output, "format": form, "n": n_rows, "what": "rows", "notes": notes}


def _with_features(corpus: Corpus, model: TextPredictor) -> Corpus:
    """The corpus with `feature:value` items for texts, features counted from 1."""
    X = model.feature_matrix(corpus)
    values = [f"{value:.9g}" for value in X.data]  # nine digits tell all 32-bit floats apart
    items = [f"{column + 1}:{value}" for column, value in zip(X.indices, values, strict=True)]
    texts = [" ".join(items[i:j]) for i, j in pairwise(X.indptr.tolist())]
    return replace(corpus, texts=Texts(texts), format="svmlight")

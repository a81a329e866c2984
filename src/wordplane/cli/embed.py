"""`wordplane embed DATA -o FILE`"""

import argparse
import inspect

import numpy as np

from wordplane.cli.console import plain, print_json, say_notes, show_progress
from wordplane.cli.options import (
    add_common_options,
    add_data_options,
    add_rows_option,
    has_labels,
    parameter_helps,
    reading_options,
)
from wordplane.cli.outputs import check_output
from wordplane.common.errors import InputError, ModelFileError
from wordplane.common.files import whole_file
from wordplane.common.threads import thread_count
from wordplane.data.corpus import Corpus
from wordplane.data.read import read
from wordplane.data.vectors import is_vector_file
from wordplane.features.embeddings import WordEmbeddings
from wordplane.workflow.inputs import choose_rows

EPILOG = """\
Words that occur near the same words get vectors that are alike: counts of pairs of words, their
pointwise mutual information, its singular vectors. Labels are not looked at. If the output ends in
.npy, it has a vector for each text instead: the weighted mean of those of its words.

examples:
  wordplane embed reviews.csv -o reviews.embeddings
  wordplane neighbors reviews.embeddings awful hilarious
  wordplane embed reviews.csv --context document --max-words 20000 -o topics.embeddings
  wordplane train few.csv --pretrained reviews.embeddings
  wordplane embed few.csv --words reviews.embeddings -o few.npy
  wordplane train few.csv --vectors few.npy
"""

# --threads and --seed are these by other names; word:count texts are known by their format.
ELSEWHERE = ("n_jobs", "random_state", "tokens")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("data", nargs="+", help="texts: a file, folder, pattern, - for stdin")
    parser.add_argument("-o", "--output", metavar="FILE", required=True, help="where to write")
    parser.add_argument("--force", action="store_true", help="overwrite an existing file")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="random seed (default: 0)")
    parser.add_argument(
        "--words",
        metavar="FILE",
        help="with -o x.npy: vectors of words that were learned before, for new texts",
    )
    add_rows_option(parser, "all")
    add_common_options(parser)
    group = parser.add_argument_group("embeddings")
    helps = parameter_helps(WordEmbeddings)
    for name, parameter in inspect.signature(WordEmbeddings).parameters.items():
        if name in ELSEWHERE:
            continue
        flag, default = "--" + name.replace("_", "-"), parameter.default
        text = helps[name].replace("%", "%%")
        if isinstance(default, bool):
            group.add_argument(flag, action=argparse.BooleanOptionalAction, help=text)
        else:
            kind = type(default)
            group.add_argument(flag, type=kind, metavar=kind.__name__.upper(), help=text)
    add_data_options(parser, labels=False)


def _embeddings(
    args: argparse.Namespace, given: dict[str, object], corpus: Corpus
) -> WordEmbeddings:
    """Those of a file, or of the texts."""
    if args.words is None:
        made = WordEmbeddings(**given, n_jobs=args.threads, random_state=args.seed)  # type: ignore[arg-type]
        return made.fit(corpus.texts)
    if given:
        named = ", ".join(f"--{name.replace('_', '-')}" for name in sorted(given))
        raise InputError(f"{named} are for vectors that are learned, not for those of --words")
    if not is_vector_file(args.output):
        raise InputError(f"--words is for vectors of texts: let {args.output} end in .npy")
    try:
        return WordEmbeddings.load(args.words)  # with the weights of its words
    except ModelFileError:
        return WordEmbeddings.read(args.words)


def run(args: argparse.Namespace) -> int:
    check_output(args.output, args.force, [*args.data, args.words])
    names = set(inspect.signature(WordEmbeddings).parameters) - set(ELSEWHERE)
    given = {name: getattr(args, name) for name in names if getattr(args, name) is not None}
    with show_progress():
        corpus = read(args.data, labels=has_labels(args), **reading_options(args))
        corpus = choose_rows(corpus, args.rows or "all")
        if corpus.format == "counts" and args.words is None:
            given = {"tokens": "counts", "context": "document", **given}
        embeddings = _embeddings(args, given, corpus)
        if is_vector_file(args.output):
            vectors = embeddings.means(corpus.texts, thread_count(args.threads))
            with whole_file(args.output) as draft, draft.open("wb") as file:
                np.save(file, vectors, allow_pickle=False)
        else:
            embeddings.save(args.output)
    n_words, length = embeddings.vectors_.shape
    if args.json:
        result = {"source": corpus.source, "notes": list(corpus.notes), "n_texts": len(corpus)}
        print_json({**result, "file": args.output, "n_words": n_words, "n_components": length})
        return 0
    say_notes(corpus.notes)
    output, word = plain(args.output), plain(embeddings.words_[n_words // 2])
    if is_vector_file(args.output):
        print(f"{output}: {len(corpus):,} texts, vectors of {length} numbers")
        return 0
    print(f"{output}: {n_words:,} words of {len(corpus):,} texts, vectors of {length} numbers")
    print(f"try: wordplane neighbors {output} {word}")
    return 0

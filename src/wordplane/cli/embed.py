"""`wordplane embed DATA -o FILE`"""

import argparse
import inspect

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
from wordplane.data.read import read
from wordplane.features.embeddings import WordEmbeddings
from wordplane.workflow.inputs import choose_rows

EPILOG = """\
Words that occur near the same words get vectors that are alike: counts of pairs of words, their
pointwise mutual information, its singular vectors. Labels are not looked at.

examples:
  wordplane embed reviews.csv -o reviews.embeddings
  wordplane neighbors reviews.embeddings awful hilarious
  wordplane embed reviews.csv --context document --max-words 20000 -o topics.embeddings
  wordplane train few.csv --pretrained reviews.embeddings
"""

# --threads and --seed are these by other names; word:count texts are known by their format.
ELSEWHERE = ("n_jobs", "random_state", "tokens")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("data", nargs="+", help="texts: a file, folder, pattern, - for stdin")
    parser.add_argument("-o", "--output", metavar="FILE", required=True, help="where to write")
    parser.add_argument("--force", action="store_true", help="overwrite an existing file")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="random seed (default: 0)")
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


def run(args: argparse.Namespace) -> int:
    check_output(args.output, args.force, args.data)
    names = set(inspect.signature(WordEmbeddings).parameters) - set(ELSEWHERE)
    given = {name: getattr(args, name) for name in names if getattr(args, name) is not None}
    with show_progress():
        corpus = read(args.data, labels=has_labels(args), **reading_options(args))
        corpus = choose_rows(corpus, args.rows or "all")
        if corpus.format == "counts":
            given = {"tokens": "counts", "context": "document", **given}
        embeddings = WordEmbeddings(**given, n_jobs=args.threads, random_state=args.seed)
        embeddings.fit(corpus.texts)
        embeddings.save(args.output)
    n_words, length = embeddings.vectors_.shape
    if args.json:
        result = {"source": corpus.source, "notes": list(corpus.notes), "n_texts": len(corpus)}
        print_json({**result, "file": args.output, "n_words": n_words, "n_components": length})
        return 0
    say_notes(corpus.notes)
    output, word = plain(args.output), plain(embeddings.words_[n_words // 2])
    print(f"{output}: {n_words:,} words of {len(corpus):,} texts, vectors of {length} numbers")
    print(f"try: wordplane neighbors {output} {word}")
    return 0

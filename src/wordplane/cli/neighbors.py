"""`wordplane neighbors EMBEDDINGS WORD ...`"""

import argparse

import numpy as np

from wordplane.cli.console import plain, print_json
from wordplane.cli.options import is_model
from wordplane.cli.outputs import check_output
from wordplane.common.errors import InputError
from wordplane.features.embeddings import WordEmbeddings
from wordplane.features.plane import METHODS, plane

EPILOG = """\
The words whose vectors have the largest cosine with that of the word, largest first. Files of
word2vec, GloVe, fastText, wink-embeddings, model2vec and WordLlama are recognized by their content.

examples:
  wordplane neighbors reviews.embeddings awful hilarious
  wordplane neighbors glove.6B.100d.txt awful --top 20
  wordplane neighbors reviews.embeddings awful hilarious --map words.svg
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("embeddings", help="a file of `embed`, or of word2vec, GloVe, fastText ...")
    parser.add_argument("words", nargs="+", metavar="word", help="words to look up")
    parser.add_argument("--top", type=int, default=10, metavar="N", help="how many (default: 10)")
    parser.add_argument("--map", metavar="FILE", help="draw the words: .png, .svg or .html")
    parser.add_argument(
        "--by", choices=METHODS, default="pca", help="how the map is made (default: pca)"
    )
    parser.add_argument("--force", action="store_true", help="overwrite an existing file")
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def run(args: argparse.Namespace) -> int:
    if args.top < 1:
        raise InputError(f"--top is {args.top}, expected at least 1")
    if args.map:
        check_output(args.map, args.force, [args.embeddings], "--map")
    if is_model(args.embeddings):
        raise InputError(
            f"{args.embeddings} is a model, not word vectors; to learn some from texts: wordplane "
            "embed DATA -o words.embeddings"
        )
    embeddings = WordEmbeddings.read(args.embeddings)
    neighbors_of = {word: embeddings.neighbors(word, args.top) for word in args.words}
    if args.map:
        _draw(embeddings, neighbors_of, args.map, args.by)
    if args.json:
        lists = {
            word: [{"word": near, "cosine": round(cosine, 4)} for near, cosine in neighbors]
            for word, neighbors in neighbors_of.items()
        }
        print_json({"neighbors": lists})
        return 0
    for word, neighbors in neighbors_of.items():
        shown = ", ".join(f"{plain(near)} {cosine:.2f}" for near, cosine in neighbors)
        print(f"{plain(word)}: {shown}")
    return 0


def _draw(
    embeddings: WordEmbeddings,
    neighbors_of: dict[str, list[tuple[str, float]]],
    path: str,
    method: str,
) -> None:
    """The words and their neighbors in the plane; a word belongs to the first that has it."""
    from wordplane.plots.maps import word_map
    from wordplane.plots.saving import save

    group: dict[str, int] = {}
    for number, (word, neighbors) in enumerate(neighbors_of.items()):
        for near in (word, *(near for near, _ in neighbors)):
            group.setdefault(near, number)
    vectors = np.array([embeddings.vector(word) for word in group])
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)  # cosines look at directions alone
    points = plane(vectors / np.where(lengths > 0, lengths, 1.0), method)
    save(word_map(points, list(group), list(group.values())), path)

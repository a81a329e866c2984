"""`wordplane neighbors EMBEDDINGS WORD ...`"""

import argparse
from pathlib import Path

from wordplane.cli.options import plain, print_json
from wordplane.errors import InputError
from wordplane.features.embeddings import WordEmbeddings

EPILOG = """\
The words whose vectors have the largest cosine with that of the word, largest first. Files that
end in .txt or .vec are read as text: a word and its numbers on each line, as word2vec and GloVe
write them.

examples:
  wordplane neighbors reviews.embeddings awful hilarious
  wordplane neighbors glove.6B.100d.txt awful --top 20
  wordplane neighbors reviews.embeddings awful --json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("embeddings", help="what `embed` wrote, or text of word2vec or GloVe")
    parser.add_argument("words", nargs="+", metavar="word", help="words to look up")
    parser.add_argument("--top", type=int, default=10, metavar="N", help="how many (default: 10)")
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def run(args: argparse.Namespace) -> int:
    if args.top < 1:
        raise InputError(f"--top is {args.top}, expected at least 1")
    as_text = Path(args.embeddings).suffix.lower() in (".txt", ".vec")
    embeddings = (WordEmbeddings.read if as_text else WordEmbeddings.load)(args.embeddings)
    found = {word: embeddings.neighbors(word, args.top) for word in args.words}
    if args.json:
        lists = {
            word: [{"word": near, "cosine": round(cosine, 4)} for near, cosine in neighbors]
            for word, neighbors in found.items()
        }
        print_json({"neighbors": lists})
        return 0
    for word, neighbors in found.items():
        shown = ", ".join(f"{plain(near)} {cosine:.2f}" for near, cosine in neighbors)
        print(f"{plain(word)}: {shown}")
    return 0

"""`wordplane explain MODEL TEXT`"""

import argparse
import os
import shlex
import sys
from collections.abc import Sequence
from math import isfinite
from typing import TypedDict

import wordplane
from wordplane.cli.console import plain, print_json, say
from wordplane.cli.options import add_vectors_option
from wordplane.cli.outputs import add_escape_option, check_output, names_file
from wordplane.cli.predict import write_answers
from wordplane.cli.values import natural
from wordplane.common.errors import InputError
from wordplane.common.types import JsonObject, Label
from wordplane.data.columns import FIELD_KIND
from wordplane.data.encoding import STDIN
from wordplane.data.read import read, read_batches
from wordplane.data.tables import TABLES
from wordplane.data.write import choose_format
from wordplane.evaluation.number_scores import figure
from wordplane.model.classifier import TextClassifier
from wordplane.model.explanation import Explanation
from wordplane.model.flip import Flip
from wordplane.model.predictor import TextPredictor
from wordplane.model.regressor import TextRegressor
from wordplane.report.explanations import explanation_html
from wordplane.report.plain_page import write_plain_page
from wordplane.workflow.answer_files import AnswerFormat
from wordplane.workflow.answers import Answers
from wordplane.workflow.explaining import (
    ExplanationResult,
    MeanContributions,
    label_dicts,
    label_text,
)
from wordplane.workflow.inputs import model_columns
from wordplane.workflow.prediction import predict_batches
from wordplane.workflow.wanted import Wanted

EPILOG = """\
Words that speak for the label are green, words against it red, the stronger the brighter.
What all words and the bias add is the score. A word stands for all features that come from it: the
word, its n-grams and its characters, in proportion; --raw lists the features one by one. NOT_good
is "good" after a negation such as "not" or "n't". Below stand the fewest words without which the
label would be another; with --data also the texts of a file, such as the one that the model was
trained on, that are most like this one. Of a model of sets of labels, the one explained is the
likeliest relative to its threshold; its score is above 0 if the text gets it. Of a model that
predicts numbers, green words raise the number and red ones lower it.

examples:
  wordplane explain m.wordplane "a great film, but far too long"
  wordplane explain m.wordplane "a great film" --label neg
  wordplane explain m.wordplane - < mail.txt
  wordplane explain m.wordplane "a great film" --data reviews.csv
  wordplane explain m.wordplane "a great film" --raw --top 20
  wordplane explain m.wordplane "a great film" --json
  wordplane explain m.wordplane reviews.csv -o words.csv --top 5
  wordplane explain m.wordplane reviews.csv -o page.html

With -o, the texts of a file are explained: each row of the output has the --top words of a text and
their contributions; the words that contribute most to each label on average are printed. A page
(.html) shows the marked texts, and these words.
"""

NEGATED = "NOT_"
LEVEL = 0.9  # of the interval of a number
MOST_ON_PAGE = 1_000  # texts


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", help="a model that `train` wrote")
    parser.add_argument("text", help="the text to explain, - for stdin; with -o, a file of texts")
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help="explain all texts of a file; write .csv, .tsv, .jsonl, .parquet or .arrow; or a page "
        "(.html), of a file or of one text",
    )
    parser.add_argument("--force", action="store_true", help="overwrite an existing file")
    add_escape_option(parser)
    parser.add_argument(
        "--top", type=natural, default=10, metavar="N", help="words to list (default: 10)"
    )
    parser.add_argument(
        "--raw", action="store_true", help="list features: words, n-grams and runs of characters"
    )
    parser.add_argument(
        "--data", metavar="FILE", help="(training) texts in which to look for similar ones"
    )
    parser.add_argument("--label", metavar="LABEL", help="explain this one (default: the model's)")
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    add_vectors_option(parser)


class Similar(TypedDict):
    """A text that is like the one that is explained."""

    id: str
    cosine: float
    label: object
    text: str


def run(args: argparse.Namespace) -> int:
    is_page = args.output is not None and args.output.lower().endswith((".html", ".htm"))
    if args.output is not None and not is_page:
        return _explain_file(args)
    if args.text == STDIN:
        args.text = _typed_text()
    if is_page:
        return _write_page(args)
    model = wordplane.load(args.model)
    if names_file(args.text):
        typed = shlex.join(["wordplane", "explain", args.model, args.text, "-o", "words.csv"])
        raise InputError(f"{args.text} is a file; to explain its texts: {typed}")
    _require_no_columns(model, args)
    if not isinstance(model, TextClassifier):
        return _explain_number(model, args)
    label = None if args.label is None else _label_named(args.label, model.classes_.tolist())
    explanation = model.explain(args.text, label)
    of_label = model.classes_.tolist().index(explanation.label)
    chance = float(model.predict_proba([args.text])[0, of_label])
    flip = None if model.is_multilabel else model.flip(args.text)
    known = model.knowledge([args.text]) if model.is_word_model else None
    near = [] if args.data is None else _similar(model, args.text, args.data)
    if args.json:
        print_json(
            {
                "label": explanation.label,
                "probability": chance,
                "score": explanation.score,
                "bias": explanation.bias,
                "words": [{"word": w, "value": v} for w, v in explanation.by_word()],
                "contributions": [c._asdict() for c in explanation.contributions],
                "known": None if known is None else known.known.item(),
                "unfamiliar": None if known is None else known.unfamiliar.item(),
                "flip": None if flip is None else vars(flip),
                "similar": near,
            }
        )
        return 0
    print(f"label     {plain(explanation.label)} ({chance:.1%}), score {explanation.score:.3f}")
    if model.is_multilabel:
        others = [one for one in model.predict([args.text])[0] if one != explanation.label]
        for other in others:
            print(f"also      {plain(other)} (its words: --label {plain(shlex.quote(str(other)))})")
    if known is not None:
        unlike = ": unlike the texts it was trained on" if known.unfamiliar[0] else ""
        print(f"known     {known.known[0]:.0%} of the words{unlike}")
    _print_words(explanation, args.top, raw=args.raw)
    if not model.is_multilabel:
        print(f"\nflip      {_flip_text(flip)}")
    for one in near:
        said = "" if one["label"] is None else f" ({plain(one['label'])})"
        text = " ".join(one["text"].split())
        shown = text if len(text) <= 80 else text[:79] + "…"
        print(f"similar   {one['cosine']:.2f} row {plain(one['id'])}{said}: {plain(shown)}")
    return 0


def _typed_text() -> str:
    """All lines of standard input as one text."""
    if sys.stdin.isatty():
        say("reading a text from the terminal; end with Ctrl-D")
    return "\n".join(read([STDIN], labels=False).texts)


def _explain_number(model: TextRegressor, args: argparse.Namespace) -> int:
    """Which words raise and lower the number of a text."""
    if args.label is not None or args.data is not None:
        raise InputError("--label and --data are for labels, and the model predicts numbers")
    explanation = model.explain(args.text)
    low, high = model.predict_interval([args.text], LEVEL)[0].tolist()
    known = model.knowledge([args.text]) if model.is_word_model else None
    if args.json:
        print_json(
            {
                "number": explanation.score,
                "interval": [low, high] if isfinite(high) else None,
                "level": LEVEL,
                "bias": explanation.bias,
                "words": [{"word": w, "value": v} for w, v in explanation.by_word()],
                "contributions": [c._asdict() for c in explanation.contributions],
                "known": None if known is None else known.known.item(),
                "unfamiliar": None if known is None else known.unfamiliar.item(),
            }
        )
        return 0
    within = f" ({LEVEL:.0%} interval {figure(low)} to {figure(high)})" if isfinite(high) else ""
    print(f"number    {figure(explanation.score)}{within}")
    if known is not None:
        unlike = ": unlike the texts it was trained on" if known.unfamiliar[0] else ""
        print(f"known     {known.known[0]:.0%} of the words{unlike}")
    _print_words(explanation, args.top, raw=args.raw)
    return 0


def _require_no_columns(model: TextPredictor, args: argparse.Namespace) -> None:
    """Refuse a model that one text is not enough for."""
    kinds = model.model_.features.spec.columns.kinds
    if not kinds:
        return
    row: JsonObject = {} if FIELD_KIND in kinds.values() else {"text": [args.text]}
    empty = {"number": 0, "vector": [0.0]}
    also = "also " if row else ""
    row |= {name: [empty.get(kind, "")] for name, kind in kinds.items()}
    raise InputError(
        f"the model {also}needs the columns {', '.join(kinds)}: explain it from Python with "
        "their values (or a file that has them, with -o), as in "
        f"wordplane.load({args.model!r}).explain({row!r})"
    )


def _print_words(explanation: Explanation, n: int, *, raw: bool) -> None:
    """The text with its words marked, and the words or features that add most."""
    has_colors = sys.stdout.isatty() and "NO_COLOR" not in os.environ
    print()
    if not explanation.text.strip():
        print("(the text is empty)")
    else:
        print(highlight(explanation) if has_colors else mark(explanation))
    added = explanation.by_feature() if raw else explanation.by_word()
    lines = [(plain(name), value) for name, value in added[:n]]
    if len(added) > n:
        lines.append((f"({len(added) - n:,} more)", sum(value for _, value in added[n:])))
    lines.append(("(bias)", explanation.bias))
    width = max(8, *(len(f"{value:+,.3f}") for _, value in lines))  # of large numbers
    print(f"\n{'adds':>{width}}  {'feature' if raw else 'word'}")
    for name, value in lines:
        print(f"{value:>+{width},.3f}  {name}")
    if any(NEGATED in name for name, _ in added[:n]):
        print(f"\n{NEGATED}word is a word after a negation such as not, never or n't")


def _explain_file(args: argparse.Namespace) -> int:
    """All texts of a file: a row for each, and the means of each label."""
    if args.label is not None or args.data is not None or args.raw:
        raise InputError("--label, --data and --raw are for one text, not for a file (-o)")
    check_output(args.output, args.force, [args.model, args.text])
    form, means = choose_format(args.output, None, TABLES), MeanContributions()
    answers = Answers(wordplane.load(args.model), Wanted(explain=args.top), means.add)
    batches = predict_batches(answers, [args.text], vectors=args.vectors)
    written = AnswerFormat(form, escape_formulas=args.escape_formulas)
    n_rows = write_answers(answers, batches, written, args.output)
    say(f"wrote {n_rows:,} rows to {args.output}")
    labels = means.of_labels(args.top)
    if args.json:
        print_json({"labels": label_dicts(labels)})
    else:
        print(plain(label_text(labels)))
    return 0


def _write_page(args: argparse.Namespace) -> int:
    """One text, or those of a file, on a page: marked words, and the means of each label."""
    if args.data is not None or args.raw or args.json:
        raise InputError("--data, --raw and --json are not for a page")
    is_file = names_file(args.text)
    check_output(args.output, args.force, [args.model, args.text] if is_file else [args.model])
    model, means = wordplane.load(args.model), MeanContributions()
    sections: list[str] = []  # one for each text

    def add(explanations: Sequence[Explanation]) -> None:
        means.add(explanations)
        if len(sections) < MOST_ON_PAGE:
            number = f"{len(sections) + 1:,}." if is_file else ""
            parts = (explanation_html(one, args.top, number) for one in explanations)
            sections.append("".join(parts))

    if not is_file:
        _require_no_columns(model, args)
        labels: list[Label | None] = [None]
        if args.label is not None:
            labels = [_label_named(args.label, model.model_.classes.tolist())]
        elif isinstance(model, TextClassifier) and model.is_multilabel:
            labels = [*model.predict([args.text])[0]] or labels
        add([model.explain(args.text, label) for label in labels])
        write_plain_page(args.output, "Explanation", "".join(sections))
        say(f"wrote {args.output}")
        return 0
    if args.label is not None:
        raise InputError("--label is for one text, not for a file")
    answers = Answers(model, Wanted(explain=args.top), add)
    n_texts = sum(
        len(batch["words"])
        for batch, _ in predict_batches(answers, [args.text], vectors=args.vectors)
    )
    if n_texts > len(sections):
        say(
            f"the page shows the first {len(sections):,} of {n_texts:,} texts; the means are of all"
        )
    tables = ExplanationResult({}, means.of_labels(args.top))._repr_html_()
    write_plain_page(args.output, f"Explanations: {args.text}", tables + "".join(sections))
    say(f"wrote {len(sections):,} texts to {args.output}")
    return 0


def _flip_text(flip: Flip | None) -> str:
    if flip is None:
        return "none: the label stays whatever words are taken away"
    words = ", ".join(plain(word) for word in flip.words)
    most = "" if flip.is_smallest else "; fewer words may do"
    return f"without {words} it would be {plain(flip.label)}{most}"


def _similar(model: TextClassifier, text: str, path: str) -> list[Similar]:
    corpus = next(read_batches([path], batch_size=None, **model_columns(model)))
    return [
        {
            "id": corpus.ids[row] if corpus.ids else str(row + 1),
            "cosine": cosine,
            "label": corpus.labels[row] if corpus.labels else None,
            "text": corpus.texts[row],
        }
        for row, cosine in model.nearest(text, corpus, n=3)
    ]


def _label_named(name: str, classes: list[Label]) -> Label:
    """The label that is written so."""
    return next((label for label in classes if str(label) == name), name)


def highlight(explanation: Explanation) -> str:
    """The text in colors, for a terminal."""
    shown = []
    for text, weight in explanation.pieces():
        strength = round(abs(weight) * 5)
        color = (46 if weight > 0 else 196) if strength >= 3 else (34 if weight > 0 else 160)
        shown.append(f"\x1b[38;5;{color}m{plain(text)}\x1b[0m" if strength else plain(text))
    return "".join(shown)


def mark(explanation: Explanation) -> str:
    """The text with + and - behind what speaks for and against the label."""
    shown = []
    for text, weight in explanation.pieces():
        strength = round(abs(weight) * 3)
        shown.append(plain(text) + ("+" if weight > 0 else "-") * strength)
    return "".join(shown)

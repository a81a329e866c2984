"""`wordplane inspect MODEL`"""

import argparse

import wordplane
from wordplane.cli.console import plain, print_json
from wordplane.cli.values import natural
from wordplane.model.decision import decision_lines
from wordplane.model.editing import edit_text
from wordplane.workflow.result import score_lines, text_of

EPILOG = """\
examples:
  wordplane inspect m.wordplane
  wordplane inspect m.wordplane --top 30 --json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", help="a model that `train` wrote")
    parser.add_argument(
        "--top",
        type=natural,
        default=10,
        metavar="N",
        help="strongest features to show (default 10)",
    )
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def run(args: argparse.Namespace) -> int:
    model = wordplane.load(args.model)
    top = model.top_features(args.top)
    training = model.training_
    if args.json:
        print_json(
            {
                "classes": model.model_.classes.tolist(),
                "predicts": "numbers" if model.model_.predicts_numbers else "labels",
                "n_features": model.n_features,
                "analyzer": model.analyzer.to_dict() if model.analyzer else None,
                "training": training.to_dict(),
                "top_features": {str(label): features for label, features in top.items()},
            }
        )
        return 0
    if model.model_.predicts_numbers:
        print(f"predicts  {plain(training.label_column or 'numbers')}, a number")
    else:
        print(f"classes   {', '.join(map(plain, model.model_.classes.tolist()))}")
    print(f"features  {model.n_features:,}, {plain(model.analyzer)}")
    values = {
        name: plain(value) if isinstance(value, str) else f"{value:g}"
        for name, value in training.chosen.items()
    }
    choices = ", ".join(f"{plain(name)}={value}" for name, value in values.items())
    chosen = f", which chose {choices}," if choices else ""
    n_docs = "unknown" if training.n_docs is None else f"{training.n_docs:,}"
    print(f"trained   by {plain(training.learner_text)}{chosen} on {n_docs} texts")
    if training.edits:
        print(f"edited    {plain(edit_text(training.edits))}")
    if training.scores is not None:
        print(f"tested    on {training.scores.n:,} texts {plain(training.tested_on)}")
        print(plain(text_of(score_lines(training.scores))))
    if lines := decision_lines(model.model_):
        print(plain(text_of(lines)))
    said = (
        "makes the number higher and lower"
        if model.model_.predicts_numbers
        else "speaks most for each class"
    )
    print(f"\nwhat {said}")
    for label, features in top.items():
        print(f"  {plain(label)}: {', '.join(plain(name) for name, _ in features)}")
    return 0

"""`wordplane inspect MODEL`"""

import argparse
from typing import Any

import wordplane
from wordplane.cli.options import natural, plain, print_json, scores_lines

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
    result: dict[str, Any] = {
        "classes": model.classes_.tolist(),
        "n_features": model.n_features,
        "analyzer": model.analyzer.to_dict() if model.analyzer else None,
        "training": model.training_,
        "top_features": {str(label): features for label, features in top.items()},
    }
    if args.json:
        print_json(result)
        return 0
    print(f"classes   {', '.join(map(plain, result['classes']))}")
    print(f"features  {result['n_features']:,}, {model.analyzer}")
    try:
        _print_training(result["training"])
    except (TypeError, ValueError, KeyError, AttributeError):  # any JSON may stand there
        print("trained   in a way that the file does not tell")
    print("\nwhat speaks most for each class")
    for label, features in top.items():
        print(f"  {plain(label)}: {', '.join(plain(name) for name, _ in features)}")
    return 0


def _print_training(training: dict[str, Any]) -> None:
    chosen = training.get("alpha")
    alpha = f", which chose alpha={chosen:g}," if isinstance(chosen, float) else ""
    print(f"trained   by {plain(training['learner'])}{alpha} on {training['n_docs']:,} texts")
    scores = training.get("scores")
    if scores:
        print(f"tested    on {scores['n']:,} texts {plain(training['tested_on'])}")
        for line in scores_lines(scores):
            print(line)

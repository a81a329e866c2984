"""`wordplane inspect MODEL`"""

import argparse
from typing import Any

import wordplane
from wordplane.cli.options import print_json

EPILOG = """\
examples:
  wordplane inspect m.wordplane
  wordplane inspect m.wordplane --top 30 --json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", help="a model that `train` wrote")
    parser.add_argument(
        "--top", type=int, default=10, metavar="N", help="strongest features to show (default: 10)"
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
    training = result["training"]
    print(f"classes   {', '.join(map(str, result['classes']))}")
    print(f"features  {result['n_features']:,}, {model.analyzer}")
    print(f"trained   by {training.get('learner')} on {training.get('n_docs'):,} texts")
    scores = training.get("scores")
    if scores:
        print(
            f"accuracy  {scores['accuracy']:.1%} on {scores['n']:,} texts {training['tested_on']}; "
            f"always {scores['majority_label']!r} would be {scores['majority_accuracy']:.1%}"
        )
    print("\nwhat speaks most for each class")
    for label, features in top.items():
        print(f"  {label}: {', '.join(name for name, _ in features)}")
    return 0

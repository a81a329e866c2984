"""What is worth typing next, after a verb has shown what it found."""

from __future__ import annotations

import argparse
import shlex
from typing import TYPE_CHECKING

from wordplane.cli.options import TYPED
from wordplane.data.encoding import STDIN

if TYPE_CHECKING:
    from wordplane.workflow.number_training import NumberTrainingResult
    from wordplane.workflow.training_result import TrainingResult

SMALL = 500  # texts: more of them may help

NextStep = tuple[str, str]  # a command, and what it does


def after_training(result: TrainingResult, args: argparse.Namespace) -> list[NextStep]:
    """The two commands that are most worth running after a training, and why."""
    if result.path is None:
        return []
    model, data = shlex.quote(result.path), _typed_data(args)
    audit = f"wordplane audit {data}", "finds repeated texts and doubtful labels"
    diagnose = f"wordplane diagnose {data}", "says whether more texts would help"
    explain = f'wordplane explain {model} "SOME TEXT"', "shows which words count"
    predict = f"wordplane predict {model} NEW_TEXTS.csv", "labels new texts"
    weak = result.weak_spots
    if STDIN in args.data or weak is None or result.multilabel:
        return [explain, predict]
    if weak.no_better:
        return [audit, diagnose]
    if weak.n_repeated or weak.few:
        return [audit, predict]
    if weak.worst:
        return [(f"wordplane report {model} {data}", "shows what is taken for what"), predict]
    return [diagnose if result.n_rows < SMALL else explain, predict]


def after_number_training(result: NumberTrainingResult, args: argparse.Namespace) -> list[NextStep]:
    """The same for a model that predicts numbers."""
    if result.path is None:
        return []
    model = shlex.quote(result.path)
    if result.scores and result.scores.no_better and result.model.loss == "squared":
        again = f"wordplane train {_typed_data(args)} --target {shlex.quote(result.target)}"
        return [(f"{again} --param loss=quantile", "heeds extreme numbers less")]
    return [
        (f'wordplane explain {model} "SOME TEXT"', "shows which words raise and lower the number"),
        (f"wordplane predict {model} NEW_TEXTS.csv --set-confidence 0.9", "with intervals"),
    ]


def after_evaluation(args: argparse.Namespace, *, has_mistakes: bool) -> list[NextStep]:
    """The commands that show what is behind the numbers of one model."""
    if STDIN in args.data or args.output:
        return []
    model, data = shlex.quote(args.model), _typed_data(args)
    mistakes = f"wordplane evaluate {model} {data} -o mistakes.csv", "writes all mistakes"
    report = f"wordplane report {model} {data}", "shows what is taken for what"
    return [mistakes, report] if has_mistakes else [report]


def after_audit(args: argparse.Namespace, n_found: int) -> list[NextStep]:
    """The commands that mend data in which something was found."""
    if STDIN in args.data or args.output or args.fix or not n_found:
        return []
    data = _typed_data(args)
    return [
        (f"wordplane audit {data} -o suspects.csv", "writes all rows that were found"),
        (f"wordplane audit {data} --fix clean.csv", "writes a copy without repeated texts"),
    ]


def _typed_data(args: argparse.Namespace) -> str:
    return shlex.join([*args.data, *_typed_reading(args)])


def _typed_reading(args: argparse.Namespace) -> list[str]:
    """The data options that were given, as they are typed."""
    words = ["--no-header"] if args.no_header else []
    for name in TYPED:
        given = getattr(args, name, None)
        flag = f"--{name.replace('_', '-')}"
        if given is True:
            words.append(flag)
        elif given:
            values = given if isinstance(given, list) else [given]
            words += [word for one in values for word in (flag, str(one))]
    return words

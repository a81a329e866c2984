"""How good the rest of an answer is: likeliest and confident labels, sets, levels of labels."""

from collections.abc import Sequence

import numpy as np

from wordplane.evaluation.hierarchy import LevelScores
from wordplane.evaluation.rankings import likeliest
from wordplane.model.measurement import Measurement
from wordplane.workflow.answers import prediction_sets
from wordplane.workflow.result import Line, between
from wordplane.workflow.wanted import Wanted


def score_answers(measured: Measurement, asked: Wanted) -> dict[str, float]:
    """By name, what is asked for; shares of texts, and the mean size of sets."""
    P, classes = measured.probabilities, measured.model.classes_
    is_true = np.asarray(measured.truth[:, None] == classes.astype(object)[None, :])
    numbers: dict[str, float] = {}
    if asked.top_k is not None:
        hits = np.take_along_axis(is_true, likeliest(P, asked.top_k), axis=1).any(axis=1)
        numbers |= {"top_k": asked.top_k, "top_k_accuracy": float(hits.mean())}
    if asked.min_confidence is not None:
        given = measured.confidence >= asked.min_confidence
        numbers |= {
            "min_confidence": asked.min_confidence,
            "share_labeled": float(given.mean()),
            "labeled_accuracy": float((~measured.wrong)[given].mean()) if given.any() else 0.0,
        }
    if asked.set_confidence is not None:
        member = prediction_sets(measured.model, asked.set_confidence).sets(P)
        numbers |= {
            "set_confidence": asked.set_confidence,
            "set_coverage": float((member & is_true).any(axis=1).mean()),
            "mean_set_size": float(member.sum(axis=1).mean()),
        }
    return numbers


def answer_lines(numbers: dict[str, float]) -> list[Line]:
    """The same in words."""
    lines: list[Line] = []
    if "top_k" in numbers:
        k, share = numbers["top_k"], numbers["top_k_accuracy"]
        lines.append((f"top {k:g}", f"{share:.1%} of the labels are among the {k:g} likeliest"))
    if "min_confidence" in numbers:
        least, share = numbers["min_confidence"], numbers["share_labeled"]
        text = f"{share:.1%} of the texts get a label of probability {least:g} or more"
        right = numbers["labeled_accuracy"]
        lines.append(("confident", f"{text}, of which {right:.1%} are right"))
    if "set_confidence" in numbers:
        asked, share = numbers["set_confidence"], numbers["set_coverage"]
        text = f"{share:.1%} contain the label ({asked:.0%} asked for)"
        lines.append(("sets", f"{text}, with {numbers['mean_set_size']:.2f} labels on average"))
    return lines


def level_lines(levels: Sequence[LevelScores]) -> list[Line]:
    """Every level in words, and where labels end."""
    lines: list[Line] = []
    for n, level in enumerate(levels, 1):
        text = (
            f"{level.accuracy:.1%} (95 % interval {between(level.accuracy_interval)}) of "
            f"{level.n_nodes:,} right, hierarchical F1 {level.hierarchical_f1:.1%}"
        )
        if level.stopped is not None:
            text += f"; {level.stopped:.1%} of the texts end here"
            text += "" if level.right is None else f", of which {level.right:.1%} are right"
        lines.append((f"level {n}", text))
    if levels and levels[0].stopped is not None:
        without = 1 - sum(level.stopped or 0.0 for level in levels)
        lines.append(("no label", f"{max(without, 0.0):.1%} of the texts"))
    return lines

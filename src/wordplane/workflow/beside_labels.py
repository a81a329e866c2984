"""How good the rest of an answer is: likeliest and confident labels, sets, levels of labels."""

from collections.abc import Sequence

import numpy as np

from wordplane.evaluation.decisions import Conformal
from wordplane.evaluation.hierarchy import LevelScores
from wordplane.model.measuring import Measurement
from wordplane.workflow.result import Line, between


def beside_labels(
    measured: Measurement,
    top_k: int | None,
    min_confidence: float | None,
    set_confidence: float | None,
) -> dict[str, float]:
    """By name, what is asked for; shares of texts, and the mean size of sets."""
    P, classes = measured.probabilities, measured.model.classes_
    is_true = np.asarray(measured.truth[:, None] == classes.astype(object)[None, :])
    own = np.where(is_true.any(axis=1), (P * is_true).sum(axis=1), -1.0)
    numbers: dict[str, float] = {}
    if top_k is not None:
        best = np.argsort(-P, axis=1, kind="stable")[:, :top_k]
        hits = np.take_along_axis(is_true, best, axis=1).any(axis=1)
        numbers |= {"top_k": top_k, "top_k_accuracy": float(hits.mean())}
    if min_confidence is not None:
        given = measured.confidence >= min_confidence
        right = float((~measured.wrong)[given].mean()) if given.any() else 0.0
        numbers |= {
            "min_confidence": min_confidence,
            "coverage": float(given.mean()),
            "covered_accuracy": right,
        }
    if set_confidence is not None:
        held_out = np.array(measured.model.training_.true_probabilities)
        least = Conformal.of_true(held_out, set_confidence).least
        numbers |= {
            "set_confidence": set_confidence,
            "set_coverage": float((own >= least).mean()),
            "mean_set_size": float((least <= P).sum(axis=1).mean()),
        }
    return numbers


def beside_lines(numbers: dict[str, float]) -> list[Line]:
    """The same in words."""
    lines: list[Line] = []
    if "top_k" in numbers:
        k, share = numbers["top_k"], numbers["top_k_accuracy"]
        lines.append((f"top {k:g}", f"{share:.1%} of the labels are among the {k:g} likeliest"))
    if "min_confidence" in numbers:
        least, coverage = numbers["min_confidence"], numbers["coverage"]
        right = numbers["covered_accuracy"]
        text = f"{coverage:.1%} of the texts get a label of probability {least:g} or more"
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

"""Cases for benchmarks.intervals: of sets of labels, of what is said about single texts, of texts
without labels, of slices, and of people who label."""

from collections.abc import Iterator

import numpy as np

from benchmarks.intervals_case import Case, contains
from wordplane.common.label_sets import LabelSets
from wordplane.evaluation.agreement import compare_people
from wordplane.evaluation.decisions import Conformal
from wordplane.evaluation.label_shift import LabelShift
from wordplane.evaluation.number_intervals import NumberIntervals
from wordplane.evaluation.outcomes import Outcome
from wordplane.evaluation.set_scores import score_sets
from wordplane.evaluation.trait_test import compare_traits
from wordplane.workflow.slices import slice_by

LABELS = np.array(["a", "b", "c", "d"])
LABEL_SHARES = np.array([0.5, 0.3, 0.15, 0.08])
RECALL, FALL_OUT = np.array([0.9, 0.8, 0.7, 0.6]), np.array([0.1, 0.06, 0.04, 0.03])


def draw_sets(rng: np.random.Generator, n: int) -> tuple[LabelSets, LabelSets]:
    true = rng.random((n, 4)) < LABEL_SHARES
    said = rng.random((n, 4)) < np.where(true, RECALL, FALL_OUT)
    return LabelSets.of_member(LABELS, true), LabelSets.of_member(LABELS, said)


def sets() -> Iterator[Case]:
    large = score_sets(*draw_sets(np.random.default_rng(0), 1_000_000), n_resamples=20)
    for name in ("subset_accuracy", "micro_f1", "macro_f1", "hamming_loss"):
        true = getattr(large, name)
        for n in (60, 300):

            def run(rng, name=name, n=n, true=true):
                scores = score_sets(*draw_sets(rng, n), n_resamples=500)
                return contains(getattr(scores, f"{name}_interval"), true)

            before = "90.7" if (name, n) == ("macro_f1", 60) else ""
            yield Case(f"{name}, several labels", f"{n} rows", run, before=before)


def draw_probabilities(rng: np.random.Generator, n: int, shares: np.ndarray):
    """Probabilities that know the classes well, but not how frequent each of them is."""
    codes = rng.choice(len(shares), n, p=shares)
    Z = rng.normal(size=(n, len(shares)))
    Z[np.arange(n), codes] += 1.8
    P = np.exp(1.3 * Z)
    return P / P.sum(axis=1, keepdims=True), codes


def single_texts() -> Iterator[Case]:
    for n in (40, 300):

        def holds(rng, n=n):
            P, codes = draw_probabilities(rng, n + 1, np.array([0.6, 0.3, 0.1]))
            found = Conformal.fit(P[:n], codes[:n], classes=np.arange(3), level=0.95)
            return bool(found.sets(P[n:])[0, codes[n]])

        yield Case("labels of one text (conformal)", f"{n} rows held out", holds, n_runs=4000)

        def contained(rng, n=n):
            errors = rng.standard_t(4, n + 1)
            return contains(NumberIntervals.fit(errors[:n]).margins(0.95), errors[n])

        yield Case("number of one text", f"{n} rows held out", contained, n_runs=4000)


def unlabeled_texts() -> Iterator[Case]:
    worlds = [("shares as before", (0.6, 0.3, 0.1)), ("shares turned round", (0.1, 0.3, 0.6))]
    for name, now in worlds:

        def run(rng, what, now=now):
            P, codes = draw_probabilities(rng, 300, np.array([0.6, 0.3, 0.1]))
            shift = LabelShift(P, codes, P.argmax(axis=1))
            Q, new = draw_probabilities(rng, 250, np.array(now))
            estimate = shift.estimate(Q, Q.argmax(axis=1))
            if what == "accuracy":
                return contains(estimate.accuracy_interval, float((Q.argmax(axis=1) == new).mean()))
            return contains(estimate.intervals[2], float((new == 2).mean()))

        for what in ("share of a label", "accuracy"):
            yield Case(
                f"{what}, texts without labels",
                f"300 rows held out, 250 new ones, {name}",
                lambda rng, run=run, what=what: run(rng, what.split()[0]),
                n_runs=150,
            )

    def rejects(rng):
        in_class = np.random.default_rng(1).uniform(0.02, 0.5, (60, 2))
        sizes, n_new = np.array([300, 100]), 250
        counts = rng.binomial(sizes, in_class)
        codes = rng.random(n_new) < 0.6
        X = (rng.random((n_new, 60)) < in_class[:, codes.astype(int)].T).astype(float)
        return compare_traits(counts, sizes, X, np.array([0.4, 0.6])).p < 0.05

    yield Case("words have changed", "400 earlier texts, 250 new ones", rejects, "test")


def slices() -> Iterator[Case]:
    for n_slices, n in ((2, 120), (8, 400)):

        def rejects(rng, n_slices=n_slices, n=n):
            right = rng.random(n) < 0.85
            outcome = Outcome((0, 1), np.ones(n, np.int64), right.astype(np.int64))
            found = slice_by("x", rng.integers(n_slices, size=n).tolist(), outcome, ["accuracy"])
            return any(one.distinguishable for one in found.slices)

        setting = f"{n_slices} slices of {n} rows"
        yield Case("a slice differs", setting, rejects, "test", cautious=True)


def people() -> Iterator[Case]:
    """Two people who give the true label with a probability, or else any label."""
    shares = np.array([0.6, 0.3, 0.1])
    for n, knows in ((30, 0.9), (30, 0.6), (150, 0.9)):
        chance = shares @ shares
        same = knows**2 + (1 - knows**2) * chance
        true = (same - chance) / (1 - chance)

        def draw(rng, n=n, knows=knows):
            label = rng.choice(3, n, p=shares)
            people = [
                np.where(rng.random(n) < knows, label, rng.choice(3, n, p=shares)) for _ in range(2)
            ]
            return compare_people([{"ann": a, "bob": b} for a, b in zip(*people, strict=True)])

        for number, what in enumerate(("Krippendorff's alpha", "Cohen's kappa")):
            yield Case(
                what,
                f"{n} texts, true value {true:.2f}",
                lambda rng, draw=draw, number=number, true=true: contains(
                    draw(rng)[number].interval, true
                ),
                n_runs=400,
            )


def cases() -> list[Case]:
    makers = (sets, single_texts, unlabeled_texts, slices, people)
    return [case for make in makers for case in make()]

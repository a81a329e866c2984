"""How often printed intervals contain the true value, and how often tests reject what is true.

Worlds whose truth is known are drawn again and again. `tests/evaluation/test_simulations.py` runs
each case in `make soak`, and fails if an interval or a bound is right in less than 93 % of all
samples, or a test rejects in more than 7 % or in less than 3 % of them, each by more than two
standard errors of the simulation. A test that cannot reach its level, because few rows leave few
values, is marked as cautious. Writes the table:

    python -m benchmarks.intervals
"""

from collections.abc import Iterator
from math import sqrt
from pathlib import Path

import numpy as np
from scipy import stats

from benchmarks import intervals_of_answers
from benchmarks.intervals_case import Case, contains
from wordplane.common.errors import RequirementError
from wordplane.evaluation.anytime import share_sequence
from wordplane.evaluation.curves import auc, average_precision
from wordplane.evaluation.intervals import fold_interval
from wordplane.evaluation.measures import Metric, score_by
from wordplane.evaluation.number_scores import NumberScores
from wordplane.evaluation.outcomes import Outcome
from wordplane.evaluation.paired_tests import compare_outcomes, paired_p_value
from wordplane.evaluation.ranking_intervals import ranking_interval
from wordplane.evaluation.reliability import reliability
from wordplane.evaluation.requirements import Requirement, guarantee
from wordplane.learners.positive_unlabeled import PositiveUnlabeled

TABLE = Path(__file__).resolve().parents[1] / "docs" / "measured" / "intervals.md"
CLASSES = ("a", "b", "c")
CONFUSION = np.array([[0.4, 0.06, 0.04], [0.05, 0.22, 0.03], [0.04, 0.03, 0.13]])
HEAD = """# How often the intervals are right

Each line is simulated with a known truth: how often a 95 % interval contains it, a 95 % bound
holds, or a test at the level of 5 % rejects what is true. `python -m benchmarks.intervals` writes
this page. `make soak` fails if an interval or a bound is right in less than 93 % of all samples, or
a test rejects in more than 7 % or, unless it is marked as cautious, in less than 3 %, by more than
two standard errors of the simulation (1.6 points for 1,000 samples). "Before" was measured in the
same setting before the method was changed; "none" means that nothing was printed.

"""


def confusion_cells() -> tuple[Outcome, np.ndarray]:
    true, said = np.divmod(np.arange(9), 3)
    return Outcome(CLASSES, true, said), CONFUSION.ravel()


def label_metrics() -> Iterator[Case]:
    cells, shares = confusion_cells()
    for name in ("accuracy", "macro_f1", "weighted_f1", "macro_recall", "f1:c", "mcc", "kappa"):
        true = float(Metric.of(name, cells).bind(cells)(shares[None])[0])
        for n in (60, 300):

            def run(rng: np.random.Generator, name: str = name, n: int = n, true: float = true):
                rows = rng.choice(9, n, p=shares)
                outcome = Outcome(CLASSES, *np.divmod(rows, 3))
                return contains(score_by(name, outcome).interval, true)

            yield Case(name, f"{n} rows", run)
    yield from rare_classes()


def rare_classes() -> Iterator[Case]:
    """The label is right with the probability 0.7, else drawn like the true ones."""
    shares = np.array([0.6, 0.25, 0.1, 0.05])
    recall = 0.7 + 0.3 * shares  # and precision, so F1
    for n, before in ((25, "81.5"), (60, "86.8")):

        def run(rng, n=n):
            true = rng.choice(4, n, p=shares)
            said = np.where(rng.random(n) < 0.7, true, rng.choice(4, n, p=shares))
            outcome = Outcome(tuple("abcd"), true, said)
            return contains(score_by("macro_f1", outcome).interval, recall.mean())

        yield Case("macro_f1", f"{n} rows, the rarest class has 5 %", run, before=before)
    yield from many_classes()


def many_classes() -> Iterator[Case]:
    """Of most, there are few rows or none; the label is right with the probability 0.7."""
    shares = 1 / np.arange(1, 51)
    shares /= shares.sum()
    names = tuple(map(str, range(50)))
    for n in (100, 300):

        def run(rng, n=n):
            true = rng.choice(50, n, p=shares)
            said = np.where(rng.random(n) < 0.7, true, rng.choice(50, n, p=shares))
            macro_f1 = (0.7 + 0.3 * shares).mean()  # precision and recall of a class are equal
            return contains(score_by("macro_f1", Outcome(names, true, said)).interval, macro_f1)

        yield Case("macro_f1", f"{n} rows of 50 classes, by Zipf's law", run)


def normal_scores(rng: np.random.Generator, n: int, share: float, shift: float):
    n_positive = int(np.clip(rng.binomial(n, share), 2, n - 2))
    positive = np.arange(n) < n_positive
    return positive, rng.normal(size=n) + shift * positive


def true_rankings(share: float, shift: float) -> dict[str, float]:
    recall = (np.arange(100_000) + 0.5) / 100_000
    hits = share * recall
    fall_out = stats.norm.sf(shift + stats.norm.isf(recall))
    ap = float((hits / (hits + (1 - share) * fall_out)).mean())
    return {"auc": stats.norm.cdf(shift / sqrt(2)), "ap": ap}


RANKED_BEFORE = {
    ("auc", 5, 1.0): "80.4", ("auc", 5, 2.0): "80.2", ("auc", 10, 1.0): "91.2",
    ("auc", 10, 2.0): "87.8", ("auc", 30, 1.0): "94.3", ("auc", 30, 2.0): "91.2",
    ("auc", 100, 1.0): "95.0", ("auc", 100, 2.0): "94.5",
    ("ap", 5, 1.0): "83.4", ("ap", 5, 2.0): "87.2", ("ap", 10, 1.0): "87.6",
    ("ap", 10, 2.0): "94.0", ("ap", 30, 1.0): "91.5", ("ap", 30, 2.0): "90.8",
    ("ap", 100, 1.0): "93.8", ("ap", 100, 2.0): "95.8",
}  # fmt: skip


def rankings() -> Iterator[Case]:
    values = {"auc": auc, "ap": average_precision}
    for kind in ("auc", "ap"):
        sizes = ((100, 5), (200, 10), (60, 30), (1000, 100))
        worlds = [(n, m, shift) for n, m in sizes for shift in (1.0, 2.0)]
        for n, m, shift in [*worlds, (100, 5, 3.0), (4000, 20, 1.3)]:
            true = true_rankings(m / n, shift)[kind]

            def run(rng, kind=kind, n=n, m=m, shift=shift, true=true):
                positive, z = normal_scores(rng, n, m / n, shift)
                value = values[kind](positive, z)
                return contains(ranking_interval(kind, value, positive, z), true)

            setting = f"{m} of {n:,} rows have the label, true value {true:.2f}"
            before = RANKED_BEFORE.get((kind, m, shift), "")
            yield Case(kind.upper(), setting, run, before=before)


def ranking_tests() -> Iterator[Case]:
    before = {
        ("auc", 5, 1.0): "12.0", ("auc", 10, 1.0): "8.8", ("auc", 100, 1.0): "5.9",
        ("auc", 5, 2.0): "5.1", ("auc", 10, 2.0): "4.8", ("auc", 100, 2.0): "5.9",
        ("ap", 5, 1.0): "6.0", ("ap", 10, 1.0): "4.5", ("ap", 100, 1.0): "5.3",
        ("ap", 5, 2.0): "9.2", ("ap", 10, 2.0): "7.7", ("ap", 100, 2.0): "5.6",
    }  # fmt: skip
    for kind in ("auc", "ap"):
        sizes = ((100, 5), (200, 10), (1000, 100))
        for n, m, shift in [(n, m, shift) for n, m in sizes for shift in (1.0, 2.0)]:

            def run(rng, kind=kind, n=n, m=m, shift=shift):
                positive, common = np.arange(n) < m, rng.normal(size=n)
                outcomes = []
                for _ in range(2):
                    z = (common + rng.normal(size=n)) / sqrt(2) + shift * positive
                    p = stats.norm.cdf(z)
                    P = np.stack([1 - p, p], axis=1)
                    labels = positive.astype(int)
                    outcomes.append(Outcome((0, 1), labels, labels, P))
                return paired_p_value(*outcomes, metric=f"{kind}:1") < 0.05

            true = true_rankings(m / n, shift)[kind]
            setting = f"{m} of {n:,} rows have the label, true value {true:.2f}"
            cautious, told = m < 100, before[kind, m, shift]
            yield Case(
                f"{kind.upper()}, two equal scores", setting, run, "test", told, cautious=cautious
            )


def log_losses() -> Iterator[Case]:
    p = (np.arange(100_000) + 0.5) / 100_000
    p = stats.beta.ppf(p, 2, 2)
    true = float(-(p * np.log(p) + (1 - p) * np.log1p(-p)).mean())
    for n in (60, 500):

        def run(rng, n=n):
            p = rng.beta(2, 2, n)
            y = (rng.random(n) < p).astype(int)
            outcome = Outcome((0, 1), y, (p > 0.5).astype(int), np.stack([1 - p, p], axis=1))
            return contains(score_by("log_loss", outcome).interval, true)

        yield Case("log-loss", f"{n} rows", run)


def right_or_wrong(right: np.ndarray) -> Outcome:
    """All rows have the label 1."""
    return Outcome((0, 1), np.ones(len(right), np.int64), right.astype(np.int64))


def grouped() -> Iterator[Case]:
    for n_groups in (6, 10, 30):
        groups = np.repeat(np.arange(n_groups), 8)

        def covers(rng, groups=groups, n_groups=n_groups):
            right = rng.random(len(groups)) < rng.beta(6, 2, n_groups)[groups]
            return contains(
                score_by("accuracy", right_or_wrong(right), groups=groups).interval, 0.75
            )

        yield Case("accuracy by groups", f"{n_groups} groups of 8 rows", covers)
    for n_groups in (6, 15):
        groups = np.repeat(np.arange(n_groups), 8)

        def rejects(rng, groups=groups, n_groups=n_groups):
            a, b = (
                right_or_wrong(rng.random(len(groups)) < rng.beta(6, 2, n_groups)[groups])
                for _ in range(2)
            )
            return paired_p_value(a, b, groups=groups) < 0.05

        yield Case(
            "McNemar by groups", f"{n_groups} groups of 8 rows", rejects, "test", cautious=True
        )


def paired() -> Iterator[Case]:
    for n in (40, 200):

        def rejects(rng, n=n):
            a, b = (right_or_wrong(rng.random(n) < 0.75) for _ in range(2))
            return paired_p_value(a, b) < 0.05

        yield Case("McNemar, mid-p", f"{n} rows", rejects, "test", n_runs=2000)
    shares = CONFUSION.ravel()

    def tosses(rng):
        a = rng.choice(9, 150, p=shares)
        true = a // 3
        other = np.array([rng.choice(3, p=CONFUSION[t] / CONFUSION[t].sum()) for t in true])
        outcomes = [Outcome(CLASSES, true, said) for said in (a % 3, other)]
        return paired_p_value(*outcomes, metric="macro_f1") < 0.05

    yield Case("randomization, macro F1", "150 rows", tosses, "test")

    def covers(rng):
        a, b = (right_or_wrong(rng.random(150) < p) for p in (0.75, 0.8))
        return contains(compare_outcomes(a, b, n_resamples=500).interval, 0.05)

    yield Case("difference of two accuracies", "150 rows", covers)


def calibration() -> Iterator[Case]:
    truths = {
        "calibrated": lambda p: p,
        "overconfident": lambda p: 0.5 + 0.5 * (p - 0.5),
        "wrong where it is sure": lambda p: np.where(p < 0.85, p, p - 0.25),
    }
    for n in (50, 500):
        for name, truth in truths.items():

            def covers(rng, n=n, truth=truth):
                p = np.sort(rng.uniform(0.5, 1, n))
                found = reliability(rng.random(n) < truth(p), p)
                ends = np.cumsum([round(b.weight) for b in found.bins])[:-1]
                true = sum(abs(part.sum()) for part in np.split(truth(p) - p, ends)) / n
                return contains(found.ece_interval, true)

            yield Case("calibration error", f"{n} rows, {name}", covers, before="none")

        def rejects(rng, n=n):
            p = rng.uniform(0.5, 1, n)
            return reliability(rng.random(n) < p, p).is_miscalibrated

        yield Case("calibration error told from 0", f"{n} rows", rejects, "test", before="none")


def numbers() -> Iterator[Case]:
    true = {
        "mae": sqrt(2 / np.pi),
        "rmse": 1.0,
        "r2": 0.5,
        "spearman": 6 / np.pi * np.arcsin(sqrt(0.5) / 2),
    }
    for name, value in true.items():

        def run(rng, name=name, value=value):
            predicted = rng.normal(size=100)
            scores = NumberScores.of(predicted + rng.normal(size=100), predicted)
            return contains(getattr(scores, f"{name}_interval"), value)

        yield Case(name, "numbers, 100 rows", run, n_runs=2000)


def folds() -> Iterator[Case]:
    def draw(rng, n):
        y = np.arange(n) % 2
        X = rng.normal(size=(n, 5)) + 0.8 * y[:, None]
        return X, y

    def fit(X, y):
        low, high = X[y == 0].mean(axis=0), X[y == 1].mean(axis=0)
        return high - low, (high @ high - low @ low) / 2

    rng = np.random.default_rng(0)
    new, labels = draw(rng, 20_000)
    true = np.mean(
        [((new @ w > b) == labels).mean() for w, b in (fit(*draw(rng, 80)) for _ in range(300))]
    )

    def run(rng):
        X, y = draw(rng, 100)
        fold = np.arange(100) // 2 % 5
        values = []
        for k in range(5):
            w, b = fit(X[fold != k], y[fold != k])
            values.append(((X[fold == k] @ w > b) == y[fold == k]).mean())
        return contains(fold_interval(np.array(values)), true)

    yield Case("mean of five folds", "100 rows", run)


def shares() -> Iterator[Case]:
    before = {
        (0.5, 0.1): "0.5", (0.5, 0.7): "93.0", (1.0, 0.1): "30.0",
        (1.0, 0.7): "94.0", (3.0, 0.1): "95.5", (3.0, 0.7): "68.0",
    }  # fmt: skip
    for distance in (0.5, 1.0, 3.0):
        for share in (0.1, 0.7):

            def run(rng, share=share, distance=distance):
                positive = rng.random(1000) < share
                z = rng.normal(size=1000) + np.where(positive, distance, -distance)
                model = PositiveUnlabeled()
                model._estimate_share(rng.normal(size=100) + distance, np.ones(100), z)
                return share <= model.share_bound_

            setting = f"share {share:g}, classes {2 * distance:g} standard deviations apart"
            yield Case("share of positives", setting, run, "bound", before[distance, share])

    def always(rng):
        right = np.cumsum(rng.random(400) < 0.8)
        return all(contains(share_sequence(int(right[n - 1]), n), 0.8) for n in range(10, 401, 10))

    yield Case("share at all times", "10 to 400 rows", always)


def requirements() -> Iterator[Case]:
    for text in ("precision(1)>=0.9", "recall(1)>=0.9"):
        requirement = Requirement.parse(text)

        def run(rng, requirement=requirement):
            y = rng.random(600) < 0.3
            try:
                t = guarantee(requirement, rng.normal(size=600) + 2.5 * y, y).threshold
            except RequirementError:
                return True
            recall, fall_out = stats.norm.sf(t - 2.5), stats.norm.sf(t)
            precision = 0.3 * recall / (0.3 * recall + 0.7 * fall_out)
            return (precision if requirement.measure == "precision" else recall) >= 0.9

        yield Case(f"`--require {text}`", "180 of 600 rows have the label", run, "bound")


def cases() -> list[Case]:
    makers = (label_metrics, rankings, ranking_tests, log_losses, grouped, paired, calibration)
    own = [case for make in (*makers, numbers, folds, shares, requirements) for case in make()]
    return [*own, *intervals_of_answers.cases()]


def main() -> None:
    lines = [
        "| what | setting | kind | before, % | measured, % |",
        "| --- | --- | --- | ---: | ---: |",
    ]
    for case in cases():
        share = case.measure()
        note = "" if case.is_as_promised(share) else " (not as promised)"
        kind = f"{case.kind}, cautious" if case.cautious else case.kind
        lines.append(
            f"| {case.what} | {case.setting} | {kind} | {case.before} | {100 * share:.1f}{note} |"
        )
        print(lines[-1], flush=True)
    TABLE.write_text(HEAD + "\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

"""What a model does when texts are changed: invariance, direction, and plain expectations."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from os import PathLike, fspath
from pathlib import Path

import numpy as np

from wordplane.common.errors import InputError
from wordplane.common.html import html_table
from wordplane.common.types import JsonObject, Label
from wordplane.data.read import read_batches
from wordplane.evaluation.intervals import wilson_interval
from wordplane.model.classifier import TextClassifier
from wordplane.model.saved_models import ModelLike, open_model
from wordplane.workflow.behavior_tests import BehaviorTest, read_tests
from wordplane.workflow.inputs import model_columns
from wordplane.workflow.result import Result, between

SHOWN = 5  # examples that are kept of each test
MAX_CHARACTERS = 80
BATCH_CHARACTERS = 1_000_000

Labels = Label | tuple[Label, ...]


@dataclass(frozen=True)
class Case:
    """A text that a test fails on: before and after the change."""

    text: str
    changed: str
    label: Labels
    changed_label: Labels
    probability: float | None  # of the label that the test names
    changed_probability: float | None


@dataclass(frozen=True)
class BehaviorOutcome:
    """How a test went; `interval` is that of the share that fails."""

    name: str
    expect: str
    n_cases: int
    n_failed: int
    allow: float
    interval: tuple[float, float]
    examples: tuple[Case, ...]

    @property
    def is_passed(self) -> bool:
        """Whether no more cases fail than are allowed to."""
        return self.n_failed <= self.allow * self.n_cases


@dataclass(frozen=True, repr=False)
class BehaviorResult(Result):
    """The outcome of every test, in the order of the file."""

    outcomes: tuple[BehaviorOutcome, ...]
    source: str = ""
    notes: tuple[str, ...] = ()

    @property
    def is_passed(self) -> bool:
        """Whether all tests passed."""
        return all(outcome.is_passed for outcome in self.outcomes)

    def to_dict(self) -> JsonObject:
        """The outcomes as JSON can hold them."""
        tests = [{**asdict(one), "passed": one.is_passed} for one in self.outcomes]
        return {"source": self.source, "passed": self.is_passed, "tests": tests}

    def __str__(self) -> str:
        return self.text()

    def text(self, n_examples: int = SHOWN) -> str:
        """What the command prints, with so many examples of each test that failed."""
        lines = []
        for one in self.outcomes:
            lines.append(f"{'passed' if one.is_passed else 'FAILED':9} {one.name}: {_counts(one)}")
            lines += [f"          {_case_text(case)}" for case in one.examples[:n_examples]]
        n_failed = sum(not one.is_passed for one in self.outcomes)
        lines.append(f"{len(self.outcomes)} tests, {n_failed} failed")
        return "\n".join([*lines, *(f"{'next':9} {step}" for step in self._next_steps())])

    def _next_steps(self) -> list[str]:
        """What to do about tests that failed, in the order of effort."""
        failed = [one for one in self.outcomes if not one.is_passed]
        if not failed:
            return []
        text = next((case.changed for one in failed for case in one.examples), "TEXT")
        shown = " ".join(text.split())[:40]
        steps = [f'wordplane explain MODEL "{shown}" shows the words that decide']
        if any(one.expect == "same" for one in failed):
            steps.append("wordplane edit --forbid WORD takes away a word that should not matter")
        steps.append("add texts like those that fail, with the right label, and train again")
        return steps

    def _repr_html_(self) -> str:
        """A table of the tests, and one of examples."""
        rows = [("passed" if o.is_passed else "FAILED", o.name, _counts(o)) for o in self.outcomes]
        cases = [(o.name, _case_text(case)) for o in self.outcomes for case in o.examples]
        return html_table(["", "test", "cases"], rows) + html_table(["test", "example"], cases)


def _counts(one: BehaviorOutcome) -> str:
    share = f"{one.n_failed / one.n_cases:.1%}, 95 % interval {between(one.interval)}"
    return f"{one.n_failed:,} of {one.n_cases:,} fail ({share})"


def _case_text(case: Case) -> str:
    def shown(text: str, label: Labels, probability: float | None) -> str:
        text = " ".join(text.split())
        cut = text if len(text) <= MAX_CHARACTERS else text[: MAX_CHARACTERS - 1] + "…"
        return f"{cut!r}: {label}" + ("" if probability is None else f" ({probability:.1%})")

    before = shown(case.text, case.label, case.probability)
    if case.text == case.changed:
        return before
    return f"{before} -> {shown(case.changed, case.changed_label, case.changed_probability)}"


def check_behavior(
    model: ModelLike,
    tests: str | PathLike[str] | Sequence[BehaviorTest],
    *,
    n_jobs: int | None = None,
) -> BehaviorResult:
    """Test what a model does when texts are changed.

    Parameters
    ----------
    model : TextClassifier or path
        A fitted model, or the file of one.
    tests : path or list of BehaviorTest
        A TOML file with a table `[[test]]` for each, or the tests themselves.
    n_jobs : int, default None
        Threads to use; None and -1 mean all.

    Examples
    --------
    >>> texts = ["what a great film", "great fun", "a dull film", "dull and long"] * 5
    >>> model = TextClassifier().fit(texts, ["good", "good", "bad", "bad"] * 5)
    >>> names = BehaviorTest("names", "same", ["Anna is dull"], swap=["Anna", "Wei"])
    >>> swapped = BehaviorTest("words", "less good", ["great, Anna"], replace={"great": "dull"})
    >>> print(check_behavior(model, [names, swapped]))
    passed    names: 0 of 1 fail (0.0%, 95 % interval 0.0% to 79.3%)
    passed    words: 0 of 1 fail (0.0%, 95 % interval 0.0% to 79.3%)
    2 tests, 0 failed
    """
    model = open_model(model, n_jobs)
    if columns := model.model_.features.spec.columns.kinds:
        raise InputError(
            f"the model also needs the columns {', '.join(columns)}: give it texts only"
        )
    source, folder = "", Path()
    if isinstance(tests, str | PathLike):
        source, folder = fspath(tests), Path(tests).parent
        tests = read_tests(tests)
    return BehaviorResult(tuple(_run(model, test, folder) for test in tests), source)


def _run(model: TextClassifier, test: BehaviorTest, folder: Path) -> BehaviorOutcome:
    try:
        test.check()
        label = test.label(model.classes_.tolist())
        texts = test.texts if test.data is None else _texts_of(model, folder / test.data)
        n_cases, n_failed, examples = 0, 0, list[Case]()
        for cases in _batches(test.cases(texts)):
            failed = [case for case in _judged(model, test, label, cases) if case is not None]
            n_cases, n_failed = n_cases + len(cases), n_failed + len(failed)
            examples += failed[: SHOWN - len(examples)]
        if not n_cases:
            raise InputError("no text has a word that would be changed")
    except InputError as error:
        raise InputError(f"the test {test.name!r}: {error}") from None
    return BehaviorOutcome(
        name=test.name,
        expect=test.expect,
        n_cases=n_cases,
        n_failed=n_failed,
        allow=test.allow,
        interval=wilson_interval(n_failed, n_cases),
        examples=tuple(examples),
    )


def _batches(cases: Iterable[tuple[str, str]]) -> Iterator[list[tuple[str, str]]]:
    """The cases in lists of about a million characters: a few words to swap make many cases."""
    batch: list[tuple[str, str]] = []
    size = 0
    for case in cases:
        batch.append(case)
        size += len(case[0]) + len(case[1])
        if size > BATCH_CHARACTERS:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _judged(
    model: TextClassifier, test: BehaviorTest, label: Label | None, cases: list[tuple[str, str]]
) -> Iterator[Case | None]:
    """For each case, what is wrong with it, or None."""
    sides = []
    for texts in zip(*cases, strict=True):
        z = model.decision_function(list(texts))
        labels, P = model.labels_of(z).tolist(), model.probabilities_of(z)
        of_label = np.nan if label is None else P[:, model.classes_.tolist().index(label)]
        sides.append((labels, np.broadcast_to(of_label, len(labels)).tolist()))
    (before, p), (after, q) = sides
    has_label = [label in given if model.is_multilabel else label == given for given in after]
    for i, (text, changed) in enumerate(cases):
        is_right = {
            "same": before[i] == after[i],
            "different": before[i] != after[i],
            "more": q[i] > p[i],
            "less": q[i] < p[i],
            "label": has_label[i],
        }[test.kind]
        shown = (None, None) if label is None else (p[i], q[i])
        yield None if is_right else Case(text, changed, before[i], after[i], *shown)


def _texts_of(model: TextClassifier, path: Path) -> list[str]:
    columns = model_columns(model)
    corpus = next(read_batches([str(path)], batch_size=None, labels=False, **columns))
    return list(corpus.texts)

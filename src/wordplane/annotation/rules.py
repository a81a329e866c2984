"""Words and phrases that people trust for a label: weak labels of the texts that have them.

A pattern is one or more words; `*` stands for any letters within a word: "refund*", "money back".
Case does not matter. Several patterns are separated by commas. No pattern takes more than linear
time, since no repetition is tried with another length once what comes after it was found: between
two stars the first place of a word that has the letters is as good as any later one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from wordplane._core import Texts
from wordplane.annotation.labels import LabelBook
from wordplane.annotation.store import Labels, Rule, Store
from wordplane.common.errors import InputError
from wordplane.common.types import IntArray
from wordplane.evaluation.intervals import Interval, wilson_interval

MAX_PATTERN = 200
WEAK_TEXTS = 200  # of a rule that are learned from
TYPICAL_PRECISION = 0.8  # of a rule that no label by hand has tested
PRIOR = 2.0  # labels that the typical precision counts as


@dataclass(frozen=True)
class RuleResult:
    """What a rule does.

    coverage   the share of all texts that it labels
    n_checked  texts that it labels and a person labeled too
    precision  the share of these that have its label, and the interval (95 %)
    errors     the numbers of those that have another
    """

    rule: Rule
    coverage: float
    n_checked: int
    precision: float | None
    interval: Interval
    errors: list[int]


def compile_pattern(pattern: str) -> re.Pattern[str]:
    """
    >>> find = compile_pattern("refund*, money back")
    >>> bool(find.search("REFUNDED!")), bool(find.search("money, back")), bool(find.search("fund"))
    (True, True, False)
    """
    words = [part.split() for part in pattern.split(",")]
    if len(pattern) > MAX_PATTERN or not any(words):
        raise InputError(
            f"the pattern is {pattern[:60]!r}, expected words such as 'refund*' or 'money back', "
            f"up to {MAX_PATTERN} characters"
        )
    parts = [_phrase(some) for some in words if some]
    return re.compile(r"(?<!\w)(?:" + "|".join(parts) + r")(?!\w)", re.IGNORECASE)


def _phrase(words: Sequence[str]) -> str:
    """The expression of words with anything but letters between them; next to signs such as those
    of "C++ code", white space."""
    found = _word(words[0])
    for before, word in pairwise(words):
        among_letters = _is_letter(before[-1]) and _is_letter(word[0])
        found += (r"\W++" if among_letters else r"\s++") + _word(word)
    return found


def _word(word: str) -> str:
    """The expression of a word with stars."""
    if not word.strip("*"):
        return r"\w++"
    first, *others = word.split("*")
    found = re.escape(first)
    for part in filter(None, others[:-1]):
        found += rf"(?>\w*?{re.escape(part)})"
    if others and not others[-1]:
        return found + r"\w*+"
    if others:
        end = r"(?!\w)" if _is_letter(others[-1][-1]) else ""
        found += rf"(?>\w*{re.escape(others[-1])}{end})"
    return found


def _is_letter(sign: str) -> bool:
    return sign.isalnum() or sign in "_*"


def find_matches(pattern: str, texts: Iterable[str]) -> IntArray:
    """The rows whose texts match, from 0."""
    search = compile_pattern(pattern).search
    return np.array([row for row, text in enumerate(texts) if search(text)], dtype=np.int64)


def judge_rules(
    rules: Sequence[Rule], matches: Mapping[int, IntArray], labeled: Mapping[int, Labels], n: int
) -> list[RuleResult]:
    """How good rules are, by labels given by hand; `matches` are rows by number of the rule."""
    results = []
    for rule in rules:
        texts = (matches[rule.number] + 1).tolist()
        checked = [text for text in texts if text in labeled]
        errors = [text for text in checked if rule.label not in labeled[text]]
        right, total = len(checked) - len(errors), len(checked)
        results.append(
            RuleResult(
                rule,
                len(texts) / max(n, 1),
                total,
                right / total if total else None,
                wilson_interval(right, total) if total else (0.0, 1.0),
                errors,
            )
        )
    return results


def weak_labels(
    results: Sequence[RuleResult],
    matches: Mapping[int, IntArray],
    labeled: Mapping[int, Labels],
    most: int,
) -> dict[int, tuple[int, float]]:
    """A label and a weight for texts that no person has labeled and all rules agree on.

    The weight is (p - q) / (1 - q): p is how often the rule was right, smoothed by the typical
    precision, and q how often it would be by chance, which is the share of its label, or a half
    if that is more.
    """
    found: dict[int, tuple[int, float]] = {}
    conflicting: set[int] = set()
    counts = Counter(label for labels in labeled.values() for label in labels)
    for result in results:
        right = (result.precision or 0.0) * result.n_checked + TYPICAL_PRECISION * PRIOR
        precision = right / (result.n_checked + PRIOR)
        by_chance = max(0.5, counts[result.rule.label] / max(len(labeled), 1))
        if precision <= by_chance:
            continue
        weight = (precision - by_chance) / (1 - by_chance)
        texts = [text for text in (matches[result.rule.number] + 1).tolist() if text not in labeled]
        step = max(1, len(texts) // max(most, 1))
        for text in texts[::step][:most]:
            other = found.get(text)
            if other is not None and other[0] != result.rule.label:
                conflicting.add(text)
            found[text] = (result.rule.label, max(weight, other[1] if other else 0.0))
    return {text: weak for text, weak in found.items() if text not in conflicting}


class RuleBook:
    """The rules of a project."""

    def __init__(self, store: Store, labels: LabelBook, texts: Texts) -> None:
        self._store, self._labels, self._texts = store, labels, texts
        self._rules = store.rules()
        self._matches: dict[int, IntArray] = {}
        self.version = 0  # changes with the rules

    def __iter__(self) -> Iterator[Rule]:
        """Those that hold, with the labels that theirs were merged into."""
        for rule in self._rules:
            yield replace(rule, label=self._labels.current((rule.label,))[0])

    def add(self, label: str, pattern: str, person: int) -> Rule:
        """Trust words for a label. Texts that have them are learned from as weak labels, and shown
        early while the label has few."""
        number, matches = self._labels.number(label), find_matches(pattern, self._texts)
        rule = self._store.add_rule(person, number, pattern)
        self._matches[rule.number] = matches
        self._rules.append(rule)
        self.version += 1
        return rule

    def remove(self, number: int) -> None:
        """Take a rule back."""
        if number not in (rule.number for rule in self._rules):
            raise InputError(f"there is no rule {number}")
        self._store.remove_rule(number)
        self._rules = [rule for rule in self._rules if rule.number != number]
        self.version += 1

    def matches(self) -> dict[int, IntArray]:
        """The rows, from 0, that rules apply to."""
        for rule in self._rules:
            if rule.number not in self._matches:
                self._matches[rule.number] = find_matches(rule.pattern, self._texts)
        return self._matches

    def rows_by_label(self) -> dict[int, IntArray]:
        """The rows, from 0, that have words of each label."""
        matches, found = self.matches(), dict[int, IntArray]()
        for rule in self:
            rows = matches[rule.number]
            found[rule.label] = np.append(found.get(rule.label, rows[:0]), rows)
        return found

    def judge(self, labeled: Mapping[int, Labels]) -> list[RuleResult]:
        """How good the rules are, by labels given by hand."""
        return judge_rules(list(self), self.matches(), labeled, len(self._texts))

    def weak_labels(self, labeled: Mapping[int, Labels]) -> dict[int, tuple[int, float]]:
        """Labels and weights of texts that no person has labeled."""
        return weak_labels(self.judge(labeled), self.matches(), labeled, WEAK_TEXTS)

"""What may be wrong with a data set: doubles, leaks, shortcuts, labels that look mistaken.

Labels are judged by models that have not seen them (cross-validation with the recipe): a text
is the more suspect the surer such a model is of another label. Of very many texts a part is judged,
drawn at random; all else is looked for in all of them.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.common.labels import as_labels
from wordplane.data.corpus import Corpus
from wordplane.data.splits import draw_rows
from wordplane.evaluation.calibration import Temperature
from wordplane.evaluation.intervals import wilson_interval
from wordplane.features.counted_texts import CountedTexts
from wordplane.model.recipe import are_short, recipe_analyzer, recipe_learner
from wordplane.selection.cross_validation import OutOfFold, out_of_fold
from wordplane.text.analyzer import Analyzer
from wordplane.text.documents import Documents

ALIKE = 0.8  # share of runs of three words that nearly equal texts have in common
FEW_ROWS = 10
MOST_JUDGED = 100_000  # labels
SURE_PRECISION, SURE_RECALL = 0.95, 0.2
# UTF-8 that was read as Latin-1 or Windows-1252.
MOJIBAKE = re.compile("Ã[\x80-\xbf\u00a0-\u00bf]|â(?:\u20ac|\x80)|Â[\u00a0-\u00bf]|ï¿½")


@dataclass(frozen=True)
class Finding:
    """One kind of fault, in words, and the rows that have it, the worst first."""

    kind: str
    message: str
    rows: tuple[int, ...]
    details: tuple[str, ...] = ()  # one per row, or one per thing found


@dataclass(frozen=True)
class Audit:
    """All findings, the gravest kinds first."""

    n_rows: int
    findings: tuple[Finding, ...]

    def __getitem__(self, kind: str) -> Finding:
        return next(finding for finding in self.findings if finding.kind == kind)

    def __contains__(self, kind: object) -> bool:
        return any(finding.kind == kind for finding in self.findings)

    def to_dict(self) -> dict[str, Any]:
        """As JSON can hold it."""
        return {"n_rows": self.n_rows, "findings": [asdict(finding) for finding in self.findings]}


def audit_corpus(
    corpus: Corpus, *, folds: int = 5, random_state: int = 0, threads: int = 1
) -> Audit:
    """Look for faults in labelled texts.

    >>> from wordplane.text.texts import as_texts
    >>> corpus = Corpus(as_texts(["good", "bad", "Good!", "good", ""]), ["+", "-", "+", "-", "+"])
    >>> for finding in audit_corpus(corpus, folds=2).findings[:3]:
    ...     print(finding.kind, finding.rows)
    conflicting labels (0, 3)
    duplicates (3,)
    empty texts (4,)
    """
    labels = as_labels(corpus.labels)
    if len(set(labels.tolist())) < 2:
        raise InputError(f"{corpus.source}: every text has the same label; nothing to compare")
    same, similar = _core.find_duplicates(corpus.texts, ALIKE, threads)
    empty = np.flatnonzero(np.isin(same, same[corpus.texts.blank()]))
    for first in (same, similar):  # empty texts are a fault of their own, not doubles
        first[empty] = empty
    found = [
        *_overlap(corpus, same, similar),
        *_conflicts(same, labels),
        *_duplicates(same, similar),
        *_bad_texts(corpus.texts, empty.tolist()),
        *_small_classes(labels, folds),
        *_shortcuts(corpus, labels, threads),
    ]
    sizes = Counter(labels.tolist())
    if min(sizes.values()) >= 2 and len(labels) >= 2 * folds:
        rows = np.arange(len(labels))
        if len(labels) > MOST_JUDGED:
            rows = draw_rows(labels, MOST_JUDGED, random_state)
        documents = Documents(corpus.texts).take(rows)
        short = are_short(documents)
        done = out_of_fold(
            recipe_analyzer(short, len(sizes)),
            recipe_learner(short, random_state),
            documents,
            labels[rows],
            folds=folds,
            random_state=random_state,
            threads=threads,
        )
        found += _mistakes(done, labels[rows], rows, len(labels))
    return Audit(len(corpus), tuple(found))


def _overlap(
    corpus: Corpus, same: NDArray[np.int64], similar: NDArray[np.int64]
) -> Iterable[Finding]:
    """Rows to be tested on that are, nearly, among the rows trained on."""
    if corpus.split is None:
        return
    split = np.array(corpus.split)
    for kind, first, how in (
        ("train/test overlap", same, "the same text as"),
        ("near train/test overlap", similar, "nearly the same text as"),
    ):
        trained = set(first[split == "train"].tolist())
        rows = [row for row in np.flatnonzero(split != "train").tolist() if first[row] in trained]
        if kind.startswith("near"):
            exact = set(same[split == "train"].tolist())
            rows = [row for row in rows if same[row] not in exact]
        if rows:
            yield Finding(
                kind,
                f"{_count(len(rows), 'row to test on has', 'rows to test on have')} {how} a row to "
                "train on: what is measured on them is too good",
                tuple(rows),
            )


def _conflicts(same: NDArray[np.int64], labels: NDArray[Any]) -> Iterable[Finding]:
    groups: dict[int, list[int]] = defaultdict(list)
    for row, first in enumerate(same.tolist()):
        groups[first].append(row)
    held = [rows for rows in groups.values() if len(set(labels[rows].tolist())) > 1]
    if held:
        rows = tuple(row for group in held for row in group)
        texts = _count(len(held), "text occurs", "texts occur")
        message = f"{texts} with different labels, in {len(rows):,} rows"
        named = tuple(map(repr, labels[[*rows]].tolist()))
        yield Finding("conflicting labels", message, rows, named)


def _duplicates(same: NDArray[np.int64], similar: NDArray[np.int64]) -> Iterable[Finding]:
    number = np.arange(len(same))
    rows = np.flatnonzero(same != number)
    if len(rows):
        yield Finding(
            "duplicates",
            f"{_count(len(rows), 'row repeats', 'rows repeat')} the words of an earlier row",
            tuple(rows.tolist()),
            tuple(f"as row {first + 1}" for first in same[rows].tolist()),
        )
    rows = np.flatnonzero((similar != number) & (same == number))
    if len(rows):
        yield Finding(
            "near duplicates",
            f"{_count(len(rows), 'row is', 'rows are')} nearly the same as an earlier row",
            tuple(rows.tolist()),
            tuple(f"like row {first + 1}" for first in similar[rows].tolist()),
        )


def _bad_texts(texts: _core.Texts, empty: list[int]) -> Iterable[Finding]:
    broken = [row for row, text in enumerate(texts) if "\ufffd" in text or MOJIBAKE.search(text)]
    if empty:
        message = f"{_count(len(empty), 'text is', 'texts are')} empty"
        yield Finding("empty texts", message, tuple(empty))
    if broken:
        texts_look = _count(len(broken), "text looks", "texts look")
        message = f"{texts_look} wrongly decoded: read the file with its own encoding"
        yield Finding("wrongly decoded", message, tuple(broken))


def _small_classes(labels: NDArray[Any], folds: int) -> Iterable[Finding]:
    small = {label: n for label, n in Counter(labels.tolist()).items() if n < max(FEW_ROWS, folds)}
    if small:
        named = tuple(f"{label!r}: {n}" for label, n in sorted(small.items(), key=lambda x: x[1]))
        rows = tuple(np.flatnonzero(np.isin(labels, list(small))).tolist())
        message = (
            f"{_count(len(small), 'class has', 'classes have')} fewer than {max(FEW_ROWS, folds)} "
            "texts: too few to learn from and to measure on"
        )
        yield Finding("small classes", message, rows, named)


def _shortcuts(corpus: Corpus, labels: NDArray[Any], threads: int) -> Iterable[Finding]:
    """Single words that nearly decide a class."""
    classes, codes = np.unique(labels, return_inverse=True)
    analyzer = Analyzer(ngrams=(1, 1))
    try:
        counted = CountedTexts.of(analyzer, Documents(corpus.texts), threads)
    except InputError:
        return
    df = counted.document_frequency(codes.astype(np.int32), len(classes), threads)
    n_texts = np.bincount(codes)
    total = df.sum(axis=0)
    found = []
    for k in range(len(classes)):
        if n_texts[k] > 0.8 * len(labels):
            continue
        likely = np.flatnonzero((df[k] >= SURE_RECALL * n_texts[k]) & (df[k] >= 5))
        for j in likely[df[k, likely] >= SURE_PRECISION * total[likely]].tolist():
            low, _ = wilson_interval(int(df[k, j]), int(total[j]))
            if low >= SURE_PRECISION - 0.02:
                found.append((int(df[k, j]) / int(n_texts[k]), k, j))
    if found:
        decide = _count(len(found), "single word nearly decides", "single words nearly decide")
        details = tuple(
            f"{counted.vocabularies()['words'].name(j)!r}: in {recall:.0%} of "
            f"{classes.tolist()[k]!r}, {df[k, j] / total[j]:.1%} of its texts"
            for recall, k, j in sorted(found, reverse=True)[:20]
        )
        yield Finding(
            "shortcuts",
            f"{decide} a class: is that meant?",
            (),
            details,
        )


def _mistakes(
    done: OutOfFold, labels: NDArray[Any], judged: NDArray[np.int64], n_rows: int
) -> Iterable[Finding]:
    """What models made of the rows `judged`, whose labels these are."""
    known = np.isfinite(done.scores.reshape(len(labels), -1)).all(axis=1)
    codes = np.searchsorted(done.classes, labels)
    P = np.full((len(labels), len(done.classes)), np.nan)
    P[known] = Temperature.fit(done.scores[known], codes[known]).transform(done.scores[known])
    rows = np.flatnonzero(known)
    given = P[rows, codes[rows]]
    others = P[rows].copy()
    others[np.arange(len(rows)), codes[rows]] = -1
    best = others.argmax(axis=1)
    margin = others.max(axis=1) - given
    order = np.argsort(-margin, kind="stable")
    suspects = order[margin[order] > 0]
    if len(suspects) == 0:
        return
    names = done.classes.tolist()
    of = "" if len(judged) == n_rows else f" of {len(judged):,} drawn at random"
    yield Finding(
        "suspect labels",
        f"{_count(len(suspects), f'row{of} has', f'rows{of} have')} a label that models which have "
        "not seen the text do not share; the first, where the two are farthest apart, may be "
        "mislabelled",
        tuple(judged[rows[suspects]].tolist()),
        tuple(
            f"{names[codes[rows[i]]]!r} ({given[i]:.1%}), "
            f"rather {names[best[i]]!r} ({others[i, best[i]]:.1%})"
            for i in suspects.tolist()
        ),
    )
    pairs = Counter((names[codes[rows[i]]], names[best[i]]) for i in suspects.tolist())
    details = tuple(f"{n:,} of {a!r} taken for {b!r}" for (a, b), n in pairs.most_common(10))
    yield Finding("confused classes", "what is taken for what most often", (), details)


def _count(n: int, one: str, several: str) -> str:
    return f"{n:,} {one if n == 1 else several}"

"""Problems in a data set: duplicates, leaks, shortcuts, labels that look wrong.

Labels are judged by models that have not seen them (cross-validation with the recipe, or naive
Bayes if there are more than 100 classes): a label is more suspect the more confident such a model
is of another one; how many are wrong, `diagnosis.label_noise` says. Labels of multi-label rows are
judged one at a time (`diagnosis.audit_label_sets`). In a large data set, the labels of a random
sample are judged; everything else is checked for all texts. `diagnosis.audit_groups` looks for rows
that belong together, in data with one label per row.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from wordplane import _core
from wordplane.common.errors import TEXTS_ALONE, InputError
from wordplane.common.groups import take_groups
from wordplane.common.label_sets import (
    LabelSets,
    LabelsOrSets,
    as_labels_or_sets,
    classes_of,
    strata_of,
)
from wordplane.common.labels import spelling_of
from wordplane.common.types import IntArray, Label, LabelArray
from wordplane.data.corpus import Corpus
from wordplane.data.splits import draw_rows
from wordplane.diagnosis.audit_findings import SPELLINGS, Audit, Finding, count_text
from wordplane.diagnosis.audit_groups import Separation, separations
from wordplane.diagnosis.audit_label_sets import suspect_labels
from wordplane.diagnosis.label_noise import LabelNoise, margins, measure_noise
from wordplane.evaluation.intervals import wilson_interval
from wordplane.features.fold_counts import FoldCounts
from wordplane.learners.naive_bayes import MultinomialNB
from wordplane.learners.support.base import LinearClassifier
from wordplane.model.recipe import Recipe
from wordplane.selection.cross_validation import OutOfFold, cross_validate_counted
from wordplane.selection.splitter import Splitter
from wordplane.text.analyzer import Analyzer
from wordplane.text.documents import Documents

MIN_SIMILARITY = 0.8  # share of word trigrams that near duplicates have in common
MIN_CLASS_ROWS = 10
MAX_JUDGED = 100_000  # labels
MAX_RECIPE_CLASSES = 100
MAX_WEIGHTS = 1 << 22  # of a model with many classes
MAX_SCORES = 1 << 23
SHORTCUT_PRECISION, SHORTCUT_RECALL = 0.95, 0.2
# UTF-8 that was read as Latin-1 or Windows-1252.
MOJIBAKE = re.compile("Ã[\x80-\xbf\u00a0-\u00bf]|â(?:\u20ac|\x80)|Â[\u00a0-\u00bf]|ï¿½")


def audit_corpus(
    corpus: Corpus,
    *,
    columns: Mapping[str, Sequence[Hashable]] | None = None,
    folds: int = 5,
    random_state: int = 0,
    threads: int = 1,
) -> Audit:
    """Look for problems in labeled texts.

    columns  further columns of the data, any of which may say which rows belong together

    >>> from wordplane.text.texts import as_texts
    >>> corpus = Corpus(as_texts(["good", "bad", "Good!", "good", ""]), ["+", "-", "+", "-", "+"])
    >>> for finding in audit_corpus(corpus, folds=2).findings[:3]:
    ...     print(finding.kind, finding.rows)
    conflicting labels (0, 3)
    duplicates (3,)
    empty texts (4,)
    """
    labels = None if corpus.labels is None else as_labels_or_sets(corpus.labels)
    if labels is not None and len(set(labels.tolist())) < 2:
        raise InputError(
            f"{corpus.source}: every text has the same label, so there is nothing to compare"
        )
    same, similar = _core.find_duplicates(corpus.texts, MIN_SIMILARITY, threads)
    empty = np.flatnonzero(np.isin(same, same[corpus.texts.blank()]))
    for first in (same, similar):  # empty texts are a kind of their own, not duplicates
        first[empty] = empty
    if labels is None:
        findings = [
            *_duplicates(corpus, same, similar),
            *_bad_texts(corpus.texts, empty.tolist()),
            Finding("no labels", TEXTS_ALONE, ()),
        ]
    else:
        spellings, labels = _spellings(labels)
        findings = [
            *spellings,
            *_overlap(corpus, same, similar),
            *_conflicts(same, labels),
            *_duplicates(corpus, same, similar),
            *_bad_texts(corpus.texts, empty.tolist()),
            *_small_classes(labels, folds),
            *_shortcuts(corpus, labels, threads),
            *_judge_labels(corpus, labels, columns or {}, folds, random_state, threads),
        ]
    return Audit(len(corpus), tuple(finding.with_rows(corpus) for finding in findings))


def _spellings(labels: LabelsOrSets) -> tuple[list[Finding], LabelsOrSets]:
    """Labels in another spelling than most of the same, and all labels in the commonest spelling,
    by which they are judged; labels of multi-label rows are left as they are."""
    if isinstance(labels, LabelSets) or labels.dtype.kind not in "OU":
        return [], labels
    counts = Counter(labels.tolist())
    common: dict[Label, Label] = {}
    for label, _ in counts.most_common():
        common.setdefault(spelling_of(label), label)
    merged = labels.copy()
    merged[:] = [common[spelling_of(label)] for label in labels.tolist()]
    rows = np.flatnonzero(merged != labels)
    if not len(rows) or len(common) < 2:
        return [], labels
    message = (
        f"{count_text(len(rows), 'label is', 'labels are')} spelled in another way than most; "
        "below, they count as the same"
    )
    suggested = tuple(merged[rows].tolist())
    details = tuple(
        f"{label!r}, mostly {usual!r}"
        for label, usual in zip(labels[rows].tolist(), suggested, strict=True)
    )
    return [Finding(SPELLINGS, message, tuple(rows.tolist()), details, suggested=suggested)], merged


def _judge_labels(
    corpus: Corpus,
    labels: LabelsOrSets,
    columns: Mapping[str, Sequence[Hashable]],
    folds: int,
    random_state: int,
    threads: int,
) -> Iterable[Finding]:
    """Labels that models which have not seen them disagree with, and columns that say which rows
    belong together."""
    sizes = _sizes(labels)
    max_rows = min(MAX_JUDGED, MAX_SCORES // len(sizes))
    if 2 * len(sizes) > max_rows:
        message = f"{len(sizes):,} classes are too many to judge their labels"
        yield Finding("labels not judged", message, ())
        return
    if not _can_be_judged(labels, sizes, folds):
        return
    rows = np.arange(len(labels))
    if len(labels) > max_rows:
        rows = draw_rows(_strata(labels), max_rows, random_state)
    documents, y = Documents(corpus.texts).take(rows), labels[rows]
    judge = _choose_judge(documents, len(sizes), random_state)
    groups = take_groups(corpus.groups, rows)
    splitter = Splitter(folds, groups=groups, random_state=random_state)
    counted = FoldCounts.of(judge[0], documents, threads, y)
    splits = splitter.repetitions(strata_of(y))[0]
    result = cross_validate_counted(counted, *judge, y, splits, threads)
    if isinstance(y, LabelSets):
        yield from suspect_labels(result, y, rows, len(labels))
        return
    others = {name: [values[row] for row in rows.tolist()] for name, values in columns.items()}
    yield from _groups(
        separations(
            others, *judge, documents, y, result, random_state=random_state, threads=threads
        )
    )
    _, _, P = margins(result, y)
    noise = measure_noise(judge, counted, y, P, splitter=splitter, threads=threads)
    yield from _suspects(result, y, rows, len(labels), noise)


def _sizes(labels: LabelsOrSets) -> dict[Label, int]:
    """The number of texts of each class or label."""
    if isinstance(labels, LabelSets):
        return dict(zip(labels.classes.tolist(), labels.member.sum(axis=0).tolist(), strict=True))
    return Counter(labels.tolist())


def _strata(labels: LabelsOrSets) -> LabelArray:
    return np.array(labels.strata()) if isinstance(labels, LabelSets) else labels


def _can_be_judged(labels: LabelsOrSets, sizes: Mapping[Label, int], folds: int) -> bool:
    """Whether models of folds can learn the classes; labels that are too rare are left out."""
    enough = max(sizes.values()) if isinstance(labels, LabelSets) else min(sizes.values())
    return enough >= 2 and len(labels) >= 2 * folds


def _groups(separated: Iterable[Separation]) -> Iterable[Finding]:
    for one in separated:
        yield Finding(
            "groups",
            f"rows with the same {one.name!r} are alike: models get {one.separated:.1%} of the "
            f"labels right if folds separate such rows, and {one.together:.1%} if not; scores from "
            f"random rows are too good for new values, so group by {one.name!r}",
            (),
            (f"{one.n_groups:,} values, {one.n_shared:,} rows share theirs with others",),
        )


def _choose_judge(
    documents: Documents, n_classes: int, random_state: int
) -> tuple[Analyzer, LinearClassifier]:
    """What judges labels: the recipe, or naive Bayes, which costs less with many classes."""
    if n_classes > MAX_RECIPE_CLASSES:
        return Analyzer(max_features=MAX_WEIGHTS // n_classes), MultinomialNB()
    recipe = Recipe.of(documents, n_classes)
    return recipe.analyzer(), recipe.learner(random_state)


def _overlap(corpus: Corpus, same: IntArray, similar: IntArray) -> Iterable[Finding]:
    """Test and dev rows that have the same or nearly the same text as a training row."""
    if corpus.split is None:
        return
    is_trained = np.isin(corpus.split, ["train", "cv"])
    for kind, first, how in (
        ("train/test overlap", same, "the same text as"),
        ("near train/test overlap", similar, "nearly the same text as"),
    ):
        trained = set(first[is_trained].tolist())
        rows = [row for row in np.flatnonzero(~is_trained).tolist() if first[row] in trained]
        if kind.startswith("near"):
            exact = set(same[is_trained].tolist())
            rows = [row for row in rows if same[row] not in exact]
        if rows:
            yield Finding(
                kind,
                f"{count_text(len(rows), 'test or dev row has', 'test or dev rows have')} {how} a "
                "training row, so scores measured on them are too good",
                tuple(rows),
            )


def _conflicts(same: IntArray, labels: LabelsOrSets) -> Iterable[Finding]:
    groups: dict[int, list[int]] = defaultdict(list)
    for row, first in enumerate(same.tolist()):
        groups[first].append(row)
    conflicts = [rows for rows in groups.values() if len(set(labels[rows].tolist())) > 1]
    if conflicts:
        rows = tuple(row for group in conflicts for row in group)
        texts = count_text(len(conflicts), "text occurs", "texts occur")
        message = f"{texts} with different labels, in {len(rows):,} rows"
        named = tuple(map(repr, labels[[*rows]].tolist()))
        yield Finding("conflicting labels", message, rows, named)


def _duplicates(corpus: Corpus, same: IntArray, similar: IntArray) -> Iterable[Finding]:
    every = np.arange(len(same))
    rows = np.flatnonzero(same != every)
    if len(rows):
        yield Finding(
            "duplicates",
            f"{count_text(len(rows), 'row repeats', 'rows repeat')} the words of an earlier row",
            tuple(rows.tolist()),
            tuple(f"same as row {corpus.row_number(first)}" for first in same[rows].tolist()),
        )
    rows = np.flatnonzero((similar != every) & (same == every))
    if len(rows):
        yield Finding(
            "near duplicates",
            f"{count_text(len(rows), 'row is', 'rows are')} nearly the same as an earlier row",
            tuple(rows.tolist()),
            tuple(f"similar to row {corpus.row_number(first)}" for first in similar[rows].tolist()),
        )


def _bad_texts(texts: _core.Texts, empty: list[int]) -> Iterable[Finding]:
    broken = [row for row, text in enumerate(texts) if "\ufffd" in text or MOJIBAKE.search(text)]
    if empty:
        message = f"{count_text(len(empty), 'text is', 'texts are')} empty"
        yield Finding("empty texts", message, tuple(empty))
    if broken:
        texts_look = count_text(len(broken), "text looks", "texts look")
        message = f"{texts_look} wrongly decoded; read the file with the encoding it was written in"
        yield Finding("wrongly decoded", message, tuple(broken))


def _small_classes(labels: LabelsOrSets, folds: int) -> Iterable[Finding]:
    least = max(MIN_CLASS_ROWS, folds)
    small = {label: n for label, n in _sizes(labels).items() if n < least}
    if small:
        named = tuple(f"{label!r}: {n}" for label, n in sorted(small.items(), key=lambda x: x[1]))
        sets = isinstance(labels, LabelSets)
        rows = tuple(np.flatnonzero(_has_any(labels, list(small))).tolist())
        what = ("label has", "labels have") if sets else ("class has", "classes have")
        message = (
            f"{count_text(len(small), *what)} fewer than {least} "
            "texts, too few to learn from and to measure on"
        )
        yield Finding("small labels" if sets else "small classes", message, rows, named)


def _has_any(labels: LabelsOrSets, some: list[Label]) -> NDArray[np.bool_]:
    """Which rows have one of some labels."""
    if isinstance(labels, LabelSets):
        return np.asarray(labels.member[:, np.isin(labels.classes, some)].any(axis=1))
    return np.asarray(np.isin(labels, some))


def _shortcuts(corpus: Corpus, labels: LabelsOrSets, threads: int) -> Iterable[Finding]:
    """Single words that nearly decide a class."""
    classes, class_rows = classes_of(labels), _class_rows(labels)
    analyzer = Analyzer(ngrams=(1, 1))
    try:
        counted = FoldCounts.of(analyzer, Documents(corpus.texts), threads)
    except InputError:
        return
    n_texts = np.array([len(rows) for rows in class_rows])
    total = counted.document_frequency(np.zeros(len(labels), np.int32), 1, threads)[0]
    class_of, word_of, df = _class_frequency(counted.counts, class_rows, total >= 5)
    likely = (df >= SHORTCUT_RECALL * n_texts[class_of]) & (df >= 5)
    likely &= df >= SHORTCUT_PRECISION * total[word_of]
    likely &= n_texts[class_of] <= 0.8 * len(labels)
    words = []
    for i in np.flatnonzero(likely).tolist():
        k, j, n = int(class_of[i]), int(word_of[i]), int(df[i])
        low, _ = wilson_interval(n, int(total[j]))
        if low >= SHORTCUT_PRECISION - 0.02:
            words.append((n / int(n_texts[k]), k, j, n / int(total[j])))
    if words:
        decide = count_text(len(words), "single word nearly decides", "single words nearly decide")
        names = classes.tolist()
        details = tuple(
            f"{counted.vocabularies()['words'].name(j)!r}: predicts {names[k]!r} with "
            f"precision {precision:.1%}, recall {recall:.0%}"
            for recall, k, j, precision in sorted(words, reverse=True)[:20]
        )
        yield Finding(
            "shortcuts",
            f"{decide} a class; is that intended?",
            (),
            details,
        )


def _class_rows(labels: LabelsOrSets) -> list[IntArray]:
    """The rows of each class, in the order of the classes."""
    if isinstance(labels, LabelSets):
        return [np.flatnonzero(column) for column in labels.member.T]
    _, codes = np.unique(labels, return_inverse=True)
    order = np.argsort(codes, kind="stable")
    return np.split(order, np.cumsum(np.bincount(codes))[:-1])


def _class_frequency(
    counts: _core.Csr, class_rows: Sequence[IntArray], keep: NDArray[np.bool_]
) -> tuple[IntArray, IntArray, IntArray]:
    """In how many texts of a class a word occurs: class, word and number, where that is not 0.

    A table of all words by all classes would not fit into memory if there are many of both.
    """
    indptr, words, _ = counts.arrays()
    parts = []
    for k, rows in enumerate(class_rows):
        sizes = indptr[rows + 1] - indptr[rows]
        at = np.repeat(indptr[rows] - np.cumsum(sizes) + sizes, sizes) + np.arange(sizes.sum())
        own = words[at]
        own, df = np.unique(own[keep[own]], return_counts=True)
        parts.append((np.full(len(own), k), own, df))
    class_of, word_of, n = (np.concatenate(column) for column in zip(*parts, strict=True))
    return class_of, word_of.astype(np.int64), n


def _suspects(
    result: OutOfFold, labels: LabelArray, judged: IntArray, n_rows: int, noise: LabelNoise | None
) -> Iterable[Finding]:
    """Labels of the rows `judged` that are probably wrong, and classes that models confuse."""
    margin, best, P = margins(result, labels)
    order = np.argsort(-np.nan_to_num(margin, nan=-2.0), kind="stable")
    disagree = order[margin[order] > 0]
    if len(disagree) == 0:
        return
    names, codes = result.classes.tolist(), np.searchsorted(result.classes, labels)
    suspects, expected = disagree, None
    wrong = "; there are too few texts to say how many are"
    if noise is not None:
        suspects = disagree[: noise.n_suspects(len(disagree), len(labels))]
        expected = noise.expected(len(suspects), len(labels))
        wrong = f"; {_expected_text(noise, len(suspects), len(labels))}"
    if len(suspects) > 0:
        of = "" if len(judged) == n_rows else f" of {len(judged):,} drawn at random"
        yield Finding(
            "suspect labels",
            f"{count_text(len(suspects), f'row{of} has', f'rows{of} have')} a label that may be "
            f"wrong, the likeliest first{wrong}",
            tuple(judged[suspects].tolist()),
            tuple(
                f"labeled {names[codes[i]]!r} ({P[i, codes[i]]:.1%}), "
                f"predicted {names[best[i]]!r} ({P[i, best[i]]:.1%})"
                for i in suspects.tolist()
            ),
            suggested=tuple(names[best[i]] for i in suspects.tolist()),
            expected=expected,
        )
    pairs = Counter((names[codes[i]], names[best[i]]) for i in disagree.tolist())
    details = tuple(f"{n:,} of {a!r} predicted as {b!r}" for (a, b), n in pairs.most_common(10))
    rows = count_text(len(disagree), "row", "rows")
    message = f"models trained without the row prefer another label for {rows}"
    yield Finding("confused classes", message, (), details)


def _expected_text(noise: LabelNoise, n_listed: int, n_rows: int) -> str:
    """How many of the rows listed are wrong, and how many of all."""
    expected, (low, high) = noise.expected(n_listed, n_rows), noise.interval
    return (
        f"about {expected:,.0f} of them are expected to be, and {noise.share:.1%} of all labels "
        f"(95 % interval {low:.1%} to {high:.1%})"
    )

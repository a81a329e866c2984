"""What a user should know about a model that was just trained, beside its numbers."""

import re
from collections.abc import Iterator

from wordplane._core import Texts
from wordplane.common.label_sets import are_label_sets
from wordplane.common.notes import Note
from wordplane.common.types import Label
from wordplane.data.column_choice import DATE
from wordplane.data.corpus import Corpus
from wordplane.learners.support.protocols import OrdersLabels
from wordplane.model.classifier import TextClassifier
from wordplane.model.measuring import learner_of
from wordplane.model.recipe import TREE_LABELS

AROUND = " \t\r\n.!?"
DECIMAL = re.compile(r"[-+]?[0-9]+(\.[0-9]+)?")
MIN_STEPS, MAX_STEPS = 3, 11  # labels that may be in order
MANY_TEXTS = 20  # of which most should share their label with another
MAX_COMPARED = 200_000  # texts
FEW_REPEATED, SOME_REPEATED = 20, 0.02  # texts, and their share


def remarks_on(
    classifier: TextClassifier, trained: Corpus, *, further: bool, unlabeled: bool
) -> list[str]:
    """What to know about a model that was just trained.

    further    it was trained on other texts before
    unlabeled  texts without labels, or word vectors, were given
    """
    remarks: list[str] = []
    n_rows = len(trained)
    n_classes = len(classifier.classes_)
    if n_rows >= MANY_TEXTS and not further:
        remarks += _doubt_labels(classifier.classes_.tolist(), trained)
    if n_classes > TREE_LABELS and not further:
        remarks.append(_note_tree(classifier))
    if note := _note_decimals(classifier.classes_.tolist()):
        remarks.append(note)
    if trained.texts.blank():
        remarks.append(
            "empty texts teach nothing about their labels: `wordplane audit DATA --fix clean.csv` "
            "writes a copy without them"
        )
    if n_rows > 1 and all(text == trained.texts[0] for text in trained.texts):
        remarks.append("all training texts are the same: nothing can be learned from them")
    if _are_steps(classifier) and not further:
        remarks.append(
            "the labels are numbers: if they are in order, such as stars, try `learner=ordinal`"
        )
    if unlabeled and not (classifier.training_.n_unlabeled or classifier.training_.vector_folds):
        remarks.append(
            "texts without labels and word vectors are not used: a fold of the labeled texts "
            "is too small"
        )
    return remarks


def _doubt_labels(classes: list[Label], trained: Corpus) -> Iterator[str]:
    """Whether another column may have the labels: these are dates, or hardly any is shared."""
    column = trained.label_column
    what = "what is to be learned" if column is None else f"column {column!r}"
    advice = "" if column is None else " If another column has the labels, name it with `label`"
    if len(classes) > 2 and all(DATE.fullmatch(str(label)) for label in classes):
        latest = "" if column is None else f"; `time={column!r}` tests on the latest texts"
        yield f"{what} looks like dates, such as {classes[0]!r}.{advice}{latest}"
    elif len(classes) > len(trained) / 2:
        yield (
            f"{what} has {len(classes):,} different values in {len(trained):,} rows: are these the "
            f"labels?{advice}"
        )


def count_repeated(texts: Texts | list[str]) -> int:
    """How many texts that have a word repeat an earlier one but for case and what surrounds them.

    >>> count_repeated(["Fine", "fine!!", " FINE. ", "dull", "", "!"])
    2
    """
    bare = [text.lower().strip(AROUND) for text in texts]
    return sum(map(bool, bare)) - len(set(map(hash, bare)) - {hash("")})


def remarks_on_rows(corpus: Corpus, *, compared: bool = False) -> Iterator[Note]:
    """What to know of rows that a model is measured on, or that two models are compared on."""
    if corpus.weights is not None and corpus.weights.any():
        what = (
            "accuracy, log-loss, and precision, recall and F1 of classes count texts by their "
            "weights; metrics that are asked for, slices and calibration do not"
        )
        if compared or are_label_sets(corpus.labels):
            what = "weights of texts are not used here"
        yield Note("method", what)
    if corpus.groups is None and 0 < len(corpus) <= MAX_COMPARED:
        n = count_repeated(corpus.texts)
        if n > max(FEW_REPEATED, SOME_REPEATED * len(corpus)):
            yield Note(
                "unusual",
                f"{n:,} of {len(corpus):,} texts repeat an earlier one: intervals are too narrow, "
                "and differences too certain (a `group` of texts counts as one)",
            )


def remark_on_empty(texts: Texts) -> list[Note]:
    """That empty texts are measured, if there are any."""
    n_empty = len(texts.blank())
    what = (
        f"{n_empty:,} of the {len(texts):,} texts measured are empty: they count here, though "
        "`wordplane predict` gives them no label"
    )
    return [Note("unusual", what)] if n_empty else []


def _note_tree(classifier: TextClassifier) -> str:
    """Which learner many labels have, or should have."""
    n_classes, tree = len(classifier.classes_), classifier.model_.tree
    if tree is None:
        return f"{n_classes:,} labels: a label tree is faster and smaller (`learner=tree`)"
    return (
        f"more than {TREE_LABELS:,} labels are learned by a label tree (`learner=tree`): "
        f"{tree.n_weights:,} weights that are not 0"
    )


def _note_decimals(classes: list[object]) -> str:
    """What to know about labels that are numbers with decimals, if all are numbers.

    >>> _note_decimals(["1.0", "1.5", "4.5"])  # doctest: +ELLIPSIS
    "the labels are numbers such as '1.5': 3 classes without order, so ..."
    >>> _note_decimals(["1", "2"]), _note_decimals(["v1.5", "v2"])
    ('', '')
    """
    names = [str(label) for label in classes]
    if not all(DECIMAL.fullmatch(name) for name in names):
        return ""
    parted = [name for name in names if not float(name).is_integer()]
    if not parted:
        return ""
    return (
        f"the labels are numbers such as {parted[0]!r}: {len(names):,} classes without order, so "
        "1.5 is no nearer to 2 than to 5; if they measure something, name the column with `target` "
        "instead of `label`"
    )


def _are_steps(classifier: TextClassifier) -> bool:
    """Whether the labels are a few whole numbers, one after the other, taken as mere names."""
    labels = classifier.classes_.tolist()
    learner = learner_of(classifier)
    if classifier.is_multilabel or not MIN_STEPS <= len(labels) <= MAX_STEPS:
        return False
    if isinstance(learner, OrdersLabels):
        return False
    try:
        numbers = sorted(int(str(label)) for label in labels)
    except ValueError:
        return False
    return numbers == list(range(numbers[0], numbers[0] + len(numbers)))

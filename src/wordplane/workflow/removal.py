"""Take texts out of a model whose learner does not hold what each has added: train it again, with
the same features and learner, on the training data without them.

Nothing of the texts is left: words, their weights (idf), the weights of features and the
calibration all come from the texts that remain. To begin at the weights of the model instead takes
longer, because a pass of the learner from weights of 0 is cheaper than to find the words again.
"""

from collections import Counter
from dataclasses import replace
from os import PathLike

from wordplane.common.errors import InputError
from wordplane.common.notes import Note
from wordplane.common.types import LabelsLike
from wordplane.data.corpus import Corpus
from wordplane.evaluation.requirements import is_requirement
from wordplane.learners.support.base import LinearClassifier
from wordplane.model.classifier import TextClassifier, load
from wordplane.workflow.further_training import corpus_for
from wordplane.workflow.inputs import DataLike, GroupsLike, Reading, name_of

AGAIN = "trained again, from weights of 0, on the texts that remain"


def model_to_repeat(
    model: TextClassifier | str | PathLike[str],
    calibration: str | None,
    calibrator: str,
    metric: str | None,
    n_jobs: int | None,
    random_state: int,
) -> tuple[TextClassifier, TextClassifier]:
    """The model, and an unfitted classifier with the same features and learner."""
    base = model if isinstance(model, TextClassifier) else load(model)
    learner = _learner(base)
    new = TextClassifier(
        base.model_.features.analyzer,
        learner,
        calibration=calibration,
        calibrator=calibrator,
        metric=metric or base.training_.metric,
        n_jobs=n_jobs,
        random_state=random_state,
    )
    return base, new


def _learner(base: TextClassifier) -> LinearClassifier:
    """A new learner such as the model's; an InputError says why there is none."""
    training = base.training_
    learner = training.make_learner()
    why = ""
    if training.n_unlabeled:
        why = "it learned from texts without labels too"
    elif is_requirement(training.metric):
        why = "what was shown of its requirement would no longer hold"
    elif training.edits:
        why = "it was edited: remove the texts from the model before that, and edit the result"
    elif learner is None:
        why = f"its file does not tell how to make its learner again ({training.learner_text})"
    if why or learner is None:
        raise InputError(f"texts cannot be removed from the model with `rest`: {why}")
    return learner


def texts_that_remain(
    base: TextClassifier,
    data: DataLike,
    labels: LabelsLike | None,
    rest: DataLike,
    groups: GroupsLike,
    reading: Reading,
) -> Corpus:
    """The training data `rest` without the texts to remove: each takes out one row with the same
    text and label, if there is one. A note counts them."""
    if reading.get("vectors") is not None:
        raise InputError("`rest` goes with texts alone: `vectors` cannot be those of both files")
    of_removed = Reading(**{**reading, "group": None})
    removed = corpus_for(base, data, labels, None, of_removed)
    corpus = corpus_for(base, rest, None, groups, reading)
    left = Counter(zip(removed.texts, removed.labels or [], strict=True))
    rows = []
    for row, key in enumerate(zip(corpus.texts, corpus.labels or [], strict=True)):
        if left[key] > 0:
            left[key] -= 1
        else:
            rows.append(row)
    remaining = corpus.take(rows)
    note = (
        f"texts to remove: {len(removed):,}; {len(corpus) - len(rows):,} of them are among the "
        f"{len(corpus):,} of {name_of(corpus)}, which leaves {len(rows):,}"
    )
    return replace(remaining, notes=(*remaining.notes, Note("method", note)))


def removal_note(classifier: TextClassifier) -> str:
    """How the model came about; how far its weights can be from the optimum, if that is known."""
    certificate = classifier.model_.certificate
    return f"{AGAIN}: {certificate}" if certificate else AGAIN

"""Make a model smaller, to a size or to what it may lose, and say what it costs."""

from dataclasses import dataclass, field
from os import PathLike, fspath
from typing import Unpack

from wordplane.common.errors import InputError
from wordplane.common.files import size_text
from wordplane.common.notes import Note
from wordplane.common.parameters import check_whole
from wordplane.common.progress import notify
from wordplane.common.types import JsonObject, LabelsLike
from wordplane.data.corpus import Corpus
from wordplane.evaluation.measures import difference_text, score_by
from wordplane.evaluation.outcomes import Outcome
from wordplane.evaluation.paired_tests import PairedComparison, compare_outcomes
from wordplane.model.classifier import TextClassifier
from wordplane.model.compression import Compressed, check_compressible, compress_to
from wordplane.model.file import to_bytes
from wordplane.model.saved_models import ModelLike, open_model
from wordplane.workflow.evaluation import measure_all
from wordplane.workflow.inputs import DataLike, Reading, load_corpus_for, rows_to_measure
from wordplane.workflow.result import Line, Result

MAX_SIZE = 1_000_000  # bytes, if nothing is asked for
LEAST_SIZE = 20_000  # below which no smaller model is tried
MAX_HALVINGS, REFINEMENTS = 12, 3


@dataclass(frozen=True, repr=False)
class CompressionResult(Result):
    """A model that was made smaller.

    n_features  before and after
    n_bytes     of the files, before and after
    comparison  of the two on the same texts, if texts were given
    """

    model: TextClassifier = field(repr=False)
    n_features: tuple[int, int]
    n_bytes: tuple[int, int]
    comparison: PairedComparison | None = None
    n_rows: int = 0
    notes: tuple[str, ...] = ()
    path: str | None = None

    def to_dict(self) -> JsonObject:
        """The numbers as JSON can hold them."""
        return {
            "notes": list(self.notes),
            "n_features": list(self.n_features),
            "bytes": list(self.n_bytes),
            "n": self.n_rows,
            "comparison": None if self.comparison is None else self.comparison.to_dict(),
            "path": self.path,
        }

    def _lines(self) -> list[Line]:
        lines: list[Line] = []
        pairs = zip(("before", "after"), self.n_bytes, self.n_features, strict=True)
        lines += [(name, f"{size_text(n_bytes)}, {n:,} features") for name, n_bytes, n in pairs]
        lines.append(("weights", "8 bits each"))
        compared = self.comparison
        if compared is not None:
            low, high = (difference_text(compared.metric, end) for end in compared.interval)
            difference = difference_text(compared.metric, compared.difference)
            sure = f"95 % interval {low} to {high}, p = {compared.p:.2g}"
            text = f"{compared.metric} {difference} points ({sure}), on {self.n_rows:,} texts"
            lines.append(("change", f"{text}: {_judge(compared)}"))
        return [*lines, *([] if self.path is None else [("model", self.path)])]


def compress(
    model: ModelLike,
    data: DataLike | None = None,
    labels: LabelsLike | None = None,
    *,
    max_size: int | None = None,
    max_loss: float | None = None,
    output: str | PathLike[str] | None = None,
    n_jobs: int | None = None,
    **reading: Unpack[Reading],
) -> CompressionResult:
    """Make a model smaller: weights of 8 bits, the features that matter least left out, packed.

    Parameters
    ----------
    model : TextClassifier or path
        The model; it stays as it is.
    data, labels
        Labeled texts to measure the cost on, as for `evaluate`; best others than those that the
        model was trained on.
    max_size : int, default None
        Bytes of the file at most. None means a million, unless there is a `max_loss`.
    max_loss : float, default None
        Points of accuracy (multi-label: micro-F1) on the data that may be lost: the smallest model
        is looked for that loses no more.
    output : path, default None
        Where to save the new model.
    n_jobs, **reading
        As for `evaluate`.

    Examples
    --------
    >>> texts = ["what a great film", "great fun", "a dull film", "dull and long"] * 5
    >>> big = TextClassifier(learner="svm").fit(texts, ["good", "good", "bad", "bad"] * 5)
    >>> small = compress(big, max_size=100_000).model
    >>> small.predict(["great"])
    array(['good'], dtype='<U4')
    """
    given = open_model(model, n_jobs)
    check_compressible(given.model_)
    if max_loss is not None and (data is None or not 0 <= max_loss < 100):
        raise InputError(
            f"max_loss is {max_loss!r}: expected points from 0 to 100, and labeled texts to "
            "measure them on"
        )
    corpus = None
    if data is not None:
        whole = load_corpus_for(given, data, labels, (), **reading)
        corpus, _ = rows_to_measure(whole, None)
    before = None if corpus is None else _outcome(given, corpus)
    if max_size is not None:
        check_whole("`max_size`", max_size, "a number of bytes")
    size = MAX_SIZE if max_size is None and max_loss is None else max_size
    full = len(to_bytes(given.model_))
    found = compress_to(given.model_, size or full)
    if max_loss is not None and corpus is not None and before is not None:
        found = _smallest(found, given, corpus, before, max_loss)
    small = _classifier(found, given)
    unmeasured = "what this costs was not measured: give labeled texts, too"
    notes = (Note("model", unmeasured),) if corpus is None else corpus.notes
    if corpus is not None and given.was_fitted_on(corpus):
        notes = (
            *notes,
            Note("model", "the model was trained on these texts: others may cost more"),
        )
    if max_loss is not None:
        text = "the texts chose the size: measure the model on others to know what it lost"
        notes = (*notes, Note("model", text))
    if output is not None:
        small.save(output)
    return CompressionResult(
        model=small,
        n_features=(given.n_features, small.n_features),
        n_bytes=(full, len(found.data)),
        comparison=None if before is None else _compare(before, _outcome(small, corpus)),
        n_rows=0 if corpus is None else len(corpus),
        notes=notes,
        path=None if output is None else fspath(output),
    )


def _judge(compared: PairedComparison) -> str:
    """Whether the smaller model is better or worse, in words."""
    if not compared.distinguishable:
        return "no measurable difference"
    return "worse" if compared.is_worse else "better"


def _smallest(
    found: Compressed, given: TextClassifier, corpus: Corpus, before: Outcome, max_loss: float
) -> Compressed:
    """The smallest model that loses no more: sizes are halved while they do, then refined."""
    low, high = LEAST_SIZE, len(found.data)
    for step in range(MAX_HALVINGS + REFINEMENTS):
        halving = low == LEAST_SIZE
        size = max(high // 2, low) if halving else (low + high) // 2
        if size >= 0.95 * high or (not halving and step >= MAX_HALVINGS):
            break
        try:
            tried = compress_to(given.model_, size)
        except InputError:  # nothing is left of it
            low = size
            continue
        lost = 100 * (_value(before) - _value(_outcome(_classifier(tried, given), corpus)))
        notify("compressing", step + 1, MAX_HALVINGS + REFINEMENTS)
        if lost <= max_loss:
            found, high = tried, len(tried.data)
        else:
            low = size
    return found


def _classifier(found: Compressed, given: TextClassifier) -> TextClassifier:
    small = TextClassifier.from_model(found.model)
    small.n_jobs = given.n_jobs
    return small


def _outcome(model: TextClassifier, corpus: Corpus | None) -> Outcome:
    assert corpus is not None
    return measure_all(model, corpus, trained_on=False).outcome()


def _value(outcome: Outcome) -> float:
    return score_by(_metric(outcome), outcome).value


def _metric(outcome: Outcome) -> str:
    return "accuracy" if outcome.true.ndim == 1 else "micro_f1"


def _compare(before: Outcome, after: Outcome) -> PairedComparison:
    names = ("before", "after")
    return compare_outcomes(before, after, metric=_metric(before), names=names)

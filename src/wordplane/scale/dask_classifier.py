"""`DaskTextClassifier`: a `TextClassifier` that is fitted on the workers of Dask."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Sequence
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol, Self, TypeAlias, overload

import numpy as np
from numpy.typing import NDArray

from wordplane.common.errors import InputError, MissingExtraError
from wordplane.common.label_sets import LabelSets
from wordplane.common.threads import thread_count
from wordplane.common.types import FloatArray, LabelArray, LabelsLike, WeightsLike
from wordplane.data.corpus import Corpus
from wordplane.data.read import Frame, read, read_batches
from wordplane.model.classifier import TextClassifier
from wordplane.model.fitting import fit
from wordplane.model.recipe import choose_parts, sample_rows
from wordplane.model.remote import is_remote
from wordplane.model.word_vectors import PretrainedLike
from wordplane.scale.dask_tasks import DaskTasks, open_tasks
from wordplane.scale.dask_training import DaskPlan, first_frame, partitions, read_remote
from wordplane.scale.scratch import open_scratch
from wordplane.scale.text_blocks import BLOCK_ROWS
from wordplane.text.documents import Documents, TextsLike

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    from distributed import Client, Future
    from typing_extensions import TypeIs

    from wordplane.model.word_vectors import PoolVectors

COLUMNS = ("text", "label", "weight")


class DaskCollection(Protocol):
    """A bag, series, frame or array of Dask."""

    def __dask_graph__(self) -> object: ...

    def to_delayed(self) -> Iterable[object]: ...

    def map_partitions(
        self, function: Callable[..., object], /, *args: object, **options: object
    ) -> DaskCollection: ...


Texts: TypeAlias = TextsLike | DaskCollection


class DaskTextClassifier(TextClassifier):
    """A `TextClassifier` for collections of Dask, with the client that is active.

    `fit` runs on the workers, as `train` does it with `dask`; texts and labels stay there.
    `predict` and `predict_proba` return a collection of the same kind, which Dask computes when it
    is asked for. Parameters and everything else, such as `save`, are those of `TextClassifier`.

    Texts and labels are bags, series or arrays with the same partitions; or without labels, a frame
    with a column of each, or a bag of pairs or mappings. Of these, rows that a column `split` marks
    as test or dev are left out, as `train` does.
    """

    def fit(
        self,
        texts: Texts,
        y: LabelsLike | LabelSets | DaskCollection | None = None,
        sample_weight: WeightsLike | DaskCollection = None,
        *,
        unlabeled: TextsLike | PoolVectors | None = None,
        pretrained: PretrainedLike | None = None,
        groups: Iterable[Hashable] | None = None,
    ) -> Self:
        """Learn from texts and their labels on the workers, or here if they are no collections."""
        if not (is_collection(texts) or is_collection(y) or is_collection(sample_weight)):
            return super().fit(
                texts, y, sample_weight, unlabeled=unlabeled, pretrained=pretrained, groups=groups
            )
        columns = [each for each in (texts, y, sample_weight) if is_collection(each)]
        rule = self._rule().check()
        if len(columns) < sum(each is not None for each in (texts, y, sample_weight)):
            raise InputError(
                "texts, labels and weights must all be collections of Dask, or none of them"
            )
        if unlabeled is not None or pretrained is not None or groups is not None:
            raise InputError(
                "`unlabeled`, `pretrained` and `groups` need all texts in memory, not on Dask"
            )
        if self.fields is not None or self.chain is not False:
            raise InputError("`fields` and `chain` need all texts in memory, and these are on Dask")
        _check_columns(texts, y, sample_weight)
        with (
            open_scratch() as scratch,
            open_tasks(
                _active_client(), self.n_jobs, math.inf, scratch.folder, shared=False
            ) as tasks,
        ):
            weight = None if sample_weight is None else COLUMNS[2]
            frames, first = partitions(tasks, texts) if y is None else _join(tasks, columns)
            header = read(first, require_label=True, weight=weight)
            options = {"weight": weight}
            stored = read_remote(tasks, frames, header.take([]), BLOCK_ROWS, options)
            blocks = stored.parts["train"]
            if len(blocks) == 0:
                raise InputError("no row is marked train, so none can be trained on")
            sample = Documents(blocks.take(sample_rows(len(blocks))))
            size, seed = (len(blocks.classes), len(blocks)), self.random_state
            analyzer, learner, rivals = choose_parts(
                self.analyzer, self.learner, sample, *size, random_state=seed
            )
            rows = blocks, thread_count(self.n_jobs), seed
            holdout, model = fit(DaskPlan(analyzer, learner, *rows, rivals=rivals), rule)
        self.set_fitted(model, None if holdout is None else replace(holdout, model=None))
        return self

    @overload
    def predict(self, texts: TextsLike) -> LabelArray: ...

    @overload
    def predict(self, texts: DaskCollection) -> DaskCollection: ...

    def predict(self, texts: Texts) -> LabelArray | DaskCollection:
        """The label of every text: of a bag or series of texts, or of a frame with the columns that
        the model was trained on, a bag or series."""
        return self._apply("predict", texts) if is_collection(texts) else super().predict(texts)

    @overload
    def predict_proba(self, texts: TextsLike) -> FloatArray: ...

    @overload
    def predict_proba(self, texts: DaskCollection) -> DaskCollection: ...

    def predict_proba(self, texts: Texts) -> FloatArray | DaskCollection:
        """The probability of every class: a bag of lists, or a frame with a column per class."""
        if is_collection(texts):
            return self._apply("predict_proba", texts)
        return super().predict_proba(texts)

    def _apply(self, method: str, texts: DaskCollection) -> DaskCollection:
        from dask import delayed

        here = copy(self)
        here.n_jobs = 1  # Dask runs as many tasks at once as there are threads
        model = delayed(here)
        if hasattr(texts, "divisions"):  # of a series or a frame
            meta = _as_pandas(self, method, getattr(self, method)([""]), [0]).iloc[:0]
            return texts.map_partitions(apply_to_frame, model, method, meta=meta)
        if hasattr(texts, "map_partitions") and not hasattr(texts, "dtype"):
            return texts.map_partitions(apply_to_bag, model, method)
        raise InputError(
            f"`{method}` takes bags, series and frames of Dask, not {type(texts).__name__}"
        )


def is_collection(texts: object) -> TypeIs[DaskCollection]:
    """Whether texts, labels or weights are a collection of Dask."""
    return is_remote(texts)


def _check_columns(texts: object, y: object, sample_weight: object) -> None:
    """There are labels, either in columns of their own or next to the texts."""
    columns = (texts, y, sample_weight)
    has_labels = _is_frame(texts) or not hasattr(texts, "dtype")
    if y is None and (sample_weight is not None or not has_labels):
        raise InputError(
            "the labels are missing: give them as `y`, or a bag of pairs (text, label), or a frame "
            "that has a column of labels"
        )
    if y is not None and any(_is_frame(each) for each in columns):
        raise InputError("give the column of the texts and that of the labels: frame['text']")


def _is_frame(texts: object) -> bool:
    return getattr(texts, "ndim", 1) == 2


def _active_client() -> Client:
    try:
        from distributed import get_client
    except ImportError:
        raise MissingExtraError("Dask is not installed", "dask") from None
    try:
        return get_client()
    except ValueError:
        raise InputError(
            "the texts are a collection of Dask, and no client is active: open one before, "
            "client = distributed.Client(...)"
        ) from None


def _join(tasks: DaskTasks, columns: Sequence[DaskCollection]) -> tuple[list[Future], Frame]:
    """The partitions of texts, labels and perhaps weights as frames, and the first rows."""
    parts = [list(tasks.client.compute(list(each.to_delayed()))) for each in columns]
    if len({len(each) for each in parts}) > 1:
        counts = " and ".join(str(len(each)) for each in parts)
        raise InputError(
            f"texts and labels have {counts} partitions: both must be cut in the same way"
        )
    frames = tasks.map("as-frame", join_columns, *parts)
    return frames, first_frame(tasks, frames)


def join_columns(*parts: Iterable[object]) -> pl.DataFrame:
    """A partition of texts, of their labels and perhaps weights as a frame."""
    import polars as pl

    columns = {name: _values(part) for name, part in zip(COLUMNS, parts, strict=False)}
    if len({len(values) for values in columns.values()}) > 1:
        counts = " and ".join(f"{len(values)} {name}s" for name, values in columns.items())
        raise InputError(f"a partition has {counts}: one each is needed")
    return pl.DataFrame(columns, strict=False)


def apply_to_bag(part: Iterable[str], model: TextClassifier, method: str) -> list[object]:
    """What a model says of a partition of a bag."""
    texts = list(part)
    answers: list[object] = getattr(model, method)(texts).tolist() if texts else []
    return answers


def apply_to_frame(
    part: pd.Series | pd.DataFrame, model: TextClassifier, method: str
) -> pd.Series | pd.DataFrame:
    """What a model says of a partition of a series, or of the columns of a frame that it was
    trained on, with the same index."""
    texts = part.tolist() if not _is_frame(part) else _read_columns(part, model)
    return _as_pandas(model, method, getattr(model, method)(texts), part.index)


def _read_columns(frame: pd.DataFrame, model: TextClassifier) -> Corpus:
    columns = model.model_.columns()
    return next(read_batches(frame, batch_size=None, labels=False, **columns))


def _as_pandas(
    model: TextClassifier, method: str, answers: NDArray[np.generic], index: Sequence[int]
) -> pd.Series | pd.DataFrame:
    import pandas as pd

    if method == "predict":
        kind = object if model.is_multilabel else pd.Series(model.classes_.tolist()).dtype
        return pd.Series(answers.tolist(), index=index, dtype=kind)
    return pd.DataFrame(answers, index=index, columns=model.classes_.tolist())


def _values(part: Iterable[object]) -> list[object]:
    return part.tolist() if hasattr(part, "tolist") else list(part)

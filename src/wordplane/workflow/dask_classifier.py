"""`TextClassifier` on bags, series and frames of Dask, with the client that is active.

fit            on the workers, as `train` does it; texts and labels stay there
predict,       a new collection of the same kind, which Dask computes when it is asked for
predict_proba
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from copy import copy
from typing import TYPE_CHECKING, Any

from wordplane.common.errors import InputError, MissingExtraError
from wordplane.common.threads import thread_count
from wordplane.data.read import read
from wordplane.model.classifier import TextClassifier
from wordplane.model.recipe import sample_rows
from wordplane.model.remote import is_remote
from wordplane.scale.dask_tasks import DaskTasks, open_tasks
from wordplane.scale.dask_training import DaskPlan, first_frame, partitions, read_remote
from wordplane.scale.scratch import open_scratch
from wordplane.scale.text_blocks import BLOCK_ROWS
from wordplane.text.documents import Documents
from wordplane.workflow.inputs import Reading, load_texts, model_columns

if TYPE_CHECKING:
    from distributed import Client, Future

COLUMNS = ("text", "label", "weight")


def fit(classifier: TextClassifier, texts: Any, y: Any, sample_weight: Any) -> None:
    """Fit a classifier on the workers of the active client.

    texts, y  bags, series or arrays with the same partitions; or without y, a frame with columns of
              texts and labels, or a bag of pairs or mappings. As `train` does, these leave out rows
              that a column `split` marks as test or dev
    """
    columns = [each for each in (texts, y, sample_weight) if each is not None]
    if not all(is_remote(each) for each in columns):
        raise InputError(
            "texts, labels and weights must all be collections of Dask, or none of them"
        )
    if classifier.fields is not None or classifier.chain is not False:
        raise InputError("`fields` and `chain` need all texts in memory, and these are on Dask")
    if y is None and (sample_weight is not None or not _has_labels(texts)):
        raise InputError(
            "the labels are missing: give them as `y`, or a bag of pairs (text, label), or a frame "
            "that has a column of labels"
        )
    if y is not None and any(_is_frame(each) for each in columns):
        raise InputError("give the column of the texts and that of the labels: frame['text']")
    with (
        open_scratch() as scratch,
        open_tasks(
            _active_client(), classifier.n_jobs, math.inf, scratch.folder, shared=False
        ) as tasks,
    ):
        reading: Reading = {} if sample_weight is None else {"weight": "weight"}
        sources, first = partitions(tasks, texts) if y is None else _join(tasks, columns)
        header = read(first, require_label=True, **reading)
        stored = read_remote(tasks, sources, header.take([]), BLOCK_ROWS, dict(reading))
        blocks = stored.parts["train"]
        if len(blocks) == 0:
            raise InputError("no row is marked train, so none can be trained on")
        sample = Documents(blocks.take(sample_rows(len(blocks))))
        chosen = classifier.choose(sample, len(blocks.classes), len(blocks))
        threads = thread_count(classifier.n_jobs)
        DaskPlan(*chosen, blocks, threads, classifier.random_state).fit(classifier)


def _has_labels(texts: Any) -> bool:
    """Whether a collection may have labels beside the texts: a frame, or a bag."""
    return _is_frame(texts) or not hasattr(texts, "dtype")


def _is_frame(texts: Any) -> bool:
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


def _join(tasks: DaskTasks, columns: Sequence[Any]) -> tuple[list[Future[Any]], Any]:
    """The partitions of texts, labels and perhaps weights as frames, and the first rows."""
    parts = [list(tasks.client.compute(list(each.to_delayed()))) for each in columns]
    if len({len(each) for each in parts}) > 1:
        told = " and ".join(str(len(each)) for each in parts)
        raise InputError(
            f"texts and labels have {told} partitions: both must be cut in the same way"
        )
    frames = tasks.map("as-frame", join_columns, *parts)
    return frames, first_frame(tasks, frames)


def join_columns(*parts: Any) -> Any:
    """A partition of texts, of their labels and perhaps weights as a frame."""
    import polars as pl

    columns = {name: _values(part) for name, part in zip(COLUMNS, parts, strict=False)}
    if len({len(values) for values in columns.values()}) > 1:
        told = " and ".join(f"{len(values)} {name}s" for name, values in columns.items())
        raise InputError(f"a partition has {told}: one each is needed")
    return pl.DataFrame(columns, strict=False)


def apply(classifier: TextClassifier, method: str, texts: Any) -> Any:
    """What `predict` or `predict_proba` says of a collection: a bag for a bag, a series or a frame
    for a series or a frame. Nothing is computed yet."""
    from dask import delayed

    here = copy(classifier)
    here.n_jobs = 1  # Dask runs as many tasks at once as there are threads
    model = delayed(here)
    if hasattr(texts, "divisions"):  # of a series or a frame
        meta = _as_pandas(classifier, method, getattr(classifier, method)([""]), [0]).iloc[:0]
        return texts.map_partitions(apply_to_frame, model, method, meta=meta)
    if hasattr(texts, "map_partitions") and not hasattr(texts, "dtype"):
        return texts.map_partitions(apply_to_bag, model, method)
    raise InputError(
        f"`{method}` takes bags, series and frames of Dask, not {type(texts).__name__}"
    )


def apply_to_bag(part: Any, model: TextClassifier, method: str) -> list[object]:
    """What a model says of a partition of a bag."""
    texts = list(part)
    found: list[object] = getattr(model, method)(texts).tolist() if texts else []
    return found


def apply_to_frame(part: Any, model: TextClassifier, method: str) -> Any:
    """What a model says of a partition of a series, or of the columns of a frame that it was
    trained on, with the same index."""
    texts = load_texts(part, dict(model_columns(model))) if _is_frame(part) else part.tolist()
    return _as_pandas(model, method, getattr(model, method)(texts), part.index)


def _as_pandas(model: TextClassifier, method: str, found: Any, index: Any) -> Any:
    import pandas as pd

    if method == "predict":
        kind = object if model.is_multilabel else pd.Series(model.classes_.tolist()).dtype
        return pd.Series(found.tolist(), index=index, dtype=kind)
    return pd.DataFrame(found, index=index, columns=model.classes_.tolist())


def _values(part: Any) -> list[Any]:
    return part.tolist() if hasattr(part, "tolist") else list(part)

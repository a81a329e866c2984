"""Cross-validation on the workers of Dask: points of a search, fold by fold.

Texts are counted here, and the matrices of each fold are sent to the workers. Points of a learner
that starts from the model before are tried one after the other, as on one machine; others are tasks
of their own. So the numbers are the same.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Self, Union, cast

from wordplane import _core
from wordplane.common.memory import available_memory
from wordplane.features.fold_counts import FoldFeatures
from wordplane.scale.dask_tasks import DaskTasks, open_tasks
from wordplane.scale.scratch import open_scratch
from wordplane.selection.cross_validation import Fold
from wordplane.selection.grid import PointsRun, Result, RunFolds
from wordplane.selection.splitter import Rows

if TYPE_CHECKING:
    from distributed import Client


@dataclass(frozen=True)
class SentFeatures:
    """What learners ask of the features of a fold."""

    groups: list[tuple[str, int]]
    n_counted: int
    n_features: int


@dataclass(frozen=True)
class SentFold:
    """A fold as arrays, which can be sent."""

    train: Rows
    held: Rows
    features: SentFeatures
    matrices: tuple[tuple[int, Any], tuple[int, Any]]

    @classmethod
    def of(cls, fold: Fold) -> Self:
        """This fold."""
        known = fold.features
        features = SentFeatures(known.groups, known.n_counted, known.n_features)
        train, held_out = ((X.shape[1], X.arrays()) for X in (fold.X_train, fold.X_held))
        return cls(fold.train, fold.held, features, (train, held_out))

    def fold(self) -> Fold:
        """The fold again."""
        train, held_out = (_core.Csr(n_features, *arrays) for n_features, arrays in self.matrices)
        return Fold(self.train, self.held, cast(FoldFeatures, self.features), train, held_out)


def try_points(run: PointsRun, fold: SentFold) -> dict[int, Result]:
    """The results of points on a fold."""
    return run(fold.fold())


@contextmanager
def fold_runner(dask: Union[str, "Client"], n_jobs: int | None) -> Iterator[RunFolds]:
    """What runs points on the workers of a client, of the scheduler at an address, or "local"."""
    with (
        open_scratch() as scratch,
        open_tasks(dask, n_jobs, available_memory(), scratch.folder, shared=False) as tasks,
    ):
        yield partial(_run_folds, tasks)


def _run_folds(tasks: DaskTasks, run: PointsRun, folds: Iterator[Fold]) -> list[dict[int, Result]]:
    sent = [tasks.send("fold", SentFold.of(fold)) for fold in folds]
    parts = [tasks.send("points", part) for part in run.split()]
    asked = [(part, fold) for fold in sent for part in parts]
    done = tasks.map("cross-validate", try_points, *zip(*asked, strict=True))
    parts_done = iter(tasks.collect(done, "cross-validating"))
    results: list[dict[int, Result]] = []
    for _ in sent:
        merged: dict[int, Result] = {}
        for _ in parts:
            merged |= next(parts_done)
        results.append(merged)
    return results

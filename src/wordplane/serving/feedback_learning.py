"""Learning from feedback in the background, in a process of its own.

A third of the feedback is never learned from: it is the shadow on which a candidate, the serving
model trained further on the other new rows, is compared with the serving model. The candidate
takes its place only if it is measurably not worse: if the lower end of the one-sided 95 % interval
of the difference in accuracy, over pairs, is above -1 point. Otherwise it is forgotten, and the
rows wait for more.

The first and the last models that served are kept in a folder next to the store, so a step is
undone by copying an earlier file over the model. The server swaps to it as to any changed file, and
learning resumes from there with the feedback that comes later.
"""

from __future__ import annotations

import json
import math
import os
import shutil
import time
from dataclasses import dataclass
from pathlib import Path

from wordplane.common.errors import InputError
from wordplane.common.files import whole_file
from wordplane.common.types import Label
from wordplane.model.classifier import TextClassifier
from wordplane.model.saved_models import load_classifier
from wordplane.serving.catalog import Catalog
from wordplane.serving.feedback import open_store
from wordplane.serving.logs import Log

SHADOW = 3  # every third row is only measured on
LEAST_ROWS = 20  # new rows to learn from
MORE = 0.1  # of the rows of a candidate that was refused: so many must be new for the next
LEAST_SHADOW = 50
MOST_SHADOW = 5000  # the newest
MOST_KEPT = 20  # models: who sends feedback must not be able to fill the disk
MARGIN = 0.01
Z = 1.6449  # one-sided 95 %
PAUSE_SECONDS = 2.0
NICE = 10

STEPS = """
CREATE TABLE IF NOT EXISTS steps (
  number INTEGER PRIMARY KEY,
  time REAL NOT NULL,
  model TEXT NOT NULL,
  last_row INTEGER NOT NULL,
  n_rows INTEGER NOT NULL,
  n_shadow INTEGER NOT NULL,
  accuracy_before REAL NOT NULL,
  accuracy_after REAL NOT NULL,
  file TEXT NOT NULL
)
"""
ROWS = "SELECT number, text, label FROM feedback WHERE model = ? AND number > ? AND number % ? "


@dataclass(frozen=True)
class Comparison:
    """A candidate compared with the serving model, on rows that neither has learned from."""

    n: int
    before: float
    after: float
    low: float  # of the difference

    @property
    def is_not_worse(self) -> bool:
        return self.n >= LEAST_SHADOW and self.low >= -MARGIN


def compare(serving: list[bool], candidate: list[bool]) -> Comparison:
    """Which rows each was right on.

    >>> compare([True, False] * 50, [True, True] * 50).low > 0.4
    True
    """
    n = len(serving)
    if n == 0:
        return Comparison(0, 0.0, 0.0, -1.0)
    gained = sum(b and not a for a, b in zip(serving, candidate, strict=True))
    lost = sum(a and not b for a, b in zip(serving, candidate, strict=True))
    difference = (gained - lost) / n
    spread = math.sqrt(max(gained + lost - (gained - lost) ** 2 / n, 0.0)) / n
    return Comparison(n, sum(serving) / n, sum(candidate) / n, difference - Z * spread)


def check_learnable(catalog: Catalog) -> list[str]:
    """The names of the models that can learn; there must be one."""
    names = [
        model.name
        for model in catalog.models.values()
        if isinstance(model.predictor, TextClassifier)
        and model.predictor.is_resumable
        and not model.predictor.is_multilabel
        and not model.kinds
    ]
    if not names:
        raise InputError(
            "`learn` needs a model of one label per text that can be trained further: train it "
            "with --learner nb (or perceptron, mira, onlinesvm, onlinelogistic) and --resumable"
        )
    return names


class Learner:
    """Takes steps with the models of a catalog, one at a time."""

    def __init__(self, paths: dict[str, str], store: str, log: Log) -> None:
        self._paths, self._log = paths, log
        self._folder = Path(f"{store}.steps")
        self._store = open_store(store)
        with self._store:
            self._store.execute(STEPS)
        self._wait_for: dict[str, int] = {}  # so much feedback, before it is read again

    def run(self) -> None:
        """Learn until the supervisor is gone."""
        os.nice(NICE)
        parent = os.getppid()
        while os.getppid() == parent:
            for name in self._paths:
                try:
                    self.step(name)
                except Exception as error:  # the model may have been swapped for anything
                    self._log.event("error", "not-learned", model=name, error=repr(error))
            time.sleep(PAUSE_SECONDS)

    def step(self, name: str) -> bool:
        """Learn from new feedback of a model, if there is enough; returns whether it serves now."""
        n = self._count(name)
        if n < self._wait_for.get(name, 0):
            return False
        self._wait_for[name] = n + LEAST_ROWS  # also if anything fails
        (done,) = self._store.execute(
            "SELECT COALESCE(MAX(last_row), 0) FROM steps WHERE model = ?", (name,)
        ).fetchone()
        rows = self._store.execute(f"{ROWS} != 0 ORDER BY number", (name, done, SHADOW)).fetchall()
        if len(rows) < LEAST_ROWS:
            self._wait_for[name] = n + LEAST_ROWS - len(rows)
            return False
        shadow = self._store.execute(
            f"{ROWS} = 0 ORDER BY number DESC LIMIT ?", (name, 0, SHADOW, MOST_SHADOW)
        ).fetchall()
        serving, candidate = (self._load(name) for _ in range(2))
        candidate.partial_fit([text for _, text, _ in rows], [_label(row) for row in rows])
        compared = compare(_right(serving, shadow), _right(candidate, shadow))
        said = {"rows": len(rows), "shadow": compared.n, "low": round(compared.low, 4)}
        said |= {"before": round(compared.before, 4), "after": round(compared.after, 4)}
        if not compared.is_not_worse:
            self._wait_for[name] = n + max(LEAST_ROWS, int(MORE * len(rows)))
            self._log.event("info", "step-refused", model=name, **said)
            return False
        file = self._keep(name, candidate)
        with self._store:
            self._store.execute(
                "INSERT INTO steps (time, model, last_row, n_rows, n_shadow, accuracy_before, "
                "accuracy_after, file) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    *(time.time(), name, rows[-1][0], len(rows), compared.n),
                    *(compared.before, compared.after, str(file)),
                ),
            )
        with whole_file(self._paths[name]) as draft:
            shutil.copyfile(file, draft)
        self._log.event("info", "step-taken", model=name, file=str(file), **said)
        return True

    def _count(self, name: str) -> int:
        """How much feedback a model has, without reading it."""
        found = self._store.execute("SELECT n FROM agreement WHERE model = ?", (name,)).fetchone()
        return 0 if found is None else int(found[0])

    def _load(self, name: str) -> TextClassifier:
        model = load_classifier(self._paths[name])
        if not model.is_resumable:
            raise InputError("the file of the model cannot be trained further any more")
        model.n_jobs = 1
        return model

    def _keep(self, name: str, candidate: TextClassifier) -> Path:
        """Keep the serving file and the candidate; returns the file of the candidate."""
        folder = self._folder / name
        folder.mkdir(parents=True, exist_ok=True)
        numbers = [int(path.stem) for path in folder.glob("*.wordplane") if path.stem.isdecimal()]
        number = max(numbers, default=-1) + 1
        current = Path(self._paths[name]).read_bytes()
        last = folder / f"{number - 1:05}.wordplane"
        if not last.exists() or last.read_bytes() != current:  # it came from elsewhere
            with whole_file(folder / f"{number:05}.wordplane") as draft:
                draft.write_bytes(current)
            number += 1
        path = folder / f"{number:05}.wordplane"
        candidate.save(path, resumable=True)
        _remove_old(folder)
        return path


def _remove_old(folder: Path) -> None:
    """Keep the first model and the last ones."""
    kept = sorted(
        (path for path in folder.glob("*.wordplane") if path.stem.isdecimal()),
        key=lambda path: int(path.stem),
    )
    for path in kept[1 : 1 - MOST_KEPT]:
        path.unlink()


Row = tuple[int, str, str | int]


def _label(row: Row) -> Label:
    label: Label = json.loads(row[2]) if isinstance(row[2], str) else row[2]
    return label


def _right(model: TextClassifier, rows: list[Row]) -> list[bool]:
    if not rows:
        return []
    labels = model.predict([text for _, text, _ in rows]).tolist()
    return [label == _label(row) for label, row in zip(labels, rows, strict=True)]

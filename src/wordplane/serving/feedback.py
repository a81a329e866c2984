"""Right labels that users send, in an SQLite file that `train` and `evaluate` read.

The file is in WAL mode and synced before a request is answered, so what was acknowledged survives
a crash. Its tables:

    feedback(number, time, model, digest, id, text, label, predicted, probability, columns)
    agreement(model, n, n_right)    how often feedback has agreed with a model

`label` and `predicted` are JSON, so that numbers and sets of labels come back as they were;
`predicted` is what the model said when the feedback came; `columns` has the other columns.
"""

from __future__ import annotations

import json
import os
import sqlite3
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from wordplane.common.errors import InputError
from wordplane.common.types import JsonObject, Label
from wordplane.evaluation.intervals import wilson_interval
from wordplane.serving.bodies import FeedbackBody, documents
from wordplane.serving.catalog import ServedModel
from wordplane.serving.counters import Series
from wordplane.serving.problems import Problem, shorten
from wordplane.serving.recent import Rings
from wordplane.serving.rows import answers_of, decide, label_of

SCHEMA = """
CREATE TABLE IF NOT EXISTS feedback (
  number INTEGER PRIMARY KEY,
  time REAL NOT NULL,
  model TEXT NOT NULL,
  digest TEXT NOT NULL,
  id TEXT,
  text TEXT NOT NULL,
  label JSON NOT NULL,
  predicted JSON NOT NULL,
  probability REAL,
  columns JSON
)
"""
AGREEMENT = """
CREATE TABLE IF NOT EXISTS agreement (
  model TEXT PRIMARY KEY,
  n INTEGER NOT NULL,
  n_right INTEGER NOT NULL
)
"""
# So nobody who wants the counts has to read all feedback.
COUNTING = """
CREATE TRIGGER IF NOT EXISTS counting AFTER INSERT ON feedback BEGIN
  INSERT OR IGNORE INTO agreement VALUES (new.model, 0, 0);
  UPDATE agreement SET n = n + 1, n_right = n_right + (new.label = new.predicted)
    WHERE model = new.model;
END
"""
INSERT = """
INSERT INTO feedback (time, model, digest, id, text, label, predicted, probability, columns)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
BUSY_SECONDS = 10.0
REMEMBERED = 100  # texts of a request that get ids to send feedback about


def open_store(path: str) -> sqlite3.Connection:
    """The file, made if it is not there; other files than ours are refused."""
    try:
        connection = sqlite3.connect(path, timeout=BUSY_SECONDS, check_same_thread=False)
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=FULL")
        with connection:
            for statement in (SCHEMA, AGREEMENT, COUNTING):
                connection.execute(statement)
        connection.execute("SELECT number, text, label, predicted, columns FROM feedback LIMIT 1")
    except sqlite3.Error as error:
        raise InputError(f"{path}: cannot be used as the file of feedback ({error})") from None
    return connection


def prepare_store(path: str) -> None:
    """Make the file, so that whoever starts the service learns early if it cannot be."""
    if not Path(path).parent.is_dir():
        raise InputError(f"{path}: there is no folder {Path(path).parent}")
    is_new = not Path(path).exists()
    if is_new:
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600))  # it will hold texts of users
    open_store(path).close()


class Feedback:
    """The store of one worker, used in one thread, and the texts that it remembers.

    most  bytes of the file
    """

    def __init__(self, path: str, most: int, rings: Rings, slot: int) -> None:
        self._path, self._most = path, most
        self._rings, self._ring = rings, rings.writer(slot)
        self._connection: sqlite3.Connection | None = None
        self.thread = ThreadPoolExecutor(1, "feedback")

    def remember(self, texts: list[str]) -> list[str]:
        """Ids by which the texts can be named in feedback; numbers if there are too many."""
        ids = [self._ring.add(text) for text in texts[:REMEMBERED]]
        return [id or str(i + 1) for i, id in enumerate(ids + [None] * (len(texts) - len(ids)))]

    def append(self, model: ServedModel, given: FeedbackBody) -> JsonObject:
        """Store a label; it is on disk when this returns."""
        text = given.text
        if text is None:
            text = self._rings.find(given.id or "")
            if text is None:
                raise Problem(
                    "unknown-id",
                    f"no text is known by the id {shorten(given.id)}",
                    field="/id",
                    advice="send the text itself; the server remembers only the last ones",
                )
        label = self._label(model, given)
        columns = {name: [value] for name, value in given.columns.items()}
        decisions = decide(answers_of(model), documents([text], columns))
        predicted: Label | list[Label]
        if decisions.sets is None:
            predicted, probability = model.labels[decisions.codes[0]], decisions.confidences[0]
        else:
            predicted, probability = sorted(decisions.sets.tolist()[0], key=str), None
        values = (
            time.time(),
            model.name,
            model.digest,
            given.id,
            text,
            json.dumps(label),
            json.dumps(predicted),
            probability,
            json.dumps(given.columns) if given.columns else None,
        )
        store = self._store()
        try:
            with store:
                number = store.execute(INSERT, values).lastrowid
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode == sqlite3.SQLITE_FULL:
                raise Problem(
                    "feedback-full",
                    f"the feedback was not stored: the file may have {self._most >> 20:,} MiB, "
                    "or the disk is full",
                    advice="move the file away, or start the server with a larger --max-feedback",
                ) from None
            raise Problem("no-room", f"the feedback could not be stored ({error})") from None
        return {"number": number, "model": model.name, "label": label, "predicted": predicted}

    def _store(self) -> sqlite3.Connection:
        if self._connection is None:
            self._connection = open_store(self._path)
            (page,) = self._connection.execute("PRAGMA page_size").fetchone()
            self._connection.execute(f"PRAGMA max_page_count={max(self._most // page, 1)}")
        return self._connection

    def _label(self, model: ServedModel, given: FeedbackBody) -> Label | list[Label]:
        if model.predicts_numbers:
            raise Problem(
                "invalid-field",
                "feedback is for labels, and the model predicts numbers",
                field="/model",
                advice="name another model",
            )
        if isinstance(given.label, list) != model.predictor.is_multilabel:
            expected = "a list of labels" if model.predictor.is_multilabel else "one label"
            raise Problem(
                "invalid-field",
                f"label is {shorten(given.label)}, expected {expected}",
                field="/label",
                advice="see /openapi.json",
            )
        if isinstance(given.label, list):
            return sorted({label_of(model, one, "/label") for one in given.label}, key=str)
        return label_of(model, given.label, "/label")

    def series(self) -> list[tuple[Series, float]]:
        """How often the models agreed with the feedback."""
        values = []
        query = "SELECT model, n, n_right FROM agreement WHERE n > 0"
        for model, n, right in self._store().execute(query).fetchall():
            own = (("model", model),)
            low, high = wilson_interval(right, n)
            name = "wordplane_feedback_accuracy"
            values += [
                (Series("wordplane_feedback_total", own), float(n)),
                (Series(name, own), right / n),
                (Series(f"{name}_low", own), low),
                (Series(f"{name}_high", own), high),
            ]
        return sorted(values, key=lambda entry: entry[0].name)

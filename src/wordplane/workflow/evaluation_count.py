"""How often the same rows were measured with a model: a count in a file next to the model.

MODEL.evaluations.json holds {"FINGERPRINT": {"source": "reviews.csv", "rows": "test", "times": 2}}.
Test rows that are measured again and again, until a model looks good on them, no longer say how
good it is on others.
"""

import json
from os import PathLike
from pathlib import Path

import numpy as np

from wordplane.common.errors import WordplaneError
from wordplane.common.files import whole_file
from wordplane.common.notes import Note
from wordplane.common.types import JsonObject
from wordplane.data.corpus import Corpus
from wordplane.model.fingerprint import fingerprint


def count_evaluation(model: str | PathLike[str], corpus: Corpus, rows: str) -> Note | None:
    """Count that rows are measured; a notice if they were before."""
    key = fingerprint(corpus.texts, np.arange(len(corpus)))
    return count_fingerprint(model, key, corpus.source, rows)


def count_fingerprint(model: str | PathLike[str], key: str, source: str, rows: str) -> Note | None:
    """The same for rows of which only the fingerprint is at hand.

    If the count cannot be written, nothing is counted; a damaged file is replaced.
    """
    path = Path(f"{model}.evaluations.json")
    entries = _read(path)
    times = _times(entries.get(key)) + 1
    entries[key] = {"source": Path(source).name, "rows": rows, "times": times}
    try:
        with whole_file(path) as draft:
            draft.write_text(json.dumps(entries, indent=1, ensure_ascii=False) + "\n", "utf-8")
    except (OSError, WordplaneError):
        return None
    if times == 1:
        return None
    which = "these texts were" if rows == "all" else f"the rows marked {rows} were"
    return Note(
        "model",
        f"{which} measured {times} times with models in {Path(model).name}: a score that helped to "
        "choose a model is too good; keep texts for one last test",
    )


def _read(path: Path) -> JsonObject:
    try:
        entries = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return entries if isinstance(entries, dict) else {}


def _times(entry: object) -> int:
    times = entry.get("times") if isinstance(entry, dict) else None
    return times if type(times) is int and times > 0 else 0

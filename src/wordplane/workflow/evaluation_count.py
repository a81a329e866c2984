"""How many models the same rows were measured with: a count in a file next to the model.

MODEL.evaluations.json holds {"FINGERPRINT": {"source": "reviews.csv", "rows": "test", "models":
["DIGEST"]}}. If models are measured on the same test rows, one after the other, until one looks
good on them, these rows no longer say how good it is on others.
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
from wordplane.model.file import stored_digest
from wordplane.model.fingerprint import fingerprint


def count_evaluation(model: str | PathLike[str], corpus: Corpus, rows: str) -> Note | None:
    """Count that rows are measured; a notice if they were with another model before."""
    key = fingerprint(corpus.texts, np.arange(len(corpus)))
    return count_fingerprint(model, key, corpus.source, rows)


def count_fingerprint(model: str | PathLike[str], key: str, source: str, rows: str) -> Note | None:
    """The same for rows of which only the fingerprint is at hand.

    If the count cannot be written, nothing is counted; a damaged file is replaced.
    """
    path = Path(f"{model}.evaluations.json")
    entries = _read(path)
    try:
        digest = stored_digest(model)[:12]
        models = list(dict.fromkeys([*_models(entries.get(key)), digest]))
        entries[key] = {"source": Path(source).name, "rows": rows, "models": models}
        with whole_file(path) as draft:
            draft.write_text(json.dumps(entries, indent=1, ensure_ascii=False) + "\n", "utf-8")
    except (OSError, WordplaneError):
        return None
    if len(models) == 1:
        return None
    which = "these texts were" if rows == "all" else f"the rows marked {rows} were"
    return Note(
        "model",
        f"{which} measured with {len(models)} models that were in {Path(model).name}: a score that "
        "helped to choose a model is too good; keep texts for one last test",
    )


def _read(path: Path) -> JsonObject:
    try:
        entries = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return entries if isinstance(entries, dict) else {}


def _models(entry: object) -> list[str]:
    models = entry.get("models") if isinstance(entry, dict) else None
    return [one for one in models if isinstance(one, str)] if isinstance(models, list) else []

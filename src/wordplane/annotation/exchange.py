"""Labels from other tools, and for them: Label Studio, doccano, Prodigy, and tables."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from os import PathLike, fspath
from pathlib import Path

from wordplane._core import Texts
from wordplane.annotation.project import Project
from wordplane.common.errors import InputError
from wordplane.common.files import no_such_file, whole_file
from wordplane.data.corpus import Corpus, RowLabels
from wordplane.data.formats.jsonl import replace_surrogates
from wordplane.data.read import read
from wordplane.data.write import write

FORMATS = ("csv", "jsonl", "parquet", "label-studio")
ENDINGS = {".csv": "csv", ".jsonl": "jsonl", ".parquet": "parquet", ".json": "label-studio"}
MAX_SNIFFED = 1 << 16

Row = tuple[str, RowLabels]


def export(project: Project, path: str | PathLike[str], form: str | None = None) -> int:
    """Write the labeled texts of a project; returns how many.

    form  csv, jsonl, parquet or label-studio; by default, the ending of the name decides

    Tables have the columns text, label, id, and split: "test" for texts drawn at random, "train"
    for others. Label Studio's JSON has the labels of every person.
    """
    target = fspath(path)
    form = form or ENDINGS.get(Path(target).suffix, "")
    if form not in FORMATS:
        raise InputError(
            f"{target}: in which format? Expected {', '.join(FORMATS)}, or a name that ends in "
            f"{', '.join(ENDINGS)}"
        )
    if form == "label-studio":
        tasks = list(_tasks(project))
        with whole_file(target) as draft:
            draft.write_text(json.dumps(tasks, ensure_ascii=False, indent=1), encoding="utf-8")
        return len(tasks)
    if not project.answers.labeled():
        raise InputError(f"{project.path}: no text has a label yet")
    corpus = read(project.path, format="sqlite")
    write(corpus, target, form)
    return len(corpus)


def _tasks(project: Project) -> Iterator[dict[str, object]]:
    names = {number: name for name, number in project.people.items()}
    for text in sorted(project.answers.labeled()):
        annotations = []
        for event in project.answers.of_text(text):
            if event.labels is None or event != _last(project, text, event.person):
                continue
            choices = list(project.labels.names_of(event.labels))
            value = {"choices": choices}
            result = {"from_name": "label", "to_name": "text", "type": "choices", "value": value}
            annotations.append(
                {
                    "completed_by": names[event.person],
                    "created_at": datetime.fromtimestamp(event.time, UTC).isoformat(),
                    "result": [result],
                }
            )
        yield {
            "id": text,
            "data": {"text": project.texts[text - 1], "id": project.name_of(text)},
            "annotations": annotations,
        }


def _last(project: Project, text: int, person: int) -> object:
    return [event for event in project.answers.of_text(text) if event.person == person][-1]


def read_labels(path: str | PathLike[str]) -> Corpus | None:
    """The texts and labels of an export of Label Studio (JSON), doccano or Prodigy (JSONL, JSON);
    None if the file is something else, which `wordplane.read` may know."""
    name = fspath(path)
    if Path(name).suffix not in (".json", ".jsonl"):
        return None
    if not Path(name).is_file():
        raise InputError(no_such_file(name))
    try:
        rows = _rows(name)
    except InputError:
        raise
    except (ValueError, RecursionError) as error:
        raise InputError(f"{name}: is not JSON ({error})") from None
    if rows is None:
        return None
    texts, labels = (
        [str(replace_surrogates(text)) for text, _ in rows],
        [given for _, given in rows],
    )
    has_sets = any(isinstance(given, tuple) and len(given) != 1 for given in labels)
    if not has_sets:
        labels = [given[0] if isinstance(given, tuple) else given for given in labels]
    return Corpus(Texts(texts), labels, source=name)


def _rows(path: str) -> list[Row] | None:
    """The rows of a file that one of the tools wrote, or None."""
    content = Path(path).read_text(encoding="utf-8-sig")
    if Path(path).suffix == ".json":
        records = json.loads(content)
        if not isinstance(records, list):
            return None
    else:
        first = content[:MAX_SNIFFED].partition("\n")[0]
        if not any(f'"{key}"' in first for key in ("answer", "accept", "_input_hash", "Comments")):
            return None
        records = [json.loads(line) for line in content.split("\n") if line.strip()]
    found = [_row(record) for record in records]
    if any(row is None for row in found):
        return None
    return [row for row in found if row is not None and row[0].strip()]


def _row(record: object) -> Row | None:
    """The text and the labels of a record; None if it has neither a known form."""
    if not isinstance(record, dict):
        return None
    data = record.get("data")
    if isinstance(data, dict):  # Label Studio
        text = data.get("text", next((v for v in data.values() if isinstance(v, str)), None))
        return None if not isinstance(text, str) else (text, _choices(record))
    text = record.get("text", data)
    if not isinstance(text, str):
        return None
    if "answer" in record or "accept" in record:  # Prodigy
        if record.get("answer", "accept") != "accept":
            return text, None
        chosen = record.get("accept", [record["label"]] if "label" in record else None)
        return text, _tuple(chosen)
    return text, _tuple(record.get("label", record.get("labels")))  # doccano


def _choices(task: dict[str, object]) -> RowLabels:
    """The labels of the last annotation of a task that was not cancelled."""
    given = task.get("annotations") or task.get("completions") or []
    for annotation in reversed(given if isinstance(given, list) else []):
        if not isinstance(annotation, dict) or annotation.get("was_cancelled"):
            continue
        listed = annotation.get("result")
        results = (
            [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
        )
        chosen = [
            (one.get("from_name"), one["value"]["choices"])
            for one in results
            if isinstance(one.get("value"), dict) and "choices" in one["value"]
        ]
        names = list(dict.fromkeys(str(name) for name, _ in chosen))
        if len(names) > 1:
            raise InputError(
                f"a task has several questions ({', '.join(names)[:80]}), expected labels of one: "
                "export a project with one field of choices"
            )
        if chosen:
            return _tuple(chosen[0][1])
    return None


def _tuple(labels: object) -> RowLabels:
    if isinstance(labels, str):
        return (labels,)
    if not isinstance(labels, Iterable) or isinstance(labels, dict):
        return None
    names = tuple(dict.fromkeys(str(label) for label in labels if isinstance(label, str | int)))
    return names or None


def add_labels(project: Project, corpus: Corpus) -> tuple[int, int, int]:
    """Give texts of a project the labels that equal texts have elsewhere, as answers of "file";
    texts that have an answer keep it. Returns how many texts of the corpus were labeled, how many
    had an answer, and how many the project does not have."""
    rows: dict[str, RowLabels] = {}
    for text, labels in zip(corpus.texts, corpus.labels or (), strict=False):
        if labels is not None:
            rows[text] = labels
    answers: list[tuple[int, list[str]]] = []
    known = set()
    for number, text in enumerate(project.texts, 1):
        if text not in rows:
            continue
        known.add(text)
        if number not in project.answers:
            given = rows[text]
            names = [str(label) for label in (given if isinstance(given, tuple) else (given,))]
            answers.append((number, names))
    project.label_rows(answers)
    labeled = {project.texts[number - 1] for number, _ in answers}
    return len(labeled), len(known - labeled), len(rows) - len(known)

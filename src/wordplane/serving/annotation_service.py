"""The ASGI application of `wordplane annotate`: a page, and what it asks for.

Everything that reads or changes the project happens in one thread, in order; the model learns in
another, and nobody waits for it. A label is acknowledged when it is on disk. For texts that measure
accuracy the guess of the model is not sent: the page could not even show it by mistake.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from math import isfinite
from pathlib import Path

from starlette.datastructures import QueryParams
from starlette.responses import Response

from wordplane.annotation.exchange import FORMATS, export
from wordplane.annotation.insight import (
    disagreements,
    forecast_gain,
    look,
    measure_accuracy,
    measure_agreement,
    measure_progress,
    search,
    texts_labeled,
    texts_unsure,
)
from wordplane.annotation.items import Item
from wordplane.annotation.project import ME, Project
from wordplane.annotation.schema import StoreError
from wordplane.annotation.screening import expected_reading
from wordplane.common.errors import InputError
from wordplane.common.types import JsonObject
from wordplane.data.formats.sqlite import RANDOM
from wordplane.serving.application import Application, Handler, require_json
from wordplane.serving.bodies import parse_json
from wordplane.serving.logs import Log
from wordplane.serving.page import HTML, SCRIPT, STYLE, page_files
from wordplane.serving.problems import Problem, shorten
from wordplane.serving.request import Request
from wordplane.serving.responses import JsonResponse
from wordplane.serving.rows import encode_json
from wordplane.serving.settings import ListenOptions

FILES = {
    "/": ("annotate.html", HTML),
    "/common.js": ("common.js", SCRIPT),
    "/annotate.js": ("annotate.js", SCRIPT),
    "/lists.js": ("lists.js", SCRIPT),
    "/page.css": ("page.css", STYLE),
    "/annotate.css": ("annotate.css", STYLE),
}
MAX_LISTED = 100
EXCERPT = 1000  # characters of a text in a list
MAX_EXPLAINED = 20_000  # characters of a text whose words are shown
MEDIA_TYPES = {"csv": "text/csv; charset=utf-8", "jsonl": "application/jsonl"}
ENDINGS = {"label-studio": "json"}

Answer = Mapping[str, object]


class Fields:
    """The fields of a JSON body, each of the kind that is expected."""

    def __init__(self, given: JsonObject) -> None:
        self._given = given

    def string(self, name: str, usual: str | None = None) -> str:
        value = self._given.get(name, usual)
        if not isinstance(value, str) or not (value.isprintable() or name == "comment"):
            raise self._wrong(name, "a string")
        return value

    def number(self, name: str) -> int:
        value = self._given.get(name)
        if type(value) is not int:
            raise self._wrong(name, "a number")
        return value

    def strings(self, name: str) -> list[str]:
        value = self._given.get(name)
        if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
            raise self._wrong(name, "a list of strings")
        return value

    def object(self, name: str) -> dict[str, object]:
        value = self._given.get(name)
        if not isinstance(value, dict):
            raise self._wrong(name, "an object")
        return value

    @property
    def person(self) -> str:
        """Who asks."""
        return self.string("person", ME)

    def _wrong(self, name: str, expected: str) -> Problem:
        what = shorten(self._given[name]) if name in self._given else "missing"
        detail = f"{name} is {what}, expected {expected}"
        return Problem("invalid-field", detail, field=f"/{name}")


class AnnotationService(Application):
    """Answers requests about a project."""

    def __init__(self, project: Project, options: ListenOptions, log: Log) -> None:
        super().__init__(options, log, page_files(FILES))
        self.project = project
        self._in_order = ThreadPoolExecutor(1, "project")
        actions: dict[str, Callable[[Fields], Answer]] = {
            "next": self._next,
            "label": self._label,
            "skip": self._skip,
            "undo": self._undo,
            "look": self._look,
            "status": self._status,
            "explain": self._explain,
            "comment": self._comment,
            "comments": self._comments,
            "search": self._search,
            "label-matches": self._label_matches,
            "texts": self._texts,
            "doubts": self._doubts,
            "change-labels": self._change_labels,
            "shares": self._shares,
            "rules": self._rules,
            "agreement": self._agreement,
        }
        for name, action in actions.items():
            self.routes[f"/v1/{name}"] = {"POST": self._post(action, self._in_order)}
        # It takes seconds, and changes nothing.
        self.routes["/v1/forecast"] = {"POST": self._post(self._forecast, self._threads)}
        self.routes["/v1/export"] = {"GET": self._export}
        self.routes["/healthz"] = {"GET": self._healthz}

    def _post(self, action: Callable[[Fields], Answer], threads: ThreadPoolExecutor) -> Handler:
        async def handle(request: Request) -> Response:
            require_json(request.media_type)
            body = await request.whole_body()

            def work() -> bytes:
                given = Fields(parse_json(body, request.charset))
                return encode_json(refusing(lambda: action(given))).encode(errors="replace")

            loop = asyncio.get_running_loop()
            return self._json(request, await loop.run_in_executor(threads, work))

        return handle

    async def _healthz(self, request: Request) -> Response:
        return JsonResponse(b'{"status":"ok"}')

    async def _export(self, request: Request) -> Response:
        form = QueryParams(request.scope["query_string"]).get("format", "csv")
        if form not in FORMATS:
            raise Problem(
                "invalid-field",
                f"format is {shorten(form)}, expected {', '.join(FORMATS)}",
                field="/format",
            )
        await request.whole_body()
        ending = ENDINGS.get(form, form)

        def work() -> bytes:
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder, f"labels.{ending}")
                refusing(lambda: {"n": export(self.project, path, form)})
                return path.read_bytes()

        content = await asyncio.get_running_loop().run_in_executor(self._in_order, work)
        headers = {
            "content-type": MEDIA_TYPES.get(form, "application/octet-stream"),
            "content-disposition": f'attachment; filename="labels.{ending}"',
            "cache-control": "no-store",
        }
        return Response(content, headers=headers)

    # What people do

    def _next(self, given: Fields) -> Answer:
        return {"item": self._shown(self.project.next(given.person))}

    def _label(self, given: Fields) -> Answer:
        self.project.label(given.number("text"), given.strings("labels"), given.person)
        return self._next(given)

    def _skip(self, given: Fields) -> Answer:
        self.project.skip(given.number("text"), given.person)
        return self._next(given)

    def _undo(self, given: Fields) -> Answer:
        self.project.undo(given.person)
        return self._next(given)

    def _look(self, given: Fields) -> Answer:
        return {"item": self._shown(self.project.look_at(given.number("text"), given.person))}

    def _comment(self, given: Fields) -> Answer:
        comment = given.string("comment").strip()
        if not 0 < len(comment) <= EXCERPT:
            raise InputError(f"a comment has {len(comment)} characters, expected 1 to {EXCERPT:,}")
        if any("\ud800" <= sign <= "\udfff" for sign in comment):
            raise InputError("a comment has a lone surrogate, which is not valid Unicode")
        self.project.comment(given.number("text"), comment, given.person)
        return self._comments(given)

    def _change_labels(self, given: Fields) -> Answer:
        labels, name, action = self.project.labels, given.string("name"), given.string("action")
        if action == "add":
            labels.add(name.strip(), given.string("instruction", ""))
        elif action == "rename":
            self.project.rename_label(name, given.string("new").strip())
        elif action == "merge":
            self.project.merge_labels(name, given.string("into"))
        elif action == "instruct":
            labels.instruct(name, given.string("instruction"))
        else:
            raise InputError(f"action is {action!r}, expected add, rename, merge or instruct")
        return self._status(given)

    def _label_matches(self, given: Fields) -> Answer:
        found, _ = search(self.project, given.string("query"))
        return {"n": self.project.label_all(found, given.string("label"), given.person)}

    def _shares(self, given: Fields) -> Answer:
        self.project.set_shares(given.object("shares"))
        return self._status(given)

    # What people see

    def _shown(self, item: Item | None) -> object:
        if item is None:
            return None
        measures = item.reason == RANDOM
        shown = asdict(item) | {"measures": measures}
        return shown | {"guess": None, "probability": None} if measures else shown

    def _status(self, given: Fields) -> Answer:
        project, progress = self.project, measure_progress(self.project, given.person)
        accuracy, learned = measure_accuracy(project), project.learned
        return {
            "source": project.settings["source"],
            "multi": project.multi,
            "labels": [
                {"name": k.name, "instruction": k.instruction, "n": progress.per_label[k.name]}
                for k in project.labels
            ],
            "progress": asdict(progress),
            "accuracy": asdict(accuracy) | {"share": accuracy.share},
            "model": None if learned is None else learned.number,
            "n_learned": 0 if learned is None else learned.n_labels,
            "n_doubts": 0 if learned is None else len(learned.doubts),
            "shares": project.shares,
            "people": sorted(project.people),
            "find": self._finding(),
        }

    def _finding(self) -> Answer | None:
        screening = self.project.screening
        if screening is None:
            return None
        n, target = len(self.project), screening.target
        shares = (0.001, 0.01, 0.05, 0.2)
        needed = {str(share): expected_reading(n, share, target) for share in shares}
        return asdict(screening.recall()) | {
            "label": self.project.settings["find"],
            "target": target,
            "is_dry": screening.is_dry,
            "needed": needed,
        }

    def _explain(self, given: Fields) -> Answer:
        """The words of a text that speak for and against the guess."""
        learned, text = self.project.learned, self.project.text(given.number("text"))
        if learned is None or len(text) > MAX_EXPLAINED:
            return {"words": []}
        explanation = learned.classifier.explain(text)
        words = [
            {"start": c.start, "end": c.end, "value": round(c.value, 4)}
            for c in explanation.contributions[:60]
            if c.start is not None
        ]
        return {"words": words}

    def _comments(self, given: Fields) -> Answer:
        names = {number: name for name, number in self.project.people.items()}
        return {
            "comments": [
                {
                    "number": comment.number,
                    "person": names[comment.person],
                    "comment": comment.comment,
                    **self._row(comment.text),
                }
                for comment in self.project.store.comments()[:MAX_LISTED]
            ]
        }

    def _search(self, given: Fields) -> Answer:
        found, some = search(self.project, given.string("query"))
        return {"n": len(found), "texts": [self._row(text) for text in some]}

    def _texts(self, given: Fields) -> Answer:
        label = given.string("label", "") or None
        if given.string("order", "latest") == "unsure":
            found = texts_unsure(self.project, given.string("label"))
        else:
            found = texts_labeled(self.project, label, MAX_LISTED)
        return {"texts": [self._row(text) for text in found]}

    def _doubts(self, given: Fields) -> Answer:
        learned = self.project.learned
        rows = []
        for doubt in [] if learned is None else learned.doubts:
            if not self.project.answers.was_rechecked(doubt.text):
                suggested = self.project.labels.names_of((doubt.label,))
                rows.append({**self._row(doubt.text), "suggested": list(suggested)})
        return {"texts": rows}

    def _rules(self, given: Fields) -> Answer:
        action, project = given.string("action", "list"), self.project
        if action == "add":
            project.add_rule(given.string("label"), given.string("pattern"), given.person)
        elif action == "remove":
            project.rules.remove(given.number("number"))
        results = project.rules.judge(project.answers.labeled())
        return {
            "rules": [
                {
                    "number": result.rule.number,
                    "label": project.labels.names_of((result.rule.label,))[0],
                    "pattern": result.rule.pattern,
                    "coverage": result.coverage,
                    "n_checked": result.n_checked,
                    "precision": result.precision,
                    "interval": result.interval,
                    "errors": [self._row(text) for text in result.errors[:5]],
                }
                for result in results
            ]
        }

    def _agreement(self, given: Fields) -> Answer:
        differing = disagreements(self.project)[:MAX_LISTED]
        return {
            "agreement": [
                asdict(one) | {"value": one.value if isfinite(one.value) else None}
                for one in measure_agreement(self.project)
            ],
            "texts": [{**self._row(text), "said": said} for text, said in differing],
        }

    def _forecast(self, given: Fields) -> Answer:
        found = forecast_gain(self.project)
        return {"forecast": None if found is None else asdict(found)}

    def _row(self, text: int) -> dict[str, object]:
        item = look(self.project, text)
        labels = None if item.labels is None else list(item.labels)
        content = item.content[:EXCERPT] + ("…" if len(item.content) > EXCERPT else "")
        return {"text": text, "name": item.name, "content": content, "labels": labels}


def refusing(action: Callable[[], Answer]) -> Answer:
    """Do it; errors of ours become answers that say what is wrong."""
    try:
        return action()
    except StoreError as error:
        raise Problem("not-saved", str(error), advice="make room, and answer again") from None
    except InputError as error:
        raise Problem("invalid-field", str(error)) from None

"""The ASGI application of a worker: which path does what, for whom, and what is said of it.

A few short texts are predicted in the event loop, which takes less time than handing them to a
thread; all other work is done in threads, so that other requests need not wait.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from starlette.datastructures import QueryParams
from starlette.responses import Response

from wordplane.common.types import JsonObject
from wordplane.serving.application import Application, require_json
from wordplane.serving.bodies import (
    PredictBody,
    documents,
    explain_body,
    feedback_body,
    model_name,
    parse_json,
    predict_body,
)
from wordplane.serving.catalog import Catalog, ServedModel
from wordplane.serving.counters import Series
from wordplane.serving.explanation import card, explain
from wordplane.serving.feedback import Feedback
from wordplane.serving.logs import Log
from wordplane.serving.monitoring import Metrics
from wordplane.serving.openapi import openapi_document
from wordplane.serving.page import FILES, page_files
from wordplane.serving.problems import Problem
from wordplane.serving.request import Request, Shares
from wordplane.serving.responses import JsonResponse, PiecewiseResponse
from wordplane.serving.rows import (
    answers_of,
    batch_size,
    check_top_k,
    decide,
    encode_json,
    json_rows,
)
from wordplane.serving.settings import ServeOptions
from wordplane.serving.streams import FORMATS, StreamOptions, predict_file, receive_file

INLINE_BYTES = 8192  # of a body that is read in the event loop
INLINE_WORK = 1 << 20  # bytes of a body that is worked on there, times labels
TEXT_WORK = 100  # bytes that a text counts as, in addition to its own
MAX_FILES = 8  # that are labeled at the same time, each up to --max-stream on disk
OTHER_PATHS = "other"
API_PATHS = ("/v1/predict", "/v1/explain", "/v1/feedback", "/v1/models")
# What is counted by path.
PATHS = (*API_PATHS, "/healthz", "/readyz", "/metrics", "/openapi.json", *FILES, OTHER_PATHS)


class Service(Application):
    """Answers requests with the models of a catalog."""

    advice = "the paths are in /docs and /openapi.json"

    def __init__(
        self,
        catalog: Catalog,
        options: ServeOptions,
        metrics: Metrics,
        log: Log,
        feedback: Feedback | None = None,
    ) -> None:
        super().__init__(options, log, page_files(FILES))
        self.catalog, self.options, self.metrics = catalog, options, metrics
        self.feedback = feedback
        self._files = Shares(MAX_FILES, "as many files are being labeled as may be")
        self.routes |= {
            "/v1/predict": {"POST": self._predict},
            "/v1/explain": {"POST": self._explain},
            "/v1/feedback": {"POST": self._feedback},
            "/v1/models": {"GET": self._models},
            "/healthz": {"GET": self._healthz},
            "/readyz": {"GET": self._readyz},
            "/metrics": {"GET": self._metrics},
            "/openapi.json": {"GET": self._openapi},
        }

    def count(self, path: str, status: int, seconds: float) -> None:
        self.metrics.set_in_flight(self.in_flight)
        self.metrics.request(path if path in self.routes else OTHER_PATHS, status, seconds)

    async def _predict(self, request: Request) -> Response:
        media_type = request.media_type
        if media_type in FORMATS:
            return await self._predict_stream(request, FORMATS[media_type])
        require_json(media_type, ", text/csv or application/jsonl")
        if request.scope["query_string"]:
            raise Problem(
                "invalid-field",
                "the address has parameters, which are for CSV and JSONL",
                advice="put them into the JSON body",
            )
        body = await request.whole_body()
        if len(body) > INLINE_BYTES:

            def work() -> bytes:
                return self._predict_json(request, *self._asked(request, body))

            return self._json(request, await self._in_thread(request, work))
        model, asked = self._asked(request, body)
        n_scores = max(len(model.labels), 1)
        if (len(body) + TEXT_WORK * len(asked.texts)) * n_scores <= INLINE_WORK:
            return self._json(request, self._predict_json(request, model, asked))
        answer = await self._in_thread(request, lambda: self._predict_json(request, model, asked))
        return self._json(request, answer)

    def _asked(self, request: Request, body: bytes) -> tuple[ServedModel, PredictBody]:
        """What a JSON body asks for, and of which model."""
        given = parse_json(body, request.charset)
        model = self.catalog[model_name(given)]
        asked = predict_body(given, self.limits, model.kinds)
        request.details |= {"model": model.name, "texts": len(asked.texts)}
        if self.options.log_texts:
            request.details["text"] = asked.texts
        check_top_k(request, model, asked.wanted, len(asked.texts))
        return model, asked

    def _predict_json(self, request: Request, model: ServedModel, asked: PredictBody) -> bytes:
        ids = asked.ids
        if ids is None and self.feedback is not None:
            ids = self.feedback.remember(asked.texts)
        if ids is None:
            ids = ["1"] if len(asked.texts) == 1 else list(map(str, range(1, len(asked.texts) + 1)))
        rows = self._predict_rows(request, model, asked, ids)
        return b'{"model":"%s","rows":[%s]}' % (model.name.encode(), b",".join(rows))

    def _predict_rows(
        self, request: Request, model: ServedModel, asked: PredictBody, ids: list[str]
    ) -> list[bytes]:
        """The rows as JSON, many in one piece."""
        pieces: list[bytes] = []
        answers, n_bytes, step = answers_of(model, asked.wanted), 0, batch_size(model)
        for start in range(0, len(asked.texts), step):
            if start:
                request.check()
            part = slice(start, start + step)
            columns = {name: values[part] for name, values in asked.columns.items()}
            texts = asked.texts[part]
            decisions = decide(answers, documents(texts, columns))
            pieces.append(json_rows(request, answers, decisions, ids[part], texts, model))
            n_bytes += len(pieces[-1])
            request.check_answer(n_bytes)
            self.metrics.predicted(model, decisions, texts)
        return pieces

    async def _predict_stream(self, request: Request, form: str) -> Response:
        query = QueryParams(request.scope["query_string"])
        options = StreamOptions(query, request.charset)
        model = self.catalog[options.model]
        request.details["model"] = model.name
        check_top_k(request, model, options.wanted, 1)
        self._files.take(request.client, 1)
        request.ends.callback(self._files.give_back, request.client, 1)
        file = request.ends.enter_context(await receive_file(request, form))
        pieces = predict_file(file.name, form, model, options, request, self.metrics)
        first = await self._in_thread(request, lambda: next(pieces, b""))

        async def body() -> AsyncIterator[bytes]:
            loop, piece = asyncio.get_running_loop(), first
            while piece:
                yield piece
                piece = await loop.run_in_executor(self._threads, next, pieces, b"")

        media_type = "text/csv; charset=utf-8" if form == "csv" else "application/jsonl"
        headers = {"content-disposition": f'attachment; filename="labeled.{form}"'}
        return PiecewiseResponse(body(), {"content-type": media_type, **headers}, request, self)

    async def _explain(self, request: Request) -> Response:
        require_json(request.media_type)
        body = await request.whole_body()

        def work() -> bytes:
            given = parse_json(body, request.charset)
            model = self.catalog[model_name(given)]
            asked = explain_body(given, self.limits, model.kinds)
            request.details |= {"model": model.name, "texts": 1}
            answer = encode_json(explain(model, asked, request.check)).encode()
            request.check_answer(len(answer))
            return answer

        return self._json(request, await self._in_thread(request, work))

    async def _feedback(self, request: Request) -> Response:
        require_json(request.media_type)
        body = await request.whole_body()
        feedback = self.feedback
        if feedback is None:
            raise Problem(
                "no-feedback",
                "the server was started without a file for feedback",
                advice="start it with --feedback FILE.sqlite",
            )

        def work() -> bytes:
            given = parse_json(body, request.charset)
            model = self.catalog[model_name(given)]
            asked = feedback_body(given, self.limits, model.kinds)
            request.details["model"] = model.name
            return encode_json(feedback.append(model, asked)).encode()

        loop = asyncio.get_running_loop()
        return JsonResponse(await loop.run_in_executor(feedback.thread, work))

    async def _models(self, request: Request) -> Response:
        def work() -> bytes:
            models = self.catalog.models.values()
            cards = [cached_card(model) for model in models]
            return encode_json({"models": cards, "feedback": self.feedback is not None}).encode()

        await request.whole_body()
        return self._json(request, await self._in_thread(request, work))

    async def _healthz(self, request: Request) -> Response:
        return JsonResponse(b'{"status":"ok"}')

    async def _readyz(self, request: Request) -> Response:
        if self.retiring:
            raise Problem("stopping", "the worker is stopping or being replaced")
        return JsonResponse(
            encode_json({"status": "ok", "models": list(self.catalog.models)}).encode()
        )

    async def _metrics(self, request: Request) -> Response:
        more: list[tuple[Series, float]] = []
        if self.feedback is not None:
            loop = asyncio.get_running_loop()
            more = await loop.run_in_executor(self.feedback.thread, self.feedback.series)
        await request.whole_body()
        text = await self._in_thread(request, lambda: self.metrics.text(more).encode())
        media_type = "text/plain; version=0.0.4; charset=utf-8"
        return Response(text, media_type=media_type, headers={"cache-control": "no-store"})

    async def _openapi(self, request: Request) -> Response:
        return JsonResponse(openapi_document(self.limits, self.options.token is not None))


_cards: dict[tuple[str, str], JsonObject] = {}


def cached_card(model: ServedModel) -> JsonObject:
    """The card of a model, made once."""
    key = model.name, model.digest
    if key not in _cards:
        _cards[key] = card(model)
    return _cards[key]

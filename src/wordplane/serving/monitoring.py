"""What is counted, and how Prometheus reads it.

Labels given, their confidence and the share of unknown words are what drift of the texts shows
first. Words are counted on a sample: of at most `SAMPLES_PER_SECOND` requests in a second.

How many texts had each label lately is counted, too: every text makes older ones count a little
less, so that about the last 2,000 of each worker do. Corrected for the errors that the model made
on texts held out in training (adjusted counts, `evaluation.label_shift`), these are the shares of
labels that texts have, and not only are given.
"""

from __future__ import annotations

import time
from bisect import bisect_left
from collections.abc import Iterable, Iterator

import numpy as np

from wordplane.common.groups import other_rows
from wordplane.common.types import FloatArray
from wordplane.serving.catalog import Catalog, ServedModel
from wordplane.serving.counters import Counters, Series
from wordplane.serving.problems import KINDS
from wordplane.workflow.answers import Decisions

LATENCIES = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0, 30.0)
CONFIDENCES = tuple(k / 10 for k in range(1, 11))
STATUSES = tuple(sorted({200, 304, 499, *(status for status, _ in KINDS.values())}))
MAX_LABELS = 1000  # that are counted one by one
SAMPLES_PER_SECOND = 20
SAMPLED_TEXTS = 50
RECENT_TEXTS = 2000
MIN_RECENT = 50  # texts, to say what labels they have
IN_FLIGHT = Series("wordplane_requests_in_flight")
RESTARTS = Series("wordplane_worker_restarts_total")

HELP = {
    "wordplane_requests_total": ("counter", "Requests by path and status."),
    "wordplane_request_seconds": ("histogram", "Time from the head of a request to its answer."),
    "wordplane_requests_in_flight": ("gauge", "Requests that are being answered."),
    "wordplane_texts_total": ("counter", "Texts that got an answer."),
    "wordplane_labels_total": ("counter", "Labels that were given."),
    "wordplane_recent_labels": ("gauge", "Texts by their likeliest label, older ones fading."),
    "wordplane_label_share": (
        "gauge",
        "Estimated share of recent texts that have a label, corrected for the model's errors.",
    ),
    "wordplane_abstained_total": ("counter", "Texts without a label: empty, or unsure."),
    "wordplane_confidence": ("histogram", "Probability of the likeliest label of a text."),
    "wordplane_words_total": ("counter", "Words of a sample of texts."),
    "wordplane_unknown_words_total": ("counter", "Words among them that no feature contains."),
    "wordplane_worker_restarts_total": ("counter", "Workers that died and were replaced."),
    "wordplane_model_loads_total": ("counter", "Times that a model was read."),
    "wordplane_model_load_failures_total": ("counter", "Model files that could not be read."),
    "wordplane_model_info": ("gauge", "1 for the version of each model that is served."),
    "wordplane_feedback_total": ("counter", "Labels that were sent as feedback."),
    "wordplane_feedback_accuracy": ("gauge", "Share of feedback that agrees with the model."),
    "wordplane_feedback_accuracy_low": ("gauge", "Lower end of its 95 % interval (Wilson)."),
    "wordplane_feedback_accuracy_high": ("gauge", "Upper end of its 95 % interval (Wilson)."),
}


def loads(model: str, failed: bool = False) -> Series:
    """How often a model was read."""
    name = "wordplane_model_load_failures_total" if failed else "wordplane_model_loads_total"
    return Series(name, (("model", model),))


def histogram(name: str, bounds: tuple[float, ...], label: tuple[str, str]) -> list[Series]:
    """A series for each bucket, which counts what is in no lower one, and one for the sum."""
    buckets = [Series(f"{name}_bucket", (label, ("le", f"{bound:g}"))) for bound in bounds]
    last = Series(f"{name}_bucket", (label, ("le", "+Inf")))
    return [*buckets, last, Series(f"{name}_sum", (label,))]


def add_series(counters: Counters, paths: Iterable[str], catalog: Catalog) -> None:
    """Give everything that is counted its cell."""
    counters.add([IN_FLIGHT, RESTARTS])
    for path in paths:
        counters.add(
            Series("wordplane_requests_total", (("path", path), ("status", str(status))))
            for status in STATUSES
        )
        counters.add(histogram("wordplane_request_seconds", LATENCIES, ("path", path)))
    for model in catalog.models.values():
        counters.add(
            [
                *_of_model(model),
                loads(model.name),
                loads(model.name, True),
                *_labels(model).values(),
                *_recent(model),
            ]
        )


def _of_model(model: ServedModel) -> list[Series]:
    own = ("model", model.name)
    names = ("texts_total", "abstained_total", "words_total", "unknown_words_total")
    return [
        *(Series(f"wordplane_{name}", (own,)) for name in names),
        *histogram("wordplane_confidence", CONFIDENCES, own),
    ]


def _labels(model: ServedModel) -> dict[int, Series]:
    """By code; labels beyond the first thousand share a series."""
    own = ("model", model.name)
    shown = [str(label) for label in model.labels[:MAX_LABELS]]
    shown += ["(others)"] * (len(model.labels) - len(shown))
    return {
        k: Series("wordplane_labels_total", (own, ("label", label)))
        for k, label in enumerate(shown)
    }


def _recent(model: ServedModel) -> list[Series]:
    """By code; none if shares cannot be estimated."""
    if model.label_shift is None or len(model.labels) > MAX_LABELS:
        return []
    own = ("model", model.name)
    labels = [("label", str(label)) for label in model.labels]
    return [Series("wordplane_recent_labels", (own, label)) for label in labels]


class Metrics:
    """What one worker adds to its slot of the counters."""

    def __init__(
        self, counters: Counters, slot: int, paths: Iterable[str], catalog: Catalog
    ) -> None:
        self._counters, self._cells, self._catalog = counters, counters.slot(slot), catalog
        index = counters.index
        self._in_flight = index[IN_FLIGHT]
        self._requests = {
            (path, status): index[
                Series("wordplane_requests_total", (("path", path), ("status", str(status))))
            ]
            for path in paths
            for status in STATUSES
        }
        self._seconds = {
            path: index[histogram("wordplane_request_seconds", LATENCIES, ("path", path))[0]]
            for path in paths
        }
        self._models = {model.name: index[_of_model(model)[0]] for model in catalog.models.values()}
        self._labels = {
            model.name: {k: index[s] for k, s in _labels(model).items() if s in index}
            for model in catalog.models.values()
        }
        self._recent = {
            model.name: cells
            for model in catalog.models.values()
            if (cells := self._recent_cells(model)) is not None
        }
        self._next_sample = 0.0

    def _recent_cells(self, model: ServedModel) -> FloatArray | None:
        """The cells of recent labels, next to each other; None if the model has none."""
        places = [self._counters.index.get(series, -1) for series in _recent(model)]
        if not places or places != list(range(places[0], places[0] + len(places))):
            return None
        return np.asarray(self._cells[places[0] : places[-1] + 1])

    def set_in_flight(self, n: int) -> None:
        """So many requests are being answered."""
        self._cells[self._in_flight] = float(n)

    def request(self, path: str, status: int, seconds: float) -> None:
        """A request was answered."""
        cells = self._cells
        cells[self._requests[path, status]] += 1
        first = self._seconds[path]
        cells[first + bisect_left(LATENCIES, seconds)] += 1
        cells[first + len(LATENCIES) + 1] += seconds

    def predicted(self, model: ServedModel, decisions: Decisions, texts: list[str]) -> None:
        """Texts got their labels, or numbers."""
        cells, first = self._cells, self._models[model.name]
        cells[first] += len(decisions.P)
        if decisions.unanswered:
            cells[first + 1] += len(decisions.unanswered)
            empty = np.array(list(decisions.unanswered))
            decisions = decisions.take(other_rows(len(decisions.P), empty))
        confidences, labels = decisions.confidences, self._labels[model.name]
        for code in decisions.codes:
            if code in labels:
                cells[labels[code]] += 1
            elif code < 0:
                cells[first + 1] += 1
        for confidence in confidences:
            cells[first + 4 + bisect_left(CONFIDENCES, confidence)] += 1
        cells[first + 4 + len(CONFIDENCES) + 1] += sum(confidences)
        if model.name in self._recent and len(decisions.P):
            recent, best = self._recent[model.name], decisions.P.argmax(axis=1)
            recent *= (1 - 1 / RECENT_TEXTS) ** len(best)
            recent += np.bincount(best, minlength=len(recent))
        now = time.monotonic()
        if model.known_words is not None and texts and now >= self._next_sample:
            self._next_sample = now + 1 / SAMPLES_PER_SECOND
            words, unknown = model.known_words.count(texts[:SAMPLED_TEXTS])
            cells[first + 2] += words
            cells[first + 3] += unknown

    def text(self, more: Iterable[tuple[Series, float]] = ()) -> str:
        """All that is counted, as Prometheus reads it."""
        totals = self._counters.totals()
        values = [(series, totals[at]) for series, at in self._counters.index.items()]
        for model in self._catalog.models.values():
            labels = (("model", model.name), ("digest", model.digest))
            values.append((Series("wordplane_model_info", labels), 1.0))
            values += self._shares(model, totals)
        return "".join(render([*values, *more]))

    def _shares(self, model: ServedModel, totals: list[float]) -> list[tuple[Series, float]]:
        """The estimated shares of labels, once there are texts enough."""
        recent = _recent(model)
        places = [self._counters.index.get(series) for series in recent]
        counts = np.array([0.0 if at is None else totals[at] for at in places])
        if model.label_shift is None or counts.sum() < MIN_RECENT:
            return []
        shares = model.label_shift.adjust(counts).tolist()
        named = (Series("wordplane_label_share", series.labels) for series in recent)
        return list(zip(named, shares, strict=True))


def render(values: list[tuple[Series, float]]) -> Iterator[str]:
    r"""Lines of the text format of Prometheus; series that are still 0 by status are left out.

    >>> list(render([(Series("wordplane_texts_total", (("model", 'a"b'),)), 3.0)]))[2:]
    ['wordplane_texts_total{model="a\\"b"} 3\n']
    """
    families: dict[str, list[tuple[Series, float]]] = {}
    for series, value in values:
        family = series.name.removesuffix("_bucket").removesuffix("_sum")
        families.setdefault(family, []).append((series, value))
    for family, members in families.items():
        kind, help = HELP[family]
        yield f"# HELP {family} {help}\n"
        yield f"# TYPE {family} {kind}\n"
        below = 0.0
        for series, value in members:
            if kind == "histogram" and series.name.endswith("_bucket"):
                below += value
                yield f"{series.name}{_braces(series)} {below:.15g}\n"
            elif kind == "histogram":
                count = Series(f"{family}_count", series.labels)
                yield f"{series.name}{_braces(series)} {value:.9g}\n"
                yield f"{count.name}{_braces(count)} {below:.15g}\n"
                below = 0.0
            elif value or family != "wordplane_requests_total":
                yield f"{series.name}{_braces(series)} {value:.15g}\n"


def _braces(series: Series) -> str:
    if not series.labels:
        return ""
    shown = ",".join(f'{name}="{_escape(value)}"' for name, value in series.labels)
    return f"{{{shown}}}"


def _escape(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")

"""Pages that can be touched: figures whose points, sentences and numbers are changed by hand.

`PAGES` has the demos that have one, each with the file in `pages/figures` that declares it and what
it starts from. A page is a single file that loads nothing. What it computes in the browser, in
`pages/algorithms`, are the learners of this package: the tests compare the numbers.

>>> page = touch_page("margins")
>>> "https://" in page, len(page) < 100_000
(False, True)
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from html import escape
from importlib.resources import files
from os import PathLike

import numpy as np

from wordplane.common.errors import InputError
from wordplane.common.files import whole_file
from wordplane.common.html import html_page
from wordplane.common.types import JsonObject
from wordplane.data.datasets import gaussians
from wordplane.demos import summary
from wordplane.demos.guide import GUIDE
from wordplane.demos.steps import CLASSES, SENTENCES, UNLABELED

LIBRARY = "elements contours plane points controls texts page steps line_descent".split()
ALGORITHMS = (
    "vectors losses online perceptron mira online_svm sgd logistic svm descent naive_bayes "
    "gaussian_nb kmeans neighbors curves words"
).split()
GRID = 64  # points lie on multiples of 1/64, as those that are moved on the page do
TWO = ["circles", "squares"]
THREE = [*TWO, "triangles"]


@dataclass(frozen=True)
class Page:
    """The figure of a page, and a function of a seed that gives what it starts from. Title and
    what to look at are those of the demo, unless the page shows something else."""

    figure: str
    start: Callable[[int], JsonObject]
    settings: JsonObject = field(default_factory=dict)
    title: str = ""
    look: str = ""


def touch_page(name: str, seed: int = 0) -> str:
    """The page of a demo as HTML; `seed` draws other points, where the page has random ones."""
    if name not in PAGES:
        raise InputError(f"the demo {name!r} has no page that can be touched")
    page = PAGES[name]
    start = json.dumps({"data": page.start(seed), "settings": page.settings}, ensure_ascii=False)
    place, look = GUIDE[name]
    body = _read("body.html").format(
        name=escape(name),
        title=escape(page.title or summary(name)),
        place=escape(place[:1].upper() + place[1:]),
        look=escape(page.look or look),
        start=start.replace("<", "\\u003c"),
    )
    return html_page(name, body.strip(), _read("style.css"), page_script(page.figure))


def page_script(*figures: str) -> str:
    """The library and the algorithms as one script, then the figures."""
    parts = [*LIBRARY, *(f"algorithms/{name}" for name in ALGORITHMS)]
    parts += [f"figures/{name}" for name in figures]
    sources = [_read(f"{part}.js") for part in parts]
    return "\n".join(['"use strict";', "(() => {", *sources, "})();"])


def write_touch_page(path: str | PathLike[str], name: str, seed: int = 0) -> None:
    """Write the page of a demo to a file, whole or not at all."""
    page = touch_page(name, seed)
    with whole_file(path) as draft:
        draft.write_text(page, encoding="utf-8", newline="")


def _read(name: str) -> str:
    return (files("wordplane.demos") / "pages" / name).read_text(encoding="utf-8")


def _point(x: float, y: float, label: int = 0) -> JsonObject:
    return {"x": round(x * GRID) / GRID, "y": round(y * GRID) / GRID, "label": label}


def _two_classes(
    n: int, variance: float, mean: tuple[float, float] = (1.0, 1.0)
) -> Callable[[int], JsonObject]:
    """n points of two Gaussians, the means of which are each other's negative."""

    def start(seed: int) -> JsonObject:
        means, variances = (np.negative(mean).tolist(), mean), (variance, variance)
        X, y = gaussians(n, variances=variances, means=means, random_state=seed)
        X = np.clip(X, -2.9, 2.9)
        points = [_point(a, b, int(label)) for (a, b), label in zip(X.tolist(), y, strict=True)]
        return {"classes": TWO, "points": points}

    return start


def _groups(n: int, rest: JsonObject) -> Callable[[int], JsonObject]:
    """n points around three centers."""

    def start(seed: int) -> JsonObject:
        rng = np.random.default_rng(seed)
        group = rng.integers(0, 3, n)
        X = np.array([[0, 2.5], [-2, -1], [2, -1]])[group] + 0.9 * rng.normal(size=(n, 2))
        X = np.clip(X, -3.9, 4.9)
        points = [_point(a, b, int(label)) for (a, b), label in zip(X.tolist(), group, strict=True)]
        return {"classes": THREE, "points": points, **rest}

    return start


def _noisy_line(seed: int) -> JsonObject:
    """Points around the line y = 1.5 x + 0.5, and where the descent starts."""
    rng = np.random.default_rng(seed)
    x = rng.uniform(-1, 1.5, 24)
    y = 1.5 * x + 0.5 + rng.normal(scale=0.4, size=len(x))
    points = [_point(*at) for at in zip(x.tolist(), y.tolist(), strict=True)]
    return {"points": points, "start": [_point(-1, 2)]}


def _scores(seed: int) -> JsonObject:
    """Scores of positive and negative texts."""
    rng = np.random.default_rng(seed)
    points = []
    for label, center in ((1, 0.9), (0, -0.9)):
        for score in np.clip(rng.normal(center, 1.1, 12), -3.9, 3.9).tolist():
            height = float(rng.uniform(0.15, 0.85))
            points.append(_point(score, height if label else -height, label))
    return {"classes": ["negative", "positive"], "points": points}


def _fixed(data: JsonObject) -> Callable[[int], JsonObject]:
    return lambda seed: data


def _sentences(rows: Sequence[tuple[str, str]]) -> Callable[[int], JsonObject]:
    number = {name: k for k, name in enumerate(CLASSES)}
    texts: list[JsonObject] = [{"text": text, "label": number.get(y, -1)} for text, y in rows]
    return _fixed({"classes": list(CLASSES), "texts": texts})


_MEANS = [{**_point(-1, -1, 0), "name": "circles"}, {**_point(1, 1, 1), "name": "squares"}]
_CENTERS = [_point(-0.5, 0.5, 0), _point(0.5, 0, 1), _point(0, -0.5, 2)]
_MARGINS = [_point(x, 0) for x in (-1.5, 0.5, 2)]
_TIMES = "It was the best of times, it was the worst of times"
_NEW = "a dull plot but a great cast"
_RANKING = "Thresholds: the ROC curve and precision against recall"
_labeled = _sentences(SENTENCES)

PAGES = {
    "bag-of-words": Page(
        "bag_of_words",
        _fixed({"classes": ["Fiction", "News", "Gossip", "Sports"]}),
        {"text": _TIMES},
    ),
    "two-gaussians": Page("two_gaussians", _fixed({"classes": TWO, "means": _MEANS})),
    "gaussian-nb": Page(
        "gaussian_nb",
        _two_classes(40, 0.8),
        title="Gaussian naive Bayes: points, and the Gaussians that fit them",
        look="the border is a line if the classes share their variances, and curved if not",
    ),
    "perceptron-epochs": Page(
        "perceptron_epochs",
        _two_classes(30, 0.6),
        {"step": 30},
        "The perceptron: one point after the other",
        "a mistake turns the line; the dashed one is that before the step",
    ),
    "margins": Page("margins", _two_classes(24, 0.2), {"C": 100}),
    "slack": Page("margins", _two_classes(24, 0.6), {"C": 1}),
    "neighbors": Page("neighbors", _groups(60, {"query": [_point(0, 0)]})),
    "kmeans": Page("kmeans", _groups(60, {"centers": _CENTERS})),
    "losses": Page("losses", _fixed({"points": _MARGINS})),
    "descent": Page("descent", _noisy_line, {"step": 10}),
    "stochastic": Page("stochastic", _noisy_line, {"step": 24}),
    "precision-recall": Page("roc", _scores, title=_RANKING),
    "roc": Page("roc", _scores, title=_RANKING),
    "smoothing": Page(
        "smoothing",
        _labeled,
        {"text": _NEW},
        "Smoothing: what naive Bayes makes of words it has hardly seen",
        "with little smoothing, one word that a class never had decides",
    ),
    "penalty": Page(
        "penalty",
        _two_classes(24, 0.7, (1.2, 0.3)),
        title="L1 and L2 penalties: where the loss touches the ball",
        look="with L1 the weight of the weaker feature is exactly 0, with L2 it is small",
    ),
    "shrinkage": Page(
        "shrinkage",
        _two_classes(40, 0.8),
        title="Logistic regression with a penalty",
        look="the larger lambda, the shorter the weights, and the farther apart the lines",
    ),
    "averaging": Page(
        "averaging",
        _two_classes(30, 0.6),
        {"step": 30},
        "The averaged perceptron: the mean of all weights so far",
        "the thin line of the last weights jumps, that of their mean does not",
    ),
    "online-svm": Page("online_svm", _two_classes(30, 0.6), {"step": 60}),
    "perceptron-steps": Page("perceptron_steps", _labeled),
    "averaged-steps": Page("averaged_steps", _labeled),
    "mira-steps": Page("mira_steps", _labeled),
    "online-svm-steps": Page("online_svm_steps", _labeled),
    "sgd-steps": Page("sgd_steps", _labeled),
    "em-steps": Page("em_steps", _sentences([*SENTENCES[:2], *((t, "") for t in UNLABELED)])),
}

"""Demos: the figures, tables and exercises of the documents that Wordplane was built from.

`DEMOS` has the names by module. The function of a demo has its name with underscores; it computes,
and returns `Shown`: lines to read, and a picture if there is one. The first line of its docstring
says what it is about. The gallery shows the source of these functions.

>>> print(find_demo("negation")())
didn't NOT_like NOT_it , but the end was good
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from importlib import import_module

from wordplane.common.errors import InputError
from wordplane.plots.vega_lite import Chart

DEMOS = {
    "text": "bag-of-words hand-set spam-vectors word-properties negation lexicon zipf "
    "information-gain embeddings".split(),
    "points": "two-gaussians gaussian-nb perceptron-epochs all-learners margins separators slack "
    "neighbors kmeans kernels".split(),
    "lab": ["lab"],
    "probability": "generate die entropy unknown-words".split(),
    "descent": "losses sigmoid softmax hinge regression descent bowl stochastic step-sizes newton "
    "optimizers gradients".split(),
    "evaluation": "precision-recall roc smoothing penalty overfitting bigrams".split(),
    "effects": "learners unlabeled".split(),
    "error_bounds": "perceptron-bound error-parts".split(),
    "steps": "online-svm perceptron-steps averaged-steps mira-steps online-svm-steps sgd-steps "
    "em-steps".split(),
    "search": "label-propagation genetic-search".split(),
    "exercises": "one-word one-feature prior reference-class union shrinkage averaging two-labels "
    "convexity safe-step".split(),
    "examples": "word-order likelihood unfit separability subgradients counts-or-mistakes moments "
    "gaussian-prior joint-features armijo tf-idf centroids dreadful ands lazy-penalty "
    "standardizing".split(),
}


@dataclass(frozen=True)
class Shown:
    """What a demo returns: lines to read, and a function that draws the picture, if there is one.

    >>> print(Shown(["one line", "another"]))
    one line
    another
    """

    lines: Sequence[str]
    picture: Callable[[], Chart] | None = None

    def __str__(self) -> str:
        return "\n".join(self.lines)


def find_demo(name: str) -> Callable[..., Shown]:
    """The function of a demo."""
    module = next((module for module, names in DEMOS.items() if name in names), None)
    if module is None:
        every = [one for names in DEMOS.values() for one in names]
        near = get_close_matches(name, every, n=1)
        meant = f"did you mean {near[0]!r}? " if near else ""
        raise InputError(f"there is no demo {name!r}; {meant}`wordplane demo --list` lists them")
    demos = import_module(f"wordplane.demos.{module}")
    demo: Callable[..., Shown] = getattr(demos, name.replace("-", "_"))
    return demo


def summary(name: str) -> str:
    """What a demo is about."""
    return (find_demo(name).__doc__ or "").partition("\n")[0].rstrip(".")

"""A model as one file that needs nothing else: a page for a browser, or a module for Node.

Both contain the model and the library that reads it (native/library), compiled to WebAssembly and
built by `make wasm`. The page loads nothing and sends nothing: its content security policy allows
its own style and script, by their hashes, and WebAssembly.
"""

import gzip
import json
from base64 import b64encode
from html import escape
from importlib.resources import files
from os import PathLike
from string import Template

import wordplane
from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.common.files import whole_file
from wordplane.common.html import content_policy
from wordplane.common.types import JsonObject
from wordplane.evaluation.label_scores import Scores
from wordplane.evaluation.number_scores import NumberScores, figure
from wordplane.evaluation.set_scores import SetScores
from wordplane.model.explanation import top_features
from wordplane.model.file import to_bytes
from wordplane.model.text_model import TextModel

LARGE = 10_000_000  # bytes of a page that is slow to send and to open
TOP_WORDS, MAX_CARDS = 8, 12
UNKNOWN = "\u2013"


def write_page(path: str | PathLike[str], model: TextModel, title: str) -> list[str]:
    """Write a page on which one can try a model; notes say what its author should know.

    >>> import tempfile
    >>> from pathlib import Path
    >>> model = wordplane.TextClassifier(learner="nb").fit(["good film", "bad film"], ["+", "-"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     notes = write_page(Path(folder, "page.html"), model.model_, "Films")
    ...     "Films: Wordplane" in Path(folder, "page.html").read_text()
    True
    """
    check_portable(model)
    style = (files("wordplane.report") / "page" / "style.css").read_text(encoding="utf-8")
    style += _read("page.css")
    script = '"use strict";\n' + _read("model.js") + _read("page.js")
    data: JsonObject = {
        "library": _library(),
        "content": _packed(to_bytes(model)),
        "card": _card(model),
    }
    page = Template(_read("page.html")).substitute(
        policy=escape(content_policy(style, script, wasm=True)),
        title=escape(title),
        style=style,
        script=script,
        data=_json(data),
        version=wordplane.__version__,
    )
    return _write(path, page)


def write_module(path: str | PathLike[str], model: TextModel) -> list[str]:
    """Write an ES module whose `load()` returns the model, for Node and for pages of one's own."""
    check_portable(model)
    parts = [
        "// A model of Wordplane: `import { load }`, then `(await load()).predict(text)`.\n",
        f"const WASM = {json.dumps(_library())};\n",
        f"const CONTENT = {json.dumps(_packed(to_bytes(model)))};\n\n",
    ]
    return _write(path, "".join([*parts, _read("model.js"), _read("node.js")]))


def check_portable(model: TextModel) -> None:
    """Raise an InputError that says why, if the library for WebAssembly cannot read a model."""
    spec = model.features.spec
    others = ", ".join(spec.columns.columns)
    reasons = {
        "its labels are in a tree": model.tree is not None,
        "it is a model of fastText": model.fasttext is not None,
        "it uses word embeddings": bool(spec.columns.embeddings),
        f"it reads columns besides the text ({others})": bool(others),
        "it uses conjunctions of features": spec.selection.conjoin is not None,
        "it has forbidden words": bool(spec.tokens.forbid),
    }
    found = [reason for reason, applies in reasons.items() if applies]
    if found:
        raise InputError(
            f"this model cannot become a page or a module: {' and '.join(found)}, which the "
            "library for WebAssembly does not read; `wordplane serve` has a page for every model"
        )


def _write(path: str | PathLike[str], content: str) -> list[str]:
    with whole_file(path) as draft:
        draft.write_text(content, encoding="utf-8", newline="")
    notes = []
    if len(content) > LARGE:
        notes.append(
            f"the file has {len(content) / 1e6:.0f} MB; `wordplane compress` makes the model, and "
            "so this file, smaller"
        )
    built = json.loads(_read("wordplane.json"))["unicode"]
    if built != _core.unicode_version:
        notes.append(
            f"the library for WebAssembly knows Unicode {built}, this Wordplane Unicode "
            f"{_core.unicode_version}: characters that are new in one may be read differently"
        )
    return notes


def _read(name: str) -> str:
    return (files("wordplane.portable") / "files" / name).read_text(encoding="utf-8")


def _library() -> str:
    return _packed((files("wordplane.portable") / "files" / "wordplane.wasm").read_bytes())


def _packed(content: bytes) -> str:
    return b64encode(gzip.compress(content, 9, mtime=0)).decode()


def _json(data: JsonObject) -> str:
    """JSON that nothing in a page takes for markup."""
    return json.dumps(data, ensure_ascii=True, separators=(",", ":")).replace("<", "\\u003c")


def _card(model: TextModel) -> JsonObject:
    """What the page says of the model, besides what the library knows."""
    training = model.training
    top = top_features(model, TOP_WORDS, MAX_CARDS, readable=True)
    facts = [
        ("Data", training.source),
        ("Tested on", training.tested_on),
        ("Learner", training.learner_text),
    ]
    return {
        "target": training.label_column if model.predicts_numbers else None,
        "tiles": [*_measured(model), *_sizes(model)],
        "words": [{"label": str(label), "words": words} for label, words in top.items()],
        "facts": [(name, value) for name, value in facts if value],
    }


def _measured(model: TextModel) -> list[tuple[str, str, str]]:
    """How good it was in a test: name, value, and a note."""
    scores = model.training.scores
    if isinstance(scores, Scores):
        low, high = scores.interval
        note = f"95\u202f% interval {_percent(low)} to {_percent(high)}, of {scores.n:,} test texts"
        return [("Accuracy", _percent(scores.accuracy), note)]
    if isinstance(scores, SetScores):
        note = f"of {scores.n:,} test texts got exactly their labels"
        return [("All labels right", _percent(scores.subset_accuracy), note)]
    if isinstance(scores, NumberScores):
        low, high = scores.mae_interval
        note = f"95\u202f% interval {figure(low)} to {figure(high)}, of {scores.n:,} test texts"
        return [("Mean absolute error", figure(scores.mae), note)]
    return [("Accuracy", UNKNOWN, "not measured")]


def _percent(share: float) -> str:
    return f"{100 * share:.1f}\u202f%"


def _sizes(model: TextModel) -> list[tuple[str, str, str]]:
    n_docs = model.training.n_docs
    tiles = [
        ("Trained on", UNKNOWN if n_docs is None else f"{n_docs:,}", "texts"),
        ("Features", f"{model.features.n_features:,}", "words, runs of words, characters"),
    ]
    if not model.predicts_numbers:
        note = "any number per text" if model.multilabel else "one per text"
        tiles.insert(0, ("Labels", f"{len(model.classes):,}", note))
    return tiles

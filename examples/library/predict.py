"""Predict with libwordplane by ctypes: no other package is needed.

python predict.py build/lib/libwordplane.so model.wordplane "a text"
"""

from __future__ import annotations

import ctypes
import sys
from ctypes import POINTER, byref, c_char, c_char_p, c_double, c_int, c_size_t, c_void_p
from pathlib import Path


class Text(ctypes.Structure):
    """wordplane_text."""

    _fields_ = [("bytes", c_char_p), ("size", c_size_t)]


class Error(ctypes.Structure):
    """wordplane_error."""

    _fields_ = [("text", c_char * 512)]


class Contribution(ctypes.Structure):
    """wordplane_contribution."""

    _fields_ = [
        ("feature", POINTER(c_char)),
        ("feature_size", c_size_t),
        ("value", c_double),
        ("field", c_size_t),
        ("start", c_size_t),
        ("end", c_size_t),
    ]


class Explanation(ctypes.Structure):
    """wordplane_explanation."""

    _fields_ = [
        ("score", c_double),
        ("bias", c_double),
        ("n_contributions", c_size_t),
        ("contributions", POINTER(Contribution)),
    ]


class LibraryError(Exception):
    """What the library refused; `status` is its wordplane_status."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status


def open_library(path: str) -> ctypes.CDLL:
    """The library, with the types of its functions."""
    library = ctypes.CDLL(path)
    for name in ("load", "load_file", "scores", "probabilities", "explain"):
        getattr(library, f"wordplane_{name}").restype = c_int
    for name in ("n_classes", "n_fields", "n_scores", "labels"):
        getattr(library, f"wordplane_{name}").restype = c_size_t
    for name in ("class", "field"):
        getattr(library, f"wordplane_{name}").restype = POINTER(c_char)
    for name in ("free", "free_explanation"):
        getattr(library, f"wordplane_{name}").restype = None
    return library


class Model:
    """A model, loaded from the content of a file."""

    def __init__(self, library: ctypes.CDLL, content: bytes) -> None:
        self._library, self._model = library, c_void_p()
        self._call("load", content, c_size_t(len(content)), byref(self._model))
        self.classes = self._names("class", self._size("n_classes"))
        self.fields = self._names("field", self._size("n_fields"))
        self.multilabel = bool(library.wordplane_is_multilabel(self._model))

    def scores(self, *texts: str) -> list[float]:
        """The scores of a document: one text, or a text for each field."""
        scores = (c_double * self._size("n_scores"))()
        self._call("scores", self._model, *_document(texts), scores)
        return list(scores)

    def probabilities(self, scores: list[float]) -> list[float]:
        """The probabilities of the classes of a document with these scores."""
        found = (c_double * len(self.classes))()
        self._call("probabilities", self._model, (c_double * len(scores))(*scores), found)
        return list(found)

    def labels(self, scores: list[float]) -> list[str]:
        """The classes that it is given."""
        found = (c_size_t * max(len(self.classes), 1))()
        given = (c_double * len(scores))(*scores)
        n = self._library.wordplane_labels(self._model, given, found)
        return [self.classes[k] for k in found[:n]]

    def explain(
        self, k: int, *texts: str
    ) -> tuple[float, float, list[tuple[str, float, int, int, int]]]:
        """Score, bias and contributions (feature, value, field, start, end) of class k."""
        found = POINTER(Explanation)()
        self._call("explain", self._model, *_document(texts), c_size_t(k), byref(found))
        made = found.contents
        contributions = [
            (one.feature[: one.feature_size].decode(), one.value, one.field, one.start, one.end)
            for one in made.contributions[: made.n_contributions]
        ]
        result = made.score, made.bias, contributions
        self._library.wordplane_free_explanation(found)
        return result

    def __del__(self) -> None:
        self._library.wordplane_free(self._model)

    def _size(self, name: str) -> int:
        return int(getattr(self._library, f"wordplane_{name}")(self._model))

    def _names(self, function: str, n: int) -> list[str]:
        size, names = c_size_t(), []
        for k in range(n):
            call = getattr(self._library, f"wordplane_{function}")
            name = call(self._model, c_size_t(k), byref(size))
            names.append(name[: size.value].decode())
        return names

    def _call(self, name: str, *arguments: object) -> None:
        error = Error()
        status = getattr(self._library, f"wordplane_{name}")(*arguments, byref(error))
        if status != 0:
            raise LibraryError(status, error.text.decode())


def _document(texts: tuple[str, ...]) -> tuple[object, c_size_t]:
    encoded = [text.encode() for text in texts]
    made = (Text * len(texts))(*(Text(one, len(one)) for one in encoded))
    return made, c_size_t(len(texts))


def main() -> None:
    """Print the labels, the probabilities, and what speaks for the first label."""
    library, path, *texts = sys.argv[1:]
    model = Model(open_library(library), Path(path).read_bytes())
    scores = model.scores(*texts)
    labels = model.labels(scores)
    print("labels:", ", ".join(labels))
    for name, p in zip(model.classes, model.probabilities(scores), strict=True):
        print(f"{p:.6f}  {name}")
    for label in labels[:1]:
        _, _, contributions = model.explain(model.classes.index(label), *texts)
        for feature, value, *_ in contributions[:5]:
            print(f"{value:+.3f}  {feature}")


if __name__ == "__main__":
    main()

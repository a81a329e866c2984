"""A component of spaCy pipelines that gives texts their labels, as probabilities in `doc.cats`.

import wordplane.integrations.spacy  # not needed if Wordplane is installed
nlp = spacy.blank("en")
nlp.add_pipe("wordplane", config={"model": "m.wordplane"})
nlp("a great film").cats
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from os import PathLike
from pathlib import Path

from spacy.language import Language
from spacy.tokens import Doc

import wordplane
from wordplane.common.errors import InputError
from wordplane.model.classifier import TextClassifier

FILE = "model.wordplane"


class TextLabels:
    """Reads the text of a doc, not its tokens: the model has a tokenizer of its own.

    model  the path of a model file, which is loaded when it is first needed: a stored pipeline has
           its own copy, and names a file that may be gone
    """

    def __init__(self, model: str) -> None:
        self._path = model
        self._model: TextClassifier | None = None

    def __call__(self, doc: Doc) -> Doc:
        return next(self.pipe([doc]))

    def pipe(self, docs: Iterable[Doc], batch_size: int = 1000) -> Iterator[Doc]:
        """Many docs, some at a time."""
        model = self._model = self._model or _load(self._path)
        labels, stream = list(map(str, model.classes_.tolist())), iter(docs)
        while batch := list(islice(stream, batch_size)):
            P = model.predict_proba([doc.text for doc in batch])
            for doc, p in zip(batch, P.tolist(), strict=True):
                doc.cats = {**doc.cats, **dict(zip(labels, p, strict=True))}
                yield doc

    def to_disk(self, path: str | PathLike[str], exclude: Iterable[str] = ()) -> None:
        """Keep the model file with the pipeline."""
        del exclude
        self._model = self._model or _load(self._path)
        Path(path).mkdir(parents=True, exist_ok=True)
        self._model.save(Path(path, FILE))

    def from_disk(self, path: str | PathLike[str], exclude: Iterable[str] = ()) -> TextLabels:
        """Load the model file of a pipeline."""
        del exclude
        self._path, self._model = str(Path(path, FILE)), None
        return self


def _load(path: str) -> TextClassifier:
    if not path:
        raise InputError('the component has no model: config={"model": "m.wordplane"}')
    model = wordplane.load(path)
    if not isinstance(model, TextClassifier):
        raise InputError(f"{path}: the model predicts numbers, and `doc.cats` are labels")
    return model


@Language.factory("wordplane", default_config={"model": ""}, assigns=["doc.cats"])  # type: ignore[untyped-decorator]
def make_component(nlp: Language, name: str, model: str) -> TextLabels:
    """What spaCy calls for `nlp.add_pipe("wordplane")`."""
    del nlp, name
    return TextLabels(model)

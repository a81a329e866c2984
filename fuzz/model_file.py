"""Model files that malice would write: parts are changed and the digest is right.

They are refused with an error that says why, or give a model that works. Digest and header are
left out for most inputs: they take most of the time, and have nothing to find.
"""

import contextlib
import json
from typing import Any

import numpy as np
from documents import Document, change
from python_input import Input
from small_models import FRAME, RESUMABLE, TEXTS, small_models

from wordplane.common.errors import InputError, ModelFileError
from wordplane.common.tensor_file import tensor_bytes
from wordplane.evaluation.label_decisions import LabelDecisions
from wordplane.model import file
from wordplane.model.file import HEADER, from_bytes, from_parts, read_parts, seal, to_bytes
from wordplane.model.json_document import json_lines
from wordplane.text.documents import as_documents


def change_arrays(arrays: dict[str, np.ndarray], data: Input) -> None:
    names = sorted(arrays)
    if not names:
        return
    name = names[data.number(0, len(names) - 1)]
    array = arrays[name].copy()
    kind = data.number(0, 6)
    if kind == 0:
        del arrays[name]
        return
    if kind == 1:
        array = array[: data.number(0, len(array))]
    elif kind == 2:
        array = array.astype(["int64", "float32", "uint8", "float64"][data.number(0, 3)])
    elif kind == 3:
        array = array.reshape(-1) if array.ndim == 2 else array.reshape(1, -1)
    elif kind == 4:
        array = np.concatenate([array, array])
    elif array.size:
        at = data.number(0, array.size - 1)
        if array.dtype.kind == "f":
            array.flat[at] = [np.nan, np.inf, -1.0, 1e308, 0.0][data.number(0, 4)]
        else:
            info = np.iinfo(array.dtype)
            near = data.flag()
            low, high = (max(info.min, -2), 40) if near else (int(info.min), int(info.max))
            array.flat[at] = data.number(low, high)
    arrays[name] = array


def changed_bytes(payload: bytes, data: Input) -> bytes:
    """A payload with other bytes, whatever they mean."""
    changed = bytearray(payload)
    for _ in range(data.number(1, 4)):
        changed[data.number(0, len(changed) - 1)] = data.number(0, 255)
    return bytes(changed[: data.number(0, len(changed)) or None])


class Parts:
    """A good model: its payload, and the arrays and the document in that."""

    def __init__(self, data: bytes) -> None:
        self.payload = data[HEADER:]
        self.arrays, stored = read_parts(data)
        self.document = Document(stored)


def score(model: Any) -> None:
    """It scores texts and decides on them."""
    kinds = model.features.spec.columns.kinds
    frame = {name: FRAME["n" if kind == "number" else "who"] for name, kind in kinds.items()}
    texts = ["a:1 great:2"] * 4 if model.features.analyzer.tokens == "counts" else TEXTS
    documents = as_documents({**frame, "text": texts} if frame else texts, kinds)
    try:
        z = model.scores(documents, 1)
        assert np.isfinite(z).all()
        of_one = z.shape[1] == 1 and not model.multilabel
        P = model.probabilities(z[:, 0] if of_one else z)
        assert ((P >= 0) & (P <= 1)).all()
        if isinstance(model.calibrator, LabelDecisions):
            model.calibrator.predict(z)
    except InputError as error:
        # a scale of almost 0, or a score that no calibration knows
        assert "NaN or infinity" in str(error) or "expected at most 1e100" in str(error)


def use(model: Any) -> None:
    """The same, and it can be saved and shown."""
    score(model)
    assert to_bytes(from_bytes(to_bytes(model))) == to_bytes(model)
    if model.is_linear:
        assert json.loads("".join(json_lines(model)))["features"] is not None


MODELS = [Parts(to_bytes(model.model_, i in RESUMABLE)) for i, model in enumerate(small_models())]
check_golden = file.check_golden


def check_golden_or_go_on(model: Any, stored: Any) -> None:
    """Malice would write the answers that the changed model gives."""
    with contextlib.suppress(ModelFileError):
        check_golden(model, stored)


file.check_golden = check_golden_or_go_on


def one_input(data: bytes) -> None:
    given = Input(data)
    model = MODELS[given.number(0, len(MODELS) - 1)]
    how = given.number(0, 31)
    try:
        if how == 0:
            use(from_bytes(seal(changed_bytes(model.payload, given))))
            return
        arrays, document = dict(model.arrays), model.document.value
        for _ in range(given.number(1, 3)):
            if given.number(0, 2) == 0:
                change_arrays(arrays, given)
            else:
                document = change(document, given, model.document)
        if how <= 2:
            use(from_bytes(seal(tensor_bytes(arrays, {"wordplane": json.dumps(document)}))))
        else:
            score(from_parts(arrays, document))
    except ModelFileError:
        return

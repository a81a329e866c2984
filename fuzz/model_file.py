"""Model files that malice would write: parts are changed and the digest is made right again.

They are refused with an error that says why, or give a model that works.
"""

import contextlib
import hashlib
import json
import sys
from typing import Any

import atheris
import numpy as np

with atheris.instrument_imports(include=["wordplane"]):
    from wordplane import Analyzer, TextClassifier
    from wordplane.common.errors import InputError, ModelFileError
    from wordplane.model import file
    from wordplane.model.file import HEADER, MAGIC, VERSION, from_bytes, to_bytes
    from wordplane.model.json_document import json_lines
    from wordplane.text.documents import as_documents

from safetensors.numpy import load, save

TEXTS = ["a great film", "great fun", "a dull film", "dull, long"]
LABELS = ["pos", "pos", "neg", "neg"]
FRAME = {"text": TEXTS, "n": [1, 2, 3, 4], "who": ["a", "b", "a", "b"]}
RICH = Analyzer(
    negation=True,
    chars=(2, 3),
    suffixes=[2],
    shapes=True,
    triggers={"mood": ["fun"]},
    lexica={"mood": {"great": 1.0, "dull": -1}},
    columns={"n": "number", "who": "category"},
    idf="smooth",
    norm="l2",
)


def payloads() -> list[bytes]:
    """The payloads of good models of several kinds."""
    models = [
        TextClassifier(Analyzer(), "nb").fit(TEXTS, LABELS),
        TextClassifier(Analyzer(ngrams=(1, 3), boundaries=True), "logistic").fit(
            TEXTS, [1, 2, 3, 1]
        ),
        TextClassifier(Analyzer(tf="binary"), "perceptron").fit(TEXTS, LABELS),
        TextClassifier(RICH, "svm").fit(FRAME, LABELS),
        TextClassifier(Analyzer(chars=(1, 2), chars_across=True), "nb").fit(
            TEXTS, [["a"], ["a", "b"], [], ["b"]]
        ),
    ]
    resumable = [False, False, True, False, False]
    sealed = [to_bytes(m.model_, r) for m, r in zip(models, resumable, strict=True)]
    return [data[HEADER:] for data in sealed]


def places(value: Any) -> list[tuple[Any, Any]]:
    """Every place in a JSON document: what holds it, and its key there."""
    found: list[tuple[Any, Any]] = []
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in items:
        found.append((value, key))
        if isinstance(inner, (dict, list)):
            found += places(inner)
    return found


VALUES = [
    *(None, True, False, 0, 1, -1, 2, 3, 100, 2**31, 2**63, 10**400, 0.5, -0.0, 1e308, 5e-324),
    *("", "a", "words", "counts", "nb", "auto", "\ud800", "\0", "</script>", "é", [], {}),
    *([1, 2], [[1]], ["a", 1], {"a": 1}, [0, 0], [3, 1]),
]


def changed_value(old: Any, data: atheris.FuzzedDataProvider, document: Any) -> Any:
    kind = data.ConsumeIntInRange(0, 4)
    if kind == 0:
        return data.ConsumeInt(8)
    if kind == 1:
        return data.ConsumeUnicode(8)
    if kind == 2:  # what stands elsewhere
        all_places = places(document)
        holder, key = all_places[data.ConsumeIntInRange(0, len(all_places) - 1)]
        return json.loads(json.dumps(holder[key]))
    if kind == 3 and isinstance(old, (int, float)) and not isinstance(old, bool):
        return -old if data.ConsumeBool() else old + 1
    value = VALUES[data.ConsumeIntInRange(0, len(VALUES) - 1)]
    return json.loads(json.dumps(value))


def change_document(document: Any, data: atheris.FuzzedDataProvider) -> None:
    all_places = places(document)
    holder, key = all_places[data.ConsumeIntInRange(0, len(all_places) - 1)]
    if data.ConsumeIntInRange(0, 7) == 0:
        del holder[key]
    else:
        holder[key] = changed_value(holder[key], data, document)


def change_arrays(arrays: dict[str, np.ndarray], data: atheris.FuzzedDataProvider) -> None:
    names = sorted(arrays)
    name = names[data.ConsumeIntInRange(0, len(names) - 1)]
    array = arrays[name].copy()
    kind = data.ConsumeIntInRange(0, 6)
    if kind == 0:
        del arrays[name]
        return
    if kind == 1:
        array = array[: data.ConsumeIntInRange(0, len(array))]
    elif kind == 2:
        array = array.astype(["int64", "float32", "uint8", "float64"][data.ConsumeIntInRange(0, 3)])
    elif kind == 3:
        array = array.reshape(-1) if array.ndim == 2 else array.reshape(1, -1)
    elif kind == 4:
        array = np.concatenate([array, array])
    elif array.size:
        at = data.ConsumeIntInRange(0, array.size - 1)
        if array.dtype.kind == "f":
            array.flat[at] = [np.nan, np.inf, -1.0, 1e308, 0.0][data.ConsumeIntInRange(0, 4)]
        else:
            info = np.iinfo(array.dtype)
            near = data.ConsumeBool()
            low, high = (max(info.min, -2), 40) if near else (int(info.min), int(info.max))
            array.flat[at] = data.ConsumeIntInRange(low, high)
    arrays[name] = array


def changed_payload(payload: bytes, data: atheris.FuzzedDataProvider) -> bytes:
    if data.ConsumeIntInRange(0, 7) == 0:  # bytes, whatever they mean
        changed = bytearray(payload)
        for _ in range(data.ConsumeIntInRange(1, 4)):
            at = data.ConsumeIntInRange(0, len(changed) - 1)
            changed[at] = data.ConsumeIntInRange(0, 255)
        return bytes(changed[: data.ConsumeIntInRange(0, len(changed)) or None])
    arrays = load(payload)
    length = int.from_bytes(payload[:8], "little")
    document = json.loads(json.loads(payload[8 : 8 + length])["__metadata__"]["wordplane"])
    for _ in range(data.ConsumeIntInRange(1, 3)):
        if data.ConsumeIntInRange(0, 2) == 0:
            change_arrays(arrays, data)
        elif document:
            change_document(document, data)
    return save(arrays, {"wordplane": json.dumps(document)})


def use(model: Any) -> None:
    kinds = model.features.analyzer.column_kinds()
    frame = {name: FRAME["n" if kind == "number" else "who"] for name, kind in kinds.items()}
    texts = ["a:1 great:2"] * 4 if model.features.analyzer.tokens == "counts" else TEXTS
    documents = as_documents({**frame, "text": texts} if frame else texts, kinds)
    try:
        assert np.isfinite(model.scores(documents, 1)).all()
    except InputError as error:
        assert "NaN or infinity" in str(error)  # a scale of almost 0
    assert to_bytes(from_bytes(to_bytes(model))) == to_bytes(model)
    assert json.loads("".join(json_lines(model)))["features"] is not None


PAYLOADS = payloads()
check_golden = file.check_golden


def check_golden_or_go_on(model: Any, rows: Any) -> None:
    """Malice would write the scores that the changed model gives."""
    with contextlib.suppress(ModelFileError):
        check_golden(model, rows)


file.check_golden = check_golden_or_go_on


def one_input(data: bytes) -> None:
    provider = atheris.FuzzedDataProvider(data)
    payload = PAYLOADS[provider.ConsumeIntInRange(0, len(PAYLOADS) - 1)]
    payload = changed_payload(payload, provider)
    body = len(payload).to_bytes(8, "little") + payload
    sealed = MAGIC + bytes([VERSION]) + hashlib.sha256(body).digest() + body
    try:
        model = from_bytes(sealed)
    except ModelFileError:
        return
    use(model)


if __name__ == "__main__":
    atheris.Setup(sys.argv, one_input)
    atheris.Fuzz()

"""Models of a few words as bytes, and the same with something changed."""

import hashlib
import json

import numpy as np
from safetensors.numpy import load as load_tensors
from safetensors.numpy import save as save_tensors

from tests.fitting import fitted_features
from wordplane import Analyzer, TextClassifier
from wordplane.evaluation.calibration import Temperature
from wordplane.model.file import HEADER, MAGIC, VERSION, to_bytes
from wordplane.model.text_model import TextModel
from wordplane.text.documents import as_documents

TEXTS = ["a great film", "great fun", "a dull film", "dull, long"]
LABELS = ["pos", "pos", "neg", "neg"]


def small(**params):
    return TextClassifier(Analyzer(**params), "nb").fit(TEXTS, LABELS)


def sealed(payload):
    """A file with a right digest and length around any payload: what malice would write."""
    body = len(payload).to_bytes(8, "little") + payload
    return MAGIC + bytes([VERSION]) + hashlib.sha256(body).digest() + body


RICH = Analyzer(
    negation=True,
    chars=(2, 3),
    suffixes=[2],
    shapes=True,
    triggers={"mood": ["fun"]},
    lexica={"mood": {"great": 1.0, "dull": -1}},
    columns={"n": "number", "who": "category"},
    tf="binary",
    idf="smooth",
    norm="l2",
)
FRAME = {"text": TEXTS, "n": [1, 2, 3, 4], "who": ["a", "b", "a", "b"]}
GOOD = to_bytes(small().model_)


def rich_model():
    """A model with features of every kind and random weights."""
    features, X = fitted_features(RICH, as_documents(FRAME, RICH.columns), 1)
    W = np.random.default_rng(0).normal(size=(X.shape[1], 1)).astype(np.float32)
    calibrator = Temperature(2, 0.5)
    return TextModel(features, np.array(["neg", "pos"]), W, np.zeros(1), calibrator)


GOOD_RICH = to_bytes(rich_model())


def tampered(change, data=GOOD_RICH):
    """A good model with its arrays and metadata changed, under a right digest."""
    payload = data[HEADER:]
    arrays = {name: array.copy() for name, array in load_tensors(payload).items()}
    header = json.loads(payload[8 : 8 + int.from_bytes(payload[:8], "little")])
    metadata = json.loads(header["__metadata__"]["wordplane"])
    change(arrays, metadata)
    return sealed(save_tensors(arrays, {"wordplane": json.dumps(metadata)}))


def other_arrays(old, rng, n_places):
    """Arrays to put in the place of one: of other shapes or types, or with other values in some
    places."""
    others = [old[:-1], np.concatenate([old, old]), old.astype(np.float16), old[None]]
    extremes = [np.nan, np.inf, -1.0, 1e308]
    if old.dtype.kind in "iu":
        info = np.iinfo(old.dtype)
        extremes = [int(info.min), int(info.max), 0, 1]
    for at in rng.integers(0, old.size, n_places if old.size else 0).tolist():
        for extreme in extremes:
            other = old.copy()
            with np.errstate(all="ignore"):
                other.flat[at] = extreme
            others.append(other)
    return [np.ascontiguousarray(other) for other in others]

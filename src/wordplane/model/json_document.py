"""A fitted text model as a JSON document, complete and one feature per line.

    score of output k = intercept[k] + sum over features of value * weights[k]
                        (+ sum of chain.links[j][k] over the labels j before k with a score above 0)

Numbers are the shortest that give the same bits: weights when read as 32-bit floats, all
others as 64-bit. docs/convert.md says how a value comes from a text.
"""

import json
from collections.abc import Iterator

import wordplane
from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.common.types import JsonObject
from wordplane.model.text_model import TextModel

VERSION = 1


def json_lines(model: TextModel) -> Iterator[str]:
    """The lines of the document."""
    if not model.is_linear:
        what = "a label tree" if model.fasttext is None else "a model of fastText"
        raise InputError(f"{what} has no equal in the JSON document, which is a linear model")
    features = model.features
    head = {
        "format": "wordplane-model",
        "version": VERSION,
        "wordplane": wordplane.__version__,
        "unicode": _core.unicode_version,
        "classes": model.classes.tolist(),
        "intercept": model.b.tolist(),
        "calibration": None if model.calibrator is None else model.calibrator.to_dict(),
        "analyzer": features.spec.to_dict(),
        "groups": [
            {"name": name, "first": first, "weight": features.spec.group_weight(name)}
            for name, first in features.groups
        ],
        "training": model.training.to_dict(),
    }
    if model.chain is not None:
        head["chain"] = model.chain.to_dict()
    yield "{"
    for name, value in head.items():
        yield f"{json.dumps(name)}: {_json(value)},"
    yield '"features": ['
    for column in range(features.n_features):
        comma = "," if column + 1 < features.n_features else ""
        yield _json(_feature(model, column)) + comma
    yield "]}"


def _feature(model: TextModel, column: int) -> JsonObject:
    features = model.features
    # str() of a 32-bit float is the shortest that names it
    weights = [float(str(weight)) for weight in model.W[column]]
    entry: JsonObject = {"name": features.name(column), "weights": weights}
    dense = column - features.n_counted
    if dense < 0 and features.idf is not None:
        entry["idf"] = float(features.idf[column])
    if 0 <= dense < len(features.dense.numbers):
        entry["center"] = float(features.dense.center[dense])
        entry["scale"] = float(features.dense.scale[dense])
    pair = dense - len(features.dense.names)
    if pair >= 0:
        entry["pair"] = features.pairs[pair].tolist()
    return entry


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)

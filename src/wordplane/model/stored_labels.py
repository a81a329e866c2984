"""The classes of a model file: their type, and their values in order."""

import numpy as np

from wordplane.common.errors import InputError
from wordplane.common.labels import class_array
from wordplane.common.types import JsonObject, LabelArray
from wordplane.evaluation.number_intervals import KIND as NUMBER
from wordplane.model.stored_metadata import require

LABEL_TYPES = {"string": str, "integer": int, "boolean": bool}


def labels_to_json(classes: LabelArray) -> JsonObject:
    """The classes as JSON can hold them; a model of numbers has none."""
    values = classes.tolist()
    if not values:
        return {"type": NUMBER, "values": []}
    name = next(name for name, kind in LABEL_TYPES.items() if type(values[0]) is kind)
    return {"type": name, "values": values}


def labels_from_json(classes: object) -> LabelArray:
    """The inverse of `labels_to_json`; the classes are checked."""
    if classes == {"type": NUMBER, "values": []}:
        return np.array([], dtype=np.int64)
    if not isinstance(classes, dict):
        raise InputError("no classes")
    name, values = classes.get("type"), classes.get("values")
    if not (isinstance(name, str) and name in LABEL_TYPES and isinstance(values, list)):
        raise InputError("no classes")
    kind = LABEL_TYPES[name]
    require(all(type(value) is kind for value in values), "labels of another type than stated")
    require(len(values) >= 1 and values == sorted(set(values)), "classes not sorted")
    require(kind is not int or -(2**63) <= values[0] <= values[-1] < 2**63, "a label out of range")
    return class_array(values)

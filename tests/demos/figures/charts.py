"""What tests look at in charts, and a model to draw."""

import json
from itertools import chain

import numpy as np


def specs(chart):
    """The charts of one layer that a chart consists of, as dictionaries."""
    return list(_specs(chart.to_dict()))


def _specs(spec):
    parts = [part for key in ("layer", "hconcat", "concat") for part in spec.get(key, [])]
    return chain.from_iterable(map(_specs, parts)) if parts else [spec]


def rows(chart, *fields):
    """All data of a chart that have these fields."""
    every = [row for data in _data(chart.to_dict()) for row in data]
    return [row for row in every if set(fields) <= set(row)]


def _data(spec):
    """The data in a chart, those that several layers share once."""
    found = {}

    def visit(part):
        if isinstance(part, dict):
            if isinstance(part.get("data"), dict):
                data = part["data"].get("values", [])
                found[json.dumps(data)] = data
            for value in part.values():
                visit(value)
        elif isinstance(part, list):
            for value in part:
                visit(value)

    visit(spec)
    return list(found.values())


def legend(chart, channel):
    """The names in the legend of a channel."""
    for spec in specs(chart):
        domain = spec.get("encoding", {}).get(channel, {}).get("scale", {}).get("domain")
        if domain:
            return domain
    raise AssertionError(f"{channel} has no legend")


class FirstFeature:
    """z is the first feature: the tangents stand at -1 and 1."""

    classes_ = np.array(["a", "b"])

    def decision_function(self, X):
        return X[:, 0]

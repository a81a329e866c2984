"""Tests of wordplane.model.file and wordplane.model.golden: every value of a model file changed.

A file is refused with a ModelFileError, or it is a model that answers as before.
"""

import random

import numpy as np
import pytest

from tests.model.every_kind import (
    KINDS,
    OF_FASTTEXT,
    answers,
    changed,
    closed,
    every_kind,
    opened,
    places,
    same_answers,
    values_for,
)
from tests.model.model_files import other_arrays
from wordplane.common.errors import ModelFileError
from wordplane.model.file import from_bytes, to_bytes

USUAL = {"recipe", "nb", "several", "tree", "isotonic", "two.bin"}  # the others are slow together


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(name, marks=() if name in USUAL else pytest.mark.slow)
        for name in (*KINDS, *OF_FASTTEXT)
    ],
)
def kind(request):
    data = every_kind()[request.param]
    return request.param, data, answers(from_bytes(data))


def outcome(data, expected):
    """ "refused", "same", or what is wrong."""
    try:
        model = from_bytes(data)
    except ModelFileError as error:
        # The last net holds, but what falls into it was not checked.
        return str(error) if "it cannot be read (" in str(error) else "refused"
    except Exception as error:
        return repr(error)
    try:
        return "same" if same_answers(answers(model), expected) else "other answers"
    except Exception as error:
        return f"loaded, and then {error!r}"


def test_every_kind_is_loaded_as_it_was_saved(kind):
    _, data, _ = kind
    model = from_bytes(data)
    assert to_bytes(model, resumable=model.learner is not None) == data


def check(kind, pick):
    name, data, expected = kind
    arrays, metadata = opened(data)
    wrong, n = [], 0
    for path in places(metadata):
        old = metadata
        for key in path:
            old = old[key]
        for value in pick(values_for(old)):
            n += 1
            found = outcome(closed(arrays, changed(metadata, path, value)), expected)
            if found not in ("refused", "same"):
                wrong.append((name, path, value, found))
        n += 1
        found = outcome(closed(arrays, changed(metadata, path, None, remove=True)), expected)
        if found not in ("refused", "same"):
            wrong.append((name, path, "removed", found))
    assert n > 100
    assert wrong == []


@pytest.mark.slow
def test_a_value_in_every_place(kind):
    rng = random.Random(kind[0])
    check(kind, lambda values: rng.sample(values, 1))


@pytest.mark.soak
def test_every_value_in_every_place(kind):
    check(kind, lambda values: values)


@pytest.mark.slow
def test_arrays_of_other_values(kind):
    name, data, expected = kind
    arrays, metadata = opened(data)
    rng = np.random.default_rng(0)
    wrong = []
    for array in sorted(arrays):
        for other in other_arrays(arrays[array], rng, 3):
            changed_arrays = {**arrays, array: other}
            found = outcome(closed(changed_arrays, metadata), expected)
            # Golden rows have the strongest features, not all.
            if found not in ("refused", "same", "other answers"):
                wrong.append((name, array, found))
    assert wrong == []


def test_a_learner_inside_another_that_is_no_learner():
    arrays, metadata = opened(every_kind()["several"])
    assert metadata["learner"]["name"] == "one_vs_rest"
    for value in ("x", None, 3, [], {}, {"name": "x", "params": {}}):
        metadata["learner"]["params"]["learner"] = value
        with pytest.raises(ModelFileError, match=r"not a usable model: .*learner"):
            from_bytes(closed(arrays, metadata))


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("temperature", {"temperature": 1.05}),
        ("platt", {"a": [1.0, 1.0, 1.0]}),
        ("platt", {"b": [0.1, 0.0, 0.0]}),
        ("several", {"thresholds": [3.0, 0.0, 0.0]}),
        ("several", {"a": [1.0, 1.0, 5.0]}),
    ],
)
def test_another_calibration_is_refused(name, change):
    arrays, metadata = opened(every_kind()[name])
    assert set(change) < set(metadata["calibration"])
    metadata["calibration"] |= change
    with pytest.raises(ModelFileError, match=r"the (probabilities|labels) it gave when"):
        from_bytes(closed(arrays, metadata))


def test_every_point_of_an_isotonic_calibration_counts():
    arrays, metadata = opened(every_kind()["isotonic"])
    (points,) = metadata["calibration"]["p"]
    assert metadata["calibration"]["kind"] == "isotonic"
    passed = 0
    for i in range(len(points)):
        moved = points.copy()
        moved[i] = (points[i] + (points[i + 1] if i + 1 < len(points) else 1.0)) / 2
        if moved[i] - points[i] < 0.05:
            continue
        passed += 1
        other = changed(metadata, ("calibration", "p", 0), moved)
        with pytest.raises(ModelFileError):
            from_bytes(closed(arrays, other))
    assert passed > 0


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("rows", 1, "labels"), [True]),
        (("rows", 0, "labels"), None),
        (("rows", 0, "scores"), [True]),
        (("rows", 0, "scores"), ["0"]),
        (("rows", 0, "scores"), []),
        (("rows", 0, "probabilities"), [[0.5, 0.5], [0.5]]),
        (("calibration", "sets"), [False] * 5),
        (("calibration", "probabilities"), "x"),
    ],
)
def test_golden_rows_are_numbers(path, value):
    arrays, metadata = opened(every_kind()["nb"])
    assert metadata["golden"]["rows"][1]["labels"] == [1]
    with pytest.raises(ModelFileError, match="no golden rows"):
        from_bytes(closed(arrays, changed(metadata, ("golden", *path), value)))


def test_other_probabilities_of_rows_held_out_make_other_sets_and_are_refused():
    arrays, metadata = opened(every_kind()["nb"])
    held_out = metadata["training"]["true_probabilities"]
    metadata["training"]["true_probabilities"] = [value / 2 for value in held_out]
    with pytest.raises(ModelFileError, match="golden"):
        from_bytes(closed(arrays, metadata))

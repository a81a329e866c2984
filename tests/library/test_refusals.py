"""libwordplane refuses the files that wordplane.model.file refuses, and gives the answers of Python
where it does not; with native/library.

It does not read what only training needs: the training record, the learner and its state, and the
reference. Whatever is wrong with those does not change its answers.
"""

import json
import random
import zlib

import numpy as np
import pytest
from safetensors.numpy import save as save_tensors

from tests.library.library_models import content, library_answers, python_answers
from tests.model.every_kind import (
    TEXTS,
    changed,
    closed,
    every_kind,
    opened,
    places,
    values_for,
)
from tests.model.model_files import GOOD, other_arrays, sealed
from wordplane.common.errors import ModelFileError
from wordplane.model.file import HEADER, from_bytes

pytestmark = pytest.mark.slow
IGNORED = {"training", "learner", "reference", "wordplane", "unicode"}
KINDS = ("recipe", "nb", "bernoulli", "several", "chain", "platt", "isotonic", "fields", "hashed")
DEEP = "[" * 5000 + "]" * 5000
SUBSET = [*TEXTS[:4], "", "great of1 of2"]


def outcomes(data, load, example):
    """Whether Python and the library load it; both must then answer the same."""
    try:
        expected = from_bytes(data)
    except ModelFileError:
        expected = None
    try:
        found = load(data)
    except example.LibraryError as error:
        assert error.status in (2, 3), str(error)
        assert str(error)
        return expected is not None, False
    if expected is not None:
        documents = [(text,) * len(found.fields) for text in SUBSET]
        answers = library_answers(found, documents), python_answers(expected, documents)
        assert answers[0] == answers[1]
    return expected is not None, True


@pytest.mark.parametrize("kind", KINDS)
def test_a_value_in_every_place(kind, load, example):
    arrays, metadata = opened(every_kind()[kind])
    rng, n_refused, stricter = random.Random(kind), 0, []
    for path in places(metadata):
        old = metadata
        for key in path:
            old = old[key]
        for value, remove in ((rng.choice(values_for(old)), False), (None, True)):
            data = closed(arrays, changed(metadata, path, value, remove=remove))
            by_python, by_library = outcomes(data, load, example)
            n_refused += not by_library
            if path[0] not in IGNORED:
                assert by_python or not by_library, (path, value, remove)
            if by_python and not by_library:
                stricter.append((path, value, remove))
    assert n_refused > 100
    assert stricter == []


@pytest.mark.parametrize("kind", KINDS)
def test_arrays_of_other_values(kind, load, example):
    arrays, metadata = opened(every_kind()[kind])
    rng = np.random.default_rng(0)
    for name, old in arrays.items():
        if name.startswith(("state.", "reference.")):
            continue
        for other in other_arrays(old, rng, 4):
            data = closed({**arrays, name: other}, metadata)
            by_python, by_library = outcomes(data, load, example)
            assert by_python == by_library, (name, other)
    for name in arrays:
        data = closed({other: arrays[other] for other in arrays if other != name}, metadata)
        assert outcomes(data, load, example)[1] is False or name.startswith(("state.", "reference"))


def test_every_bit_of_the_header_and_some_of_the_rest(load, example):
    rng = random.Random(0)
    for at in [*range(8 * HEADER), *rng.sample(range(8 * HEADER, 8 * len(GOOD)), 300)]:
        data = bytearray(GOOD)
        data[at // 8] ^= 1 << at % 8
        assert outcomes(bytes(data), load, example) == (False, False)


@pytest.mark.parametrize("name", ["nb", "recipe", "packed"])
def test_bits_under_a_right_digest(name, load, example):
    data = content("packed") if name == "packed" else every_kind()[name]
    rng, documents = random.Random(1), [(text,) for text in SUBSET]
    expected = library_answers(load(data), documents)
    for _ in range(700):
        payload = bytearray(data[HEADER:])
        at = rng.randrange(8 * min(len(payload), 40_000))
        payload[at // 8] ^= 1 << at % 8
        by_python, by_library = outcomes(sealed(bytes(payload)), load, example)
        if by_library and not by_python:  # what only training needs
            assert library_answers(load(sealed(bytes(payload))), documents) == expected


def test_files_that_are_cut_off(load, example):
    rng = random.Random(2)
    for n in [*range(60), *rng.sample(range(60, len(GOOD)), 100)]:
        assert outcomes(GOOD[:n], load, example) == (False, False)
        payload = GOOD[HEADER:]
        assert outcomes(sealed(payload[: n % len(payload)]), load, example) == (False, False)
    assert outcomes(GOOD + b"x", load, example) == (False, False)


def repacked(payload, **options):
    stream = zlib.compressobj(**options)
    return b"WPZ1" + len(payload).to_bytes(8, "little") + stream.compress(payload) + stream.flush()


def test_everything_that_zlib_writes_is_unpacked(load, example):
    unpacked = zlib.decompress(content("packed")[HEADER + 12 :])
    for level in (0, 1, 6, 9):
        for strategy in (zlib.Z_DEFAULT_STRATEGY, zlib.Z_HUFFMAN_ONLY, zlib.Z_RLE, zlib.Z_FIXED):
            for bits in (9, 15):
                data = repacked(unpacked, level=level, strategy=strategy, wbits=bits)
                assert outcomes(sealed(data), load, example) == (True, True)
    good = repacked(unpacked)
    for wrong in (
        good[:-1],
        good + b"x",
        good[:4] + (len(unpacked) + 1).to_bytes(8, "little") + good[12:],
        good[:4] + (len(unpacked) - 1).to_bytes(8, "little") + good[12:],
        good[:4] + (1 << 60).to_bytes(8, "little") + good[12:],
        b"WPZ1",
    ):
        assert outcomes(sealed(wrong), load, example) == (False, False)


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace('"kind"', '"kind": "linear", "kind"', 1),
        lambda text: text.replace('"training": {', '"training": {"x": ' + DEEP + ","),
        lambda text: text + "x",
        lambda text: text.replace("{", "{,", 1),
        lambda text: text.replace('"unicode": "', '"unicode": "\\ud800'),
        lambda text: text.replace('"unicode": "', '"unicode": "\n'),
        lambda text: text.replace('"span": ', '"span": 0'),
        lambda text: text.replace('"span": ', '"span": NaN, "x": '),
        lambda text: text.replace('"span": ', '"span": 1e999, "x": '),
        lambda text: "",
        lambda text: "[]",
    ],
)  # fmt: skip
def test_metadata_that_are_not_json(change, load, example):
    arrays, metadata = opened(every_kind()["nb"])
    text = change(json.dumps(metadata))
    data = sealed(save_tensors(arrays, {"wordplane": text}))
    with pytest.raises(example.LibraryError):
        load(data)


def test_escapes_and_numbers_are_read_as_python_reads_them(load, example):
    arrays, metadata = opened(every_kind()["nb"])
    values = metadata["calibration"]
    for text in (
        json.dumps(metadata, ensure_ascii=False),
        json.dumps(metadata, indent=1),
        json.dumps(metadata).replace(repr(values["temperature"]), f"{values['temperature']:.40e}"),
        json.dumps(metadata).replace('"nb"', '"\\u006e\\u0062\\ud83d\\ude00\\/"'),
        json.dumps({**metadata, "training": {**metadata["training"]}}) + " \n\t",
    ):
        data = sealed(save_tensors(arrays, {"wordplane": text}))
        assert outcomes(data, load, example)[1]

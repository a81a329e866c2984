"""Tests of wordplane.common.tensor_file: safetensors reads what it writes."""

import json

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from safetensors import deserialize
from safetensors.numpy import load, save

from wordplane.common.tensor_file import DTYPES, tensor_bytes

ARRAYS = arrays(st.sampled_from(sorted(DTYPES)), array_shapes(max_dims=3, min_side=0))
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)


@given(st.dictionaries(TEXT.filter(lambda name: name != "__metadata__"), ARRAYS, max_size=5), TEXT)
def test_safetensors_reads_it_and_writes_the_same(given_arrays, text):
    data = tensor_bytes(given_arrays, {"wordplane": text})
    found = load(data)
    assert set(found) == set(given_arrays)
    for name, array in given_arrays.items():
        assert found[name].dtype == array.dtype
        assert found[name].shape == array.shape
        assert found[name].tobytes() == array.tobytes()
    header = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])
    assert header["__metadata__"] == {"wordplane": text}
    assert data == save(given_arrays, {"wordplane": text})


def test_every_array_is_aligned():
    data = tensor_bytes(
        {name: np.ones(3, name) for name in DTYPES} | {"a": np.ones(1, np.int8)}, {"x": "é"}
    )
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + size])
    assert size % 8 == 0
    for name, _ in deserialize(data):
        itemsize = np.dtype(name if name != "a" else "int8").itemsize
        assert header[name]["data_offsets"][0] % itemsize == 0


def test_an_array_of_another_order_in_memory_is_written_by_rows():
    array = np.arange(6.0).reshape(2, 3).T
    assert load(tensor_bytes({"x": array}, {}))["x"].tolist() == array.tolist()

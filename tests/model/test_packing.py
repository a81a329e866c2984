"""Tests of wordplane.model.packing; tests/model/test_format.py unpacks."""

import zlib

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from wordplane.model.packing import MAGIC, pack, pack_array

HEAD = len(MAGIC) + 8  # and the length of the payload
DTYPES = st.sampled_from(["uint8", "int8", "uint32", "int32", "int64", "float32", "float64"])


@given(arrays(DTYPES, array_shapes(max_dims=2, min_side=0)))
def test_type_and_shape_stay(array):
    packed = pack_array(array)
    assert (packed.dtype, packed.shape) == (array.dtype, array.shape)


def test_bytes_by_place():
    assert pack_array(np.array([[1.0, 2.0]])).tobytes() == bytes(12) + b"\xf0\0\x3f\x40"
    assert pack_array(np.array([258, 1], np.uint32)).tobytes() == b"\x02\xff\x01\xfe\0\xff\0\xff"


@given(st.binary(max_size=2000))
def test_bytes_come_back(payload):
    packed = pack(payload)
    assert packed[:HEAD] == MAGIC + len(payload).to_bytes(8, "little")
    assert zlib.decompress(packed[HEAD:]) == payload


def test_what_unpacks_out_of_proportion_is_not_packed():
    payload = bytes(1 << 26)
    assert pack(payload) == payload


def test_sorted_numbers_take_little():
    ends = np.cumsum(np.full(10_000, 7))
    assert len(pack(pack_array(ends).tobytes())) < 200 < len(pack(ends.tobytes()))

"""Tests of wordplane.model.packing: the same bytes again, or an error."""

from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from wordplane.common.errors import InputError
from wordplane.model.packing import HEAD, MAGIC, is_packed, pack, pack_array, unpack, unpack_array

DTYPES = st.sampled_from(["uint8", "int8", "uint32", "int32", "int64", "float32", "float64"])


@given(arrays(DTYPES, array_shapes(max_dims=2, min_side=0)))
def test_arrays_come_back_bit_by_bit(array):
    packed = pack_array(array)
    assert (packed.dtype, packed.shape) == (array.dtype, array.shape)
    assert unpack_array(packed).tobytes() == array.tobytes()


@given(st.binary(max_size=2000))
def test_bytes_come_back(payload):
    packed = pack(payload)
    assert is_packed(packed)
    assert unpack(packed) == payload


@given(st.binary(max_size=300))
def test_other_bytes_are_refused_or_unpacked(data):
    with suppress(InputError):
        assert isinstance(unpack(MAGIC + data), bytes)


@pytest.mark.parametrize(
    "damage, why",
    [
        (lambda data: data[:HEAD], "another length"),
        (lambda data: data[:9], "said to unpack to"),
        (lambda data: data[:-3], "another length"),
        (lambda data: data + b"x", "another length"),
        (lambda data: MAGIC + (2**60).to_bytes(8, "little") + data[HEAD:], "said to unpack to"),
        (lambda data: MAGIC + (99).to_bytes(8, "little") + data[HEAD:], "another length"),
        (lambda data: data[:HEAD] + b"\xff" + data[HEAD + 1 :], "cannot be unpacked"),
    ],
)
def test_damage_is_refused(damage, why):
    with pytest.raises(InputError, match=why):
        unpack(damage(pack(b"some words " * 50)))


def test_what_unpacks_out_of_proportion_is_not_packed():
    payload = bytes(1 << 26)
    assert pack(payload) == payload


def test_sorted_numbers_take_little():
    ends = np.cumsum(np.full(10_000, 7))
    assert len(pack(pack_array(ends).tobytes())) < 200 < len(pack(ends.tobytes()))

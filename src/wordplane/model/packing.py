"""Packed payloads of model files: the same arrays in fewer bytes.

    4 bytes   "WPZ1"
    8 bytes   length of the payload when it is unpacked, little-endian
    the rest  the payload, compressed by deflate (zlib, RFC 1950)

Inside, whole numbers of one dimension are differences to the number before them, modulo their
range, and the first bytes of all numbers of an array come first, then the second ones, and so on.
Sorted words, ends and columns then become runs of the same small bytes. The core unpacks them
(`native/model`).
"""

import zlib

import numpy as np
from numpy.typing import NDArray

MAGIC = b"WPZ1"
LEVEL = 6  # of zlib: 9 takes eight times as long for 1.5 % less
# The core unpacks so many times as much, besides the first bytes: memory stays in proportion to the
# file.
MAX_GROWTH, FREE_BYTES = 100, 1 << 24


def pack(payload: bytes) -> bytes:
    """A payload in fewer bytes; as it is if it could not be unpacked within the limits."""
    packed = MAGIC + len(payload).to_bytes(8, "little") + zlib.compress(payload, LEVEL)
    return packed if len(payload) <= _most(packed) else payload


def _most(packed: bytes) -> int:
    return FREE_BYTES + MAX_GROWTH * len(packed)


def pack_array(array: NDArray[np.generic]) -> NDArray[np.generic]:
    """An array of the same type and shape that compresses better.

    >>> pack_array(np.array([3, 1, 244], np.uint8)).tolist()
    [3, 254, 243]
    """
    if array.dtype.kind in "iu" and array.ndim == 1:
        array = np.diff(array, prepend=array.dtype.type(0))
    by_number = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
    by_place = np.ascontiguousarray(by_number.reshape(-1, array.dtype.itemsize).T)
    return by_place.reshape(-1).view(array.dtype).reshape(array.shape)

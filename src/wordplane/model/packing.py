"""Packed payloads of model files: the same arrays in fewer bytes.

    4 bytes   "WPZ1"
    8 bytes   length of the payload when it is unpacked, little-endian
    the rest  the payload, compressed by deflate (zlib, RFC 1950)

Inside, whole numbers of one dimension are differences to the number before them, modulo their
range, and the first bytes of all numbers of an array come first, then the second ones, and so on.
Sorted words, ends and columns then become runs of the same small bytes.
"""

import zlib

import numpy as np
from numpy.typing import NDArray

from wordplane.common.errors import InputError

MAGIC = b"WPZ1"
HEAD = len(MAGIC) + 8
LEVEL = 6  # of zlib: 9 takes eight times as long for 1.5 % less
# What is unpacked may be so many times as long, besides the first bytes: memory stays in proportion
# to the file.
MAX_GROWTH, FREE_BYTES = 100, 1 << 24


def is_packed(payload: bytes) -> bool:
    """Whether these bytes begin as packed ones do."""
    return payload.startswith(MAGIC)


def pack(payload: bytes) -> bytes:
    """A payload in fewer bytes; as it is if it could not be unpacked within the limits."""
    packed = MAGIC + len(payload).to_bytes(8, "little") + zlib.compress(payload, LEVEL)
    return packed if len(payload) <= _most(packed) else payload


def unpack(packed: bytes) -> bytes:
    """The payload again; an InputError if these bytes are not what `pack` made.

    >>> unpack(pack(b"a" * 100)) == b"a" * 100
    True
    """
    length = int.from_bytes(packed[len(MAGIC) : HEAD], "little")
    if len(packed) < HEAD or length > _most(packed):
        raise InputError(f"{len(packed):,} bytes that are said to unpack to {length:,}")
    unpacker = zlib.decompressobj()
    try:
        payload = unpacker.decompress(packed[HEAD:], length + 1)
    except zlib.error as error:
        raise InputError(f"bytes that cannot be unpacked ({error})") from None
    if len(payload) != length or not unpacker.eof or unpacker.unused_data:
        raise InputError("packed bytes of another length")
    return payload


def _most(packed: bytes) -> int:
    return FREE_BYTES + MAX_GROWTH * len(packed)


def pack_array(array: NDArray[np.generic]) -> NDArray[np.generic]:
    """An array of the same type and shape that compresses better."""
    if array.dtype.kind in "iu" and array.ndim == 1:
        array = np.diff(array, prepend=array.dtype.type(0))
    return _turn(np.ascontiguousarray(array), to_places=True)


def unpack_array(array: NDArray[np.generic]) -> NDArray[np.generic]:
    """The array that was packed.

    >>> unpack_array(pack_array(np.array([3, 1, 500], np.uint32)))
    array([  3,   1, 500], dtype=uint32)
    """
    array = _turn(array, to_places=False)
    if array.dtype.kind in "iu" and array.ndim == 1:
        array = np.cumsum(array, dtype=array.dtype)
    return array


def _turn(array: NDArray[np.generic], *, to_places: bool) -> NDArray[np.generic]:
    """Bytes by number turned to bytes by place in the number, or the other way round."""
    size = array.dtype.itemsize
    by = array.reshape(-1).view(np.uint8).reshape(*((-1, size) if to_places else (size, -1)))
    return np.ascontiguousarray(by.T).reshape(-1).view(array.dtype).reshape(array.shape)

"""Arrays and a few texts as bytes, in the format of safetensors.

    8 bytes    length of the header, little-endian
    header     JSON: of each array its type, its shape, and where it begins and ends in what follows
    the rest   the arrays one after another, those of large numbers first, so that all are aligned

The package safetensors writes texts in an order that changes, and ends the process if memory for
its copy is missing.
"""

import json
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

# From large numbers to small ones.
DTYPES = {
    "int64": "I64",
    "float64": "F64",
    "float32": "F32",
    "uint32": "U32",
    "int32": "I32",
    "int8": "I8",
    "uint8": "U8",
}


def tensor_bytes(arrays: Mapping[str, NDArray[np.generic]], texts: Mapping[str, str]) -> bytes:
    """The content of a file of these arrays and texts; it depends on nothing else.

    >>> data = tensor_bytes({"x": np.array([1.5, 2.0])}, {"by": "hand"})
    >>> data[8:-16].rstrip().decode()
    '{"__metadata__":{"by":"hand"},"x":{"dtype":"F64","shape":[2],"data_offsets":[0,16]}}'
    """
    places = {name: i for i, name in enumerate(DTYPES)}
    header: dict[str, object] = {"__metadata__": dict(texts)}
    parts: list[NDArray[np.generic]] = []
    end = 0
    for name in sorted(arrays, key=lambda name: (places[arrays[name].dtype.name], name)):
        array = np.ascontiguousarray(arrays[name])
        begin, end = end, end + array.nbytes
        dtype, shape = DTYPES[array.dtype.name], list(array.shape)
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [begin, end]}
        parts.append(array)
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-len(text) % 8)
    return b"".join([len(text).to_bytes(8, "little"), text, *(part.data for part in parts)])

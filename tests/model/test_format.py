"""Tests of native/model, which wordplane.model.file reads files by: from bytes to arrays and
metadata, or an error that says what is wrong."""

import hashlib
import json
import math
import sys
import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from tests.model.model_files import GOOD, GOOD_RICH, sealed
from wordplane import _core
from wordplane.common.errors import ModelFileError
from wordplane.common.tensor_file import DTYPES, tensor_bytes
from wordplane.model.file import from_bytes, read_parts
from wordplane.model.packing import MAGIC, pack, pack_array

HEAD = len(MAGIC) + 8  # of what is packed: also the length of the payload
ARRAYS = arrays(st.sampled_from(sorted(DTYPES)), array_shapes(max_dims=2, min_side=0))
NAMED = st.dictionaries(st.text("abc.é", min_size=1), ARRAYS, max_size=4)
TEXT = st.text(st.characters(exclude_categories=["Cs"]))
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT,
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(TEXT, inner, max_size=5),
    max_leaves=30,
)
PLAIN = {"x": np.arange(5, dtype=np.int32), "y": np.arange(6.0).reshape(2, 3)}


def read_document(document):
    return read_parts(sealed(tensor_bytes({}, {"wordplane": document})))[1]


def with_header(change, data=b"\0" * 24):
    """A file with the header of an array "x" of three float64, changed."""
    entry = {"dtype": "F64", "shape": [3], "data_offsets": [0, 24]}
    header = {"__metadata__": {"wordplane": "{}"}, "x": entry}
    text = json.dumps(change(header) or header).encode()
    return sealed(len(text).to_bytes(8, "little") + text + data)


def same(found, expected):
    assert set(found) == set(expected)
    for name, array in expected.items():
        assert (found[name].dtype, found[name].shape) == (array.dtype, array.shape)
        assert found[name].tobytes() == array.tobytes()


@given(NAMED)
def test_arrays_come_back_bit_by_bit(given_arrays):
    texts = {"wordplane": "{}"}
    same(read_parts(sealed(tensor_bytes(given_arrays, texts)))[0], given_arrays)
    packed = {name: pack_array(array) for name, array in given_arrays.items()}
    same(read_parts(sealed(pack(tensor_bytes(packed, texts))))[0], given_arrays)


@given(JSON)
def test_metadata_are_what_python_reads(value):
    for document in (json.dumps(value), json.dumps(value, ensure_ascii=False, indent=1)):
        found = read_document(document)
        assert found == value
        assert repr(found) == repr(value)  # True is no 1, and -0.0 no 0.0


@given(st.from_regex(r"\A-?(0|[1-9][0-9]{0,3})(\.[0-9]{1,8})?([eE][-+]?[0-9]{1,4})?\Z"))
def test_numbers_are_what_python_reads(text):
    expected = json.loads(text)
    if math.isfinite(float(expected)):
        assert repr(read_document(text)) == repr(expected)
    else:
        with pytest.raises(ModelFileError, match="a number is too large"):
            read_document(text)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0.1e400", None),
        (f"1{'0' * 400}e-50", None),
        ("1e99999999999999999999", None),
        ("1" + "0" * 400, None),
        (f"1{'0' * 400}e-100", 1e300),
        (f"0.{'0' * 400}1", 0.0),
        (f"-0.{'0' * 400}1e50", -0.0),
        (f"0.{'0' * 400}1e100", 1e-301),
        ("-1e-99999999999999999999", -0.0),
        ("4.9e-324", 5e-324),
        ("0e999", 0.0),
        ("123456789012345678901234567890", 123456789012345678901234567890),
    ],
)
def test_numbers_at_the_ends_of_the_range(text, value):
    if value is None:
        with pytest.raises(ModelFileError, match="the metadata cannot be read: a number is too"):
            read_document(text)
    else:
        assert repr(read_document(text)) == repr(value)


@pytest.mark.parametrize(
    ("document", "why"),
    [
        ("", "the metadata are missing"),
        (" ", "not JSON at byte 1"),
        ("[1,]", "not JSON at byte 3"),
        ("[1] x", "not JSON at byte 4"),
        ("{'a': 1}", "not JSON at byte 1"),
        ('"a', "not JSON at byte 2"),
        ('"\n"', "not JSON at byte 1"),
        ('"\\x"', "not JSON"),
        ('"\\ud800"', "not JSON"),
        ('"\\udc00\\ud800"', "not JSON"),
        ("[01]", "not JSON at byte 2"),
        ("1.", "not JSON"),
        ("-", "not JSON"),
        ("NaN", "not JSON"),
        ("Infinity", "not JSON"),
        ("\ufeff1", "not JSON at byte 0"),
        ('{"a": 1, "b": 2, "a": 1}', "a key is there twice"),
        ("[" * 102 + "]" * 102, "more than 100 levels"),
        ("[" * 100_000, "more than 100 levels"),
        ("[" + "0," * (1 << 22) + "0]", "too many values"),
    ],
)
def test_metadata_that_are_refused(document, why):
    with pytest.raises(ModelFileError, match=f"not a usable model: .*{why}"):
        read_document(document)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda h: h["x"].update(dtype="F16"), "of a type that no array of a model has"),
        (lambda h: h["x"].update(dtype=3), "each needs a dtype, a shape and two data_offsets"),
        (lambda h: h["x"].pop("shape") and None, "each needs a dtype"),
        (lambda h: h["x"].update(more=1), "each needs a dtype"),
        (lambda h: h["x"].update(data_offsets=[0, 24, 24]), "each needs a dtype"),
        (lambda h: h["x"].update(data_offsets=[0, -1]), "a size is not a whole number"),
        (lambda h: h["x"].update(data_offsets=[0, 2**64]), "a size is not a whole number"),
        (lambda h: h["x"].update(data_offsets=[0, 32]), "one is outside the payload"),
        (lambda h: h["x"].update(data_offsets=[24, 0]), "one is outside the payload"),
        (lambda h: h["x"].update(shape=[2]), "one has another size than its shape"),
        (lambda h: h["x"].update(shape=[3.0]), "a size is not a whole number"),
        (lambda h: h["x"].update(shape=[2**40, 2**40]), "a shape is too large"),
        (lambda h: h["x"].update(shape=[2], data_offsets=[8, 24]), "bytes of two of them, or of n"),
        (lambda h: h["x"].update(shape=[2], data_offsets=[0, 16]), "bytes behind the last"),
        (lambda h: h.update(y=h["x"]), "bytes of two of them, or of none"),
        (lambda h: h.pop("__metadata__") and None, "the metadata are missing"),
        (lambda h: h.update(__metadata__={}), "the metadata are not one text"),
        (lambda h: h.update(__metadata__={"wordplane": 3}), "the metadata are not one text"),
        (lambda h: h.update(__metadata__={"wordplane": "", "x": ""}), "are not one text"),
        (lambda h: [h], "their header is not an object"),
    ],
)  # fmt: skip
def test_headers_that_are_refused(change, why):
    assert read_parts(with_header(lambda header: None))[0]["x"].tolist() == [0, 0, 0]
    with pytest.raises(ModelFileError, match=f"not a usable model: arrays cannot be read: .*{why}"):
        read_parts(with_header(change))


def test_payloads_that_are_cut_off():
    payload = tensor_bytes(PLAIN, {"wordplane": "{}"})
    for n in range(len(payload)):
        with pytest.raises(ModelFileError, match="not a usable model: "):
            read_parts(sealed(payload[:n]))
    packed = pack(payload)
    for n in range(len(MAGIC), len(packed)):
        with pytest.raises(ModelFileError, match="not a usable model: "):
            read_parts(sealed(packed[:n]))


def test_arrays_that_are_not_aligned():
    header = with_header(lambda header: None, np.arange(3.0).tobytes())
    assert read_parts(header)[0]["x"].tolist() == [0, 1, 2]
    for spaces in range(8):
        text = json.dumps({"__metadata__": {"wordplane": "{}"}, "x": {"dtype": "F64", "shape": [3],
                          "data_offsets": [0, 24]}}).encode() + b" " * spaces  # fmt: skip
        data = sealed(len(text).to_bytes(8, "little") + text + np.arange(3.0).tobytes())
        assert read_parts(data)[0]["x"].tolist() == [0, 1, 2]


@pytest.mark.parametrize("n", [*range(130), 247, 248, 255, 256, 257, 311, 312, 320, 1000, 100_003])
def test_the_digest_is_sha_256(n):
    payload = b"{" + bytes(range(256)) * (n // 256) + bytes(n % 256)
    data = sealed(payload)
    assert data[8:40] == hashlib.sha256(data[40:]).digest()
    assert _core.ModelFile(data).is_intact()
    for at in {8, 39, 40, len(data) // 2 + 24, len(data) - 1}:
        damaged = data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]
        assert not _core.ModelFile(damaged).is_intact()
        with pytest.raises(ModelFileError, match="damaged: it is not what its SHA-256"):
            from_bytes(damaged)
    longer = data[40:48] + payload + b"x"
    assert not _core.ModelFile(data[:8] + hashlib.sha256(longer).digest() + longer).is_intact()


@pytest.mark.parametrize(
    ("damage", "why"),
    [
        (lambda data: data[:HEAD], "cannot be unpacked"),
        (lambda data: data[:9], "cut off"),
        (lambda data: data[:-3], "cannot be unpacked"),
        (lambda data: data + b"x", "cannot be unpacked"),
        (lambda data: MAGIC + (2**60).to_bytes(8, "little") + data[HEAD:], "to too many"),
        (lambda data: MAGIC + (99).to_bytes(8, "little") + data[HEAD:], "cannot be unpacked"),
        (lambda data: data[:HEAD] + b"\xff" + data[HEAD + 1 :], "cannot be unpacked"),
    ],
)
def test_damaged_packed_payloads_are_refused(damage, why):
    packed = pack(tensor_bytes(PLAIN, {"wordplane": '"' + "some words " * 50 + '"'}))
    read_parts(sealed(packed))
    with pytest.raises(ModelFileError, match=f"not a usable model: .*{why}"):
        read_parts(sealed(damage(packed)))


@given(st.binary(max_size=300))
def test_other_packed_bytes_are_refused(data):
    with pytest.raises(ModelFileError, match="not a usable model: "):
        read_parts(sealed(MAGIC + data))


@given(st.binary(max_size=3000), st.integers(0, 9), st.integers(9, 15))
def test_all_that_zlib_packs_is_unpacked(bits, level, window):
    values = np.frombuffer(bits, np.uint8)
    payload = tensor_bytes({"x": pack_array(values)}, {"wordplane": "{}"})
    stream = zlib.compressobj(level, wbits=window)
    packed = MAGIC + len(payload).to_bytes(8, "little") + stream.compress(payload) + stream.flush()
    same(read_parts(sealed(packed))[0], {"x": values})


def test_a_model_does_not_keep_the_content_of_its_file():
    for good in (GOOD, GOOD_RICH):
        data = bytes(bytearray(good))
        before = sys.getrefcount(data)
        model = from_bytes(data)
        assert sys.getrefcount(data) == before
        assert model.W.flags.writeable

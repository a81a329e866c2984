"""Tests of wordplane.data.vectors."""

import pickle

import numpy as np
import pytest

from wordplane.common.errors import InputError
from wordplane.data.read import read_batches
from wordplane.data.vectors import as_vectors, load_vectors


def test_batches_take_their_own_rows(tmp_path) -> None:
    vectors = np.random.default_rng(1).normal(size=(80, 3))
    path = tmp_path / "d.txt"
    path.write_text("\n".join(["a b", "c"] * 40))
    parts = list(read_batches(path, batch_size=7, vectors=vectors))
    assert len(parts) == 12
    np.testing.assert_array_equal(np.vstack([part.vectors["vectors"] for part in parts]), vectors)
    with pytest.raises(InputError, match="90 rows for 80 texts"):
        list(read_batches(path, batch_size=7, vectors=np.zeros((90, 2))))


@pytest.mark.parametrize(
    ("values", "why"),
    [
        ([[1.0, 2.0], [1.0]], "row 2: .*has 1 numbers, but the first has 2"),
        ([[1.0, 2.0], None], "row 2: .*is None, expected lists of numbers"),
        ([[1.0, 2.0], "[1, 2]"], "expected lists of numbers"),
        ([[1.0, 2.0], ["1", "2"]], "expected lists of numbers"),
        ([[1.0, 2.0], [[1.0], [2.0]]], "expected lists of numbers"),
        ([[1.0, 2.0], [1.0, None]], "expected lists of numbers"),
        ([[1.0, 2.0], [True, False]], "expected lists of numbers"),
        ([[1.0, 2.0], [float("nan"), 1.0]], "row 2: .*number nan"),
        (np.array([[1.0], [np.inf]]), "row 2: .*number inf"),
        ([[1.0, 2.0], [1e31, 1.0]], "at most 1e\\+30"),
        ([[], []], "no numbers"),
        ([[1.0, 2.0]], "1 rows for 2 texts"),
    ],
)
def test_bad_vectors_are_refused(values, why) -> None:
    with pytest.raises(InputError, match=why):
        as_vectors("v", values, 2)


def test_a_pickle_is_never_loaded(tmp_path) -> None:
    class Evil:
        def __reduce__(self):
            return (tmp_path / "ran").touch, ()

    np.save(tmp_path / "evil.npy", np.array([Evil()], dtype=object), allow_pickle=True)
    with pytest.raises(InputError, match="cannot be read as an"):
        load_vectors(str(tmp_path / "evil.npy"))
    (tmp_path / "plain.npy").write_bytes(pickle.dumps(Evil()))
    with pytest.raises(InputError, match="cannot be read as an"):
        load_vectors(str(tmp_path / "plain.npy"))
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("array", [np.zeros(3), np.zeros((2, 2, 2)), np.array([["a"]]), None])
def test_other_files_are_refused(array, tmp_path) -> None:
    path = tmp_path / "v.npy"
    if array is None:
        path.write_bytes(b"\x93NUMPY\x01\x00")
    else:
        np.save(path, array)
    with pytest.raises(InputError, match="npy"):
        load_vectors(str(path))
    with pytest.raises(InputError, match="no such file"):
        load_vectors(str(tmp_path / "none.npy"))

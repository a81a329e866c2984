import gc

import numpy as np
import pytest

from wordplane.common.matrix import as_csr
from wordplane.scale.disk_arrays import DiskArrays, Store
from wordplane.scale.rows_in_memory import RowsInMemory


def block(folder, number):
    return Store(str(folder)).of("rows").keep(np.full(100, number, np.float64))


def rows_of(number):
    return lambda: as_csr([[float(number)]])


def test_rows_are_made_once(tmp_path):
    rows, kept = RowsInMemory(1e4), block(tmp_path, 1)
    X = rows.get(kept, "plain", rows_of(1))
    assert rows.get(kept, "plain", pytest.fail) is X


def test_another_form_is_not_mistaken_for_the_one_that_is_kept(tmp_path):
    rows, kept = RowsInMemory(1e4), block(tmp_path, 1)
    plain = rows.get(kept, "plain", rows_of(1))
    binary = rows.get(kept, "binary", rows_of(2))
    assert binary is not plain
    assert rows.get(kept, "binary", pytest.fail) is binary


def test_what_there_is_no_room_for_is_made_each_time_and_the_first_stays(tmp_path):
    rows = RowsInMemory(1000)  # one block of 800 bytes
    first, second = block(tmp_path, 1), block(tmp_path, 2)
    X = rows.get(first, "plain", rows_of(1))
    Y = rows.get(second, "plain", rows_of(2))
    assert rows.get(second, "plain", rows_of(2)) is not Y
    assert rows.get(first, "plain", pytest.fail) is X


def test_rows_go_with_their_block_and_make_room(tmp_path):
    rows = RowsInMemory(1000)
    first, second = block(tmp_path, 1), block(tmp_path, 2)
    rows.get(first, "plain", rows_of(1))
    del first
    gc.collect()
    Y = rows.get(second, "plain", rows_of(2))
    assert rows.get(second, "plain", pytest.fail) is Y


def test_a_block_that_travelled_is_another_one(tmp_path):
    rows, kept = RowsInMemory(1e4), block(tmp_path, 1)
    X = rows.get(kept, "plain", rows_of(1))
    moved = DiskArrays(kept.read(), None, [("<f8", (100,))], False)
    assert rows.get(moved, "plain", rows_of(1)) is not X

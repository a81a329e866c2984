"""Feedback that was acknowledged survives a power cut at any moment.

Tests of wordplane.serving.feedback.
"""

import shutil
import sys
from contextlib import closing

import pytest

from tests.power_cut import VARIANTS, Replay, record
from wordplane.serving.feedback import open_store

PROGRAM = """
import sys
from wordplane.serving.feedback import INSERT, open_store, prepare_store

prepare_store(sys.argv[1])
store = open_store(sys.argv[1])
for number in range(6):
    with store:  # as Feedback.append does it
        store.execute(INSERT, (number, "m", "d", None, "text " * 500, "1", "1", 0.5, None))
    print(number, flush=True)
store.close()
"""


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")
def test_acknowledged_feedback_survives_a_power_cut_at_any_moment(tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    replay, n_moments, most = Replay(folder), 0, 0
    for call in record([sys.executable, "-c", PROGRAM, folder / "store"], tmp_path / "log"):
        if not replay.play(call):
            continue
        n_moments += 1
        for variant in VARIANTS:
            found = tmp_path / f"{n_moments}-{variant}"
            replay.write(found, variant, n_moments)
            with closing(open_store(str(found / "store"))) as store:
                assert store.execute("PRAGMA integrity_check").fetchone() == ("ok",)
                rows = store.execute("SELECT time, length(text) FROM feedback").fetchall()
            assert rows == [(number, 2500) for number in range(len(rows))]
            assert len(rows) >= len(replay.said.split()), (n_moments, variant)
            most = max(most, len(rows))
            shutil.rmtree(found)
    assert n_moments > 40
    assert most == 6

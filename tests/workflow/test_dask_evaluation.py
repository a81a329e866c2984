"""Tests of wordplane.workflow.dask_evaluation without Dask; tests/scale has those with workers."""

import numpy as np

from wordplane import TextClassifier
from wordplane.scale.disk_arrays import Store
from wordplane.workflow.dask_evaluation import ScoredRows, pick_texts, score_file, without_texts

ROWS = [
    ("great fun", "good", "test"),
    ("dull film", "bad", "train"),
    ("great film", "good", "test"),
]


def test_files_are_scored_one_by_one_and_joined(tmp_path):
    texts, labels = [text for text, _, _ in ROWS] * 5, [label for _, label, _ in ROWS] * 5
    model = TextClassifier(learner="nb", n_jobs=2).fit(texts, labels)
    lines = ["text,label,split", *(",".join(row) for row in ROWS), ""]
    (tmp_path / "a.csv").write_text("\n".join(lines))
    store, path = Store(str(tmp_path), "texts"), str(tmp_path / "a.csv")
    whole = ScoredRows()
    for rows, expected in ((None, [0, 1, 2]), ("test", [0, 2])):
        scored = score_file(model, store, path, rows, {"require_label": True})
        chosen = [ROWS[i] for i in expected]
        assert scored.labels == [label for _, label, _ in chosen]
        np.testing.assert_array_equal(
            np.concatenate(scored.scores), model.decision_function([text for text, _, _ in chosen])
        )
        assert len(pick_texts(scored, 0).read()) > 0 and without_texts(scored).texts == []
        whole.join(scored)
    assert whole.sizes == [3, 2] and len(whole.labels) == 5 and model.n_jobs == 2

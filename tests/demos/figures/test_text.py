"""Slots of features, and Zipf's law."""

import numpy as np
import pytest

from wordplane.common.errors import InputError
from wordplane.demos.figures import (
    feature_slots,
    zipf,
)

from .charts import rows


def test_the_slot_of_a_label_holds_the_bag_of_words():
    counts = {"aardvark": 0, "best": 1, "was": 2}
    chart = feature_slots(counts, ["Fiction", "News", "Gossip"], "News")
    cells = rows(chart, "value")
    assert [cell["value"] for cell in cells[:4]] == [0, 1, 2, 1]  # x, the offset last
    f = [cell["value"] for cell in sorted(cells[4:], key=lambda cell: cell["y"])]
    assert f == [0, 0, 0, 0, 0, 1, 2, 1, 0, 0, 0, 0]  # (V + 1) K = 12 places
    filled = [cell["opacity"] > 0 for cell in cells[4:]]
    assert filled == [False] * 4 + [True] * 4 + [False] * 4
    texts = {row["text"] for row in rows(chart, "text")}
    assert {"<OFFSET>", "aardvark", "y = Gossip", "f(x, y = News)", "x"} <= texts
    with pytest.raises(InputError, match="'Sports'"):
        feature_slots(counts, ["News"], "Sports")


def test_zipf_sorts_and_thins():
    words = zipf(np.arange(1, 10_001)).data.values
    assert words[0] == {"rank": 1, "count": 10_000, "law": 10_000}
    assert words[-1]["count"] == 1 and len(words) <= 300

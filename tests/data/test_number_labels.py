import numpy as np
import polars as pl
import pytest

import wordplane
from wordplane.common.errors import InputError
from wordplane.data.number_labels import NumberLabelsError, are_numbers


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ([f"{n / 7:.2f}" for n in range(200)], True),  # prices
        (["1", "2", "3", "4", "5"] * 40, False),  # stars
        ([str(n / 2) for n in range(1, 11)] * 20, False),  # half stars
        ([str(n) for n in range(77)] * 20, False),  # classes that have numbers
        (list(range(1, 150)), True),  # each once: not classes
        (["nan"] * 30 + [str(n / 3) for n in range(50)], False),
        (["spam", "ham"] * 30, False),
        ([], False),
    ],
)
def test_which_labels_look_like_numbers_to_predict(labels, expected):
    assert are_numbers(labels) is expected


@pytest.fixture
def prices(tmp_path):
    rng = np.random.default_rng(0)
    rows = [(f"a house with {n} rooms", f"{100 * n + rng.random():.2f}") for n in range(1, 61)]
    frame = pl.DataFrame(rows, schema=["text", "label"], orient="row")
    frame.write_csv(tmp_path / "prices.csv")
    frame.cast({"label": pl.Float64}).write_parquet(tmp_path / "prices.parquet")
    return tmp_path


def test_numbers_are_not_taken_for_classes_unless_that_is_said(prices):
    with pytest.raises(NumberLabelsError, match=r"'label' has 60 numbers, such as") as caught:
        wordplane.train(prices / "prices.csv")
    assert caught.value.remedies == ({"target": "label"}, {"label": "label"})
    on_purpose = wordplane.train(prices / "prices.csv", label="label", test=False, learner="nb")
    assert len(on_purpose.model.classes_) == 60
    with pytest.raises(InputError, match=r"train with `target='label'`"):
        wordplane.train(prices / "prices.parquet")
    frame = pl.read_parquet(prices / "prices.parquet")
    with pytest.raises(InputError, match="`TextRegressor` learns to predict numbers"):
        wordplane.train(frame["text"].to_list(), frame["label"].to_list())

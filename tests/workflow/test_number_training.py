"""Tests of wordplane.workflow.number_training, wordplane.workflow.number_evaluation and
wordplane.workflow.numbers."""

import json

import numpy as np
import polars as pl
import pytest

import wordplane
from wordplane.cli import main
from wordplane.common.errors import InputError

WORTH = {"great": 2.0, "superb": 3.0, "dull": -2.0, "boring": -3.0, "film": 0.0, "long": -0.5}


def frame_of(n, seed=0):
    rng = np.random.default_rng(seed)
    words = rng.choice(list(WORTH), size=(n, 6))
    y = np.array([sum(WORTH[word] for word in row) for row in words]) + 0.3 * rng.normal(size=n)
    return pl.DataFrame(
        {
            "text": [" ".join(row) for row in words],
            "score": y.round(2),
            "author": (np.arange(n) // 4).astype(str),
            "pages": rng.integers(1, 9, n),
        }
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("numbers")
    frame_of(600).write_csv(folder / "train.csv")
    frame_of(300, seed=1).write_csv(folder / "test.csv")
    assert main(["train", str(folder / "train.csv"), "--target", "score",
                 "-o", str(folder / "m.wordplane"), "--quiet"]) == 0  # fmt: skip
    return folder


def run(capsys, *arguments, code=0):
    assert main([str(word) for word in arguments]) == code
    return capsys.readouterr()


def test_train_says_how_good_numbers_are(folder, capsys):
    shown = run(capsys, "train", folder / "train.csv", "--target", "score", "-o",
                folder / "again.wordplane").out  # fmt: skip
    for heading in ("tested    on 60 texts held out", "MAE", "RMSE", "R2", "Spearman", "interval"):
        assert heading in shown
    assert (folder / "again.wordplane").read_bytes() == (folder / "m.wordplane").read_bytes()


def test_evaluate_measures_errors_and_coverage(folder, capsys):
    result = wordplane.evaluate(folder / "m.wordplane", folder / "test.csv", set_confidence=0.9)
    assert result.scores.mae < 0.5 < 0.9 < result.scores.spearman
    assert result.covered.interval[0] - 0.1 <= 0.9 <= result.covered.interval[1] + 0.1
    errors = np.abs(result.mistakes["number"] - result.mistakes["predicted"])
    assert errors.is_sorted(descending=True)
    arguments = "evaluate", folder / "m.wordplane", folder / "test.csv", "--json"
    shown = json.loads(run(capsys, *arguments).out)
    assert shown["mae"] == pytest.approx(result.scores.mae)
    assert shown["spearman_interval"][0] < shown["spearman"] < shown["spearman_interval"][1]
    said = run(capsys, *arguments, "--by", "author", code=2).err
    assert "--by is for labels, and the model predicts numbers" in said


def test_predict_gives_numbers_and_intervals(folder, capsys):
    out = run(capsys, "predict", folder / "m.wordplane", folder / "test.csv", "--set-confidence",
              "0.9", "--explain", "1").out.splitlines()  # fmt: skip
    assert out[0] == "id,number,low,high,words,contributions"
    assert len(out) == 301
    number, low, high = map(float, out[1].split(",")[1:4])
    model = wordplane.load(folder / "m.wordplane")
    text = frame_of(300, seed=1)["text"][0]
    assert number == pytest.approx(model.predict([text])[0], abs=1e-6)
    assert [low, high] == pytest.approx(model.predict_interval([text], 0.9)[0], abs=1e-6)
    assert wordplane.predict(model, [text, ""])["number"][1] is None  # empty
    err = run(capsys, "predict", folder / "m.wordplane", folder / "test.csv", "--top-k", "2",
              code=2).err  # fmt: skip
    assert "--top-k is for labels, and the model predicts numbers" in err


def test_explain_and_inspect(folder, capsys):
    out = run(capsys, "explain", folder / "m.wordplane", "a superb but long film").out
    assert out.startswith("number    ") and "90% interval" in out and "superb" in out
    shown = json.loads(run(capsys, "explain", folder / "m.wordplane", "superb", "--json").out)
    added = sum(word["value"] for word in shown["words"])
    assert added + shown["bias"] == pytest.approx(shown["number"])
    out = run(capsys, "inspect", folder / "m.wordplane").out
    assert "predicts  score, a number" in out and "  higher: superb" in out
    table = wordplane.explain(wordplane.load(folder / "m.wordplane"), ["superb film", "dull film"])
    assert [(one.label, one.n_texts) for one in table.labels] == [("score", 2)]


@pytest.mark.parametrize("verb", ["edit", "update", "unlearn", "check"])
def test_other_verbs_refuse_numbers_in_one_sentence(folder, capsys, verb):
    more = {"edit": ["--forbid", "film", "-o", folder / "e.wordplane"]}.get(verb, [])
    data = [] if verb == "check" else [folder / "train.csv"]
    if verb == "check":
        (folder / "tests.toml").write_text('[[test]]\nname = "x"\n')
        data = [folder / "tests.toml"]
    err = run(capsys, verb, folder / "m.wordplane", *data, *more, code=2).err
    assert "predicts numbers" in err and len(err.strip().splitlines()) == 1


def test_columns_groups_and_losses(folder):
    result = wordplane.train(
        folder / "train.csv", target="score", group="author", extra=["pages"],
        params={"loss": "huber", "alpha": 0.1}, analyzer={"ngrams": (1, 1)},
    )  # fmt: skip
    assert "held out in whole groups" in result.tested_on
    assert result.model.training_.chosen["alpha"] == 0.1
    assert "pages" in result.model.model_.features.spec.columns.kinds
    assert result.to_dict()["scores"]["mae"] < 1
    row = frame_of(5, seed=2)
    assert len(result.model.predict(row)) == 5
    assert wordplane.evaluate(result.model, frame_of(50, seed=2)).scores.n == 50


def test_evaluate_takes_texts_and_numbers(folder):
    model, frame = wordplane.load(folder / "m.wordplane"), frame_of(80, seed=2)
    texts, numbers = frame["text"].to_list(), frame["score"].to_list()
    result = wordplane.evaluate(model, texts, numbers, groups=frame["author"].to_list())
    assert result.scores.mae == np.abs(model.predict(texts) - numbers).mean()
    with pytest.raises(InputError, match="80 texts and 2 numbers"):
        wordplane.evaluate(model, texts, [1.0, 2.0])


def test_rows_marked_test_are_measured(folder):
    marks = pl.Series("split", ["train"] * 500 + ["test"] * 100)
    result = wordplane.train(frame_of(600).with_columns(marks), target="score")
    assert (result.scores.n, result.n_train) == (100, 500)
    assert result.tested_on == "marked test, never trained on"


@pytest.mark.parametrize(
    ("options", "said"),
    [({"learner": "svm"}, "`learner` is for labels"), ({"tune": True}, "`tune` is for labels"),
     ({"params": {"C": 1}}, "there is no parameter C, but loss, alpha, quantile"),
     ({"label": "author"}, "`label` is for labels"), ({"report": "x.html"}, "`unlabeled` nor"),
     ({"target": "missing"}, "has no column 'missing'"),
     ({"extra": ["score"]}, "both `target` and `extra`")],
)  # fmt: skip
def test_refuses(folder, options, said):
    with pytest.raises(InputError, match=said):
        wordplane.train(folder / "train.csv", **{"target": "score", **options})


def test_values_that_are_no_numbers_are_located(tmp_path):
    path = tmp_path / "a.csv"
    for value, said in (("n/a", "row 2: the value in column 'score' .* is 'n/a'"), ("", "row 2")):
        path.write_text(f"text,score\na good film,1.5\nb,{value}\nc,2.5\n")
        with pytest.raises(InputError, match=said):
            wordplane.train(path, target="score")
    with pytest.raises(InputError, match=r"TextRegressor\(\).fit"):
        wordplane.train(["a", "b"], [1.0, 2.0], target="score")


def test_prices_are_read_as_people_write_them(tmp_path):
    frame = frame_of(60).select("text", pl.col("score") + 1000)
    prices = [f"{x:,.2f} €".translate(str.maketrans(",.", ".,")) for x in frame["score"]]
    written = frame.with_columns(score=pl.Series(prices))
    plain = wordplane.train(frame, target="score")
    result = wordplane.train(written, target="score")
    assert result.scores == plain.scores
    shown = max(prices, key=len)
    assert f"column 'score': '{shown}' is read as {plain_number(shown)}" in result.notes
    model = result.model
    assert wordplane.evaluate(model, written).scores == wordplane.evaluate(model, frame).scores

    def message(prices):
        with pytest.raises(InputError) as caught:
            wordplane.train(frame.with_columns(score=pl.Series(prices)), target="score")
        return str(caught.value)

    assert "could be 1.234 or 1234; write numbers such as 1234.5" in message(["1.234 €"] * 60)
    assert "row 59: the value in column 'score' (`target`) is 'free'" in message(
        [*prices[:59], "free"]
    )
    for value in ("nan", "inf", ""):
        assert f"row 59: the value in column 'score' (`target`) is '{value}'" in message(
            ["1.5"] * 59 + [value]
        )


def test_points_that_may_stand_between_thousands_are_not_passed_over():
    frame = frame_of(60)

    def with_scores(*scores):
        return frame.with_columns(score=pl.Series(scores * (60 // len(scores))))

    with pytest.raises(
        InputError, match=r"'1\.234' could be 1\.234 or 1234; write numbers such as"
    ):
        wordplane.train(with_scores("999", "1.234", "1.000"), target="score")
    for numbers, shown in ((("1.500", "12.250"), "'12.250' is read as 12.25"),
                           (("0.500", "1.250", "2"), ""), (("1.250", "1500"), "")):  # fmt: skip
        notes = [str(note) for note in wordplane.train(with_scores(*numbers), target="score").notes]
        said = [note for note in notes if "is read as" in note]
        assert said == ([f"column 'score': {shown}"] if shown else [])


def test_large_numbers_are_shown_in_full(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    frame_of(60).with_columns(pl.col("score") * 20_000 - 40_000).write_csv("d.csv")
    shown = run(capsys, "train", "d.csv", "--target", "score", "-o", "m.wordplane").out
    shown += run(capsys, "evaluate", "m.wordplane", "d.csv").out
    explained = run(capsys, "explain", "m.wordplane", "some text").out
    assert "e+0" not in shown + explained
    adds = explained.split("\n\n")[2].splitlines()
    assert len({line.index("  ", len(line) - len(line.lstrip())) for line in adds}) == 1


def plain_number(price):
    return f"{float(price[:-2].replace('.', '').replace(',', '.')):.15g}"


def test_a_model_that_is_no_better_than_the_median_is_not_praised(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    frame = frame_of(200)
    far_off = pl.Series([10_000.0 if row % 40 == 3 else 0.0 for row in range(200)])
    frame.with_columns(score=pl.col("score") + far_off).write_csv("prices.csv")
    shown = run(capsys, "train", "prices.csv", "--target", "score")
    assert "warning   MAE is no better than always the median" in shown.out
    assert "  wordplane train prices.csv --target score --param loss=quantile\n" in shown.err
    shown = run(capsys, "train", "prices.csv", "--target", "score", "--param", "loss=quantile",
                "--force")  # fmt: skip
    assert "warning" not in shown.out
    assert "loss=quantile" not in shown.err

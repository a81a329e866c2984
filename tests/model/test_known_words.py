"""How much of a text a model knows, and which texts are unlike those that it was trained on."""

import json
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import wordplane
from wordplane import Analyzer, TextClassifier
from wordplane.cli import main
from wordplane.common.errors import InputError
from wordplane.model.known_words import known_words_of, least_known
from wordplane.model.training_record import Training

WORDS = ["good", "bad", "film", "not", "long", "plot", "dull", "fun"]


def reviews(n=400, seed=0):
    """Texts of common words, and in some of them a word of their own."""
    rng = np.random.default_rng(seed)
    texts = [
        " ".join([*rng.choice(WORDS, 9), f"own{i}" if i % 2 else rng.choice(WORDS)])
        for i in range(n)
    ]
    return texts, ["a" if "good" in text else "b" for text in texts]


TEXTS = st.lists(
    st.lists(st.sampled_from([*WORDS, "new", "other", ",", "."]), max_size=8).map(" ".join),
    min_size=1,
    max_size=6,
)


@settings(max_examples=40)
@given(TEXTS, TEXTS, st.booleans(), st.integers(1, 2))
def test_shares_are_counted_word_by_word(trained, asked, negation, min_df):
    """A word is known if a kept feature contains it, negated or not."""
    trained = [*trained, "good film", "bad film"] * 2  # an even number, twice
    analyzer = Analyzer(ngrams=(1, 1), negation=negation, min_df=min_df)
    labels = ["a", "b"] * (len(trained) // 2)
    model = TextClassifier(analyzer, "nb", calibration=None).fit(trained, labels)
    names = {
        name.removeprefix("NOT_") for name in model.model_.features.vocabularies["words"].names()
    }
    expected = []
    for text in asked:
        words = Counter(text.split())
        known = sum(n for word, n in words.items() if word in names)
        expected.append(known / words.total() if words else 0.0)
    assert np.allclose(model.knowledge(asked).known, expected)
    words, unknown = known_words_of(model.model_.features).count(asked)
    assert words == sum(len(text.split()) for text in asked)
    lengths = [len(text.split()) for text in asked]
    assert np.isclose(words - unknown, np.dot(expected, lengths))


def test_the_threshold_is_a_small_share_of_texts_held_out():
    assert least_known(np.arange(1, 1000) / 1000) == 0.01  # the tenth of 999
    assert least_known(np.arange(50, 99) / 100) == 0.5  # the smallest of 49
    assert least_known(np.ones(18)) == 0.0  # too few to say


def test_texts_of_the_same_kind_are_familiar_and_others_are_not(tmp_path):
    texts, labels = reviews(2000)
    model = wordplane.train(texts, labels, learner="nb").model
    assert model.training_.least_known == 0.9  # every second text has one new word of ten
    others, _ = reviews(1000, seed=1)
    assert model.knowledge(others).unfamiliar.mean() <= 0.02
    foreign = ["这部电影很好", "un film très long", "", "good film ".strip(), "good zzz film yyy"]
    assert model.knowledge(foreign).unfamiliar.tolist() == [True, True, True, False, True]
    model.save(tmp_path / "m.wordplane")
    again = wordplane.load(tmp_path / "m.wordplane")
    assert again.training_.least_known == 0.9
    assert again.knowledge(foreign).known.tolist() == model.knowledge(foreign).known.tolist()


def test_blocks_on_disk_find_the_same_threshold():
    texts, labels = reviews(2000)
    models = [wordplane.train(texts, labels, learner="nb", blocks=b).model for b in (False, True)]
    assert models[0].training_.least_known == models[1].training_.least_known > 0


def test_models_without_words_or_held_out_texts():
    texts, labels = reviews(40)
    of_characters = TextClassifier(Analyzer(ngrams=None, chars=(1, 3)), "nb").fit(texts, labels)
    with pytest.raises(InputError, match="does not keep words"):
        of_characters.knowledge(texts)
    with pytest.raises(InputError, match="`known` counts words"):
        wordplane.predict(of_characters, texts, known=True)
    untested = TextClassifier(learner="nb", calibration=None).fit(texts, labels)
    assert untested.training_.least_known == 0.0
    assert untested.knowledge(["good unheard", "unheard"]).unfamiliar.tolist() == [False, True]


def test_the_command_line_says_it(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    texts, labels = reviews(2000)
    wordplane.train(texts, labels, learner="nb", output="m.wordplane")
    (tmp_path / "new.txt").write_text("good film\n这部电影很好\n", encoding="utf-8")
    assert main(["predict", "m.wordplane", "new.txt", "--known"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "id,label,probability,known,unfamiliar"
    assert lines[1].endswith(",1.0,False")
    assert lines[2].endswith(",0.0,True")
    assert main(["predict", "m.wordplane", "new.txt", "--known", "-o", "out.parquet"]) == 0
    capsys.readouterr()
    assert main(["explain", "m.wordplane", "这部电影很好"]) == 0
    assert (
        "known     0% of the words: unlike the texts it was trained on" in capsys.readouterr().out
    )
    assert main(["explain", "m.wordplane", "good film", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["known"], answer["unfamiliar"]) == (1.0, False)


def test_a_damaged_threshold_is_refused():
    record = TextClassifier(learner="nb").fit(*reviews(40)).training_.to_dict()
    for wrong in (-0.1, 1.5, "half", True):
        with pytest.raises(InputError, match="least_known"):
            Training.from_dict({**record, "least_known": wrong})

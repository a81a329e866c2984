"""Tests of wordplane.text.lexicon: files, matches and features."""

import math
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.pipeline import make_union
from sklearn.utils.estimator_checks import check_estimator

from tests.strategies import characters, sentences
from wordplane import Analyzer, CountVectorizer, Lexicon
from wordplane.common.errors import InputError, WordplaneError
from wordplane.text.lexicon import LexiconFeatures

SCORES = {"good": 2.0, "fun": 1.0, "dull": -1.5, "not good": -1.0, "film": 0.0}


def written(tmp_path, text):
    path = tmp_path / "lexicon.txt"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


# Files


@pytest.mark.parametrize(
    ("line", "entry"),
    [
        ("good\t1.5", ("good", 1.5)),
        ("good \t 1.5 ", ("good", 1.5)),
        ("good,1.5", ("good", 1.5)),
        ("good , -1.5", ("good", -1.5)),
        ("good 2", ("good", 2.0)),
        ("good     1e-3", ("good", 0.001)),
        ("good 2\r", ("good", 2.0)),
        ("not  very good\t-.5", ("not very good", -0.5)),
        ("1,000\t3", ("1,000", 3.0)),
        (",\t3", (",", 3.0)),
        ("\\#1\t3", ("#1", 3.0)),
        ("\\\\o/\t3", ("\\o/", 3.0)),
        ("\\o/\t3", ("\\o/", 3.0)),
        (":-) 3", (":-)", 3.0)),
        ("\u00e9t\u00e9 +1", ("\u00e9t\u00e9", 1.0)),
    ],
)
def test_lines(tmp_path, line, entry):
    head = "\ufeff# a comment\n\n  \n#good\t7\n"
    assert dict(Lexicon.read(written(tmp_path, head + line))) == dict([entry])


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("good", "found 'good', expected a word and a score"),
        ("good 1 2", "expected a word and a score"),
        ("very good 1", "a tab if the entry has several words"),
        ("good 0,5", "expected a word and a score"),
        ("very good, 1", "expected a word and a score"),
        ("1,000,3", "expected a word and a score"),
        ("good\t1\t2", "expected a word and a score"),
        ("\t1", "expected a word and a score"),
        ("good\tbetter", "the score is 'better', expected a finite number"),
        ("good\t", "the score is '', expected a finite number"),
        ("good nan", "the score is 'nan'"),
        ("good,inf", "the score is 'inf'"),
        ("good 1_0", "the score is '1_0'"),
        ("fun 3", "'fun' has the score 3.0, but 1.0 in line 2; keep one"),
        (b"caf\xe9 1", "byte 0xe9 is not UTF-8"),
    ],
)
def test_lines_that_are_wrong(tmp_path, line, message):
    line = line if isinstance(line, bytes) else line.encode()
    path = written(tmp_path, b"# words\nfun 1\n\n" + line + b"\nlong 1")
    with pytest.raises(InputError) as error:
        Lexicon.read(path)
    assert str(error.value).startswith(f"{path}, line 4: ")
    assert message in str(error.value)


def test_the_same_twice_is_no_conflict(tmp_path):
    assert dict(Lexicon.read(written(tmp_path, "a 1\na 1.0\n"))) == {"a": 1.0}
    assert len(Lexicon.read(written(tmp_path, ""))) == 0


def test_files_that_cannot_be_read_or_written(tmp_path):
    with pytest.raises(InputError, match=r"absent\.txt: there is no such file"):
        Lexicon.read(tmp_path / "absent.txt")
    with pytest.raises(InputError, match="cannot be read"):
        Lexicon.read(tmp_path)
    with pytest.raises(WordplaneError, match="cannot write"):
        Lexicon(SCORES).write(tmp_path / "absent" / "lexicon.txt")
    with pytest.raises(InputError, match="surrogate"):
        Lexicon({"\ud800": 1}).write(tmp_path / "lexicon.txt")
    assert not list(tmp_path.iterdir())


words = st.one_of(
    st.text(characters, min_size=1), st.text(st.sampled_from("#\\ab ,"), min_size=1)
).map(lambda text: " ".join(text.split()))
scores = st.floats(allow_nan=False, allow_infinity=False)
small = st.floats(-100, 100)


@given(st.dictionaries(words.filter(bool), scores), st.text(max_size=20))
def test_written_is_read_again(tmp_path_factory, entries, comment):
    path = tmp_path_factory.mktemp("lexicon") / "lexicon.txt"
    comment = comment.encode(errors="ignore").decode()
    Lexicon(entries).write(path, comment)
    assert list(Lexicon.read(path).items()) == list(entries.items())


@pytest.mark.parametrize("word", ["", " a", "a  b", "a\tb", "a\n", 3])
def test_words_that_are_none(word):
    with pytest.raises(InputError, match="the lexicon has the entry"):
        Lexicon({word: 1})


@pytest.mark.parametrize("score", [math.nan, math.inf, "x", None])
def test_scores_that_are_none(score):
    with pytest.raises(InputError, match="the score of 'a' is"):
        Lexicon({"a": score})


def test_a_lexicon_is_a_mapping():
    lexicon = Lexicon(SCORES)
    assert lexicon == SCORES
    assert lexicon["good"] == 2.0
    assert "bad" not in lexicon
    assert repr(lexicon) == "Lexicon({'good': 2.0, 'fun': 1.0, 'dull': -1.5, ...})"


# Features


def test_features_by_hand():
    features = LexiconFeatures(Lexicon(SCORES))
    texts = ["Good, good fun!", "not good", "a dull FILM", "", "unheard", "film", "is it not"]
    assert features.fit_transform(texts).tolist() == [
        [2, 1, 5 / 3, 5, 0, 3, 0],
        [-1, -1, -1, 0, -1, 0, 1],  # the longer entry hides the shorter
        [0, -1.5, -0.75, 0, -1.5, 0, 1],
        [0, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0, 0, 0],
    ]
    assert features.get_feature_names_out().tolist() == [
        "lexicon:max", "lexicon:min", "lexicon:mean", "lexicon:sum_positive",
        "lexicon:sum_negative", "lexicon:n_positive", "lexicon:n_negative",
    ]  # fmt: skip


@given(sentences, st.dictionaries(st.sampled_from("the cat sat on a mat été".split()), small))
def test_features_of_single_words_equal_the_obvious_way(text, entries):
    found = [entries[word] for word in text.lower().split() if word in entries]
    positive = [score for score in found if score > 0]
    negative = [score for score in found if score < 0]
    expected = [
        max(found, default=0), min(found, default=0),
        sum(found) / max(len(found), 1), sum(positive), sum(negative),
        len(positive), len(negative),
    ]  # fmt: skip
    assert LexiconFeatures(entries).transform([text]).tolist() == [expected]


def test_longest_entry_from_the_left():
    lexicon = Lexicon({"a": 1, "a b": 2, "b c": 3, "a b c d": 4})
    assert lexicon.matches(list("abc")) == [2]
    assert lexicon.matches(list("abcd")) == [4]
    assert lexicon.matches(list("xbca")) == [3, 1]
    assert Lexicon({}).matches(["a"]) == []


def test_case_is_the_analyzer_s():
    shouting = {"GOOD": 1.0, "good": 0.5}
    assert LexiconFeatures(shouting).transform(["GOOD"])[0, 0] == 0.5
    keep = LexiconFeatures(shouting, Analyzer(lowercase=False))
    assert keep.transform(["GOOD"])[0, 0] == 1.0


@pytest.mark.filterwarnings("ignore")
def test_scikit_learn_s_checks():
    check_estimator(LexiconFeatures(Lexicon(SCORES)), on_skip=None)


def test_with_scikit_learn():
    features = clone(LexiconFeatures(Lexicon(SCORES), Analyzer(lowercase=False)))
    assert features.lexicon == SCORES
    assert features.get_params()["analyzer__lowercase"] is False
    both = make_union(CountVectorizer(), features)
    assert both.fit_transform(["good film", "dull"]).shape == (2, 3 + 7)
    assert pickle.loads(pickle.dumps(both)).transform(["good"]).shape == (1, 10)
    assert features.transform([]).shape == (0, 7)


def test_features_of_what_is_none():
    with pytest.raises(InputError, match="Put a single text in a list"):
        LexiconFeatures(SCORES).fit("good")
    with pytest.raises(InputError, match=r"lexicon is 'words\.txt', expected a Lexicon"):
        LexiconFeatures("words.txt").fit(["good"])
    with pytest.raises(InputError, match="the score of 'good'"):
        LexiconFeatures({"good": "very"}).transform(["good"])

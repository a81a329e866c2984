"""Classifiers with tokens by choice: scores, matrices, explanations and files agree."""

import numpy as np
import pytest

import wordplane
from wordplane import Analyzer, TextClassifier
from wordplane.common.errors import InputError
from wordplane.workflow.train import train

TEXTS = [
    "Go see http://films.org: GREAT acting, 5 stars!",
    "The acts were great; @anna loved the films",
    "Crème de la crème of cinema, really great",
    "great actor, great film, 10/10",
    "dull dull DULL. Not worth 3 minutes",
    "@bob was right: a dull film, www.x.de",
    "not a good film; I was bored by the acting",
    "boring, dull and 90 minutes too long",
] * 3
LABELS = ["good"] * 4 + ["bad"] * 4
LABELS = LABELS * 3
NEW = [
    "a great 7 http://y.z creme film",
    "@me it was DULL, not acting",
    "",
    "nothing of this is known",
]

CHOICES = {
    "whitespace": {"tokens": "whitespace"},
    "regex": {"tokens": r"regex:[a-z]+|[0-9]+"},
    "accents": {"strip_accents": True},
    "names": {"normalize": ["urls", "mentions", "numbers"]},
    "stop words": {"stop_words": "english"},
    "stems": {"stem": {"acts": "act", "acting": "act", "films": "film"}},
    "all words": {
        "strip_accents": True, "normalize": ["urls", "numbers"], "stop_words": ["the", "a"],
        "stem": {"acting": "act"}, "negation": True, "boundaries": True,
    },
    "all whitespace": {
        "tokens": "whitespace", "strip_accents": True, "normalize": ["urls", "mentions"],
        "stop_words": ["the", "a"], "stem": {"acting,": "act"}, "boundaries": True,
    },
    "hashed": {"hash_bits": 8},
    "hashed regex": {"tokens": r"regex:\w+", "hash_bits": 6, "stop_words": ["a"]},
}  # fmt: skip


def check_agreement(model, texts):
    """Scorer, matrix and explanation say the same."""
    fitted = model.model_
    z = model.decision_function(texts)
    by_matrix = (model.feature_matrix(texts) @ fitted.W.astype(float) + fitted.b)[:, 0]
    np.testing.assert_allclose(z, by_matrix, atol=1e-6)  # the matrix has 24 bits
    for text, score in zip(texts, z, strict=True):
        explanation = model.explain(text, model.classes_[1])
        added = sum(c.value for c in explanation.contributions)
        assert added + fitted.b[0] == pytest.approx(score, abs=1e-9)
        for c in explanation.contributions:
            assert 0 <= c.start <= c.end <= len(text)


@pytest.mark.parametrize("parts", ["words", "words and chars", "chars across"])
@pytest.mark.parametrize("choice", CHOICES)
def test_scores_matrix_and_explanation_agree(choice, parts, tmp_path):
    chars = {} if parts == "words" else {"chars": (2, 3), "chars_across": parts == "chars across"}
    weighting = {"tf": "binary", "idf": "smooth", "norm": "l2"}
    analyzer = Analyzer(ngrams=(1, 2), **CHOICES[choice], **chars, **weighting)
    model = TextClassifier(analyzer, "logistic", calibration=None).fit(TEXTS, LABELS)
    check_agreement(model, [*TEXTS[:8], *NEW])
    model.save(tmp_path / "m.wordplane")
    loaded = wordplane.load(tmp_path / "m.wordplane")
    np.testing.assert_array_equal(loaded.decision_function(NEW), model.decision_function(NEW))
    check_agreement(loaded, NEW)


@pytest.mark.parametrize("choice", CHOICES)
def test_the_recipe_works_with_each(choice):
    result = train(TEXTS, LABELS, analyzer=CHOICES[choice], test=False)
    assert result.model.score(TEXTS, LABELS) == 1.0
    check_agreement(result.model, NEW)


@pytest.mark.parametrize("choice", CHOICES)
def test_cross_validation_reads_as_training_does(choice):
    analyzer = Analyzer(ngrams=(1, 1), **CHOICES[choice])
    model = TextClassifier(analyzer, "nb", calibration="cv").fit(TEXTS, LABELS)
    assert model.score(TEXTS, LABELS) == 1.0


def test_explanations_name_the_words_of_the_text():
    analyzer = Analyzer(ngrams=(1, 2), chars=(3, 3), hash_bits=10)
    model = TextClassifier(analyzer, "nb", calibration=None).fit(TEXTS, LABELS)
    explanation = model.explain("Unheard dull")
    found = {(c.feature, c.start, c.end) for c in explanation.contributions}
    assert {("dull", 8, 12), ("unheard dull", 0, 12), ("char:dul", 8, 11)} <= found
    assert model.model_.features.name(5) == "#5"
    assert model.model_.features.name(1024 + 5) == "char:#5"


def test_hashed_counts_are_those_of_the_vocabulary_where_nothing_collides():
    plain = TextClassifier(Analyzer(ngrams=(1, 1)), "nb", calibration=None).fit(TEXTS, LABELS)
    hashed = TextClassifier(Analyzer(ngrams=(1, 1), hash_bits=20), "nb", calibration=None)
    hashed.fit(TEXTS, LABELS)
    a, b = plain.feature_matrix(TEXTS), hashed.feature_matrix(TEXTS)
    np.testing.assert_array_equal(np.sort(a.toarray().T, axis=0).sum(), b.sum())
    assert a.nnz == b.nnz
    names = [plain.model_.features.name(j) for j in range(plain.n_features)]
    columns = wordplane._core.hashed_columns(dict.fromkeys(names, 1), 1 << 20)
    np.testing.assert_array_equal(b[:, columns].toarray(), a.toarray())


def test_a_hashed_model_has_no_vocabulary(tmp_path):
    model = TextClassifier(Analyzer(hash_bits=8), "nb", calibration=None).fit(TEXTS, LABELS)
    model.save(tmp_path / "m.wordplane")
    data = (tmp_path / "m.wordplane").read_bytes()
    assert b"words.columns" not in data
    assert wordplane.load(tmp_path / "m.wordplane").n_features == 256


def test_stems_of_a_language_become_data(tmp_path):
    pytest.importorskip("Stemmer")
    analyzer = Analyzer(ngrams=(1, 1), stem="english", stop_words="english", min_df=4)
    model = TextClassifier(analyzer, "nb", calibration=None).fit(TEXTS, LABELS)
    stems = model.model_.features.analyzer.stem
    assert stems["films"] == "film"
    assert stems["acting"] == "act"
    assert "loved" not in stems  # it is too rare to be in a feature
    assert analyzer.stem == "english"  # the parameter stays
    check_agreement(model, NEW)
    (contribution,) = model.explain("those films").contributions
    assert (contribution.feature, contribution.start, contribution.end) == ("film", 6, 11)
    model.save(tmp_path / "m.wordplane")
    loaded = wordplane.load(tmp_path / "m.wordplane")
    assert loaded.model_.features.analyzer.stem == stems


@pytest.mark.parametrize("name", ["f.ft", "f.vw"])
def test_files_with_tokens_mean_what_they_meant(name, tmp_path):
    lines = {"f.ft": "__label__{} {}\n", "f.vw": "{} | {}\n"}[name]
    body = [lines.format(y, x) for x, y in [("don't-stop (now)", "a"), ("it's; over", "b")] * 10]
    (tmp_path / name).write_text("".join(body))
    result = train(tmp_path / name, learner="nb", test=False)
    features = result.model.model_.features
    assert features.analyzer.tokens == "whitespace"
    assert {"(now)", "it's;"} <= set(features.vocabularies["words"].names())
    asked = train(tmp_path / name, learner="nb", test=False, analyzer={"tokens": "words"})
    assert asked.model.model_.features.analyzer.tokens == "words"


def test_what_blocks_refuse():
    for analyzer in ({"hash_bits": 8}, {"stem": "english"}):
        with pytest.raises(InputError, match="cannot be used on blocks"):
            train(TEXTS, LABELS, analyzer=analyzer, learner="nb", blocks=True)


def test_blocks_read_as_memory_does():
    chosen = {**CHOICES["all words"], "ngrams": (1, 2)}
    in_memory, on_blocks = (
        train(TEXTS, LABELS, analyzer=chosen, learner="nb", blocks=blocks).model
        for blocks in (False, True)
    )
    np.testing.assert_array_equal(
        in_memory.decision_function(NEW), on_blocks.decision_function(NEW)
    )

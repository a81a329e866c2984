"""Tests of wordplane.model.compression, wordplane.model.small_plan, wordplane.workflow.compressing
and wordplane.cli.compress: smaller models, which differ from the large ones by what was left out,
and by half a step at most.
"""

import re
from dataclasses import replace

import numpy as np
import pytest

from wordplane import Analyzer, TextClassifier, compress, load
from wordplane.cli import main
from wordplane.common.errors import InputError, ModelFileError
from wordplane.model.compression import compress_model, compress_to, ranking, take_features
from wordplane.model.file import from_bytes, to_bytes
from wordplane.text.documents import as_documents

RNG = np.random.default_rng(0)
WORDS = np.array([f"{a}{b}{c}" for a in "abcdefgh" for b in "aeiou" for c in "lmnrst"])
TEXTS = [" ".join(RNG.choice(WORDS, 12)) for _ in range(300)]
LABELS = ["abc"[sum(word[0] in "abc" for word in text.split()) % 3] for text in TEXTS]
ANALYZERS = {
    "words": Analyzer(ngrams=(1, 3), idf="smooth", norm="l2", tf="binary"),
    "characters": Analyzer(ngrams=(1, 2), chars=(2, 4), idf="smooth", norm="l2", negation=True),
    "across words": Analyzer(ngrams=None, chars=(1, 4), chars_across=True, tf="log"),
    "counts": Analyzer(),
    "pairs": Analyzer(conjoin=20),
    "tokens with blanks": Analyzer(tokens="regex:[a-z]+ [a-z]+|[a-z]+", ngrams=(1, 2)),
}


def model_of(analyzer, learner="svm", labels=LABELS):
    return TextClassifier(analyzer, learner, n_jobs=1).fit(TEXTS, labels).model_


def names_of(features):
    """Their names; a pair is named by both in alphabetical order."""
    return [
        "&".join(sorted(name[4:].split("&"))) if name.startswith("and:") else name
        for name in features.names()
    ]


@pytest.mark.parametrize("kind", ANALYZERS)
def test_all_features_give_scores_within_half_a_step(kind):
    model = model_of(ANALYZERS[kind])
    small = compress_model(model, model.features.n_counted)
    documents = as_documents(TEXTS[:50], {})
    values = model.features.transform(documents, 1).arrays()
    sums = np.add.reduceat(np.abs(values[2]), values[0][:-1])
    step = np.abs(model.W).max(axis=0) / 127
    off = np.abs(small.scores(documents, 1) - model.scores(documents, 1))
    assert (off <= 0.501 * sums[:, None] * step).all()
    assert sorted(names_of(small.features)) == sorted(names_of(model.features))


@pytest.mark.parametrize("kind", ANALYZERS)
def test_features_that_are_kept_keep_name_weight_and_idf(kind):
    model = model_of(ANALYZERS[kind])
    features = model.features
    keep = np.zeros(features.n_counted, bool)
    keep[ranking(model)[:40]] = True
    keep[features.pairs.ravel()] = True
    keep[[start for _, start in features.groups]] = True
    taken, order = take_features(features, keep)
    names = names_of(features)
    assert names_of(taken) == [names[j] for j in order.tolist()]
    if features.idf is not None:
        assert (taken.idf == features.idf[order[: taken.n_counted]]).all()
    for group, start in taken.groups:
        assert names[order[start]] in names[dict(features.groups)[group] :]


def test_counts_of_kept_features_are_the_same():
    model = model_of(ANALYZERS["counts"])
    keep = np.arange(model.features.n_counted) % 3 == 0
    taken, order = take_features(model.features, keep)
    documents = as_documents(TEXTS, {})
    full = model.features.transform(documents, 1)
    small = taken.transform(documents, 1)

    def dense(X):
        indptr, indices, values = X.arrays()
        found = np.zeros(X.shape)
        found[np.repeat(np.arange(X.shape[0]), np.diff(indptr)), indices] = values
        return found

    assert (dense(small) == dense(full)[:, order]).all()


def test_a_size_is_kept_and_used():
    model = model_of(ANALYZERS["characters"])
    large = len(compress_to(model, 10**9).data)
    least = len(to_bytes(compress_model(model, 0)))
    for size in np.linspace(1.1 * least, 0.9 * large, 3).astype(int).tolist():
        found = compress_to(model, size)
        assert 0.7 * size < len(found.data) <= size
        again = from_bytes(found.data)
        documents = as_documents(TEXTS[:20], {})
        assert (again.scores(documents, 1) == found.model.scores(documents, 1)).all()
    with pytest.raises(InputError, match="takes at least"):
        compress_to(model, least - 1)


def test_what_matters_is_kept():
    texts = ["good film", "bad film", "good day", "bad day"] * 20
    model = model_of_texts(texts, ["p", "n", "p", "n"] * 20)
    names = model.features.names()
    assert {names[j] for j in ranking(model)[:2]} == {"good", "bad"}


def model_of_texts(texts, labels):
    analyzer = Analyzer(idf="smooth", norm="l2")
    return TextClassifier(analyzer, "svm", n_jobs=1).fit(texts, labels).model_


def test_hashed_features_stay_and_trees_are_refused():
    hashed = model_of(Analyzer(hash_bits=10))
    assert compress_model(hashed, 5).features.n_features == 1024
    assert len(to_bytes(compress_model(hashed, 5))) < len(to_bytes(hashed)) / 2
    with pytest.raises(InputError, match="a label tree cannot be compressed"):
        compress_model(model_of(None, "tree"), 5)


def test_sets_of_labels():
    sets = [("a", "b") if "a" in text else ("b",) if "o" in text else () for text in TEXTS]
    model = TextClassifier(ANALYZERS["words"], "svm", n_jobs=1).fit(TEXTS, sets)
    result = compress(model, TEXTS, sets, max_size=30_000)
    assert result.comparison.metric == "micro_f1"
    assert result.n_bytes[1] <= 30_000


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = zip(TEXTS, LABELS, strict=True)
    (tmp_path / "d.csv").write_text("text,label\n" + "".join(f"{t},{y}\n" for t, y in rows))
    TextClassifier(ANALYZERS["characters"], "svm").fit(TEXTS, LABELS).save("m.wordplane")
    return tmp_path


def test_the_command(files, capsys):
    assert main(["compress", "m.wordplane", "-o", "s.wordplane", "--max-size", "60kB"]) == 0
    assert (files / "s.wordplane").stat().st_size <= 60_000
    shown, said = capsys.readouterr()
    assert "was not measured: give labeled texts" in said
    assert re.search(r"before +\d+ kB, [\d,]+ features\nafter +\d\d kB, [\d,]+ features", shown)
    assert load("s.wordplane").predict(TEXTS[:5]).tolist() == LABELS[:5]
    assert main(["evaluate", "m.wordplane", "s.wordplane", "d.csv"]) == 0


@pytest.mark.parametrize(
    ("size", "judged"), [("60kB", "no measurable difference"), ("2kB", "worse")]
)
def test_it_is_said_whether_the_small_model_is_worse(files, capsys, size, judged):
    options = ["d.csv", "-o", "s.wordplane", "--max-size", size]
    assert main(["compress", "m.wordplane", *options]) == 0
    change = r"change +accuracy [-+]\d.*points \(95 % interval .*, p = .*\), on 300 texts: "
    assert re.search(f"{change}{judged}\n", capsys.readouterr().out)


def test_a_loss_that_is_allowed(files, capsys):
    options = ["d.csv", "-o", "s.wordplane", "--max-loss", "2", "--json"]
    assert main(["compress", "m.wordplane", *options]) == 0
    assert '"metric": "accuracy"' in capsys.readouterr().out
    before, after = load("m.wordplane"), load("s.wordplane")
    lost = np.mean(before.predict(TEXTS) == LABELS) - np.mean(after.predict(TEXTS) == LABELS)
    assert lost <= 0.02
    assert after.n_features < before.n_features


def test_what_was_measured_before_is_not_said_of_the_small_model(files, capsys):
    assert main(["train", "d.csv", "--learner", "svm", "-o", "t.wordplane"]) == 0
    assert load("t.wordplane").training_.scores is not None
    assert main(["compress", "t.wordplane", "-o", "s.wordplane"]) == 0
    training = load("s.wordplane").training_
    assert (training.scores, training.tested_on) == (None, None)
    capsys.readouterr()
    assert main(["inspect", "s.wordplane"]) == 0
    assert "accuracy" not in capsys.readouterr().out


def test_a_model_with_a_guarantee_is_refused():
    model = model_of(ANALYZERS["counts"])
    model.training = replace(model.training, metric="precision(a)>=0.5", guarantee={"n_rows": 9})
    with pytest.raises(InputError, match="was shown of the model as it is"):
        compress_model(model, 5)


def test_texts_that_the_model_knows_are_named(files, capsys):
    assert main(["train", "d.csv", "--learner", "svm", "-o", "t.wordplane"]) == 0
    assert main(["compress", "t.wordplane", "d.csv", "-o", "s.wordplane"]) == 0
    assert "was trained on these texts" in capsys.readouterr().err


def test_a_loss_needs_data(files, capsys):
    assert main(["compress", "m.wordplane", "-o", "s.wordplane", "--max-loss", "1"]) == 2
    assert "labeled texts to measure them on" in capsys.readouterr().err
    assert not (files / "s.wordplane").exists()


def test_a_compressed_model_cannot_be_trained_further(files, capsys):
    wordplane_model = TextClassifier(learner="nb").fit(TEXTS, LABELS)
    wordplane_model.save("n.wordplane", resumable=True)
    assert main(["compress", "n.wordplane", "-o", "s.wordplane"]) == 0
    assert main(["update", "s.wordplane", "d.csv", "-o", "u.wordplane"]) == 2


def test_damaged_packed_files_are_refused():
    data = to_bytes(compress_model(model_of(ANALYZERS["words"]), 100))
    for place in range(0, len(data), max(len(data) // 200, 1)):
        damaged = bytearray(data)
        damaged[place] ^= 0x10
        with pytest.raises(ModelFileError):
            from_bytes(bytes(damaged))


def test_what_is_measured_of_a_small_model_is_a_small_model(files, capsys):
    large = TextClassifier(ANALYZERS["characters"], "svm").fit(TEXTS, LABELS)
    size = len(to_bytes(large.model_)) // 5
    small = TextClassifier(ANALYZERS["characters"], "svm", max_size=size).fit(TEXTS, LABELS)
    assert len(to_bytes(small.model_)) <= size
    held_out = small.holdout_
    assert len(to_bytes(held_out.model)) <= size
    rows = as_documents([TEXTS[row] for row in held_out.rows.tolist()], {})
    assert (held_out.model.scores(rows, 1) == held_out.scores).all()
    assert (small.holdout_.scores != large.holdout_.scores).any()
    train = "train d.csv --learner svm -o small.wordplane --max-size".split()
    assert main([*train, str(size)]) == 0
    assert (files / "small.wordplane").stat().st_size <= size
    assert main([*train, str(size), "--force", "--resumable"]) == 2
    assert "--max-size goes neither with" in capsys.readouterr().err


def test_a_model_that_is_small_enough_stays_as_it_is():
    given = TextClassifier(learner="svm").fit(TEXTS, LABELS)
    asked = TextClassifier(learner="svm", max_size=10**9).fit(TEXTS, LABELS)
    assert asked.n_features == given.n_features
    assert (asked.decision_function(TEXTS) == given.decision_function(TEXTS)).all()
    assert asked.predict_proba(TEXTS) == pytest.approx(given.predict_proba(TEXTS), rel=1e-12)


def test_the_model_measured_is_no_larger_than_the_one_returned():
    rng = np.random.default_rng(1)
    labels = [f"label {k}" for k in rng.integers(0, 12, len(TEXTS))]
    large = TextClassifier(ANALYZERS["characters"], "svm").fit(TEXTS, labels)
    size = len(to_bytes(large.model_)) // 4
    small = TextClassifier(ANALYZERS["characters"], "svm", max_size=size).fit(TEXTS, labels)
    assert len(to_bytes(small.model_)) <= size
    measured = small.holdout_.model.features.n_features
    assert 0.8 * measured < small.n_features < 1.25 * measured


@pytest.mark.parametrize(
    ("params", "why"),
    [
        ({"max_size": "1MB"}, "expected a number of bytes"),
        ({"max_size": True}, "expected a number of bytes"),
        ({"max_size": 10**6, "calibration": "cv"}, "goes neither with a requirement"),
        ({"max_size": 10**6, "metric": "precision(a)>=0.6"}, "goes neither with a requirement"),
        ({"max_size": 10**6, "learner": "tree"}, "label trees"),
    ],
)
def test_what_a_size_does_not_go_with_is_refused_before_training(params, why):
    with pytest.raises(InputError, match=why):
        TextClassifier(**params).fit(TEXTS, LABELS)
    with pytest.raises(InputError, match="are for `fit`"):
        TextClassifier(learner="nb", max_size=10**6).partial_fit(TEXTS, LABELS)

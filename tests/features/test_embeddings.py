"""Tests of wordplane.features.embeddings, and of wordplane.features.embeddings_file."""

import pickle

import numpy as np
import pytest

from tests import reference_embeddings as reference
from tests.fitting import fitted_features
from wordplane import Analyzer, KMeans, MultinomialNB, TextClassifier, WordEmbeddings, _core, load
from wordplane.common.errors import InputError, ModelFileError
from wordplane.features.cooccurrence import cooccurrence
from wordplane.text.documents import as_documents

TEXTS = [
    "a good film with a good cast.",
    "a fine film with a fine cast!",
    "dull story, dull talk",
    "slow story, slow talk",
    "the good story and the fine talk",
    "the dull film and the slow cast",
]
y = ["+", "+", "-", "-", "+", "-"]


@pytest.mark.parametrize("power", [0, 0.5, 1])
def test_vectors_are_scaled_singular_vectors(power):
    embeddings = WordEmbeddings(20, window=2, min_count=1, power=power).fit(TEXTS)
    analysis = Analyzer().resolve().tokens.plain_analysis()
    words = _core.Vocabulary.from_names(embeddings.words_.tolist(), "whole")
    c = cooccurrence(analysis, words, _core.Texts(TEXTS), "window", 2, 1).toarray()
    M = reference.pmi(c, True, 1.0, False)
    Z = embeddings.vectors_.astype(float)
    if power == 1:
        assert pytest.approx(M @ M.T, abs=1e-4) == Z @ Z.T
    else:
        U, D, _ = np.linalg.svd(M)
        keep = D > 1e-6
        half = (U[:, keep] * D[keep] ** power) @ (U[:, keep] * D[keep] ** power).T
        if power == 0.5:
            assert pytest.approx(half, abs=1e-4) == Z @ Z.T
        else:
            assert np.linalg.norm(Z, axis=0) == pytest.approx(np.ones(Z.shape[1]), abs=1e-5)


@pytest.mark.parametrize("weights", ["tf", "tfidf", "idf"])
def test_centroids_equal_their_definition(weights):
    embeddings = WordEmbeddings(4, min_count=2, weights=weights).fit(TEXTS)
    vector_of = dict(zip(embeddings.words_, embeddings.vectors_, strict=True))
    split = [text.replace(",", " ,").replace(".", " .").split() for text in TEXTS]
    df = {word: sum(word in text for text in split) for word in vector_of}
    weight_of = {
        word: 1.0 if weights == "tf" else np.log(len(TEXTS) / df[word]) for word in vector_of
    }
    new = [*TEXTS[2:5], "", "nothing known"]
    tokens = [*split[2:5], [], ["nothing", "known"]]
    if weights == "idf":  # a word counts once
        tokens = [sorted(set(text)) for text in tokens]
    expected = [reference.centroid(text, vector_of, weight_of) for text in tokens]
    assert embeddings.transform(new) == pytest.approx(np.array(expected), abs=1e-6)
    assert (embeddings.transform(new)[-2:] == 0).all()


def test_neighbors_are_by_cosine():
    embeddings = WordEmbeddings(3, window=2, min_count=1).fit(TEXTS)
    Z = embeddings.vectors_.astype(float)
    cosines = Z @ embeddings.vector("good").astype(float)
    cosines /= np.linalg.norm(Z, axis=1) * np.linalg.norm(embeddings.vector("good"))
    found = dict(embeddings.neighbors("GOOD", 100))
    assert "good" not in found and len(found) == len(Z) - 1
    for word, cosine in found.items():
        assert cosine == pytest.approx(cosines[embeddings.words_.tolist().index(word)], abs=1e-5)
    assert list(found.values()) == sorted(found.values(), reverse=True)
    assert "Good" in embeddings and "god" not in embeddings
    with pytest.raises(InputError, match=r"'goood' is not among the 15 words; did you mean .good."):
        embeddings.neighbors("goood")


def test_saved_and_loaded(tmp_path):
    embeddings = WordEmbeddings(3, min_count=1, n_jobs=2).fit(TEXTS)
    embeddings.save(tmp_path / "e.safetensors")
    again = WordEmbeddings.load(tmp_path / "e.safetensors")
    assert (again.transform(TEXTS) == embeddings.transform(TEXTS)).all()
    assert again.neighbors("film") == embeddings.neighbors("film")
    assert again.n_jobs is None
    pickled = pickle.loads(pickle.dumps(embeddings))
    assert (pickled.transform(TEXTS) == embeddings.transform(TEXTS)).all()


def test_files_that_are_no_embeddings(tmp_path):
    from safetensors.numpy import save

    path = tmp_path / "e.safetensors"
    with pytest.raises(InputError, match="no such file"):
        WordEmbeddings.load(path)
    path.write_bytes(b"hello")
    with pytest.raises(ModelFileError, match="cannot be used"):
        WordEmbeddings.load(path)
    path.write_bytes(save({"x": np.zeros(1)}, {}))
    with pytest.raises(ModelFileError, match="not a file of embeddings"):
        WordEmbeddings.load(path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"vectors": np.zeros((3, 2), np.float32)}, "one"),
        ({"vectors": np.full((19, 2), np.nan, np.float32)}, "not finite"),
        ({"idf": np.full(20, -1.0)}, "one number of 0 or more per word"),
        ({"more": np.zeros(1)}, "array more"),
        ({"columns": np.zeros(20, np.int32)}, "column"),
    ],
)
def test_malformed_files_are_refused(change, message):
    stored = WordEmbeddings(2, min_count=1).fit(TEXTS).to_stored()
    stored.arrays.update(change)
    with pytest.raises(ValueError, match=message):
        WordEmbeddings.from_stored(stored)


def test_text_vectors(tmp_path):
    path = tmp_path / "v.txt"
    for head in ("", "3 2\n"):
        path.write_text(f"{head}cat 1 0\ndog 0.9 0.1\nthe cat 0 1\n".replace("the cat", "bus"))
        embeddings = WordEmbeddings.read(path)
        assert embeddings.neighbors("cat", 1)[0][0] == "dog"
        assert embeddings.transform(["cat bus bus"]) == pytest.approx(np.array([[1 / 3, 2 / 3]]))
    for bad in ("cat 1 0\ndog 1\n", "cat 1 x\n", "cat 1 nan\n", "\n", "cat\n", "2 0\ncat\n"):
        path.write_text(bad)
        with pytest.raises(InputError, match=r"v\.txt"):
            WordEmbeddings.read(path)
    with pytest.raises(InputError, match=r"weights=.tf."):
        path.write_text("cat 1 0\n")
        WordEmbeddings.read(path, weights="tfidf").transform(["cat"])


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_components": 0}, "n_components is 0"),
        ({"context": "page"}, "context is 'page', expected 'window', 'sentence' or 'document'"),
        ({"window": 0}, "window is 0"),
        ({"power": 2}, "power is 2, expected a number from 0 to 1"),
        ({"shift": 0}, "shift is 0"),
        ({"min_count": 100}, "no word occurs 100 times"),
        ({"solver": "magic"}, "solver is 'magic'"),
        ({"positive": 1}, "positive is 1"),
    ],
)
def test_wrong_parameters(parameters, message):
    with pytest.raises(InputError, match=message):
        WordEmbeddings(**parameters).fit(TEXTS)


def test_texts_without_words():
    with pytest.raises(InputError, match="none of the 2 texts has a word"):
        WordEmbeddings(min_count=1).fit(["", " "])
    with pytest.raises(InputError, match="no two words occur together"):
        WordEmbeddings(min_count=1).fit(["a", "b"])


def group_of(**more):
    embeddings = WordEmbeddings(3, min_count=1).fit(TEXTS)
    clusters = embeddings.clustered(KMeans(4, n_init=1).fit(embeddings.vectors_).labels_)
    return Analyzer(embeddings={"pmi": embeddings, "kinds": clusters}, **more)


@pytest.mark.parametrize(
    "more", [{}, {"ngrams": None}, {"columns": {"n": "number", "c": "category"}}]
)
def test_a_group_beside_ngrams(tmp_path, more):
    analyzer = group_of(norm="l2", **more)
    X = TEXTS if "columns" not in more else {"text": TEXTS, "n": range(6), "c": list("uvuvuu")}
    model = TextClassifier(analyzer, "logistic", calibration=None).fit(X, y)
    names = [model.model_.features.name(j) for j in range(model.n_features)]
    assert [name for name in names if name.startswith("embedding:")] == [
        *(f"embedding:pmi:{j}" for j in range(3)),
        *(f"embedding:kinds:{j}" for j in range(4)),
    ]
    model.save(tmp_path / "m.wordplane")
    again = load(tmp_path / "m.wordplane")
    assert (again.decision_function(X) == model.decision_function(X)).all()
    one = X[0] if isinstance(X, list) else {name: list(held)[:1] for name, held in X.items()}
    explanation = again.explain(one)
    total = explanation.bias + sum(c.value for c in explanation.contributions)
    assert total == pytest.approx(explanation.score, abs=1e-6)


def replaced(name, array):
    return lambda arrays, metadata: arrays.update({name: array})


@pytest.mark.parametrize(
    "change",
    [
        replaced("embedding0.vectors", np.full((15, 3), np.inf, np.float32)),
        replaced("embedding0.vectors", np.zeros((15, 2), np.float32)),
        replaced("embedding0.idf", np.full(15, -1.0)),
        replaced("embedding0.idf", np.ones(14)),
        replaced("embedding2.vectors", np.zeros((1, 1), np.float32)),
        lambda arrays, metadata: arrays.pop("embedding1.vectors"),
        lambda arrays, metadata: arrays.pop("embedding0.idf"),
        lambda arrays, metadata: metadata.pop("embeddings"),
        lambda arrays, metadata: metadata.update(embeddings={"pmi": 1}),
        lambda arrays, metadata: metadata["embeddings"].reverse(),
        lambda arrays, metadata: metadata["embeddings"][0][1].update(power="high"),
        lambda arrays, metadata: metadata["embeddings"][0][1].update(more=1),
        lambda arrays, metadata: metadata["analyzer"].update(embeddings=["kinds", "pmi"]),
    ],
)
def test_malicious_model_files_are_refused(change):
    import json

    from safetensors.numpy import load as load_tensors
    from safetensors.numpy import save as save_tensors

    from tests.model.model_files import sealed
    from wordplane.model.file import HEADER, from_bytes, to_bytes

    good = to_bytes(TextClassifier(group_of(), "logistic", calibration=None).fit(TEXTS, y).model_)
    payload = good[HEADER:]
    arrays = {name: array.copy() for name, array in load_tensors(payload).items()}
    header = json.loads(payload[8 : 8 + int.from_bytes(payload[:8], "little")])
    metadata = json.loads(header["__metadata__"]["wordplane"])
    assert from_bytes(sealed(save_tensors(arrays, {"wordplane": json.dumps(metadata)})))
    change(arrays, metadata)
    with pytest.raises(ModelFileError):
        from_bytes(sealed(save_tensors(arrays, {"wordplane": json.dumps(metadata)})))


def test_the_group_is_centered_and_scaled_as_one():
    embeddings = WordEmbeddings(3, min_count=1).fit(TEXTS)
    analyzer = Analyzer(ngrams=None, embeddings={"e": embeddings}, weights={"embedding": 2.0})
    _, X = fitted_features(analyzer, as_documents(TEXTS, {}), 1)
    values = X.arrays()[2].reshape(6, 3)
    Z = embeddings.transform(TEXTS)
    centered = Z - Z.mean(axis=0)
    expected = 2 * centered / np.sqrt((centered**2).sum(axis=1).mean())
    assert values == pytest.approx(expected, abs=1e-6)
    assert (values**2).sum(axis=1).mean() == pytest.approx(4)


def test_group_needs_fitted_embeddings():
    with pytest.raises(InputError, match=r"embeddings\[.e.\] is .*, expected fitted"):
        TextClassifier(Analyzer(embeddings={"e": WordEmbeddings()})).fit(TEXTS, y)


def test_clusters_as_shares_of_words():
    embeddings = WordEmbeddings(2, min_count=1, weights="tf").fit(["a b c", "a b d"])
    by_word = dict(zip("abcd", [0, 0, 1, 2], strict=True))
    clusters = embeddings.clustered([by_word[word] for word in embeddings.words_])
    assert clusters.transform(["a b a c", "d", "x"]).tolist() == [
        [0.75, 0.25, 0],
        [0, 0, 1],
        [0, 0, 0],
    ]
    with pytest.raises(InputError, match="per word"):
        embeddings.clustered([0])


def test_clusters_as_counts_for_naive_bayes(tmp_path):
    texts = ["a b a c", "d d", "x", "c a"]
    embeddings = WordEmbeddings(2, min_count=1).fit(["a b c", "a b d"])
    by_word = dict(zip("abcd", [0, 0, 1, 2], strict=True))
    labels = [by_word[word] for word in embeddings.words_]
    clusters = embeddings.clustered(labels, counts=True)
    counts = [[3, 1, 0], [0, 0, 2], [0, 0, 0], [1, 1, 0]]
    assert clusters.transform(texts).tolist() == counts
    clusters.save(tmp_path / "clusters")
    assert WordEmbeddings.load(tmp_path / "clusters").transform(texts).tolist() == counts
    labels = ["u", "v", "v", "u"]
    alone = Analyzer(ngrams=None, embeddings={"kinds": clusters})
    model = TextClassifier(alone, "nb", calibration=None).fit(texts, labels)
    by_hand = MultinomialNB().fit(counts, labels)
    assert model.decision_function(texts) == pytest.approx(by_hand.decision_function(counts))
    both = Analyzer(ngrams=(1, 1), embeddings={"kinds": clusters})
    model = TextClassifier(both, "nb", calibration=None).fit(texts, labels)
    words = [[2, 1, 1, 0, 0], [0, 0, 0, 2, 0], [0, 0, 0, 0, 1], [1, 0, 1, 0, 0]]
    by_hand = MultinomialNB().fit(np.hstack([words, counts]), labels)
    z = by_hand.decision_function(np.hstack([words, counts]))
    assert model.decision_function(texts) == pytest.approx(z)
    model.save(tmp_path / "m.wordplane")
    assert load(tmp_path / "m.wordplane").decision_function(texts) == pytest.approx(z)


def test_estimator_in_scikit_learn():
    from sklearn.base import clone
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    embeddings = WordEmbeddings(3, min_count=1)
    pipeline = make_pipeline(clone(embeddings), LogisticRegression()).fit(TEXTS, y)
    assert pipeline.predict(TEXTS).shape == (6,)
    assert pipeline[:-1].get_feature_names_out()[0] == "embedding:0"
    fitted = group_of()
    assert (clone(fitted).embeddings["pmi"].vectors_ == fitted.embeddings["pmi"].vectors_).all()


def test_the_same_vectors_make_the_same_file(tmp_path):
    embeddings = WordEmbeddings(min_count=1).fit(["good film", "bad film", "good fun"])
    contents = set()
    for number in range(20):
        embeddings.save(tmp_path / f"{number}.embeddings")
        contents.add((tmp_path / f"{number}.embeddings").read_bytes())
    assert len(contents) == 1
    again = WordEmbeddings.load(tmp_path / "0.embeddings")
    np.testing.assert_array_equal(again.vectors_, embeddings.vectors_)

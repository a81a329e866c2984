"""`DaskTextClassifier` does on collections of Dask what `TextClassifier` does in memory."""

import random
import subprocess
import sys

import numpy as np
import pytest

from tests.scale.mixed_texts import mixed_texts
from wordplane import Analyzer, DaskTextClassifier, TextClassifier
from wordplane.common.errors import InputError
from wordplane.scale import dask_classifier

distributed = pytest.importorskip("distributed")
bags = pytest.importorskip("dask.bag")
pd = pytest.importorskip("pandas")
frames = pytest.importorskip("dask.dataframe")

LOOPBACK = "127.0.0.1:0"


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    """Several blocks although there are few texts."""
    monkeypatch.setattr(dask_classifier, "BLOCK_ROWS", 100)


@pytest.fixture(scope="module")
def client():
    cluster = distributed.LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        processes=False,
        dashboard_address=LOOPBACK,
        worker_dashboard_address=LOOPBACK,
        silence_logs=50,
    )
    with cluster, distributed.Client(cluster, set_as_default=False) as client:
        yield client


@pytest.fixture(scope="module")
def films():
    texts, labels = mixed_texts(600, random.Random(0))
    weights = np.random.default_rng(0).integers(1, 4, 600).astype(float)
    return pd.DataFrame({"text": texts, "label": labels, "stars": weights})


@pytest.fixture(scope="module")
def model(films):
    return DaskTextClassifier(learner="nb").fit(films.text.tolist(), films.label.tolist())


def model_bytes(model, tmp_path):
    model.save(tmp_path / "model.wordplane")
    return (tmp_path / "model.wordplane").read_bytes()


def bag(values, npartitions=3):
    return bags.from_sequence(list(values), npartitions=npartitions)


@pytest.mark.slow
def test_all_forms_give_the_bytes_of_training_in_memory(client, films, model, tmp_path):
    expected = model_bytes(model, tmp_path)
    frame = frames.from_pandas(films[["text", "label"]], npartitions=3)
    records = films[["text", "label"]].to_dict("records")
    with client.as_current():
        for given in (
            (bag(films.text), bag(films.label)),
            (bag(zip(films.text, films.label, strict=True)),),
            (bag(records),),
            (frame.text, frame.label),
            (frame,),
        ):
            found = DaskTextClassifier(learner="nb").fit(*given)
            assert model_bytes(found, tmp_path) == expected
            assert found.predict(["good film"]).tolist() == model.predict(["good film"]).tolist()


@pytest.mark.slow
def test_weights_and_whole_numbers_as_labels(client, films, tmp_path):
    texts, stars = films.text.tolist(), films.stars.tolist()
    labels = (films.label == "pos").astype(int)
    memory = TextClassifier(learner="nb", calibration=None).fit(texts, labels.tolist(), stars)
    frame = frames.from_pandas(films.assign(label=labels), npartitions=2)
    with client.as_current():
        found = DaskTextClassifier(learner="nb", calibration=None)
        found.fit(frame.text, frame.label, frame.stars)
    assert found.classes_.tolist() == [0, 1]
    assert model_bytes(found, tmp_path) == model_bytes(memory, tmp_path)


@pytest.mark.slow
def test_the_recipe_predicts_as_in_memory(client, films):
    words = Analyzer(ngrams=(1, 2))
    memory = TextClassifier(words, "svm").fit(films.text.tolist(), films.label.tolist())
    with client.as_current():
        found = DaskTextClassifier(words, "svm").fit(bag(films.text, 4), bag(films.label, 4))
    texts, _ = mixed_texts(500, random.Random(1))
    assert (found.predict(texts) == memory.predict(texts)).mean() >= 0.98
    assert found.holdout_ is not None


def test_predictions_are_collections_of_the_same_kind(client, films, model):
    texts = films.text.tolist()
    labels, P = model.predict(texts), model.predict_proba(texts)
    frame = frames.from_pandas(films, npartitions=3)
    with client.as_current():
        assert model.predict(bag(texts)).compute() == labels.tolist()
        assert np.array_equal(model.predict_proba(bag(texts)).compute(), P)
        for given in (frame.text, frame):
            found = model.predict(given)
            assert found.compute().tolist() == labels.tolist()
            assert found.compute().index.equals(films.index)
            shares = model.predict_proba(given).compute()
            assert shares.columns.tolist() == model.classes_.tolist()
            assert np.array_equal(shares.to_numpy(), P)


def test_a_partition_without_texts(client, films, model):
    frame = frames.from_pandas(films, npartitions=3)
    with client.as_current():
        none = frame[frame.text == "?"]
        assert model.predict(none.text).compute().tolist() == []
        assert model.predict(bag(films.text).filter(lambda text: False)).compute() == []
        with pytest.raises(InputError, match="there are no texts to learn from"):
            DaskTextClassifier().fit(none.text, none.label)


@pytest.mark.slow
def test_what_cannot_be_done_says_so(client, films, model):
    frame = frames.from_pandas(films, npartitions=3)
    texts, labels = films.text.tolist(), films.label.tolist()
    short = bag(texts[:-1], 3).repartition(npartitions=3)
    wrong = [
        ((frame.text, labels), "must all be collections of Dask, or none"),
        ((texts, frame.label), "must all be collections of Dask, or none"),
        ((frame.text,), "the labels are missing"),
        ((frame, frame.label), r"give the column of the texts .* frame\['text'\]"),
        ((bag(texts, 3), bag(labels, 4)), "have 3 and 4 partitions"),
    ]
    with client.as_current():
        for given, why in wrong:
            with pytest.raises(InputError, match=why):
                DaskTextClassifier().fit(*given)
        pairs = bag(labels, 100), bag([*labels, "pos"], 101).repartition(npartitions=100)
        with pytest.raises(InputError, match=r"a partition has .* one each is needed"):
            DaskTextClassifier().fit(*pairs)
        with pytest.raises(InputError, match="needs all rows in memory"):
            DaskTextClassifier(learner="ridge").fit(frame.text, frame.label)
        with pytest.raises(InputError, match="`unlabeled`, `pretrained` and `groups` need all"):
            DaskTextClassifier().fit(frame.text, frame.label, groups=labels)
    with pytest.raises(InputError, match="no client is active"):
        DaskTextClassifier().fit(frame.text, frame.label)
    for method in (model.explain, model.decision_function):
        with pytest.raises(InputError, match="the texts are a collection of Dask"):
            method(short)


def test_the_classifier_in_memory_names_the_one_for_dask(films):
    texts, labels = bag(films.text), bag(films.label)
    model = TextClassifier(learner="nb").fit(["a", "b"] * 9, ["x", "y"] * 9)
    for call in (lambda: model.fit(texts, labels), lambda: model.predict(texts)):
        with pytest.raises(InputError, match=r"wordplane\.DaskTextClassifier"):
            call()


def test_nobody_else_waits_for_dask():
    code = (
        "import sys; from wordplane import TextClassifier; "
        "m = TextClassifier(learner='nb').fit(['a', 'b'] * 9, ['x', 'y'] * 9); m.predict(['a']); "
        "sys.exit('dask' in sys.modules or 'distributed' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0

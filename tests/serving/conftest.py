import pytest

import wordplane
from tests.serving.running import Server

TEXTS = [
    "a great film, great fun",
    "great acting and a good story",
    "a good film with good music",
    "good fun from start to end",
    "a dull film, so dull",
    "dull acting and a bad story",
    "a bad film with bad music",
    "bad from start to end",
]
LABELS = ["good"] * 4 + ["bad"] * 4


@pytest.fixture(scope="session")
def models(tmp_path_factory):
    """A folder with models of several kinds."""
    folder = tmp_path_factory.mktemp("models")
    wordplane.TextClassifier(learner="nb").fit(TEXTS, LABELS).save(
        folder / "films.wordplane", resumable=True
    )
    topics = [["fun"], ["fun", "long"], [], ["long"]] * 2
    wordplane.TextClassifier(learner="logistic").fit(TEXTS, topics).save(
        folder / "topics.wordplane"
    )
    analyzer = wordplane.Analyzer(ngrams=(1, 1), columns={"links": "number", "from": "category"})
    mails = {"text": TEXTS, "links": [0, 1, 0, 2, 7, 8, 9, 7], "from": ["a", "b"] * 4}
    wordplane.TextClassifier(analyzer, "logistic").fit(mails, [0, 0, 0, 0, 1, 1, 1, 1]).save(
        folder / "mails.wordplane"
    )
    return folder


@pytest.fixture(scope="session")
def server(models, tmp_path_factory):
    """A server with three models and feedback; tests leave it as it is."""
    store = tmp_path_factory.mktemp("store") / "feedback.sqlite"
    names = ["films", "topics", "mails"]
    files = [models / f"{name}.wordplane" for name in names]
    with Server(*files, "--feedback", store, "--max-texts", 2000) as running:
        running.store = store
        yield running

"""One text at a time gives what many at once give, to the last bit, from any number of threads.

Tests of wordplane.model.text_model and wordplane.model.explanation.
"""

import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.strategies import sentences, texts
from wordplane import Analyzer, TextClassifier
from wordplane.common.errors import InputError

# Random texts can be hard to separate.
pytestmark = pytest.mark.filterwarnings("ignore::wordplane.common.errors.ConvergenceWarning")

SEEN = ["The cat isn't on a mat :)", "naïve été NOT here 42", "so goooood, a cat", "dull mat"]

analyzers = st.one_of(
    st.none(),
    st.builds(
        Analyzer,
        ngrams=st.sampled_from([(1, 1), (1, 2), (1, 3)]),
        boundaries=st.booleans(),
        negation=st.booleans(),
        chars=st.sampled_from([None, (2, 6), (3, 3)]),
        suffixes=st.sampled_from([[], [2]]),
        shapes=st.booleans(),
        tf=st.sampled_from(["count", "binary", "relative", "log"]),
        idf=st.sampled_from([None, "smooth"]),
        norm=st.sampled_from([None, "l1", "l2"]),
    ),
)
rows_of_texts = st.lists(st.one_of(sentences, texts), min_size=1, max_size=8)


@st.composite
def models(draw):
    """A model of 2 to 5 labels, each text with one of them or with a set of them."""
    n_labels = draw(st.integers(2, 5))
    documents = SEEN * 2 + draw(rows_of_texts)
    if draw(st.booleans()):
        sets = st.lists(st.integers(0, n_labels - 1), max_size=n_labels, unique=True)
        labels = [draw(sets) for _ in documents[n_labels:]]
    else:
        labels = [draw(st.integers(0, n_labels - 1)) for _ in documents[n_labels:]]
    first = [[k] if labels and isinstance(labels[0], list) else k for k in range(n_labels)]
    calibration = draw(st.sampled_from(["holdout", None]))
    classifier = TextClassifier(
        draw(analyzers), draw(st.sampled_from(["nb", "svm"])), calibration=calibration, n_jobs=2
    )
    return classifier.fit(documents, first + labels)


def answers(model, documents):
    """Scores, probabilities and labels, as lists of rows."""
    found = [model.decision_function(documents), model.predict_proba(documents)]
    return [column.tolist() for column in (*found, model.predict(documents))]


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(models(), rows_of_texts)
def test_single_calls_equal_a_batch(model, documents):
    """Also when texts come again, in another order, and from a copy that has read nothing."""
    at_once = answers(model, documents)
    copy = pickle.loads(pickle.dumps(model))
    for row in [*range(len(documents)), *reversed(range(len(documents)))]:
        alone = answers(model, [documents[row]])
        assert alone == [column[row : row + 1] for column in at_once]
    assert answers(copy, documents[::-1]) == [column[::-1] for column in at_once]


@settings(max_examples=60, deadline=None)
@given(models(), rows_of_texts)
@pytest.mark.slow
def test_contributions_sum_to_the_score_of_a_single_call(model, documents):
    for text in documents:
        found = model.explain(text)
        total = found.bias + found.values.sum()
        assert total == pytest.approx(found.score, rel=1e-9, abs=1e-9)
        assert (np.abs(found.values[:-1]) >= np.abs(found.values[1:])).all()
        rows = zip(found.features, found.starts.tolist(), found.values.tolist(), strict=True)
        assert [(c.feature, c.start, c.value) for c in found.contributions] == list(rows)


def test_an_explanation_can_be_pickled():
    found = TextClassifier(learner="nb").fit(SEEN, [0, 1, 0, 1]).explain(SEEN[0])
    again = pickle.loads(pickle.dumps(found))
    assert again.contributions == found.contributions
    assert (again.label, again.score, again.text) == (found.label, found.score, SEEN[0])


@pytest.mark.slow
def test_many_threads_at_once():
    """More callers than readers are kept, with long and short texts, and batches between them."""
    words = [f"w{i}" for i in range(300)]
    rng = np.random.default_rng(0)
    documents = [" ".join(rng.choice(words, 1 + 7 * (i % 60))) for i in range(240)]
    labels = [i % 3 for i in range(240)]
    analyzer = Analyzer(ngrams=(1, 2), chars=(2, 4), tf="relative", norm="l2")
    model = TextClassifier(analyzer, "svm", n_jobs=2).fit(documents, labels)
    expected = answers(model, documents)
    explained = [model.explain(text).values.tolist() for text in documents]
    jobs = [(row, row + 1) for row in range(240)] * 3 + [(0, 240), (100, 230)] * 3
    order = rng.permutation(len(jobs))

    def work(number):
        begin, end = jobs[order[number]]
        found = answers(model, documents[begin:end])
        same = found == [column[begin:end] for column in expected]
        return same and model.explain(documents[begin]).values.tolist() == explained[begin]

    with ThreadPoolExecutor(16) as pool:
        assert all(pool.map(work, range(len(jobs))))


def test_an_error_leaves_nothing_behind():
    """A reader that failed half way through a text is not used again."""
    analyzer = Analyzer(tokens="counts", ngrams=(1, 1))
    model = TextClassifier(analyzer, "nb").fit(["good:2 fun:1", "bad:1"], [1, 0])
    before = answers(model, ["good:1 bad:3"])
    for wrong in (["bad:1 good"], ["good:9 bad:-1"]):
        with pytest.raises(InputError, match="document 0"):
            model.predict(wrong)
    assert answers(model, ["good:1 bad:3"]) == before


@pytest.mark.slow
def test_a_long_text_changes_nothing():
    """A reader is let go after a megabyte: the next call makes its own."""
    model = TextClassifier(Analyzer(chars=(2, 5)), "nb").fit(SEEN, [0, 1, 0, 1])
    before = answers(model, SEEN)
    long = " ".join(f"{word}{i}" for i in range(100_000) for word in ("cat", "mat"))
    assert len(long) > 2**20
    for _ in range(2):
        model.predict([long])
        assert answers(model, SEEN) == before

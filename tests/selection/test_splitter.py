"""Splits at random and by time, against their definitions."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordplane import Analyzer, LinearSVM, MultinomialNB
from wordplane.common.errors import InputError
from wordplane.data.splits import stratified_folds
from wordplane.features.fold_counts import FoldCounts
from wordplane.selection.cross_validation import fold_matrices, out_of_fold
from wordplane.selection.grid import grid_search
from wordplane.selection.halving import Contender, race
from wordplane.selection.nested import nested_search
from wordplane.selection.splitter import Split, Splitter, held_to_train
from wordplane.text.documents import as_documents

LABELS = ["+", "+", "-", "-"]


def dated_texts(n, seed=0):
    """Texts whose words drift: word w7 stands for + early and for - late."""
    rng = np.random.default_rng(seed)
    times = rng.integers(0, max(n // 3, 8), n)
    y = rng.choice(["+", "-"], n)
    late = times > np.median(times)
    sign = np.where((y == "+") ^ late, "w7", "w8")
    texts = [f"{word} {' '.join(f'v{v}' for v in rng.integers(0, 30, 4))}" for word in sign]
    return texts, y.tolist(), np.unique(times, return_inverse=True)[1]


def test_repetitions_are_folds_of_other_seeds():
    labels, groups = LABELS * 10, np.arange(40) // 2
    for given_groups in (None, groups):
        found = Splitter(4, 3, given_groups, random_state=7).repetitions(labels)
        for number, splits in enumerate(found):
            expected = stratified_folds(labels, 4, 7 + number, given_groups)
            assert all(map(np.array_equal, [held for _, held in splits], expected))
            for train, held in splits:
                assert sorted([*train, *held]) == list(range(40))
    assert len(Splitter(4, 3).split(labels)) == Splitter(4, 3).n_splits == 12


@given(
    st.lists(st.integers(0, 25), min_size=12, max_size=80),
    st.integers(2, 6),
)
def test_by_time_nothing_is_learned_from_the_same_time_or_later(values, n_folds):
    times = np.unique(values, return_inverse=True)[1]
    labels = ["+", "-"] * len(times)
    splitter = Splitter(n_folds, times=times)
    if len(set(times.tolist())) <= n_folds:
        with pytest.raises(InputError, match="different times"):
            splitter.split(labels)
        return
    try:
        splits = splitter.split(labels)
    except InputError as error:
        assert "has one label" in str(error)
        return
    assert len(splits) == n_folds
    for train, held in splits:
        assert times[train].max() < times[held].min()
        assert train.tolist() == np.flatnonzero(times < times[held].min()).tolist()
    ends = [(times[held].min(), times[held].max()) for _, held in splits]
    assert all(a[1] < b[0] for a, b in itertools.pairwise(ends))
    n_held = sum(len(held) for _, held in splits)
    assert n_held == (times >= ends[0][0]).sum()


def test_with_distinct_times_the_later_half_is_cut_evenly():
    times = np.random.default_rng(3).permutation(100)
    splits = Splitter(5, times=times).split(["+", "-"] * 50)
    assert [len(held) for _, held in splits] == [10] * 5
    assert [len(train) for train, _ in splits] == [50, 60, 70, 80, 90]
    assert held_to_train(splits) == pytest.approx(10 / 70)


def test_what_cannot_be_asked_for_together():
    for options, message in [
        ({"repeats": 2, "times": np.arange(9)}, "every repetition would be the same"),
        ({"groups": np.arange(9), "times": np.arange(9)}, "give one"),
        ({"repeats": 0}, "`repeats` is 0"),
        ({"n_folds": 1}, "`folds` is 1"),
    ]:
        with pytest.raises(InputError, match=message):
            Splitter(**options)
    with pytest.raises(InputError, match="has one label"):
        Splitter(3, times=np.arange(12)).split(["+"] * 8 + ["-"] * 4)


@pytest.mark.parametrize("kind", ["repeats", "time", "one"])
def test_features_of_every_split_are_those_of_its_training_rows(kind):
    """The document frequencies that splits share are those of a count for each alone."""
    texts, y, times = dated_texts(60)
    splits = {
        "repeats": Splitter(3, 2).split(y),
        "time": Splitter(3, times=times).split(y),
        "one": [Split(np.arange(20, 60), np.arange(20))],
    }[kind]
    analyzer = Analyzer(min_df=2, idf="smooth")
    counted = FoldCounts.of(analyzer, as_documents(texts, {}), 1)
    for fold, split in zip(fold_matrices(counted, analyzer, splits, 1), splits, strict=True):
        alone = counted.fit(analyzer, split.train, 1)
        for X, rows in ((fold.X_train, split.train), (fold.X_held, split.held)):
            expected = alone.matrix(rows, 1)
            assert X.shape == expected.shape
            for a, b in zip(X.arrays(), expected.arrays(), strict=True):
                assert np.array_equal(a, b)


def test_later_texts_change_nothing_of_earlier_folds():
    """Other texts and labels after a fold leave its scores as they are."""
    texts, y, times = dated_texts(90)
    splitter = Splitter(3, times=times)
    first = splitter.split(y)[0]
    last_time = times[first.held].max()
    changed = [t if time <= last_time else "w9 w9" for t, time in zip(texts, times, strict=True)]
    flipped = [
        label if time <= last_time else {"+": "-", "-": "+"}[label]
        for label, time in zip(y, times, strict=True)
    ]
    scores = [
        out_of_fold(Analyzer(), LinearSVM(), as_documents(t, {}), labels, splitter=splitter).scores
        for t, labels in ((texts, y), (changed, flipped))
    ]
    assert scores[0][first.held] == pytest.approx(scores[1][first.held], abs=1e-9)
    assert not np.isfinite(scores[0][first.train]).any()


def test_a_search_by_time_and_one_that_is_repeated_equal_a_loop():
    texts, y, times = dated_texts(120)
    documents, grid = as_documents(texts, {}), {"learner__alpha": [0.1, 10.0]}
    for splitter in (Splitter(3, times=times), Splitter(3, 2)):
        search = grid_search(Analyzer(), MultinomialNB(), grid, documents, y, splitter=splitter)
        splits = splitter.split(y)
        for trial in search.trials:
            expected = []
            for train, held in splits:
                counted = FoldCounts.of(Analyzer(), documents, 1)
                features = counted.fit(Analyzer(), train, 1)
                learner = MultinomialNB(alpha=trial.parameters["learner__alpha"])
                model = learner.fit(features.matrix(train, 1), np.array(y)[train])
                right = model.predict(features.matrix(held, 1)) == np.array(y)[held]
                expected.append(right.mean())
            assert trial.scores == pytest.approx(expected)
        assert search.trials[0].held_to_train == pytest.approx(held_to_train(splits))
    nb = Contender("nb", Analyzer(), MultinomialNB(), [{"learner__alpha": 0.1}])
    raced = race([nb], documents, y, splitter=Splitter(3, times=times)).search
    by_time = grid_search(
        Analyzer(), MultinomialNB(), grid, documents, y, splitter=Splitter(3, times=times)
    )
    assert raced.trials[0].scores == by_time.trials[0].scores


@pytest.mark.parametrize("next_fold", [False, True])
def test_nested_search_by_time_chooses_on_earlier_texts_alone(next_fold):
    """What comes after an outer fold does not change what is chosen for it, or its score."""
    texts, y, times = dated_texts(150)
    splitter = Splitter(3, times=times)
    first = splitter.split(y)[0]
    last_time = times[first.held].max()
    flipped = [
        label if time <= last_time else {"+": "-", "-": "+"}[label]
        for label, time in zip(y, times, strict=True)
    ]
    found = [
        nested_search(
            Analyzer(),
            MultinomialNB(),
            {"learner__alpha": [30.0, 0.1]},
            as_documents(texts, {}),
            labels,
            splitter=splitter,
            next_fold=next_fold,
        )
        for labels in (y, flipped)
    ]
    assert found[0].scores[0] == found[1].scores[0]
    assert found[0].chosen[0] == found[1].chosen[0]
    assert found[0].scores[1:] != found[1].scores[1:]

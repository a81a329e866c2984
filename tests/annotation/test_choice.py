"""Which text comes next.

Tests of wordplane.annotation.choice, wordplane.annotation.chooser, wordplane.annotation.pool,
wordplane.annotation.learning and wordplane.annotation.background.
"""

from collections import Counter

import numpy as np
import pytest

from tests.annotation.conftest import HAM, SPAM, TEXTS, answer, truth
from wordplane._core import Texts
from wordplane.annotation import Project
from wordplane.annotation.choice import check_shares, choose_ahead
from wordplane.annotation.learning import Learned
from wordplane.annotation.pool import Pool
from wordplane.common.errors import InputError


def test_shares_come_out_as_they_are_set(project):
    reasons = Counter(answer(project, 10))  # all random, as there is no model
    project.set_shares({"random": 1, "uncertain": 3})
    for _ in range(2):
        project.learn()
        reasons.update(answer(project, 16))
    assert reasons["random"] in (10, 11)
    assert reasons["uncertain"] == 42 - reasons["random"]


def test_random_texts_are_those_of_the_order_that_the_seed_decides(tmp_path):
    orders = []
    for seed in (0, 0, 1):
        with Project.create(tmp_path / f"{len(orders)}.db", TEXTS, labels=["x"], seed=seed) as made:
            made.set_shares({"random": 1})
            orders.append([])
            for _ in range(20):
                item = made.next()
                orders[-1].append(item.text)
                made.label(item.text, "x")
    assert orders[0] == orders[1] != orders[2]


def test_before_the_first_model_clusters_and_named_words(project):
    project.prepare(vectors=False)
    assert set(answer(project, 4)) == {"cluster", "random"}
    project.labels.add("loans")
    project.add_rule("loans", "loan*")
    item = next(item for item in iter(lambda: skip(project), None) if item.reason == "words")
    assert "loans" in item.content


def skip(project):
    item = project.next()
    project.skip(item.text)
    return item


def test_near_duplicates_of_labeled_texts_are_not_shown():
    texts = Texts(["win a cheap prize now", "win a cheap prize now!", "see you at lunch"] * 2)
    pool = Pool.prepare(texts, 2, vectors=False)
    rows = np.array([1, 2])
    P = np.array([[0.5, 0.5], [0.6, 0.4]])
    learned = Learned(1, 2, None, [1, 2], rows, P, [], False)
    assert choose_ahead(learned, pool, {1: (1,)}, [1, 2], {})["uncertain"] == [3]
    assert choose_ahead(learned, pool, {6: (1,)}, [1, 2], {})["uncertain"] == [2]


def test_rare_labels_are_sought_where_they_are_likely():
    rows = np.arange(4)
    P = np.array([[0.9, 0.1], [0.3, 0.7], [0.8, 0.2], [0.6, 0.4]])
    learned = Learned(1, 9, None, [1, 2], rows, P, [], False)
    labeled = {10 + i: (1,) for i in range(9)} | {30: (2,)}
    assert choose_ahead(learned, None, labeled, [1, 2], {})["rare"] == [2, 4, 3, 1]


def drawn_uncertain(p, number=1):
    rows = np.arange(len(p))
    learned = Learned(number, 9, None, [1, 2], rows, np.column_stack([p, 1 - p]), [], False)
    return choose_ahead(learned, None, {2000: (1,)}, [1, 2], {})["uncertain"]


def test_uncertain_texts_are_drawn_from_a_share_as_large_as_the_mean_uncertainty():
    p = np.random.default_rng(0).permutation(np.linspace(0.9, 1, 1000))  # uncertain: 0.2 to 0
    least_sure = set((np.argsort(p)[:100] + 1).tolist())
    queues = [drawn_uncertain(p, number) for number in (1, 1, 2)]
    assert queues[0] == queues[1] != queues[2]
    assert all(len(queue) == 60 and set(queue) <= least_sure for queue in queues)


def test_a_model_that_is_sure_of_nearly_all_texts_asks_for_those_that_it_is_least_sure_of():
    p = np.random.default_rng(0).permutation(np.linspace(0.99, 1, 1000))
    assert set(drawn_uncertain(p)) == set((np.argsort(p)[:60] + 1).tolist())


def test_the_less_sure_a_model_is_the_more_texts_are_drawn_from():
    p = np.random.default_rng(0).permutation(np.linspace(0.5, 0.7, 1000))  # uncertain: 1 to 0.6
    ranks = np.argsort(np.argsort(p))[np.array(drawn_uncertain(p)) - 1]
    assert 700 < ranks.max() < 800


def test_one_text_of_a_label_is_enough_for_a_model(project):
    project.prepare()
    assert project._pool.vectors is not None
    spam = next(number for number, text in enumerate(TEXTS, 1) if truth(text) == "spam")
    project.label(spam, "spam")
    assert not project.learn()
    for number, text in enumerate(TEXTS[:40], 1):
        if truth(text) == "ham":
            project.label(number, "ham")
    assert project.learn()
    assert {item.guess for item in [project.next()]} <= {("spam",), ("ham",)}


def test_doubted_labels_come_again_once(tmp_path):
    texts = [f"{text} {i}" for i in range(12) for text in (*SPAM, *HAM)]
    with Project.create(tmp_path / "p.db", texts, labels=["spam", "ham"]) as project:
        project.set_shares({"doubt": 1, "random": 0.0001})
        for number, text in enumerate(texts, 1):
            wrong = number == 1
            project.label(number, "ham" if wrong else truth(text), "ann")
        project.learn()
        item = project.next("bob")
        assert (item.text, item.reason) == (1, "doubt")
        project.label(1, "spam", "bob")
        project.learn()
        assert project.next("bob") is None


def test_labels_that_no_model_can_judge_are_not_doubted(tmp_path):
    labels = ["common"] * 30 + [f"rare {k}" for k in range(15)]  # each fold lacks some of them
    texts = [f"{label} word {i % 7}" for i, label in enumerate(labels)]
    with Project.create(tmp_path / "p.db", texts, labels=sorted(set(labels))) as project:
        for number, label in enumerate(labels, 1):
            project.label(number, label)
        assert project.learn()
        assert project.learned.doubts == []


def test_two_people_share_some_texts_and_never_see_one_at_once(project):
    answer(project, 12, "ann")
    assert "overlap" in answer(project, 12, "bob")
    ann, bob = project.next("ann"), project.next("bob")
    assert ann.text != bob.text


def test_the_guess_is_made_before_the_label(project):
    answer(project, 20)
    project.learn()
    item = project.next()
    assert item.guess == (truth(item.content),) and 0.5 < item.probability <= 1
    project.learn()
    assert project.next() == item  # not by a later model
    project.label(item.text, "ham" if item.guess == ("spam",) else "spam")
    assert project.labels.names_of(project.answers.events[-1].shown.guess) == item.guess


@pytest.mark.parametrize("wrong", [{"random": -1}, {"luck": 1}, {"random": "a"}, {"random": 0}])
def test_wrong_shares(wrong):
    with pytest.raises(InputError, match="the shares are"):
        check_shares(wrong)

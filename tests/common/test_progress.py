"""Progress that tells what is left. Tests of wordplane.common.progress."""

import pytest

import wordplane
from tests.workflow.shown import reviews
from wordplane.common.pool import pool_map
from wordplane.common.progress import Pace, listen, notify, overall


def heard(work):
    steps = []
    with listen(lambda *step: steps.append(step)):
        work()
    return steps


@pytest.mark.parametrize("threads", [1, 2])
def test_what_goes_on_inside_does_not_move_the_bar(threads):
    def job(item):
        notify("solver", 8, 50)
        return item

    steps = heard(lambda: pool_map(job, range(4), threads, "folds", 4))
    assert {total for _, _, total in steps} == {4}
    done = [done for job, done, _ in steps if job == "folds"]
    assert done == [1, 2, 3, 4]


def test_of_nested_work_the_outer_counts():
    def work():
        for _ in overall("learners", ["nb", "svm"]):
            pool_map(lambda item: item, range(3), 1, "folds", 3)

    steps = heard(work)
    assert [done for _, done, _ in steps] == [0, 0, 0, 0, 1, 1, 1, 1, 2]
    assert steps[1][0] == "learners: nb, folds" and steps[-1] == ("learners", 2, 2)


def test_comparing_counts_learners():
    texts, labels = reviews()
    steps = heard(lambda: wordplane.compare(texts, labels, learners=["nb", "svm"], folds=3))
    by_learner = [step for step in steps if step[0].startswith("learners")]
    assert {step[2] for step in by_learner} == {2}
    assert by_learner[-1] == ("learners", 2, 2)


@pytest.mark.parametrize("learner", ["svm", "logistic", "em", "recipe"])
def test_no_solver_promises_iterations_that_it_will_not_make(learner):
    texts, labels = reviews()
    name = None if learner == "recipe" else learner
    ends = {}
    for job, done, total in heard(lambda: wordplane.train(texts, labels, learner=name)):
        if ", " not in job:  # within other work
            ends[job] = done, total
    assert all(done == total for done, total in ends.values() if total), ends


def test_time_left_begins_anew_with_other_work():
    pace = Pace()
    assert pace.text("reading", 10, 100, now=0.0) == "10 of 100"
    assert pace.text("reading", 55, 100, now=45.0) == "55 of 100, 45 s left"
    assert pace.text("fitting", 1, 4, now=50.0) == "1 of 4"
    assert pace.text("fitting", 2, 4, now=350.0) == "2 of 4, 10 min left"
    assert pace.text("solver", 2, 0, now=400.0) == "400 s"

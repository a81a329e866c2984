"""Tests of wordplane.learners.support.shared_docs."""

import inspect
import re

import pytest

from wordplane import learners
from wordplane.learners.support.base import LinearClassifier


def section(cls, heading):
    text = inspect.getdoc(cls)
    return re.search(rf"(?m)^{heading}\n-+\n((?:.+(?:\n|\Z))*)", text)[1]


@pytest.mark.parametrize("name", learners.__all__)
def test_every_parameter_of_a_learner_is_described(name):
    cls = getattr(learners, name)
    entries = re.findall(r"(?m)^(\S.*)$", section(cls, "Parameters"))
    described = [name for entry in entries for name in entry.partition(" : ")[0].split(", ")]
    assert sorted(described) == sorted(inspect.signature(cls).parameters)


def test_shared_entries_come_in_the_order_of_the_signature_and_own_ones_stay():
    class Shared(LinearClassifier):
        """What learners share.

        Parameters
        ----------
        tol : float
            When to stop.

        Attributes
        ----------
        path_
            The way.
        """

    class Learner(Shared):
        """A learner.

        Parameters
        ----------
        n_jobs : int, default 3
            Its own words.

        Examples
        --------
        >>> 1
        1
        """

        def __init__(self, *, tol=0.5, n_jobs=3):
            self.tol, self.n_jobs = tol, n_jobs

    assert section(Learner, "Parameters").splitlines() == [
        "tol : float, default 0.5", "    When to stop.",
        "n_jobs : int, default 3", "    Its own words.",
    ]  # fmt: skip
    assert section(Learner, "Attributes").startswith("path_\n    The way.\nclasses_, coef_")
    assert inspect.getdoc(Learner).endswith("Examples\n--------\n>>> 1\n1")
    assert "n_jobs" not in inspect.getdoc(Shared)

"""Tests of wordplane.learners.support.parameter_checks."""

from types import SimpleNamespace

import numpy as np
import pytest

from wordplane.common.errors import InputError
from wordplane.learners.support import parameter_checks as checks


@pytest.mark.parametrize(
    ("check", "right", "wrong", "message"),
    [
        (checks.check_positive, [1, 0.5, np.float32(2)], [0, -1, np.inf, "1"], "above 0"),
        (checks.check_not_negative, [0, 2.5], [-1e-9, float("nan"), None], "from 0 up"),
        (checks.check_share, [0, 0.5, 1], [-0.1, 1.1, "half"], "from 0 to 1"),
        (checks.check_whole, [1, np.int64(7)], [0, 1.0, None], "a whole number from 1 up"),
        (checks.check_flags, [True, np.False_], [0, None, "yes"], "True or False"),
    ],
)
def test_what_is_taken_and_what_is_refused(check, right, wrong, message):
    for value in right:
        check(SimpleNamespace(size=value), "size")
    for value in wrong:
        with pytest.raises(InputError, match=rf"size is .*, expected .*{message}"):
            check(SimpleNamespace(size=value), "size")


def test_infinity_where_it_is_allowed():
    checks.check_positive(SimpleNamespace(C=np.inf), "C", may_be_infinite=True)
    with pytest.raises(InputError, match="C is nan, expected a number above 0"):
        checks.check_positive(SimpleNamespace(C=np.nan), "C", may_be_infinite=True)


def test_choices():
    checks.check_choice(SimpleNamespace(loss="hinge"), "loss", ("hinge", "log"))
    with pytest.raises(InputError, match="loss is 1, expected 'hinge' or 'log'"):
        checks.check_choice(SimpleNamespace(loss=1), "loss", ("hinge", "log"))
    with pytest.raises(InputError, match=r"step is 1, expected one of \('a', 'b', None\)"):
        checks.check_choice(SimpleNamespace(step=1), "step", ("a", "b", None))

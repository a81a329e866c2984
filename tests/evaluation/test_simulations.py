"""Every interval, bound and test that is printed, against worlds whose truth is known."""

import pytest
from benchmarks.intervals import Case, cases

CASES = cases()


@pytest.mark.soak
@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_as_promised(case):
    share = case.measure()
    assert case.is_as_promised(share), f"{case.kind}: {share:.1%}"


def test_what_is_not_as_promised_is_seen():
    """The rule itself: an interval that is too narrow, and tests that reject too often or never."""

    def with_share(share, kind, cautious=False):
        return Case("x", str(share), lambda rng: rng.random() < share, kind, "", cautious, 2000)

    for share, kind, cautious, is_fine in [
        (0.95, "interval", False, True), (0.88, "interval", False, False),
        (0.99, "bound", False, True), (0.05, "test", False, True), (0.1, "test", False, False),
        (0.0, "test", False, False), (0.0, "test", True, True), (0.1, "test", True, False),
    ]:  # fmt: skip
        case = with_share(share, kind, cautious)
        assert case.is_as_promised(case.measure()) == is_fine

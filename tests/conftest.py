import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# No time limits: a busy machine is no bug. The same examples on every run, so that a failure is
# that of the change; WORDPLANE_RANDOM=1 (as in `make soak`) looks for new ones.
settings.register_profile(
    "default",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize="WORDPLANE_RANDOM" not in os.environ,
)
settings.load_profile("default")

DATASETS = Path(__file__).resolve().parents[2] / "shared" / "datasets"


@pytest.fixture
def dataset():
    """Path of a real data set by name; the test skips where it is absent."""

    def find(name):
        path = DATASETS / f"{name}.parquet"
        if not path.exists():
            pytest.skip(f"the data set {name} is not beside this checkout")
        return path

    return find

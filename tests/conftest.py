import os
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("default", deadline=None)
settings.register_profile("soak", deadline=None, max_examples=5000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))

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

"""One line of the table of benchmarks.intervals."""

import zlib
from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt

import numpy as np

LEAST, LOW, HIGH = 0.93, 0.03, 0.07


@dataclass(frozen=True)
class Case:
    """One line: `run` draws a sample and says whether the interval or bound is right, or whether
    the test rejects."""

    what: str
    setting: str
    run: Callable[[np.random.Generator], bool]
    kind: str = "interval"
    before: str = ""
    cautious: bool = False
    n_runs: int = 1000

    @property
    def name(self) -> str:
        return f"{self.what}, {self.setting}"

    def measure(self) -> float:
        """The share of samples."""
        rng = np.random.default_rng(zlib.crc32(self.name.encode()))
        return sum(self.run(rng) for _ in range(self.n_runs)) / self.n_runs

    def is_as_promised(self, share: float) -> bool:
        """Within two standard errors of what `make soak` asks for."""
        noise = 2 * sqrt(0.07 * 0.93 / self.n_runs)
        if self.kind != "test":
            return share >= LEAST - noise
        return share <= HIGH + noise and (self.cautious or share >= LOW - noise)


def contains(interval: tuple[float, float], value: float) -> bool:
    return interval[0] - 1e-12 <= value <= interval[1] + 1e-12

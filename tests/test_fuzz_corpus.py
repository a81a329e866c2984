"""The corpora of the fuzz targets, replayed without a fuzzer, and some calls of the bindings."""

import subprocess
import sys
from pathlib import Path

import pytest

FUZZ = Path(__file__).parents[1] / "fuzz"
TARGETS = ("model_file", "fasttext_model", "readers", "blocks", "resume", "serve_requests")
REPLAY = """
import sys
from importlib import import_module
from pathlib import Path

target = import_module(sys.argv[1])
for path in sorted(Path(sys.argv[2]).iterdir()):
    print(path.name, flush=True)
    target.one_input(path.read_bytes())
"""


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS)
def test_the_corpus_of_a_target(target):
    corpus = FUZZ / "corpus" / target
    done = subprocess.run(
        [sys.executable, "-c", REPLAY, target, str(corpus)],
        cwd=FUZZ, capture_output=True, text=True, timeout=600,
    )  # fmt: skip
    replayed = done.stdout.split()
    assert done.returncode == 0, (replayed[-1:], done.stderr[-2000:])
    assert len(replayed) == len(list(corpus.iterdir())) > 50


def test_corpora_are_small():
    files = [path for path in (FUZZ / "corpus").rglob("*") if path.is_file()]
    assert 0 < sum(path.stat().st_size for path in files) < 300_000


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_bindings_refuse_random_arguments(seed):
    done = subprocess.run(
        [sys.executable, str(FUZZ / "bindings.py"), "--seed", str(seed), "--calls", "20000"],
        capture_output=True, text=True, errors="replace", timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]

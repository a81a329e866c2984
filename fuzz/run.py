"""Runs the fuzz targets one after another: `python fuzz/run.py BUILD [--only TARGET ...]`.

They start from what seeds.py makes and from fuzz/corpus.

BUILD has the native targets, and keeps what was learned: BUILD/corpus/TARGET are inputs that reach
different code, BUILD/found are inputs that fail. The last line of each target says how many inputs
were tried, how many edges of the code they reach, and of how many.
"""

import argparse
import os
import re
import subprocess
import sys
from pathlib import Path

import seeds

HERE = Path(__file__).parent
PYTHON_TARGETS = ("model_file", "fasttext_model", "readers", "blocks", "resume", "serve_requests")
BINDINGS = "bindings"  # not guided by coverage
TARGETS = (*PYTHON_TARGETS, BINDINGS, *seeds.NATIVE)
# What one input may take; the longest one has so many bytes.
MOST_SECONDS, MOST_MEGABYTES, MOST_BYTES = 10, 2048, 128
MOST_BYTES_OF_MODEL = 8192  # small models have 800 to 6,000
ASAN_OPTIONS = "malloc_context_size=4:quarantine_size_mb=16"  # allocations are most of the time


def command(target: str, build: Path) -> list[str]:
    if target in PYTHON_TARGETS:
        return [sys.executable, str(HERE / "python_target.py"), f"--target={target}"]
    if target == BINDINGS:
        return [sys.executable, str(HERE / "bindings.py")]
    return [str(build / target)]


def last_number(pattern: str, log: str) -> int:
    found = re.findall(pattern, log)
    return int(found[-1]) if found else 0


def run(target: str, build: Path, limit: str) -> bool:
    """Whether no input failed."""
    corpus, found, log_path = build / "corpus" / target, build / "found", build / f"{target}.log"
    corpus.mkdir(parents=True, exist_ok=True)
    found.mkdir(exist_ok=True)
    options = [
        limit,
        f"-timeout={MOST_SECONDS}",
        f"-rss_limit_mb={MOST_MEGABYTES}",
        f"-max_len={MOST_BYTES_OF_MODEL if target == 'library' else MOST_BYTES}",
        f"-dict={build}/seeds/words.dict",
        f"-artifact_prefix={found}/{target}-",
        "-print_final_stats=1",
        "-entropic=0",
        "-len_control=0",
        "-detect_leaks=0",
    ]
    folders = [corpus, build / "seeds" / target, HERE / "corpus" / target]
    options += [str(folder) for folder in folders if folder.is_dir()]
    if target == BINDINGS:
        options = [limit.replace("-max_total_time", "--seconds").replace("-runs", "--runs")]
    with log_path.open("w") as log:
        code = subprocess.call(
            [*command(target, build), *options],
            stdout=log,
            stderr=subprocess.STDOUT,
            env={"ASAN_OPTIONS": ASAN_OPTIONS, **os.environ},
        )
    text = log_path.read_text(errors="replace")
    n_runs = last_number(r"stat::number_of_executed_units:\s+(\d+)", text)
    n_edges, n_all = last_number(r"cov: (\d+)", text), last_number(r"\((\d+) inline 8-bit", text)
    of = f" of {n_all:,}" if n_all else ""
    print(f"{target:15} {n_runs:>11,} inputs, {n_edges:,}{of} edges", end="")
    if code or n_runs == 0:
        failed = ("Test unit written to", "seed ")
        lines = [line for line in text.splitlines() if line.startswith(failed) or failed[0] in line]
        print(f", FAILED: see {log_path}", *lines, sep="\n  ", end="")
    print(flush=True)
    return code == 0 and n_runs > 0


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("build", type=Path)
    parser.add_argument("--only", nargs="+", default=TARGETS, choices=TARGETS, metavar="TARGET")
    parser.add_argument("--seconds", type=int, default=50, help="for each target (default: 50)")
    parser.add_argument("--runs", type=int, help="inputs for each target, instead of seconds")
    args = parser.parse_args()
    build = args.build.resolve()
    seeds.write(build / "seeds")
    limit = f"-runs={args.runs}" if args.runs else f"-max_total_time={args.seconds}"
    results = [run(target, build, limit) for target in args.only]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())

"""How everything here is measured.

Tools take turns: each round runs every tool once, so that a slow minute of the machine falls on
all of them, and the best time of each counts. What takes less than a second runs again in its turn,
up to a second or five times: short times vary most. Where one run of one tool takes more than 2
seconds there are at most two rounds, from 30 seconds on one, unless a race asks for more. A ratio
is a peer's best time over ours; its spread is the smallest and the largest of the ratios of single
rounds.
"""

import json
import os
import platform
import re
import subprocess
import sys
import time
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from pathlib import Path

import wordplane

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results"
DATASETS = Path(os.environ.get("WORDPLANE_DATASETS", ROOT.parent / "shared" / "datasets"))
THREADS = len(os.sched_getaffinity(0))
PEERS = ["scikit-learn", "liblinear-official", "vowpalwabbit", "fasttext-wheel", "river"]


def dataset(name, split=None):
    """A data set, or the rows of one of its splits; None where the data sets are absent."""
    path = DATASETS / f"{name}.parquet"
    if not path.exists():
        print(f"no {path.name} in the folder of data sets (WORDPLANE_DATASETS): left out")
        return None
    corpus = wordplane.read(path)
    return corpus.take(corpus.split_rows(split)) if split else corpus


class Subject:
    """The races of one file, and their results."""

    def __init__(self, name, rounds):
        self.name, self.rounds = name, rounds
        self.amounts, self.ratios = [], []

    def race(self, task, jobs, goals=None, notes=None, limits=None, rounds=None):
        """Run jobs (tool -> function) in turns; what we made has a name that begins with wordplane.

        `goals` says how many times as fast as a peer is wanted: {(ours, peer): times}; `limits`
        how many seconds are allowed; `notes` (tool -> function of what the job returned) what a
        tool came to, such as its accuracy.
        """
        seconds = {tool: [] for tool in jobs}
        said = {}
        asked, rounds = rounds, rounds or self.rounds
        number = 0
        while number < rounds:
            for tool, job in jobs.items():
                turn = []
                while len(turn) < 5 and sum(turn) < 1:
                    start = time.perf_counter()
                    result = job()
                    turn.append(time.perf_counter() - start)
                    if not turn[1:] and tool not in said and notes and tool in notes:
                        said[tool] = notes[tool](result)
                    del result
                seconds[tool].append(min(turn))
            number += 1
            slowest = max(min(times) for times in seconds.values())
            if not asked:
                rounds = min(rounds, 1 if slowest > 30 else 2 if slowest > 2 else rounds)
        for tool, times in seconds.items():
            limit = (limits or {}).get(tool)
            self.amount(task, tool, "seconds", min(times), said.get(tool), limit)
        for own in jobs:
            for peer in jobs:
                if own.startswith("wordplane") and not peer.startswith("wordplane"):
                    single = [p / o for p, o in zip(seconds[peer], seconds[own], strict=True)]
                    ratio = min(seconds[peer]) / min(seconds[own])
                    self.ratio(task, own, peer, ratio, (goals or {}).get((own, peer)), single)

    def amount(self, task, tool, unit, value, note=None, limit=None):
        """Keep a figure of one tool."""
        row = {"task": task, "tool": tool, unit: float(f"{value:.4g}")}
        more = {"note": note, "limit": limit}
        self.amounts.append({**row, **{key: said for key, said in more.items() if said}})
        allowed = f"at most {limit:g}: {'kept' if value <= limit else 'MISSED'}" if limit else ""
        print(f"{task:40} {tool:28} {row[unit]:10.4g} {unit:10} {allowed} {note or ''}", flush=True)

    def ratio(self, task, own, peer, ratio, goal=None, single=()):
        """Keep how many times as fast, or as small, ours is."""
        row = {"task": task, "tool": own, "against": peer, "ratio": float(f"{ratio:.3g}")}
        if single:
            row["spread"] = [float(f"{least(single):.3g}") for least in (min, max)]
        if goal:
            row["goal"] = goal
        self.ratios.append(row)
        reached = f"goal {goal:g}x: {'reached' if ratio >= goal else 'MISSED'}" if goal else ""
        print(f"{task:40} {own:28} {row['ratio']:10.3g}x {peer:28} {reached}", flush=True)

    def report(self):
        """What was measured, on what, and of which code."""
        return {
            "date": f"{datetime.now(UTC):%Y-%m-%d}",
            "commit": commit(),
            **machine(),
            "rounds": self.rounds,
            "amounts": self.amounts,
            "ratios": self.ratios,
        }


def results_of(name):
    """Where the results of a subject are kept."""
    return RESULTS / f"{name}.json"


def save(subject):
    """Write results/NAME.json."""
    RESULTS.mkdir(exist_ok=True)
    text = json.dumps(subject.report(), indent=1)
    results_of(subject.name).write_text(text + "\n", encoding="utf-8")


def fallen(subject, by=0.15):
    """Lines that say which ratios are lower than those kept, by more than a share of them."""
    if not results_of(subject.name).exists():
        return []
    kept = json.loads(results_of(subject.name).read_text(encoding="utf-8"))
    before = {_race(row): row["ratio"] for row in kept["ratios"]}
    return [
        f"{row['task']}, {row['tool']}, beside {row['against']}: "
        f"{before[_race(row)]:g} -> {row['ratio']:g} times as fast"
        for row in subject.ratios
        if _race(row) in before and row["ratio"] < (1 - by) * before[_race(row)]
    ]


def _race(row):
    return row["task"], row["tool"], row["against"]


def commit():
    """The commit that is measured; a plus sign where files have changed since."""
    git = ["git", "-C", str(ROOT)]
    read = partial(subprocess.run, capture_output=True, text=True, check=False)
    name = read([*git, "rev-parse", "--short=8", "HEAD"]).stdout.strip()
    changed = read([*git, "status", "--porcelain", "src", "native"]).stdout.strip()
    return name + "+" * bool(changed) if name else "unknown"


def machine():
    """What it ran on, without its name."""
    cpu = "unknown"
    if Path("/proc/cpuinfo").exists():
        found = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
        cpu = found[1] if found else platform.machine()
    versions = {name: version(name) for name in ["wordplane", "numpy", *PEERS] if installed(name)}
    gigabytes = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return {
        "cpu": cpu,
        "cores": THREADS,
        "gigabytes": round(gigabytes),
        "python": platform.python_version(),
        "versions": versions,
    }


def installed(name):
    """Whether a peer is here to be measured."""
    try:
        return bool(version(name))
    except Exception:
        return False


def shell(*command, **options):
    """Run a whole command, as from a shell; its output is dropped."""
    subprocess.run(
        [str(part) for part in command],
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        **options,
    )


def cost(*command):
    """Processor seconds and megabytes that a whole command took, with all it started."""
    script = (
        "import resource, subprocess, sys;"
        "subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL,"
        " stderr=subprocess.DEVNULL);"
        "used = resource.getrusage(resource.RUSAGE_CHILDREN);"
        "print(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)"
    )
    arguments = [sys.executable, "-c", script, *map(str, command)]
    printed = subprocess.run(arguments, check=True, stdout=subprocess.PIPE, text=True).stdout
    seconds, megabytes = map(float, printed.split())
    return seconds, megabytes


# `wordplane` of the environment that runs this.
WORDPLANE = (sys.executable, "-m", "wordplane")

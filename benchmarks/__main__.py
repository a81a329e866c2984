"""Measure everything, or the subjects named: `python -m benchmarks [--quick] [SUBJECT ...]`.

Results go to benchmarks/results/, and from there into the table of README.md; with --quick, which
takes fewer rounds and less data, they are only shown. With --check they are compared with those
kept: what has become slower beside its peer by more than 15 % is named, and the exit code is 1.
"""

import argparse
import sys
import time
from importlib import import_module

from benchmarks import harness
from benchmarks.table import write_table

SUBJECTS = [
    "text_engine",
    "learners",
    "commands",
    "latency",
    "tuning",
    "regression",
    "neighbors",
    "vectors",
    "growth",
]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("subjects", nargs="*", help=f"any of {', '.join(SUBJECTS)}; all if none")
    parser.add_argument(
        "--quick", action="store_true", help="one round, less data, no results kept"
    )
    parser.add_argument(
        "--check", action="store_true", help="compare with the results kept, and keep those"
    )
    parser.add_argument("--rounds", type=int, default=3, help="how often each tool runs")
    args = parser.parse_args()
    if unknown := set(args.subjects) - set(SUBJECTS):
        parser.error(f"no subject {', '.join(sorted(unknown))}; choose from {', '.join(SUBJECTS)}")
    if args.quick and args.check:
        parser.error("--quick measures other tasks than those kept: it cannot be compared")
    slower = []
    for name in args.subjects or SUBJECTS:
        start = time.perf_counter()
        print(f"\n{name}")
        measure = import_module(f"benchmarks.{name}").main
        subject = measure(1 if args.quick else args.rounds, args.quick)
        print(f"{name}: {time.perf_counter() - start:.0f} s")
        if subject and args.check:
            slower += harness.fallen(subject)
        elif subject and not args.quick:
            harness.save(subject)
    if args.check:
        print("\nfallen by more than 15 %:", *(slower or ["nothing"]), sep="\n  ")
    elif not args.quick:
        write_table()
    return 1 if slower else 0


sys.exit(main())

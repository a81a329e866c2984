"""Commands while memory is refused; run by `tests/test_memory_failure.py` in a process of its own.

    python -m tests.memory_failure calls N N ...    the N-th allocation is refused
    python -m tests.memory_failure limit N          0, N, 2 N, ... kilobytes more than at the start
                                                    are granted, until the command needs no more

Prints a line for each command before it begins, so that a crash has a name, and at the end how
many commands failed and how many did not.
"""

import contextlib
import ctypes
import io
import resource
import sys
import traceback
from collections.abc import Callable, Iterable
from functools import partial
from itertools import count
from pathlib import Path

from wordplane.cli import main

COMMANDS = {
    "train": "train data.csv --learner svm -o out.wordplane --force",
    "train nb": "train data.csv --learner nb -o out.wordplane --force",
    "predict": "predict model.wordplane data.csv -o out.csv --force",
    "predict lines": "predict model.wordplane data.txt -o out.jsonl --force",
    "load": "inspect model.wordplane",
    "evaluate": "evaluate model.wordplane data.csv",
    "explain": "explain model.wordplane good",
}


def prepare(n_rows: int) -> dict[str, bytes]:
    """Data, a model, and what each command writes when nothing is refused."""
    rows = [
        (f"good w{i} film v{i % 7}", "a") if i % 2 else (f"bad x{i}", "b") for i in range(n_rows)
    ]
    Path("data.csv").write_text("text,label\n" + "".join(f"{t},{y}\n" for t, y in rows))
    Path("data.txt").write_text("".join(f"{t}\n" for t, _ in rows))
    assert run("train data.csv --learner nb -o model.wordplane --force")[0] == 0
    written = {}
    for name, command in COMMANDS.items():
        code, said = run(command)
        assert code == 0, said
        for path in Path().glob("out.*"):
            written[name] = path.read_bytes()
            path.unlink()
    return written


def run(command: str, start: Callable[[], None] = lambda: None) -> tuple[int, str]:
    """The exit code and what goes to stderr; memory is refused from `start` on."""
    out, err, words = io.StringIO(), io.StringIO(), command.split()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        start()
        try:
            code = main(words)
        finally:
            refuse(-1)
            lift()
    return code, err.getvalue()


def check(name: str, code: int, said: str, written: dict[str, bytes]) -> None:
    """An error with words, and no part of a file."""
    files = {path.name: path.read_bytes() for path in Path().iterdir() if "out." in path.name}
    for path in files:
        Path(path).unlink()
    if code == 0:
        assert list(files.values()) == ([written[name]] if name in written else []), files.keys()
        return
    assert code in (1, 2), code
    assert said.splitlines()[-1].startswith("wordplane: "), said
    assert not files, files.keys()


def attempts(
    name: str, written: dict[str, bytes], way: Callable[[int], None], numbers: Iterable[int]
) -> list[int]:
    """How many attempts failed, and how many did not."""
    counts = [0, 0]
    for n in numbers:
        sys.stderr.write(f"{name} {n}\n")
        try:
            code, said = run(COMMANDS[name], partial(way, n))
            check(name, code, said, written)
        except BaseException:
            traceback.print_exc()
            raise SystemExit(1) from None
        counts[code == 0] += 1
        if code == 0 and way is limit:
            break
    return counts


def refuse(n: int) -> None:
    if hasattr(LIBRARY, "refuse_after"):
        LIBRARY.refuse_after(ctypes.c_long(n))


def limit(kilobytes: int) -> None:
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    size = pages * resource.getpagesize() + (kilobytes << 10)
    resource.setrlimit(resource.RLIMIT_AS, (size, resource.RLIM_INFINITY))


def lift() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


LIBRARY = ctypes.CDLL(None)

if __name__ == "__main__":
    how, *given = sys.argv[1:]
    way = {"calls": refuse, "limit": limit}[how]
    expected = prepare(12_000)
    total = [0, 0]
    for command_name in COMMANDS:
        numbers = map(int, given) if how == "calls" else count(0, int(given[0]))
        found = attempts(command_name, expected, way, numbers)
        total = [total[0] + found[0], total[1] + found[1]]
    sys.stdout.write(f"{total[0]} {total[1]}\n")

"""Digests of all that the verbs print and write, made in the current folder.

    python -m tests.digests N_TEXTS [--stdin] [NAME ...]

prints a JSON object with one digest per step. With --stdin, data is read from standard input where
a verb takes it. `tests/test_same_bits.py` runs this in different surroundings.
"""

import io
import json
import re
import shlex
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import numpy as np

from wordplane.cli import VERBS, main
from wordplane.learners.registry import LEARNERS
from wordplane.model.file import load_model, to_bytes

# Each step: its name, the command, and the files that it writes.
TRAINED = {
    f"train {name}": (f"train data.csv --learner {name} -o {name}.wordplane", [f"{name}.wordplane"])
    for name in ("recipe", *LEARNERS)
    if name != "ordinal"  # whose labels are numbers
}
STEPS = {
    **TRAINED,
    "train ordinal": ("train stars.csv --learner ordinal -o o.wordplane", ["o.wordplane"]),
    "train tags": ("train tags.jsonl -o tags.wordplane", ["tags.wordplane"]),
    "train chars": ("train data.csv --features char,shape -o c.wordplane", ["c.wordplane"]),
    "train unlabeled": ("train data.csv --unlabeled more.csv -o u.wordplane", ["u.wordplane"]),
    "train pu": (
        "train one.csv --unlabeled more.csv --learner pu -o pu.wordplane",
        ["pu.wordplane"],
    ),
    "train oneclass": ("train one.csv --learner oneclass -o one.wordplane", ["one.wordplane"]),
    "train resumable": (
        "train data.csv --learner nb --resumable -o s.wordplane",
        ["s.wordplane"],
    ),
    "update": ("update s.wordplane stars.csv --forget 0.1 -o up.wordplane", ["up.wordplane"]),
    "unlearn": ("unlearn s.wordplane one.csv -o without.wordplane", ["without.wordplane"]),
    "train tune": ("train data.csv --learner svm --tune -o t.wordplane", ["t.wordplane"]),
    "predict": ("predict recipe.wordplane data.csv -o p.csv", ["p.csv"]),
    "predict lines": ("predict nb.wordplane data.txt", []),
    "predict tags": ("predict tags.wordplane tags.jsonl --json", []),
    "evaluate": ("evaluate recipe.wordplane data.csv --json --bootstrap", []),
    "explain": ("explain recipe.wordplane 'w1 w2 w3 w5 w8' --data data.csv --json", []),
    "compare": ("compare data.csv --learners recipe,nb,svm,mira --folds 3 --json", []),
    "tune": ("tune data.csv --learner logistic --folds 3 --json -o v.wordplane", ["v.wordplane"]),
    "report": ("report recipe.wordplane data.csv -o r.html", ["r.html"]),
    "diagnose": ("diagnose data.csv --learner nb --json", []),
    "monitor": ("monitor recipe.wordplane data.csv --json", []),
    "audit": ("audit data.csv --json", []),
    "train two": ("train two.csv --learner svm -o two.wordplane", ["two.wordplane"]),
    "edit": (
        "edit two.wordplane two.csv --forbid w1 --cap w2=0.01 --pin w3=0.5 -o x.wordplane",
        ["x.wordplane"],
    ),
    "compress": (
        "compress recipe.wordplane data.csv --max-size 40kB -o c.wordplane",
        ["c.wordplane"],
    ),
    "check": ("check recipe.wordplane tests.toml --json", []),
    "inspect": ("inspect recipe.wordplane --json", []),
    "embed": ("embed data.csv -o e.embeddings", ["e.embeddings"]),
    "neighbors": ("neighbors e.embeddings w1 w2 --json --map n.svg", ["n.svg"]),
    "cluster": (
        "cluster data.csv -k 3 --assign a.csv -o k.html --map pca",
        ["a.csv", "k.html"],
    ),
    "lexicon": ("lexicon data.csv --json", []),
    "convert": ("convert data.csv -o o.jsonl", ["o.jsonl"]),
    "convert model": ("convert nb.wordplane -o nb.json", ["nb.json"]),
    "convert features": ("convert data.csv --features nb.wordplane -o o.svmlight", ["o.svmlight"]),
    "completion": ("completion bash", []),
    "demo": ("demo die", []),
    "notebook": ("notebook lab -o n.ipynb", ["n.ipynb"]),
}
TIMES = re.compile(r"\d+(\.\d+)? (s|ms|min)\b")


def write_data(n_texts: int) -> None:
    """Texts of three classes, by a generator of numbers of our own seed."""
    rng = np.random.default_rng(1)
    rows = []
    for i in range(n_texts):
        words = rng.zipf(1.3, rng.integers(5, 40)) % 400 + 100 * (i % 3) * rng.integers(0, 2)
        rows.append((" ".join(f"w{word}" for word in words), "abc"[i % 3]))
    Path("data.csv").write_text("text,label\n" + "".join(f"{t},{y}\n" for t, y in rows))
    two = (f"{t},{y}\n" for t, y in rows if y != "c")
    Path("two.csv").write_text("text,label\n" + "".join(two))
    one = (f"{t},{y}\n" for t, y in rows if y == "b")
    Path("one.csv").write_text("text,label\n" + "".join(one))
    stars = (f"{t},{1 + len(t) % 4}\n" for t, _ in rows)
    Path("stars.csv").write_text("text,label\n" + "".join(stars))
    Path("more.csv").write_text("text\n" + "".join(f"{t}\n" for t, _ in reversed(rows)))
    Path("tests.toml").write_text(
        '[[test]]\nname = "swap"\nexpect = "same"\ndata = "data.csv"\n'
        'swap = ["w1", "w2"]\nallow = 0.9\n'
    )
    Path("data.txt").write_text("".join(f"{t}\n" for t, _ in rows))
    lines = [{"text": t, "label": [y, "xyz"[len(t) % 3]]} for t, y in rows]
    Path("tags.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


def digest(command: str, files: list[str], from_stdin: bool) -> str:
    words = [*shlex.split(command), *(["--force"] if files else [])]
    if from_stdin and "data.csv" in words and words[0] != "explain":
        words[words.index("data.csv")] = "-"
        words += ["--format", "csv"]
        sys.stdin = io.TextIOWrapper(io.BytesIO(Path("data.csv").read_bytes()), "utf-8")
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = main(words)
    if code:
        raise SystemExit(f"{command}: exit code {code}\n{err.getvalue()}")
    sha = sha256()
    printed = out.getvalue()
    if "--json" in words and printed.startswith("{") and "\n{" not in printed:
        printed = json.dumps(_without_times(json.loads(printed)))
    for text in (printed, *map(_content, files)):
        sha.update(TIMES.sub("", text).replace("data.csv", "stdin").encode())
    return sha.hexdigest()


def _without_times(value: object) -> object:
    if isinstance(value, dict):
        kept = {name: one for name, one in value.items() if "seconds" not in name}
        return {name: _without_times(one) for name, one in kept.items()}
    return [_without_times(one) for one in value] if isinstance(value, list) else value


def _content(name: str) -> str:
    if name.endswith(".wordplane"):  # has the name of its source, too
        model = load_model(name)
        model.training = replace(model.training, source="")
        return sha256(to_bytes(model)).hexdigest()
    return Path(name).read_bytes().decode("latin-1")


def run(n_texts: int, names: list[str], from_stdin: bool) -> dict[str, str]:
    write_data(n_texts)
    return {name: digest(*STEPS[name], from_stdin) for name in names or STEPS}


assert {command.split()[0] for command, _ in STEPS.values()} == set(VERBS) - {"annotate", "serve"}

if __name__ == "__main__":
    given = [word for word in sys.argv[2:] if word != "--stdin"]
    found = run(int(sys.argv[1]), given, "--stdin" in sys.argv)
    sys.stdout.write(json.dumps(found) + "\n")

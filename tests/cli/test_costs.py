"""What verbs cost: in proportion to the data, whatever is in it."""

import contextlib
import tempfile
from functools import cache, partial
from pathlib import Path

import pytest
from threadpoolctl import threadpool_limits

from tests.costs import MOST, check_linear, check_memory, peak_bytes
from wordplane.cli import main

N_ROWS = 60  # besides what grows


def csv(rows):
    return "text,label\n" + "".join(f"{text},{label}\n" for text, label in rows)


def few():
    return [(f"good film w{i % 9} v{i}", "ab"[i % 2]) for i in range(N_ROWS)]


def long_text(n):
    """One text of many words that occur often."""
    return csv([*few(), (" ".join(f"w{i % 50}" for i in range(n)), "a")])


def distinct_words(n):
    """One text of words that occur once."""
    return csv([*few(), (" ".join(f"x{i}" for i in range(n)), "a")])


def repetition(n):
    return csv([*few(), ("good " * n, "a")])


def long_word(n):
    return csv([*few(), ("x" * n, "a")])


def equal_texts(n):
    return csv([*few(), *[("the same text again", "a")] * n])


def many_texts(n):
    return csv([(f"good film w{i % 97} v{i % 89} u{i}", "ab"[i % 2]) for i in range(n)])


def many_labels(n):
    """More and more labels of the same number of texts."""
    return csv([(f"good film w{i % 97} v{i % 89}", f"label {i % n}") for i in range(800)])


FAMILIES = {
    long_text: 20_000,
    distinct_words: 5_000,
    repetition: 30_000,
    long_word: 100_000,
    equal_texts: 2_000,
    many_texts: 1_000,
    many_labels: 40,
}
VERBS = {
    "train nb": "train {} --learner nb -o out.wordplane --force",
    "train": "train {} --fast -o out.wordplane --force",  # folds would choose by size
    "train svm": "train {} --learner svm --no-test -o out.wordplane --force",
    "predict": "predict m.wordplane {} -o out.csv --force",
    "evaluate": "evaluate m.wordplane {}",
    "compare": "compare {} --learners nb,complement --folds 2",
    "tune": "tune {} --learner nb --folds 2 --grid alpha=0.1,1",
    "diagnose": "diagnose {} --learner nb",
    "audit": "audit {}",
    "lexicon": "lexicon {}",
    "embed": "embed {} -o out.embeddings --force --n-components 5",
    "cluster": "cluster {} -k 2",
    "convert": "convert {} -o out.jsonl --force",
    "report": "report m.wordplane {} -o out.html --force --quick",
    "update": "update m.wordplane {} -o out.wordplane --force",
    "edit": "edit svm.wordplane {} --forbid good -o out.wordplane --force",
}
OTHER_LABELS = ("evaluate", "report", "edit")  # not those of the model
LONG = ("diagnose", "report")  # train many models or draw: in soak only
ALL = [
    (verb, family)
    for verb in VERBS
    for family in FAMILIES
    if not (verb in OTHER_LABELS and family is many_labels)
]
PAIRS = [pair for pair in ALL if pair[0] not in LONG]


TRAINING = {
    "m.wordplane": "--learner nb --resumable",
    "svm.wordplane": "--learner svm",  # for edit: naive Bayes cannot be edited
}


@cache
def few_models():
    """Files of models of a few texts."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        Path("few.csv").write_text(csv(few()))
        for name, options in TRAINING.items():
            assert main(f"train few.csv {options} -o {name}".split()) == 0
        return {name: Path(name).read_bytes() for name in TRAINING}


def write_models():
    for name, content in few_models().items():
        Path(name).write_bytes(content)


def check(verb, family, n, folder):
    write_models()

    def write(size):
        path = folder / f"{size}.csv"
        path.write_text(family(size))
        return path.name

    def run(name):
        with threadpool_limits(1):  # threads of scikit-learn's that wait cost processor time
            assert main([*VERBS[verb].format(name).split(), "--threads", "1"]) == 0

    check_linear(write, run, n, runs=1)


@pytest.mark.slow
@pytest.mark.parametrize(("verb", "family"), PAIRS, ids=lambda one: getattr(one, "__name__", one))
def test_cost_is_linear(verb, family, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    check(verb, family, FAMILIES[family], tmp_path)


@pytest.mark.soak
@pytest.mark.parametrize(("verb", "family"), ALL, ids=lambda one: getattr(one, "__name__", one))
def test_cost_is_linear_at_larger_sizes(verb, family, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    check(verb, family, 5 * FAMILIES[family], tmp_path)


@pytest.mark.slow
def test_explaining_and_looking_up_is_linear(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("few.csv").write_text(csv(few()))
    assert main(["train", "few.csv", "--learner", "nb", "-o", "m.wordplane"]) == 0

    def explain(text):
        assert main(["explain", "m.wordplane", text]) == 0

    check_linear(lambda n: " ".join(f"good w{i % 50} y{i}" for i in range(n)), explain, 600)

    def vectors(n):
        Path(f"{n}.vec").write_text("".join(f"w{i} {i % 7} {i % 11} 1\n" for i in range(n)))
        return f"{n}.vec"

    check_linear(vectors, lambda name: main(["neighbors", name, "w1"]), 1_000)

    def model(n):
        Path(f"{n}.csv").write_text(distinct_words(n))
        name = f"{n}.wordplane"
        assert main(["train", f"{n}.csv", "--learner", "nb", "-o", name, "--force"]) == 0
        return name

    check_linear(model, lambda name: main(["inspect", name]), 2_000)
    convert = "convert {} -o out.json --force"
    check_linear(model, lambda name: main(convert.format(name).split()), 2_000)


# By verb: bytes of memory for each byte of a file of texts.
MOST_MEMORY = {
    "train nb": 200, "train": 500, "train svm": 150, "predict": 30, "evaluate": 40, "compare": 300,
    "tune": 300, "audit": 400, "lexicon": 200, "embed": 200, "cluster": 200, "convert": 20,
    "update": 300, "diagnose": 400,
}  # fmt: skip
GROWING = {many_texts: 20_000, distinct_words: 30_000, long_word: 2_000_000}


CASES = [(verb, family) for verb in MOST_MEMORY for family in GROWING]
# Those that read texts and count words; the others do so in the same way.
READING = ("train nb", "train", "predict", "audit", "convert")
USUAL = [pair for pair in CASES if pair[0] in READING or pair[1] is many_texts]


def verb_arguments(verb, name):
    return [*VERBS[verb].format(name).split(), "--threads", "1"]


@cache
def least_bytes(verb):
    """What a verb holds for a few rows."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        write_models()
        Path("few.csv").write_text(csv(few()))
        return peak_bytes(verb_arguments(verb, "few.csv"), Path(folder))


def memory_of(verb, family, sizes, folder):
    write_models()
    for size in sizes:
        Path(f"{size}.csv").write_text(family(size))
    names = [f"{size}.csv" for size in sizes]
    arguments = partial(verb_arguments, verb)
    return check_memory(names, arguments, folder, least_bytes(verb), MOST_MEMORY[verb])


@pytest.mark.slow
@pytest.mark.parametrize(("verb", "family"), USUAL, ids=lambda one: getattr(one, "__name__", one))
def test_memory_is_a_few_times_the_file(verb, family, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    memory_of(verb, family, [GROWING[family]], tmp_path)


@pytest.mark.soak
@pytest.mark.parametrize(("verb", "family"), CASES, ids=lambda one: getattr(one, "__name__", one))
def test_memory_is_linear(verb, family, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    n = GROWING[family]
    small, large = memory_of(verb, family, [n, 4 * n], tmp_path)
    assert large <= MOST * max(small, 0) + 40e6, f"{small / 1e6:.0f}, then {large / 1e6:.0f} MB"

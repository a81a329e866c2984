"""Bad input given to the verbs and functions: what becomes of it, in the words of the page."""

import csv
import io
import json
import re
import warnings
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

import wordplane
from tests.bad_inputs.cases import GOOD, Case
from wordplane.cli import main
from wordplane.common.errors import InputError
from wordplane.data.read import read, read_batches

# Notes that good input gets, too.
USUAL = re.compile(r"\w+ column: .* \(by its (name|content)\)|these are the texts the model was.*")
OF_LABELS = ("label", "weight", "label_separator", "skip_unlabeled")


@dataclass
class Outcome:
    """word: read, note or error; n_rows: of the result, None for an error."""

    word: str
    message: str
    n_rows: int | None = None


def outcome(notes: list[str], n_rows: int) -> Outcome:
    unusual = [note for note in notes if not USUAL.fullmatch(note)]
    return Outcome("note" if unusual else "read", "\n".join(unusual), n_rows)


def flags(options: dict) -> list[str]:
    """Options of `read` as options of the command line.

    >>> flags({"skip_bad": True, "header": False, "text": "1"})
    ['--skip-bad', '--no-header', '--text=1']
    """
    found = []
    for name, value in options.items():
        name = "no_header" if name == "header" else name
        flag = "--" + name.replace("_", "-")
        found.append(flag if isinstance(value, bool) else f"{flag}={value}")
    return found


def command(*words: str) -> tuple[int, str, str]:
    """The exit code, stdout and stderr of a command."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        try:
            code = main(list(words))
        except SystemExit as end:
            code = end.code
    return code, out.getvalue(), err.getvalue()


def notes_of(err: str) -> list[str]:
    return [line.removeprefix("note: ") for line in err.splitlines() if line.startswith("note: ")]


def failed(code: int, err: str) -> Outcome:
    assert code == 2, f"exit code {code}: {err}"
    begin = f"\n{err}".rindex("\nwordplane")  # commands that would help are indented
    return Outcome("error", err[begin:].removeprefix("wordplane: "))


def run_train(case: Case) -> Outcome:
    """The model is x.wordplane if there is one afterwards."""
    words = ("train", "--learner=nb", "--json", "-o", "x.wordplane", "--force")
    code, out, err = command(*words, *flags(case.options), "--", case.source)
    if code:
        return failed(code, err)
    result = json.loads(out)
    return outcome([*result["notes"], *notes_of(err)], result["n_rows"])


def run_predict(case: Case, model: str) -> Outcome:
    options = {name: value for name, value in case.options.items() if name not in OF_LABELS}
    words = ("predict", *flags(options), "-o", "x.out.csv", "--force", "--", model, case.source)
    code, _, err = command(*words)
    if code:
        assert not Path("x.out.csv").exists(), "rows were written before the error"
        return failed(code, err)
    with Path("x.out.csv").open(newline="") as file:
        return outcome(notes_of(err), len(list(csv.reader(file))) - 1)


def run_evaluate(case: Case, model: str) -> Outcome:
    code, out, err = command(
        "evaluate", "--json", "--rows=all", *flags(case.options), "--", model, case.source
    )
    if code:
        return failed(code, err)
    result = json.loads(out)
    return outcome([*result["notes"], *notes_of(err)], result["n"])


def run_read(case: Case) -> Outcome:
    """Whole and in batches: the same rows, or an error from both."""
    try:
        corpus = read(case.source, **case.options)
    except InputError as error:
        try:
            for _ in read_batches(case.source, batch_size=3, **case.options):
                pass
        except InputError:
            return Outcome("error", str(error))
        raise AssertionError("batches are read where the whole file is not") from error
    batches = list(read_batches(case.source, batch_size=3, **case.options))
    assert [text for batch in batches for text in batch.texts] == list(corpus.texts)
    return outcome(list(corpus.notes), len(corpus))


def run_values(column: str, make, good_model) -> Outcome:
    """A function that takes texts, labels and weights."""
    texts, labels, weights = make()
    notes = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            if column == "fit":
                model = wordplane.TextClassifier(learner="nb", n_jobs=1)
                n_rows = model.fit(texts, labels, weights).training_.n_docs
            elif column == "train":
                result = wordplane.train(texts, labels, learner="nb", n_jobs=1)
                n_rows, notes = result.n_rows, list(result.notes)
            elif column == "predict":
                n_rows = len(good_model.predict(texts))
            elif column == "score":
                assert 0 <= good_model.score(texts, labels, weights) <= 1
                n_rows = len(GOOD)
            else:
                result = wordplane.evaluate(good_model, texts, labels, n_jobs=1)
                n_rows, notes = result.scores.n, list(result.notes)
        except (InputError, ValueError, TypeError) as error:
            assert type(error).__module__.startswith("wordplane"), repr(error)
            return Outcome("error", str(error))
    return outcome([*notes, *(str(one.message) for one in caught)], n_rows)

"""Help in two sizes, and how much a verb says.

Tests of wordplane.cli.help and wordplane.cli.console.
"""

import io
import re
import sys

import pytest

from wordplane.cli import main, make_parser, verb_parser
from wordplane.cli.console import show_progress
from wordplane.cli.help import BASICS, OTHER_OPTIONS, VERB_GROUPS, VERBS
from wordplane.common.progress import notify


def shown(capsys, *typed):
    with pytest.raises(SystemExit) as stop:
        main(list(typed))
    assert stop.value.code == 0
    return capsys.readouterr().out


def options_of(verb):
    return verb_parser(make_parser(verb), verb)


@pytest.fixture(autouse=True)
def narrow(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")


@pytest.mark.parametrize("verb", VERBS)
def test_help_is_a_page_with_examples_first(verb, capsys):
    page = shown(capsys, verb, "--help")
    assert page.count("\n") <= 60
    assert page.index("examples:") < page.index("options:")
    assert shown(capsys, "help", verb) == page
    everything = shown(capsys, verb, "--help-all")
    options = set(re.findall(r"^  (?:-\w.*, )?(--[\w-]+)", everything, re.M))
    assert set(re.findall(r"^  (?:-\w.*, )?(--[\w-]+)", page, re.M)) <= options
    if "--help-all\n" in page.splitlines(keepends=True)[-1]:
        hidden = int(page.splitlines()[-1].split()[0])
        assert hidden > 0


@pytest.mark.parametrize("verb", BASICS)
def test_the_usual_options_are_those_of_the_verb(verb, capsys):
    known = {action.dest for action in options_of(verb)._actions}
    assert set(BASICS[verb].split()) <= known


def test_columns_come_before_rarer_options(capsys):
    page = shown(capsys, "train", "--help")
    assert page.index("--label COLUMN") < page.index("--learner NAME") < page.index("--seed")
    assert "--scratch" not in page
    assert "--scratch" in shown(capsys, "train", "--help-all")


def test_verbs_are_in_groups(capsys):
    page = shown(capsys, "--help")
    assert page.count("\n") <= 60
    places = [page.index(f"\n{title}:\n") for title in VERB_GROUPS]
    assert places == sorted(places) and page.index("examples:") < places[0]
    assert shown(capsys, "help") == page


def test_options_of_other_tools_lead_to_ours():
    actions = [a for verb in ("train", "tune", "predict") for a in options_of(verb)._actions]
    known = {name for action in actions for name in action.option_strings}
    assert {ours.split()[0] for ours in OTHER_OPTIONS} <= known


def test_the_page_of_annotate_lists_the_options_of_its_examples(capsys):
    page = shown(capsys, "help", "annotate")
    assert page.startswith("usage: wordplane annotate TEXTS ... [options]")
    for option in ("--labels A,B,C", "--export FILE", "--model FILE"):
        assert f"\n  {option} " in page


def test_a_model_as_a_page_is_among_the_first_examples(capsys):
    assert "wordplane convert m.wordplane -o page.html" in shown(capsys, "help", "convert")


def test_quiet_prints_the_result_alone(data, capsys):
    assert main(["train", data, "-q", "-o", "q.wordplane"]) == 0
    out, err = capsys.readouterr()
    assert err == "" and "accuracy" in out
    assert main(["predict", "q.wordplane", data, "-q", "-o", "labels.csv"]) == 0
    assert capsys.readouterr().err == ""
    assert main(["predict", "nothing.wordplane", data, "-q"]) == 2
    assert "there is no such file" in capsys.readouterr().err  # errors are said


def test_verbose_says_what_is_done_and_shows_every_class(data, capsys):
    assert main(["train", data, "-v"]) == 0
    out, err = capsys.readouterr()
    assert re.search(r"^ +\d+\.\d\d s  fitting LinearSVM$", err, re.M)
    assert re.search(r"^ +\d+\.\d\d s  done$", err, re.M)
    assert re.search(r"^label +texts +precision", out, re.M)
    assert main(["train", data, "--force"]) == 0  # the next command is as loud as usual
    assert " s  done" not in capsys.readouterr().err


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_something_is_shown_at_once_and_one_bar_tells_what_is_left(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", screen := Terminal())
    with show_progress():
        assert "starting" in screen.getvalue()
        notify("learners: nb", 6, 15)
        notify("fitting", 3, 0)
    text = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", screen.getvalue())
    assert "fitting" in text


@pytest.mark.parametrize(
    ("verb", "first"), [("diagnose", "accuracy .* in the first of 2 folds"), ("compare", "nb: ")]
)
def test_first_results_are_shown_before_the_last(data, monkeypatch, verb, first):
    monkeypatch.setattr(sys, "stderr", screen := Terminal())
    few = ["--learners", "nb"] if verb == "compare" else ["--learner", "nb"]
    assert main([verb, data, *few, "--folds", "2"]) == 0
    assert re.search(f"so far    {first}", screen.getvalue())
    monkeypatch.setattr(sys, "stderr", quiet := Terminal())
    assert main([verb, data, *few, "--folds", "2", "-q"]) == 0
    assert quiet.getvalue() == ""

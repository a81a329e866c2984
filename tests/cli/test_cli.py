"""What all verbs share: errors, help, streams, columns; and `wordplane inspect`.

Tests of wordplane.__main__, wordplane.cli.console, wordplane.cli.options, wordplane.cli.outputs and
wordplane.cli.values. What the other verbs do is tested with the work that they start:
wordplane.cli.audit, wordplane.cli.compare and wordplane.cli.diagnose in tests/diagnosis;
wordplane.cli.check, wordplane.cli.edit and wordplane.cli.explain in tests/workflow;
wordplane.cli.report in tests/report; wordplane.cli.serve in tests/serving; wordplane.cli.cluster
and wordplane.cli.neighbors with `wordplane embed`.
"""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

import wordplane
from tests.cli.conftest import ROWS
from tests.cli.running import wordplane_process
from wordplane.cli import VERBS, main
from wordplane.model.training_record import Training


def test_models_and_data_are_told_apart(model, data, capsys):
    capsys.readouterr()
    assert main(["train", model]) == 2
    assert capsys.readouterr().err == f"wordplane: {model} is a model, not data\n"
    for verb in ("predict", "evaluate", "report"):
        assert main([verb, data, model]) == 2
        hint = f"the model comes first: wordplane {verb} {model} {data}\n"
        assert capsys.readouterr().err.endswith(hint)


def test_text_of_strangers_does_not_steer_the_terminal(here, capsys):
    (here / "d.csv").write_text("text,label\ngood,a\x1b[2J\nbad,b\n")
    assert main(["train", "d.csv", "-o", "m.wordplane"]) == 0
    assert main(["inspect", "m.wordplane"]) == 0
    assert main(["evaluate", "m.wordplane", "d.csv"]) == 0
    out, err = capsys.readouterr()
    assert "\x1b" not in out + err
    assert "a\\x1b[2J" in out


def test_inspect_bears_an_empty_training_record(model, capsys):
    loaded = wordplane.load(model)
    loaded.model_.training = Training()
    loaded.save("odd.wordplane")
    assert main(["inspect", "odd.wordplane"]) == 0
    assert "trained   by unknown on unknown texts" in capsys.readouterr().out


def test_more_threads_than_can_be_had(model, data):
    done = wordplane_process("predict", model, data, "--threads", "100000")
    assert done.returncode == 0
    assert done.stdout.count(b"\n") == len(ROWS) + 1


@pytest.mark.parametrize("redirect", [">&-", "<&-", "2>&-"])
def test_closed_streams(model, redirect):
    command = f"{sys.executable} -m wordplane predict {model} reviews.csv {redirect}"
    done = subprocess.run(command, shell=True, capture_output=True, timeout=60)
    assert b"Traceback" not in done.stderr


@pytest.mark.slow
def test_a_terminal_without_unicode(here):
    (here / "d.csv").write_text("text,label\ngood,😀\nbad,b\n", encoding="utf-8")
    env = {**os.environ, "PYTHONIOENCODING": "ascii"}
    assert wordplane_process("train", "d.csv", "-o", "m.wordplane", env=env).returncode == 0
    done = wordplane_process("predict", "m.wordplane", "d.csv", env=env)
    assert "1,😀," in done.stdout.decode("utf-8")


def test_interrupted(here, model):
    process = subprocess.Popen(
        [sys.executable, "-m", "wordplane", "predict", model, "-", "-o", "out.csv"],
        stdin=subprocess.PIPE, stderr=subprocess.PIPE,
        # a process started in the background by a script would ignore Ctrl-C
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )  # fmt: skip
    with process.stdin, process.stderr:
        process.stdin.write(b"great\n" * 30_000)
        process.stdin.flush()
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        assert process.stderr.read() == b"wordplane: interrupted\n"
    assert process.wait(timeout=60) == 130
    assert sorted(path.name for path in here.iterdir()) == ["m.wordplane", "reviews.csv"]


def test_inspect(model, capsys):
    assert main(["inspect", model, "--top", "1"]) == 0
    out = capsys.readouterr().out
    assert "classes   neg, pos" in out
    assert "  pos: great\n" in out
    assert main(["inspect", model, "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["classes"] == ["neg", "pos"]
    assert result["top_features"]["neg"][0][0] == "dull"
    assert result["analyzer"]["ngrams"] == [1, 2]


def test_inspect_tells_the_alpha_that_was_chosen(data, capsys):
    for given, told in ([], ", which chose alpha=1,"), (["--param", "alpha=0.5"], ""):
        assert (
            main(["train", data, "--learner", "nb", *given, "-o", "nb.wordplane", "--force"]) == 0
        )
        capsys.readouterr()
        assert main(["inspect", "nb.wordplane"]) == 0
        alpha = "0.5" if given else "'auto'"
        assert f"by MultinomialNB(alpha={alpha}){told} on 8 texts" in capsys.readouterr().out


@pytest.mark.slow
def test_demo(here, capsys):
    assert main(["demo"]) == 0
    out = capsys.readouterr().out
    assert "always 'asyncio' would be" in out
    assert " predict demo.wordplane -" in out
    assert len(wordplane.load("demo.wordplane").classes_) == 10
    assert main(["demo", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["scores"]["accuracy"] > 0.6
    (here / "demo.wordplane").write_text("mine")
    assert main(["demo"]) == 2
    assert "not from an earlier demo" in capsys.readouterr().err
    assert (here / "demo.wordplane").read_text() == "mine"


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["train", "absent.csv"], "absent.csv: there is no such file"),
        (["train", "absent.wordplane", "-o", "m"], "absent.wordplane: there is no such file"),
        (["train", "one.csv"], "every text has the label 'a'"),
        (["train", "test.csv"], "no row is marked train"),
        (["train", "empty.csv"], "empty.csv has no rows"),
        (["train", "wordless.csv"], "texts has a word"),
        (["train", "d.csv", "--label", "lable"], "lable"),
        (["train", "d.csv", "--min-df", "99"], "lower --min-df"),
        (["train", "d.csv", "--min-df", "0"], "min_df is 0"),
        (["train", "d.csv", "--threads", "0"], "(n_jobs) is 0"),
        (["train", "d.csv", "--param", "alpha"], "expected NAME=VALUE"),
        (["train", "d.csv", "--learner", "nb", "--param", "alpha=x"], "alpha is 'x'"),
        (["train", "d.csv", "--learner", "nb", "--param", "beta=1"], "parameter 'beta'"),
        (["train", "d.csv", "--param", "gamma=1"], "name it with --learner"),
        (["train", "d.csv", "-o", "absent/m.wordplane"], "there is no folder absent"),
        (["predict", "d.csv", "d.csv"], "d.csv: this is not a Wordplane model"),
        (["predict", "absent.wordplane", "d.csv"], "absent.wordplane: there is no such file"),
        (["evaluate", "absent.wordplane", "d.csv"], "no such file"),
        (["inspect", "."], "cannot be read"),
        (["compare", "d.csv"], "5 folds need at least 5 texts, there are 2: give more"),
        (["tune", "d.csv", "--folds", "3"], "3 folds need at least 3 texts, there are 2: give"),
        (["diagnose", "d.csv", "--folds", "1"], "--folds is 1, expected at least 2"),
    ],
)
def test_errors_are_one_line(here, args, message, capsys):
    (here / "d.csv").write_text("text,label\ngood,a\nbad,b\n")
    (here / "one.csv").write_text("text,label\ngood,a\nbad,a\n")
    (here / "test.csv").write_text("text,label,split\ngood,a,test\nbad,b,test\n")
    (here / "empty.csv").write_text("text,label\n")
    (here / "wordless.csv").write_text("text,label\n ,a\n ,b\n")
    code = main(args)
    out, err = capsys.readouterr()
    assert message in err
    assert code == 2
    assert err.startswith("wordplane: ")
    assert err.count("\n") == 1
    assert out == ""
    assert not list(here.glob("*.wordplane"))


@pytest.mark.parametrize("args", [[], ["fly"], ["train"], ["train", "d.csv", "--ngrams", "x"]])
def test_usage_errors(args, capsys):
    with pytest.raises(SystemExit) as stop:
        main(args)
    assert stop.value.code == 2
    assert ("see wordplane" if args else "usage: wordplane") in capsys.readouterr().err


@pytest.mark.parametrize("verb", VERBS)
def test_help_teaches(verb, capsys):
    with pytest.raises(SystemExit) as stop:
        main([verb, "--help"])
    assert stop.value.code == 0
    out = capsys.readouterr().out
    assert "examples:" in out
    assert f"wordplane {verb}" in out


def test_version(capsys):
    with pytest.raises(SystemExit):
        main(["--version"])
    assert capsys.readouterr().out == f"wordplane {wordplane.__version__}\n"


def test_no_color_codes_off_a_terminal(model, data):
    done = wordplane_process("evaluate", model, data, env={**os.environ, "TERM": "xterm"})
    assert b"\x1b" not in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("trian r.csv", "wordplane: there is no verb 'trian' (did you mean train?); see wordplane"),
        ("train r.csv --lerner nb", "train: there is no option --lerner (did you mean --learner?)"),
        ("train r.csv --model m", "train: there is no option --model; see wordplane train --help"),
        ("train r.csv --lerner=nb", "train: there is no option --lerner=nb (did you mean --learn"),
        ("train r.csv --ngrams 2-3", "argument --ngrams: '2-3' is not a range of numbers such as"),
        ("predict", "wordplane predict: the following arguments are required: model, data; see w"),
    ],
)
def test_mistyped_commands_get_one_line(capsys, arguments, message):
    with pytest.raises(SystemExit) as ended:
        main(arguments.split())
    assert ended.value.code == 2
    told = capsys.readouterr().err
    assert message in told
    assert told.count("\n") == 1


@pytest.mark.parametrize("verb", ["train", "diagnose", "unlearn"])
def test_options_of_training_are_named_as_they_are_typed(model, here, verb, capsys):
    """Also by verbs that do not have them."""
    (here / "one.csv").write_text("text,label\ngreat film,pos\ngreat fun,pos\n")
    (here / "gone.csv").write_text("text,label\ngreat film,pos\n")
    commands = {"unlearn": ["unlearn", model, "gone.csv", "--rest", "one.csv", "-o", "n.wordplane"]}
    assert main(commands.get(verb, [verb, "one.csv"])) == 2
    advice = (
        "--learner oneclass, or --learner pu if there are texts without labels too (--unlabeled)"
    )
    assert advice in capsys.readouterr().err


def test_a_missing_library_is_an_error_of_usage(model, data, here, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "xlsxwriter", None)
    assert main(["predict", model, data, "-o", "out.xlsx"]) == 2
    assert "pip install '.[excel]'" in capsys.readouterr().err

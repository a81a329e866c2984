"""`--config x.toml`"""

from pathlib import Path

import pytest

import wordplane
from wordplane.cli import main, make_parser


@pytest.fixture
def config(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [f"{word} film,so {word},{label}" for word, label in (("good", 1), ("bad", 0))]
    Path("r.csv").write_text("title,body,y\n" + "\n".join(rows * 4) + "\n")

    def config(content):
        Path("c.toml").write_text(content)

    return config


TRAIN = "train r.csv --config c.toml -o m.wordplane --force --no-test".split()


def test_file_gives_options_and_the_command_line_wins(config):
    config('[train]\nngrams = [1, 3]\nmin-df = 2\nlearner = "nb"\nparam = ["alpha=0.5"]\n')
    assert main(TRAIN) == 0
    model = wordplane.load("m.wordplane")
    assert (model.analyzer.ngrams, model.analyzer.min_df) == ((1, 3), 2)
    assert "alpha=0.5" in model.training_.learner_text
    assert main([*TRAIN, "--ngrams", "1,1", "--param=alpha=2"]) == 0
    model = wordplane.load("m.wordplane")
    assert (model.analyzer.ngrams, model.analyzer.min_df) == ((1, 1), 2)
    assert "alpha=2" in model.training_.learner_text


def test_repeated_options_and_switches(config):
    config('[train]\ntext = ["title", "body"]\nno-test = true\nnegation = true\nforce = false\n')
    assert main("train r.csv --config=c.toml -o m.wordplane".split()) == 0
    model = wordplane.load("m.wordplane")
    assert model.training_.text_columns == ("title", "body")
    assert model.analyzer.negation is True
    assert main([*TRAIN, "--text", "title", "--no-negation"]) == 0
    model = wordplane.load("m.wordplane")
    assert model.training_.text_columns == ("title",)
    assert model.analyzer.negation is False


def test_tables_of_other_verbs_are_not_looked_at(config):
    config("[tune]\nfolds = 3\n[predict]\nnonsense = 1\n")
    assert main(TRAIN) == 0


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            "[train]\nmin_df = 2\n",
            "[train]: min_df is not an option of train; did you mean min-df?",
        ),
        (
            "[trian]\nseed = 2\n",
            "c.toml: trian is not a verb; did you mean train?; options go below",
        ),
        ("seed = 2\n", "c.toml: seed is not a verb"),
        ("train = 2\n", "c.toml: train is 2, expected a table [train]"),
        ("[train]\nno-test = 1\n", "no-test is 1, expected true or false"),
        ("[train]\nseed = true\n", "seed is True, expected a number or a string"),
        ("[train]\nngrams = {a = 1}\n", "ngrams is {'a': 1}, expected a number or a string"),
        ("[train]\nconfig = 'x'\n", "config is not an option of train"),
        ("[train\n", "c.toml is not TOML"),
    ],
)
def test_mistakes_in_the_file(config, capsys, content, message):
    config(content)
    assert main(TRAIN) == 2
    assert message in capsys.readouterr().err


def test_wrong_values_and_missing_files(config, capsys):
    config("[train]\nseed = -1\n")
    with pytest.raises(SystemExit) as ended:
        main(TRAIN)
    assert ended.value.code == 2
    assert "argument --seed: '-1' is not a whole number" in capsys.readouterr().err
    Path("c.toml").unlink()
    assert main(TRAIN) == 2
    assert "c.toml: there is no such file" in capsys.readouterr().err


def test_every_verb_has_the_common_options():
    parser = make_parser(every_verb=True)
    (verbs,) = (action for action in parser._actions if action.dest == "verb")
    for verb, verb_parser in verbs.choices.items():
        options = verb_parser._option_string_actions
        assert "--config" in options
        if verb != "completion":
            assert "--json" in options
        if verb in ("train", "tune", "audit", "evaluate", "demo"):
            assert {"--seed", "--threads"} <= set(options)

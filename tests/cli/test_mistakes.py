"""Plausible mistakes on the command line, and the remedy that each message must name.

Tests of wordplane.cli.help and wordplane.cli.next_steps.
"""

import shlex

import pytest

from wordplane.cli import main
from wordplane.cli.console import say_next

MISTAKES = [
    ("trian reviews.csv", "did you mean train?"),
    ("label reviews.csv", "`wordplane predict MODEL DATA` labels texts with a model"),
    ("annotate nothing.csv", "no such file"),
    ("classify m.wordplane reviews.csv", "`wordplane predict MODEL DATA`"),
    ("test m.wordplane reviews.csv", "`wordplane evaluate MODEL DATA`"),
    ("reviews.csv", "a verb comes first, such as `wordplane train reviews.csv`"),
    ("m.wordplane", "a verb comes first, such as `wordplane inspect m.wordplane`"),
    ("m.wordplane reviews.csv", "such as `wordplane predict m.wordplane reviews.csv`"),
    ("help trian", "did you mean train?"),
    ("--versionn", "did you mean --version?"),
    ("version", "`wordplane --version`"),
    ("train review.csv", "did you mean reviews.csv?"),
    ("train reviews", "did you mean reviews.csv?"),
    ("train https://example.org/r.csv", "curl -L -o r.csv https://example.org/r.csv"),
    ("train 's3://bucket/r.csv?x=1'", "only files on this computer are read"),
    ("train 'nowhere/*.csv'", "there is no folder nowhere"),
    ("train reviews.csv --lerner nb", "did you mean --learner?"),
    ("train reviews.csv --learner smv", "there is no 'smv' (did you mean svm?)"),
    ("train reviews.csv --learner randomforest", "expected one of recipe, nb,"),
    ("train reviews.csv --label lable", "did you mean 'label'?"),
    ("train reviews.csv --label text", "the labels may be in 'label'"),
    ("train reviews.csv --ngrams 2-3", "is not a range of numbers such as 1,2"),
    ("train reviews.csv --wordNgrams 2", "did you mean --ngrams FROM,TO?"),
    ("train reviews.csv --epochs 10", "did you mean --param max_iter=N?"),
    ("train reviews.csv --target label", "--label label"),
    ("train reviews.csv --sep ';'", "did you mean --delimiter CHAR?"),
    ("train reviews.csv --n_jobs 2", "did you mean --threads N?"),
    ("train reviews.csv --learner svm --param c=1", "did you mean 'C'?"),
    ("train reviews.csv --param 0.1", "expected NAME=VALUE such as alpha=0.1"),
    ("train reviews.csv --encoding utf9", "examples: utf-8, cp1252"),
    ("train reviews.csv --config nothing.toml", "nothing.toml: there is no such file"),
    ("train reviews.csv --test t.csv", "`wordplane evaluate MODEL FILE` measures a model"),
    ("train reviews.csv --cv 5", "`wordplane compare DATA` measures learners by cross-validation"),
    ("train reviews.csv --test_size=0.2", "mark rows as test in a column `split`"),
    ("train reviews.csv --metric accurcy", "did you mean accuracy?"),
    ("train reviews.csv -o .", "name a file in it with -o"),
    ("train reviews.csv -o m.wordplane", "overwrite it with --force"),
    ("train reviews.csv -o m.pkl", "m.pkl: let the name of a model end in .wordplane; `wordplane"),
    ("train reviews.csv -o n.csv", "let the name of a model end in .wordplane"),
    ("tune reviews.csv -o n.json", "let the name of a model end in .wordplane"),
    ("train reviews.csv --report r.pdf", "r.pdf: let the name of a report end in .html"),
    ("report m.wordplane reviews.csv -o r.pkl", "let the name of a report end in .html"),
    ("compress m.wordplane -o n.html", "let the name of a model end in .wordplane"),
    ("cluster reviews.csv -o c.pkl", "let the name of a page end in .html"),
    ("train m.wordplane", "is a model, not data"),
    ("train reviews.csv -q -v", "not allowed with"),
    ("predict m.wordplane 'great film'", "echo 'great film' | wordplane predict m.wordplane -"),
    ("predict m.wordplane great", "wordplane explain m.wordplane great"),
    ("predict m.wordplane", "data (a file, or - for standard input)"),
    ("predict m.wordplane reviews.csv new.csv", "no such file; to write there: -o new.csv"),
    ("predict m.wordplane new.csv reviews.csv -o x.csv", "new.csv: there is no such file\n"),
    ("predict m.wordplane reviews.csv --label label", "`wordplane evaluate MODEL DATA` compares"),
    ("predict m.wordplan reviews.csv", "did you mean m.wordplane?"),
    ("predict reviews.csv m.wordplane", "the model comes first: wordplane predict m.wordplane"),
    ("predict other.bin reviews.csv", "wordplane convert other.bin -o other.wordplane"),
    ("predict other.pkl reviews.csv", "pickles are never loaded"),
    ("predict m.wordplane reviews.csv --keep words", "its columns are 'text', 'label'"),
    ("predict m.wordplane reviews.csv --top-k many", "'many' is not a whole number"),
    ("evaluate m.wordplane reviews.csv --rows tset", "did you mean test?"),
    ("evaluate m.wordplane reviews.csv --metric accurcy", "did you mean accuracy?"),
    ("convert m.wordplane m.json", "m.json: there is no such file; to write there: -o m.json"),
    ("check m.wordplane reviews.csv", "wordplane evaluate MODEL reviews.csv"),
    ("serve nosuch.wordplane", "nosuch.wordplane: there is no such file\n"),
    ("update m.wordplane reviews.csv -o n", "`wordplane train DATA --learner nb --resumable`"),
    ("lexicon sets.jsonl", "sets.jsonl: the texts are multi-label, and `wordplane lexicon` needs"),
    ("diagnose sets.jsonl", "the texts are multi-label, and `wordplane diagnose` needs one label"),
    ("explain m.wordplane great --class pos", "did you mean --label LABEL?"),
    ("edit --forbidx x", "there is no option --forbidx (did you mean --forbid?)"),
    ("predict m.wordplane reviews.csv --threshold 0.8", "did you mean --min-confidence P?"),
    ("neighbors m.wordplane great", "m.wordplane is a model, not word vectors; to learn some"),
    ("explain 'great film'", "the model comes first: wordplane explain MODEL TEXT"),
    ("explain m.wordplane great film", "put quotes around a text of several words"),
    ("explain m.wordplane reviews.csv", "wordplane explain m.wordplane reviews.csv -o words.csv"),
    ("inspect reviews.csv", "to make one of labeled texts: wordplane train reviews.csv"),
    ("demo margin", "did you mean 'margins'?"),
    ("compare reviews.csv --learners nb,smv", "'smv' is not a learner (did you mean svm?)"),
    ("tune reviews.csv --budget soon", "is not a time such as 60s or 5m"),
    ("completion powershell", "expected one of bash, zsh, fish, tcsh"),
]


@pytest.mark.parametrize(("typed", "remedy"), MISTAKES)
def test_a_mistake_gets_its_remedy(model, here, capsys, typed, remedy):
    for name in ("other.bin", "other.pkl"):
        (here / name).write_bytes(b"\x80\x04")
    (here / "sets.jsonl").write_text('{"text": "a", "label": ["x", "y"]}\n')
    before = {path.name: path.read_bytes() for path in here.iterdir()}
    capsys.readouterr()
    try:
        code = main(shlex.split(typed))
    except SystemExit as stop:
        code = stop.code
    out, err = capsys.readouterr()
    assert code == 2
    assert remedy in err
    assert out == ""
    assert {path.name: path.read_bytes() for path in here.iterdir()} == before


def test_next_commands_are_in_columns(capsys):
    say_next([("wordplane a", "does a"), ("wordplane long", "does more")])
    assert capsys.readouterr().err.splitlines()[2:] == [
        "  wordplane a     does a",
        "  wordplane long  does more",
    ]
    say_next([("wordplane a", "does a"), ("wordplane " + "x" * 60, "does more")])
    assert capsys.readouterr().err.splitlines()[2:] == [
        "  wordplane a",
        "      does a",
        "  wordplane " + "x" * 60,
        "      does more",
    ]


def test_mistakes_are_offered_where_there_are_any(model, data, here, capsys):
    (here / "wrong.csv").write_text("text,label\ngreat fun,neg\na dull film,neg\n")
    for file, offered in ((data, False), ("wrong.csv", True)):
        assert main(["evaluate", model, file]) == 0
        assert ("-o mistakes.csv" in capsys.readouterr().err) == offered

"""`wordplane demo NAME`: the list, pictures, and wrong use. tests/demos runs every demo."""

import json

import pytest

from wordplane.cli import main
from wordplane.demos import DEMOS, summary
from wordplane.demos.page import PAGES, touch_page

NAMES = [name for names in DEMOS.values() for name in names]


def test_list(capsys):
    assert main(["demo", "--list"]) == 0
    listed = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in listed] == NAMES
    assert all(len(summary(name)) > 15 for name in NAMES)
    assert main(["demo", "--list", "--json"]) == 0
    assert list(json.loads(capsys.readouterr().out)) == NAMES


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["marginz"], "there is no demo 'marginz'; did you mean 'margins'?"),
        (["negation", "--seed", "1"], "leaves nothing to chance; leave out --seed"),
        (["die", "--data", "x.csv"], "takes no data; leave out --data"),
        (["prior", "-o", "prior.svg"], "has no picture; leave out -o"),
        (["die", "-o", "die.txt"], "must end in .png, .svg, .html"),
        (["sgd-steps", "-o", "sgd.svg"], "has no picture; leave out -o"),
        (["losses", "-o", "losses.html", "--dark"], "as dark as its reader; leave out --dark"),
    ],
)
def test_wrong_use(arguments, said, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["demo", *arguments]) == 2
    assert said in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_page_to_touch(tmp_path, capsys):
    pages = [tmp_path / f"{seed}.html" for seed in (0, 1)]
    for seed, page in enumerate(pages):
        assert main(["demo", "margins", "--seed", str(seed), "-o", str(page)]) == 0
        assert f"page      {page}" in capsys.readouterr().err
    assert pages[0].read_text(encoding="utf-8") == touch_page("margins")
    assert pages[1].read_text(encoding="utf-8") == touch_page("margins", 1) != touch_page("margins")
    assert main(["demo", "sigmoid", "-o", str(tmp_path / "sigmoid.html")]) == 0
    assert "<script" not in (tmp_path / "sigmoid.html").read_text(encoding="utf-8")
    assert main(["demo", "--list"]) == 0
    listed = capsys.readouterr().out.splitlines()
    assert {line.split()[0] for line in listed if line.endswith("*")} == set(PAGES)


def test_picture_is_not_overwritten(tmp_path, capsys):
    picture = tmp_path / "sigmoid.svg"
    picture.write_text("mine")
    assert main(["demo", "sigmoid", "-o", str(picture)]) == 2
    assert picture.read_text() == "mine"
    assert main(["demo", "sigmoid", "-o", str(picture), "--force", "--json"]) == 0
    assert picture.read_text().startswith("<svg")
    assert json.loads(capsys.readouterr().out)["picture"] == str(picture)

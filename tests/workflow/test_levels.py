"""Labels with levels: predict and evaluate, from Python and from the command line."""

import json

import pytest

import wordplane
from wordplane import TextClassifier
from wordplane.cli import main
from wordplane.common.errors import InputError

WORDS = {"art/film": "film screen", "art/paint": "paint brush", "law": "judge court"}
TEXTS = [f"{words} about number{i}" for words in WORDS.values() for i in range(20)]
LABELS = [label for label in WORDS for _ in range(20)]
UNSURE = "film paint screen brush"  # art, and nobody knows which


@pytest.fixture(scope="module")
def model():
    return TextClassifier(learner="nb").fit(TEXTS, LABELS)


def test_a_label_ends_where_it_is_sure(model):
    P = model.predict_proba([UNSURE])[0]
    assert P[:2].max() < 0.7 < P[:2].sum()
    answer = wordplane.predict(model, [UNSURE, "judge court"], separator="/", min_confidence=0.7)
    assert answer["label"] == ["art", "law"]
    assert answer["probability"][0] == pytest.approx(P[:2].sum(), abs=1e-6)
    assert [levels[0] for levels in answer["levels"]] == ["art", "law"]
    assert answer["levels"][1] == ["law", "law"]
    assert answer["level_probabilities"][0][1] == pytest.approx(P.max(), abs=1e-6)
    whole = wordplane.predict(model, [UNSURE], separator="/")
    assert whole["label"] == model.predict([UNSURE]).tolist()


def test_every_level_is_measured(model):
    texts, labels = [UNSURE, "film screen", "judge court"], ["art/film", "art/film", "art/paint"]
    result = wordplane.evaluate(model, texts, labels, separator="/", min_confidence=0.7)
    top, bottom = result.levels
    assert (top.n_nodes, bottom.n_nodes) == (2, 3)
    assert top.accuracy == pytest.approx(2 / 3)
    assert (top.stopped, bottom.stopped) == pytest.approx((2 / 3, 1 / 3))
    assert (top.right, bottom.right) == (0.5, 1.0)
    assert result.to_dict()["levels"][0]["hierarchical_f1"] == top.hierarchical_f1
    assert "level 2" in str(result)
    assert "level" not in str(wordplane.evaluate(model, texts, labels))


def test_what_has_no_levels(model):
    with pytest.raises(InputError, match="no label has the separator ':'"):
        wordplane.predict(model, TEXTS, separator=":")
    with pytest.raises(InputError, match="no label has the separator ':'"):
        wordplane.evaluate(model, TEXTS, LABELS, separator=":")
    several = TextClassifier(learner="nb").fit(TEXTS, [[label] for label in LABELS])
    with pytest.raises(InputError, match="`separator` is for one label per text"):
        wordplane.predict(several, TEXTS, separator="/")


def test_on_the_command_line(model, tmp_path, capsys):
    path, data = tmp_path / "m.wordplane", tmp_path / "data.jsonl"
    model.save(path)
    rows = zip(TEXTS, LABELS, strict=True)
    data.write_text("\n".join(json.dumps({"text": t, "label": n}) for t, n in rows))
    given = [str(path), str(data), "--separator", "/", "--min-confidence", "0.5"]
    assert main(["evaluate", *given, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["levels"][1]["accuracy"] == 1
    assert main(["predict", *given]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "id,label,probability,levels,level_probabilities"
    assert lines[1].startswith("1,art/film,") and ",art|art/film," in lines[1]

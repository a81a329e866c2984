"""Which groups of features a learner does best with."""

from itertools import combinations

import numpy as np
import pytest

import wordplane
from wordplane import Analyzer, MultinomialNB
from wordplane.cli import main
from wordplane.common.errors import InputError
from wordplane.selection.cross_validation import out_of_fold
from wordplane.text.documents import as_documents
from wordplane.text.feature_groups import only_groups


def texts_told_by_their_endings(n=80, seed=0):
    """Words that occur once, of which only the endings tell the classes apart, and a loud word."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    letters = np.array(list("bcdfgklmnprt"))
    texts = []
    for k in y:
        stems = ["".join(rng.choice(letters, 5)) for _ in range(2)]
        texts.append(f"{stems[0]}{('ova', 'ich')[k]} {stems[1]} {rng.choice(['SO', 'so'])}")
    return texts, [("russian", "german")[k] for k in y]


GROUPS = ["word", "suffix", "shape", "length"]


@pytest.mark.parametrize("method", ["hill_climbing", "beam", "annealing"])
@pytest.mark.parametrize("start", ["none", "all"])
def test_finds_the_groups_that_matter(method, start):
    texts, labels = texts_told_by_their_endings()
    result = wordplane.tune(
        texts, labels, learner="nb", grid={"alpha": [1.0]}, search=method, search_from=start,
        features=GROUPS,
    )  # fmt: skip
    found = result.groups
    assert "suffix" in found.subset
    assert found.loss < 0.05
    tried = {visit.subset: visit.loss for visit in found.trace}
    if () in tried:  # without features, always the most frequent label
        y = np.array(labels)
        assert tried[()] == pytest.approx(min((y == label).mean() for label in set(labels)))
    # Each loss is that of a cross-validation by itself, and the best of all subsets is known.
    documents = as_documents(texts, {})
    losses = {}
    for size in range(1, 5):
        for subset in combinations(GROUPS, size):
            analyzer = only_groups(Analyzer(**result.model.analyzer.get_params()), subset)
            done = out_of_fold(analyzer, MultinomialNB(), documents, labels)
            losses[subset] = (done.predicted != np.array(labels)).mean()
    assert all(losses[s] == loss for s, loss in tried.items() if s)
    assert found.loss == min(tried.values())
    if method != "annealing":
        assert found.loss == min(losses.values())
    features = result.model.fit(texts, labels).model_.features
    names = {features.name(j).partition(":")[0] for j in range(features.n_features)}
    assert ("suffix" in names) and ("length" in names) == ("length" in found.subset)


def test_from_the_command_line(tmp_path, capsys):
    texts, labels = texts_told_by_their_endings()
    data = tmp_path / "names.csv"
    rows = "\n".join(f"{t},{y}" for t, y in zip(texts, labels, strict=True))
    data.write_text(f"text,label\n{rows}\n")
    options = ["--learner", "nb", "--search", "hill_climbing", "--features", "word,suffix"]
    assert main(["tune", str(data), *options, "-o", str(tmp_path / "m.wordplane")]) == 0
    out = capsys.readouterr().out
    assert "features  suffix: " in out or "features  word, suffix: " in out
    assert "subsets tried" in out
    assert "--features " in out.splitlines()[-1]
    model = wordplane.load(tmp_path / "m.wordplane")
    assert model.model_.features.analyzer.suffixes == (2, 3)
    assert model.model_.features.analyzer.chars is None


def test_wrong_words():
    texts, labels = texts_told_by_their_endings(20)
    with pytest.raises(InputError, match="`search` is 'tabu'"):
        wordplane.tune(texts, labels, learner="nb", search="tabu")
    with pytest.raises(InputError, match="expected some of word, char"):
        wordplane.tune(texts, labels, learner="nb", search="beam", features=["words"])

"""How words are cut into tokens."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordplane.features.pretrained.tokenizer import BytePair, Unigram, tokenizer_of

PARTS = ["▁", "a", "b", "ab", "▁a", "ba", "aba", "▁ab"]


@given(st.text("ab", min_size=1, max_size=7), st.permutations(range(len(PARTS))))
def test_unigram_finds_the_best_of_all_ways_to_cut(word, order):
    ids = {part: number for number, part in enumerate(PARTS)}
    scores = [-1.0 - 0.37 * place for place in order]
    found = Unigram(ids, "▁", scores=scores).split(word)
    marked, best = f"▁{word}", -1e9
    if marked in ids:
        assert found == [ids[marked]]
        return
    for cuts in itertools.product([False, True], repeat=len(marked) - 1):
        ends = [i + 1 for i, cut in enumerate(cuts) if cut] + [len(marked)]
        parts = [marked[a:b] for a, b in zip([0, *ends], ends, strict=False)]
        if all(part in ids for part in parts):
            best = max(best, sum(scores[ids[part]] for part in parts))
    assert sum(scores[number] for number in found) == pytest.approx(best)
    assert "".join(PARTS[number] for number in found) == marked


def test_pairs_are_merged_in_the_order_of_their_ranks():
    ids = {part: number for number, part in enumerate(["▁", "a", "b", "c", "bc", "ab", "▁a"])}
    ranks = {("b", "c"): 0, ("a", "b"): 1, ("▁", "a"): 2}
    assert BytePair(ids, "▁", ranks=ranks).split("abc") == [ids["▁a"], ids["bc"]]
    assert BytePair(ids, "▁", ranks=ranks).split("zb") == [ids["▁"], ids["b"]]


def test_the_kinds_of_a_file():
    vocab = [["<unk>", 0.0], ["▁the", -1.0], ["▁", -2.0], ["the", -1.5]]
    unigram = tokenizer_of({"model": {"type": "Unigram", "vocab": vocab}})
    assert unigram.split("the") == [1]
    assert unigram.whole_words() == {"the": 1}
    pieces = {"model": {"type": "WordPiece", "vocab": {"un": 4, "##do": 2, "##d": 1}}}
    assert tokenizer_of(pieces).split("undo") == [4, 2]
    assert tokenizer_of(pieces).split("unlock") == []
    assert tokenizer_of(pieces).split("un" * 60) == []
    merged = {"model": {"vocab": {"Ġ": 0, "a": 1, "Ġa": 2}, "merges": [["Ġ", "a"]]}}
    assert tokenizer_of(merged).split("a") == [2]

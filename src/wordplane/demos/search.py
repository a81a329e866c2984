"""Two more ways: labels that spread over a graph of words, and subsets that breed."""

from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from wordplane import CountVectorizer, MultinomialNB, SelectFeatures, WordEmbeddings
from wordplane.demos import Shown, figures
from wordplane.demos.corpora import labeled_docstrings, split_matrix
from wordplane.demos.parameters import Count, Within
from wordplane.features.subset_search import dev_error, search_subsets


def label_propagation(rounds: Count = 30) -> Shown:
    """A lexicon from six seed words: labels spread over a graph of similar words."""
    texts, labels = labeled_docstrings()
    embeddings = WordEmbeddings(50, min_count=10).fit(texts)
    words = embeddings.words_
    Z = embeddings.vectors_ / np.linalg.norm(embeddings.vectors_, axis=1, keepdims=True)
    S = np.maximum(Z @ Z.T, 0) ** 4  # the more alike, the stronger the edge
    np.fill_diagonal(S, 0)
    S /= S.sum(axis=1, keepdims=True)
    seeds = {"email": ["header", "message", "mime"], "asyncio": ["coroutine", "loop", "future"]}
    score = np.zeros(len(words))
    fixed = {w: s for s, side in zip((1, -1), seeds.values(), strict=True) for w in side}
    is_seed = np.isin(words, list(fixed))
    for _ in range(rounds):
        score[is_seed] = [fixed[word] for word in words[is_seed]]
        score = S @ score
    score = np.where(is_seed, 0, score - score[~is_seed].mean())
    # Do the words of each side really occur more often in the texts of its class?
    X = CountVectorizer(vocabulary=list(words), binary=True, token_pattern=r"\S+")
    counts = X.fit_transform(texts).toarray()
    share = {name: counts[labels == name].mean(axis=0) for name in seeds}
    lines = []
    for name, other, sign in (("email", "asyncio", 1), ("asyncio", "email", -1)):
        best = np.argsort(-sign * score, kind="stable")[:12]
        more = share[name] > share[other]
        lines.append(f"{name:8} {' '.join(words[best])}")
        lines.append(
            f"{'':8} {more[best].mean():.0%} are more frequent there, of all {more.mean():.0%}"
        )
    return Shown(lines)


def genetic_search(
    m: Annotated[int, Within(2, 60)] = 24,
    generations: Annotated[int, Within(1, 200)] = 20,
    seed: int = 0,
) -> Shown:
    """Subsets of features that breed: a genetic search and hill climbing."""
    X, y, X_dev, y_dev = split_matrix(CountVectorizer(binary=True), *labeled_docstrings(), 0.75)
    best = SelectFeatures("information_gain", m=m).fit(X, y)
    groups = {str(j): [int(j)] for j in best.get_support(indices=True)}
    loss = dev_error(MultinomialNB(), X, y, X_dev, y_dev, groups)
    names = np.array(list(groups))
    seen: dict[tuple[str, ...], float] = {}

    def error(genes: NDArray[np.bool_]) -> float:
        subset = tuple(names[genes])
        if subset not in seen:
            seen[subset] = loss(subset)
        return seen[subset]

    rng = np.random.default_rng(seed)
    herd = rng.random((20, len(names))) < 0.5
    history = []
    for _ in range(generations):
        herd = np.array(sorted(herd, key=error))
        history.append(error(herd[0]))
        parents = rng.integers(0, 10, size=(18, 2))  # of the better half
        mix = rng.random((18, len(names))) < 0.5
        children = np.where(mix, herd[parents[:, 0]], herd[parents[:, 1]])
        children ^= rng.random(children.shape) < 1 / len(names)  # a gene in each, on average
        herd = np.concatenate([herd[:2], children])
    climb = search_subsets(names, loss, start="all")
    lines = [
        f"all {len(names)} words      error {loss(tuple(names)):.1%}",
        f"genetic search    error {history[-1]:.1%}, {len(seen)} subsets tried",
        f"hill climbing     error {climb.loss:.1%}, {len(climb.trace)} subsets tried",
    ]
    rounds = list(range(1, len(history) + 1))
    curve = {"genetic search": history, "hill climbing": [climb.loss] * len(history)}
    return Shown(
        lines,
        lambda: figures.series(
            rounds, curve, x_title="generation", y_title="smallest error on development texts",
            title="A genetic search",
        ),
    )  # fmt: skip

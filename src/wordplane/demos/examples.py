"""The small examples of the documents, in numbers."""

from itertools import product
from math import factorial, prod
from typing import Annotated

import numpy as np
from scipy.optimize import linprog

from wordplane import (
    MIRA,
    NBSVM,
    BernoulliNB,
    ComplementNB,
    CountVectorizer,
    LinearSVM,
    LogisticRegression,
    MultinomialNB,
    Perceptron,
    RidgeClassifier,
    TfidfVectorizer,
    WordEmbeddings,
)
from wordplane.common.errors import InputError
from wordplane.common.types import FloatArray
from wordplane.data.datasets import gaussians, hotel_reviews
from wordplane.demos import Shown
from wordplane.demos.corpora import labeled_docstrings, texts_and_labels
from wordplane.demos.parameters import Count, Positive, Within


def word_order(first: str = "man bites dog", second: str = "dog bites man") -> Shown:
    """Two sentences with the same words: one bag, and B(x) orders of it."""
    vectorizer = CountVectorizer(token_pattern=r"\w+")
    X = vectorizer.fit_transform([first, second, "a dog bites", "a man walks"])
    nb = MultinomialNB().fit(X, ["news", "history", "news", "history"])
    words = vectorizer.get_feature_names_out()
    counts, tokens = (nb.predict_joint_log_proba(X, coefficient=c)[:2, 1] for c in (True, False))
    lines = []
    for i, text in enumerate((first, second)):
        row = X[i].toarray()[0].astype(int)
        bag = ", ".join(f"{word}: {n}" for word, n in zip(words, row, strict=True) if n)
        orders = factorial(row.sum()) // prod(factorial(n) for n in row)
        times = np.exp(counts[i] - tokens[i])
        lines.append(f"{text}: {{{bag}}}, B(x) = {orders}")
        lines.append(f"  its counts are {times:.4f} times as likely as its tokens in this order")
    return Shown(lines)


def likelihood(alpha: Positive = 1.0, n: Count = 100_000, seed: int = 0) -> Shown:
    """Relative counts are the most likely phi; smoothed ones are with a prior on phi."""
    counts = np.array([6, 3, 1, 0])
    tried = np.random.default_rng(seed).dirichlet(np.ones(4), size=n)
    lines = ["alpha     phi                              best of random phi   at phi"]
    for pseudo in (0.0, alpha, 1e6):
        nb = MultinomialNB(alpha=pseudo).fit(np.array([counts, np.ones(4)]), ["a", "b"])
        phi = np.exp(nb.feature_log_prob_[0])
        # The logarithm of the likelihood and of Dirichlet's prior with the parameters 1 + alpha.
        with np.errstate(divide="ignore", invalid="ignore"):
            weights = counts + pseudo
            best = np.where(weights > 0, weights * np.log(tried), 0.0).sum(axis=1).max()
            own = np.where(weights > 0, weights * np.log(phi), 0.0).sum()
        shown = " ".join(f"{p:.4f}" for p in phi)
        lines.append(f"{pseudo:<9.10g} {shown:32} {best:18.4f} {own:18.4f}")
    return Shown(lines)


def unfit(word: str = "return", prefix: str = "re") -> Shown:
    """A word and its prefix: naive Bayes underestimates that they come together."""
    texts, labels = labeled_docstrings()
    tokens = CountVectorizer(token_pattern=r"\w+").build_analyzer()
    lines = ["class             P(word, prefix)  P(word) P(prefix)   too small by"]
    for label in sorted(set(labels.tolist())):
        of_class = [t for text, y in zip(texts, labels, strict=True) if y == label
                    for t in tokens(text)]  # fmt: skip
        p_word = np.mean([token == word for token in of_class])
        p_prefix = np.mean([token.startswith(prefix) for token in of_class])
        if p_word > 0:
            factor = 1 / p_prefix
            lines.append(f"{label:16} {p_word:16.5f} {p_word * p_prefix:18.5f} {factor:14.1f}")
    return Shown(lines)


def separability(n: Annotated[int, Within(2, 6)] = 2) -> Shown:
    """Is there a separator? A linear program says so; XOR has none until ANDs are features."""
    X = np.array(list(product([0.0, 1.0], repeat=n)))
    both = np.array([[row[list(pair)].prod() for pair in np.argwhere(np.triu(np.ones((n, n)), 1))]
                     for row in X])  # fmt: skip
    labels = {"AND": X.all(axis=1), "OR": X.any(axis=1), "XOR": X.sum(axis=1) % 2 == 1}
    lines = ["label        features    largest margin   mistakes of the perceptron, last epoch"]
    for name, y in labels.items():
        for kind, rows in {"words": X, "and ANDs": np.hstack([X, both])}.items():
            sign, A = 2 * y - 1, np.column_stack([rows, np.ones(len(rows))])
            # The largest rho with sign * (A theta) >= rho and |theta_j| <= 1: equation 2.35.
            sides = np.column_stack([-sign[:, None] * A, np.ones(len(A))])
            bounds = [(-1, 1)] * A.shape[1] + [(0, None)]
            goal = np.append(np.zeros(A.shape[1]), -1.0)
            rho = linprog(goal, A_ub=sides, b_ub=np.zeros(len(A)), bounds=bounds).x[-1] + 0.0
            left = Perceptron(max_iter=200, averaged=False).fit(rows, y).mistakes_[-1]
            lines.append(f"{name:12} {kind:10} {rho:15.3f} {left:10}")
    return Shown(lines)


def subgradients(n: Count = 10_000, seed: int = 0) -> Shown:
    """Two labels tie: every mix of their gradients is a subgradient of the perceptron's loss."""
    rng = np.random.default_rng(seed)
    x, theta = np.array([1.0, 2.0]), np.array([0.5, 1.0, 0.5, 1.0])  # one block per label
    true, other = np.concatenate([x, 0 * x]), np.concatenate([0 * x, x])

    def loss(weights: FloatArray) -> FloatArray:
        return np.asarray(np.maximum(weights @ true, weights @ other) - weights @ true)

    steps = rng.normal(size=(n, 4))
    lines = [f"theta.f(x, y) is {theta @ true:.1f} for both labels, and the loss {loss(theta):.1f}"]
    lines.append("share of f(x, other) - f(x, true)   least loss(theta + d) - loss(theta) - g.d")
    for share in (-0.5, 0.0, 0.5, 1.0, 1.5):
        g = share * (other - true)
        least = round(float((loss(theta + steps) - loss(theta) - steps @ g).min()), 4) + 0.0
        kind = "a subgradient" if least == 0 else "none"
        lines.append(f"{share:12.1f} {least:38.4f}   {kind}")
    return Shown(lines)


def counts_or_mistakes(copies: Count = 3) -> Shown:
    """Naive Bayes counts, the perceptron corrects mistakes: what copies of all words change."""
    texts, y = texts_and_labels(hotel_reviews())
    X = CountVectorizer().fit_transform(texts).toarray().astype(float)
    lines = ["learner       words        training mistakes   mean confidence   labels that change"]
    for name, learner in {
        "naive Bayes": MultinomialNB(),
        "perceptron": Perceptron(fit_intercept=False),
    }.items():
        before = learner.fit(X, y).predict(X)
        for times in (1, copies):
            labels = learner.fit(np.tile(X, times), y).predict(np.tile(X, times))
            sure = "none"
            if isinstance(learner, MultinomialNB):
                sure = f"{learner.predict_proba(np.tile(X, times)).max(axis=1).mean():.3f}"
            wrong, changed = (labels != y).sum(), (labels != before).sum()
            kind = "once" if times == 1 else f"{times} times"
            lines.append(f"{name:13} {kind:12} {wrong:10} {sure:>22} {changed:14}")
    return Shown(lines)


def moments(n: Annotated[int, Within(10, 1000)] = 60, C: Positive = 1e6) -> Shown:
    """Each feature: how often texts of a class have it, and how often the model expects it."""
    X, y = gaussians(n, random_state=3)
    rows = np.column_stack([X > 0, X.sum(axis=1) > 0, np.ones(n)]).astype(float)
    model = LogisticRegression(C=C, fit_intercept=False, tol=1e-10, max_iter=10_000).fit(rows, y)
    expected = rows.T @ model.predict_proba(rows)
    counted = np.stack([rows[y == k].sum(axis=0) for k in (0, 1)], axis=1)
    lines = ["feature   class   counted   expected"]
    names = ["x1 > 0", "x2 > 0", "sum > 0", "offset"]
    for j, k in product(range(4), (0, 1)):
        lines.append(f"{names[j]:9} {k:4} {counted[j, k]:10.4f} {expected[j, k]:10.4f}")
    return Shown(lines)


def gaussian_prior(n: Annotated[int, Within(10, 1000)] = 100) -> Shown:
    """Logistic regression with C is the most probable theta under a prior of variance C."""
    X, y = gaussians(n)
    rows, sign = np.column_stack([X, np.ones(n)]), 2 * y - 1
    lines = ["variance   lambda   slope of the log-posterior"]
    for variance in (0.01, 1.0, 100.0):
        model = LogisticRegression(C=variance, fit_intercept=False, tol=1e-10).fit(rows, y)
        theta = model.coef_[0]
        p_wrong = 1 / (1 + np.exp(sign * (rows @ theta)))
        slope = rows.T @ (sign * p_wrong) - theta / variance
        lines.append(f"{variance:8g} {1 / variance:8g} {np.abs(slope).max():12.1e}")
    return Shown(lines)


def joint_features(text: str = "Ronaldo kicked the ball and scored an amazing goal!") -> Shown:
    """Three propositions about a sentence, g(x), and their slot in f(x, y)."""
    tokens = text.rstrip("!.").split()
    g = [
        int("Ronaldo" in tokens),
        int(all(token[0].isupper() for token in tokens)),
        int(not {"amazing", "excellent", ":)"}.isdisjoint(tokens)),
    ]
    lines = [f"g(x) = {g}"]
    w = np.array([2, 0, 1, -1, 0, 0])  # Ronaldo speaks for sport and against politics
    for k, topic in enumerate(("sport", "politics")):
        f = np.kron(np.eye(2, dtype=int)[k], g)
        lines.append(f"f(x, {topic}) = {f.tolist()}, score {w @ f}")
    return Shown(lines)


def armijo(eta: Positive = 100.0, share: Annotated[float, Within(0.001, 0.9)] = 0.1) -> Shown:
    """The step is halved until the loss falls by a share of what the slope promises."""
    X, y = gaussians(100)
    A = np.column_stack([X, np.ones(len(X))]) * (2 * y - 1)[:, None]

    def loss(w: FloatArray) -> float:
        return float(np.logaddexp(0, -(A @ w)).mean() + w @ w / 200)

    w, lines = np.zeros(3), ["step   halved   eta          loss   with the first eta"]
    for step in range(1, 7):
        slope = w / 100 - A.T @ (1 / (1 + np.exp(A @ w))) / len(A)
        size, halved, before = eta, 0, loss(w)
        while loss(w - size * slope) > before - share * size * (slope @ slope):
            size, halved = size / 2, halved + 1
        unsafe = loss(w - eta * slope)
        w = w - size * slope
        lines.append(f"{step:4} {halved:8} {size:8.4f} {loss(w):10.4f} {unsafe:12.4f}")
    return Shown(lines)


def tf_idf(min_df: Count = 2, max_df: Annotated[float, Within(0.01, 1)] = 0.2) -> Shown:
    """Frequent words of one text, and those that are rare elsewhere."""
    texts, _ = labeled_docstrings()
    vectorizer = TfidfVectorizer(norm=None, smooth_idf=False)
    X = vectorizer.fit_transform(texts)
    words = vectorizer.get_feature_names_out()
    df = np.bincount(X.indices, minlength=len(words))
    tf = CountVectorizer(vocabulary=words).fit_transform(texts)
    row = int(np.asarray(tf.sum(axis=1)).ravel().argmax())
    counts, weighted = tf[row].toarray()[0], X[row].toarray()[0]
    lines = [f"{len(texts):,} texts; the longest one", "word            TF    DF   log(N / DF)"]
    for title, order in (("by TF", counts), ("by TF-IDF", weighted)):
        lines.append(title)
        for j in np.argsort(-order, kind="stable")[:5]:
            idf = np.log(len(texts) / df[j])
            lines.append(f"{words[j]:13} {counts[j]:4.0f} {df[j]:5} {idf:10.3f}")
    common = df > max_df * len(texts)
    lines.append(f"{np.mean(df < min_df):.1%} of the words are in fewer than {min_df} texts")
    of_tokens = tf[:, common].sum() / tf.sum()
    lines.append(f"{common.mean():.1%} are in more than {max_df:.0%} of them")
    lines.append(f"these few are {of_tokens:.1%} of all tokens")
    return Shown(lines)


def centroids(dimensions: Count = 50) -> Shown:
    """A text as the mean of its words' vectors, by TF and by TF-IDF."""
    texts, labels = labeled_docstrings()
    vectors = WordEmbeddings(dimensions, window=4, min_count=5).fit(texts)
    counts = CountVectorizer(vocabulary=vectors.words_).fit_transform(texts)
    df = np.bincount(counts.indices, minlength=counts.shape[1])
    known = np.diff(counts.indptr) > 0
    counts, labels = counts[known], labels[known]
    same, other = labels[:, None] == labels, labels[:, None] != labels
    np.fill_diagonal(same, False)
    lines = ["weights   cosine, same package   other package   difference / standard deviation"]
    for name, weights in {"TF": np.ones(len(df)), "TF-IDF": np.log(len(texts) / (df + 1))}.items():
        T = counts @ (weights[:, None] * vectors.vectors_)
        T /= np.linalg.norm(T, axis=1, keepdims=True)
        inside, outside = (T @ T.T)[same], (T @ T.T)[other]
        apart = (inside.mean() - outside.mean()) / outside.std()
        lines.append(f"{name:9} {inside.mean():20.3f} {outside.mean():15.3f} {apart:15.3f}")
    return Shown(lines)


def dreadful(word: str = "dreadful", n: Annotated[int, Within(50, 5000)] = 500) -> Shown:
    """The weights of one word for two classes, by every learner."""
    texts, labels = texts_and_labels(hotel_reviews(n))
    vectorizer = CountVectorizer(binary=True)
    X = vectorizer.fit_transform(texts)
    column = vectorizer.vocabulary_.get(word)
    if column is None:
        raise InputError(f"word is {word!r}, which no review has; expected one such as 'clean'")
    learners = [MultinomialNB(), BernoulliNB(), ComplementNB(), Perceptron(), MIRA(), LinearSVM(),
                LogisticRegression(), NBSVM(), RidgeClassifier()]  # fmt: skip
    lines = [f"{word}          weight for bad - weight for good"]
    for learner in learners:
        beta = -learner.fit(X, labels).coef_[0, column]  # the second class is good
        lines.append(f"{type(learner).__name__:20} {beta:+.4f}")
    return Shown(lines)


def ands(first: str = "not a good film", second: str = "a film that is not good") -> Shown:
    """A kernel of two sets of words counts the ANDs that both have."""
    vectorizer = CountVectorizer(token_pattern=r"\w+", binary=True)
    x, z = vectorizer.fit_transform([first, second]).toarray()
    common = vectorizer.get_feature_names_out()[(x * z) > 0]
    pairs = [np.outer(row, row).ravel() for row in (x, z)]  # a AND b for all words a and b
    return Shown(
        [
            f"{len(common)} words in both: {', '.join(common)}",
            f"kernel (x . z)^2 = {(x @ z) ** 2:.0f}, from {len(x)} features",
            f"product of the ANDs = {pairs[0] @ pairs[1]:.0f}, from {len(pairs[0])} features",
        ]
    )


def lazy_penalty(eta: Positive = 0.1, penalty: Positive = 0.01, n: Count = 300) -> Shown:
    """Weights shrink at every step, but are only touched when their word comes."""
    texts, labels = labeled_docstrings()
    rows = range(0, len(texts), max(1, len(texts) // n))
    X = CountVectorizer(binary=True).fit_transform([texts[i] for i in rows])
    sign = np.where(labels[rows] == "email", 1.0, -1.0)
    shrink = 1 - eta * penalty
    dense, lazy, n_shrunk = np.zeros((3, X.shape[1]))
    for t in range(X.shape[0]):
        words = X.indices[X.indptr[t] : X.indptr[t + 1]]
        lazy[words] *= shrink ** (t - n_shrunk[words])  # what was put off
        n_shrunk[words] = t + 1
        for theta, touched in ((dense, np.arange(len(dense))), (lazy, words)):
            p_wrong = 1 / (1 + np.exp(sign[t] * theta[words].sum()))
            theta[touched] *= shrink
            theta[words] += eta * sign[t] * p_wrong
    lazy *= shrink ** (X.shape[0] - n_shrunk)
    apart = np.abs(dense - lazy).max()
    return Shown(
        [
            f"every weight at every step: {X.shape[0] * X.shape[1]:,} weights touched",
            f"only the words of each text: {X.nnz:,}, and each once at the end",
            f"largest weight {np.abs(dense).max():.4f}, difference {apart:.1e}",
        ]
    )


def standardizing(scale: Annotated[float, Within(1, 100)] = 10.0, seed: int = 0) -> Shown:
    """Features of one scale need fewer steps; every small random start ends in the same place."""
    X, y = gaussians(100)
    raw = np.column_stack([X[:, 0], scale * X[:, 1] + scale])
    rng = np.random.default_rng(seed)
    lines = ["features       steps   weights from two starts"]
    for name, rows in {
        "as they are": raw,
        "standardized": (raw - raw.mean(0)) / raw.std(0),
    }.items():
        A = np.column_stack([rows, np.ones(len(rows))]) * (2 * y - 1)[:, None]
        eta = 1 / (np.linalg.eigvalsh(A.T @ A / len(A))[-1] / 4 + 0.01)
        ends, steps = [], 0
        for _ in range(2):
            w, steps = rng.normal(scale=0.01, size=3), 0
            slope = np.ones(3)
            while np.abs(slope).max() > 1e-6 and steps < 100_000:
                slope = 0.01 * w - A.T @ (1 / (1 + np.exp(A @ w))) / len(A)
                w, steps = w - eta * slope, steps + 1
            ends.append(" ".join(f"{value:.3f}" for value in w))
        lines.append(f"{name:13} {steps:6}   {ends[0]} and {ends[1]}")
    return Shown(lines)

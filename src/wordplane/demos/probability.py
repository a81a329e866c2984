"""What probabilities a model gives, and what it would write."""

from typing import Annotated

import numpy as np

from wordplane import CountVectorizer, LogisticRegression, MultinomialNB, TfidfVectorizer
from wordplane.demos import Shown, figures
from wordplane.demos.corpora import labeled_docstrings, split_matrix
from wordplane.demos.parameters import Count, Positive, Share, Within
from wordplane.evaluation.label_scores import log_loss
from wordplane.learners.joint import JointLinearClassifier


def generate(n: Count = 5, length: Count = 12, alpha: Positive = 0.01, seed: int = 0) -> Shown:
    """Naive Bayes writes docstrings: a label, then token after token."""
    texts, labels = labeled_docstrings()
    vectorizer = CountVectorizer(token_pattern=r"\w+", min_df=3)
    X = vectorizer.fit_transform(texts)
    words = vectorizer.get_feature_names_out()
    nb = MultinomialNB(alpha=alpha).fit(X, labels)
    mu, phi = np.exp(nb.class_log_prior_), np.exp(nb.feature_log_prob_)
    rng = np.random.default_rng(seed)
    lines = []
    for _ in range(n):
        k = rng.choice(len(mu), p=mu / mu.sum())
        tokens = rng.choice(words, size=length, p=phi[k] / phi[k].sum())
        lines.append(f"{nb.classes_[k]:16} {' '.join(tokens)}")
    drawn, origins = nb.sample(20_000, length=30)
    again = MultinomialNB(alpha=alpha).fit(drawn, origins)
    right = nb.score(drawn, origins)
    lines.append(f"of 20,000 drawn texts, {right:.1%} get the label they are from")
    error = np.abs(np.exp(again.feature_log_prob_) - phi).max()
    lines.append(f"parameters learned from them differ by at most {error:.4f}")
    x = np.eye(len(words))[:3].sum(axis=0)[None]  # three words, once each
    counts = nb.predict_joint_log_proba(x, coefficient=True) - nb.predict_joint_log_proba(x)
    orders = np.exp(counts).max()
    lines.append(f"three words have {orders:.0f} orders: so much likelier are counts than tokens")
    return Shown(lines)


def die(low: Annotated[int, Within(3, 37)] = 10, seed: int = 0) -> Shown:
    """The maximum-entropy die: only the sums of two groups of faces are known."""
    faces = [1, 2, 3, 4, 5, 6]
    # Of 40 throws, `low` are up to 3, the others above; a throw's only feature is its group.
    throws = np.repeat(faces, [low - 2, 1, 1, 1, 1, 38 - low])
    group = JointLinearClassifier(lambda _, face: {"low" if face <= 3 else "high": 1.0}, C=1e9)
    p = group.fit([None] * 40, throws).predict_proba([None])[0]
    lines = [f"P({face}) = {q:.4f}" for face, q in zip(faces, p, strict=True)]
    rng = np.random.default_rng(seed)
    halves = rng.dirichlet([1, 1, 1], size=(100_000, 2)) * [[low / 40], [1 - low / 40]]
    others = -(halves * np.log2(halves)).sum(axis=(1, 2))
    lines.append(f"entropy {-(p * np.log2(p)).sum():.4f} bits")
    lines.append(f"best of 100,000 others with the same sums {others.max():.4f} bits")
    bars = {"maximum entropy": p.tolist()}
    return Shown(
        lines,
        lambda: figures.stacked_bars(
            faces, bars, x_title="face", y_title="probability", title="The maximum-entropy die"
        ),
    )


def entropy(share: Share = 0.8) -> Shown:
    """The entropy of a model: a weak penalty makes it sure, a strong one makes it doubt."""
    X, y, X_test, y_test = split_matrix(TfidfVectorizer(), *labeled_docstrings(), share)
    strengths, bits, losses = [0.01, 0.1, 1.0, 10.0, 100.0, 1000.0], [], []
    lines = [f"at most log2(10) = {np.log2(10):.3f} bits", "      C  entropy  log-loss  accuracy"]
    for C in strengths:
        model = LogisticRegression(C=C, max_iter=1000).fit(X, y)
        P = model.predict_proba(X_test)
        bits.append(float(-(P * np.log2(P)).sum(axis=1).mean()))
        loss, _ = log_loss(y_test, P, classes=model.classes_)
        losses.append(float(loss / np.log(2)))
        accuracy = model.score(X_test, y_test)
        lines.append(f"{C:7g} {bits[-1]:8.3f} {losses[-1]:9.3f} {accuracy:9.1%}")
    curves = {"entropy of the model": bits, "log-loss on new texts": losses}
    return Shown(
        lines,
        lambda: figures.series(
            strengths, curves, x_title="C", y_title="bits", log_x=True,
            title="Sure, and too sure",
        ),
    )  # fmt: skip


def unknown_words(alpha: Positive = 10.0, C: Positive = 1000.0) -> Shown:
    """A word that training never saw: naive Bayes needs smoothing, logistic regression does not."""
    vocabulary = "buy now cheap pills meeting at noon agenda zebra".split()
    texts = ["buy cheap pills now", "cheap pills now now", "meeting at noon", "agenda"]
    labels = ["spam", "spam", "ham", "ham"]
    vectorizer = CountVectorizer(vocabulary=vocabulary)
    X, zebra = vectorizer.fit_transform(texts), vectorizer.transform(["zebra"])
    lines = ["log-odds of spam for 'zebra', beyond the prior"]
    for count in (0.01, 1.0, alpha):
        nb = MultinomialNB(alpha=count).fit(X, labels)
        odds = (nb.feature_log_prob_[1] - nb.feature_log_prob_[0])[vocabulary.index("zebra")]
        lines.append(f"  naive Bayes, alpha {count:5g}: {odds:+.3f}")
    never = MultinomialNB(alpha=0).fit(X, labels)
    joint = never.predict_joint_log_proba(zebra)[0]
    lines.append(f"  naive Bayes, alpha     0: log P(zebra, ham), log P(zebra, spam) = {joint}")
    weight = LogisticRegression(C=1.0).fit(X, labels).coef_[0][vocabulary.index("zebra")]
    lines.append(f"  logistic regression:      {weight:+.3f}")
    lines.append("log-odds of spam for 'buy', which one spam had")
    for strength in (0.1, 10.0, C):
        weights = LogisticRegression(C=strength).fit(X, labels).coef_[0]
        lines.append(
            f"  logistic regression, C {strength:5g}: {weights[vocabulary.index('buy')]:+.3f}"
        )
    return Shown(lines)

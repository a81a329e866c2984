"""What features, learners and unlabeled texts do, on reviews that a program wrote."""

from typing import Annotated

import numpy as np

from wordplane import Analyzer, EMNaiveBayes
from wordplane.data.hotel_reviews import hotel_reviews
from wordplane.demos import Shown
from wordplane.demos.corpora import texts_and_labels
from wordplane.demos.parameters import Positive, Within
from wordplane.features.text_features import fit_texts
from wordplane.learners.registry import learner_named
from wordplane.text.documents import as_documents

NAMES = "nb bernoulli complement perceptron mira onlinesvm onlinelogistic svm logistic nbsvm ridge"
Reviews = Annotated[int, Within(10, 20_000)]


def learners(n: Reviews = 1000, seed: int = 0) -> Shown:
    """Every learner on words, with bigrams, and with NOT_ after negations."""
    texts, y = texts_and_labels(hotel_reviews(n, random_state=seed))
    new, y_new = texts_and_labels(hotel_reviews(3000, random_state=seed + 1))
    scores: dict[str, list[float]] = {name: [] for name in NAMES.split()}
    for ngrams, negation in (((1, 1), False), ((1, 2), False), ((1, 1), True)):
        analyzer = Analyzer(ngrams=ngrams, negation=negation)
        fitted = fit_texts(analyzer, as_documents(texts, {}), 1)
        X_new = fitted.features().transform(as_documents(new, {}), 1)
        for name, row in scores.items():
            row.append(learner_named(name).fit(fitted.X, y).score(X_new, y_new))
    lines = [f"on {len(new):,} new reviews    words  bigrams     NOT_"]
    for name, row in scores.items():
        lines.append(f"{name:20} {' '.join(f'{score:8.1%}' for score in row)}")
    return Shown([*lines, f"{'always one label':20} {np.mean(y_new == 'good'):8.1%}"])


def unlabeled(
    n: Reviews = 800, labeled: Reviews = 60, alpha: Positive = 0.1, seed: int = 3
) -> Shown:
    """Naive Bayes from a few labeled reviews, and by EM from many unlabeled ones as well."""
    texts, y = texts_and_labels(hotel_reviews(labeled, footers=0, random_state=seed))
    others, _ = texts_and_labels(hotel_reviews(n, footers=0, random_state=seed + 100))
    new, y_new = texts_and_labels(hotel_reviews(3000, footers=0, random_state=seed + 200))
    lines = ["on 3,000 new reviews             labeled alone   with unlabeled   rounds"]
    for name, stop_words in (("NOT_, without stop words", "english"), ("NOT_, all words", None)):
        analyzer = Analyzer(ngrams=(1, 1), negation=True, stop_words=stop_words)
        features = fit_texts(analyzer, as_documents(texts + others, {}), 1).features()
        X, U, X_new = (features.transform(as_documents(t, {}), 1) for t in (texts, others, new))
        alone = EMNaiveBayes(alpha=alpha).fit(X, y)
        both = EMNaiveBayes(alpha=alpha).fit(X, y, unlabeled=U)
        left, right = alone.score(X_new, y_new), both.score(X_new, y_new)
        lines.append(f"{name:30} {left:15.1%} {right:16.1%} {both.n_iter_:8}")
    return Shown(lines)

"""What the pages of demos should have computed, from the points, sentences and settings that they
hold: the learners of the library, numpy, scipy and scikit-learn."""

import warnings

import numpy as np
from scipy.special import softmax
from scipy.stats import ncx2
from sklearn.cluster import KMeans as Lloyd

from tests import reference_logistic
from wordplane import (
    MIRA,
    CountVectorizer,
    EMNaiveBayes,
    GaussianNB,
    KNeighbors,
    LinearSVM,
    LogisticRegression,
    MultinomialNB,
    OnlineSVM,
    Perceptron,
)
from wordplane.demos.figures import gaussian_truth
from wordplane.evaluation.curves import precision_recall, roc
from wordplane.optimize.losses import hinge, logistic


def close(found, expected):
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-6)


def plane(state, name="points"):
    rows = state["data"][name]
    X = np.array([[point["x"], point["y"]] for point in rows])
    return X, np.array([point["label"] for point in rows])


def sentences(state):
    """Counts and classes."""
    rows = state["data"]["texts"]
    vectorizer = CountVectorizer(token_pattern=r"\w+")
    X = vectorizer.fit_transform([row["text"] for row in rows]).toarray().astype(float)
    names = vectorizer.get_feature_names_out().tolist()
    assert state["result"]["vocabulary"] == names
    return X, np.array([row["label"] for row in rows])


def check_losses(state):
    X, _ = plane(state)
    m = state["settings"]["scale"] * X[:, 0]
    z, true = np.column_stack([np.zeros(len(m)), m]), np.ones(len(m), dtype=int)
    expected = [m <= 0, np.maximum(0, -m), hinge(z, true)[0], logistic(z, true)[0]]
    close(state["result"]["losses"], np.array(expected, dtype=float).T)
    close(state["result"]["mean"], np.mean(expected, axis=1))


def check_margins(state):
    X, y = plane(state)
    svm = LinearSVM(C=state["settings"]["C"], loss="hinge", tol=1e-11, max_iter=1_000_000)
    svm.fit(X, y)
    result = state["result"]
    close(result["w"], [*svm.coef_[0], *svm.intercept_])
    close(result["slack"], np.maximum(0, 1 - (2 * y - 1) * svm.decision_function(X)))
    close(result["objective"], svm.objective_)
    close(result["geometric"], 1 / np.linalg.norm(svm.coef_))


def check_steps(make, rows=plane):
    """Every theta, and the mean, of a learner that is given one row after the other."""

    def check(state):
        (X, y), result = rows(state), state["result"]
        last = make(state["settings"])
        mean = make(state["settings"]).set_params(averaged=True)
        assert len(result["path"]) == state["settings"]["step"]
        for t, theta in enumerate(np.array(result["path"])):
            i = t % len(y)
            for model in (last, mean):
                model.partial_fit(X[i : i + 1], y[i : i + 1], classes=[0, 1])
            close(theta[1] - theta[0], [*last.coef_[0], *last.intercept_])
        if result["path"]:
            average = np.array(result["average"])
            close(average[1] - average[0], [*mean.coef_[0], *mean.intercept_])
            check_record(result["record"], X, y, result)

    return check


def check_record(record, X, y, result):
    """What the table of a step shows."""
    before = np.array(record["before"])
    i = record["i"]
    close(record["x"], [*X[i], 1])
    assert record["y"] == y[i]
    close(record["scores"], before @ np.append(X[i], 1))
    close(record["after"], result["path"][-1])
    close(before, result["path"][-2] if len(result["path"]) > 1 else np.zeros_like(before))


def check_stochastic_steps(state):
    (X, y), result, settings = sentences(state), state["result"], state["settings"]
    kind = {"softmax": True, "bias": True, "penalized": False, "adagrad": False}
    for t, theta in enumerate(np.array(result["path"]), 1):
        order, eta = np.arange(t) % len(y), [settings["eta"]] * t
        W, b = reference_logistic.stochastic(
            X, y, np.ones(len(y)), order, 1, eta, 0.0, settings["lambda"], **kind
        )
        close(theta[:, :-1].T, W)
        close(theta[:, -1], b)
    if result["path"]:
        check_record(result["record"], X, y, result)
        close(result["record"]["p"], softmax(result["record"]["scores"]))


def check_shrinkage(state):
    X, y = plane(state)
    model = LogisticRegression(C=1 / state["settings"]["lambda"], tol=1e-11).fit(X, y)
    close(state["result"]["weights"], [*model.coef_[0], *model.intercept_])
    close(state["result"]["objective"], model.objective_ * state["settings"]["lambda"])


def check_penalty(state):
    X, y = plane(state)
    weight, share = state["settings"]["lambda"], state["settings"]["l1"]
    model = LogisticRegression(
        C=1 / weight, penalty="elasticnet", l1_ratio=share, fit_intercept=False, tol=1e-10,
        max_iter=20_000,
    )  # fmt: skip
    model.fit(X, y)
    close(state["result"]["weights"], model.coef_[0])
    close(state["result"]["objective"], weight * model.objective_)


def check_descent(state):
    X, _ = plane(state)
    settings, result = state["settings"], state["result"]
    A, y = np.column_stack([X[:, 0], np.ones(len(X))]), X[:, 1]
    batch = settings.get("batch", len(y))
    batches = [slice(i, i + batch) for i in range(0, len(y), batch)]
    start = state["data"]["start"][0]
    w = np.array([start["x"], start["y"]])
    for t in range(settings["step"]):
        rows = batches[t % len(batches)]
        w = w - settings["eta"] * A[rows].T @ (A[rows] @ w - y[rows]) / len(y[rows])
        close(result["path"][t + 1], w)
    assert len(result["path"]) == settings["step"] + 1
    close(result["best"], np.linalg.lstsq(A, y)[0])
    close(result["error"], ((A @ w - y) ** 2).mean() / 2)


def check_two_gaussians(state):
    means, _ = plane(state, "means")
    settings, at = state["settings"], state["result"]
    variances, share = (settings["v0"], settings["v1"]), settings["share"]
    truth = gaussian_truth(variances=variances, means=means.tolist(), balance=share)
    X = np.random.default_rng(0).normal(scale=2, size=(50, 2))
    close(at["a"] * (X**2).sum(axis=1) + X @ at["b"] + at["c"], truth(X))
    if abs(at["a"]) > 0.05:  # the chance to be within a circle
        center = -np.array(at["b"]) / (2 * at["a"])
        square = center @ center - at["c"] / at["a"]
        within = [
            ncx2.cdf(square / v, 2, ((m - center) ** 2).sum() / v)
            for m, v in zip(means, variances, strict=True)
        ]
        inner = int(at["a"] < 0)  # the class inside
        error = [within[0], 1 - within[1]] if inner == 1 else [1 - within[0], within[1]]
        assert abs(at["error"] - (share * error[0] + (1 - share) * error[1])) < 2e-3


def check_gaussian_nb(state):
    X, y = plane(state)
    settings = state["settings"]
    given = {"per class": "per_class", "given": settings["v"]}
    model = GaussianNB(variance=given.get(settings["variance"], "pooled")).fit(X, y)
    close(state["result"]["scores"], model.predict_joint_log_proba(X))
    close(state["result"]["means"], model.theta_)
    close(state["result"]["variances"], model.var_)


def check_kmeans(state):
    X, _ = plane(state)
    start, _ = plane(state, "centers")
    path = [[[c["x"], c["y"]] for c in centers] for centers in state["result"]["path"]]
    close(path[0], start)
    rounds = state["settings"]["step"]
    if rounds:
        lloyd = Lloyd(len(start), init=start, n_init=1, max_iter=rounds, tol=0)
        with warnings.catch_warnings(action="ignore"):  # stopped early on purpose
            lloyd.fit(X)
        close(path[-1], lloyd.cluster_centers_)
        close(state["result"]["inertia"], lloyd.inertia_)
    nearest = ((X[:, None] - np.array(path[-1])) ** 2).sum(axis=2).argmin(axis=1)
    assert state["result"]["joined"] == nearest.tolist()


def check_neighbors(state):
    (X, y), (query, _) = plane(state), plane(state, "query")
    model = KNeighbors(n_neighbors=int(state["settings"]["k"]), metric="euclidean").fit(X, y)
    distances, rows = model.kneighbors(query)
    result = state["result"]
    assert result["rows"] == rows[0].tolist()
    close(result["distances"], distances[0])
    shares = dict(zip(model.classes_.tolist(), model.predict_proba(query)[0], strict=True))
    close(result["shares"], [shares.get(k, 0) for k in range(3)])
    assert result["guesses"] == model.predict(X).tolist()


def check_roc(state):
    X, y = plane(state)
    result = state["result"]
    curve, pr = roc(y == 1, X[:, 0]), precision_recall(y == 1, X[:, 0])
    close(result["auc"], curve.auc)
    close(result["averagePrecision"], pr.average_precision)
    close(result["recall"], pr.recall)
    close(result["precision"], pr.precision)
    chosen = X[:, 0] >= state["settings"]["threshold"]
    table = [(chosen & (y == 1)).sum(), (chosen & (y == 0)).sum()]
    assert [result["table"]["tp"], result["table"]["fp"]] == table


def check_bag_of_words(state):
    settings, result = state["settings"], state["result"]
    vectorizer = CountVectorizer(token_pattern=r"\w+", ngram_range=(1, int(settings["n"])))
    counts = vectorizer.fit_transform([settings["text"]]).toarray()[0].tolist()
    assert result["vocabulary"] == vectorizer.get_feature_names_out().tolist()
    assert result["x"] == counts
    empty = [0] * (len(counts) + 1)
    slots = [[*counts, 1] if k == settings["y"] else empty for k in state["data"]["classes"]]
    assert result["joint"] == [value for slot in slots for value in slot]


def check_smoothing(state):
    X, y = sentences(state)
    nb = MultinomialNB(alpha=state["settings"]["alpha"]).fit(X, y)
    result = state["result"]
    close(result["logPhi"], nb.feature_log_prob_)
    close(result["counts"], nb.feature_count_)
    close(result["probabilities"], nb.predict_proba([result["x"]])[0])


def check_em(state):
    (X, y), settings = sentences(state), state["settings"]
    if settings["step"]:
        model = EMNaiveBayes(alpha=settings["alpha"], max_iter=settings["step"], tol=0.0)
        with warnings.catch_warnings(action="ignore"):  # stopped early on purpose
            model.fit(X[y >= 0], y[y >= 0], unlabeled=X[y < 0])
        heights = model.penalized_log_likelihood_
        close(state["result"]["penalizedPath"][: len(heights)], heights)
        close(np.array(state["result"]["p"])[y < 0], model.predict_proba(X[y < 0]))
    else:
        nb = MultinomialNB(alpha=settings["alpha"]).fit(X[y >= 0], y[y >= 0])
        close(np.array(state["result"]["logPhi"]), nb.feature_log_prob_)


def last_weights(settings):
    return Perceptron(averaged=False)


def pegasos(settings):
    return OnlineSVM(alpha=settings["lambda"], averaged=False)


def passive_aggressive(settings):
    return MIRA(C=settings["C"], averaged=False)


CHECKS = {
    "bag-of-words": check_bag_of_words,
    "two-gaussians": check_two_gaussians,
    "gaussian-nb": check_gaussian_nb,
    "perceptron-epochs": check_steps(last_weights),
    "margins": check_margins,
    "slack": check_margins,
    "neighbors": check_neighbors,
    "kmeans": check_kmeans,
    "losses": check_losses,
    "descent": check_descent,
    "stochastic": check_descent,
    "precision-recall": check_roc,
    "roc": check_roc,
    "smoothing": check_smoothing,
    "penalty": check_penalty,
    "shrinkage": check_shrinkage,
    "averaging": check_steps(last_weights),
    "online-svm": check_steps(pegasos),
    "perceptron-steps": check_steps(last_weights, sentences),
    "averaged-steps": check_steps(last_weights, sentences),
    "mira-steps": check_steps(passive_aggressive, sentences),
    "online-svm-steps": check_steps(pegasos, sentences),
    "sgd-steps": check_stochastic_steps,
    "em-steps": check_em,
}

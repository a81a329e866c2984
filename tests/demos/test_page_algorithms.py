"""What the pages of wordplane.demos.page compute, run by Node on random data, against the learners,
numpy and scikit-learn: more cases than a browser could be clicked through."""

import json
import shutil
import subprocess
import warnings

import numpy as np
import pytest
from sklearn.cluster import KMeans as Lloyd
from sklearn.metrics import average_precision_score, roc_auc_score

from tests import reference_logistic, reference_online
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
from wordplane.demos.page import page_script
from wordplane.optimize.losses import hinge, logistic

N_CASES = 5
CLOSE = {"rtol": 1e-6, "atol": 1e-6}
pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="Node is not there")


def run(expression, cases):
    """The value of an expression in `given` for each of the cases."""
    code = page_script().removesuffix("})();")
    code += "\nconst cases = JSON.parse(require('fs').readFileSync(0, 'utf8'));\n"
    code += f"console.log(JSON.stringify(cases.map((given) => ({expression}))));\n}})();"
    ran = subprocess.run(
        ["node", "-e", code], input=json.dumps(cases), capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


def points(seed, n=24, n_classes=2, spread=1.0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % n_classes
    X = np.array([[-1, -1], [1, 1], [-1, 2]])[y] + spread * rng.normal(size=(n, 2))
    return np.round(X * 64) / 64, y


def as_points(X, y):
    return [{"x": x, "y": height, "label": int(k)} for (x, height), k in zip(X, y, strict=True)]


def rows_of(X, y):
    return [{"x": [*x, 1], "y": int(k)} for x, k in zip(X.tolist(), y, strict=True)]


CASES = [points(seed, spread=0.3 + seed / 5) for seed in range(N_CASES)]

ONLINE = {
    "perceptron": ({}, lambda: Perceptron(averaged=False)),
    "mira": ({"C": 0.2}, lambda: MIRA(C=0.2, averaged=False)),
    "onlineSvm": ({"lambda": 0.05}, lambda: OnlineSVM(alpha=0.05, averaged=False)),
}


@pytest.mark.parametrize("name", ONLINE)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_every_step_is_that_of_the_learner(name, n_classes):
    settings, learner = ONLINE[name]
    data = [points(seed, 15, n_classes) for seed in range(N_CASES)]
    cases = [{"rows": rows_of(X, y), "settings": settings} for X, y in data]
    steps = f"learn({name}, given.rows, {n_classes}, given.settings, 45)"
    for (X, y), found in zip(data, run(steps, cases), strict=True):
        last, mean = learner(), learner().set_params(averaged=True)
        assert len(found["path"]) in (30, 45)  # an epoch without a mistake is the last
        for t, theta in enumerate(np.array(found["path"])):
            i = t % len(y)
            for model in (last, mean):
                model.partial_fit(X[i : i + 1], y[i : i + 1], classes=np.arange(n_classes))
            W = theta[1:] - theta[:1] if n_classes == 2 else theta
            np.testing.assert_allclose(W[:, :2], last.coef_, **CLOSE)
            np.testing.assert_allclose(W[:, 2], last.intercept_, **CLOSE)
        mean_theta = np.array(found["average"])
        W = mean_theta[1:] - mean_theta[:1] if n_classes == 2 else mean_theta
        np.testing.assert_allclose(W[:, :2], mean.coef_, **CLOSE)


def test_perceptron_and_svm_end_where_fit_does():
    cases = [{"rows": rows_of(X, y), "lambda": 0.1} for X, y in CASES]
    found = run(
        "(() => { const svm = learn(onlineSvm, given.rows, 2, given, 72);"
        "const p = learn(perceptron, given.rows, 2, {}, 240);"
        "return {svm: svm.average, objective: svmObjective(svm.average, given.rows, 0.1),"
        "perceptron: p.average, steps: p.steps}; })()",
        cases,
    )
    for (X, y), at in zip(CASES, found, strict=True):
        p = Perceptron(shuffle=False, max_iter=10).fit(X, y)
        assert at["steps"] == p.n_iter_ * len(y)
        np.testing.assert_allclose(np.diff(at["perceptron"], axis=0)[:, :2], p.coef_, **CLOSE)
        svm = OnlineSVM(alpha=0.1, shuffle=False, max_iter=3).fit(X, y)
        np.testing.assert_allclose(np.diff(at["svm"], axis=0)[:, :2], svm.coef_, **CLOSE)
        assert at["objective"] == pytest.approx(svm.objective_, abs=1e-6)
    slow, _ = reference_online.perceptron(
        X, y, np.ones(len(y)), [range(len(y))] * 10, averaged=True
    )
    np.testing.assert_allclose(np.diff(at["perceptron"], axis=0)[:, :2], slow[0], **CLOSE)


def test_stochastic_steps_are_those_of_the_reference():
    data = [points(seed, 15, 3) for seed in range(N_CASES)]
    cases = [{"rows": rows_of(X, y), "eta": 0.3, "lambda": 0.2} for X, y in data]
    found = run("learn(sgd, given.rows, 3, given, 45).path", cases)
    kind = {"softmax": True, "bias": True, "penalized": False, "adagrad": False}
    for (X, y), path in zip(data, found, strict=True):
        for t in (1, 2, 15, 45):
            order, eta = ([*range(15)] * 3)[:t], [0.3] * t
            W, b = reference_logistic.stochastic(X, y, np.ones(15), order, 1, eta, 0, 0.2, **kind)
            np.testing.assert_allclose(np.array(path[t - 1])[:, :2].T, W, **CLOSE)
            np.testing.assert_allclose(np.array(path[t - 1])[:, 2], b, **CLOSE)


@pytest.mark.parametrize("C", [0.01, 1, 100, 10_000])
def test_margins_are_those_of_the_svm(C):
    signed = [(2 * y - 1)[:, None] * np.column_stack([X, np.ones(len(y))]) for X, y in CASES]
    found = run(f"supportVectors(given, {C})", [Z.tolist() for Z in signed])
    for (X, y), Z, at in zip(CASES, signed, found, strict=True):
        w, a = np.array(at["w"]), np.array(at["a"])
        np.testing.assert_allclose(at["margins"], Z @ w, **CLOSE)
        # No weights are below the dual objective of any a within the bounds.
        primal = w @ w / 2 + C * np.maximum(0, 1 - Z @ w).sum()
        dual = a.sum() - (Z.T @ a) @ (Z.T @ a) / 2
        assert (a >= 0).all() and (a <= C * (1 + 1e-12)).all()
        assert primal - dual < 1e-9 * primal
        if C <= 1:
            svm = LinearSVM(C=C, loss="hinge", tol=1e-12, max_iter=200_000).fit(X, y)
            np.testing.assert_allclose(w, [*svm.coef_[0], *svm.intercept_], **CLOSE)


@pytest.mark.parametrize("weight", [0.1, 1.0, 100.0])
@pytest.mark.parametrize("share", [0.0, 0.4, 1.0])
@pytest.mark.parametrize("bias", [True, False])
def test_logistic_regression_with_penalties(weight, share, bias):
    extra = [1.0] if bias else []
    cases = [
        [{"x": [*x, *extra], "sign": int(s)} for x, s in zip(X.tolist(), 2 * y - 1, strict=True)]
        for X, y in CASES
    ]
    l1, l2 = ([weight * part] * 2 + [0.0] * bias for part in (share, 1 - share))
    found = run(f"logisticRegression(given, {l1}, {l2})", cases)
    model = LogisticRegression(
        C=1 / weight, penalty="elasticnet", l1_ratio=share, fit_intercept=bias, tol=1e-10,
        max_iter=20_000,
    )  # fmt: skip
    for (X, y), at in zip(CASES, found, strict=True):
        model.fit(X, y)
        np.testing.assert_allclose(at["weights"][:2], model.coef_[0], **CLOSE)
        assert at["objective"] == pytest.approx(weight * model.objective_, rel=1e-9)
        assert not bias or at["weights"][2] == pytest.approx(model.intercept_[0], abs=1e-6)
        assert [w == 0 for w in at["weights"][:2]] == (model.coef_[0] == 0).tolist()


def test_the_optimum_of_weak_penalties():
    """By the shortest subgradient: where solvers of larger problems give up."""
    cases = [
        [{"x": x, "sign": int(s)} for x, s in zip(X.tolist(), 2 * y - 1, strict=True)]
        for X, y in CASES
    ]
    l1, l2 = 6e-4, 4e-4
    found = run(f"logisticRegression(given, [{l1}, {l1}], [{l2}, {l2}]).weights", cases)
    for (X, y), w in zip(CASES, np.array(found), strict=True):
        signs = 2 * y - 1
        gradient = l2 * w - X.T @ (signs / (1 + np.exp(signs * (X @ w))))
        short = np.where(w == 0, np.maximum(np.abs(gradient) - l1, 0), gradient + l1 * np.sign(w))
        np.testing.assert_allclose(short, 0, atol=1e-9)


@pytest.mark.parametrize("variance", ["per class", "pooled", 0.7])
def test_gaussian_naive_bayes(variance):
    cases = [as_points(*case) for case in CASES]
    found = run(
        f"given.map((p) => gaussianScores(gaussianNB(given, 2, {json.dumps(variance)}),"
        "[p.x, p.y]))",
        cases,
    )
    named = "per_class" if variance == "per class" else variance
    for (X, y), scores in zip(CASES, found, strict=True):
        model = GaussianNB(variance=named).fit(X, y)
        np.testing.assert_allclose(scores, model.predict_joint_log_proba(X), **CLOSE)


def test_votes_of_neighbors():
    data = [points(seed, 30, 3) for seed in range(N_CASES)]
    for k in (1, 4, 30):
        code = f"given.map((p) => vote(given, {{x: p.x / 2, y: p.y}}, {k}, 3))"
        found = run(code, [as_points(*case) for case in data])
        for (X, y), votes in zip(data, found, strict=True):
            model = KNeighbors(n_neighbors=k, metric="euclidean").fit(X, y)
            queries = X * [0.5, 1]
            distances, rows = model.kneighbors(queries)
            assert [at["rows"] for at in votes] == rows.tolist()
            np.testing.assert_allclose([at["distances"] for at in votes], distances, **CLOSE)
            shares = [at["shares"] for at in votes]
            np.testing.assert_allclose(shares, model.predict_proba(queries), **CLOSE)
            assert [at["guess"] for at in votes] == model.predict(queries).tolist()


def test_rounds_of_k_means():
    data = [points(seed, 30, 3)[0] for seed in range(N_CASES)]
    cases = [{"points": as_points(X, [0] * 30), "start": as_points(X[:3], range(3))} for X in data]
    found = run("kmeans(given.points, given.start, 6)", cases)
    for X, at in zip(data, found, strict=True):
        for t in (1, 2, 6):
            lloyd = Lloyd(3, init=X[:3], n_init=1, max_iter=t, tol=0, algorithm="lloyd")
            with warnings.catch_warnings(action="ignore"):  # stopped early on purpose
                lloyd.fit(X)
            centers = [[c["x"], c["y"]] for c in at["path"][t]]
            np.testing.assert_allclose(centers, lloyd.cluster_centers_, **CLOSE)
        assert at["joined"] == lloyd.labels_.tolist()
        assert at["inertia"] == pytest.approx(lloyd.inertia_, abs=1e-6)


def test_curves_with_ties():
    rng = np.random.default_rng(0)
    data = [(rng.integers(-4, 5, 25) / 4, rng.integers(0, 2, 25)) for _ in range(N_CASES)]
    cases = [
        [{"score": s, "positive": bool(y)} for s, y in zip(scores.tolist(), labels, strict=True)]
        for scores, labels in data
    ]
    for (scores, labels), at in zip(data, run("rankingCurves(given)", cases), strict=True):
        assert at["auc"] == pytest.approx(roc_auc_score(labels, scores), abs=1e-9)
        precision = average_precision_score(labels, scores)
        assert at["averagePrecision"] == pytest.approx(precision, abs=1e-9)


TEXTS = ["A great, GREAT film", "dull film; 2 stars", "naïve_Bayes über alles", "not dull"]


@pytest.mark.parametrize("longest", [1, 2, 3])
def test_counts_of_words(longest):
    (found,) = run(
        f"(() => {{ const words = vocabularyOf(given, {longest});"
        f"return [words, given.map((text) => countsOf(text, words, {longest}))]; }})()",
        [TEXTS],
    )
    vectorizer = CountVectorizer(token_pattern=r"\w+", ngram_range=(1, longest))
    X = vectorizer.fit_transform(TEXTS).toarray()
    assert found == [vectorizer.get_feature_names_out().tolist(), X.tolist()]


@pytest.mark.parametrize("alpha", [0.001, 1.0, 30.0])
def test_naive_bayes_and_em(alpha):
    rng = np.random.default_rng(1)
    data = [rng.integers(0, 3, (12, 6)).astype(float) for _ in range(N_CASES)]
    labels = [0, 1, 2, 0, 1, 2, *[-1] * 6]
    known = labels[:6]
    found = run(
        f"[naiveBayes(given.slice(0, 6), {json.dumps(np.eye(3)[known].tolist())}, {alpha}),"
        f"em(given, {labels}, 3, {alpha}, 1, 7)]",
        [X.tolist() for X in data],
    )
    for X, (plain, rounds) in zip(data, found, strict=True):
        nb = MultinomialNB(alpha=alpha).fit(X[:6], known)
        np.testing.assert_allclose(plain["logPhi"], nb.feature_log_prob_, **CLOSE)
        np.testing.assert_allclose(plain["logMu"], nb.class_log_prior_, **CLOSE)
        for t in (1, 2, 7):
            soft = EMNaiveBayes(alpha=alpha, max_iter=t, tol=0.0)
            with warnings.catch_warnings(action="ignore"):  # stopped early on purpose
                soft.fit(X[:6], known, unlabeled=X[6:])
            heights = [at["penalized"] for at in rounds[: soft.n_iter_]]
            np.testing.assert_allclose(heights, soft.penalized_log_likelihood_, **CLOSE)
            p = soft.predict_proba(X[6:])
            np.testing.assert_allclose(rounds[soft.n_iter_ - 1]["p"][6:], p, **CLOSE)


@pytest.mark.parametrize("batch", [1, 5, 24])
def test_descent_of_a_line(batch):
    cases = [as_points(X, y) for X, y in CASES]
    found = run(f"[descend(given, [-1, 2], 0.1, {batch}, 12), bestLine(given)]", cases)
    for (X, _), (path, best) in zip(CASES, found, strict=True):
        A, heights = np.column_stack([X[:, 0], np.ones(len(X))]), X[:, 1]
        batches = [slice(i, i + batch) for i in range(0, len(X), batch)]
        w = np.array([-1.0, 2.0])
        for t in range(12):
            rows = batches[t % len(batches)]
            w = w - 0.1 * A[rows].T @ (A[rows] @ w - heights[rows]) / len(heights[rows])
            np.testing.assert_allclose(path[t + 1], w, **CLOSE)
        np.testing.assert_allclose(best, np.linalg.lstsq(A, heights)[0], **CLOSE)


def test_losses_by_margin():
    margins = [-800.0, -1.5, 0.0, 0.25, 1.0, 3.0, 800.0]
    (found,) = run("given.map((m) => Object.values(LOSSES).map((loss) => loss(m)))", [margins])
    z, true = np.array([[0.0, m] for m in margins]), np.ones(len(margins), dtype=int)
    np.testing.assert_allclose(np.array(found)[:, 2], hinge(z, true)[0], **CLOSE)
    np.testing.assert_allclose(np.array(found)[:, 3], logistic(z, true)[0], **CLOSE)
    np.testing.assert_allclose(np.array(found)[:, 1], np.maximum(0, -z[:, 1]), **CLOSE)
    assert [row[0] for row in found] == [1, 1, 1, 0, 0, 0, 0]

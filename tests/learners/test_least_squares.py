import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.linear_model as theirs
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.utils.estimator_checks import check_estimator

from wordplane import RidgeClassifier, TfidfVectorizer
from wordplane.common.errors import ConvergenceWarning, InputError
from wordplane.learners.least_squares import LeastSquares

EXACT = ["svd", "cg"]


def problem(n=60, n_features=5, seed=0, n_targets=None):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, n_features)) + 0.5
    shape = n_features if n_targets is None else (n_features, n_targets)
    y = X @ rng.normal(size=shape)
    return X, y + rng.normal(size=y.shape) + 3


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "estimator",
    [LeastSquares(), LeastSquares(alpha=1.0, solver="cg", tol=1e-12), RidgeClassifier(),
     RidgeClassifier(solver="cg", tol=1e-12)],
)  # fmt: skip
def test_scikit_learn_s_checks(estimator):
    check_estimator(estimator, on_skip=None)


def test_worked_by_hand():
    # y = 1 + 2x exactly; then with alpha = 2, where the centered x has a sum of squares of 2.
    X, y = [[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0]
    for solver in ("svd", "cg", "gd"):
        model = LeastSquares(solver=solver, tol=1e-9).fit(X, y)
        assert np.allclose(model.coef_, [2]) and np.isclose(model.intercept_, 1)
        assert np.isclose(model.objective_, 0, atol=1e-9)
        ridge = LeastSquares(solver=solver, alpha=2.0, tol=1e-9).fit(X, y)
        assert np.allclose(ridge.coef_, [4 / (2 + 2)]) and np.isclose(ridge.intercept_, 2)
        assert np.isclose(ridge.objective_, 2 * 1 + 2 * 1)  # errors -1, 0, 1 and the penalty
        assert np.isclose(ridge.score(X, y), 1 - 2 / 8)


@pytest.mark.parametrize("solver", EXACT)
@pytest.mark.parametrize("alpha", [0.0, 0.3, 10.0])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("n_targets", [None, 3])
def test_equals_scikit_learn(solver, alpha, intercept, n_targets):
    X, y = problem(n_targets=n_targets)
    weight = 1 + np.arange(len(X)) % 3
    his = theirs.Ridge(alpha=alpha, fit_intercept=intercept, solver="svd").fit(X, y, weight)
    ours = LeastSquares(alpha=alpha, fit_intercept=intercept, solver=solver, tol=1e-10)
    ours.fit(sp.csr_matrix(X), y, weight)
    assert ours.coef_.shape == his.coef_.shape and np.allclose(ours.coef_, his.coef_)
    assert np.allclose(ours.intercept_, his.intercept_)
    assert np.allclose(ours.predict(X), his.predict(X))
    assert np.isclose(ours.score(X, y, weight), his.score(X, y, weight))
    errors = weight @ ((y - ours.predict(X)) ** 2).reshape(len(X), -1).sum(axis=1)
    assert np.isclose(ours.objective_, errors + alpha * (ours.coef_**2).sum())


@given(
    hnp.arrays(np.float64, (6, 4), elements=st.integers(-3, 3).map(float)),
    hnp.arrays(np.float64, 6, elements=st.integers(-3, 3).map(float)),
    st.booleans(),
)
def test_shortest_solution_when_singular(X, y, intercept):
    X = np.column_stack([X, X[:, :3] @ np.ones(3), X[:, 0], np.zeros(6)])  # never full rank
    ours = LeastSquares(fit_intercept=intercept).fit(X, y)
    A, b = (X - X.mean(axis=0), y - y.mean()) if intercept else (X, y)
    assert np.allclose(ours.coef_, np.linalg.pinv(A, rcond=1e-10) @ b, atol=1e-7)
    assert np.allclose(ours.predict(X).sum(), y.sum()) or not intercept


@pytest.mark.parametrize("alpha", [0.0, 2.0])
def test_more_features_than_rows(alpha):
    X, y = problem(n=8, n_features=30)
    svd, cg = (
        LeastSquares(alpha=alpha, solver=s, fit_intercept=False, tol=1e-10).fit(X, y) for s in EXACT
    )
    assert np.allclose(svd.coef_, cg.coef_, atol=1e-6)  # the shortest, where there are many


@pytest.mark.parametrize("alpha", [0.0, 5.0])
def test_descents_agree(alpha):
    X, y = problem()
    exact = LeastSquares(alpha=alpha).fit(X, y)
    slow = LeastSquares(alpha=alpha, solver="gd", tol=1e-8).fit(X, y)
    assert np.allclose(slow.coef_, exact.coef_, atol=1e-6)
    sgd = LeastSquares(alpha=alpha, solver="sgd", tol=1e-5, max_iter=300).fit(X, y)
    assert exact.objective_ <= sgd.objective_ < exact.objective_ * 1.01


@pytest.mark.parametrize("alpha", [0.0, 0.5])
def test_scores_of_texts_agree(alpha):
    texts = ["great fun", "a great film", "fine, but long", "dull and long", "dull, dull", "fun"]
    X, stars = TfidfVectorizer().fit_transform(texts), [5, 5, 3, 2, 1, 4]  # more words than texts
    fit = {
        solver: LeastSquares(alpha=alpha, solver=solver, tol=1e-9, max_iter=10**5).fit(X, stars)
        for solver in ("svd", "cg", "gd")
    }
    for model in fit.values():
        assert np.allclose(model.predict(X), fit["svd"].predict(X), atol=1e-5)
        if alpha > 0:  # else many weights fit
            assert np.allclose(model.coef_, fit["svd"].coef_, atol=1e-5)
            assert np.isclose(model.intercept_, fit["svd"].intercept_, atol=1e-5)
    if alpha > 0:
        sgd = LeastSquares(alpha=alpha, solver="sgd", tol=1e-4, max_iter=2000).fit(X, stars)
        least = fit["svd"].objective_
        assert least - 1e-9 <= sgd.objective_ <= 1.05 * least


@pytest.mark.parametrize("solver", EXACT)
@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("class_weight", [None, "balanced"])
def test_classifier_equals_scikit_learn(solver, n_classes, class_weight):
    X, _ = problem(n_features=6)
    y = np.random.default_rng(1).integers(0, n_classes, len(X))
    his = theirs.RidgeClassifier(solver="svd", class_weight=class_weight).fit(X, y)
    ours = RidgeClassifier(solver=solver, class_weight=class_weight, tol=1e-10).fit(X, y)
    assert np.allclose(ours.coef_, his.coef_) and np.allclose(ours.intercept_, his.intercept_)
    assert np.array_equal(ours.predict(X), his.predict(X))


def test_large_sparse_input_is_solved_by_products():
    X = sp.random(300, 8000, 0.005, "csr", rng=np.random.default_rng(0))
    y = np.random.default_rng(1).integers(0, 3, 300)
    ours = RidgeClassifier(tol=1e-8).fit(X, y)
    assert ours.n_iter_ > 1 and ours.converged_
    his = theirs.Ridge(alpha=1.0, solver="sparse_cg", tol=1e-10, max_iter=10**4)
    his.fit(X, 2 * np.eye(3)[y] - 1)
    assert np.allclose(ours.coef_, his.coef_, atol=1e-4)


def test_threads_change_no_bit():
    X = sp.random(3000, 500, 0.05, "csr", rng=np.random.default_rng(0))
    y = np.random.default_rng(1).integers(0, 4, 3000)
    one, *others = (RidgeClassifier(solver="cg", n_jobs=n).fit(X, y) for n in (1, 2, 3, 8))
    assert all(np.array_equal(one.coef_, other.coef_) for other in others)


def test_not_converging_is_said():
    X, y = problem()
    for solver in ("cg", "gd", "sgd"):
        with pytest.warns(ConvergenceWarning, match="max_iter"):
            model = LeastSquares(solver=solver, tol=0, max_iter=2).fit(X, y)
        assert not model.converged_


@pytest.mark.parametrize(
    "params", [{"alpha": -1}, {"alpha": "1"}, {"tol": -1}, {"solver": "qr"}, {"max_iter": 0},
               {"eta0": 0}, {"fit_intercept": 1}],
)  # fmt: skip
def test_bad_parameters(params):
    name = next(iter(params))
    with pytest.raises(InputError, match=f"{name} is"):
        LeastSquares(**params).fit(np.eye(2), [1, 2])
    with pytest.raises(InputError, match=f"{name} is"):
        RidgeClassifier(**params).fit(np.eye(2), [1, 2])


def test_targets_must_be_numbers():
    for y, message in ((["a", "b"], "numbers"), ([1, np.nan], "NaN"), (None, "requires y")):
        with pytest.raises(InputError, match=message):
            LeastSquares().fit(np.eye(2), y)
    with pytest.raises(InputError, match="one class"):
        RidgeClassifier().fit(np.eye(2), ["a", "a"])

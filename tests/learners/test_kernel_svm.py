import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import check_estimator

from wordplane import KernelSVM
from wordplane.common.errors import InputError
from wordplane.learners.kernel_svm import NotAKernelWarning


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_scikit_learn_s_checks(kernel):
    # Weights are as good as repeated rows at the optimum, near which the solver stops.
    near = "equal to the solver's tolerance only"
    checks = ("dense", "sparse")
    expected = {f"check_sample_weight_equivalence_on_{data}_data": near for data in checks}
    check_estimator(KernelSVM(kernel=kernel), on_skip=None, expected_failed_checks=expected)


def rows(n=60, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4)) * (rng.random((n, 4)) < 0.7)
    return sp.csr_matrix(X), (X[:, 0] * X[:, 1] + X[:, 2] > 0).astype(int) + (X[:, 3] > 0.8)


# Maps of which the product is a kernel: F(x) . F(y) = K(x, y).
def squares(x):
    return [x[0] ** 2, x[1] ** 2, np.sqrt(2) * x[0] * x[1]]


def pairs(x):
    return np.outer(x, x).ravel()


def pairs_and_features(x, c):
    return np.concatenate([pairs(x), np.sqrt(2 * c) * x, [c]])


NUMBERS = hnp.arrays(np.float64, (2, 3), elements=st.integers(-9, 9).map(lambda x: x / 4))


@given(NUMBERS, st.integers(0, 8).map(lambda c: c / 2))
def test_feature_maps(both, c):
    x, y = both
    assert np.isclose(np.dot(squares(x[:2]), squares(y[:2])), (x[:2] @ y[:2]) ** 2)
    assert np.isclose(pairs(x) @ pairs(y), (x @ y) ** 2)
    assert np.isclose(pairs_and_features(x, c) @ pairs_and_features(y, c), (c + x @ y) ** 2)


@pytest.mark.parametrize("coef0", [0.0, 1.0])
def test_quadratic_kernel_is_linear_after_the_map(coef0):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    y = (np.abs(X[:, 0]) > np.abs(X[:, 1])).astype(int)
    lifted = np.array([pairs_and_features(x, coef0) if coef0 else squares(x) for x in X])
    curved = KernelSVM(degree=2, coef0=coef0, C=10, tol=1e-8).fit(X, y)
    straight = KernelSVM(kernel="linear", C=10, tol=1e-8).fit(lifted, y)
    assert np.allclose(curved.decision_function(X), straight.decision_function(lifted), atol=1e-5)
    assert np.array_equal(curved.support_, straight.support_)
    assert curved.score(X, y) > 0.9 > KernelSVM(kernel="linear", C=10).fit(X, y).score(X, y)


def test_worked_by_hand():
    # -1 and 1 on a line, the margin between them: w = 1, b = 0, both support it with alpha = 1/2.
    model = KernelSVM(kernel="linear", C=10, tol=1e-8).fit([[-1.0], [1.0], [3.0]], ["a", "b", "b"])
    assert np.allclose(model.decision_function([[-2.0], [0.5]]), [-2, 0.5])
    assert model.support_.tolist() == [0, 1]
    found = model.support_documents(["minus one", "one", "three"])
    assert [(v.row, v.label, round(v.weight, 6), v.document) for v in found] == [
        (0, "a", 0.5, "minus one"),
        (1, "b", 0.5, "one"),
    ]


@pytest.mark.parametrize(
    ("ours", "his"),
    [({"kernel": "rbf", "gamma": 0.7}, {"kernel": "rbf", "gamma": 0.7}),
     ({"kernel": "rbf"}, {"kernel": "rbf", "gamma": "scale"}),
     ({"kernel": "linear"}, {"kernel": "linear"}),
     ({"degree": 3, "coef0": 2.0}, {"kernel": "poly", "degree": 3, "coef0": 2.0, "gamma": 1})],
)  # fmt: skip
@pytest.mark.parametrize("class_weight", [None, "balanced"])
def test_is_scikit_learn_s(ours, his, class_weight):
    X, y = rows()
    mine = KernelSVM(**ours, class_weight=class_weight).fit(X, y)
    theirs = SVC(**his, class_weight=class_weight).fit(X, y)
    assert np.allclose(mine.decision_function(X), theirs.decision_function(X), atol=1e-6)


def test_weights_are_repeated_rows():
    X, y = rows()
    weights = 1 + np.arange(60) % 3
    weighted = KernelSVM(tol=1e-8).fit(X, y, weights)
    repeated = KernelSVM(tol=1e-8).fit(X[np.repeat(np.arange(60), weights)], np.repeat(y, weights))
    assert np.allclose(weighted.decision_function(X), repeated.decision_function(X), atol=1e-5)


def test_function_as_kernel():
    X, y = rows()

    def polynomial(A, B):
        return (1 + (A @ B.T).toarray()) ** 2

    own = KernelSVM(kernel=polynomial, tol=1e-8).fit(X, y)
    named = KernelSVM(tol=1e-8).fit(X, y)
    assert np.allclose(own.decision_function(X[:7]), named.decision_function(X[:7]), atol=1e-5)
    with pytest.warns(NotAKernelWarning, match="eigenvalue of -"):
        KernelSVM(kernel=lambda A, B: -(A @ B.T)).fit(X, y)
    with pytest.warns(NotAKernelWarning, match="not symmetric"):
        KernelSVM(kernel=lambda A, B: np.arange(A.shape[0] * B.shape[0]).reshape(60, -1)).fit(X, y)
    with pytest.raises(InputError, match=r"shape \(60,\), expected"):
        KernelSVM(kernel=lambda A, B: np.zeros(60)).fit(X, y)


@pytest.mark.parametrize(
    "params", [{"C": 0}, {"kernel": "tree"}, {"degree": 0}, {"coef0": -1}, {"gamma": "auto"},
               {"tol": 0}],
)  # fmt: skip
def test_bad_parameters(params):
    with pytest.raises(InputError, match=f"{next(iter(params))} is"):
        KernelSVM(**params).fit(np.eye(2), [0, 1])

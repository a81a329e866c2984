"""The certificate of logistic regression with a bias that is not penalized."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import minimize
from scipy.special import log_softmax, softmax

from wordplane import LogisticRegression
from wordplane.learners.support.logistic_bias import best_shift, bias_without_weights, class_masses

TINY_TO_HUGE = 10.0 ** np.arange(-6, 7)


def sparse_problem(n_classes, is_even, n=90, n_features=10, seed=0):
    rng = np.random.default_rng(seed)
    X = sp.random(n, n_features, 0.15, "csr", rng=rng)
    z = 3 * X @ rng.normal(size=(n_features, n_classes)) + rng.gumbel(size=(n, n_classes))
    y = (z if is_even else z + np.linspace(4, -1, n_classes)).argmax(axis=1)
    y[:n_classes] = np.arange(n_classes)
    return X, y


def exact_optimum(X, y, C):
    """The least objective of softmax regression, or of two classes with one weight vector, by
    SciPy's trust region method on dense arrays."""
    n_classes = y.max() + 1
    F = np.column_stack([X.toarray(), np.ones(len(y))])
    n, d = F.shape
    is_binary = n_classes == 2
    n_outputs = 1 if is_binary else n_classes
    own = np.eye(n_classes)[y]
    scale = C * n  # so that the numbers are of size 1

    def scores(v):
        z = F @ v.reshape(d, n_outputs)
        return np.column_stack([np.zeros(n), z]) if is_binary else z

    def value_and_gradient(v):
        W, z = v.reshape(d, n_outputs), scores(v)
        value = -C * log_softmax(z, axis=1)[np.arange(n), y].sum() + 0.5 * (W[:-1] ** 2).sum()
        gradient = C * F.T @ (softmax(z, axis=1) - own)[:, -n_outputs:]
        gradient[:-1] += W[:-1]
        return value / scale, gradient.ravel() / scale

    def hessian(v):
        P = softmax(scores(v), axis=1)[:, -n_outputs:]
        curvature = np.einsum("ij,jk->ijk", P, np.eye(n_outputs)) - P[:, :, None] * P[:, None]
        H = C * np.einsum("ia,ijk,ib->ajbk", F, curvature, F).reshape(d * n_outputs, -1)
        H[np.diag_indices((d - 1) * n_outputs)] += 1.0
        return H / scale

    options = {"gtol": 1e-12, "maxiter": 2000}
    found = minimize(
        value_and_gradient, np.zeros(d * n_outputs), jac=True, hess=hessian,
        method="trust-exact", options=options,
    )  # fmt: skip
    return found.fun * scale


@pytest.mark.filterwarnings("ignore:.*did not converge|.*stopped")
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("is_even", [True, False])
@pytest.mark.slow
def test_a_certificate_is_never_false(n_classes, is_even):
    """Where the dual says that the objective is at most 1e-4 too high, it is."""
    X, y = sparse_problem(n_classes, is_even)
    certified = 0
    for C in TINY_TO_HUGE:
        model = LogisticRegression(C=C, solver="dual", max_iter=60).fit(X, y)
        least = exact_optimum(X, y, C)
        assert model.objective_ >= least * (1 - 1e-9)
        if model.converged_:
            certified += 1
            assert model.objective_ <= least * (1 + 1e-4)
    assert certified >= 6


@pytest.mark.parametrize("multi_class", ["auto", "ovr"])
def test_little_data_weight_takes_few_passes(multi_class):
    """The bias does not wait for the dual variables, which move it by about C in a pass."""
    X, y = sparse_problem(3, is_even=False)
    model = LogisticRegression(C=1e-6, solver="dual", multi_class=multi_class).fit(X, y)
    assert model.converged_
    assert model.n_iter_ <= 6
    shares = np.bincount(y) / len(y)
    assert model.predict_proba(X).mean(axis=0) == pytest.approx(shares, abs=1e-4)


@pytest.mark.parametrize("is_softmax", [True, False])
@pytest.mark.parametrize("scale", [0.1, 4.0])
def test_the_best_shift_makes_classes_as_probable_as_they_are_common(is_softmax, scale):
    rng = np.random.default_rng(1)
    z, C = scale * rng.normal(size=(80, 4)), rng.exponential(size=80)
    y = rng.choice(4, 80, p=[0.7, 0.1, 0.1, 0.1]).astype(np.int32)
    masses = class_masses(y, C, 4)
    shifted = z + best_shift(z, C, masses, is_softmax)
    P = softmax(shifted, axis=1) if is_softmax else 1 / (1 + np.exp(-shifted))
    assert (C @ P).tolist() == pytest.approx(masses.tolist(), rel=1e-8)


def test_without_weights_the_bias_is_known():
    y, C = np.array([0, 1, 1, 2], np.int32), np.array([1.0, 2.0, 0.5, 3.0])
    masses = class_masses(y, C, 3)
    for is_softmax in (True, False):
        b0 = bias_without_weights(masses, C.sum(), is_softmax)
        shift = best_shift(np.zeros((4, 3)), C, masses, is_softmax)
        assert shift - shift.mean() * is_softmax == pytest.approx(b0 - b0.mean() * is_softmax)

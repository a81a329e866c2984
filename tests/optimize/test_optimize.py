"""Every optimizer on the same problems.

Tests of wordplane.optimize.adaptive, wordplane.optimize.bounded,
wordplane.optimize.conjugate_gradient, wordplane.optimize.descent,
wordplane.optimize.joint_loss, wordplane.optimize.lbfgs, wordplane.optimize.line_search,
wordplane.optimize.losses, wordplane.optimize.newton, wordplane.optimize.objective,
wordplane.optimize.penalties, wordplane.optimize.solution and wordplane.optimize.vectors.
"""

import numpy as np
import pytest
import scipy.optimize
from hypothesis import given, settings
from hypothesis import strategies as st

from wordplane.common.errors import InputError
from wordplane.common.matrix import as_csr
from wordplane.optimize import losses
from wordplane.optimize.adaptive import adagrad, adam
from wordplane.optimize.conjugate_gradient import conjugate_gradient, solve
from wordplane.optimize.descent import batches, gradient_descent
from wordplane.optimize.joint_loss import joint_loss, joint_rows
from wordplane.optimize.lbfgs import lbfgs
from wordplane.optimize.newton import newton
from wordplane.optimize.objective import LinearObjective, Objective
from wordplane.optimize.penalties import Penalty

COSTS = np.array([[0.0, 1.0, 4.0], [2.0, 0.0, 0.5], [1.0, 3.0, 0.0]])


def rosenbrock(w):
    return float(scipy.optimize.rosen(w)), scipy.optimize.rosen_der(w)


def random_problem(loss=losses.logistic, penalty=None, n_outputs=3, seed=0, **options):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(40, 6)) * (rng.random((40, 6)) < 0.6)
    y = rng.integers(0, max(n_outputs, 2), 40)
    if loss is losses.squared_error:
        y = rng.normal(size=(40, n_outputs))
    weight = rng.random(40) + 0.5
    return LinearObjective(
        as_csr(X), y, loss, penalty, n_outputs=n_outputs, weight=weight, **options
    )


def central_difference(f, w, h=1e-6):
    return np.array([(f(w + h * e) - f(w - h * e)) / (2 * h) for e in np.eye(len(w))])


def test_losses_worked_by_hand():
    z, y = np.array([[1.0, 2.0, 0.0]]), np.array([0])
    assert losses.zero_one(z, y)[0] == [1]
    assert losses.perceptron(z, y)[0] == [1]
    assert losses.hinge(z, y)[0] == [2]  # 2 + 1 - 1
    assert losses.hinge(z, y, COSTS)[0] == [3]  # class 2: 0 + 4 - 1
    assert np.array_equal(losses.hinge(z, y, COSTS)[1], [[-1, 0, 1]])
    assert losses.squared_hinge(z, y)[0] == [4]
    assert np.allclose(losses.logistic(z, y)[0], np.log(np.exp(1) + np.exp(2) + 1) - 1)
    assert losses.joint_log_likelihood(z, y)[0] == [-1]
    assert losses.squared_error(z, np.array([[0.0, 0.0, 2.0]]))[0] == [9]


def test_one_column_is_the_second_of_two_classes():
    for y in (np.array([0]), np.array([1])):
        for name in ("zero_one", "perceptron", "hinge", "squared_hinge", "logistic"):
            loss = getattr(losses, name)
            for score in (-3.0, -0.3, 0.4, 2.0):
                one, two = np.array([[score]]), np.array([[0.0, score]])
                assert np.allclose(loss(one, y)[0], loss(two, y)[0])
                assert np.allclose(loss(one, y)[1][:, 0], loss(two, y)[1][:, 1])
    one = np.array([[0.7]])
    assert np.allclose(losses.hinge(one, np.array([1]))[0], 0.3)
    for binary, general in zip(
        losses.binary_logistic(one, [0]), losses.logistic(one, [0]), strict=True
    ):
        assert np.allclose(binary, general)


def test_huge_scores_are_safe():
    z = np.array([[1e4, -1e4, 0.0]])
    for loss in (losses.logistic, losses.binary_logistic):
        value, gradient = loss(z, np.array([1]))
        assert np.isfinite(value).all() and np.isfinite(gradient).all()
    assert losses.logistic(z, np.array([1]))[0] == [2e4]


@pytest.mark.parametrize(
    "name", ["perceptron", "hinge", "squared_hinge", "logistic", "binary_logistic",
             "binary_squared_hinge", "joint_log_likelihood", "squared_error"],
)  # fmt: skip
@pytest.mark.parametrize("n_outputs", [1, 3])
def test_gradients_of_losses(name, n_outputs):
    rng = np.random.default_rng(1)
    z = rng.normal(size=(5, n_outputs)) * 2
    y = rng.normal(size=z.shape) if name == "squared_error" else rng.integers(0, 2, 5)
    loss = getattr(losses, name)
    found = loss(z, y)[1]
    expected = central_difference(lambda v: loss(v.reshape(z.shape), y)[0].sum(), z.ravel())
    assert np.allclose(found.ravel(), expected, atol=1e-6)


@pytest.mark.parametrize("loss", list(losses.CURVATURE))
@pytest.mark.parametrize("n_outputs", [1, 3])
def test_gradient_and_hessian_of_objectives(loss, n_outputs):
    F = random_problem(loss, Penalty(l2=0.7, free=n_outputs), n_outputs)
    rng = np.random.default_rng(2)
    w, v = rng.normal(size=(2, len(F.start())))
    assert np.allclose(F(w)[1], central_difference(lambda u: F(u)[0], w), atol=1e-5)
    h = 1e-6
    along = (F(w + h * v)[1] - F(w - h * v)[1]) / (2 * h)
    assert np.allclose(F.hessian(w)(v), along, atol=1e-5)


def test_objective_is_the_sum_of_its_batches():
    F = random_problem(penalty=Penalty(l2=1.0))
    w = np.random.default_rng(3).normal(size=len(F.start()))
    parts = [F.batch(w, rows) for rows in batches(40, 8, np.random.default_rng(0))]
    value, gradient = F.loss(w)
    assert np.isclose(np.mean([part[0] for part in parts]), value)
    assert np.allclose(np.mean([part[1] for part in parts], axis=0), gradient)


@settings(max_examples=40)
@given(st.floats(-5, 5), st.floats(0, 3), st.floats(0, 3), st.floats(0.01, 2))
def test_proximal_step_minimizes(w, strength, ratio, step):
    penalty = Penalty(l2=strength * (1 - ratio / 3), l1=strength * ratio / 3)
    found = penalty.proximal(np.array([w]), step)
    grid = np.linspace(-6, 6, 1001)
    values = (grid - w) ** 2 / (2 * step) + np.array([penalty.value(v) for v in grid[:, None]])
    at_found = (found[0] - w) ** 2 / (2 * step) + penalty.value(found)
    assert at_found <= values.min() + 1e-9


def test_penalties():
    w = np.array([3.0, -0.5, 2.0])
    penalty = Penalty(l2=2.0, l1=1.0, free=1)
    assert penalty.value(w) == 9 + 0.25 + 3.5
    assert np.array_equal(penalty.gradient(w), [7, -2, 0])
    assert np.array_equal(penalty.proximal(w, 1.0), [2 / 3, 0, 2])
    assert np.array_equal(penalty.proximal(w, 1.0, l2=False), [2, 0, 2])
    assert Penalty(l1=2.0).value(w) == 11 and Penalty(l2=2.0).value(w) == 9 + 0.25 + 4


def test_batches():
    assert list(batches(4, None, None)) == [None] and list(batches(4, 4, None)) == [None]
    drawn = np.concatenate(list(batches(10, 3, np.random.default_rng(0))))
    assert sorted(drawn) == list(range(10)) and drawn.tolist() != list(range(10))


@pytest.mark.parametrize("optimizer", [lbfgs, conjugate_gradient])
def test_rosenbrock(optimizer):
    found = optimizer(rosenbrock, np.array([-1.2, 1.0, -0.5, 0.8]), tol=1e-8, max_iter=5000)
    assert found.converged and found.reason == "gradient" and found.gradient_norm <= 1e-8
    assert np.allclose(found.w, 1) and found.loss < 1e-12
    assert len(found.history) == found.n_iter + 1


def test_lbfgs_takes_no_more_evaluations_than_twice_scipy_s():
    count = [0]

    def counted(w):
        count[0] += 1
        return rosenbrock(w)

    start = np.tile([-1.2, 1.0], 5)
    lbfgs(counted, start, tol=1e-5)
    theirs = scipy.optimize.minimize(
        rosenbrock, start, jac=True, method="L-BFGS-B", options={"gtol": 1e-5}
    )
    assert count[0] <= 2 * theirs.nfev


SMOOTH = {
    "gd": lambda F, w: gradient_descent(F, w, tol=1e-7, max_iter=20000),
    "gd momentum": lambda F, w: gradient_descent(F, w, momentum=0.5, tol=1e-7, max_iter=20000),
    "gd fixed": lambda F, w: gradient_descent(
        F, w, step="fixed", eta0=0.005, tol=1e-7, max_iter=20000
    ),
    "cg": lambda F, w: conjugate_gradient(F, w, tol=1e-7),
    "lbfgs": lambda F, w: lbfgs(F, w, tol=1e-7),
    "newton": lambda F, w: newton(F, w, tol=1e-7),
    "newton by cg": lambda F, w: newton(F, w, tol=1e-7, exact=False),
}


@pytest.mark.parametrize("method", SMOOTH)
@pytest.mark.parametrize("loss", [losses.logistic, losses.squared_error])
def test_every_optimizer_finds_scipy_s_optimum(method, loss):
    F = random_problem(loss, Penalty(l2=2.0, free=3))
    theirs = scipy.optimize.minimize(
        F, F.start(), jac=True, method="L-BFGS-B", options={"gtol": 1e-10, "ftol": 1e-16}
    )
    found = SMOOTH[method](F, F.start())
    assert found.converged, (found.reason, found.gradient_norm)
    assert np.isclose(found.loss, theirs.fun, rtol=1e-9)
    assert np.isclose(found.loss, F(found.w)[0], rtol=1e-12)
    assert np.isclose(found.gradient_norm, np.abs(F(found.w)[1]).max())


@pytest.mark.parametrize(
    "run",
    [
        lambda F, w: gradient_descent(
            F, w, batch_size=1, step="decay", eta0=0.1, power=0.9, tol=0, max_iter=200
        ),
        lambda F, w: gradient_descent(
            F, w, batch_size=8, shuffle=False, step="decay", eta0=0.1, power=0.7, momentum=0.3,
            tol=0, max_iter=200,
        ),
        lambda F, w: adagrad(F, w, eta=0.5, batch_size=4, tol=0, max_iter=200),
        lambda F, w: adagrad(F, w, eta=0.5, tol=1e-9, max_iter=3000),
        lambda F, w: adam(F, w, eta=0.01, tol=1e-9, max_iter=3000),
        lambda F, w: adam(F, w, eta=0.003, batch_size=10, tol=0, max_iter=300),
    ],
)  # fmt: skip
@pytest.mark.slow
def test_stochastic_optimizers_come_near(run):
    F = random_problem(penalty=Penalty(l2=4.0))
    best = newton(F, F.start(), tol=1e-10).loss
    assert best <= run(F, F.start()).loss < best * (1 + 1e-3)


@pytest.mark.parametrize("method", ["lbfgs", "gd"])
def test_l1_satisfies_its_optimality_conditions(method):
    F = random_problem(penalty=Penalty(l1=4.0, free=3))
    found = SMOOTH[method](F, F.start())
    assert found.converged
    gradient = F.loss(found.w)[1]
    held, free = slice(0, -3), slice(-3, None)
    zero = found.w[held] == 0
    assert 2 < zero.sum() < len(zero)
    assert (np.abs(gradient[held][zero]) <= 4 + 1e-6).all()
    assert np.allclose(gradient[held][~zero], -4 * np.sign(found.w[held][~zero]), atol=1e-6)
    assert np.allclose(gradient[free], 0, atol=1e-6)


def test_reasons_to_stop():
    F = random_problem(penalty=Penalty(l2=1.0))
    assert lbfgs(F, F.start(), max_iter=2).reason == "max_iter"
    assert not lbfgs(F, F.start(), max_iter=2).converged
    assert lbfgs(F, F.start(), tol=0, max_iter=10**4).reason in ("step", "gradient")
    at_optimum = newton(F, F.start(), tol=1e-10)
    assert newton(F, at_optimum.w, tol=1e-9).n_iter == 0
    changed = gradient_descent(F, F.start(), batch_size=4, step="decay", eta0=0.01, tol=0.1)
    assert changed.reason == "change"


def test_what_cannot_work_is_refused():
    smooth, rough = random_problem(), random_problem(penalty=Penalty(l1=1.0))
    for optimizer in (newton, conjugate_gradient):
        with pytest.raises(InputError, match="l1"):
            optimizer(rough, rough.start())
    with pytest.raises(InputError, match="Hessian"):
        newton(Objective(rosenbrock), np.zeros(2))
    for options in (
        {"batch_size": 2},  # armijo
        {"step": "big"},
        {"step": "decay", "power": 0.5},
        {"step": "decay", "power": 1.1},
    ):
        with pytest.raises(InputError):
            gradient_descent(smooth, smooth.start(), **options)


@pytest.mark.parametrize("optimizer", [lbfgs, conjugate_gradient, gradient_descent, adagrad, adam])
def test_an_objective_that_is_no_number_ends(optimizer):
    found = optimizer(lambda w: (np.nan, np.full(2, np.nan)), np.zeros(2), max_iter=10)
    assert not found.converged


def test_what_an_objective_lacks_is_said():
    with pytest.raises(InputError, match="needs a Hessian"):
        newton(rosenbrock, np.zeros(2))
    for optimizer in (gradient_descent, adagrad, adam):
        with pytest.raises(InputError, match="not a sum over rows"):
            optimizer(rosenbrock, np.zeros(2), batch_size=2)


def test_linear_conjugate_gradients():
    rng = np.random.default_rng(0)
    A = rng.normal(size=(6, 6))
    H, r = A @ A.T + np.eye(6), rng.normal(size=6)
    x, rest, steps = solve(lambda v: H @ v, r, tol=1e-10, max_iter=50)
    assert np.allclose(x, np.linalg.solve(H, r)) and rest <= 1e-10 and steps <= 12


def test_joint_loss_equals_that_of_the_linear_model():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 3, (15, 4)).astype(float), rng.integers(0, 3, 15)
    weights = rng.random(15)

    def f(x, k):
        return {f"{j}:{k}": value for j, value in enumerate(x) if value}

    rows, names = joint_rows(f, X, [0, 1, 2])
    linear = LinearObjective(
        as_csr(X), y, losses.logistic, Penalty(), n_outputs=3, intercept=False, weight=weights
    )
    W = rng.normal(size=(4, 3))
    place = [(int(name[0]), int(name[2])) for name in names]
    loss, gradient = joint_loss(rows, y, 3, weights)(np.array([W[j, k] for j, k in place]))
    expected, expected_gradient = linear(W.ravel())
    assert np.isclose(loss, expected, rtol=1e-12)
    assert np.allclose(gradient, [expected_gradient.reshape(4, 3)[j, k] for j, k in place])
    some, _ = joint_rows(f, [[9.0, 0.0, 0.0, 0.0]], [0, 1, 2], names)
    assert some.shape == (3, len(names))


def test_stopping_by_the_running_loss_of_an_epoch():
    """Against a loop that adds up each row's loss as it stood before its own step."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 3))
    y = (X @ [1.0, -2.0, 0.5] + rng.normal(size=30) > 0).astype(np.int32)
    F = LinearObjective(
        as_csr(X), y, losses.logistic, Penalty(l2=0.5), n_outputs=1, intercept=False
    )
    params = {"batch_size": 1, "shuffle": False, "step": "decay", "eta0": 0.02, "tol": 1e-3}
    found = gradient_descent(F, F.start(), stop="running_loss", max_iter=200, **params)
    w, t, slow = np.zeros(3), 0, []
    while len(slow) < 2 or abs(slow[-2] - slow[-1]) > 1e-3 * abs(slow[-1]):
        running = 0.0
        for x, label in zip(X, y, strict=True):
            t += 1
            sign = 1 if label else -1
            running += np.log1p(np.exp(-sign * (w @ x)))
            gradient = -30 * sign * x / (1 + np.exp(sign * (w @ x))) + 0.5 * w
            w = w - 0.02 / t * gradient
        slow.append(running + 0.25 * w @ w)
    assert found.reason == "change" and found.converged
    assert found.history[1:] == pytest.approx(slow)
    assert found.w == pytest.approx(w)
    assert found.loss == pytest.approx(F(w)[0])
    for optimizer in (adagrad, adam):
        ended = optimizer(F, F.start(), batch_size=5, stop="running_loss", tol=1e-4, max_iter=5000)
        assert ended.reason == "change"
        assert ended.loss == pytest.approx(lbfgs(F, F.start()).loss, rel=0.05)
        assert ended.loss == pytest.approx(F(ended.w)[0])
    with pytest.raises(InputError, match="needs batches"):
        gradient_descent(F, F.start(), stop="running_loss")
    with pytest.raises(InputError, match="stop is 'never'"):
        gradient_descent(F, F.start(), stop="never", **params)

"""A step size of its own for every coordinate: AdaGrad and Adam.

    AdaGrad   G_j += g_j^2                      w_j -= eta g_j / (eps + sqrt(G_j))
    Adam      m_j = b1 m_j + (1 - b1) g_j       w_j -= eta m^_j / (eps + sqrt(s^_j))
              s_j = b2 s_j + (1 - b2) g_j^2     m^ = m / (1 - b1^t), s^ = s / (1 - b2^t)

g is the gradient of the loss, on a batch or on all rows. The penalty is applied as a proximal
step with the same eta / (eps + sqrt(...)) for each coordinate.

References: Duchi, Hazan and Singer (2011), JMLR 12; Kingma and Ba (2015), ICLR.
"""

import numpy as np

from wordplane.common.progress import notify
from wordplane.optimize.descent import batches, check_batches, check_stop
from wordplane.optimize.objective import Function, Objective, as_objective
from wordplane.optimize.solution import Result
from wordplane.optimize.vectors import Floats, largest


class _AdaGrad:
    def __init__(self, w: Floats, eps: float) -> None:
        self.total, self.eps = np.zeros_like(w), eps

    def __call__(self, gradient: Floats) -> tuple[Floats, Floats]:
        self.total += gradient**2
        return gradient, 1 / (self.eps + np.sqrt(self.total))


class _Adam:
    def __init__(self, w: Floats, eps: float, b1: float, b2: float) -> None:
        self.m, self.s, self.t = np.zeros_like(w), np.zeros_like(w), 0
        self.eps, self.b1, self.b2 = eps, b1, b2

    def __call__(self, gradient: Floats) -> tuple[Floats, Floats]:
        self.t += 1
        self.m += (1 - self.b1) * (gradient - self.m)
        self.s += (1 - self.b2) * (gradient**2 - self.s)
        m, s = self.m / (1 - self.b1**self.t), self.s / (1 - self.b2**self.t)
        return m, 1 / (self.eps + np.sqrt(s))


def adagrad(
    objective: Function | Objective,
    w: Floats,
    *,
    eta: float = 0.1,
    eps: float = 1e-10,
    batch_size: int | None = None,
    stop: str = "objective",
    tol: float = 1e-6,
    max_iter: int = 1000,
    random_state: int = 0,
) -> Result:
    """Minimize with AdaGrad, starting from w.

    It stops when the objective changes by at most tol (relative) in an epoch, when no component
    of its gradient is above tol, or after max_iter epochs. `stop` is as in `gradient_descent`.
    """
    rule = _AdaGrad(w, eps)
    return _run(objective, w, rule, eta, batch_size, stop, tol, max_iter, random_state)


def adam(
    objective: Function | Objective,
    w: Floats,
    *,
    eta: float = 0.01,
    eps: float = 1e-8,
    b1: float = 0.9,
    b2: float = 0.999,
    batch_size: int | None = None,
    stop: str = "objective",
    tol: float = 1e-6,
    max_iter: int = 1000,
    random_state: int = 0,
) -> Result:
    """Minimize with Adam, starting from w; parameters as in `adagrad` and in the formula."""
    rule = _Adam(w, eps, b1, b2)
    return _run(objective, w, rule, eta, batch_size, stop, tol, max_iter, random_state)


def _run(
    objective: Function | Objective,
    w: Floats,
    rule: _AdaGrad | _Adam,
    eta: float,
    batch_size: int | None,
    stop: str,
    tol: float,
    max_iter: int,
    random_state: int,
) -> Result:
    F = as_objective(objective)
    check_batches(F, batch_size)
    by_running_loss = check_stop(F, batch_size, stop)
    rng = np.random.default_rng(random_state)
    value, gradient = F(w)
    history = [value]
    reason = "max_iter"
    for epoch in range(max_iter):
        if largest(gradient) <= tol:
            return Result(w, value, largest(gradient), epoch, "gradient", history)
        running = 0.0
        for rows in batches(F.n_rows, batch_size, rng):
            loss, g = F.loss(w) if rows is None or F.batch is None else F.batch(w, rows)
            running += loss * (1.0 if rows is None else len(rows) / F.n_rows)
            direction, scale = rule(g)
            w = F.penalty.proximal(w - eta * scale * direction, eta * scale)
        old = value
        if by_running_loss:
            value = running + F.penalty.value(w)
        else:
            value, gradient = F(w)
        history.append(value)
        notify("adaptive descent", epoch + 1, 0)
        first = by_running_loss and epoch == 0
        if not first and abs(old - value) <= tol * abs(value):
            reason = "change"
            break
    if by_running_loss:
        value, gradient = F(w)
    return Result(w, value, largest(gradient), len(history) - 1, reason, history)

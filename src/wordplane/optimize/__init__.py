"""Optimization: losses, penalties, objectives and optimizers.

An objective is any callable that maps weights to (value, gradient). `Objective` adds a penalty
to it, `LinearObjective` is the loss of a linear model on a matrix. Every optimizer accepts
any of them:

>>> import numpy as np
>>> from wordplane.optimize.lbfgs import lbfgs
>>> from wordplane.optimize.objective import Objective
>>> from wordplane.optimize.penalties import Penalty
>>> def bowl(w):
...     return float(((w - 3) ** 2).sum()), 2 * (w - 3)
>>> result = lbfgs(Objective(bowl, Penalty(l2=4.0)), np.zeros(2))
>>> result.w.round(6), result.reason
(array([1., 1.]), 'gradient')
"""

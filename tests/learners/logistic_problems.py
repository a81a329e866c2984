"""Problems and objectives that tests of logistic regression share."""

import numpy as np
import scipy.sparse as sp
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from tests import reference_logistic as reference
from wordplane import LogisticRegression

EXACT = ["dual", "lbfgs", "newton"]


STOCHASTIC = ["sgd", "minibatch", "adagrad"]


def problem(n_classes=3, n=120, n_features=8, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, n_features)) * (rng.random((n, n_features)) < 0.4)
    z = X @ rng.normal(size=(n_features, n_classes)) + rng.gumbel(size=(n, n_classes))
    return X, z.argmax(axis=1)


def texts(n_classes, n=400, n_features=300, seed=0):
    """Sparse rows of length 1, as TF-IDF makes them."""
    rng = np.random.default_rng(seed)
    X = np.abs(sp.random(n, n_features, 0.05, "csr", rng=rng))
    X = sp.csr_matrix(X.multiply(1 / np.maximum(np.sqrt(X.multiply(X).sum(axis=1)), 1e-9)))
    return X, (X @ rng.normal(size=(n_features, n_classes))).argmax(axis=1)


def objective(model, X, y, **options):
    X = X.toarray() if sp.issparse(X) else X
    options = {"C": model.C, "penalize_intercept": model.penalize_intercept, **options}
    return reference.logistic_objective(X, y, model.coef_.T, model.intercept_, **options)


def his_as_ours(his, ours):
    model = LogisticRegression(**ours.get_params())
    model.coef_, model.intercept_ = his.coef_, his.intercept_
    return model


def exact_problems():
    return st.tuples(
        hnp.arrays(np.float64, (10, 3), elements=st.sampled_from([0, 0, 1, 2, -1, 30, 0.01])),
        hnp.arrays(np.int64, 10, elements=st.integers(0, 2)),
        st.sampled_from([0.01, 1.0, 100.0]),
    )

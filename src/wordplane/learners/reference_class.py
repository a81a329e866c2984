"""The reference-class form of a linear model: K - 1 weight vectors for K classes.

    W'_k = W_k - W_K,  b'_k = b_k - b_K      for k = 1 .. K-1; the last class always scores 0

Subtracting the same from all scores changes neither the best class nor softmax(z), so predictions
and probabilities stay. (With two classes, `coef_` of every learner is such a form already, for
the first class as reference.)
"""

from wordplane.common.types import FloatArray
from wordplane.learners.support.base import LinearClassifier


def reference_class_form(
    model: LinearClassifier,
) -> tuple[FloatArray, FloatArray]:
    """W' (n_classes - 1 x n_features) and b' of a fitted model, its last class the reference.

    >>> import numpy as np
    >>> from wordplane import LinearSVM
    >>> model = LinearSVM().fit([[1, 0], [0, 1], [1, 1]], ["a", "b", "c"])
    >>> W, b = reference_class_form(model)
    >>> z = np.column_stack([np.array([[1, 0], [0, 1], [1, 1]]) @ W.T + b, np.zeros(3)])
    >>> model.classes_[z.argmax(axis=1)]
    array(['a', 'b', 'c'], dtype='<U1')
    """
    model._check_fitted()  # noqa: SLF001
    W, b = model.coef_, model.intercept_
    if len(model.classes_) == 2 and len(W) == 1:
        return -W, -b
    return W[:-1] - W[-1], b[:-1] - b[-1]

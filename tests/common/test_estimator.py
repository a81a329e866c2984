"""Tests of wordplane.common.estimator, and of wordplane.common.errors."""

import pytest
from sklearn.exceptions import NotFittedError

from wordplane.common.errors import InputError, MissingExtraError, ModelFileError, WordplaneError
from wordplane.common.estimator import Estimator, TextEstimator


class Inner(Estimator):
    def __init__(self, size=1, names=()):
        self.size = size
        self.names = names


class Outer(TextEstimator):
    known_before = frozenset({"n_"})

    def __init__(self, inner=None, *, scale=1.0):
        self.inner = inner
        self.scale = scale


def test_parameters_of_nested_estimators():
    outer = Outer(Inner(2))
    params = outer.get_params()
    assert params == {
        "inner": outer.inner, "inner__size": 2, "inner__names": (), "scale": 1.0,
    }  # fmt: skip
    assert outer.get_params(deep=False) == {"inner": outer.inner, "scale": 1.0}
    outer.set_params(inner__size=5, scale=2.0)
    assert (outer.inner.size, outer.scale) == (5, 2.0)
    with pytest.raises(InputError, match=r"Invalid parameter 'size' .* valid .* inner, scale"):
        outer.set_params(size=1)


def test_only_what_differs_from_the_default_is_shown():
    assert repr(Outer()) == "Outer()"
    assert repr(Outer(Inner(names=[]), scale=1)) == "Outer(inner=Inner(names=[]), scale=1)"


def test_fitted_is_what_has_learned_something():
    outer = Outer()
    outer.n_ = 1
    with pytest.raises(NotFittedError, match="this Outer is not fitted yet; call fit first"):
        outer._check_fitted()
    outer.coef_ = 1
    outer._check_fitted()


def test_tags():
    tags = Outer().__sklearn_tags__()
    assert tags.input_tags.string
    assert not tags.input_tags.two_d_array
    assert not tags.target_tags.required


def test_errors_can_be_caught_as_python_s_own():
    assert issubclass(InputError, ValueError)
    assert issubclass(ModelFileError, InputError)
    error = MissingExtraError("maps need umap-learn", "umap")
    assert isinstance(error, ImportError)
    assert isinstance(error, WordplaneError)
    assert (
        str(error)
        == "maps need umap-learn; install it in a clone of Wordplane with: pip install '.[umap]'"
    )

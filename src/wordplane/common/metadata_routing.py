"""What an estimator wants besides X and y, as scikit-learn's routing asks for it.

With `sklearn.set_config(enable_metadata_routing=True)`, pipelines and searches hand weights, groups
and the like to those steps that have asked for them, as by `model.set_fit_request(groups=True)`.
What can be asked for are the parameters of a method after its data and labels. scikit-learn is
imported only when it asks.
"""

import inspect
from copy import deepcopy
from typing import Self

from wordplane.common.errors import InputError

METHODS = ("fit", "partial_fit", "score")
DATA = ("self", "X", "texts", "raw_documents", "y")


class MetadataRequests:
    """The methods of an estimator that scikit-learn's routing calls.

    >>> import sklearn
    >>> from wordplane import TextClassifier
    >>> with sklearn.config_context(enable_metadata_routing=True):
    ...     model = TextClassifier().set_fit_request(groups=True)
    >>> model.get_metadata_routing().fit.requests["groups"]
    True
    """

    def get_metadata_routing(self) -> object:
        """What the methods of this estimator ask for."""
        known: object = getattr(self, "_metadata_request", None)
        if known is not None:
            return known
        from sklearn.utils.metadata_routing import MetadataRequest

        request = MetadataRequest(owner=self)
        for method in METHODS:
            for name in self._metadata_of(method):
                getattr(request, method).add_request(param=name, alias=None)
        return request

    def set_fit_request(self, **requests: bool | str | None) -> Self:
        """Ask for parameters of `fit`: True, False, or the name that they are passed under."""
        return self._ask("fit", requests)

    def set_partial_fit_request(self, **requests: bool | str | None) -> Self:
        """Ask for parameters of `partial_fit`."""
        return self._ask("partial_fit", requests)

    def set_score_request(self, **requests: bool | str | None) -> Self:
        """Ask for parameters of `score`."""
        return self._ask("score", requests)

    def _ask(self, method: str, requests: dict[str, bool | str | None]) -> Self:
        known = self._metadata_of(method)
        for name in requests.keys() - known:
            raise InputError(
                f"{type(self).__name__}.{method} has no parameter {name!r}; it can ask for "
                f"{', '.join(sorted(known)) or 'nothing'}"
            )
        changed = deepcopy(self.get_metadata_routing())
        for name, alias in requests.items():
            getattr(changed, method).add_request(param=name, alias=alias)
        self._metadata_request = changed
        return self

    def _metadata_of(self, method: str) -> set[str]:
        """The parameters of a method after data and labels."""
        function = getattr(type(self), method, None)
        if function is None:
            return set()
        named = inspect.signature(function).parameters.values()
        kinds = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
        return {p.name for p in named if p.kind not in kinds} - set(DATA)

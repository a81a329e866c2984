"""Dense features as a frame of pandas or polars, as scikit-learn's `set_output` asks for it.

What counts is `set_output` of the transformer, or else `sklearn.set_config(transform_output=...)`.
scikit-learn need not be installed.
"""

import sys
from collections.abc import Callable
from functools import wraps
from typing import Self

import numpy as np

from wordplane.common.errors import InputError

FRAMES = ("default", "pandas", "polars")


class FrameOutput:
    """A transformer whose answers may be frames, with the names of its features as columns.

    >>> from wordplane.text.lexicon import Lexicon, LexiconFeatures
    >>> features = LexiconFeatures(Lexicon({"good": 2})).set_output(transform="polars")
    >>> features.fit_transform(["good film"]).columns[:2]
    ['lexicon:max', 'lexicon:min']
    """

    _sklearn_auto_wrap_output_keys = frozenset({"transform"})  # scikit-learn looks for this name
    _sklearn_output_config: dict[str, str]  # scikit-learn's `clone` copies this

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "transform" in vars(cls):
            cls.transform = _with_frames(vars(cls)["transform"])  # type: ignore[attr-defined]

    def set_output(self, *, transform: str | None = None) -> Self:
        """Let `transform` answer with a frame: "pandas", "polars", or "default" for an array."""
        if transform is not None and transform not in FRAMES:
            raise InputError(f"`transform` is {transform!r}, expected one of {', '.join(FRAMES)}")
        if transform is not None:
            self._sklearn_output_config = {"transform": transform}
        return self

    def _frame_kind(self) -> str:
        own = getattr(self, "_sklearn_output_config", {})
        sklearn = sys.modules.get("sklearn")
        general = sklearn.get_config()["transform_output"] if sklearn else "default"
        return str(own.get("transform", general))


def _with_frames(transform: Callable[..., object]) -> Callable[..., object]:
    @wraps(transform)
    def transform_to_frame(self: FrameOutput, X: object, *args: object, **others: object) -> object:
        Z = transform(self, X, *args, **others)
        kind = self._frame_kind()
        if kind == "default":
            return Z
        names = self.get_feature_names_out()  # type: ignore[attr-defined]
        return _frame(Z, names.tolist(), X, kind)

    return transform_to_frame


def _frame(Z: object, names: list[str], X: object, kind: str) -> object:
    assert isinstance(Z, np.ndarray), "sparse features have no `set_output`, as in scikit-learn"
    if kind == "polars":
        import polars as pl

        return pl.DataFrame(Z, schema=names, orient="row")
    import pandas as pd

    index = X.index if isinstance(X, pd.DataFrame | pd.Series) else None
    return pd.DataFrame(Z, columns=names, index=index, copy=False)

"""What the tests of the readers share."""

import polars as pl
import pytest

from wordplane.common.errors import InputError
from wordplane.data.read import read


def refusal(*args, **kwargs):
    """The message of the InputError."""
    with pytest.raises(InputError) as error:
        read(*args, **kwargs)
    return str(error.value)


def rows(corpus):
    return list(corpus.texts), corpus.labels, corpus.ids


def contents(corpus):
    """Everything that a corpus holds."""
    weights = None if corpus.weights is None else corpus.weights.tolist()
    extras = {name: list(values) for name, values in corpus.extras.items()}
    return list(corpus.texts), corpus.labels, corpus.ids, weights, corpus.split, extras


def parquet(name, **columns):
    pl.DataFrame(columns).write_parquet(name)
    return name

"""The errors that Wordplane raises on purpose.

Each message says what was found, what was expected and what to do.
"""


class WordplaneError(Exception):
    """Anything that Wordplane refuses or fails to do."""


class InputError(WordplaneError, ValueError):
    """The input or a parameter is wrong: a file, row, column or value, named in the message."""


class ConvergenceWarning(UserWarning):
    """A learner stopped before it came as near to its optimum as was asked."""


class ModelFileError(InputError):
    """A model file that is damaged, not a model file, or not safe to use."""


class MissingExtraError(WordplaneError, ImportError):
    """A library that is installed only on wish."""

    def __init__(self, need: str, extra: str) -> None:
        super().__init__(f"{need}; install it with: pip install 'wordplane[{extra}]'")

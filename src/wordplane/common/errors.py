"""The errors that Wordplane raises on purpose.

Each message says what was found, what was expected and what to do. A parameter that the reader
should change is in backticks as it is written in Python: `min_df`, `skip_bad=True`,
`encoding="cp1252"`. The command line shows its option instead.
"""


class WordplaneError(Exception):
    """Base class: Wordplane refused to do something or failed to do it."""


class InputError(WordplaneError, ValueError):
    """The input or a parameter is wrong; the message names the file, row, column or value."""


class RequirementError(WordplaneError):
    """What was required of a model could not be shown on the rows there are."""


class ConvergenceWarning(UserWarning):
    """A learner stopped before it reached the requested tolerance."""


class ModelFileError(InputError):
    """A model file is damaged, unsafe to use, or not a model file at all."""


class MissingExtraError(WordplaneError, ImportError):
    """An optional library is not installed."""

    def __init__(self, need: str, extra: str) -> None:
        super().__init__(f"{need}; install it with: pip install 'wordplane[{extra}]'")

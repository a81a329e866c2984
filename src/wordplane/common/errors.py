"""The errors that Wordplane raises on purpose.

Each message says what was found, what was expected and what to do. A parameter that the reader
should change is in backticks as it is written in Python: `min_df`, `skip_bad=True`,
`encoding="cp1252"`. The command line shows its option instead.
"""

from collections.abc import Mapping

TEXTS_ALONE = (
    "Without labels, the verbs `predict` and `monitor` take texts with a model, `annotate` opens a "
    "page to label them with the help of one, `cluster` groups them, `audit` finds duplicates and "
    "damaged texts, `embed` learns word vectors; `train` needs labels of some, and takes the "
    "others by --unlabeled"
)


class WordplaneError(Exception):
    """Base class: Wordplane refused to do something or failed to do it."""

    def _render_traceback_(self) -> list[str]:
        """What a notebook shows: the line of the cell and the message, without frames of ours."""
        from traceback import extract_tb

        frames = [f for f in extract_tb(self.__traceback__) if "IPython" not in f.filename]
        where = [f"line {frames[0].lineno}: {frames[0].line}", ""] if frames else []
        return [*where, f"{type(self).__name__}: {self}"]


class InputError(WordplaneError, ValueError):
    """The input or a parameter is wrong; the message names the file, row, column or value.

    remedies  options that would help, by name; if there are several sets of them, any one would
    """

    remedies: tuple[Mapping[str, object], ...] = ()


class NoLabelsError(InputError):
    """There are texts and no labels, and labels are needed; the message says what texts alone are
    good for."""

    def __init__(self, problem: str) -> None:
        super().__init__(f"{problem}{chr(10) if chr(10) in problem else '. '}{TEXTS_ALONE}")


class RequirementError(WordplaneError):
    """What was required of a model could not be shown on the rows there are."""


class ConvergenceWarning(UserWarning):
    """A learner stopped before it reached the requested tolerance."""


class ModelFileError(InputError):
    """A model file is damaged, unsafe to use, or not a model file at all."""


def install(extra: str) -> str:
    """How to install an optional part."""
    return f"install it in a clone of Wordplane with: pip install '.[{extra}]'"


class MissingExtraError(WordplaneError, ImportError):
    """An optional library is not installed."""

    def __init__(self, need: str, extra: str) -> None:
        super().__init__(f"{need}; {install(extra)}")

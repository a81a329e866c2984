"""What users pass as documents, as the native column of texts."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from typing import cast

import numpy as np

from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.common.progress import notify
from wordplane.data.frames import is_arrow_string

BATCH_BYTES = 1 << 24
MISSING = "is <NA>, expected a string"  # as pandas calls it too


def as_texts(
    documents: object, encoding: str = "utf-8", decode_error: str = "strict"
) -> _core.Texts:
    """Documents as a column: any iterable of strings (or bytes), or an Arrow column.

    >>> len(as_texts(["one text", b"another"]))
    2
    """
    if isinstance(documents, _core.Texts):
        return documents
    try:
        column = documents if isinstance(documents, (list, tuple)) else _column(documents)
        if isinstance(column, (list, tuple)):
            return _from_list(column, encoding, decode_error)
        return _core.Texts(column)
    except (InputError, UnicodeDecodeError):
        raise
    except (TypeError, ValueError) as error:
        why = str(error)
        if why.endswith("is nan, expected a string"):  # as pandas has missing texts
            why = f"np.nan is an invalid document, expected byte or unicode string. {why}"
        if why.endswith(("is nan, expected a string", "None, expected a string", MISSING)):
            why += "; fill missing texts, or drop their rows"
        if " is [" in why or " is (" in why:
            why += (
                "; join lists of tokens with spaces and read them by "
                'Analyzer(tokens="whitespace"), or count them by CountVectorizer(analyzer=list)'
            )
        raise InputError(why) from None


def batches(texts: _core.Texts, job: str) -> Iterator[tuple[int, int]]:
    """Runs of documents of about 16 MB, begin and end; progress is announced as `job`."""
    begin, n_texts = 0, len(texts)
    while begin < n_texts:
        end = texts.batch_end(begin, BATCH_BYTES)
        yield begin, end
        notify(job, end, n_texts)
        begin = end


def columns_of(
    documents: object, as_texts: Callable[[object], _core.Texts] = as_texts
) -> Iterator[_core.Texts]:
    """Documents as columns of texts: as one; from an iterator as many of about 16 MB each.

    What an iterator gives is let go when it has been read.
    """
    if not isinstance(documents, Iterator):
        yield as_texts(documents)
        return
    n_read = 0
    while part := _next_batch(documents):
        try:
            texts = as_texts(part)
        except InputError as error:
            if n_read == 0:
                raise
            raise InputError(f"{error} (counted from document {n_read})") from None
        n_read += len(part)
        del part
        yield texts
        del texts


def _next_batch(documents: Iterator[object]) -> list[object]:
    part, size = [], 0
    for document in documents:
        part.append(document)
        size += len(document) if isinstance(document, (str, bytes)) else 1
        if size >= BATCH_BYTES:
            break
    return part


def refuse_bare_string(documents: object) -> None:
    """A single string is an iterable of characters, and never what was meant."""
    if isinstance(documents, (str, bytes)):
        raise InputError(
            "Iterable over raw text documents expected, string object received. "
            "Put a single text in a list: [text]"
        )


def _column(documents: object) -> object:
    """Documents of another type than list or tuple: an Arrow column as it is, others as a list."""
    refuse_bare_string(documents)
    if hasattr(documents, "columns"):
        names = list(getattr(documents, "column_names", documents.columns))  # the first: pyarrow
        if len(names) == 1 and hasattr(documents, "__getitem__"):
            return _column(documents[names[0]])
        shown = ", ".join(map(str, names[:10]))
        raise InputError(
            f"the documents are a frame with the columns {shown}; pass one column of texts, "
            "such as frame['text']"
        )
    n_dims = getattr(documents, "ndim", 1)
    if n_dims != 1:
        raise InputError(f"the documents have {n_dims} dimensions, expected one")
    is_pandas = hasattr(documents, "iloc")
    if isinstance(documents, np.ndarray) or (is_pandas and hasattr(documents, "tolist")):
        return documents if is_arrow_string(documents) else documents.tolist()
    if hasattr(documents, "__arrow_c_stream__") or hasattr(documents, "__arrow_c_array__"):
        return documents
    is_texts = isinstance(documents, Iterable) or hasattr(documents, "__getitem__")
    if not is_texts or isinstance(documents, (Mapping, Set)):
        raise InputError(f"the texts are {documents!r:.60}, expected a list of strings")
    return list(cast(Iterable[object], documents))


def _from_list(documents: Sequence[object], encoding: str, decode_error: str) -> _core.Texts:
    try:
        return _core.Texts(documents)
    except TypeError:  # not all are strings: some may be bytes
        pass
    return _core.Texts(
        [_decode(document, row, encoding, decode_error) for row, document in enumerate(documents)]
    )


def _decode(document: object, row: int, encoding: str, decode_error: str) -> object:
    if not isinstance(document, bytes):
        return document
    try:
        return document.decode(encoding, decode_error)
    except UnicodeDecodeError as error:
        # The same class, so that callers of scikit-learn's vectorizers can catch it.
        error.reason = f"{error.reason} (document {row}); set encoding or decode_error"
        raise

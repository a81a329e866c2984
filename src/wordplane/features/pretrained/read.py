"""Read a file of word vectors of any kind."""

from os import PathLike
from pathlib import Path
from typing import BinaryIO

import numpy as np

from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.common.memory import require_memory, require_memory_for
from wordplane.features.embeddings_file import FORMAT, StoredEmbeddings, vocabulary_arrays
from wordplane.features.pretrained.archive import TAR, TAR_AT, file_in, open_vectors
from wordplane.features.pretrained.fasttext import read_fasttext
from wordplane.features.pretrained.fasttext_file import is_fasttext
from wordplane.features.pretrained.text import check_head, parse_head, read_text
from wordplane.features.pretrained.tokens import token_vectors
from wordplane.features.pretrained.vectors import ListedVectors, WordVectors, check_count
from wordplane.features.pretrained.wink import read_wink
from wordplane.features.pretrained.word2vec import read_binary

HEAD_BYTES = 1 << 14
NUMBER_BYTES = b"0123456789+-.eE"


def read_word_vectors(path: str | PathLike[str]) -> WordVectors:
    """The words and vectors of a file of any kind, or of a folder with vectors of tokens.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile() as file:
    ...     _ = Path(file.name).write_text("cat 1 2\\ndog 1 2.5\\n")
    ...     read_word_vectors(file.name).words
    ['cat', 'dog']
    """
    path = file_in(Path(path)) if Path(path).is_dir() else path
    require_memory_for([str(path)], "reading all vectors", "give a file with fewer words")
    with open_vectors(path) as (stream, name):
        head = stream.peek(HEAD_BYTES)[:HEAD_BYTES]
        if not head:
            raise InputError(f"{name}: the file is empty")
        if head[TAR_AT : TAR_AT + len(TAR)] == TAR:
            raise InputError(f"{name}: this is a tar archive; unpack it, and name a file in it")
        if is_fasttext(head):
            return read_fasttext(stream, name)
        if head[8:9] == b"{" and int.from_bytes(head[:8], "little") < 1 << 40:
            return _read_safetensors(stream, head, path, name)
        if head.lstrip()[:1] == b"{":
            return read_wink(stream, name)
        return _read_listed(stream, head, name)


def _read_listed(stream: BinaryIO, first: bytes, name: str) -> ListedVectors:
    """word2vec, binary or as text, and GloVe."""
    line, _, rest = first.partition(b"\n")
    head = parse_head(line)
    if head is None:
        return read_text(stream, name, None)
    check_head(name, head)
    stream.readline()
    _, _, numbers = rest.partition(b" ")
    number = numbers.partition(b" ")[0].strip()
    if head[1] == 1:
        number = numbers.partition(b"\n")[0].strip()
    is_text = number != b"" and not number.strip(NUMBER_BYTES)
    return read_text(stream, name, head) if is_text else read_binary(stream, name, head)


def _read_safetensors(
    stream: BinaryIO, head: bytes, path: str | PathLike[str], name: str
) -> WordVectors:
    """Vectors of tokens, or a file that `wordplane embed` wrote."""
    from safetensors import SafetensorError
    from safetensors.numpy import load

    if FORMAT.encode() in head:
        return _read_own(path)
    require_memory(3 * Path(path).stat().st_size, f"reading {name}", "give a smaller file")
    try:
        arrays = load(stream.read())
    except (SafetensorError, TypeError, ValueError, KeyError, OverflowError) as error:
        raise InputError(
            f"{name}: cannot be read as safetensors with float16, float32 or int8: {error!r:.200}"
        ) from None
    return token_vectors(arrays, path, name)


def _read_own(path: str | PathLike[str]) -> ListedVectors:
    stored = StoredEmbeddings.load(path)
    try:
        stored.check(stored.parameters)
        words = _core.Vocabulary(*vocabulary_arrays(stored.arrays), "whole").names()
    except ValueError as error:
        raise InputError(f"{path}: cannot be used as embeddings: {error}") from None
    vectors = stored.arrays["vectors"]
    check_count(str(path), len(words), len(vectors))
    return ListedVectors(words, np.asarray(vectors, np.float32))

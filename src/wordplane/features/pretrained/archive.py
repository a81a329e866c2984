"""Plain files, .gz, .zip and folders as streams of bytes; the content says which, not the name."""

import gzip
import io
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path, PurePosixPath
from typing import BinaryIO, cast

from wordplane.common.errors import InputError
from wordplane.common.files import check_name, no_such_file
from wordplane.data.compression import BUFFER_BYTES, LimitedStream, member_names

GZIP, ZIP, TAR = b"\x1f\x8b", b"PK\x03\x04", b"ustar"
TAR_AT = 257
SAFETENSORS, JSON = ".safetensors", ".json"


@contextmanager
def open_vectors(path: str | PathLike[str]) -> Iterator[tuple[io.BufferedReader, str]]:
    """The bytes of the one file of vectors in a file, and how messages name it."""
    name = str(path)
    check_name(name)
    try:
        with Path(path).open("rb", BUFFER_BYTES) as file:
            head = file.read(len(ZIP))
            file.seek(0)
            if head.startswith(ZIP):
                with _open_member(file, name) as opened:
                    yield opened
            elif head.startswith(GZIP):
                with gzip.GzipFile(fileobj=file) as stream:
                    yield limited(cast(BinaryIO, stream), file, name), name
            else:
                yield cast(io.BufferedReader, file), name
    except FileNotFoundError:
        raise InputError(no_such_file(path)) from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from None
    except (EOFError, zlib.error, zipfile.BadZipFile, NotImplementedError, RuntimeError) as error:
        raise InputError(
            f"{path}: the compressed data is damaged, cut short or encrypted ({error}); copy or "
            "compress it again"
        ) from None


def limited(stream: BinaryIO, file: BinaryIO, name: str) -> io.BufferedReader:
    """A decompressed stream; an error if it is out of proportion to the file."""
    size = Path(file.name).stat().st_size
    return io.BufferedReader(LimitedStream(stream, name, size), BUFFER_BYTES)


@contextmanager
def _open_member(file: BinaryIO, name: str) -> Iterator[tuple[io.BufferedReader, str]]:
    with zipfile.ZipFile(file) as archive:
        names = member_names(archive, name)
        tensors = [one for one in names if one.endswith(SAFETENSORS)]
        chosen = tensors or names
        if len(chosen) != 1:
            shown = ", ".join(chosen[:4]) or "no file"
            raise InputError(
                f"{name}: holds {shown}{' ...' if len(chosen) > 4 else ''}; expected one file of "
                "vectors: unpack the one that you want"
            )
        with archive.open(chosen[0]) as stream:
            yield limited(cast(BinaryIO, stream), file, name), f"{name}/{chosen[0]}"


def json_files_near(path: str | PathLike[str]) -> Iterator[tuple[str, bytes]]:
    """Names and content of the JSON files that may be the tokenizer of a safetensors file: of the
    same archive, or of its folder and the folders next to that."""
    with Path(path).open("rb") as file:
        is_zip = file.read(len(ZIP)) == ZIP
        if is_zip:
            file.seek(0)
            with zipfile.ZipFile(file) as archive:
                for name in member_names(archive, str(path)):
                    if _may_be_tokenizer(PurePosixPath(name).name):
                        with archive.open(name) as stream:
                            data = limited(cast(BinaryIO, stream), file, str(path))
                            yield f"{path}/{name}", data.read()
            return
    folder = Path(path).parent
    near = [*sorted(folder.glob("*.json")), *sorted(folder.parent.glob("tokenizers/*.json"))]
    for one in near:
        if _may_be_tokenizer(one.name):
            yield str(one), one.read_bytes()


def _may_be_tokenizer(name: str) -> bool:
    return name.endswith(JSON) and "tokenizer" in name


def file_in(folder: Path) -> Path:
    """The safetensors file in a folder."""
    found = sorted(folder.glob(f"*{SAFETENSORS}"))
    if len(found) != 1:
        what = "none" if not found else f"{len(found)}"
        raise InputError(
            f"{folder}: a folder of vectors has one file *{SAFETENSORS} and a tokenizer, and this "
            f"one has {what}: name the file"
        )
    return found[0]

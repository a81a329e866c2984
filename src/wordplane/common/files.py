"""Files that are written whole or not at all."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from os import PathLike
from pathlib import Path

from wordplane.common.errors import InputError, WordplaneError

_drafts: set[Path] = set()  # that are being written


def check_name(path: str) -> None:
    """Raise an error for a name that no file can have."""
    try:
        Path(path).stat()
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        pass  # whoever reads it says so
    except ValueError:
        raise InputError(f"{path!r} is not a name that a file can have") from None
    except OSError as error:
        raise InputError(f"{path:.300}: cannot be read: {error.strerror}") from None


@contextmanager
def whole_file(path: str | PathLike[str]) -> Iterator[Path]:
    """Yield a draft in the folder of `path`; it is renamed to `path` when the block ends.

    The draft is on disk before it is renamed, and the new name is on disk before this returns:
    whatever interrupts the work, `path` is either the old file or the new one. If the block
    fails, the draft is removed. A symbolic link is followed, so it stays a link.
    """
    try:
        target = Path(os.path.realpath(path))
    except (UnicodeEncodeError, ValueError):
        raise InputError(f"{os.fspath(path)!r} is not a name that a file can have") from None
    if target.is_dir():
        raise InputError(f"{path} is a folder; name a file in it")
    if target.exists() and not target.is_file():
        raise InputError(f"{path} is a device or pipe; name a regular file")
    draft = target.with_name(f".{target.name}.{os.urandom(4).hex()}.tmp")
    _drafts.add(draft)
    try:
        try:
            _create_like(target, draft)
            yield draft
            _flush(draft)
            draft.replace(target)
        except BaseException:
            draft.unlink(missing_ok=True)
            raise
        _flush(target.parent)
    except OSError as error:
        raise WordplaneError(f"cannot write {path}: {error.strerror or error}") from error
    finally:
        _drafts.discard(draft)


def remove_drafts() -> None:
    """Remove what is being written, in a process that ends without waiting for it."""
    for draft in list(_drafts):
        with suppress(OSError):
            if draft.is_dir():
                shutil.rmtree(draft, ignore_errors=True)
            else:
                draft.unlink(missing_ok=True)


@contextmanager
def draft_folder(folder: Path) -> Iterator[None]:
    """While the block runs, `remove_drafts` removes this folder too."""
    _drafts.add(folder)
    try:
        yield
    finally:
        _drafts.discard(folder)


def _create_like(target: Path, draft: Path) -> None:
    """An empty draft with the permissions of the target."""
    is_there = target.exists()
    os.close(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600 if is_there else 0o666))
    if is_there:
        shutil.copymode(target, draft)


def _flush(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)

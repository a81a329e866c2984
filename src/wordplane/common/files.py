"""Files that are written whole or not at all."""

import os
import re
import shlex
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from os import PathLike
from pathlib import Path
from typing import TypeAlias

from wordplane.common.errors import InputError, WordplaneError

Remove: TypeAlias = Callable[[Path], None]
Finish: TypeAlias = Callable[[Path, Path], None]

ADDRESS = re.compile(r"[a-z][a-z0-9+.-]+://", re.IGNORECASE)
DATABASE = re.compile(r"(postgres(ql)?|sqlite|duckdb)://", re.IGNORECASE)
PASSWORD = re.compile(r"(://[^:/@\s]*:)[^@\s]*(?=@)|([?&]password=)[^&\s]*", re.IGNORECASE)
DRAFT = ".wordplane-"  # how the names of drafts begin
MAX_NAMES = 10_000  # of a folder, in which to look for similar ones

_drafts: dict[Path, Remove] = {}  # what is being written, and what removes it


def mask(text: str) -> str:
    """An address, or a message that has one, without its password.

    >>> mask("postgresql://me:secret@host/db?password=secret")
    'postgresql://me:***@host/db?password=***'
    """
    return PASSWORD.sub(r"\1\2***", text)


def check_name(path: str) -> None:
    """Raise an error for a name that no file can have, and for an address other than that of a
    database."""
    if DATABASE.match(path):
        return
    if ADDRESS.match(path):
        name = path.partition("?")[0].rstrip("/").rpartition("/")[2]
        is_web = path.lower().startswith("http")
        how = f": curl -L -o {shlex.quote(name)} {shlex.quote(path):.300}" if is_web else ""
        raise InputError(
            f"{path:.300}: only files on this computer are read, no addresses; download it first, "
            f"and name the file{how}"
        )
    try:
        Path(path).stat()
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        pass  # whoever reads it says so
    except ValueError:
        raise InputError(f"{path!r} is not a name that a file can have") from None
    except OSError as error:
        raise InputError(f"{path:.300}: cannot be read: {error.strerror}") from None


def no_such_file(path: str | PathLike[str]) -> str:
    """What to say of a file that is not there: also which one there is of a similar name, in this
    folder or in one of a similar name."""
    near = None
    with suppress(OSError):  # it may be a name that no file can have, or in a folder of others
        near = _similar(Path(path))
    meant = "" if near in (None, Path(path)) else f"; did you mean {near}?"
    return f"{path}: there is no such file{meant}"


def _similar(path: Path) -> Path | None:
    """What there is at this path, or else at one whose parts are called similarly."""
    from difflib import get_close_matches
    from itertools import islice

    if path.exists() or path == path.parent:
        return path
    folder = _similar(path.parent)
    if folder is None or (folder / path.name).exists():
        return folder and folder / path.name
    with os.scandir(folder) as entries:
        names = [entry.name for entry in islice(entries, MAX_NAMES)]
    folded = {one.lower(): one for one in sorted(names) if not one.startswith(".")}
    # The ending that both have does not make them alike.
    alike = get_close_matches(path.stem.lower(), {Path(one).stem for one in folded}, MAX_NAMES)
    names_alike = [one for one in folded if Path(one).stem in alike]
    near = get_close_matches(path.name.lower(), names_alike, n=1, cutoff=0.7)
    return folder / folded[near[0]] if near else None


def finish(draft: Path, target: Path) -> None:
    """Rename a draft when it is on disk, and wait until the name is."""
    sync(draft)
    draft.replace(target)
    sync(target.parent)


@contextmanager
def whole_file(path: str | PathLike[str], finish: Finish = finish) -> Iterator[Path]:
    """Yield a draft in the folder of `path`; it is renamed to `path` when the block ends.

    The draft is on disk before it is renamed, and the new name is on disk before this returns:
    whatever interrupts the work, `path` is either the old file or the new one. If the block
    fails, the draft is removed. A symbolic link is followed, so it stays a link. Another
    `finish(draft, target)` may rename the draft later, in another thread.
    """
    try:
        target = Path(os.path.realpath(path))
    except (UnicodeEncodeError, ValueError):
        raise InputError(f"{os.fspath(path)!r} is not a name that a file can have") from None
    mode = None
    with suppress(OSError):
        mode = target.stat().st_mode
    if mode is not None and stat.S_ISDIR(mode):
        raise InputError(f"{path} is a folder; name a file in it")
    if mode is not None and not stat.S_ISREG(mode):
        raise InputError(f"{path} is a device or pipe; name a regular file")
    # Not made of the name of the target, which may be as long as a name can be.
    draft = target.with_name(f"{DRAFT}{os.urandom(4).hex()}.tmp")
    _drafts[draft] = Path.unlink
    try:
        try:
            _create(draft, mode)
            yield draft
            finish(draft, target)
        except BaseException:
            draft.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise WordplaneError(f"cannot write {path}: {error.strerror or error}") from error
    finally:
        _drafts.pop(draft, None)


def remove_drafts() -> None:
    """Remove what is being written, in a process that ends without waiting for it."""
    for draft, remove in list(_drafts.items()):
        with suppress(OSError):
            remove(draft)


@contextmanager
def draft_folder(folder: Path, remove: Remove) -> Iterator[None]:
    """While the block runs, `remove_drafts` removes this folder too."""
    _drafts[folder] = remove
    try:
        yield
    finally:
        _drafts.pop(folder, None)


def _create(draft: Path, mode: int | None) -> None:
    """An empty draft, with the permissions of the file that it replaces."""
    is_new = mode is None
    os.close(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666 if is_new else 0o600))
    if mode is not None:
        draft.chmod(stat.S_IMODE(mode))


def sync(path: Path) -> None:
    """Wait until a file, or the names in a folder, are on disk."""
    if sys.platform == "win32":
        if path.is_dir():  # its names are on disk when a file of it is
            return
        handle = os.open(path, os.O_RDWR)  # what is only read cannot be synced there
    else:
        handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def size_text(n_bytes: int) -> str:
    """The size of a file in words.

    >>> size_text(1_234_567), size_text(80_000)
    ('1.2 MB', '80 kB')
    """
    return f"{n_bytes / 1e6:.1f} MB" if n_bytes >= 1e6 else f"{n_bytes / 1e3:.0f} kB"

"""Locks on files, between processes. The system gives them back when a process ends.

On Windows others can neither read nor write bytes that are locked, so those that we lock lie beyond
the end of any file.
"""

import os
import sys
from collections.abc import Callable

NO_LINK = getattr(os, "O_NOFOLLOW", 0)  # for os.open, where the system has it
BYTES = getattr(os, "O_BINARY", 0)  # for os.open: without it, Windows translates ends of lines
BEYOND = 1 << 62
IS_TAKEN = 33  # ERROR_LOCK_VIOLATION


def lock_file(file: int, *, wait: bool = False) -> bool:
    """Lock a file until it is closed. False if another has it; with `wait`, that is waited for."""
    if sys.platform == "win32":
        return _lock_on_windows(file, 0, shared=False, wait=wait)
    import fcntl

    try:
        fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except BlockingIOError:
        return False
    return True


def lock_byte(file: int, byte: int, *, shared: bool = False, wait: bool = False) -> bool:
    """Lock a byte of a file, which it need not have; several processes may share a lock. False if
    another process has it; with `wait`, that is waited for."""
    if sys.platform == "win32":
        return _lock_on_windows(file, byte, shared=shared, wait=wait)
    import fcntl

    how = (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | (0 if wait else fcntl.LOCK_NB)
    try:
        fcntl.lockf(file, how, 1, byte)
    except (BlockingIOError, PermissionError):
        return False
    return True


def unlock_byte(file: int, byte: int) -> None:
    """Give back the lock of a byte."""
    if sys.platform == "win32":
        _unlock_on_windows(file, byte)
        return
    import fcntl

    fcntl.lockf(file, fcntl.LOCK_UN, 1, byte)


def remove_locked(file: int, remove: Callable[[], object]) -> None:
    """Remove what a locked file protects, with it, before another can lock it. Windows removes no
    file that is open: there it is closed first."""
    if sys.platform == "win32":
        os.close(file)
        remove()
        return
    try:
        remove()
    finally:
        os.close(file)


if sys.platform == "win32":
    import ctypes
    import msvcrt
    from ctypes import wintypes

    # msvcrt.locking has no shared locks, and gives up waiting after ten seconds.
    _kernel = ctypes.WinDLL("kernel32", use_last_error=True)

    class _Overlapped(ctypes.Structure):
        _fields_ = (
            ("internal", ctypes.c_size_t),
            ("internal_high", ctypes.c_size_t),
            ("offset", wintypes.DWORD),
            ("offset_high", wintypes.DWORD),
            ("event", wintypes.HANDLE),
        )

        @classmethod
        def at(cls, byte: int) -> "_Overlapped":
            place = BEYOND + byte
            return cls(offset=place & 0xFFFFFFFF, offset_high=place >> 32)

    def _handle(file: int) -> wintypes.HANDLE:
        return wintypes.HANDLE(msvcrt.get_osfhandle(file))

    def _lock_on_windows(file: int, byte: int, *, shared: bool, wait: bool) -> bool:
        flags = (0 if shared else 2) | (0 if wait else 1)
        place = ctypes.byref(_Overlapped.at(byte))
        if _kernel.LockFileEx(_handle(file), flags, 0, 1, 0, place):
            return True
        if ctypes.get_last_error() != IS_TAKEN:
            raise ctypes.WinError(ctypes.get_last_error())
        return False

    def _unlock_on_windows(file: int, byte: int) -> None:
        if not _kernel.UnlockFileEx(_handle(file), 0, 1, 0, ctypes.byref(_Overlapped.at(byte))):
            raise ctypes.WinError(ctypes.get_last_error())

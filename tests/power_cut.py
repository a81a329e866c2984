"""What is on disk after a kill or a power cut at any moment of a program.

`record` runs a program under strace and keeps every system call that changes a folder. `Replay`
makes these changes again, one after the other, on a tree in memory, which knows what has been
synced. After each change, `write` makes the folder that a restart may find:

    killed   all changes up to here: the system lives on, only the process is gone
    synced   only what was synced: bytes of files by fsync of the file, names by fsync of the folder
    named    all names, but of the bytes only those that were synced: a file that was renamed before
             it was synced is empty or old
    random   some of the changes of every folder and every file since it was synced, in order, the
             last write of a file cut somewhere

Not modeled: disks that lie about syncing, blocks of a file that come to disk out of order, and
memory that is mapped for writing (SQLite's -shm file, which SQLite makes again).
"""

import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

VARIANTS = ("killed", "synced", "named", "random")
CALLS = (
    *("open", "openat", "close", "lseek", "dup", "write", "pwrite64", "fsync", "fdatasync"),
    *("ftruncate", "rename", "renameat", "renameat2", "unlink", "unlinkat", "mkdir", "mkdirat"),
    "rmdir",
)
# Nobody calls these; if somebody does, the replay would be wrong.
OTHERS = (
    *("writev", "pwritev", "pwritev2", "truncate", "link", "linkat", "symlink", "symlinkat"),
    *("fallocate", "copy_file_range", "sendfile", "dup2", "dup3", "creat"),
)
LINE = re.compile(r"(\d+) +(\w+)\((.*)\) += (-?\d+)")
STRING = re.compile(r'"((?:\\x[0-9a-f]{2})*)"')


@dataclass
class File:
    """The bytes of a file, those on disk, and the changes since then: (offset, bytes), or the new
    size as (size, None)."""

    data: bytearray = field(default_factory=bytearray)
    synced: bytes = b""
    changes: list[tuple[int, bytes | None]] = field(default_factory=list)

    def change(self, offset: int, data: bytes | None) -> None:
        self.changes.append((offset, data))
        apply_change(self.data, offset, data)

    def sync(self) -> None:
        self.synced = bytes(self.data)
        self.changes.clear()

    def content(self, variant: str, rng: Random) -> bytes:
        if variant == "killed":
            return bytes(self.data)
        data = bytearray(self.synced)
        if variant == "random" and self.changes:
            *whole, (offset, last) = self.changes[: rng.randint(1, len(self.changes))]
            for change in whole:
                apply_change(data, *change)
            apply_change(data, offset, None if last is None else last[: rng.randint(0, len(last))])
        return bytes(data)


@dataclass
class Folder:
    """The names in a folder, those on disk, and the changes since then."""

    names: dict[str, "File | Folder"] = field(default_factory=dict)
    synced: dict[str, "File | Folder"] = field(default_factory=dict)
    changes: list[dict[str, "File | Folder | None"]] = field(default_factory=list)

    def change(self, names: dict[str, "File | Folder | None"]) -> None:
        self.changes.append(names)
        apply_names(self.names, names)

    def sync(self) -> None:
        self.synced = dict(self.names)
        self.changes.clear()

    def content(self, variant: str, rng: Random) -> dict[str, "File | Folder"]:
        if variant in ("killed", "named"):
            return self.names
        names = dict(self.synced)
        if variant == "random":
            for change in self.changes[: rng.randint(0, len(self.changes))]:
                apply_names(names, change)
        return names


def apply_change(data: bytearray, offset: int, change: bytes | None) -> None:
    size = offset if change is None else offset + len(change)
    if size > len(data):
        data.extend(bytes(size - len(data)))
    if change is None:
        del data[size:]
    else:
        data[offset:size] = change


def apply_names(names: dict[str, File | Folder], change: dict[str, File | Folder | None]) -> None:
    for name, node in change.items():
        if node is None:
            names.pop(name, None)
        else:
            names[name] = node


@dataclass
class Opened:
    """What a file descriptor stands for."""

    node: File | Folder
    position: int = 0
    appends: bool = False


@dataclass
class Call:
    """A system call that succeeded: its name, its arguments but for strings, those, its result."""

    name: str
    rest: str
    strings: list[bytes]
    result: int


def record(command: Sequence[object], log: Path) -> list[Call]:
    """The system calls of a program that may change files."""
    names = ",".join((*CALLS, *OTHERS))
    strace = ["strace", "-f", "-qq", "-xx", "-s", str(1 << 26), "-o", str(log)]
    subprocess.run(
        [*strace, "-e", f"trace={names}", "-e", "signal=none", *map(str, command)],
        check=True,
        timeout=300,
        stdout=subprocess.DEVNULL,
    )
    calls, begun = [], {}
    for line in log.read_text().splitlines():
        thread, _, call = line.partition(" ")
        if call.endswith("<unfinished ...>"):
            line = line.removesuffix("<unfinished ...>")
            if not call.startswith("close("):
                begun[thread] = line
                continue
            line = f"{line.rstrip()}) = 0"  # before it returns, another thread may get its number
        if "<... close resumed>" in line:
            continue
        if "resumed>" in line:
            line = begun.pop(thread) + line.partition("resumed>")[2]
        found = LINE.match(line)
        if found is None or int(found[4]) < 0:
            continue  # it failed, or is not a call
        strings = [bytes.fromhex(each.replace("\\x", "")) for each in STRING.findall(found[3])]
        calls.append(Call(found[2], STRING.sub('""', found[3]), strings, int(found[4])))
    return calls


class Replay:
    """A folder while the recorded calls change it, from what it holds at the beginning."""

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()
        self.tree = load(self.root)
        self.opened: dict[int, Opened] = {}
        self.said = ""  # to standard output, by which a program tells what is done

    def play(self, call: Call) -> bool:
        """Make the change of a call; whether it was one, or something was said."""
        if call.name in OTHERS:
            assert not self._concerns(call), f"the replay does not know {call.name}"
            return False
        handle = getattr(self, f"_{call.name.removesuffix('64').removesuffix('2')}", None)
        assert handle is not None, call.name
        return bool(handle(call))

    def write(self, target: Path, variant: str, seed: int = 0) -> None:
        """Make the folder that is found after a restart."""
        _write(self.tree, target, variant, Random(seed))

    def _concerns(self, call: Call) -> bool:
        paths = [each.decode(errors="replace") for each in call.strings]
        numbers = {int(each) for each in re.findall(r"(?:^|, )(\d+)(?=,|$)", call.rest)}
        return any(path.startswith(str(self.root)) for path in paths) or bool(
            numbers & set(self.opened)
        )

    def _place(self, call: Call, number: int = 0) -> tuple[Folder, str] | None:
        """The folder of a path, and the name in it."""
        path = call.strings[number].decode(errors="replace")
        folders = re.findall(r"(AT_FDCWD|\d+), \"\"", call.rest)
        if not path.startswith("/"):
            number_of = folders[number] if folders else "AT_FDCWD"
            opened = self.opened.get(int(number_of)) if number_of.isdigit() else None
            if opened is None or not isinstance(opened.node, Folder):
                return None
            return opened.node, path
        if path == str(self.root):
            return Folder({".": self.tree}), "."
        if not path.startswith(f"{self.root}/"):
            return None
        node: File | Folder | None = self.tree
        *parts, name = path.removeprefix(f"{self.root}/").rstrip("/").split("/")
        for part in parts:
            node = node.names.get(part) if isinstance(node, Folder) else None
        return (node, name) if isinstance(node, Folder) else None

    def _openat(self, call: Call) -> bool:
        self.opened.pop(call.result, None)
        place = self._place(call)
        if place is None:
            return False
        folder, name = place
        is_new = name not in folder.names
        if is_new:
            assert "O_CREAT" in call.rest, call
            folder.change({name: File()})
        node = folder.names[name]
        if "O_TRUNC" in call.rest and isinstance(node, File) and node.data:
            node.change(0, None)
            is_new = True
        self.opened[call.result] = Opened(node, appends="O_APPEND" in call.rest)
        return is_new

    _open = _openat

    def _close(self, call: Call) -> bool:
        self.opened.pop(int(call.rest), None)
        return False

    def _dup(self, call: Call) -> bool:
        self.opened.pop(call.result, None)
        if int(call.rest) in self.opened:
            self.opened[call.result] = self.opened[int(call.rest)]
        return False

    def _lseek(self, call: Call) -> bool:
        opened = self._of(call)
        if opened is not None:
            opened.position = call.result
        return False

    def _of(self, call: Call) -> Opened | None:
        return self.opened.get(int(call.rest.partition(",")[0]))

    def _write(self, call: Call) -> bool:
        if call.rest.startswith("1,"):
            self.said += call.strings[0].decode()
            return True
        opened = self._of(call)
        if opened is None:
            return False
        assert isinstance(opened.node, File)
        begin = len(opened.node.data) if opened.appends else opened.position
        opened.node.change(begin, call.strings[0][: call.result])
        opened.position = begin + call.result
        return True

    def _pwrite(self, call: Call) -> bool:
        opened = self._of(call)
        if opened is None:
            return False
        assert isinstance(opened.node, File)
        opened.node.change(int(call.rest.rpartition(", ")[2]), call.strings[0][: call.result])
        return True

    def _ftruncate(self, call: Call) -> bool:
        opened = self._of(call)
        if opened is None:
            return False
        assert isinstance(opened.node, File)
        opened.node.change(int(call.rest.rpartition(", ")[2]), None)
        return True

    def _fsync(self, call: Call) -> bool:
        opened = self._of(call)
        if opened is not None:
            opened.node.sync()
        return opened is not None

    _fdatasync = _fsync

    def _rename(self, call: Call) -> bool:
        before, after = self._place(call, 0), self._place(call, 1)
        if before is None and after is None:
            return False
        assert before is not None, "moved into the folder"
        assert after is not None, "moved out of the folder"
        node = before[0].names[before[1]]
        if before[0] is after[0]:
            before[0].change({before[1]: None, after[1]: node})
        else:
            after[0].change({after[1]: node})
            before[0].change({before[1]: None})
        return True

    _renameat = _rename

    def _unlink(self, call: Call) -> bool:
        place = self._place(call)
        if place is not None:
            place[0].change({place[1]: None})
        return place is not None

    _unlinkat = _rmdir = _unlink

    def _mkdir(self, call: Call) -> bool:
        place = self._place(call)
        if place is not None:
            place[0].change({place[1]: Folder()})
        return place is not None

    _mkdirat = _mkdir


def load(path: Path) -> Folder:
    """A folder that is on disk."""
    folder = Folder()
    for each in path.iterdir():
        if each.is_dir():
            folder.names[each.name] = load(each)
        else:
            file = File(bytearray(each.read_bytes()))
            file.sync()
            folder.names[each.name] = file
    folder.sync()
    return folder


def _write(folder: Folder, target: Path, variant: str, rng: Random) -> None:
    target.mkdir(mode=0o700)
    for name, node in folder.content(variant, rng).items():
        if isinstance(node, Folder):
            _write(node, target / name, variant, rng)
        else:
            (target / name).write_bytes(node.content(variant, rng))

"""A folder with one subfolder per class; every file below is a document.

If no labels are wanted, every file in the folder is a document, at any depth. What is not read is
noted: hidden files, linked folders and files that are outside, pipes and devices.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from wordplane.common.errors import TEXTS_ALONE, InputError
from wordplane.common.notes import Note, NoteKind
from wordplane.data.columns import SPLITS
from wordplane.data.encoding import Decoding, RecordError, decode, open_bytes
from wordplane.data.formats.records import RecordOrBlank, RecordTable

BINARY_SAMPLE_BYTES = 8_000  # a zero byte among these means that the file is not text
LINKED = " to folders (`follow_links=True` follows them)"
LINKED_FILES = " to files outside (`follow_links=True` follows them)"
WIDE = ("utf-16", "utf_16", "utf-32", "utf_32")  # except in these encodings


class FolderTable(RecordTable):
    has_free_columns = False

    def __init__(
        self, path: str, decoding: Decoding, labels: bool, follow_links: bool = False
    ) -> None:
        super().__init__(path, decoding)
        self.labels = labels
        self.follow_links = follow_links
        self._not_read: dict[str, list[str]] = {}  # by the reason
        self._not_utf8: dict[str, list[tuple[str, str]]] = {}  # files and notes, by encoding

    def records(self) -> Iterator[RecordOrBlank]:
        root = Path(self.path)
        if not root.is_dir():
            raise InputError(f"{self.file}: is not a folder")
        tops = [entry.name for entry in root.iterdir() if entry.is_dir() and entry.name[0] != "."]
        is_split = bool(tops) and all(name.lower() in SPLITS for name in tops)
        levels = ["split"] * is_split + ["label"] * self.labels  # folders above the documents
        documents, classes = [], set()
        for entry in self._walk(root, root, {os.path.realpath(root)}):
            parts = entry.relative_to(root).parts
            is_hidden = any(part.startswith(".") for part in parts)
            if entry.is_dir():
                if self.labels and len(parts) == len(levels) and not is_hidden:
                    classes.add(parts)
            elif is_hidden:
                self._leave_out("files hidden", root, entry)
            elif len(parts) <= len(levels):
                self._leave_out("files outside the class folders", root, entry)
            else:
                documents.append(("/".join(parts), entry))
        if not documents:
            expected = "one subfolder per class with files in it" if self.labels else "files"
            flat = len(self._not_read.get("files outside the class folders", ()))
            alone = f"; it has {flat:,} files without a class. {TEXTS_ALONE}" if flat else ""
            raise InputError(
                f"{self.file}: found no documents, expected {expected} "
                f"(below train, dev and test if there is a split){alone}"
            )
        for reason, names in sorted(self._not_read.items()):
            self._note("left out", f"{reason}, not read", len(names), min(names))
        empty = classes - {tuple(name.split("/")[: len(levels)]) for name, _ in documents}
        if empty:
            self._note("unusual", "class folders without files", len(empty), "/".join(min(empty)))
        row, binary = 0, []
        for name, path in sorted(documents):
            text = self._read_document(path)
            if text is None:
                binary.append(name)
                continue
            row += 1
            above = dict(zip(levels, name.split("/"), strict=False))
            yield row, {"id": name, "text": text, **above}
        if binary:
            self._note("left out", "files that are not text, not read", len(binary), binary[0])

    def _take_notes(self) -> tuple[Note, ...]:
        for files in self._not_utf8.values():
            name, how = files[0]
            self._note("encoding", f"files that are {how}", len(files), name)
        self._not_utf8 = {}
        return super()._take_notes()

    def _note(self, kind: NoteKind, what: str, n: int, example: str) -> None:
        self.notes.append(Note(kind, f"{self.file}: {what}: {n:,} (such as {example})"))

    def _walk(self, root: Path, folder: Path, seen: set[str]) -> Iterator[Path]:
        """The files and folders below; `seen` are the real paths of the folders above and before.

        Whatever is not read is noted, but for what is in hidden folders.
        """
        try:
            entries = sorted(folder.iterdir())
            for entry in entries:
                entry.lstat()
        except OSError as error:
            self._leave_out(f"folders that cannot be read ({error.strerror})", root, folder)
            return
        for entry in entries:
            if entry.is_dir():
                real = os.path.realpath(entry)
                if entry.is_symlink() and (not self.follow_links or real in seen):
                    again = " to folders read before" if real in seen else LINKED
                    self._leave_out(f"links{again}", root, entry)
                    continue
                seen.add(real)
                yield entry
                yield from self._walk(root, entry, seen)
            elif entry.is_symlink() and not entry.exists():
                self._leave_out("links to nothing", root, entry)
            elif not entry.is_file():
                self._leave_out("pipes, sockets and devices", root, entry)
            elif self._is_outside(root, entry):
                self._leave_out(f"links{LINKED_FILES}", root, entry)
            else:
                yield entry

    def _is_outside(self, root: Path, entry: Path) -> bool:
        if self.follow_links or not entry.is_symlink():
            return False
        return not Path(os.path.realpath(entry)).is_relative_to(os.path.realpath(root))

    def _leave_out(self, reason: str, root: Path, entry: Path) -> None:
        self._not_read.setdefault(reason, []).append(str(entry.relative_to(root)))

    def _read_document(self, path: Path) -> str | None:
        """The text of a file; None for binary files such as pictures, which have zero bytes."""
        with open_bytes(str(path)) as stream:
            data = stream.read()
        own = Decoding(self.decoding.asked, self.decoding.hint or next(iter(self._not_utf8), None))
        try:
            encoding = own.look(data)
            if b"\0" in data[:BINARY_SAMPLE_BYTES] and not encoding.startswith(WIDE):
                return None
            str(path).encode()
            text = decode(data, own)
            if own.asked is None and own.name != "utf-8":
                self._not_utf8.setdefault(own.name, []).append((str(path), own.note))
            return text
        except UnicodeEncodeError:
            raise RecordError(f"the name {str(path)!r} is not UTF-8; rename the file") from None
        except RecordError as problem:
            raise RecordError(f"{path}: {problem}") from None

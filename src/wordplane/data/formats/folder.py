"""A folder with one sub-folder per class; every file below is a document.

Where nobody asks for labels, every file in the folder is one, wherever it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from wordplane.common.errors import InputError
from wordplane.data.columns import SPLITS
from wordplane.data.encoding import RecordError, decode, marked_encoding, opened
from wordplane.data.formats.records import RecordOrBlank, RecordTable

BINARY = 8_000  # bytes in which no text has a zero
WIDE = ("utf-16", "utf_16", "utf-32", "utf_32")  # but these


class FolderTable(RecordTable):
    guessed = False

    def __init__(self, path: str, encoding: str, labels: bool) -> None:
        super().__init__(path, encoding)
        self.labels = labels

    def records(self) -> Iterator[RecordOrBlank]:
        root = Path(self.path)
        if not root.is_dir():
            raise InputError(f"{self.file}: is not a folder")
        tops = [entry.name for entry in root.iterdir() if entry.is_dir() and entry.name[0] != "."]
        is_split = bool(tops) and all(name.lower() in SPLITS for name in tops)
        levels = ["split"] * is_split + ["label"] * self.labels  # of folders above the documents
        documents, hidden, outside, classes = [], [], [], set()
        for entry in root.rglob("*"):
            parts = entry.relative_to(root).parts
            is_hidden = any(part.startswith(".") for part in parts)
            if not entry.is_file():
                if self.labels and len(parts) == len(levels) and not is_hidden:
                    classes.add(parts)
            elif is_hidden:
                hidden.append(entry)
            elif len(parts) <= len(levels):
                outside.append(entry)
            else:
                documents.append(("/".join(parts), entry))
        if not documents:
            expected = "one sub-folder per class with files in it" if self.labels else "files"
            raise InputError(
                f"{self.file}: found no documents, expected {expected} "
                "(below train, dev and test if these are the first level)"
            )
        for which, files in {"hidden": hidden, "outside the class folders": outside}.items():
            if files:
                self.notes.append(f"{self.file}: files {which}, not taken: {len(files):,}")
        empty = classes - {tuple(name.split("/")[: len(levels)]) for name, _ in documents}
        if empty:
            such = "/".join(min(empty))
            self.notes.append(
                f"{self.file}: class folders without files: {len(empty):,} (such as {such})"
            )
        row, no_texts = 0, []
        for name, path in sorted(documents):
            text = self._document(path)
            if text is None:
                no_texts.append(name)
                continue
            row += 1
            above = dict(zip(levels, name.split("/"), strict=False))
            yield row, {"id": name, "text": text, **above}
        if no_texts:
            self.notes.append(
                f"{self.file}: files that are no text, not taken: {len(no_texts):,} "
                f"(such as {no_texts[0]})"
            )

    def _document(self, path: Path) -> str | None:
        """The text of a file; None for pictures and the like, which have zero bytes."""
        with opened(str(path)) as stream:
            data = stream.read()
        encoding = marked_encoding(data, self.encoding)
        if b"\0" in data[:BINARY] and not encoding.startswith(WIDE):
            return None
        try:
            str(path).encode()
            return decode(data, encoding)
        except UnicodeEncodeError:
            raise RecordError(f"the name {str(path)!r} is not UTF-8; rename the file") from None
        except RecordError as problem:
            raise RecordError(f"{path}: {problem}") from None

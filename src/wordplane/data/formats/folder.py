"""A folder with one subfolder per class; every file below is a document.

If no labels are wanted, every file in the folder is a document, at any depth.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from wordplane.common.errors import InputError
from wordplane.data.columns import SPLITS
from wordplane.data.encoding import RecordError, decode, detect_encoding, open_bytes
from wordplane.data.formats.records import RecordOrBlank, RecordTable

BINARY_SAMPLE_BYTES = 8_000  # a zero byte among these means that the file is not text
WIDE = ("utf-16", "utf_16", "utf-32", "utf_32")  # except in these encodings


class FolderTable(RecordTable):
    has_free_columns = False

    def __init__(self, path: str, encoding: str, labels: bool) -> None:
        super().__init__(path, encoding)
        self.labels = labels

    def records(self) -> Iterator[RecordOrBlank]:
        root = Path(self.path)
        if not root.is_dir():
            raise InputError(f"{self.file}: is not a folder")
        tops = [entry.name for entry in root.iterdir() if entry.is_dir() and entry.name[0] != "."]
        is_split = bool(tops) and all(name.lower() in SPLITS for name in tops)
        levels = ["split"] * is_split + ["label"] * self.labels  # folders above the documents
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
            expected = "one subfolder per class with files in it" if self.labels else "files"
            raise InputError(
                f"{self.file}: found no documents, expected {expected} "
                "(below train, dev and test if there is a split)"
            )
        for which, files in {"hidden": hidden, "outside the class folders": outside}.items():
            if files:
                self.notes.append(f"{self.file}: files {which}, not read: {len(files):,}")
        empty = classes - {tuple(name.split("/")[: len(levels)]) for name, _ in documents}
        if empty:
            example = "/".join(min(empty))
            self.notes.append(
                f"{self.file}: class folders without files: {len(empty):,} (such as {example})"
            )
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
            self.notes.append(
                f"{self.file}: files that are not text, not read: {len(binary):,} "
                f"(such as {binary[0]})"
            )

    def _read_document(self, path: Path) -> str | None:
        """The text of a file; None for binary files such as pictures, which have zero bytes."""
        with open_bytes(str(path)) as stream:
            data = stream.read()
        encoding = detect_encoding(data, self.encoding)
        if b"\0" in data[:BINARY_SAMPLE_BYTES] and not encoding.startswith(WIDE):
            return None
        try:
            str(path).encode()
            return decode(data, encoding)
        except UnicodeEncodeError:
            raise RecordError(f"the name {str(path)!r} is not UTF-8; rename the file") from None
        except RecordError as problem:
            raise RecordError(f"{path}: {problem}") from None

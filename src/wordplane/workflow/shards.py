"""Label data in many files (shards): one output for each, by any number of processes at once.

A shard whose output is there is not read again, so a run that was ended is resumed by starting it
again. A shard that cannot be read does not stop the others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from time import perf_counter
from typing import Unpack

from wordplane.common.errors import InputError
from wordplane.common.memory import readable_size
from wordplane.common.notes import merge_notes
from wordplane.common.progress import steps
from wordplane.data.compression import extension
from wordplane.data.raw_rows import NoRowsError, TooManyRowsError
from wordplane.data.read import BatchReader
from wordplane.data.read_options import Reading
from wordplane.data.shards import (
    Claim,
    OutputFolder,
    Shard,
    is_address,
    list_shards,
    local_copy,
    open_folder,
    split_output,
)
from wordplane.data.tables import Batch
from wordplane.data.vectors import is_vector_file
from wordplane.data.write import choose_format
from wordplane.workflow.answer_files import FORMATS, AnswerFormat
from wordplane.workflow.answers import Answers
from wordplane.workflow.prediction import BATCH_ROWS, answer_batches, answer_each, reading_for

SHOWN_FAILURES = 3
GROUP_SHARDS, GROUP_BYTES, GROUP_ROWS = 64, 2 << 20, 50_000  # that are done at once


@dataclass
class ShardCounts:
    """What a run has done.

    n_shards  that there are
    n_done    that this run has done; the others were done before, or by other processes
    n_rows    that were written
    n_read    rows that were read, which are more if there is a condition (`keep_if`)
    n_bytes   of the files that were read
    failures  why some shards could not be read
    """

    n_shards: int = 0
    n_done: int = 0
    n_rows: int = 0
    n_read: int = 0
    n_bytes: int = 0
    seconds: float = 0.0
    notes: list[str] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)

    @property
    def rate(self) -> str:
        """The throughput so far, in bytes of the files as they are stored."""
        seconds = max(self.seconds, 1e-9)
        return f"{self.n_read / seconds:,.0f} rows/s, {readable_size(self.n_bytes / seconds)}/s"

    def check(self) -> None:
        """Raise an error if shards could not be read."""
        if self.failures:
            n, shown = len(self.failures), self.failures[:SHOWN_FAILURES]
            more = [f"and {n - len(shown):,} more"] if n > len(shown) else []
            raise InputError(
                "\n".join([f"{n:,} of {self.n_shards:,} shards could not be read:", *shown, *more])
            )


@dataclass(frozen=True)
class ShardedOutput:
    """A folder, and how the file of each shard is written.

    ending        of the files, "" for that of each shard
    form          None for the format that the name of each file says
    model_digest  so that a folder never has answers of two models
    """

    folder: str
    ending: str
    form: str | None
    options: AnswerFormat
    model_digest: str

    @classmethod
    def of(
        cls, output: str, form: str | None, options: AnswerFormat, model_digest: str
    ) -> ShardedOutput:
        folder, ending = split_output(output)
        if form is not None and not ending:
            ending = {"excel": ".xlsx", "lines": ".txt"}.get(form, f".{form}")
        return cls(folder, ending, form, options, model_digest)

    def format_of(self, name: str) -> AnswerFormat:
        form = choose_format(name, self.form, FORMATS, "an output such as out/*.jsonl")
        return replace(self.options, form=form)


def predict_shards(
    answers: Answers,
    data: Sequence[str],
    output: ShardedOutput,
    rows: str = "all",
    *,
    batch_size: int = BATCH_ROWS,
    **reading: Unpack[Reading],
) -> ShardCounts:
    """Write a file of answers for each file of the data, except for those that are there.

    Texts and other columns are those of the first file, for all.
    """
    shards = list_shards(data, output.ending)
    _check(shards, output, reading)
    reader = BatchReader(batch_size=batch_size, **reading_for(answers, reading))
    labeling = _Labeling(answers, reader, output, rows, ShardCounts(len(shards)))
    with (
        open_folder(output.folder, _fingerprint(answers, output, rows, reading)) as folder,
        steps("shards", len(shards)) as step,
    ):
        finished = folder.finished()
        waiting = [shard for shard in shards if shard.name not in finished]
        if waiting:
            _choose_columns(reader, shards)
        for shard, n_left in _each(waiting, folder, labeling):
            step(f"shards: {shard.name}, {labeling.counts.rate}", len(shards) - n_left)
    return labeling.counts


Claimed = tuple[Shard, Claim]


class _Labeling:
    """Reads shards, labels their texts, and writes the answers."""

    def __init__(
        self,
        answers: Answers,
        reader: BatchReader,
        output: ShardedOutput,
        rows: str,
        counts: ShardCounts,
    ) -> None:
        self._answers, self._reader, self._output = answers, reader, output
        self._rows, self.counts = rows, counts
        self._started = perf_counter()
        self.in_groups = True  # whether small shards are

    def label(self, claimed: Sequence[Claimed]) -> None:
        """Write the answers for some shards; small ones are read, labeled and written at once."""
        if len(claimed) > 1:
            try:
                self._label_group(claimed)
                return
            except TooManyRowsError:
                self.in_groups = False
            except InputError:
                pass  # of one of them: which, is found next
        for shard, claim in claimed:
            try:
                self._label_one(shard, claim)
            except InputError as error:
                self.counts.failures.append(str(error))

    def _label_group(self, claimed: Sequence[Claimed]) -> None:
        with ExitStack() as copies:
            paths = [copies.enter_context(local_copy(shard.source)) for shard, _ in claimed]
            corpora = self._reader.read_each(paths, GROUP_ROWS)
        answered = answer_each(self._answers, corpora, self._rows)
        form = self._output.format_of(claimed[0][0].name)
        files = [
            (columns, claim.path, claim.finish)
            for (columns, _, _), (_, claim) in zip(answered, claimed, strict=True)
        ]
        self.counts.n_rows += form.write_each(self._answers, files)
        self._add_notes([note for _, notes, _ in answered for note in notes])
        for (_, _, n_read), (shard, _) in zip(answered, claimed, strict=True):
            self._add(shard, n_read)

    def _label_one(self, shard: Shard, claim: Claim) -> None:
        n_read = 0

        def batches(source: str) -> Iterator[Batch]:
            """The answers for a file; a batch without rows if the file has none."""
            nonlocal n_read
            read = self._reader.batches(source)
            try:
                for batch, notes, n_so_far in answer_batches(self._answers, read, self._rows):
                    n_read = n_so_far
                    self._add_notes(notes)
                    yield batch
            except NoRowsError:
                yield {name: [] for name in self._answers.types()}

        form = self._output.format_of(shard.name)
        with local_copy(shard.source) as source:
            n_rows = form.write(self._answers, batches(source), claim.path, claim.finish)
        self.counts.n_rows += n_rows
        self._add(shard, n_read)

    def _add_notes(self, notes: Sequence[str]) -> None:
        if notes:
            self.counts.notes = merge_notes([*self.counts.notes, *notes])

    def _add(self, shard: Shard, n_read: int) -> None:
        self.counts.n_read += n_read
        self.counts.n_done += 1
        self.counts.n_bytes += shard.size
        self.counts.seconds = perf_counter() - self._started


def _each(
    waiting: list[Shard], folder: OutputFolder, labeling: _Labeling
) -> Iterator[tuple[Shard, int]]:
    """Do all shards, first those that no other process is at; after some, the last of them and how
    many are left."""
    n_left = len(waiting)
    for wait in (False, True):
        taken: list[Shard] = []
        while waiting:
            # One at a time where others are waited for: who waits holds no other claims.
            n = 1 if wait or not labeling.in_groups else _group_size(waiting)
            group, waiting = waiting[:n], waiting[n:]
            with folder.claim([shard.name for shard in group], wait=wait) as claims:
                both = list(zip(group, claims, strict=True))
                claimed = [(shard, claim) for shard, claim in both if claim is not None]
                labeling.label(claimed)
            if not wait:
                taken += (shard for shard, claim in both if claim is None)
            n_left -= 1 if wait else len(claimed)
            yield group[-1], n_left
        waiting = taken


def _group_size(shards: Sequence[Shard]) -> int:
    """How many of the next shards are small enough to be done at once; at least one."""
    ending, n_bytes = extension(shards[0].name), 0
    for n, shard in enumerate(shards[:GROUP_SHARDS]):
        n_bytes += shard.size
        if n > 0 and (n_bytes > GROUP_BYTES or extension(shard.name) != ending):
            return n
    return min(len(shards), GROUP_SHARDS)


def _choose_columns(reader: BatchReader, shards: Sequence[Shard]) -> None:
    """By the first shard that has rows."""
    for shard in shards:
        with local_copy(shard.source) as source:
            try:
                reader.choose_columns(source)
            except NoRowsError:
                continue
            return


def _check(shards: Sequence[Shard], output: ShardedOutput, reading: Reading) -> None:
    for shard in shards:
        output.format_of(shard.name)
    if reading.get("vectors") is not None and is_vector_file(str(reading["vectors"])):
        raise InputError("`vectors` must be a column of the shards")
    if not is_address(output.folder):
        folder = Path(output.folder).resolve()
        local = (Path(shard.source) for shard in shards if not is_address(shard.source))
        first = {path.parent: path for path in local}
        for parent, path in first.items():
            if parent.resolve().is_relative_to(folder):
                raise InputError(
                    f"{path} is in the folder {output.folder} of the outputs: name another"
                )


def _fingerprint(answers: Answers, output: ShardedOutput, rows: str, reading: Reading) -> str:
    """Of all that decides what is written for a shard."""
    own = (output.model_digest, asdict(answers.wanted), asdict(output.options), rows)
    asked = {name: value for name, value in sorted(reading.items()) if value is not None}
    return sha256(repr((*own, output.ending, output.form, asked)).encode()).hexdigest()

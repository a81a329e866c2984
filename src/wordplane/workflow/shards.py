"""Label data in many files (shards): one output for each, by any number of processes at once.

A shard whose output is there is not read again, so a run that was ended is resumed by starting it
again. A shard that cannot be read does not stop the others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from time import perf_counter
from typing import Unpack

from wordplane.common.errors import InputError
from wordplane.common.memory import readable_size
from wordplane.common.notes import merge_notes
from wordplane.common.progress import steps
from wordplane.data.raw_rows import NoRowsError
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
from wordplane.workflow.prediction import BATCH_ROWS, answer_batches, reading_for

SHOWN_FAILURES = 3


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
        form = choose_format(name, self.form, FORMATS)
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
    counts, started = ShardCounts(len(shards)), perf_counter()

    def add(notes: Sequence[str], n_rows: int) -> None:
        counts.notes = merge_notes([*counts.notes, *notes])
        counts.n_read += n_rows

    def label(shard: Shard, claim: Claim) -> None:
        form = output.format_of(shard.name)
        with local_copy(shard.source) as source:
            batches = _batches(answers, reader, source, rows, add)
            counts.n_rows += form.write(answers, batches, claim.path, claim.finish)
        counts.n_done += 1
        counts.n_bytes += shard.size
        counts.seconds = perf_counter() - started

    with (
        open_folder(output.folder, _fingerprint(answers, output, rows, reading)) as folder,
        steps("shards", len(shards)) as step,
    ):
        finished = folder.finished()
        waiting = [shard for shard in shards if shard.name not in finished]
        if waiting:
            _choose_columns(reader, shards)
        for shard, n_left in _each(waiting, folder, label, counts):
            step(f"shards: {shard.name}, {counts.rate}", len(shards) - n_left)
    return counts


def _each(
    waiting: list[Shard],
    folder: OutputFolder,
    label: Callable[[Shard, Claim], None],
    counts: ShardCounts,
) -> Iterator[tuple[Shard, int]]:
    """Do all shards, first those that no other process is at; after each, how many are left."""
    n_left = len(waiting)
    for wait in (False, True):
        taken = []
        for shard in waiting:
            with folder.claim(shard.name, wait=wait) as claim:
                if claim is None and not wait:
                    taken.append(shard)
                    continue
                if claim is not None:
                    try:
                        label(shard, claim)
                    except InputError as error:
                        counts.failures.append(str(error))
            n_left -= 1
            yield shard, n_left
        waiting = taken


def _batches(
    answers: Answers,
    reader: BatchReader,
    source: str,
    rows: str,
    add: Callable[[Sequence[str], int], None],
) -> Iterator[Batch]:
    """The answers for a file; a batch without rows if the file has none."""
    n_before = 0
    try:
        for batch, notes, n_read in answer_batches(answers, reader.batches(source), rows):
            add(notes, n_read - n_before)
            n_before = n_read
            yield batch
    except NoRowsError:
        yield {name: [] for name in answers.types()}


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

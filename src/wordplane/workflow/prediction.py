"""Label texts: one row per text, in order, from files of any size or texts in memory."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, Unpack

import numpy as np

from wordplane.common.errors import InputError
from wordplane.common.memory import available_memory
from wordplane.common.notes import Note
from wordplane.data.columns import KEPT_KIND
from wordplane.data.corpus import Corpus
from wordplane.data.frames import has_same_kind, is_frame, same_kind
from wordplane.data.read import Source, column_names, read_batches
from wordplane.data.read_options import Reading, ReadKeywords
from wordplane.data.tables import polars_schema
from wordplane.model.predictor import TextPredictor
from wordplane.model.saved_models import as_predictor
from wordplane.text.fields import FIELD_KIND
from wordplane.workflow.answers import Answers, Columns
from wordplane.workflow.inputs import (
    DaskLike,
    DataLike,
    choose_rows,
    load_texts,
    model_columns,
    worker_files,
)
from wordplane.workflow.wanted import Wanted

if TYPE_CHECKING:
    from polars import DataFrame

BATCH_ROWS = 10_000

Files = Source | Sequence[Source]


def predict_batches(
    answers: Answers,
    source: Files,
    rows: str = "all",
    *,
    batch_size: int = BATCH_ROWS,
    **reading: Unpack[Reading],
) -> Iterator[tuple[Columns, tuple[Note, ...]]]:
    """The answers for files of any size, batch by batch, and the notes of reading them."""
    read = read_batches(source, batch_size=batch_size, **reading_for(answers, reading))
    for batch, notes, _ in answer_batches(answers, read, rows):
        yield batch, notes


def answer_batches(
    answers: Answers, batches: Iterable[Corpus], rows: str
) -> Iterator[tuple[Columns, tuple[Note, ...], int]]:
    """Answers, notes, and the number of rows so far, which are the ids where there are none."""
    n_rows = 0
    for batch in batches:
        chosen = choose_rows(_with_ids(batch, n_rows), rows)
        n_rows += len(batch)
        yield answers.columns(chosen, chosen.ids or []), _notes(answers, batch), n_rows


def answer_each(
    answers: Answers, corpora: Sequence[Corpus], rows: str
) -> list[tuple[Columns, tuple[Note, ...], int]]:
    """The same for the corpora of several files, whose texts are labeled at once."""
    chosen = [choose_rows(_with_ids(corpus), rows) for corpus in corpora]
    columns = answers.columns_of_each(chosen, [corpus.ids or [] for corpus in chosen])
    return [
        (own, _notes(answers, corpus), len(corpus))
        for own, corpus in zip(columns, corpora, strict=True)
    ]


def _with_ids(corpus: Corpus, n_before: int = 0) -> Corpus:
    """The texts with their row numbers as ids, unless they have ids."""
    if corpus.ids is not None:
        return corpus
    before = n_before if corpus.row_numbers is None else 0
    return replace(corpus, ids=[str(before + corpus.row_number(i)) for i in range(len(corpus))])


def _notes(answers: Answers, batch: Corpus) -> tuple[Note, ...]:
    """What to know of the rows and their answers."""
    if not answers.skips_empty or not batch.texts.blank():
        return batch.notes
    text = "empty texts get no label (`label_empty=True` labels them)"
    return (*batch.notes, Note("left out", text))


def predict_on_dask(
    answers: Answers,
    source: Files,
    dask: DaskLike,
    rows: str = "all",
    *,
    batch_size: int = BATCH_ROWS,
    **reading: Unpack[Reading],
) -> Iterator[tuple[Columns, tuple[Note, ...]]]:
    """`predict_batches` on the workers of Dask, each of which reads and answers whole files."""
    from wordplane.scale.dask_tasks import open_tasks
    from wordplane.scale.scratch import open_scratch

    files = worker_files(source, reading)
    n = len(files)
    first = next(read_batches(files, batch_size=1, **reading_for(answers, reading)))
    kinds = answers.model.model_.features.spec.columns.kinds.values()
    if first.text_columns and FIELD_KIND not in kinds:  # those of the first file, for all
        reading = {**reading, "text": first.text_columns}
    with (
        open_scratch() as scratch,
        open_tasks(
            dask, answers.model.n_jobs, available_memory(), scratch.folder, shared=False
        ) as tasks,
    ):
        shared = [tasks.send("model", answers)] * n
        asked = [rows] * n, [batch_size] * n, [reading] * n
        parts = tasks.map("predict-texts", predict_file, shared, files, *asked)
        n_before = 0
        while parts:
            (answered,) = tasks.collect([parts.pop(0)])
            for batch, notes, _ in answered:
                if first.ids is None:
                    numbers = [str(n_before + int(number)) for number in batch["id"]]
                    batch = {**batch, "id": numbers}
                yield batch, notes
            n_before += answered[-1][2] if answered else 0


def predict_file(
    answers: Answers, path: str, rows: str, batch_size: int, reading: Reading
) -> list[tuple[Columns, tuple[Note, ...], int]]:
    """The answers for a file."""
    read = read_batches(path, batch_size=batch_size, **reading_for(answers, reading))
    return list(answer_batches(answers, read, rows))


def with_kept(
    wanted: Wanted,
    keep: Sequence[str] | Literal["all"],
    model: TextPredictor,
    data: DataLike | Files,
    reading: Reading,
) -> Wanted:
    """What is wanted, with columns of the data; "all" of them come before the answers."""
    if isinstance(keep, bool):
        raise InputError(f"`keep` is {keep}, expected names of columns, or 'all'")
    if keep != "all":
        return replace(wanted, keep=(keep,) if isinstance(keep, str) else tuple(keep))
    if isinstance(data, Corpus):
        names = list(data.extras)
    elif isinstance(data, Mapping):
        names = [str(name) for name in data]
    elif hasattr(data, "columns") or hasattr(data, "column_names"):
        names = [str(name) for name in getattr(data, "column_names", None) or data.columns]
    elif isinstance(data, str | PathLike | list | tuple):
        own = model_columns(model, reading)
        options: ReadKeywords = {**reading, **own, "labels": False, "require_label": False}
        names = column_names(data, **options)
    else:
        names = []
    if not names:
        raise InputError("`keep` is 'all', and these texts have no columns: leave it out")
    return replace(wanted, keep=tuple(names), like_input=True)


def reading_for(answers: Answers, reading: Reading) -> ReadKeywords:
    """How to read the columns of the model, and those to keep."""
    own = model_columns(answers.model, reading)
    kinds = {**dict.fromkeys(answers.wanted.keep, KEPT_KIND), **own["extra"]}
    own["extra"] = kinds
    return {**reading, **own, "labels": False, "require_label": False}


def _unlabeled_corpus(answers: Answers, data: DataLike, reading: Reading) -> Corpus:
    if isinstance(data, Corpus):
        return data
    given = reading_for(answers, reading)
    if not isinstance(data, str | PathLike):
        return load_texts(data, given)
    return next(read_batches(data, batch_size=None, **given))


def answer(answers: Answers, data: DataLike, **reading: Unpack[Reading]) -> tuple[Corpus, Columns]:
    """Texts in memory, and the columns of the answers."""
    corpus = _unlabeled_corpus(answers, data, reading)
    return corpus, answers.columns(corpus, _with_ids(corpus).ids or [])


def predict(
    model: TextPredictor | str | PathLike[str],
    data: DataLike,
    *,
    top_k: int | None = None,
    probabilities: bool = False,
    min_confidence: float | None = None,
    set_confidence: float | None = None,
    explain: int | None = None,
    known: bool = False,
    keep: Sequence[str] | Literal["all"] = (),
    separator: str | None = None,
    label_empty: bool = False,
    keep_if: Sequence[str] | str = (),
    **reading: Unpack[Reading],
) -> Any:
    """Label texts, or predict their numbers, and give whatever else is asked for (see `Wanted`).
    The model may be the path of its file.

    For a frame or column of polars, pandas, pyarrow, DuckDB, nanoarrow or Hugging Face datasets, a
    frame of the same library; for anything else, a mapping of columns.

    >>> from wordplane import TextClassifier
    >>> texts = ["what a great film", "great fun", "a dull film", "dull and long"] * 5
    >>> model = TextClassifier().fit(texts, ["good", "good", "bad", "bad"] * 5)
    >>> answer = predict(model, ["so dull", "great"], min_confidence=0.6, explain=1)
    >>> answer["label"], [words[0] for words in answer["words"]]
    (['bad', 'good'], ['dull', 'great'])
    """
    model = as_predictor(model)
    wanted = Wanted(
        top_k,
        probabilities,
        min_confidence,
        set_confidence,
        explain,
        known=known,
        separator=separator,
        label_empty=label_empty,
        keep_if=(keep_if,) if isinstance(keep_if, str) else tuple(keep_if),
    )
    answers = Answers(model, with_kept(wanted, keep, model, data, reading))
    if not has_same_kind(data):
        return answer(answers, data, **reading)[1]
    return same_kind(_answer_frame(answers, data, reading), data)


def _answer_frame(answers: Answers, data: DataLike, reading: Reading) -> "DataFrame":
    """The answers for a frame or column; as few Python objects as possible at a time."""
    import polars as pl

    given: ReadKeywords = reading_for(answers, reading)
    if is_frame(data):
        batches = read_batches(data, batch_size=BATCH_ROWS, **given)  # type: ignore[arg-type]
    else:
        batches = _split(load_texts(data, given))
    schema = polars_schema(answers.types())
    parts = [
        pl.DataFrame(columns, schema=schema)
        for columns, _, _ in answer_batches(answers, batches, "all")
    ]
    return pl.concat(parts) if parts else pl.DataFrame(schema=schema)


def _split(corpus: Corpus) -> Iterator[Corpus]:
    for begin in range(0, len(corpus), BATCH_ROWS):
        yield corpus.take(np.arange(begin, min(begin + BATCH_ROWS, len(corpus))))

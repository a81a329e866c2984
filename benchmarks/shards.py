"""Labels for reviews in Parquet files: many shards, one file, and fastText. Processor time.

    pip install fasttext-wheel pyarrow
    python benchmarks/shards.py imdb.parquet

prints the table of docs/measured/shards.md.

Everything runs in processes of its own, with one thread, in turns; the least processor time (user
and system) of each counts, so that other work on the machine matters less. What a process takes to
start and to load its model, measured with one text, is given apart. fastText has its default
settings with bigrams; its Parquet files are read and written by pyarrow.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import polars as pl

ROUNDS = 2
N_TEXTS = 100_000
SIZES = (50, 500, 1000)  # texts in a shard

FASTTEXT = """
import sys
import fasttext, pyarrow as pa, pyarrow.parquet as pq
fasttext.FastText.eprint = lambda text: None
model = fasttext.load_model(sys.argv[1])
schema = pa.schema({"label": pa.string(), "probability": pa.float64()})
with pq.ParquetWriter(sys.argv[3], schema) as out:
    for batch in pq.ParquetFile(sys.argv[2]).iter_batches(10_000, columns=["text"]):
        texts = [" ".join(text.split()) for text in batch["text"].to_pylist()]
        labels, shares = model.predict(texts)
        columns = [[one[0] for one in labels], [float(one[0]) for one in shares]]
        out.write_batch(pa.record_batch(columns, schema=schema))
"""


def processor_seconds(command):
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"failed: {command}")
    return used.ru_utime + used.ru_stime


def train(data, folder):
    """A model of each tool."""
    import fasttext

    model = folder / "m.wordplane"
    command = ["train", data, "-o", model, "--fast", "--no-test", "--quiet"]
    command = [sys.executable, "-m", "wordplane", *command]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    lines = folder / "train.txt"
    rows = pl.read_parquet(data).filter(pl.col("split") == "train")
    with lines.open("w", encoding="utf-8") as file:
        for text, label in rows.select("text", "label").iter_rows():
            file.write(f"__label__{label} {' '.join(text.split())}\n")
    fasttext.train_supervised(str(lines), wordNgrams=2, thread=1, verbose=0).save_model(
        str(folder / "m.bin")
    )


def write_data(data, folder):
    """One file, one text, and shards; returns the bytes of all texts."""
    texts = pl.read_parquet(data).select("text")
    texts = pl.concat([texts] * (N_TEXTS // len(texts) + 1)).head(N_TEXTS)
    texts.write_parquet(folder / "one.parquet")
    texts.head(1).write_parquet(folder / "start.parquet")
    for size in SIZES:
        (folder / f"of{size}").mkdir()
        for number, part in enumerate(texts.iter_slices(size)):
            part.write_parquet(folder / f"of{size}" / f"{number:05}.parquet")
    return texts["text"].str.len_bytes().sum()


def jobs(folder):
    def ours(data):
        shutil.rmtree(folder / "out", ignore_errors=True)
        options = ["--threads", "1", "--quiet", "-o", f"{folder}/out/"]
        model = folder / "m.wordplane"
        return [sys.executable, "-m", "wordplane", "predict", model, f"{folder}/{data}", *options]

    def theirs(data):
        files = [folder / "m.bin", folder / data, folder / "out.parquet"]
        return [sys.executable, "-c", FASTTEXT, *files]

    return {
        "Wordplane, start": lambda: ours("start.parquet"),
        "Wordplane, one file": lambda: ours("one.parquet"),
        **{f"Wordplane, {n} per shard": lambda n=n: ours(f"of{n}/*.parquet") for n in SIZES},
        "fastText, start": lambda: theirs("start.parquet"),
        "fastText, one file": lambda: theirs("one.parquet"),
    }


def main(data):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        train(data, folder)
        n_bytes = write_data(data, folder)
        seconds = {}
        for _ in range(ROUNDS):
            for job, command in jobs(folder).items():
                seconds.setdefault(job, []).append(processor_seconds(command()))
    best = {job: min(times) for job, times in seconds.items()}
    one = best["Wordplane, one file"] - best["Wordplane, start"]
    print("| job | processor seconds | start and model | MB/s | times the one file |")
    print("| --- | ---: | ---: | ---: | ---: |")
    for job, total in best.items():
        tool, _, what = job.partition(", ")
        if what != "start":
            start = best[f"{tool}, start"]
            work = total - start
            rate = n_bytes / work / 1e6
            print(f"| {job} | {work:.2f} | {start:.2f} | {rate:.1f} | {work / one:.2f} |")


if __name__ == "__main__":
    main(sys.argv[1])

"""Training past memory: time, memory and disk on blocks, compared with memory and Vowpal Wabbit.

Texts are mixed: each takes its sentences from IMDB's training reviews of one label, in random
order. Words and pairs of words, the recipe; accuracy is that on IMDB's test reviews.

    compare   300,000 reviews in memory and on blocks: accuracies, equal predictions
    large     2 million with `--memory 1GB`, and Vowpal Wabbit's eight passes over the same texts,
              cut into words before; time per review compared with 300,000 in memory
    growth    0.1 to 6.4 million short texts on blocks: time, memory and disk, and a plot
    dask      120,000 reviews in 8 files on one worker of Dask and on two, by phases; and what two
              workers take compared with blocks on two threads

Run by itself: `python -m benchmarks.scale [compare] [large] [growth] [dask]`, which takes an hour
and 30 GB of disk in the folder WORDPLANE_SCRATCH. Figures: benchmarks/results/scale.md.
"""

import os
import random
import re
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from functools import cached_property
from pathlib import Path

import polars as pl

import wordplane
from benchmarks.harness import RESULTS, WORDPLANE, Subject, dataset, installed

MEMORY_LIMIT = 1.3e3  # megabytes
N_SOME, N_MANY = 300_000, 2_000_000
N_DASK, DASK_FILES = int(os.environ.get("WORDPLANE_DASK_REVIEWS", "120_000")), 8
N_SHORT = (100_000, 400_000, 1_600_000, 6_400_000)
BATCH = 50_000
POSITIVE = "positive"


def main():
    stages = sys.argv[1:] or ["compare", "large", "growth", "dask"]
    if dataset("imdb") is None:
        return
    with tempfile.TemporaryDirectory(dir=os.environ.get("WORDPLANE_SCRATCH")) as folder:
        bench = Bench(Path(folder))
        for stage in stages:
            getattr(bench, stage)()


class Bench:
    """The stages, and what they share."""

    def __init__(self, folder):
        self.folder = folder
        self.subject = Subject("scale", 1)
        self.test = dataset("imdb", "test")
        self.texts = Mixture(dataset("imdb", "train"))

    def compare(self):
        memory = self.in_memory
        blocks = self.train(self.some, "--blocks")
        same = (memory["labels"] == blocks["labels"]).mean()
        self.say("equal predictions", 100 * same, "%")
        self.say("accuracy, blocks - memory", points(blocks, memory), "points")

    def large(self):
        many, cut = self.folder / "many.parquet", self.folder / "many.vw"
        self.texts.write(N_MANY, many, cut=cut)
        blocks = self.train(many, "--memory", "1GB", limit=MEMORY_LIMIT)
        for amount in ("seconds", "processor"):
            ratio = blocks[amount] / N_MANY / (self.in_memory[amount] / N_SOME)
            self.say(f"{amount} per review, blocks / memory", ratio, "times", limit=2)
        many.unlink()
        if not installed("vowpalwabbit"):
            return
        vw = self.vowpal_wabbit(cut)
        for amount in ("seconds", "processor"):
            self.say(f"{amount}, blocks / vw", blocks[amount] / vw[amount], "times", limit=1)
        self.say("accuracy, blocks - vw", points(blocks, vw), "points")

    def growth(self):
        rows = []
        for n_texts in N_SHORT:
            data = self.folder / f"short-{n_texts}.parquet"
            self.texts.write(n_texts, data, length=1)
            options = ("--features", "word", "--min-df", "2", "--no-test", "--blocks", "--force")
            found = run("train", data, "-o", self.folder / "short.wordplane", *options)
            for amount in ("seconds", "processor", "megabytes", "disk"):
                self.say(f"{n_texts:,} short texts", found[amount], amount)
            rows.append({"texts": n_texts, **found})
            data.unlink()
        plot(rows)

    def dask(self):
        data = self.texts.write(N_DASK, self.folder / "dask.parquet")
        rows = pl.read_parquet(data)
        size = -(-N_DASK // DASK_FILES)
        for number in range(DASK_FILES):
            part = self.folder / f"dask-part-{number}.parquet"
            rows[number * size : (number + 1) * size].write_parquet(part)
        del rows
        files = str(self.folder / "dask-part-*.parquet")
        task = f"{N_DASK:,} reviews on Dask"
        phases = {n: dask_phases(files, n) for n in (1, 2)}
        for n_workers, found in phases.items():
            for phase, seconds in found.items():
                self.say(f"{task}, {n_workers} workers, {phase}", seconds, "seconds")
        for phase in phases[1]:
            ratio = phases[1][phase] / phases[2][phase]
            self.say(f"{task}, {phase}, 1 worker / 2 workers", ratio, "times")
        model = self.folder / "dask.wordplane"
        options = ("-o", model, "--force", "--ngrams", "1,2", "--threads", "2", "--memory", "2GB")
        labels, taken = [], []
        for where in (("--blocks",), ("--dask", "local")):
            taken.append(run("train", files, *options, *where))
            labels.append(wordplane.load(model).predict(list(self.test.texts)))
            for amount in ("seconds", "processor", "disk"):
                self.say(f"{N_DASK:,} reviews {' '.join(where)}", taken[-1][amount], amount)
        for amount in ("seconds", "processor"):
            ratio = taken[1][amount] / taken[0][amount]
            self.say(f"{amount}, dask / blocks", ratio, "times", limit=1.25)
        self.say("equal predictions, dask and blocks", 100 * (labels[0] == labels[1]).mean(), "%")

    @cached_property
    def some(self):
        return self.texts.write(N_SOME, self.folder / "some.parquet")

    @cached_property
    def in_memory(self):
        return self.train(self.some, "--no-blocks")

    def train(self, data, *options, limit=None):
        """Train by the command and label the test reviews."""
        model = data.with_suffix(".wordplane")
        found = run("train", data, "-o", model, "--force", "--ngrams", "1,2", *options)
        task = f"{data.stem} {' '.join(options)}"
        found["labels"] = wordplane.load(model).predict(list(self.test.texts))
        found["accuracy"] = (found["labels"] == list(self.test.labels)).mean()
        for amount in ("seconds", "processor", "disk", "accuracy"):
            self.say(task, found[amount], amount)
        self.say(task, found["megabytes"], "megabytes", limit=limit)
        return found

    def vowpal_wabbit(self, cut):
        """Eight passes of logistic regression over words and pairs of them."""
        held_out, model, said = (self.folder / f"vw.{name}" for name in ("test", "model", "said"))
        with held_out.open("w") as file:
            for text, label in zip(self.test.texts, self.test.labels, strict=True):
                file.write(vw_line(cut_words([text]), label))
        vw = (sys.executable, "-m", "vowpalwabbit")
        options = ("--loss_function", "logistic", "--ngram", "2", "-b", "24", "--quiet")
        passes = ("--passes", "8", "-c", "-k", "--holdout_off")
        found = measure([*vw, "-d", cut, "-f", model, *options, *passes])
        subprocess.run([*vw, "-d", held_out, "-t", "-i", model, "-p", said, "--quiet"], check=True)
        right = [
            (float(line.split()[0]) > 0) == (label == POSITIVE)
            for line, label in zip(said.read_text().splitlines(), self.test.labels, strict=True)
        ]
        found["accuracy"] = sum(right) / len(right)
        for amount in ("seconds", "processor", "megabytes", "accuracy"):
            self.say("vw, 8 passes, cut into words before", found[amount], amount)
        return found

    def say(self, task, value, unit, limit=None):
        self.subject.amount(task, "", unit, value, limit=limit)


def dask_phases(files, n_workers):
    """Seconds of counting, and of a sum of gradients over all blocks, on so many workers."""
    import distributed

    from wordplane.learners.support import block_objective
    from wordplane.scale.dask_training import DaskPlan, DaskRows

    seconds, steps = {"counting": 0.0}, []
    count, add = DaskPlan.count, DaskRows.sum

    def timed_count(self, held_out):
        start = time.perf_counter()
        found = count(self, held_out)
        seconds["counting"] += time.perf_counter() - start
        return found

    def timed_sum(self, function, *given, **options):
        start = time.perf_counter()
        found = add(self, function, *given, **options)
        if function in (block_objective.gradient, block_objective.hessian_product):
            steps.append(time.perf_counter() - start)
        return found

    DaskPlan.count, DaskRows.sum = timed_count, timed_sum
    try:
        with (
            tempfile.TemporaryDirectory(dir=os.environ.get("WORDPLANE_SCRATCH")) as scratch,
            distributed.LocalCluster(
                n_workers=n_workers,
                threads_per_worker=1,
                memory_limit="1GB",
                host="127.0.0.1",
                dashboard_address="127.0.0.1:0",
                worker_dashboard_address="127.0.0.1:0",
            ) as cluster,
            distributed.Client(cluster, set_as_default=False) as client,
        ):
            wordplane.train(files, analyzer={"ngrams": (1, 2)}, dask=client, scratch=scratch)
    finally:
        DaskPlan.count, DaskRows.sum = count, add
    return {**seconds, f"gradient ({len(steps)} sums)": sum(steps)}


def points(one, other):
    """A difference of accuracies in points."""
    return 100 * (one["accuracy"] - other["accuracy"])


def run(*arguments):
    """What a command takes, with a folder for blocks of its own."""
    with tempfile.TemporaryDirectory(dir=os.environ.get("WORDPLANE_SCRATCH")) as scratch:
        return measure([*WORDPLANE, *arguments, "--scratch", scratch], Path(scratch))


def measure(command, scratch=None):
    """Seconds, those of processors, the most megabytes in memory and on disk."""
    before, start = os.times(), time.perf_counter()
    process = subprocess.Popen([str(part) for part in command], stdout=subprocess.DEVNULL)
    disk = megabytes = 0.0
    while process.poll() is None:
        disk = max(disk, 0.0 if scratch is None else used(scratch))
        megabytes = max(megabytes, resident_peak(process.pid))
        time.sleep(0.2)
    if process.returncode != 0:
        raise RuntimeError(f"{command} failed")
    seconds, after = time.perf_counter() - start, os.times()
    processor = after.children_user + after.children_system
    processor -= before.children_user + before.children_system
    amounts = {"seconds": seconds, "processor": processor}
    return {**amounts, "megabytes": megabytes, "disk": disk / 1e6}


def used(folder):
    """Bytes of the files in a folder, some of which may just be leaving."""
    total = 0
    for where, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                total += Path(where, name).stat().st_size
    return total


def resident_peak(pid):
    """The most megabytes that a process has had in memory."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0.0
    found = re.search(r"VmHWM:\s*(\d+)", status)
    return int(found[1]) / 1024 if found else 0.0


class Mixture:
    """Texts made of sentences of reviews of one label."""

    def __init__(self, corpus):
        self.sentences, self.lengths = {}, []
        for text, label in zip(corpus.texts, corpus.labels, strict=True):
            parts = re.split(r"(?<=[.!?]) ", text)
            self.sentences.setdefault(label, []).extend(parts)
            self.lengths.append(len(parts))

    def write(self, n_texts, path, length=None, cut=None):
        """Write texts of `length` sentences, or of as many as a review has, with their labels; for
        Vowpal Wabbit too, to the file `cut`."""
        rng, parts = random.Random(0), []
        labels = sorted(self.sentences)
        words = cut and {label: cut_words(self.sentences[label]) for label in labels}
        for begin in range(0, n_texts, BATCH):
            rows, lines = [], []
            for _ in range(min(BATCH, n_texts - begin)):
                label = rng.choice(labels)
                own = self.sentences[label]
                n = rng.choice(self.lengths) if length is None else length
                chosen = rng.choices(range(len(own)), k=n)
                rows.append((" ".join([own[i] for i in chosen]), label))
                if cut:
                    lines.append(vw_line([words[label][i] for i in chosen], label))
            part = path.with_name(f"{path.stem}-{begin}.parquet")
            pl.DataFrame(rows, schema=["text", "label"], orient="row").write_parquet(part)
            parts.append(part)
            if cut:
                with cut.open("a", encoding="utf-8") as file:
                    file.writelines(lines)
        pl.scan_parquet(parts).sink_parquet(path, row_group_size=BATCH)
        for part in parts:
            part.unlink()
        return path


def cut_words(texts):
    """The words of each text, without what means something to Vowpal Wabbit."""
    analyzer = wordplane.Analyzer()
    return [
        " ".join(re.sub(r"[:|\s]", "_", token.text) for token in analyzer.tokenize(text))
        for text in texts
    ]


def vw_line(parts, label):
    return f"{1 if label == POSITIVE else -1} | {' '.join(parts)}\n"


def plot(rows):
    """Time, memory and disk over the number of texts, both logarithmic, with their slopes."""
    import numpy as np

    from wordplane.plots import save
    from wordplane.plots import vega_lite as vl
    from wordplane.plots.charts import values
    from wordplane.plots.style import finish

    frame, charts = pl.DataFrame(rows), []
    data, log = values(**frame.to_dict(as_series=False)), {"type": "log"}
    sizes = frame["texts"].to_list()
    for amount, title in (
        ("processor", "seconds of processors"),
        ("megabytes", "MB of memory"),
        ("disk", "MB of disk"),
    ):
        slope = np.polyfit(np.log(sizes), np.log(frame[amount].to_numpy()), 1)[0]
        charts.append(
            vl.Chart(data, title=f"slope {slope:.2f}")
            .mark_line(point=True)
            .encode(
                x=vl.X("texts:Q", axis={"values": sizes, "format": "~s"}, scale=log),
                y=vl.Y(f"{amount}:Q", title=title, axis={"tickCount": 5}, scale=log),
            )
        )
    save(finish(vl.hconcat(*charts)), RESULTS / "scale_growth.svg")


if __name__ == "__main__":
    main()

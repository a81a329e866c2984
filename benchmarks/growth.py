"""How time and memory grow with the number of texts: IMDB once, 4 times and 16 times over.

What is added is resampled: each new text takes its sentences from training reviews of the same
label, in random order. Whole commands, default recipe; a plot is written beside the results.
"""

import random
import re
import tempfile
from pathlib import Path

import polars as pl

from benchmarks.harness import RESULTS, WORDPLANE, Subject, dataset, peak_megabytes


def main(rounds, quick):
    corpus = dataset("imdb", "train")
    if corpus is None:
        return
    subject = Subject("growth", 1)
    texts, labels = list(corpus.texts), list(corpus.labels)
    if quick:
        texts, labels = texts[::10], labels[::10]
    points = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for times in (1, 4, 16):
            data = folder / f"{times}.parquet"
            resampled(texts, labels, times).write_parquet(data)
            model = folder / "model.wordplane"
            verbs = {
                "train": ("train", data, "--no-test", "--force", "-o", model),
                "predict": ("predict", model, data),
            }
            for verb, arguments in verbs.items():
                task = f"{verb} {times * len(texts):,} texts"
                peaks = []

                def run(arguments=arguments, peaks=peaks):
                    peaks.append(peak_megabytes(*WORDPLANE, *arguments))

                subject.race(task, {"wordplane": run})
                seconds, megabytes = subject.amounts[-1]["seconds"], max(peaks)
                subject.amount(task, "wordplane", "megabytes", megabytes)
                row = {"verb": verb, "texts": times * len(texts)}
                points.append({**row, "seconds": seconds, "megabytes": megabytes})
            data.unlink()
    subject.save()
    if not quick:
        plot(points)


def resampled(texts, labels, times):
    rng = random.Random(0)
    rows = list(zip(texts, labels, strict=True))
    sentences = {}
    for text, label in rows:
        sentences.setdefault(label, []).extend(re.split(r"(?<=[.!?]) ", text))
    for text, label in rows * (times - 1):
        n = len(re.split(r"(?<=[.!?]) ", text))
        rows.append((" ".join(rng.choices(sentences[label], k=n)), label))
    return pl.DataFrame(rows, schema=["text", "label"], orient="row")


def plot(points):
    from wordplane.plots import save
    from wordplane.plots import vega_lite as vl
    from wordplane.plots.charts import values
    from wordplane.plots.style import finish

    frame = pl.DataFrame(points)
    sizes = frame["texts"].unique().sort().to_list()
    log_x = {"type": "log", "nice": False}
    charts = [
        vl.Chart(values(**frame.to_dict(as_series=False)))
        .mark_line(point=True)
        .encode(
            x=vl.X("texts:Q", axis={"values": sizes, "format": ","}, scale=log_x),
            y=vl.Y(f"{amount}:Q", axis={"tickCount": 5}, scale={"type": "log"}),
            color=vl.Color("verb:N", title=None),
        )
        for amount in ("seconds", "megabytes")
    ]
    save(finish(vl.hconcat(*charts)), RESULTS / "growth.svg")

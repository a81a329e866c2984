"""How processor time and memory of whole commands grow with the number of texts, 10^3 to 10^6.

A text is three sentences of training reviews of IMDB of one label, drawn at random. The exponent is
the slope between the two largest sizes on logarithmic scales: 1 is linear. A verb stops at the size
from which ten times as many texts would take longer than LONGEST. A plot is written beside the
results.
"""

import http.client
import json
import math
import random
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import polars as pl

from benchmarks.harness import RESULTS, WORDPLANE, Subject, cost, dataset

SIZES = (1_000, 10_000, 100_000, 1_000_000)
SENTENCES = 3  # of a text
LONGEST = 900  # processor seconds
PORT = 8791
AT_ONCE = 500  # texts of a request


def main(rounds, quick):
    corpus = dataset("imdb", "train")
    if corpus is None:
        return None
    subject = Subject("growth", 1)
    sentences = {}
    for text, label in zip(corpus.texts, corpus.labels, strict=True):
        sentences.setdefault(label, []).extend(re.split(r"(?<=[.!?]) ", text))
    points = []
    too_long = set()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for n in SIZES[:2] if quick else SIZES:
            drawn(sentences, n).write_parquet(folder / "texts.parquet")
            for verb, command in commands(folder).items():
                if verb in too_long:
                    continue
                seconds, megabytes = cost(*command)
                subject.amount(f"{verb}, {n:,} texts", "wordplane", "seconds", seconds)
                subject.amount(f"{verb}, {n:,} texts", "wordplane", "megabytes", megabytes)
                points.append(
                    {"verb": verb, "texts": n, "seconds": seconds, "megabytes": megabytes}
                )
                if 10 * seconds > LONGEST:
                    too_long.add(verb)
    exponents(subject, points)
    if not quick:
        plot(points)
    return subject


def drawn(sentences, n):
    rng = random.Random(0)
    labels = sorted(sentences) * (n // len(sentences))
    texts = [" ".join(rng.choices(sentences[label], k=SENTENCES)) for label in labels]
    return pl.DataFrame({"text": texts, "label": labels})


def commands(folder):
    data, model = folder / "texts.parquet", folder / "model.wordplane"
    page, groups = folder / "page.html", folder / "groups.csv"
    verbs = {
        "train": ("train", data, "--no-test", "--force", "-o", model),
        "predict": ("predict", model, data),
        "tune": ("tune", data),
        "audit": ("audit", data),
        "cluster": ("cluster", data, "-k", 10, "-o", page, "--assign", groups, "--force"),
        "report": ("report", model, data, "-o", page, "--force"),
    }
    measured = {verb: (*WORDPLANE, *arguments) for verb, arguments in verbs.items()}
    return {**measured, "serve": (sys.executable, "-m", "benchmarks.growth", model, data)}


def exponents(subject, points):
    for verb in dict.fromkeys(point["verb"] for point in points):
        own = [point for point in points if point["verb"] == verb]
        if len(own) < 2:
            continue
        *_, small, large = own
        times = math.log(large["texts"] / small["texts"])
        for amount in ("seconds", "megabytes"):
            slope = math.log(large[amount] / small[amount]) / times
            subject.amount(f"{verb}, growth of {amount}", "wordplane", "exponent", slope)


def serve(model, data):
    """Start a server, ask it for the labels of all texts of a file, and stop it."""
    command = [*WORDPLANE, "serve", model, "--port", str(PORT), "--no-token"]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        texts = pl.read_parquet(data)["text"]
        client = connected()
        for start in range(0, len(texts), AT_ONCE):
            body = json.dumps({"texts": texts[start : start + AT_ONCE].to_list()})
            client.request("POST", "/v1/predict", body, {"Content-Type": "application/json"})
            answer = client.getresponse()
            rows = json.loads(answer.read())
            if answer.status != 200:
                raise RuntimeError(rows)
    finally:
        server.terminate()
        server.wait(60)


def connected():
    for _ in range(300):
        client = http.client.HTTPConnection("127.0.0.1", PORT, timeout=60)
        try:
            client.connect()
        except OSError:
            time.sleep(0.1)
        else:
            return client
    raise RuntimeError("the server does not answer")


def plot(points):
    from wordplane.plots import save
    from wordplane.plots import vega_lite as vl
    from wordplane.plots.charts import values
    from wordplane.plots.style import finish

    frame = pl.DataFrame(points)
    log_x = {"type": "log", "nice": False}
    charts = [
        vl.Chart(values(**frame.to_dict(as_series=False)))
        .mark_line(point=True)
        .encode(
            x=vl.X("texts:Q", axis={"values": list(SIZES), "format": ","}, scale=log_x),
            y=vl.Y(f"{amount}:Q", axis={"tickCount": 5}, scale={"type": "log"}),
            color=vl.Color("verb:N", title=None, scale={"scheme": "tableau10"}),
        )
        for amount in ("seconds", "megabytes")
    ]
    save(finish(vl.hconcat(*charts)), RESULTS / "growth.svg")


if __name__ == "__main__":
    serve(*sys.argv[1:])

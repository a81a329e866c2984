"""Labeling with `wordplane.annotation` by simulated people who know the truth.

    python -m benchmarks.annotation curves [--seeds 5] [--most 500] [--plot FILE] [SET ...]
    python -m benchmarks.annotation show [--plot FILE]
    python -m benchmarks.annotation coverage [--sessions 1000]
    python -m benchmarks.annotation screening [--sessions 1000] [--peer] [SET ...]
    python -m benchmarks.annotation orders [--sessions 1000]
    python -m benchmarks.annotation latency [--texts 100000] [--answers 200]
    python -m benchmarks.annotation first [--answers 100]

curves: scores against the number of labels, in several orders (`benchmarks.annotation_curves`).
show: the same from sessions that were run before.
coverage: how often the interval of the accuracy on the screen covers the accuracy of the models
that it measures, and that of the last model, on all texts; at a fixed number of labels, and when
a person stops as soon as the lower end pleases.
screening: how often at least 95 % of the relevant texts were found when it says so, on real texts;
orders: on made-up orders of different quality (`benchmarks.annotation_screening`).
latency: from an answer to the next text, with a model learning in the background.
first: from texts without labels to a first model, by the commands of the guide.
"""

import argparse
import http.client
import json
import re
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import polars as pl

import wordplane
from benchmarks.annotation_curves import STRATEGIES, curves, measure, parts, show
from benchmarks.annotation_screening import orders, screening
from wordplane.annotation import Project
from wordplane.evaluation.anytime import recent_share
from wordplane.evaluation.intervals import wilson_interval


def true_accuracies(n, rng):
    """The accuracy of the model at each random text of a session: a learning curve."""
    top, start, power = rng.uniform(0.75, 0.99), rng.uniform(0.05, 0.4), rng.uniform(0.2, 0.6)
    steps = np.maximum(np.arange(n) // 5, 1)  # models change every few texts
    return np.clip(top - start * steps**-power + rng.normal(0, 0.01, n), 0, 1)


def coverage(args):
    """How often intervals hold in sessions whose models are as good as a learning curve says."""
    n, rng = 250, np.random.default_rng(0)
    names = ("mean of the models measured", "the model at that time")
    rules = {"after 250 random texts": [], "at all times": [], "Wilson, at all times": []}
    rules |= {"when the lower end is above 0.8": [], "when the share is above 0.9": []}
    for _ in range(args.sessions):
        p = true_accuracies(n, rng)
        right = rng.random(n) < p
        holds, stops = [], {}
        for t in range(10, n + 1, 3):
            outcomes = right[:t].tolist()
            k, m, (low, high) = recent_share(outcomes)
            inside = (low <= p[t - m : t].mean() <= high, low <= p[t - 1] <= high)
            low_w, high_w = wilson_interval(k, m)
            holds.append(
                (*inside, low_w <= p[t - m : t].mean() <= high_w, low_w <= p[t - 1] <= high_w)
            )
            if low > 0.8:
                stops.setdefault("when the lower end is above 0.8", inside)
            if k / m > 0.9:
                stops.setdefault("when the share is above 0.9", inside)
        rules["after 250 random texts"].append(inside)
        rules["at all times"].append(tuple(np.all([each[:2] for each in holds], axis=0)))
        rules["Wilson, at all times"].append(tuple(np.all([each[2:] for each in holds], axis=0)))
        for name, each in stops.items():
            rules[name].append(each)
    print("| looked at | sessions | covers the " + " | covers ".join(names) + " |")
    print("| --- | ---: | ---: | ---: |")
    for name, found in rules.items():
        shares = " | ".join(f"{100 * share:.1f} %" for share in np.mean(found, axis=0))
        print(f"| {name} | {len(found)} | {shares} |")


def latency(args):
    """Seconds from an answer to the next text, over HTTP, while the model learns."""
    rng = np.random.default_rng(0)
    words = [f"w{number}" for number in range(20_000)]
    frequency = 1 / np.arange(1, len(words) + 1)
    drawn = rng.choice(len(words), (args.texts, 25), p=frequency / frequency.sum())
    with tempfile.TemporaryDirectory() as folder:
        data, path = Path(folder, "t.txt"), Path(folder, "p.db")
        with data.open("w", encoding="utf-8") as file:
            for row in drawn:
                file.write(" ".join([words[word] for word in row.tolist()]) + "\n")
        began = time.perf_counter()
        with Project.create(path, data, labels=["a", "b"]) as project:
            labels = [int(number) for number in rng.permutation(args.texts)[:2000] + 1]
            for label in "ab":
                some = [
                    text for text in labels if (drawn[text - 1] == "w3").any() == (label == "a")
                ]
                project.label_all(some, label)
        print(f"made in {time.perf_counter() - began:.1f} s")
        with page(path) as port:
            times = ask_in_turn(port, args.answers, lambda item: "ab"[item["text"] % 2])
    for name, seconds in times.items():
        p50, p95, worst = 1000 * np.quantile(seconds, [0.5, 0.95, 1.0])
        print(f"{name}: p50 {p50:.0f} ms, p95 {p95:.0f} ms, worst {worst:.0f} ms ({len(seconds)})")


@contextmanager
def page(*arguments):
    """The port of a page of `wordplane annotate`."""
    command = [sys.executable, "-m", "wordplane", "annotate", *map(str, arguments), "--port", "0"]
    began = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            found = re.search(r":(\d+)/", server.stdout.readline())
            print(f"page opened in {time.perf_counter() - began:.1f} s", flush=True)
            yield int(found[1])
        finally:
            server.send_signal(signal.SIGINT)


def ask_in_turn(port, n, label_of, pause=0.2):
    """Label n texts, one after another, with pauses as people make them."""
    connection = http.client.HTTPConnection("127.0.0.1", port)
    times = {"label to next text": [], "status": []}

    def ask(path, given, name=None):
        began = time.perf_counter()
        headers = {"Content-Type": "application/json"}
        connection.request("POST", f"/v1/{path}", json.dumps(given), headers)
        answer = json.loads(connection.getresponse().read())
        if name is not None:
            times[name].append(time.perf_counter() - began)
        return answer

    item = ask("next", {})["item"]
    for _ in range(n):
        given = {"text": item["text"], "labels": [label_of(item)]}
        item = ask("label", given, "label to next text")["item"]
        ask("status", {}, "status")
        time.sleep(pause)
    return times


def first_model(args):
    """From texts without labels to a model, by the commands of the guide; a person who needs two
    seconds per text labels SMS."""
    train, test = parts("sms_spam")
    truth = dict(zip(train.texts, train.labels, strict=True))
    with tempfile.TemporaryDirectory() as folder:
        texts, db, model = (Path(folder, name) for name in ("sms.csv", "sms.db", "sms.wordplane"))
        texts.write_text(pl.DataFrame({"text": list(train.texts)}).write_csv(), "utf-8")
        began = time.perf_counter()
        with page(texts, "--labels", "spam,ham", "--project", db) as port:
            ask_in_turn(port, args.answers, lambda item: truth[item["content"]], pause=2.0)
        print(f"{args.answers} labels after {time.perf_counter() - began:.0f} s", flush=True)
        for command in (
            ["annotate", db, "--model", model],
            ["predict", model, texts, "-o", Path(folder, "predicted.csv")],
        ):
            at = time.perf_counter()
            arguments = [sys.executable, "-m", "wordplane", *map(str, command)]
            subprocess.run(arguments, check=True, stdout=subprocess.DEVNULL)
            print(f"wordplane {command[0]} took {time.perf_counter() - at:.1f} s")
        numbers = {label: label for label in ("spam", "ham")}
        f1 = measure("sms_spam", wordplane.load(model), test, numbers)
        print(f"{time.perf_counter() - began:.0f} s in all; F1 of spam {f1:.1%}")


RUNS = {
    "curves": curves,
    "show": show,
    "coverage": coverage,
    "screening": screening,
    "orders": orders,
    "latency": latency,
    "first": first_model,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("what", choices=list(RUNS))
    parser.add_argument("sets", nargs="*", metavar="SET")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--most", type=int, default=500)
    parser.add_argument("--sessions", type=int, default=1000)
    parser.add_argument("--answers", type=int, default=200)
    parser.add_argument("--texts", type=int, default=100_000)
    parser.add_argument("--peer", action="store_true", help="screen in the order of ASReview")
    parser.add_argument("--strategies", nargs="*", choices=STRATEGIES)
    parser.add_argument("--output", metavar="FILE", help="where sessions are added (JSONL)")
    parser.add_argument("--plot", metavar="FILE", help="draw curves: .svg or .png")
    args = parser.parse_intermixed_args()
    RUNS[args.what](args)


if __name__ == "__main__":
    main()

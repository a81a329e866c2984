"""Thousands of labels: time, peak memory, precision and size of the model of a label tree.

Texts are those of `many_label_texts.py`, a tenth of them for the test. Every model is trained by
`wordplane train` in a process of its own, which measures it on rows held out and then trains on all
rows, so that times are those of two fits. On 1,000 labels a label tree stands beside one SVM
against the rest per label, on the same features. 10,000 labels have no learner named: the tree is
what the rule chooses.

Precision at k is the share of the k likeliest labels that are right; where texts have one label
only, "among k" is the share of texts whose label is among the k likeliest.

    python benchmarks/many_labels.py > benchmarks/results/many_labels.md
"""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from many_label_texts import make_texts

import wordplane

BEST = (1, 3, 5)
FEATURES = ("--ngrams", "1,1", "--min-df", "2")  # those that the tree has by default
RUNS = (
    (1_000, 20_000, False, ("tree", "svm")),
    (1_000, 20_000, True, ("tree", "svm")),
    (10_000, 100_000, False, ("",)),
    (10_000, 100_000, True, ("",)),
)

MEASURE = """
import json, resource, subprocess, sys, time
began = time.perf_counter()
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
seconds = time.perf_counter() - began
print(json.dumps([seconds, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss]))
"""


def train(data, model, learner):
    """Seconds, and bytes of memory at the peak."""
    named = ("--learner", learner, *FEATURES) if learner else ()
    command = [sys.executable, "-m", "wordplane", "train", data, *named, "-o", model]
    # A process counts the memory of the one that started it as its own: a small one starts it.
    started = [sys.executable, "-c", MEASURE, *map(str, command)]
    done = subprocess.run(started, check=True, stdout=subprocess.PIPE)
    seconds, kilobytes = json.loads(done.stdout)
    return seconds, kilobytes * 1024


def precision(model, texts, labels, several):
    """By k, and texts per second."""
    began = time.perf_counter()
    top = wordplane.predict(model, texts, top_k=max(BEST))["top_labels"]
    speed = len(texts) / (time.perf_counter() - began)
    true = [set(row) if several else {row} for row in labels]
    hits = np.array([[label in own for label in best] for best, own in zip(top, true, strict=True)])
    return [hits[:, :k].mean() if several else hits[:, :k].any(axis=1).mean() for k in BEST], speed


def main():
    print("| labels | texts | labels per text | learner | seconds | peak memory | ", end="")
    print("at 1 | at 3 | at 5 | model | weights not 0 | texts/s predicted |")
    print("| ---: | ---: | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for n_labels, n_texts, several, learners in RUNS:
        n_test = n_texts // 10
        texts, labels = make_texts(n_labels, n_texts + n_test, several=several)
        with tempfile.TemporaryDirectory() as folder:
            data = Path(folder) / "texts.jsonl"
            rows = zip(texts[n_test:], labels[n_test:], strict=True)
            lines = (json.dumps({"text": text, "label": label}) for text, label in rows)
            data.write_text("\n".join(lines))
            for learner in learners:
                path = Path(folder) / f"{learner}.wordplane"
                seconds, memory = train(data, path, learner)
                model = wordplane.load(path)
                at, speed = precision(model, texts[:n_test], labels[:n_test], several)
                tree = model.model_.tree
                n_weights = np.count_nonzero(model.model_.W) if tree is None else tree.n_weights
                cells = (
                    f"{n_labels:,}",
                    f"{n_texts:,}",
                    "1 to 3, precision" if several else "1, among k",
                    learner or "(chosen: tree)",
                    f"{seconds:.0f}",
                    f"{memory / 1e9:.2f} GB",
                    *(f"{100 * share:.1f} %" for share in at),
                    f"{path.stat().st_size / 1e6:.1f} MB",
                    f"{n_weights:,}",
                    f"{speed:,.0f}",
                )
                print("|", " | ".join(cells), "|", flush=True)


if __name__ == "__main__":
    main()

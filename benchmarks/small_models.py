"""Accuracy of small models: `train --max-size`, and models of fastText that `quantize` made small.

    python -m benchmarks.small_models [SET ...]

Trained on the given training part, or on four fifths drawn at random, and measured on the rest:
accuracy in percent, of SMS F1 of spam. fastText gets lower-case tokens, words and pairs; its
dimension and number of epochs are those that do best on a tenth of the training texts, and as many
features as fit (`cutoff`, retrained).
"""

import argparse
import re
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks.harness import THREADS, dataset
from wordplane import TextClassifier
from wordplane.model.file import to_bytes
from wordplane.model.small_plan import shrink

# What a model may take, in bytes.
SETS = {
    "imdb": 1_000_000,
    "rt_snippets": 1_000_000,
    "subjectivity": 1_000_000,
    "sms_spam": 1_000_000,
    "newsgroups20": 3_000_000,
    "xx_languages": 5_000_000,
}
CUTOFFS = (200_000, 100_000, 70_000, 50_000, 35_000, 25_000, 18_000, 12_000, 8_000, 5_000)
SEARCHED = [(dim, epoch) for dim in (10, 50) for epoch in (5, 25)]


def parts(name):
    """What to train on and what to measure on."""
    corpus = dataset(name)
    if corpus.split is not None:
        return dataset(name, "train"), dataset(name, "test")
    order = np.random.default_rng(0).permutation(len(corpus))
    n_test = len(corpus) // 5
    return corpus.take(order[n_test:]), corpus.take(order[:n_test])


def quality(predicted, labels):
    """Accuracy in percent, or F1 of spam."""
    given, true = np.array(predicted).astype(str), np.array(labels).astype(str)
    if "spam" not in true:
        return 100 * float((given == true).mean())
    hits = ((given == "spam") & (true == "spam")).sum()
    return 100 * float(2 * hits / ((given == "spam").sum() + (true == "spam").sum()))


def tokens(text):
    """Words and signs of a text, lower-case, in one line."""
    return " ".join(re.findall(r"\w+|[^\w\s]", text.lower())) or "-"


class FastText:
    """Models of fastText for some labeled texts."""

    def __init__(self, corpus, folder):
        self.names = sorted({str(label) for label in corpus.labels})
        self.file, self.folder = folder / "train.txt", folder
        code = {name: k for k, name in enumerate(self.names)}
        lines = zip(corpus.labels, corpus.texts, strict=True)
        text = "\n".join(f"__label__{code[str(label)]} {tokens(text)}" for label, text in lines)
        self.file.write_text(text + "\n")

    def small(self, dim, epoch, max_bytes):
        """A model of at most so many bytes, and its size."""
        import fasttext

        usual = {"lr": 0.5, "wordNgrams": 2, "thread": THREADS, "verbose": 0, "seed": 0}
        for cutoff in CUTOFFS:
            model = fasttext.train_supervised(str(self.file), dim=dim, epoch=epoch, **usual)
            model.quantize(
                str(self.file), cutoff=cutoff, retrain=True, qnorm=True, thread=THREADS, verbose=0
            )
            model.save_model(str(self.folder / "m.ftz"))
            size = (self.folder / "m.ftz").stat().st_size
            if size <= max_bytes:
                return model, size
        raise ValueError(f"no cutoff gives {max_bytes:,} bytes")

    def predict(self, model, texts):
        """The best label of each text."""
        found = model.f.multilinePredict([tokens(text) + "\n" for text in texts], 1, 0.0, "strict")
        labels = found[0] if isinstance(found, tuple) else [row[0][1] for row in found]
        flat = [label[0] if isinstance(label, list) else label for label in labels]
        return [self.names[int(label.removeprefix("__label__"))] for label in flat]


def fasttext_row(train, test, max_bytes):
    """Accuracy and size of fastText's model, with what does best on a tenth of the texts."""
    order = np.random.default_rng(1).permutation(len(train))
    held_out, rest = train.take(order[: len(train) // 10]), train.take(order[len(train) // 10 :])
    with TemporaryDirectory() as folder:
        searched, scores = FastText(rest, Path(folder)), {}
        for setting in SEARCHED:
            model, _ = searched.small(*setting, max_bytes)
            scores[setting] = quality(searched.predict(model, held_out.texts), held_out.labels)
        best = max(scores, key=scores.get)
        final = FastText(train, Path(folder))
        model, size = final.small(*best, max_bytes)
        return quality(final.predict(model, test.texts), test.labels), size, best


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sets", nargs="*", default=list(SETS))
    print("| set | full size | full | small size | small | fastText size | fastText |")
    print("| --- | --- | --- | --- | --- | --- | --- |", flush=True)
    for name in parser.parse_args().sets:
        train, test = parts(name)
        model = TextClassifier(n_jobs=THREADS).fit(train.texts, train.labels)
        small = TextClassifier.from_model(shrink(model.model_, SETS[name]))
        values = [quality(each.predict(test.texts), test.labels) for each in (model, small)]
        sizes = [len(to_bytes(each.model_)) for each in (model, small)]
        peer, peer_size, (dim, epoch) = fasttext_row(train, test, SETS[name])
        cells = [name]
        for size, value in zip([*sizes, peer_size], [*values, peer], strict=True):
            cells += [f"{size / 1e6:.2f} MB", f"{value:.2f}"]
        print(f"| {' | '.join(cells)} (dim {dim}, {epoch} epochs) |", flush=True)


if __name__ == "__main__":
    main()

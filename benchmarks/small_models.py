"""Accuracy of small models: `train --max-size`, and models of fastText that `quantize` made small.

    python -m benchmarks.small_models [SET ...]

Trained on the given training part, or on four fifths drawn at random, and measured on the rest:
accuracy in percent, of SMS F1 of spam. fastText gets lower-case tokens, words and pairs; its
dimension and number of epochs are those that do best on a tenth of the training texts (of some of
them, if there are more than 5 million characters), and it keeps as many features as fit (`cutoff`,
retrained): a first cutoff is estimated, further ones follow from the bytes that a feature took.
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
FEATURE_BYTES = 20  # of fastText at first, besides half a byte for each dimension
SUBWORDS = {"xx_languages": {"minn": 1, "maxn": 3}}  # of fastText; words alone elsewhere
TRIALS, LEAST_SHARE, ROOM_USED = 4, 0.9, 0.97  # cutoffs to try, and how much of the size to take
SEARCHED = [(dim, epoch) for dim in (10, 50) for epoch in (5, 25)]
SEARCHED_CHARACTERS = 5_000_000  # of training texts, on which the dimension and epochs are chosen


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

    def __init__(self, corpus, folder, feature_bytes, subwords):
        self.names = sorted({str(label) for label in corpus.labels})
        self.file, self.folder = folder / "train.txt", folder
        self.feature_bytes = feature_bytes  # by dimension, as measured so far
        self.subwords = subwords
        code = {name: k for k, name in enumerate(self.names)}
        lines = zip(corpus.labels, corpus.texts, strict=True)
        text = "\n".join(f"__label__{code[str(label)]} {tokens(text)}" for label, text in lines)
        self.file.write_text(text + "\n")

    def small(self, dim, epoch, max_bytes):
        """A model of at most so many bytes, and its size."""
        import fasttext

        usual = {"lr": 0.5, "wordNgrams": 2, "thread": THREADS, "verbose": 0, "seed": 0}
        usual |= self.subwords
        full, packed = str(self.folder / "m.bin"), self.folder / "m.ftz"
        fasttext.train_supervised(str(self.file), dim=dim, epoch=epoch, **usual).save_model(full)
        room, best = max_bytes - 4 * dim * len(self.names), None  # without the output matrix
        for _ in range(TRIALS):
            cutoff = int(ROOM_USED * room / self.feature_bytes.get(dim, dim / 2 + FEATURE_BYTES))
            model = fasttext.load_model(full)
            model.quantize(
                str(self.file), cutoff=cutoff, retrain=True, qnorm=True, thread=THREADS, verbose=0
            )
            model.save_model(str(packed))
            size = packed.stat().st_size
            if size <= max_bytes and (best is None or size > best[1]):
                best = model, size
            self.feature_bytes[dim] = (size - max_bytes + room) / cutoff
            if LEAST_SHARE * max_bytes <= size <= max_bytes:
                break
        if best is None:
            raise ValueError(f"no cutoff gives {max_bytes:,} bytes")
        return best

    def predict(self, model, texts):
        """The best label of each text."""
        found = model.f.multilinePredict([tokens(text) + "\n" for text in texts], 1, 0.0, "strict")
        labels = found[0] if isinstance(found, tuple) else [row[0][1] for row in found]
        flat = [label[0] if isinstance(label, list) else label for label in labels]
        return [self.names[int(label.removeprefix("__label__"))] for label in flat]


def fasttext_row(train, test, max_bytes, subwords):
    """Accuracy and size of fastText's model, with what does best on a tenth of the texts."""
    # fastText learns in the order of the file, and data are often sorted by label.
    train = train.take(np.random.default_rng(1).permutation(len(train)))
    characters = np.cumsum([len(text) for text in train.texts])
    n = min(len(train), 1 + int(np.searchsorted(characters, SEARCHED_CHARACTERS)))
    held_out, rest = train.take(np.arange(n // 10)), train.take(np.arange(n // 10, n))
    with TemporaryDirectory() as folder:
        feature_bytes, scores = {}, {}
        searched = FastText(rest, Path(folder), feature_bytes, subwords)
        for setting in SEARCHED:
            model, _ = searched.small(*setting, max_bytes)
            scores[setting] = quality(searched.predict(model, held_out.texts), held_out.labels)
        best = max(scores, key=scores.get)
        final = FastText(train, Path(folder), feature_bytes, subwords)
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
        peer, peer_size, (dim, epoch) = fasttext_row(
            train, test, SETS[name], SUBWORDS.get(name, {})
        )
        cells = [name]
        for size, value in zip([*sizes, peer_size], [*values, peer], strict=True):
            cells += [f"{size / 1e6:.2f} MB", f"{value:.2f}"]
        print(f"| {' | '.join(cells)} (dim {dim}, {epoch} epochs) |", flush=True)


if __name__ == "__main__":
    main()

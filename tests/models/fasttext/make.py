"""Makes the models of fastText in this folder, and expected.json with what fastText says of texts.

Needs `pip install fasttext-wheel "numpy<2"`: `python tests/models/fasttext/make.py`. Training is
not the same twice, so all files are replaced together.
"""

import json
import random
import tempfile
from pathlib import Path

import fasttext

HERE = Path(__file__).parent
SYLLABLES = ["ba", "ko", "ti", "re", "zu", "lö", "ña", "щи", "语", "ที่", "é", "😀", "x"]
SMALL = {"dim": 5, "bucket": 60, "epoch": 20, "lr": 0.8, "thread": 1, "verbose": 0, "minCount": 1}
N_BEST = 5  # labels of a text that are stored

rng = random.Random(0)
WORDS = ["".join(rng.choices(SYLLABLES, k=rng.randrange(1, 5))) for _ in range(500)]


def line(label):
    """Words of which some are typical of the label."""
    own = [WORDS[(7 * label + rng.randrange(9)) % len(WORDS)] for _ in range(rng.randrange(1, 5))]
    return " ".join(own + rng.choices(WORDS, k=rng.randrange(1, 5)))


def lines(n_labels, n, several=False, uneven=False):
    for i in range(n):
        label = int(n_labels * rng.random() ** 3) if uneven else i % n_labels
        names = [f"__label__l{label}"]
        if several and rng.random() < 0.5:
            names.append(f"__label__l{(label + 1) % n_labels}")
        yield " ".join([*names, line(label)])


def text():
    """What is and is not known, and what separates words."""
    unknown = ["".join(rng.choices(SYLLABLES, k=3)), "Ab", "</s>", "__label__l1", "__label__no"]
    words = [rng.choice(WORDS if rng.random() < 0.8 else unknown) for _ in range(rng.randrange(9))]
    return "".join(
        word + rng.choice([" ", " ", "\t", "  ", "\r", "\f", "\0", "\u3000"]) for word in words
    )


MODELS = {
    "softmax.bin": (lines(3, 90), {"loss": "softmax"}, None),
    "two.bin": (lines(2, 60), {"loss": "softmax", "wordNgrams": 2}, None),
    "subwords.bin": (lines(5, 99), {"loss": "softmax", "minn": 2, "maxn": 4}, None),
    "ova.bin": (lines(4, 99), {"loss": "ova", "wordNgrams": 3}, None),
    "ova_sets.bin": (lines(4, 99, several=True), {"loss": "ova"}, None),
    "ova_two.bin": (lines(2, 50), {"loss": "ova", "minn": 1, "maxn": 1}, None),
    "ns.bin": (lines(5, 99), {"loss": "ns"}, None),
    "hs.bin": (lines(9, 199, uneven=True), {"loss": "hs", "minn": 1, "maxn": 3}, None),
    "hs_two.bin": (lines(2, 50), {"loss": "hs", "wordNgrams": 2}, None),
    "softmax.ftz": (lines(3, 400), {"loss": "softmax"}, {}),
    "norms.ftz": (lines(3, 400), {"loss": "ova", "wordNgrams": 2}, {"qnorm": True, "dsub": 3}),
    "pruned.ftz": (
        lines(6, 400),
        {"loss": "softmax", "minn": 2, "maxn": 3, "wordNgrams": 2, "bucket": 900},
        {"qnorm": True, "cutoff": 500, "retrain": True, "lr": 0.5, "epoch": 2, "thread": 1},
    ),
    "pruned_words.ftz": (
        lines(4, 400),
        {"loss": "hs", "minn": 2, "maxn": 3, "bucket": 900},
        {"cutoff": 260},
    ),
    "output.ftz": (lines(260, 600), {"loss": "hs", "dim": 4}, {"qout": True, "qnorm": True}),
}  # fmt: skip


def main():
    texts = ["", " ", *(text() for _ in range(40))]
    expected = {"texts": texts, "models": {}}
    for name, (rows, parameters, quantized) in MODELS.items():
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
            file.write("\n".join(rows) + "\n")
            file.flush()
            model = fasttext.train_supervised(file.name, **{**SMALL, **parameters})
            if quantized is not None:
                model.quantize(file.name, verbose=0, **quantized)
        model.save_model(str(HERE / name))
        model = fasttext.load_model(str(HERE / name))
        best, _ = model.predict(texts, k=1)
        labels, probabilities = model.predict(texts, k=N_BEST)
        expected["models"][name] = {
            "labels": [row[0] if row else None for row in best],
            "probabilities": [
                dict(zip(row, [float(f"{p:.7g}") for p in of_row], strict=True))
                for row, of_row in zip(labels, probabilities, strict=True)
            ],
        }
    document = json.dumps(expected, ensure_ascii=False, separators=(",", ":"))
    (HERE / "expected.json").write_text(document + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

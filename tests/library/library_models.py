"""Models that libwordplane reads, and what Python says of documents."""

from functools import cache

import numpy as np

from tests.model.every_kind import SETS, TEXTS, THREE, TWO
from wordplane import Analyzer, TextClassifier, TextRegressor
from wordplane.model.compression import compress_model
from wordplane.model.file import to_bytes
from wordplane.text.documents import as_documents

LANGUAGES = ("am_tweets", "de_gnad_small", "he_comments", "id_reviews", "ja_hotel", "ko_movies",
             "ru_sentiment", "th_wisesight", "zh_waimai", "rt_snippets")  # fmt: skip
FRAME = {"title": TEXTS[::-1], "text": TEXTS}
COUNTS = [" ".join(f"{word}:{i % 3 + 1}" for word in text.split()) for i, text in enumerate(TEXTS)]
WORDY = Analyzer(
    ngrams=(1, 3),
    negation=True,
    boundaries=True,
    normalize=["urls", "mentions", "numbers"],
    strip_accents=True,
    stop_words=["The", "à"],
    stem={"films": "film"},
    tf="log",
    idf="smooth",
    norm="l2",
)
TOKENS = Analyzer(
    chars=(2, 4),
    prefixes=[3, 2],
    suffixes=[2],
    shapes=True,
    lengths=True,
    known_words=["Great", "film"],
    triggers={"mood": ["fun", ":)"]},
    lexica={"mood": {"great": 1.0, "dull": -1, "not dull": 0.5}, "other": {"film": 2.0}},
    norm="l1",
    weights={"char": 0.5},
)
RELATIVE = Analyzer(tokens=r"regex:[a-z0-9]+", tf="relative", idf="exact")
ACROSS = Analyzer(ngrams=None, chars=(1, 4), chars_across=True, tf="log1p", norm="l2")

# By name: how it is made, and its texts and labels.
MODELS = {
    "recipe": (TextClassifier, TEXTS, TWO),
    "recipe of three": (TextClassifier, TEXTS, THREE),
    "nb": (lambda: TextClassifier(Analyzer(), "nb"), TEXTS, THREE),
    "characters": (lambda: TextClassifier(ACROSS, "svm"), TEXTS, THREE),
    "several": (TextClassifier, TEXTS, SETS),
    "fields": (lambda: TextClassifier(fields={"title": 2.0, "text": 1.0}), FRAME, TWO),
    "hashed": (lambda: TextClassifier(Analyzer(hash_bits=9, chars=(2, 3)), "nb"), TEXTS, TWO),
    "words": (lambda: TextClassifier(WORDY, "logistic"), TEXTS, TWO),
    "tokens": (lambda: TextClassifier(TOKENS, "svm"), TEXTS, THREE),
    "tokens of one": (lambda: TextClassifier(TOKENS, "ridge"), TEXTS, TWO),
    "relative": (lambda: TextClassifier(RELATIVE, "svm", calibrator="platt"), TEXTS, THREE),
    "isotonic": (lambda: TextClassifier(RELATIVE, "svm", calibrator="isotonic"), TEXTS, THREE),
    "counts": (
        lambda: TextClassifier(Analyzer(tokens="counts", ngrams=(1, 1)), "nb"), COUNTS, TWO,
    ),
    "whitespace": (lambda: TextClassifier(Analyzer(tokens="whitespace"), "nb"), TEXTS, TWO),
    "pattern": (lambda: TextClassifier(Analyzer(tokens="pattern"), "nb"), TEXTS, TWO),
    "spaced": (lambda: TextClassifier(Analyzer(tokens="spaced", lowercase=False), "nb"), TEXTS,
               [code > 0 for code in THREE]),
    "number": (TextRegressor, TEXTS, [float(code) for code in THREE]),
}  # fmt: skip


@cache
def content(name: str) -> bytes:
    """The file of a model; "packed" is compressed."""
    if name == "packed":
        return to_bytes(compress_model(fitted("recipe of three"), 100))
    return to_bytes(fitted(name))


@cache
def fitted(name: str):
    """The model of Python."""
    make, texts, labels = MODELS[name]
    return make().fit(texts, labels).model_


def python_answers(model, documents):
    """Scores, probabilities and numbers of labels of each document, a tuple of texts."""
    names = list(model.features.spec.columns.fields)
    columns = list(zip(*documents, strict=True))
    frame = dict(zip(names, map(list, columns), strict=True)) if names else list(columns[0])
    z = model.scores(as_documents(frame, model.features.spec.columns.kinds), 1)
    of_one = z.shape[1] == 1 and not model.multilabel
    P = model.probabilities(z[:, 0] if of_one else z)
    if model.predicts_numbers:
        labels = [[] for _ in z]
    elif model.multilabel:
        labels = [np.flatnonzero(row).tolist() for row in model.calibrator.predict(z)]
    else:
        labels = [[k] for k in (z[:, 0] > 0 if of_one else z.argmax(axis=1)).astype(int).tolist()]
    return z.tolist(), P.tolist(), labels


def library_answers(model, documents):
    """The same by the library."""
    scores = [model.scores(*texts) for texts in documents]
    labels = [[model.classes.index(label) for label in model.labels(z)] for z in scores]
    return scores, [model.probabilities(z) for z in scores], labels


def random_texts(n: int, seed: int) -> list[str]:
    """Words of the models among characters of all of Unicode."""
    rng = np.random.default_rng(seed)
    words = sorted({word for text in TEXTS for word in text.split()})
    pieces = [
        *words,
        "Great",
        "FUN",
        "n't",
        "not",
        "no",
        "didn\u2019t",
        ":)",
        "http://a.b/c",
        "@me",
    ]
    pieces += ["3,5", "É", "ß", "İ", "Σ", "ﬁ", "的", "ไทย", "\n", "\0", ",", "!", "e\u0301"]
    pieces.append("👍🏽")
    texts = []
    for _ in range(n):
        length = int(rng.integers(0, 14))
        parts = [
            str(rng.choice(pieces)) if rng.random() < 0.7 else _character(rng)
            for _ in range(length)
        ]
        texts.append((" " if rng.random() < 0.8 else "").join(parts))
    return texts


def _character(rng) -> str:
    limit = (0x80, 0x250, 0x3000, 0x10000, 0x110000)[int(rng.integers(5))]
    code = int(rng.integers(limit))
    return chr(code) if not 0xD800 <= code < 0xE000 else "x"

"""A small model of every kind as bytes, and files that somebody changed one value of.

Digests are right again, as malice would make them: what is in the files decides.
"""

import copy
import json
from functools import cache
from pathlib import Path

import numpy as np
from safetensors.numpy import load as load_tensors
from safetensors.numpy import save as save_tensors

from tests.model.model_files import RICH, sealed
from wordplane import MIRA, Analyzer, LogisticRegression, TextClassifier, WordEmbeddings
from wordplane.learners.label_tree import LabelTree
from wordplane.model.fasttext import read_fasttext_model
from wordplane.model.file import HEADER, to_bytes
from wordplane.text.documents import as_documents

FASTTEXT = Path(__file__).parents[1] / "models" / "fasttext"
WORDS = np.array("great fun good film plot a dull long bad the".split())
N = 60
RNG = np.random.default_rng(0)
CODES = RNG.integers(0, 3, N)
TEXTS = [" ".join([*RNG.choice(WORDS, 4), f"of{code if RNG.random() < 0.8 else 9}"])
         for code in CODES]  # fmt: skip
TWO = np.where(CODES > 0, "pos", "neg").tolist()
THREE = CODES.tolist()
SETS = [[name for k, name in enumerate("xyz") if code == k or (code == 2 and k == 0)]
        for code in CODES]  # fmt: skip
FRAME = {
    "text": TEXTS,
    "title": TEXTS[::-1],
    "n": np.arange(N) % 7,
    "who": [f"w{i % 3}" for i in range(N)],
    "image": RNG.normal(size=(N, 3)),
}
PLAIN = Analyzer(ngrams=(1, 1))
COST = [[0, 2, 1], [1, 0, 1], [3, 1, 0]]


def _embeddings():
    return Analyzer(ngrams=(1, 1), embeddings={"e": WordEmbeddings(n_components=2).fit(TEXTS)})


# By name: how it is made, on which labels, and whether with what its learner resumes from.
KINDS = {
    "nb": (lambda: TextClassifier(PLAIN, "nb"), TWO, True),
    "bernoulli": (lambda: TextClassifier(PLAIN, "bernoulli"), THREE, True),
    "complement": (lambda: TextClassifier(PLAIN, "complement", calibration=None), THREE, True),
    "perceptron": (lambda: TextClassifier(PLAIN, "perceptron"), TWO, True),
    "mira": (lambda: TextClassifier(PLAIN, MIRA(cost=COST, C=0.5)), THREE, True),
    "onlinesvm": (lambda: TextClassifier(PLAIN, "onlinesvm"), TWO, True),
    "onlinelogistic": (lambda: TextClassifier(PLAIN, "onlinelogistic"), THREE, True),
    "temperature": (
        lambda: TextClassifier(PLAIN, "svm", calibrator="temperature"), THREE, False,
    ),
    "platt": (lambda: TextClassifier(PLAIN, "logistic", calibrator="platt"), THREE, False),
    "isotonic": (lambda: TextClassifier(PLAIN, "ridge", calibrator="isotonic"), TWO, False),
    "metric": (lambda: TextClassifier(PLAIN, "svm", metric="macro_f1"), TWO, False),
    "recipe": (lambda: TextClassifier(), TWO, False),
    "several": (lambda: TextClassifier(PLAIN, "nb"), SETS, True),
    "chain": (lambda: TextClassifier(PLAIN, LogisticRegression(), chain=True), SETS, False),
    "tree": (lambda: TextClassifier(PLAIN, LabelTree(branching=2, max_leaf=2)), THREE, False),
    "tree of several": (
        lambda: TextClassifier(PLAIN, LabelTree(branching=2, max_leaf=2)), SETS, False,
    ),
    "fields": (
        lambda: TextClassifier(PLAIN, "svm", fields={"title": 2.0, "text": 1.0}), TWO, False,
    ),
    "rich": (lambda: TextClassifier(RICH, "svm"), TWO, False),
    "vectors": (
        lambda: TextClassifier(Analyzer(ngrams=(1, 1), columns={"image": "vector"}), "svm"),
        TWO, False,
    ),
    "embeddings": (lambda: TextClassifier(_embeddings(), "logistic"), THREE, False),
    "hashed": (lambda: TextClassifier(Analyzer(ngrams=(1, 1), hash_bits=5), "nb"), TWO, False),
    "conjoined": (lambda: TextClassifier(Analyzer(ngrams=(1, 1), conjoin=3), "nb"), TWO, False),
    "chosen": (
        lambda: TextClassifier(Analyzer(select="ig:5", stop_words="english"), "nb"), TWO, False,
    ),
}  # fmt: skip
OF_FASTTEXT = ("two.bin", "ova_two.bin", "pruned_words.ftz")


@cache
def every_kind() -> dict[str, bytes]:
    """The models by their names."""
    made = {}
    for name, (make, labels, resumable) in KINDS.items():
        classifier = make()
        framed = classifier.fields or (classifier.analyzer and classifier.analyzer.columns)
        fitted = classifier.fit(FRAME if framed else TEXTS, labels)
        made[name] = to_bytes(fitted.model_, resumable)
    for name in OF_FASTTEXT:
        made[name] = to_bytes(read_fasttext_model(FASTTEXT / name))
    return made


def opened(data: bytes) -> tuple[dict[str, np.ndarray], dict]:
    """The arrays and the metadata of a model."""
    payload = data[HEADER:]
    header = json.loads(payload[8 : 8 + int.from_bytes(payload[:8], "little")])
    return load_tensors(payload), json.loads(header["__metadata__"]["wordplane"])


def closed(arrays: dict[str, np.ndarray], metadata: object) -> bytes:
    """A file of them."""
    return sealed(save_tensors(arrays, {"wordplane": json.dumps(metadata)}))


def places(value: object, path: tuple = ()) -> list[tuple]:
    """The paths of all values in a document; of long lists of numbers the first and the last."""
    if not isinstance(value, (dict, list)):
        return []
    items = list(value.items() if isinstance(value, dict) else enumerate(value))
    if isinstance(value, list) and len(value) > 8 and not isinstance(value[0], (dict, list)):
        items = [items[0], items[len(items) // 2], items[-1]]
    return [found for key, inner in items for found in ((*path, key), *places(inner, (*path, key)))]


OTHERS = [
    *(None, True, False, 0, 1, -1, 2, 7, 2**31, 2**63, -(10**400), 0.5, -0.0, 1e308, 5e-324),
    *("", "x", "nb", "words", "\0", [], {}, [1, 2], ["x", 1], [[1]], {"x": 1}),
    {"name": "nb", "params": {}},
]


def values_for(old: object) -> list[object]:
    """What may stand in a place instead."""
    near = []
    if isinstance(old, (int, float)) and not isinstance(old, bool):
        near = [-old, old + 1, old * 1.01]
    if isinstance(old, str):
        near = [old + "x", old[:-1]]
    if isinstance(old, list):
        near = [old[:-1], [*old, *old[:1]], old[::-1]]
    return [value for value in [*near, *OTHERS] if repr(value) != repr(old)]


def changed(metadata: dict, path: tuple, value: object, *, remove: bool = False) -> dict:
    """The metadata with another value in one place, or without it."""
    new = copy.deepcopy(metadata)
    holder = new
    for key in path[:-1]:
        holder = holder[key]
    if remove:
        del holder[path[-1]]
    else:
        holder[path[-1]] = copy.deepcopy(value)
    return new


def answers(model) -> tuple:
    """What a model says of many texts: scores, probabilities and labels."""
    kinds = model.features.spec.columns.kinds
    texts = [*TEXTS[:20], "", "unheard of", "great " * 30, "dull bad of1 of2"]
    frame = {name: [values[i % N] for i in range(len(texts))] for name, values in FRAME.items()}
    frame |= {"text": texts, "image": FRAME["image"][: len(texts)]}
    documents = as_documents(frame if kinds else texts, kinds)
    z = model.scores(documents, 1)
    if model.multilabel:
        labels = model.calibrator.predict(z).tolist()
    else:
        labels = (z[:, 0] > 0 if z.shape[1] == 1 else z.argmax(axis=1)).tolist()
    of_one = z.shape[1] == 1 and not model.multilabel
    return z, model.probabilities(z[:, 0] if of_one else z), labels


def same_answers(found: tuple, expected: tuple) -> bool:
    """Whether they agree as far as golden rows ask for."""
    close = [
        a.shape == b.shape and np.allclose(a, b, rtol=1e-3, atol=1e-3)
        for a, b in zip(found[:2], expected[:2], strict=True)
    ]
    return all(close) and found[2] == expected[2]

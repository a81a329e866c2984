"""Calls the bindings of the core with random arguments of the types that its stub declares.

    python fuzz/bindings.py [--seconds 60] [--runs N] [--first SEED]   many processes in turn
    python fuzz/bindings.py --seed 7 --calls 3000 [--show]             one of them again

A call returns or raises an error of Python. Each process makes thousands of calls, so that one that
crashes, hangs or takes too much memory ends that process alone, and its seed tells it again. What
succeeded is changed a little and called again: random arguments alone would not get far.
"""

import argparse
import ast
import faulthandler
import random
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import wordplane
from wordplane import _core

STUB = Path(wordplane.__file__).with_name("_core.pyi")
MOST_BYTES, MOST_SECONDS, CALLS = 2 << 30, 60, 20_000
KEPT = 12  # objects of a class, and calls of a function that succeeded
REFUSALS = (TypeError, ValueError, IndexError, OverflowError, MemoryError, RuntimeError)
INTEGERS = [
    *(0, 0, 1, 1, 1, 2, 2, 3, 4, 5, 8, -1, 1025, 2**16),
    *(2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**40, 2**62, 2**63 - 1, 2**63, 2**64 - 1, -(2**63)),
]
FLOATS = [0.0, 1.0, 1.0, 0.5, 2.0, -1.0, 1e-300, 1e300, float("inf"), float("nan"), -0.0]
STRINGS = [
    *("words", "chars", "whole", "counts", "spaced", "pattern", "whitespace", "regex:[a-z]+", "l2"),
    *("l1", "count", "binary", "relative", "log", "log1p", "frequency", "alphabet", "", "x"),
    *("a b a", "a b", "b", "é", "\0", "a:2 b:1", "NOT_a", "\u0130Σ" * 3, "a" * 5000),
]


ORDER = np.arange(4, dtype=np.int32)


class Signature(NamedTuple):
    """A function or method, and its parameters with their annotations."""

    owner: str | None
    name: str
    is_static: bool
    parameters: list[tuple[str, ast.expr, bool]]  # name, type, whether by keyword only

    @property
    def title(self) -> str:
        return self.name if self.owner is None else f"{self.owner}.{self.name}"


def signatures() -> list[Signature]:
    """All that the stub declares; properties are methods without arguments."""
    found = []
    for node in ast.parse(STUB.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef):
            found.append(signature(None, node))
        if isinstance(node, ast.ClassDef):
            functions = [f for f in node.body if isinstance(f, ast.FunctionDef)]
            found += [signature(node.name, function) for function in functions]
    return found


def signature(owner: str | None, node: ast.FunctionDef) -> Signature:
    marks = {ast.unparse(mark) for mark in node.decorator_list}
    is_static = "staticmethod" in marks
    given = [*node.args.posonlyargs, *node.args.args]
    if owner is not None and not is_static:
        given = given[1:]
    parameters = [(a.arg, a.annotation, False) for a in given]
    parameters += [(a.arg, a.annotation, True) for a in node.args.kwonlyargs]
    name = "__init__" if node.name == "__init__" else node.name
    return Signature(owner, name, is_static, [p for p in parameters if p[1] is not None])


class Fuzzer:
    """Random calls, the same for the same seed."""

    def __init__(self, seed: int, show: bool) -> None:
        self.rng, self.show = random.Random(seed), show
        self.numbers = np.random.default_rng(seed)
        self.objects: dict[str, list[object]] = {}
        self.good: dict[int, list[list[object]]] = {}
        for made in examples():
            self.keep(made)
        known = good_calls(self.objects)
        for number, what in enumerate(signatures()):
            self.good[number] = [list(values) for values in known.get(what.title, [])]

    def keep(self, made: object) -> None:
        kept = self.objects.setdefault(type(made).__name__, [])
        if len(kept) < KEPT:
            kept.append(made)
        else:
            kept[self.rng.randrange(KEPT)] = made

    def arguments(self, number: int, what: Signature) -> list[object]:
        """Random ones, or those of a call that succeeded with a few of them changed."""
        known, types = self.good.get(number), what.parameters
        if not known or self.rng.random() < 0.15:
            return [self.value(kind, name) for name, kind, _ in types]
        values = list(self.rng.choice(known))
        for i in self.rng.sample(
            range(len(values)), min(len(values), self.rng.choice([0, 1, 1, 2]))
        ):
            is_new = self.rng.random() < 0.3
            values[i] = self.value(types[i][1], types[i][0]) if is_new else self.bent(values[i])
        return values

    def call(self, number: int, what: Signature) -> None:
        values = self.arguments(number, what)
        if self.show:
            print(what.title, [shown(value) for value in values], flush=True)
        try:
            found = self.apply(what, values)
        except REFUSALS:
            return
        kept = self.good.setdefault(number, [])
        if len(kept) < KEPT:
            kept.append(values)
        else:
            kept[self.rng.randrange(KEPT)] = values
        for item in found if isinstance(found, tuple | list) else [found]:
            if type(item).__module__ == _core.__name__:
                self.keep(item)

    def apply(self, what: Signature, values: list[object]) -> object:
        by_name = {p[0]: v for p, v in zip(what.parameters, values, strict=True) if p[2]}
        by_place = [v for p, v in zip(what.parameters, values, strict=True) if not p[2]]
        if what.owner is None:
            return getattr(_core, what.name)(*by_place, **by_name)
        cls = getattr(_core, what.owner)
        if what.name == "__init__":
            return cls(*by_place, **by_name)
        target = cls if what.is_static else self.rng.choice(self.objects.get(what.owner) or [cls])
        attribute = getattr(target, what.name)
        return attribute(*by_place, **by_name) if callable(attribute) else attribute

    def bent(self, value: object) -> object:
        """A value that was good, changed a little."""
        if isinstance(value, np.ndarray) and value.size:
            kind = self.rng.randrange(5)
            if kind == 0:
                return value[: self.rng.randrange(len(value) + 1)].copy()
            if kind == 1:
                return np.concatenate([value, value])
            new = value.copy()
            at = self.rng.randrange(new.size)
            other = new.flat[self.rng.randrange(new.size)]
            new.flat[at] = other if kind == 2 else self.element(new.dtype)
            return new
        if isinstance(value, list) and value:
            kind = self.rng.randrange(3)
            return value[:-1] if kind == 0 else value * 2 if kind == 1 else [*value, value[0]]
        if isinstance(value, bool):
            return not value
        if isinstance(value, int):
            return value + self.rng.choice([-1, 1])
        if isinstance(value, float):
            return self.rng.choice(FLOATS)
        return self.rng.choice(self.objects.get(type(value).__name__) or [value])

    def element(self, dtype: np.dtype) -> object:
        if dtype.kind == "f":
            return self.rng.choice(FLOATS)
        if dtype.kind == "b":
            return self.rng.random() < 0.5
        info = np.iinfo(dtype)
        if self.rng.random() < 0.4:
            return self.rng.choice([int(info.min), int(info.max), int(info.max) - 1])
        return min(max(self.rng.randrange(-1, 7), int(info.min)), int(info.max))

    def array(self, dtype: np.dtype) -> np.ndarray:
        shape = self.rng.choices([1, 2, 3, 0], [6, 5, 1, 1])[0]
        sizes = tuple(self.rng.choice([0, 1, 2, 3, 3, 4, 4, 5]) for _ in range(shape))
        found = np.zeros(sizes, dtype)
        style = self.rng.random()
        if found.size and style < 0.4:
            found.flat[:] = np.arange(found.size) % 5 if style < 0.2 else np.arange(found.size)
        elif found.size and style < 0.8:
            found.flat[:] = [self.element(dtype) for _ in range(found.size)]
        if self.rng.random() < 0.05:
            found.flags.writeable = False
        return found.T if self.rng.random() < 0.03 else found

    def value(self, kind: ast.expr, name: str) -> Any:
        """A value of the type that an annotation names; now and then of another."""
        if self.rng.random() < 0.01:
            return self.rng.choice([None, "x", 3, [], np.zeros(3), object()])
        if isinstance(kind, ast.BinOp):  # A | B
            return self.value(self.rng.choice([kind.left, kind.right]), name)
        if isinstance(kind, ast.Constant):
            return kind.value
        if isinstance(kind, ast.Subscript):
            return self.generic(ast.unparse(kind.value), kind.slice, name)
        plain = ast.unparse(kind)
        if plain == "int":
            if name == "threads" and self.rng.random() < 0.9:
                return self.rng.choice([1, 1, 2, 3])
            return self.rng.choice(INTEGERS)
        if plain == "float":
            return self.rng.choice(FLOATS)
        if plain == "bool":
            return self.rng.random() < 0.5
        if plain == "str":
            return self.rng.choice(STRINGS)
        if plain == "bytes":
            return self.rng.choice([b"", b"a\nb\n", b"\xff", b'{"a": 1}\n', b"\x00" * 9])
        if plain == "object":
            return self.rng.choice([["a", "b c"], [], ("é",), "x", [1], None])
        return self.rng.choice(self.objects.get(plain) or [None])

    def generic(self, outer: str, inner: ast.expr, name: str) -> Any:
        if outer == "NDArray":
            return self.array(np.dtype(ast.unparse(inner).removeprefix("numpy.").rstrip("_")))
        if outer == "Annotated":
            assert isinstance(inner, ast.Tuple)
            return self.value(inner.elts[0], name)
        if outer == "tuple":
            items = inner.elts if isinstance(inner, ast.Tuple) else [inner]
            return tuple(self.value(item, name) for item in items)
        n = self.rng.choice([0, 1, 1, 2, 3])
        return [self.value(inner, name) for _ in range(n)]


def shown(value: object) -> object:
    if isinstance(value, np.ndarray):
        return f"{value.dtype}{value.shape} {value.tolist()}"
    return value if len(repr(value)) < 200 else repr(value)[:200]


def examples() -> list[object]:
    """An object of most classes, that others are made of."""
    X = _core.Csr(3, np.array([0, 2, 3, 4, 6]), np.array([0, 2, 1, 0, 1, 2], np.int32), np.ones(6))
    y, ones = np.array([0, 1, 1, 0], np.int32), np.ones(4)
    sparse = _core.Csr(4, np.array([0, 0, 2, 2, 2]), np.array([1, 3], np.int32), np.ones(2))
    rows = _core.LabeledRows(X, y, ones, 2)
    three = _core.LabeledRows(X, np.array([0, 1, 2, 0], np.int32), ones, 3)
    analysis = _core.Analysis()
    words = _core.Vocabulary.from_names(["a", "b", "c"])
    chars = _core.TokenFeatures(
        spaced=False, folding=_core.Folding(), chars=(1, 2), affixes=([1], [2]), shapes=True,
        lengths=True, known_words=["a"], triggers=[("t", ["b"])],
    )  # fmt: skip
    texts = _core.Texts(["a b a", "b", "", "é a", "c b a"])
    counter, of_tokens = _core.Counter(analysis), _core.TokenFeatureCounter(chars)
    for each in (counter, of_tokens):
        each.add(texts, 0, 5, 1)
    packed = [_core.PackedRows(X, bias, None, 1) for bias in (1.0, 0.0)]
    packed += [_core.PackedRows(sparse, bias, None, 1) for bias in (1.0, 0.0)]
    machines = [
        _core.SvmMachines(y, ones, 2, 3, squared=True, bias=bias, lag=1.0, scale=None)
        for bias in (1.0, 0.0)
    ]
    weights = _core.GroupWeights(
        tf="count", norm="l2", idf=None, starts=[0, 3], weights=[1.0], tokens=None
    )
    block = _core.Block(analysis, words)
    numbers = _core.FastTextMatrix(np.ones((words.n_features, 2), np.float32))
    codes = np.zeros((words.n_features + 2, 1), np.uint8), np.ones(512, np.float32)
    none = np.zeros(0, np.uint8), np.zeros(0, np.float32)
    coded = _core.FastTextMatrix(*codes, *none, 2, 2)
    return [
        X, sparse, rows, three, analysis, words, chars, texts, counter, of_tokens, weights, block,
        *packed, *machines, _core.Folding(), _core.Stems([("a", "b")]),
        _core.Analysis(tokens="chars", ngrams=(1, 3)), _core.Analysis(tokens="counts"),
        _core.OnlineRows(rows, 1.0), _core.OnlineRows(three, 0.0), _core.HashedRows(8, True),
        _core.Scorer([block], weights, W=np.ones((3, 2), np.float32), b=np.zeros(2)),
        numbers, coded, _core.FastText(words, ["x"], 2, (1, 2), 2, None, coded, numbers),
        _core.NeighborIndex(X, np.zeros(4), None, None),
        _core.HeldOutCounts(X, y, ones, 2, 1),
        _core.MiraRule(1 - np.eye(2), cost_augmented=False, most=1.0, slack=0.0),
        _core.DualSvm(rows, ones, squared=True, bias=1.0, scale=None, threads=1),
        _core.CrammerSinger(three, cost=1 - np.eye(3), bias=1.0, threads=1),
        _core.L1Svm(rows, bias=1.0),
        _core.LogisticDual(
            rows, np.zeros((4, 1)), np.zeros((3, 1)), np.zeros(1), bias=1.0, threads=1
        ),
        _core.StochasticState(
            rows, np.zeros((3, 1)), np.zeros(1), softmax=False, bias=True, penalized_bias=False
        ),
        _core.WordIndex(np.frombuffer(b"ab", np.uint8), np.array([1, 2])),
        _core.NgramIndex(np.array([1, 5], np.uint64)),
        _core.TokenBlock(
            np.array([2, 3]), np.array([0, 1, 0], np.uint32), np.array([], np.uint32), 2
        ),
    ]  # fmt: skip


def good_calls(objects: dict[str, list[Any]]) -> dict[str, list[tuple[Any, ...]]]:
    """By name, arguments in the order of the stub that are taken: what random ones rarely are."""
    X, rows, three = objects["Csr"][0], *objects["LabeledRows"][:2]
    online, online3 = objects["OnlineRows"][:2]
    analysis, words, chars = (objects[n][0] for n in ("Analysis", "Vocabulary", "TokenFeatures"))
    texts, block, weights = (objects[n][0] for n in ("Texts", "Block", "GroupWeights"))
    state, rule = objects["StochasticState"][0], objects["MiraRule"][0]
    packed, packed0 = objects["PackedRows"][:2]
    folding, (numbers, coded) = objects["Folding"][0], objects["FastTextMatrix"][:2]
    y, y3, order = np.array([0, 1, 1, 0], np.int32), np.array([0, 1, 2, 0], np.int32), ORDER
    ones, cost = np.ones(4), 1 - np.eye(2)
    indptr, columns = np.array([0, 2, 3, 4, 6]), np.array([0, 2, 1, 0, 1, 2], np.int32)
    u32, u64 = np.uint32, np.uint64

    def table(*shape: int) -> np.ndarray:
        return np.zeros(shape)

    tree = (
        (np.array([0, 2, 4]), np.array([0, -1, 1, 2], np.int32), np.zeros(4)),
        (np.array([0, 1, 2]), np.array([0, 1], np.int32), np.array([0, 1, 2]),
         np.array([0, 1], np.int32), np.ones(2, np.float32)),
    )  # fmt: skip
    filled = (np.zeros(6, np.int32), np.zeros(6, np.float32), 1)
    counted = (X, y, ones, table(2, 3), 1)
    word_list = (np.frombuffer(b"ab", np.uint8), np.array([1, 2]))
    return {
        "Texts.from_arrays": [(np.frombuffer(b"abc", np.uint8), np.array([1, 3]))],
        "Texts.take": [(np.array([0, 2, 4]),)],
        "Analysis.__init__": [("words", folding, False, (1, 2), [], [], None)],
        "TokenFeatures.__init__": [
            (False, folding, (1, 3), ([1], [2]), True, True, ["a"], [("t", ["b"])])
        ],
        "Vocabulary.__init__": [
            (*word_list, np.zeros(1, u32), np.ones(1, u32), np.arange(3, dtype=np.int32), "words")
        ],
        "count_in_windows": [(analysis, words, texts, 0, 5, 2, 1)],
        "Counter.select": [(np.ones(4, bool), 1)],
        "Counter.fill": [filled],
        "TokenFeatureCounter.select": [(np.ones(n, bool), 1) for n in (10, 16, 20)],
        "TokenFeatureCounter.fill": [filled],
        "lexicon_features": [(analysis, words, np.ones(3), texts, 0, 5, 1)],
        "inner_ngrams": [(words, 1, 2)],
        "InnerCounts.__init__": [
            (np.array([0, 2, 3]), np.array([0, 1, 0], np.int32), np.ones(3, np.int64),
             np.array([0, 1, 3]), np.array([0, 0, 1], np.int32), np.array([0, 1], np.int32), 1)
        ],
        "InnerCounts.fill": [filled],
        "Csr.__init__": [(3, indptr, columns, np.ones(6), 1)],
        "hstack": [([X, X], 1)],
        "take": [(X, np.array([0, 3]), np.array([0, -1, 1], np.int32), 1)],
        "GroupWeights.__init__": [("count", "l2", None, [0, 3], [1.0], None)],
        "GroupWeights.weigh": [(indptr, columns, np.ones(6, np.float32), None, 1)],
        "document_frequency": [(X, y, 2, 1)],
        "weigh": [(X, "count", None, None, "l2", np.zeros(6), 1)],
        "Scorer.__init__": [([block], weights, np.ones((3, 2), np.float32), np.zeros(2))],
        "Scorer.scores": [(texts, 0, table(5, 2), 1)],
        "Scorer.contributions": [(texts, 0, np.ones(2))],
        "FastTextMatrix.__init__": [(np.ones((3, 2), np.float32),)],
        "FastTextMatrix.take": [(np.array([0, 1]),)],
        "FastText.__init__": [(words, ["x"], 2, (1, 2), 2, None, coded, numbers),
                              (words, [], 9, (0, 0), 3, np.ones((1, 2), np.int32), coded, coded)],
        "FastText.outputs": [(texts, 0, table(5, 3).astype(np.float32), 1)],
        "FastText.word_vectors": [(0, table(3, 2).astype(np.float32), 1)],
        "FastText.places": [(texts, 0)],
        "power_softmax": [(table(4, 3), 1.0, 1.0)],
        "sigmoids": [(table(4, 3), np.ones(3), np.zeros(3))],
        "likeliest": [(table(4, 3), 2)],
        "NeighborIndex.__init__": [(X, np.zeros(4), None, np.ones(4)),
                                   (X, np.zeros(4), np.ones(3), None)],
        "NeighborIndex.search": [(X, 0, 4, 2, 1)],
        "LabeledRows.__init__": [(X, y, ones, 2), (X, y3, ones, 3)],
        **{f"add_class_{what}": [counted] for what in ("counts", "presences", "squares")},
        "dense_product": [(X, table(3, 2), table(4, 2), 1)],
        "linear_scores": [(X, table(3, 2), np.zeros(2), 1)],
        "linear_gradient": [(X, table(4, 2), table(3, 2), 1)],
        "LabelTree.__init__": [(3, 3, *tree)],
        "LabelTree.search": [(X, 0, 2, 2.0, table(4, 3), 1)],
        "HeldOutCounts.__init__": [(X, y, ones, 2, 1)],
        "HeldOutCounts.scores": [
            (np.array([2, 4]), order, np.array([0.5, 1.0]), np.ones((2, 2)), table(2, 2), 1)
        ],
        "judge": [(table(4, 2, 3), y, 1)],
        "perceptron_pass": [(online, order, table(4, 1), table(4, 1), 0, 1),
                            (online3, order, table(4, 3), None, 0, 2)],
        "mira_pass": [(online, order, rule, table(4, 1), None, 0, 1)],
        "online_svm_pass": [(online, order, ones, table(4, 1), None, 0.1, cost, 1.0)],
        "DualSvm.__init__": [(rows, ones, True, 1.0, None, 1),
                             (three, ones, False, 1.0, np.ones((3, 3)), 1)],
        "DualSvm.run": [(order[None], 0.1, 1)],
        "PackedRows.__init__": [(X, 1.0, np.ones(3), 1)],
        "PackedRows.from_arrays": [(*packed.arrays(), 1.0, 4), (*packed0.arrays(), 0.0, 3)],
        "SvmMachines.__init__": [(y, ones, 2, 3, True, 1.0, 1.0, None),
                                 (y3, ones, 3, 3, False, 1.0, 1.0, np.ones((3, 3)))],
        "SvmMachines.visit": [(packed, 0, order, 1), (packed0, 0, order, 1)],
        "SvmMachines.measure": [(packed, 0, 1), (packed0, 0, 1)],
        "SvmMachines.set_state": [(0, objects["SvmMachines"][0].state(0))],
        "CrammerSinger.__init__": [(three, 1 - np.eye(3), 1.0, 1)],
        "CrammerSinger.run": [(order[None], 0.1, 1)],
        "L1Svm.run": [(order[None], 0.1, 1)],
        "LogisticDual.__init__": [(rows, table(4, 1), table(3, 1), np.zeros(1), 1.0, 1),
                                  (three, table(4, 3), table(3, 3), np.zeros(3), 1.0, 1)],
        "LogisticDual.binary_pass": [(order, table(2, 1), 1), (order, table(2, 3), 1)],
        "LogisticDual.softmax_pass": [(order, table(2, 3), 1)],
        "StochasticState.__init__": [(rows, table(3, 1), np.zeros(1), False, True, False),
                                     (three, table(3, 3), np.zeros(3), True, True, True)],
        "sgd_pass": [(state, order, 2, np.ones(2), np.ones(3), np.zeros(3))],
        "AdaGrad.__init__": [(state, table(4, 1), 1.0, 0.1, 0.0, 0.1)],
        "HashedRows.fill": [(False, "l2", np.zeros(0, np.int32), np.zeros(0), 1)],
        "cut_words": [(analysis, texts, 0, 5, 0), (chars, texts, 0, 5, 0)],
        "WordIndex.__init__": [word_list],
        "WordIndex.find": [word_list],
        "TokenBlock.__init__": [(np.array([2, 3]), np.array([0, 1, 0], u32), np.zeros(0, u32), 2)],
        "TokenBlock.word_frequency": [(np.zeros(2, bool),)],
        "TokenBlock.count_ngrams": [
            (np.array([0, 1], u32), [_core.NgramIndex(np.array([1], u64))], np.zeros(2, bool))
        ],
        "TokenBlock.encode_ngrams": [
            (np.array([0, 1], u32), [], [np.array([0, 1], np.int32)], 2)
        ],
        "merge_words": [([(*word_list, np.ones((2, 2), u32))] * 2, 1)],
        "merge_ngrams": [
            (np.array([1, 5, 1], u64), np.ones((3, 2), np.uint16), np.array([2, 3]), 1)
        ],
    }  # fmt: skip


def run_calls(seed: int, n_calls: int, show: bool = False) -> None:
    """Make the calls of a seed in this process, which they may end."""
    np.seterr(all="ignore")
    resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    faulthandler.enable()
    known, fuzzer = signatures(), Fuzzer(seed, show)
    for i in range(n_calls):
        number = fuzzer.rng.randrange(len(known))
        if i % 200 == 0:  # each time it starts a thread
            faulthandler.dump_traceback_later(MOST_SECONDS, exit=True)
        fuzzer.call(number, known[number])
    faulthandler.cancel_dump_traceback_later()


def run_process(seed: int, n_calls: int) -> str:
    """What went wrong in a process of its own; nothing if that is the empty string."""
    command = [sys.executable, __file__, "--seed", str(seed), "--calls", str(n_calls)]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace")
    return "" if done.returncode == 0 else f"seed {seed}: {done.returncode}\n{done.stderr[-3000:]}"


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--runs", type=int, help="calls in all, instead of seconds")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--seed", type=int, help="one process")
    parser.add_argument("--calls", type=int, default=CALLS, help="of a process")
    parser.add_argument("--show", action="store_true", help="print each call before it is made")
    args = parser.parse_args()
    if args.seed is not None:
        run_calls(args.seed, args.calls, args.show)
        return 0
    began, seed, failures = time.monotonic(), args.first, 0
    while (
        (seed - args.first) * args.calls < args.runs
        if args.runs
        else time.monotonic() - began < args.seconds
    ):
        wrong = run_process(seed, args.calls)
        if wrong:
            failures += 1
            print(wrong, flush=True)
        seed += 1
    print(f"stat::number_of_executed_units: {(seed - args.first) * args.calls}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

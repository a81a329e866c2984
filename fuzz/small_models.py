"""Good models of several kinds, as small as they can be."""

from copy import deepcopy
from pathlib import Path

from wordplane import Analyzer, TextClassifier, TextRegressor
from wordplane.learners.label_tree import LabelTree
from wordplane.model.compression import compress_model
from wordplane.model.fasttext import read_fasttext_model
from wordplane.model.text_model import TextModel

FASTTEXT = Path(__file__).parents[1] / "tests" / "models" / "fasttext"

TEXTS = ["a great film", "great fun", "a dull film", "dull, long"]
LABELS = ["pos", "pos", "neg", "neg"]
FRAME = {"text": TEXTS, "n": [1, 2, 3, 4], "who": ["a", "b", "a", "b"]}
RICH = Analyzer(
    negation=True,
    chars=(2, 3),
    suffixes=[2],
    shapes=True,
    triggers={"mood": ["fun"]},
    lexica={"mood": {"great": 1.0, "dull": -1}},
    columns={"n": "number", "who": "category"},
    idf="smooth",
    norm="l2",
)


RESUMABLE = {0, 2, 4}  # those that are saved with what their learners resume from


def small_models() -> list[TextClassifier]:
    few = Analyzer(ngrams=(1, 1), max_features=4)
    sets = [["a"], ["a", "b"], [], ["b"]]
    return [
        TextClassifier(few, "nb").fit(TEXTS, LABELS),
        TextClassifier(Analyzer(ngrams=(1, 3), boundaries=True, max_features=9), "logistic").fit(
            TEXTS, [1, 2, 3, 1]
        ),
        TextClassifier(Analyzer(tf="binary", max_features=4), "perceptron").fit(TEXTS, LABELS),
        TextClassifier(RICH, "svm", calibrator="platt").fit(FRAME, LABELS),
        TextClassifier(Analyzer(chars=(1, 2), chars_across=True, max_features=9), "nb").fit(
            TEXTS, sets
        ),
        TextClassifier(few, LabelTree(branching=2, max_leaf=2)).fit(TEXTS, [1, 2, 3, 1]),
        TextClassifier(few, "svm", chain=True).fit(TEXTS, sets),
        TextClassifier(few, "svm", calibrator="isotonic").fit(TEXTS, LABELS),
        TextClassifier(few, "svm", fields={"text": 1.0, "who": 2.0}).fit(FRAME, LABELS),
        *(
            TextClassifier.from_model(read_fasttext_model(FASTTEXT / name))
            for name in ("hs.bin", "pruned.ftz")
        ),
    ]


def models_of_the_library() -> list[TextModel]:
    """Those that libwordplane reads: kinds of its own, and of the above those that it knows."""
    known = [model.model_ for i, model in enumerate(small_models()) if i in (0, 1, 2, 4, 6, 7, 8)]
    tokens = deepcopy(RICH).set_params(columns=None, stop_words=["a"], stem={"films": "film"})
    pattern = Analyzer(tokens="regex:[a-z]+|,", tf="log", max_features=6)
    hashed = Analyzer(hash_bits=5, chars=(2, 3), strip_accents=True)
    own = [
        TextClassifier(tokens, "svm", calibrator="platt").fit(TEXTS, LABELS),
        TextClassifier(pattern, "ridge", calibrator="isotonic").fit(TEXTS, [1, 2, 3, 1]),
        TextClassifier(hashed, "nb").fit(TEXTS, LABELS),
        TextRegressor(Analyzer(max_features=4)).fit(TEXTS, [0.5, 1.0, 2.0, 2.5]),
    ]
    return [*known, *(model.model_ for model in own), compress_model(known[1], 5)]

"""A fitted text model as a Pipeline of scikit-learn's own estimators.

    FeatureUnion of  CountVectorizer -> TfidfTransformer   for words and for characters,
    then LogisticRegression with coef_ = W / T and intercept_ = b / T

T is the temperature of the calibration: the sigmoid (or softmax) of scores divided by it gives
the model's own probabilities, and the largest score stays the largest. Of a calibration that is
no temperature scikit-learn has no equal: `CalibratedScores` takes the place of the regression. A
multi-label model ends with `LabelThresholds`, which is like a fitted OneVsRestClassifier with a
threshold of its own for every label.
Characters are counted by scikit-learn alone; its CountVectorizer cuts words with `WordTokens`.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NoReturn

import numpy as np
from numpy.typing import NDArray

from wordplane.common.errors import InputError
from wordplane.common.label_chain import LabelChain
from wordplane.common.types import LabelsLike, MatrixLike, WeightsLike
from wordplane.evaluation.calibration import Calibrator, PowerTemperature, Temperature
from wordplane.evaluation.label_decisions import LabelDecisions
from wordplane.evaluation.number_intervals import NumberIntervals
from wordplane.learners.support.base import LinearClassifier
from wordplane.model.text_model import TextModel
from wordplane.text.analyzer import Analyzer

if TYPE_CHECKING:
    from sklearn.base import ClassifierMixin as Classifier
    from sklearn.base import TransformerMixin as Transformer
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.pipeline import Pipeline


class WordTokens:
    """The words of a text, as an analyzer reads them: a `tokenizer` for scikit-learn.

    >>> WordTokens(Analyzer(boundaries=True))("Not bad!")
    ['<s>', 'not', 'bad', '!', '</s>']
    """

    def __init__(self, analyzer: Analyzer) -> None:
        self.analyzer = analyzer

    def __call__(self, text: str) -> list[str]:
        return [token.text for token in self.analyzer.tokenize(text)]


class CalibratedScores(LinearClassifier):
    """A linear classifier whose probabilities a calibrator makes of its scores."""

    n_jobs = None

    def __init__(self, calibrator: Calibrator) -> None:
        self.calibrator = calibrator

    def fit(self, X: MatrixLike, y: LabelsLike, sample_weight: WeightsLike = None) -> NoReturn:
        """Refuses: the weights are those of a model."""
        raise InputError("this classifier is part of an exported model and cannot be fitted")

    def predict_proba(self, X: MatrixLike) -> NDArray[np.float64]:
        """One column per class."""
        return np.asarray(self.calibrator.transform(self.decision_function(X)))


class LabelThresholds(LinearClassifier):
    """Which labels each row has, as a matrix of 0 and 1 with a column for each of `classes_`: those
    whose score is above their threshold. Probabilities are of each label for itself."""

    n_jobs = None

    def __init__(self, decisions: LabelDecisions, chain: LabelChain | None = None) -> None:
        self.decisions = decisions
        self.chain = chain

    def fit(self, X: MatrixLike, y: LabelsLike, sample_weight: WeightsLike = None) -> NoReturn:
        """Refuses: the weights are those of a model."""
        raise InputError("this classifier is part of an exported model and cannot be fitted")

    def decision_function(self, X: MatrixLike) -> NDArray[np.float64]:
        """The score of every label, also if there is one only."""
        z = np.asarray(super().decision_function(X)).reshape(-1, len(self.classes_))
        return z if self.chain is None else np.asarray(self.chain.follow(z))

    def predict(self, X: MatrixLike) -> NDArray[np.int64]:
        """1 where a row has the label."""
        return np.asarray(self.decisions.predict(self.decision_function(X)).astype(np.int64))

    def predict_proba(self, X: MatrixLike) -> NDArray[np.float64]:
        """One column per label; a row need not sum to 1."""
        return np.asarray(self.decisions.transform(self.decision_function(X)))


def pipeline_of(model: TextModel) -> Pipeline:
    """The pipeline; InputError names the first thing that scikit-learn has no equal of."""
    try:
        from sklearn.pipeline import FeatureUnion, Pipeline
    except ImportError:
        raise InputError("scikit-learn is not installed: pip install scikit-learn") from None

    features = model.features
    analyzer = features.analyzer
    if not model.is_linear:
        what = "a label tree" if model.fasttext is None else "a model of fastText"
        raise InputError(f"{what} has no equal among scikit-learn's estimators")
    groups = [name for name, _ in features.groups]
    if analyzer.tokens == "counts":
        raise InputError("scikit-learn has no reader of word:count texts: no equal pipeline")
    if features.spec.columns.fields:
        raise InputError("a pipeline that reads fields is not made; JSON holds the model")
    if analyzer.hash_bits is not None:
        raise InputError("scikit-learn has no equal of counts that are hashed without signs")
    if analyzer.forbid or (analyzer.chars and (analyzer.strip_accents or analyzer.normalize)):
        what = "`forbid`" if analyzer.forbid else "characters with `strip_accents` or `normalize`"
        raise InputError(f"scikit-learn has no equal of {what}; JSON holds it")
    if analyzer.tf == "relative":
        raise InputError(
            "scikit-learn has no counts relative to the tokens of a text; JSON holds it"
        )
    if features.n_features > features.n_counted:
        raise InputError(
            f"scikit-learn has no equal of {features.name(features.n_counted)!r}: lexica, "
            "conjunctions and columns beside the text cannot be exported to it; JSON holds them"
        )
    for name in groups:
        if name not in ("word", "char"):
            raise InputError(
                f"scikit-learn has no equal of the features {name}:...; a pipeline can have words "
                "and characters only; JSON holds all"
            )
    names = [features.name(column) for column in range(features.n_features)]
    bounds = [first for _, first in features.groups] + [features.n_features]
    parts = []
    for group, (begin, end) in zip(groups, pairwise(bounds), strict=True):
        idf = None if features.idf is None else features.idf[begin:end]
        vocabulary = {name: column for column, name in enumerate(names[begin:end])}
        if group == "char":
            vocabulary = {name.removeprefix("char:"): j for name, j in vocabulary.items()}
        counter = _counter(analyzer, group, vocabulary)
        weighting = _weighting(analyzer, idf, end - begin)
        parts.append((group, Pipeline([("count", counter), *weighting])))
    union = FeatureUnion(parts, transformer_weights=features.spec.weighting.weights or None)
    return Pipeline([("features", union), ("classifier", _classifier(model))])


def _counter(analyzer: Analyzer, group: str, vocabulary: dict[str, int]) -> CountVectorizer:
    from sklearn.feature_extraction.text import CountVectorizer

    common = {"binary": analyzer.tf == "binary", "dtype": np.float64}
    if group == "word":
        counter = CountVectorizer(
            tokenizer=WordTokens(analyzer),
            token_pattern=None,
            lowercase=False,
            ngram_range=analyzer.ngrams,
            **common,
        )
    else:
        counter = CountVectorizer(
            analyzer="char" if analyzer.chars_across else "char_wb",
            lowercase=analyzer.lowercase,
            ngram_range=analyzer.chars,
            **common,
        )
    # As if learned: as a parameter, every view of the pipeline would walk through all words.
    counter.vocabulary_, counter.fixed_vocabulary_ = vocabulary, False
    return counter


def _weighting(
    analyzer: Analyzer, idf: NDArray[np.float64] | None, n_features: int
) -> list[tuple[str, Transformer]]:
    from scipy.sparse import csr_array
    from sklearn.feature_extraction.text import TfidfTransformer
    from sklearn.preprocessing import FunctionTransformer

    steps: list[tuple[str, Transformer]] = []
    if analyzer.tf == "log1p":
        steps.append(("log1p", FunctionTransformer(np.log1p, accept_sparse=True)))
    tfidf = TfidfTransformer(
        norm=analyzer.norm, use_idf=idf is not None, sublinear_tf=analyzer.tf == "log"
    )
    tfidf.fit(csr_array((1, n_features)))
    if idf is not None:
        tfidf.idf_ = idf
    return [*steps, ("tfidf", tfidf)]


def _classifier(model: TextModel) -> Classifier:
    from sklearn.linear_model import LogisticRegression

    calibrator, classifier, temperature = model.calibrator, LogisticRegression(), 1.0
    bends = isinstance(calibrator, PowerTemperature) and calibrator.power != 1.0
    if isinstance(calibrator, Temperature | PowerTemperature) and not bends:
        temperature = calibrator.temperature
    elif isinstance(calibrator, LabelDecisions):
        classifier = LabelThresholds(calibrator, model.chain)
    elif calibrator is not None and not isinstance(calibrator, NumberIntervals):
        classifier = CalibratedScores(calibrator)
    classifier.classes_ = model.classes
    classifier.coef_ = model.W.T.astype(np.float64) / temperature
    classifier.intercept_ = model.b / temperature
    classifier.n_features_in_ = model.W.shape[0]
    return classifier

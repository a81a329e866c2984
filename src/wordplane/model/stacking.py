"""The recipe together with word vectors: how it learns from texts without labels too.

    s   the scores of the recipe
    v   the mean of the unit vectors of the words of a text, each weighted by idf; the vectors are
        learned from the texts with and without labels, whose labels are not looked at
    t   the scores of a logistic regression on v
    z   = a s + b t

a and b, 0 or more, maximize the likelihood of the labels under softmax(z) with a small penalty on
their squares; s and t come from models of five folds and are those of the fifth that the models
have not seen. With few labels, that is done three times with other folds, and the mean is taken.
The logistic regression has the C with the best likelihood there. The texts without labels are left
aside unless z predicts more of these labels right than the recipe alone, or as many with a better
likelihood.

z is a linear model again. And as v is a mean over words, so is b t: each word has one number per
class, which is all that the model keeps of its vector, and what an explanation shows of it.

References: Wolpert (1992), Neural Networks 5(2); Ting and Witten (1999), JAIR 10.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.common.label_sets import LabelSets, strata_of
from wordplane.common.labels import Codes, encode
from wordplane.common.types import FloatArray, IntArray, JsonObject
from wordplane.features.dense_features import DenseFeatures
from wordplane.features.embeddings import WordEmbeddings
from wordplane.features.fold_counts import FoldCounts
from wordplane.features.text_features import TextFeatures
from wordplane.learners.logistic import LogisticRegression
from wordplane.model.plan import Plan
from wordplane.model.text_model import Calibration, TextModel
from wordplane.optimize.lbfgs import lbfgs
from wordplane.optimize.losses import logistic
from wordplane.selection.cross_validation import cross_validate_counted, make_folds
from wordplane.text.analyzer import Analyzer
from wordplane.text.documents import TextsLike, as_documents

FOLDS = 5
FEW_LABELS, REPEATS = 1000, 3
NAME = "unlabeled"  # of the embeddings in the model
MAX_WORDS = 30_000
C_GRID = (1.0, 10.0, 100.0)


@dataclass(frozen=True, kw_only=True)
class StackedPlan(Plan):
    """A plan of the recipe, and word vectors to add to it.

    embeddings    fitted on the documents of the whole plan and on texts without labels
    n_unlabeled   how many texts without labels
    random_state  the seed of the folds
    """

    embeddings: WordEmbeddings
    n_unlabeled: int
    random_state: int

    def model(self, calibrator: Calibration = None) -> TextModel:
        """Fit both parts, and join them if that is better by folds."""
        recipe = super().model(calibrator)
        try:
            stack = self._stack()
        except InputError:  # a fold has too few labels to learn from
            return recipe
        training = replace(recipe.training, unlabeled_folds=stack.to_dict())
        if not stack.is_better:
            return replace(recipe, training=training)
        training = replace(training, n_unlabeled=self.n_unlabeled)
        vectors = self._vectors_plan(stack.C).model()
        return replace(join(recipe, vectors, stack.a, stack.b), training=training)

    def _vectors_plan(self, C: float) -> Plan:
        """The plan of the word vectors alone."""
        learner = LogisticRegression(C=C, random_state=self.random_state)
        analyzer = Analyzer(ngrams=None, embeddings={NAME: self.embeddings})
        rows = self.documents, self.labels, self.weights, self.threads
        return Plan(*rows, analyzer=analyzer, learner=learner)

    def _stack(self) -> "Stack":
        assert not isinstance(self.labels, LabelSets), "multi-label data is refused"
        classes, codes = encode(self.labels)
        n_labels = len(codes)
        seeds = range(REPEATS if n_labels < FEW_LABELS else 1)
        splits = [
            make_folds(
                strata_of(self.labels),
                min(FOLDS, n_labels),
                self.random_state + seed,
                self.groups,
            )
            for seed in seeds
        ]

        def scores(plans: Sequence[Plan]) -> list[list[FloatArray]]:
            """By plan and split."""
            counted = FoldCounts.of(plans[0].analyzer, self.documents, self.threads)

            def out_of_fold(plan: Plan, folds: Sequence[IntArray]) -> FloatArray:
                done = cross_validate_counted(
                    counted, plan.analyzer, plan.learner, plan.labels, folds, plan.threads
                )
                return _centered(done.scores, len(classes))

            return [[out_of_fold(plan, folds) for folds in splits] for plan in plans]

        (recipe,) = scores([self])
        tried = scores([self._vectors_plan(C) for C in C_GRID])
        losses = [sum(logistic(t, codes)[0].sum() for t in each) for each in tried]
        best = int(np.argmin(losses))
        scores_of_splits = zip(recipe, tried[best], splits, strict=True)
        return Stack.mean(
            [Stack.of(s, t, codes, folds, C_GRID[best]) for s, t, folds in scores_of_splits]
        )


class Stack(NamedTuple):
    """How two scores are weighted, and how good they are out of fold.

    a, b      the weights
    C         of the logistic regression behind the second score
    accuracy  the share of labels predicted right: by both, by the first alone
    log_loss  minus the mean log-probability of the labels: by both, by the first alone
    """

    a: float
    b: float
    C: float
    accuracy: tuple[float, float]
    log_loss: tuple[float, float]

    @property
    def is_better(self) -> bool:
        """Whether both together are better."""
        accuracy, log_loss = np.round([self.accuracy, self.log_loss], 9).tolist()
        return (accuracy[0], -log_loss[0]) > (accuracy[1], -log_loss[1])

    @classmethod
    def mean(cls, stacks: "Sequence[Stack]") -> "Stack":
        """The mean of all numbers."""
        a, b, C = np.mean([stack[:3] for stack in stacks], axis=0).tolist()
        accuracy, log_loss = np.mean([stack[3:] for stack in stacks], axis=0).tolist()
        return cls(a, b, C, (accuracy[0], accuracy[1]), (log_loss[0], log_loss[1]))

    def to_dict(self) -> JsonObject:
        """What the folds say, with and without the texts without labels."""
        return {
            "accuracy": self.accuracy[0],
            "accuracy_without": self.accuracy[1],
            "log_loss": self.log_loss[0],
            "log_loss_without": self.log_loss[1],
        }

    @classmethod
    def of(
        cls, s: FloatArray, t: FloatArray, codes: Codes, folds: Sequence[IntArray], C: float
    ) -> "Stack":
        """Weight s and t; each fold is judged by weights that come from the others."""
        both, alone = np.zeros_like(s), np.zeros_like(s)
        for held_out in folds:
            rest = np.setdiff1d(np.arange(len(codes)), held_out)
            a, b = stacking_weights(s[rest], t[rest], codes[rest])
            both[held_out] = a * s[held_out] + b * t[held_out]
            a, _ = stacking_weights(s[rest], np.zeros_like(t[rest]), codes[rest])
            alone[held_out] = a * s[held_out]
        right, right_alone = (float((z.argmax(axis=1) == codes).mean()) for z in (both, s))
        loss, loss_alone = (float(logistic(z, codes)[0].mean()) for z in (both, alone))
        weights = stacking_weights(s, t, codes)
        return cls(*weights, C, (right, right_alone), (loss, loss_alone))


def stack_vectors(plan: Plan, unlabeled: TextsLike, random_state: int) -> StackedPlan:
    """The plan of the recipe and word vectors, which texts without labels are read for."""
    plan.check_unlabeled()
    more = as_documents(unlabeled, {})
    both = plan.documents + more
    embeddings = unit_vectors(both.texts, plan.analyzer, plan.threads, random_state)
    return StackedPlan(
        **vars(plan), embeddings=embeddings, n_unlabeled=len(more), random_state=random_state
    )


def unit_vectors(
    texts: _core.Texts, analyzer: Analyzer, threads: int, random_state: int
) -> WordEmbeddings:
    """Vectors of length 1 of the most frequent words of texts, which are read as the analyzer
    reads them."""
    embeddings = WordEmbeddings(
        max_words=MAX_WORDS,
        weights="idf",
        tokens=analyzer.tokens,
        lowercase=analyzer.lowercase,
        n_jobs=threads,
        random_state=random_state,
    ).fit(texts)
    lengths = np.linalg.norm(embeddings.vectors_, axis=1, keepdims=True)
    return embeddings.with_vectors(embeddings.vectors_ / np.where(lengths > 0, lengths, 1.0))


def stacking_weights(s: FloatArray, t: FloatArray, codes: Codes) -> tuple[float, float]:
    """a and b, each 0 or more, with the best likelihood of the labels under softmax(a s + b t).

    >>> s, t = np.array([[1.0, -1], [-1, 1], [1, -1]]), np.array([[-1.0, 1], [1, -1], [1, -1]])
    >>> a, b = stacking_weights(s, t, np.array([0, 1, 0]))
    >>> a > 0, b
    (True, 0.0)
    """
    scores = np.stack([s, t])
    scale = np.sqrt((scores**2).mean(axis=(1, 2)))
    scores /= np.where(scale > 0, scale, 1.0)[:, None, None]

    def objective(w: FloatArray, scores: FloatArray) -> tuple[float, FloatArray]:
        loss, gradient = logistic(np.tensordot(w, scores, 1), codes)
        return float(loss.sum() + w @ w / 2), (scores * gradient).sum(axis=(1, 2)) + w

    w = lbfgs(lambda w: objective(w, scores), np.zeros(2)).w
    if w.min() < 0:  # then the best has this one at 0
        kept = [int(w.argmax())]
        alone = lbfgs(lambda w: objective(w, scores[kept]), np.zeros(1)).w
        w = np.zeros(2)
        w[kept] = np.maximum(alone, 0.0)
    a, b = (w / np.where(scale > 0, scale, 1.0)).tolist()
    return a, b


def join(recipe: TextModel, vectors: TextModel, a: float, b: float) -> TextModel:
    """The model whose scores are a times those of one and b times those of the other.

    Of the word vectors, only what they add to the scores is kept: the difference between the
    vector of a word and the mean of the training texts, times the weights of the model.
    """
    dense = vectors.features.dense
    ((name, embeddings),) = vectors.features.spec.columns.embeddings.items()
    assert isinstance(embeddings, WordEmbeddings)
    adds = (embeddings.vectors_ - dense.center) / dense.scale @ (b * vectors.W)
    features = recipe.features
    known = features.spec.columns.embeddings
    analyzer = features.analyzer.set_params(
        embeddings={**known, name: embeddings.with_vectors(adds)}
    )
    spec = analyzer.resolve()
    n_outputs = adds.shape[1]
    joined = DenseFeatures(
        spec,
        np.append(features.dense.center, np.zeros(n_outputs)),
        np.append(features.dense.scale, np.ones(n_outputs)),
        features.dense.categories,
    )
    both = TextFeatures(spec, features.vocabularies, features.groups, features.idf, joined)
    W = np.vstack([a * recipe.W, np.eye(n_outputs, dtype=np.float32)]).astype(np.float32)
    return replace(recipe, features=both, W=W, b=a * recipe.b + b * vectors.b)


def _centered(scores: FloatArray, n_classes: int) -> FloatArray:
    """One column per class, with the mean 0 in each row; a class that a fold did not have gets
    the lowest score of the row."""
    z = np.column_stack([np.zeros(len(scores)), scores]) if n_classes == 2 else scores
    known = np.isfinite(z)
    z = np.where(known, z, np.where(known, z, np.inf).min(axis=1, keepdims=True))
    return np.asarray(z - z.mean(axis=1, keepdims=True))

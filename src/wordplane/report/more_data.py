"""Would more data help? The learning curve of the model's learner, and the verdict on it."""

from dataclasses import dataclass

from wordplane import plots
from wordplane.common.errors import InputError
from wordplane.common.labels import as_labels
from wordplane.common.threads import thread_count
from wordplane.data.corpus import Corpus
from wordplane.diagnosis.forecast import forecast
from wordplane.diagnosis.learning_curve import learning_curve
from wordplane.diagnosis.verdict import verdict
from wordplane.learners.registry import learns_one_label
from wordplane.model.classifier import TextClassifier
from wordplane.model.measuring import learner_of
from wordplane.report.findings import sentence
from wordplane.selection.splitter import Splitter
from wordplane.text.documents import as_documents

N_FOLDS, N_SIZES = 3, 7
MIN_ROWS = 30  # with fewer, a curve says nothing


@dataclass(frozen=True)
class Learning:
    """The content of the section."""

    kind: str
    sentence: str
    to_try: tuple[str, ...]
    not_worth_it: tuple[str, ...]
    forecast: str | None
    svg: str


def draw_learning_curve(
    model: TextClassifier, corpus: Corpus, random_state: int
) -> Learning | None:
    """The learning curve of the texts that the model was trained on; None if it cannot be drawn."""
    learner = learner_of(model)
    corpus = corpus.take(corpus.split_rows("train"))
    if learner is None or learns_one_label(learner) or len(corpus) < MIN_ROWS:
        return None
    features = model.model_.features
    try:
        curve = learning_curve(
            features.analyzer,
            learner,
            as_documents(corpus, features.spec.columns.kinds),
            as_labels(corpus.labels),
            sizes=N_SIZES,
            splitter=Splitter(N_FOLDS, 1, corpus.groups, corpus.times, random_state),
            sample_weight=corpus.weights,
            threads=thread_count(model.n_jobs),
        )
    except InputError:  # such as too few texts of a class
        return None
    judged, more = verdict(curve), forecast(curve, len(corpus))
    return Learning(
        kind=judged.kind,
        sentence=f"{judged.sentence} {sentence(curve.sample)}" if curve.sample else judged.sentence,
        to_try=judged.to_try,
        not_worth_it=judged.not_worth_it,
        forecast=None if more is None else str(more),
        svg=plots.to_svg(plots.learning_curve(curve)),
    )

"""A model in a notebook: what it is, how good, and what it looks at."""

from wordplane.common.html import html_table
from wordplane.evaluation.label_scores import Scores
from wordplane.model.explanation import top_features
from wordplane.model.text_model import TextModel

MAX_CLASSES_SHOWN = 30


def html_card(title: str, model: TextModel) -> str:
    """The model as two tables."""
    scores = model.training.scores
    of = ("predicts", "a number") if model.predicts_numbers else ("classes", len(model.classes))
    lines = [
        (of[0], f"{of[1]:,}" if isinstance(of[1], int) else of[1]),
        ("features", f"{model.features.n_features:,}, {model.features.analyzer!r}"),
        ("learner", model.training.learner_text),
    ]
    if isinstance(scores, Scores):
        low, high = scores.interval
        tested = f"{scores.accuracy:.1%} ({low:.1%} to {high:.1%})"
        lines.append(("accuracy", f"{tested} on {scores.n:,} texts"))
    top = [
        (label, ", ".join(name for name, _ in features))
        for label, features in top_features(model, 8, readable=True).items()
    ]
    head = ["class", "what speaks most for it"]
    shown = html_table(head, top[:MAX_CLASSES_SHOWN], of_texts=True)
    return html_table(["", title], lines, of_texts=True) + shown

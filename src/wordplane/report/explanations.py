"""Explained texts on a page: words are marked where they speak for or against the label."""

from html import escape
from math import ceil

from wordplane.model.explanation import Explanation

SHADES = 5  # of either color, as in plain.css


def explanation_html(explanation: Explanation, n_words: int, title: str = "") -> str:
    """A section with the marked text and the words that add most.

    >>> from wordplane import TextClassifier
    >>> model = TextClassifier().fit(["good film", "bad film"] * 9, ["+", "-"] * 9)
    >>> html = explanation_html(model.explain("good <b>"), 1)
    >>> '<mark class="for5">good</mark>' in html, "&lt;b&gt;" in html
    (True, True)
    """
    marked = "".join(_mark(text, weight) for text, weight in explanation.pieces())
    words = ", ".join(
        f"{escape(word)} {value:+.3f}" for word, value in explanation.by_word()[:n_words]
    )
    head = f"{escape(title)} <b>{escape(str(explanation.label))}</b> {explanation.score:.3f}"
    note = f"{words}; bias {explanation.bias:+.3f}"
    return f'<section><p>{head}</p><p class="text">{marked}</p><p class="note">{note}</p></section>'


def _mark(text: str, weight: float) -> str:
    shade = ceil(round(abs(weight) * SHADES, 6))
    if shade == 0 or not text.strip():
        return escape(text)
    return f'<mark class="{"for" if weight > 0 else "against"}{shade}">{escape(text)}</mark>'

import pytest

from wordplane.annotation import Project

SPAM = ["cheap pills now", "win a prize today", "cheap loans for you", "free prize, call now"]
HAM = ["lunch at noon?", "see you at the office", "the report is late", "call me after lunch"]


def truth(text):
    """What a person who knows says."""
    return "spam" if any(word in text for word in ("cheap", "prize", "free")) else "ham"


TEXTS = [f"{text} {number}" for number in range(10) for text in (*SPAM, *HAM)]


@pytest.fixture
def project(tmp_path):
    """Eighty texts, two labels, and no answers."""
    with Project.create(tmp_path / "p.db", TEXTS, labels=["spam", "ham"]) as made:
        yield made


def answer(project, n, person="me"):
    """Answer n texts rightly; returns their reasons."""
    reasons = []
    for _ in range(n):
        item = project.next(person)
        reasons.append(item.reason)
        project.label(item.text, truth(item.content), person)
    return reasons

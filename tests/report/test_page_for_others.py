"""Tests of wordplane.report.page: what a page for others needs."""

import re
from datetime import datetime

import numpy as np
import pytest

import wordplane
from tests.browser import Visit
from tests.report.pages import fitted, made_corpus, page_of
from wordplane import Analyzer, TextClassifier
from wordplane.cli import main
from wordplane.common.progress import listen
from wordplane.report.page import Heading


def table_of_classes(page):
    table = re.search(r'<table class="classes sortable">(.*?)</table>', page, re.DOTALL).group(1)
    return [float(f1) for f1 in re.findall(r'strong">([\d.]+)&#8239;%', table)]


@pytest.mark.slow
def test_a_title_the_model_and_the_date(tmp_path):
    corpus = made_corpus(3, 60)
    page = page_of(
        tmp_path, fitted(corpus), made_corpus(3, 60, seed=1), quick=True,
        heading=Heading("Complaints, <May>", "m.wordplane"),
    )  # fmt: skip
    assert "<title>Complaints, &lt;May&gt;: report</title>" in page
    today = datetime.now().astimezone().date().isoformat()
    about = re.search(r'<p class="about">(.*?)</p>', page).group(1)
    assert re.findall(r"<bdi>(.*?)</bdi>", about) == ["m.wordplane", "made.csv", today]
    page = page_of(tmp_path, fitted(corpus), corpus, quick=True, heading=Heading(date="2026-01-02"))
    assert "<title>made.csv: report</title>" in page
    assert "2026-01-02" in page


@pytest.mark.slow
def test_classes_are_listed_the_worst_first(tmp_path):
    train, test = made_corpus(5, 100), made_corpus(5, 60, seed=1)
    shown = table_of_classes(page_of(tmp_path, fitted(train), test, quick=True))
    assert len(shown) == 5
    assert shown == sorted(shown)
    assert shown[0] < shown[-1]


@pytest.mark.slow
def test_words_instead_of_runs_of_characters(tmp_path):
    texts = ["a great film", "great fun, really", "a dull film", "not so good"] * 10
    analyzer = Analyzer(chars=(2, 5), boundaries=True, negation=True)
    model = TextClassifier(analyzer, "svm").fit(texts, ["+", "+", "-", "-"] * 10)
    corpus = wordplane.read({"text": texts, "label": ["+", "+", "-", "-"] * 10})
    page = page_of(tmp_path, model, corpus, quick=True)
    words = re.findall(r"<td><bdi>(.*?)</bdi></td>", page)
    assert "great" in words
    assert "not-good" in words
    for machine in ("char:", "NOT_", "&lt;s&gt;", "&lt;/s&gt;", "␣"):
        assert not any(machine in word for word in words)


@pytest.mark.slow
def test_the_learning_curve_is_that_of_the_training_texts(tmp_path):
    """Of texts that were only measured on, a curve would say nothing about the model."""
    train, test = made_corpus(3, 200), made_corpus(3, 60, seed=1)
    model = fitted(train)
    page = page_of(tmp_path, model, test)
    assert "Would more data help?" in page
    assert "--train FILE" in page
    assert "Learning curve</strong>" not in page
    assert "Verdict of the learning curve" not in page
    page = page_of(tmp_path, model, test, train=train)
    assert "Learning curve</strong>" in page
    assert "--train FILE" not in page
    assert "Learning curve</strong>" in page_of(tmp_path, model, train)


@pytest.mark.slow
def test_names_in_backticks_are_code(tmp_path):
    rng = np.random.default_rng(0)
    texts = [
        f"{'ab'[i % 2]} {' '.join(f'w{j}' for j in rng.integers(0, 900, 6))}" for i in range(200)
    ]
    labels = [
        int(k) for k in np.where(rng.random(200) < 0.2, 1 - np.arange(200) % 2, np.arange(200) % 2)
    ]
    corpus = wordplane.read({"text": texts, "label": labels})
    model = TextClassifier(Analyzer(ngrams=(1, 1)), "svm").fit(texts, labels)
    page = page_of(tmp_path, model, corpus)
    assert "<code>min_df</code>" in page
    assert "`" not in re.sub("<script>.*?</script>", "", page, flags=re.DOTALL)


@pytest.mark.slow
def test_steps_are_announced(tmp_path):
    steps = []
    with listen(lambda job, done, total: steps.append(job)):
        page_of(tmp_path, fitted(made_corpus(3, 60)), made_corpus(3, 60, seed=1))
    wanted = ["report: auditing the data", "report: drawing", "report: done"]
    assert [step for step in steps if step in wanted] == wanted


@pytest.mark.slow
def test_on_the_command_line(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name, seed in (("train", 0), ("test", 1)):
        corpus = made_corpus(3, 90, seed=seed)
        rows = zip(corpus.texts, corpus.labels, strict=True)
        (tmp_path / f"{name}.csv").write_text(
            "text,label\n" + "".join(f"{text},{label}\n" for text, label in rows)
        )
    assert main("train train.csv -o m.wordplane --learner nb".split()) == 0
    options = ["--title", "All in May", "--train", "train.csv", "-o", "r.html"]
    assert main(["report", "m.wordplane", "test.csv", *options]) == 0
    page = (tmp_path / "r.html").read_text()
    assert "<title>All in May: report</title>" in page
    assert "m.wordplane</bdi>" in page
    assert "Learning curve</strong>" in page


@pytest.mark.slow
def test_forty_classes_fit_on_a_screen_and_on_paper_and_can_be_sorted(browser, tmp_path):
    train, test = made_corpus(40, 800), made_corpus(40, 400, seed=1)
    page_of(tmp_path, fitted(train), test, quick=True)
    with Visit(browser, (tmp_path / "r.html").as_uri()) as visit:
        page = visit.page
        whole = "e => e.scrollWidth <= e.clientWidth && e.scrollHeight <= e.clientHeight + 1"
        assert page.locator(".scroll:has(.matrix)").evaluate(whole)
        assert page.locator(".scroll:has(.classes)").evaluate(whole)
        first = "() => document.querySelector('.classes tbody th').innerText"
        page.locator(".classes .sort", has_text="Class").click()
        assert page.evaluate(first) == "class 000"
        page.locator(".classes .sort", has_text="Class").click()
        assert page.evaluate(first) == "class 039"
        page.locator(".classes .sort", has_text="Texts").click()
        counts = page.locator(".classes tbody td:nth-child(2)").all_inner_texts()
        assert [int(n) for n in counts] == sorted(int(n) for n in counts)
        page.emulate_media(media="print")
        page.set_viewport_size({"width": 718, "height": 1000})  # A4 without margins, at 96 dpi
        assert page.locator(".scroll:has(.matrix)").evaluate("e => e.scrollWidth <= e.clientWidth")
        assert visit.complaints == []

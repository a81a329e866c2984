"""Every page the product writes: no script from data, by escaping and by policy."""

import re
import runpy
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

import wordplane
from wordplane import plots
from wordplane.cli import main
from wordplane.common.html import html_page
from wordplane.data.corpus import Corpus
from wordplane.demos.page import PAGES as TOUCH_PAGES
from wordplane.demos.page import write_touch_page
from wordplane.evaluation.confusion import confusion
from wordplane.plots.maps import word_map
from wordplane.portable.export import write_page
from wordplane.report import write_report
from wordplane.text.texts import as_texts

EVIL = "</title></style></text></script><svg/onload='window.hacked=1'>\"x"


class Tags(HTMLParser):
    """The tags of a page; raw text of `script` and `style` as a browser reads it."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.raw = [], {"script": [], "style": []}
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        if tag in self.raw:
            self.raw[tag].append("")

    def handle_data(self, data):
        if self.tags and self.tags[-1][0] in self.raw and data.strip():
            self.raw[self.tags[-1][0]][-1] += data


def check_page(page):
    parsed = Tags(page)
    head = [attributes for tag, attributes in parsed.tags if tag == "meta"]
    assert [tag for tag, _ in parsed.tags[:4]] == ["html", "head", "meta", "meta"]
    assert head[1].get("http-equiv") == "Content-Security-Policy"
    policy = head[1]["content"]
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    # Only the page of a model runs WebAssembly; this source allows that, and no script.
    assert "unsafe" not in policy.replace("'wasm-unsafe-eval'", "") and "*" not in policy
    for tag, attributes in parsed.tags:
        assert not [name for name in attributes if name.startswith("on") or name == "style"]
        assert not attributes.get("href", "#").lower().startswith(("javascript", "data", "http"))
        assert "src" not in attributes and tag not in ("iframe", "object", "embed", "base", "link")
    runs = [
        text
        for (_, attributes), text in zip(
            [entry for entry in parsed.tags if entry[0] == "script"],
            parsed.raw["script"],
            strict=True,
        )
        if attributes.get("type") != "application/json"
    ]
    for text in [*runs, *parsed.raw["style"]]:
        digest = b64encode(sha256(text.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in policy
    assert "<svg/onload" not in page


def words_chart(path):
    plots.save(word_map(np.eye(2), ["plain", EVIL], [0, 1]), path)


def dark_chart(path):
    plots.save(word_map(np.eye(2), ["plain", EVIL], [0, 1]), path, dark=True)


def matrix_chart(path):
    plots.save(plots.confusion(confusion(["a", EVIL], [EVIL, EVIL])), path)


def features_chart(path):
    plots.save(plots.top_features({EVIL: [(EVIL, 1.0), ("b", 0.5)]}), path)


def map_of_neighbors(path):
    vectors = path.with_suffix(".vec")
    lines = [f"{word} {i} 1" for i, word in enumerate(["a", "b", EVIL.replace(" ", "")])]
    vectors.write_text("\n".join(lines))
    assert main(["neighbors", str(vectors), "a", "--map", str(path)]) == 0


def cluster_page(path):
    texts = path.with_suffix(".txt")
    texts.write_text("\n".join([f"red {EVIL}", "blue sky", "red car", "blue sea"] * 3))
    assert main(["cluster", str(texts), "-k", "2", "-o", str(path), "--map", "pca"]) == 0


def report(path):
    texts = [f"good {EVIL}", "bad film", "good film", f"bad {EVIL}"] * 10
    corpus = Corpus(as_texts(texts), [EVIL, "b"] * 20, source=EVIL)
    model = wordplane.TextClassifier(learner="nb").fit(corpus.texts, corpus.labels)
    write_report(path, model, corpus, quick=True)


def result(path):
    data = path.with_suffix(".jsonl")
    rows = [
        f'{{"text": "w{i} good", "label": "a"}}\n{{"text": "bad", "label": "<b>"}}\n'
        for i in range(20)
    ]
    data.write_text("".join(rows))
    wordplane.audit(data).report(path)


def model_page(path):
    texts = [f"good {EVIL}", "bad film"] * 10
    model = wordplane.TextClassifier(learner="nb").fit(texts, [EVIL, "b"] * 10)
    write_page(path, model.model_, EVIL)


def plain(path):
    path.write_text(html_page(EVIL, "<p>text</p>", "p { color: red }"))


PAGES = (
    words_chart,
    dark_chart,
    matrix_chart,
    features_chart,
    map_of_neighbors,
    cluster_page,
    report,
    result,
    model_page,
    plain,
)


@pytest.mark.parametrize("write", PAGES, ids=lambda write: write.__name__)
@pytest.mark.slow
def test_no_page_runs_what_data_says(write, tmp_path):
    write(tmp_path / "page.html")
    check_page((tmp_path / "page.html").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", TOUCH_PAGES)
def test_pages_to_touch_run_their_own_script_alone(name, tmp_path):
    write_touch_page(tmp_path / "page.html", name)
    check_page((tmp_path / "page.html").read_text(encoding="utf-8"))


def test_the_check_finds_what_it_should():
    page = html_page("x", "<p>fine</p>", "")
    check_page(page)
    for bad in (
        "<script>1</script>",
        "<p onclick=f()>",
        "<img src=x>",
        "<a href='javascript:f()'>",
    ):
        with pytest.raises(AssertionError):
            check_page(page.replace("<p>", bad))
    with pytest.raises(AssertionError):
        check_page(re.sub("<meta http-equiv.*", "", page))


def test_pages_of_the_documentation_run_their_theme_alone():
    path = Path(__file__).resolve().parents[1] / "docs" / "_ext" / "policy.py"
    extension = runpy.run_path(str(path))
    theme, injected = "document.body.dataset.theme = 1", "window.hacked = 1"
    page = (
        '<!doctype html>\n<html><head><meta charset="utf-8"><title>a</title></head><body>'
        f'<script>{theme}</script><script src="_static/a.js"></script>'
        f"<article><p>text</p><script>{injected}</script></article></body></html>"
    )
    tags = Tags(extension["with_policy"](page)).tags
    assert [tag for tag, _ in tags[:4]] == ["html", "head", "meta", "meta"]
    policy = tags[3][1]["content"]
    scripts = next(one for one in policy.split("; ") if one.startswith("script-src"))
    hashes = [b64encode(sha256(one.encode()).digest()).decode() for one in (theme, injected)]
    assert scripts == f"script-src 'self' 'sha256-{hashes[0]}'"
    assert policy.startswith("default-src 'none'; ")
    assert '"policy",' in (path.parents[1] / "conf.py").read_text()

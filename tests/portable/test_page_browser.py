"""The page of a model in a real browser: its answers, and what it must never do.

Tests of wordplane.portable.export.
"""

import numpy as np
import pytest

from tests.browser import SIZES, Visit
from tests.corpora import clean_texts
from tests.portable.documents import odd_texts
from tests.portable.pages import READY, labels_in, wait_for_words
from wordplane import Analyzer, TextClassifier, TextRegressor
from wordplane.portable.export import write_page

SCRIPT = "<script>window.hacked = 1</script>"
HOSTILE = [
    SCRIPT, "\"><img src=x onerror='window.hacked = 2'>\u202e",
    "</script><svg/onload=window.hacked=3>",
    "</textarea></style><!--", "<a href='javascript:window.hacked=4'>x</a>", "${window.hacked=5}",
    "$data $script $policy", "\u2028window.hacked=6//", "{{7*7}}", "__proto__", "constructor",
    "<base href=//x>", "<meta http-equiv=refresh content=0>", "]]><![CDATA[",
    "&lt;b&gt;", "\x00\x07",
]  # fmt: skip


def films(labels=("good", "bad")):
    words = (["great", "fun"], ["dull", "slow"])
    rng = np.random.default_rng(0)
    rows = [
        (" ".join(rng.choice([*words[k], "film", "plot", "a"], 5)), labels[k]) for k in (0, 1) * 60
    ]
    return [text for text, _ in rows], [label for _, label in rows]


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    model = TextClassifier(Analyzer(ngrams=(1, 2)), "svm").fit(*films())
    path = tmp_path_factory.mktemp("page") / "films.html"
    write_page(path, model.model_, "Films")
    return path, model


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", list(SIZES))
def test_typing_shows_label_probabilities_and_words(browser, page, size, scheme):
    path, model = page
    text = "a great film 😀 but dull, dull"
    with Visit(browser, path.as_uri(), size, scheme, ready=READY) as visit:
        shown = visit.page
        assert shown.evaluate("document.activeElement.tagName") == "TEXTAREA"
        shown.keyboard.type(text)
        wait_for_words(visit)
        (label,) = model.predict([text]).tolist()
        assert shown.inner_text("#answer") == label
        assert shown.inner_text(".chances [aria-pressed=true]") == label
        best = model.predict_proba([text]).max()
        assert f"{100 * best:.1f}" in shown.inner_text("#confidence")
        assert shown.inner_text("#highlighted") == text
        marks = "nodes => nodes.map(n => [n.className.slice(0, 3), n.textContent])"
        marked = dict(map(reversed, shown.eval_on_selector_all("#highlighted mark", marks)))
        assert marked["great"] != marked["dull"]
        listed = [
            part.split()[0] for part in shown.locator("#reasons td:first-child").all_inner_texts()
        ]
        assert {"great", "dull"} <= set(listed) and len(listed) == len(set(listed))
        assert shown.evaluate("document.documentElement.scrollWidth - window.innerWidth") <= 0
        assert visit.complaints == [] and visit.requests == [path.as_uri()]


def test_another_label_is_explained_by_keyboard(browser, page):
    with Visit(browser, page[0].as_uri(), ready=READY) as visit:
        shown = visit.page
        shown.keyboard.type("great great film")
        wait_for_words(visit)
        before = shown.inner_text("#reasons")
        shown.keyboard.press("Tab")
        shown.keyboard.press("Tab")
        shown.keyboard.press("Enter")
        wait_for_words(visit)
        assert shown.inner_text(".chances [aria-pressed=true]") == "bad"
        assert shown.inner_text("#answer") == "good" and shown.inner_text("#reasons") != before
        assert shown.evaluate("document.activeElement.innerText") == "bad"
        shown.locator("textarea").fill("   ")
        assert shown.locator("#result").is_hidden() and visit.complaints == []


def test_the_answer_is_announced_and_the_field_has_a_name(browser, page):
    with Visit(browser, page[0].as_uri(), ready=READY) as visit:
        assert visit.page.get_by_role("textbox", name="Text").count() == 1
        visit.page.keyboard.type("great")
        assert visit.page.get_by_role("status").inner_text().startswith("good")


def test_the_same_answers_as_python(browser, tmp_path):
    texts, y = clean_texts()
    model = TextClassifier(Analyzer(ngrams=(1, 2), chars=(2, 4)), "svm").fit(texts, y)
    write_page(tmp_path / "page.html", model.model_, "x")
    # A browser gives a text box what one can type: \r and zero bytes are not among that.
    asked = [
        text.replace("\r", " ").replace("\x00", " ")
        for text in [*texts, *odd_texts(texts[0].split(), 300)]
    ]
    expected = model.predict(asked).tolist()
    P = model.predict_proba(asked).max(axis=1)
    with Visit(browser, (tmp_path / "page.html").as_uri(), ready=READY) as visit:
        found = labels_in(visit, asked)
        assert visit.complaints == []
    for (hidden, label, confidence), truth, p in zip(found, expected, P, strict=True):
        if not hidden:
            assert label == truth and abs(float(confidence.split("\u202f")[0]) - 100 * p) < 0.0501
    assert sum(hidden for hidden, _, _ in found) < 20


def test_hostile_labels_and_texts_run_nothing(browser, tmp_path):
    labels = [f"{HOSTILE[i % len(HOSTILE)]} {i}" for i in range(200)]
    texts = [f"w{i} {HOSTILE[i % len(HOSTILE)]}" for i in range(200)]
    analyzer = Analyzer(tokens="spaced", ngrams=(1, 1))
    model = TextClassifier(analyzer, "nb", calibration=None).fit(texts * 2, labels * 2)
    path = tmp_path / "evil.html"
    write_page(path, model.model_, SCRIPT)
    with Visit(browser, path.as_uri(), ready=READY) as visit:
        shown = visit.page
        for text in texts:
            labels_in(visit, [text])
            wait_for_words(visit)
            assert shown.locator("main").get_by_role("img").count() == 0
        assert shown.evaluate("window.hacked") is None
        assert shown.locator("main").locator("script, img, a, base, style, iframe").count() == 0
        assert shown.inner_text("h1") == SCRIPT
        assert visit.complaints == [] and visit.requests == [path.as_uri()]


def test_several_labels_and_fields_and_numbers(browser, tmp_path):
    texts, y = films()
    sets = [[label] if i % 3 else [label, "third"] for i, label in enumerate(y)]
    texts = [text if i % 3 else text + " also" for i, text in enumerate(texts)]
    several = TextClassifier(Analyzer(ngrams=(1, 1)), "logistic").fit(texts, sets)
    write_page(tmp_path / "several.html", several.model_, "x")
    with Visit(browser, (tmp_path / "several.html").as_uri(), ready=READY) as visit:
        asked = ["great fun also", "dull slow", "also also"]
        found = [answer for _, answer, _ in labels_in(visit, asked)]
        expected = [", ".join(sorted(given)) or "No label" for given in several.predict(asked)]
        assert found == expected and "good, third" in found and visit.complaints == []
    frame = {"title": texts, "body": texts[::-1]}
    fields = TextClassifier(Analyzer(ngrams=(1, 1)), "svm", fields=["title", "body"]).fit(frame, y)
    write_page(tmp_path / "fields.html", fields.model_, "x")
    with Visit(browser, (tmp_path / "fields.html").as_uri(), ready=READY) as visit:
        visit.page.get_by_role("textbox", name="title").fill("great fun")
        visit.page.get_by_role("textbox", name="body").fill("dull")
        (expected,) = fields.predict({"title": ["great fun"], "body": ["dull"]}).tolist()
        assert visit.page.inner_text("#answer") == expected and visit.complaints == []
    numbers = TextRegressor().fit(texts, [3.5 if label == "good" else 1.25 for label in y])
    write_page(tmp_path / "numbers.html", numbers.model_, "x")
    with Visit(browser, (tmp_path / "numbers.html").as_uri(), ready=READY) as visit:
        ((_, answer, _),) = labels_in(visit, ["great film"])
        wait_for_words(visit)
        assert float(answer) == pytest.approx(numbers.predict(["great film"])[0], rel=1e-3)
        assert "Raises the number" in visit.page.inner_text("#reasons") and visit.complaints == []


def test_a_damaged_page_says_so(browser, page, tmp_path):
    content = page[0].read_text(encoding="utf-8")
    start = content.index('"content":"') + 400
    broken = content[:start] + ("B" if content[start] != "B" else "C") + content[start + 1 :]
    (tmp_path / "broken.html").write_text(broken, encoding="utf-8")
    with Visit(browser, (tmp_path / "broken.html").as_uri(), ready="#problem:visible") as visit:
        assert "cannot be opened" in visit.page.inner_text("#problem")
        assert visit.page.locator("#try").is_hidden()

"""The report in a real browser: what a person can do with it, and what it must never do.

Tests of wordplane.report.page.
"""

import numpy as np
import pytest

import wordplane
from tests.browser import SIZES, Visit
from wordplane.data.corpus import Corpus
from wordplane.model.measuring import measure
from wordplane.report import write_report
from wordplane.text.texts import as_texts

SCRIPT = "<script>window.hacked = 1</script>"
IMAGE = "\"><img src='https://example.com/x.png' onerror='window.hacked = 2'>\u202e"
HOSTILE = [
    f"</script>{SCRIPT} </style><!-- <svg onload='window.hacked=3'>",
    "{{ 7 * 7 }} ${7 * 7} </textarea> &amp; \u2028 \u202eexe.txt\u202c ' \" ` \x07",
]


@pytest.fixture(scope="module")
def measured():
    rng = np.random.default_rng(0)
    labels = ["good", SCRIPT, IMAGE]
    y = rng.integers(0, 3, 300).tolist()
    words = [["great", "fine"], ["dull", "slow"], ["odd", "strange"]]
    texts = []
    for row, k in enumerate(y):
        guess = k if rng.random() < 0.8 else int(rng.integers(3))
        texts.append(
            f"{row} {rng.choice(words[guess])} film {HOSTILE[row % 2] if row < 60 else ''}"
        )
    texts[200] += " a very long text" * 400
    corpus = Corpus(as_texts(texts), [labels[k] for k in y], source="<b>films</b>.csv")
    half = np.arange(150)
    train = corpus.take(half)
    model = wordplane.TextClassifier(learner="nb").fit(train.texts, train.labels)
    return measure(model, corpus, np.arange(150, 300), description="held out <i>")


@pytest.fixture(scope="module")
def path(measured, tmp_path_factory):
    found = tmp_path_factory.mktemp("report") / "report.html"
    write_report(found, measured.model, measured.corpus, measured)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES)
def test_every_cell_opens_its_texts(browser, path, measured, size, scheme):
    with Visit(browser, path.as_uri(), size, scheme) as visit:
        page = visit.page
        cells = page.locator("button[data-cell]")
        total = 0
        for i in range(cells.count()):
            n = int(cells.nth(i).inner_text())
            cells.nth(i).click()
            assert page.locator("#texts").is_visible()
            shown = page.locator("#texts-list article")
            assert shown.count() == min(n, 40)
            count = page.locator("#texts-count").inner_text()
            assert count.startswith(f"{n} text")
            assert (f"{n - 40} left out" in count) == (n > 40)
            confidence = [
                float(text.split()[1].rstrip("%"))
                for text in shown.locator(".confidence").all_inner_texts()
            ]
            assert confidence == sorted(confidence, reverse=True)
            page.keyboard.press("Escape")
            assert not page.locator("#texts").is_visible()
            total += n
        assert total == len(measured.rows)
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        assert visit.requests == [path.as_uri()]
        assert visit.complaints == []
        assert page.evaluate("window.hacked") is None


def test_words_are_highlighted_and_long_texts_cut(browser, path):
    with Visit(browser, path.as_uri()) as visit:
        visit.page.locator("td.right button").first.click()
        assert visit.page.locator("#texts-list mark[class^=for]").count() > 0
        longest = visit.page.evaluate(
            "Math.max(...JSON.parse(document.getElementById('data').textContent).documents"
            ".map(d => d[5].filter(x => typeof x === 'string').join('').length))"
        )
        assert longest == 2000


def test_what_is_cut_off_fades(browser, path):
    fade = "e => getComputedStyle(e).getPropertyValue('--fade')"
    with Visit(browser, path.as_uri()) as visit:
        assert visit.page.locator(".scroll:has(.matrix)").evaluate(fade) == "0px"  # all is seen
    with Visit(browser, path.as_uri(), "phone") as visit:
        table = visit.page.locator(".scroll:has(.matrix)")
        assert table.evaluate("e => e.scrollWidth > e.clientWidth")
        assert table.evaluate(fade) == "48px"
        table.evaluate("e => e.scrollLeft = e.scrollWidth")
        visit.page.wait_for_function(
            f"({fade})(document.querySelector('.scroll:has(.matrix)')) == '0px'"
        )
        for place in ("nav", ".scroll:has(.metrics)"):
            moves = visit.page.locator(place).evaluate(
                "e => getComputedStyle(e).backgroundAttachment"
            )
            assert moves.startswith("local, local, scroll, scroll")


def test_threshold_moves_numbers_and_points(browser, path, measured):
    with Visit(browser, path.as_uri()) as visit:
        page = visit.page
        page.locator("#curve-class").select_option(label="good")
        k = measured.model.classes_.tolist().index("good")
        is_class, p = measured.truth == "good", measured.probabilities[:, k]
        places = {}
        middle = [int(100 * value) for value in np.quantile(p, [0.3, 0.6, 0.8, 0.95])]
        for step in (0, *middle, 100):
            page.locator("#threshold").fill(str(step))
            predicted = p >= step / 100
            right = int((predicted & is_class).sum())
            assert page.locator("#at-predicted").inner_text() == f"{predicted.sum()}"
            assert page.locator("#at-missed").inner_text() == f"{is_class.sum() - right}"
            recall = f"{100 * right / is_class.sum():.1f}\u202f%"
            assert page.locator("#at-recall").inner_text() == recall
            precision = (
                f"{100 * right / predicted.sum():.1f}\u202f%"
                if predicted.any()
                else "none predicted"
            )
            assert page.locator("#at-precision").inner_text() == precision
            charts = page.locator("[data-curve]:visible")
            assert charts.count() == 1
            points = charts.locator(".mark-symbol path")
            place = tuple(points.nth(i).get_attribute("transform") for i in range(2))
            places[right, int(predicted.sum())] = place
        assert len(set(places.values())) == len(places) >= 4
        assert visit.complaints == []


def test_dark_page_has_dark_ground_and_light_charts(browser, path):
    found = []
    for scheme in ("light", "dark"):
        with Visit(browser, path.as_uri(), scheme=scheme) as visit:
            script = """[
                getComputedStyle(document.body).backgroundColor,
                getComputedStyle(document.querySelector('svg.marks text')).fill,
            ]"""
            found.append(visit.page.evaluate(script))
    (light_ground, light_text), (dark_ground, dark_text) = found
    assert _brightness(light_ground) > 200 > 120 > _brightness(light_text) > 0
    assert _brightness(dark_ground) < 50 < 130 < _brightness(dark_text)


@pytest.mark.slow
def test_printed_page_is_light_and_whole(browser, path):
    with Visit(browser, path.as_uri(), scheme="dark") as visit:
        assert visit.page.pdf(format="A4").startswith(b"%PDF")
        visit.page.emulate_media(media="print")
        ground = visit.page.evaluate("getComputedStyle(document.querySelector('h2')).color")
        assert _brightness(ground) < 100
        assert not visit.page.locator("nav").is_visible()


def _brightness(color):
    return sum(int(part) for part in color[color.index("(") + 1 : -1].split(",")[:3]) / 3

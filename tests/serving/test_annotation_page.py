"""The page of `wordplane annotate` in a real browser, by keyboard, and with hostile texts.

Tests of wordplane.serving.page and wordplane.serving.annotation_service.
"""

import json

import pytest

import wordplane
from tests.annotation.conftest import TEXTS, truth
from tests.browser import SIZES, Visit
from tests.serving.running import Server

EVIL = [
    "<script>window.hacked = 1</script>",
    "\"><img src=x onerror='window.hacked = 2'>",
    "</div></style><svg onload='window.hacked=3'>",
    "javascript:window.hacked=4",
    "\u202ebidi \u2066isolate \u0000zero \ufeffmark",
    "{{constructor.constructor('window.hacked=5')()}}",
    "'; DROP TABLE events; --",
    "<a href='https://example.org/'>out</a><link rel=stylesheet href=//example.org/x.css>",
]


def serve(folder, texts, *options):
    path = folder / "t.jsonl"
    path.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
    return Server(path, "--project", folder / "p.db", "-v", *options, verb="annotate")


def visit_page(browser, server, *look):
    visit = Visit(browser, server.address + "/", *look, ready="#choices button")
    visit.page.set_default_timeout(8000)
    return visit


def answer(page, key):
    """Press a key, and wait for the next text."""
    before = page.inner_text("#name")
    page.keyboard.press(key)
    page.wait_for_function("b => document.getElementById('name').innerText !== b", arg=before)


def right_key(page):
    return "1" if truth(page.inner_text("#content")) == "spam" else "2"


def open_panel(page, name):
    page.click(f"[data-panel={name}]")
    page.wait_for_selector("#panel:not([hidden])")


@pytest.mark.slow
def test_fifty_texts_by_keyboard_and_all_else_a_person_does(browser, tmp_path):
    with (
        serve(tmp_path, TEXTS, "--labels", "spam,ham") as server,
        visit_page(browser, server) as visit,
    ):
        page = visit.page
        answer(page, "2" if right_key(page) == "1" else "1")  # wrong, to be undone
        answer(page, "u")
        first = page.inner_text("#name")
        wrong = int(first.split()[1])
        answer(page, "2" if right_key(page) == "1" else "1")  # wrong, to be doubted
        for _ in range(49):
            answer(page, right_key(page))
        answer(page, "Space")
        page.wait_for_function(
            "() => document.getElementById('n-labeled').innerText === '50 of 80'"
        )
        page.keyboard.press("g")
        page.wait_for_selector("#guess:not(:empty)")
        open_panel(page, "labels")
        page.fill("#panel-body tr:first-child [name=new]", "advertising")
        page.click("#panel-body tr:first-child button")
        page.wait_for_selector("#choices >> text=advertising")
        page.fill("#panel-form [name=name]", "sale")
        page.click("#panel-form button")
        page.wait_for_selector("#choices >> text=sale")
        page.select_option("#panel-body tr:last-child [name=into]", "ham")
        page.click("#panel-body tr:last-child button")
        page.wait_for_function("() => document.querySelectorAll('#choices button').length === 2")
        correct_doubt(page, wrong)
        open_panel(page, "export")
        with page.expect_download() as download:
            page.click("#panel-form button")
        download.value.save_as(tmp_path / "labels.csv")
        assert visit.complaints == []
        assert all(url.startswith((server.address, "data:", "blob:")) for url in visit.requests)
    labels = dict(rows(tmp_path / "labels.csv"))
    assert len(labels) == 50
    assert set(labels.values()) == {"advertising", "ham"}
    named = {"spam": "advertising", "ham": "ham"}
    assert all(labels[text] == named[truth(text)] for text in labels)
    trained = wordplane.train(tmp_path / "labels.csv")
    assert trained.model.predict(["cheap"]).tolist() == ["advertising"]


def rows(path):
    corpus = wordplane.read(path)
    return zip(corpus.texts, corpus.labels, strict=True)


def correct_doubt(page, wrong):
    """The label that was wrong is on the list of doubts, and is corrected there."""
    text = TEXTS[wrong - 1]
    right = "advertising" if truth(text) == "spam" else "ham"
    for _ in range(40):
        open_panel(page, "doubts")
        page.wait_for_function("() => document.getElementById('panel-body').childElementCount > 0")
        row = page.locator("#panel-body tbody tr", has=page.get_by_text(text, exact=True))
        if row.count():
            row.get_by_role("button", name=right, exact=True).click()
            page.wait_for_function("() => document.getElementById('panel-said').innerText !== ''")
            return
        page.click("[data-panel=doubts]")
        page.wait_for_timeout(500)
    raise AssertionError("the wrong label was never doubted")


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", list(SIZES))
def test_hostile_texts_and_labels_run_nothing(browser, tmp_path, size, scheme):
    texts = [f"{evil} {i}" for i in range(24) for evil in EVIL] + ["long " * 200_000] * 2
    labels = [evil[:60].strip() for evil in EVIL[:4]]
    with serve(tmp_path, texts) as server:
        for label in labels:
            added = {"action": "add", "name": label, "instruction": EVIL[1]}
            assert server.post("/v1/change-labels", added)[0] == 200
        server.post("/v1/comment", {"text": 1, "comment": EVIL[0]})
        for text in (1, 2, len(texts)):
            server.post(
                "/v1/label", {"text": text, "labels": [labels[text % 4]], "person": EVIL[1]}
            )
        with visit_page(browser, server, size, scheme) as visit:
            page = visit.page
            for key in "1234" * 3:
                answer(page, key)
            server.post("/v1/look", {"text": len(texts) - 1})
            page.reload()
            page.wait_for_selector("#choices button")
            for name in ("labels", "comments", "recheck", "people", "rules", "doubts", "choice"):
                open_panel(page, name)
                page.wait_for_timeout(100)
            page.click("[data-panel=search]")
            page.fill("#panel-form input", "script, img")
            page.keyboard.press("Enter")
            page.wait_for_selector("#panel-body table")
            assert page.evaluate("window.hacked") is None
            assert visit.complaints == []
            wide = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
            assert wide <= 0
            assert all(url.startswith((server.address, "data:")) for url in visit.requests)


@pytest.mark.slow
def test_hundreds_of_labels_are_found_by_typing(browser, tmp_path):
    labels = [f"topic {i:03}" for i in range(300)]
    with (
        serve(tmp_path, TEXTS, "--labels", ",".join(labels)) as server,
        visit_page(browser, server) as visit,
    ):
        page = visit.page
        page.keyboard.press("/")
        page.keyboard.type("217")
        assert page.locator("#choices button").all_inner_texts() == ["topic 217"]
        answer(page, "Enter")
        assert server.post("/v1/texts", {})[1]["texts"][0]["labels"] == ["topic 217"]
        page.keyboard.press("?")
        page.wait_for_selector("#help[open]")
        page.keyboard.press("Escape")
        assert visit.complaints == []


@pytest.mark.slow
def test_several_labels_are_saved_with_enter(browser, tmp_path):
    with (
        serve(tmp_path, TEXTS, "--labels", "a,b,c", "--multi") as server,
        visit_page(browser, server) as visit,
    ):
        page = visit.page
        page.keyboard.press("1")
        page.keyboard.press("3")
        page.keyboard.press("2")
        page.keyboard.press("2")
        answer(page, "Enter")
        assert server.post("/v1/texts", {})[1]["texts"][0]["labels"] == ["a", "c"]
        assert visit.complaints == []

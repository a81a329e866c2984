"""The page in a real browser: what a person can do with it, and what it must never do.

Tests of wordplane.serving.page.
"""

import pytest

import wordplane
from tests.browser import SIZES, Visit
from tests.serving.conftest import LABELS, TEXTS
from tests.serving.running import Server

SCRIPT = "<script>window.hacked = 1</script>"
IMAGE = "\"><img src=x onerror='window.hacked = 2'>\u202e"
EVIL = f"great {SCRIPT} </textarea></style><svg onload='window.hacked=3'>{IMAGE} bad"


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    """A server whose model has hostile labels and words."""
    folder = tmp_path_factory.mktemp("hostile")
    evil = {"good": SCRIPT, "bad": IMAGE}
    texts = [f"{text} {word}" for text in TEXTS for word in ("onerror", "svg/onload=alert(1)")]
    labels = [evil[label] for label in LABELS for _ in range(2)]
    analyzer = wordplane.Analyzer(tokens="spaced", ngrams=(1, 1))
    model = wordplane.TextClassifier(analyzer, "nb").fit(texts, labels)
    model.save(folder / "evil.wordplane")
    with Server(folder / "evil.wordplane", "--feedback", folder / "f.sqlite") as running:
        yield running


def visit_page(browser, server, *look):
    return Visit(browser, server.address + "/", *look, ready="#tiles > div")


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", list(SIZES))
def test_typing_shows_label_probabilities_and_words(browser, server, size, scheme):
    with visit_page(browser, server, size, scheme) as visit:
        page = visit.page
        page.locator("#text").press_sequentially("a great film 😀 but dull", delay=5)
        page.wait_for_selector("#flip:not(:empty)")
        assert page.inner_text("#label") in ("good", "bad")
        marked = page.eval_on_selector_all(
            "#highlighted mark", "nodes => nodes.map(n => [n.className.slice(0, 3), n.textContent])"
        )
        assert {word for _, word in marked} == {"great", "dull"} and len(
            {k for k, _ in marked}
        ) == 2
        assert page.inner_text("#highlighted") == "a great film 😀 but dull"
        shown = page.locator("#chances tr").all_inner_texts()
        assert len(shown) == 2 and all("%" in row for row in shown)
        assert "it would be" in page.inner_text("#flip")
        wide = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
        assert wide <= 0
        assert visit.complaints == []
        assert all(url.startswith(server.address) or url == "data:," for url in visit.requests)


def test_a_dropped_file_comes_back_labeled(browser, server, tmp_path):
    rows = "".join(f"{i},{'great fun' if i % 2 else 'dull, bad'!r}\n" for i in range(1200))
    file = tmp_path / "films.csv"
    file.write_text("id,text\n" + rows.replace("'", '"'))
    with visit_page(browser, server) as visit:
        page = visit.page
        data = page.evaluate_handle(
            """text => { const data = new DataTransfer();
                data.items.add(new File([text], "films.csv", {type: "text/csv"}));
                return data; }""",
            file.read_text(),
        )
        page.dispatch_event("#drop", "drop", {"dataTransfer": data})
        page.wait_for_selector("#file-done:visible")
        with page.expect_download() as waiting:
            page.click("#download")
        assert waiting.value.suggested_filename == "films-labeled.csv"
        lines = waiting.value.path().read_text().splitlines()
        assert lines[0] == "id,text,label,probability" and len(lines) == 1201
        assert lines[1].startswith('0,"dull, bad",bad,0.')
        assert page.locator("#preview tbody tr").count() == 8
        assert page.locator("#preview tbody tr").first.inner_text().startswith("bad")
        assert visit.complaints == []


def test_a_file_that_cannot_be_read(browser, server, tmp_path):
    with visit_page(browser, server) as visit:
        for name, content, said in (
            ("bad.csv", "id,text\n1,2,3\n", "3 fields, expected 2"),
            ("picture.png", "x", "not a CSV or JSONL file"),
        ):
            path = tmp_path / name
            path.write_text(content)
            visit.page.set_input_files("#file", path)
            visit.page.wait_for_selector("#file-problem:visible")
            assert said in visit.page.inner_text("#file-problem")


def test_theme_is_kept(browser, server):
    with visit_page(browser, server) as visit:
        page = visit.page

        def paper():
            return page.evaluate("getComputedStyle(document.body).backgroundColor")

        light = paper()
        page.click("#theme")
        page.click("#theme")
        assert page.inner_text("#theme-name") == "Dark" and paper() != light
        page.reload()
        page.wait_for_selector("#tiles > div")
        assert page.inner_text("#theme-name") == "Dark" and paper() != light


def test_by_keyboard_alone(browser, server):
    with visit_page(browser, server) as visit:
        page = visit.page
        assert page.evaluate("document.activeElement.id") == "text"
        page.keyboard.type("great fun")
        page.wait_for_selector("#result:visible")
        order = []
        for _ in range(3):
            page.keyboard.press("Tab")
            order.append(
                page.evaluate("document.activeElement.id || document.activeElement.tagName")
            )
        assert order == ["confirm", "right", "correct"]
        for _ in range(4):
            page.keyboard.press("Shift+Tab")
        assert page.evaluate("document.activeElement.id") == "model"
        page.keyboard.press("ArrowDown")
        page.wait_for_selector("#model-name:text-is('topics')")
        page.keyboard.press("Shift+Tab")
        page.keyboard.press("Enter")
        assert page.inner_text("#theme-name") == "Light"


def test_feedback(browser, hostile):
    with visit_page(browser, hostile) as visit:
        visit.page.fill("#text", "a great film")
        visit.page.wait_for_selector("#result:visible")
        visit.page.select_option("#right", index=1)
        visit.page.click("#correct")
        visit.page.wait_for_selector("#feedback-said:text-matches('^Stored as ')")


def test_nothing_from_data_runs(browser, hostile, tmp_path):
    file = tmp_path / f"x{SCRIPT.replace('/', '')}.csv"
    file.write_text(f'id,"{EVIL.replace(chr(34), chr(34) * 2)}",text\n=1+1,@x,"{SCRIPT}"\n')
    with visit_page(browser, hostile) as visit:
        page = visit.page
        page.fill("#text", EVIL)
        page.wait_for_selector("#flip:not(:empty)")
        page.set_input_files("#file", file)
        page.wait_for_selector("#file-done:visible")
        assert page.evaluate("window.hacked") is None
        assert page.locator("img, iframe, svg[onload], main script").count() == 0
        assert "\u202e" not in page.inner_text("body")
        assert SCRIPT in page.inner_text("#words")
        assert visit.complaints == []


def test_policy_stops_what_is_not_ours(browser, server):
    with visit_page(browser, server) as visit:
        visit.page.evaluate(
            """() => { const s = document.createElement("script");
            s.textContent = "window.hacked = 1";
            document.body.append(s); document.body.insertAdjacentHTML("beforeend",
            "<img src=x onerror='window.hacked = 2'>"); }"""
        )
        visit.page.wait_for_timeout(200)
        assert visit.page.evaluate("window.hacked") is None


@pytest.mark.slow
def test_a_token_is_asked_for(browser, models, tmp_path):
    (tmp_path / "token").write_text("0123456789abcdef\n")
    options = ["--token-file", tmp_path / "token"]
    with Server(models / "films.wordplane", *options) as running:
        page = browser.new_page()
        page.goto(running.address + "/")
        page.wait_for_selector("#token-form:visible")
        page.fill("#token", "0123456789abcdef")
        page.keyboard.press("Enter")
        page.wait_for_selector("#tiles > div")
        page.fill("#text", "great")
        page.wait_for_selector("#result:visible")
        assert page.locator("#token-form").is_hidden()
        page.close()

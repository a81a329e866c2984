"""The page that describes the API, in a real browser.

Tests of wordplane.serving.page: all that /openapi.json has is there, and nothing from elsewhere.
"""

import json

import pytest

from tests.browser import SIZES, Visit
from tests.serving.running import Server

EVIL = "</script><script>window.hacked = 1</script><img src=x onerror='window.hacked = 2'>"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", list(SIZES))
def test_it_shows_all_operations_and_schemas(browser, server, size, scheme):
    described = server.get("/openapi.json")[1]
    with Visit(browser, server.address + "/docs", size, scheme, "#schemas > article") as visit:
        page = visit.page
        operations = [one for path in described["paths"].values() for one in path.values()]
        for operation in operations:
            shown = page.inner_text(f"#{operation['operationId']}")
            assert operation["summary"] in shown
        assert page.locator(".operation").count() == len(operations)
        for name in described["components"]["schemas"]:
            assert page.locator(f"#{name}").count() == 1
        links = page.eval_on_selector_all("a[href^='#']", "nodes => nodes.map(n => n.hash)")
        assert len(links) > 30 and all(page.locator(link).count() == 1 for link in set(links))
        wide = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
        assert wide <= 0
        assert visit.complaints == []
        assert all(url.startswith(server.address) or url == "data:," for url in visit.requests)


def test_examples_are_sent(browser, server):
    with Visit(browser, server.address + "/docs", ready="#schemas > article") as visit:
        page = visit.page
        assert page.is_hidden("#token-form")
        for name, said in (("predict", '"label": "good"'), ("check_health", '"status": "ok"')):
            page.click(f"#{name} details:has(form) summary")
            page.click(f"#{name} form button")
            page.wait_for_selector(f"#{name} .answer-text:text-matches('^200')")
            assert said in page.inner_text(f"#{name} .answer-text")
        command = page.inner_text("#predict pre >> nth=0")
        assert server.address in command and "Content-Type: application/json" in command
        page.fill("#predict textarea", json.dumps({"txt": EVIL, EVIL: 1}))
        page.click("#predict form button")
        page.wait_for_selector("#predict .answer-text:text-matches('^422')")
        assert page.evaluate("window.hacked") is None and page.locator("img").count() == 0


@pytest.mark.slow
def test_a_token_is_used(browser, models, tmp_path):
    (tmp_path / "token").write_text("0123456789abcdef\n")
    options = ["--token-file", tmp_path / "token"]
    with (
        Server(models / "films.wordplane", *options) as running,
        Visit(browser, running.address + "/docs", ready="#schemas > article") as visit,
    ):
        page = visit.page
        page.click("#list_models details:has(form) summary")
        page.click("#list_models form button")
        page.wait_for_selector("#list_models .answer-text:text-matches('^401')")
        page.fill("#token", "0123456789abcdef")
        page.click("#list_models form button")
        page.wait_for_selector("#list_models .answer-text:text-matches('^200')")

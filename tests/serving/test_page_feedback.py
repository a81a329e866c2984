"""What people send as feedback on the page: never a label that they have not seen and chosen.

Tests of wordplane.serving.page.
"""

import json
import sqlite3
from contextlib import closing

import pytest

from tests.browser import Visit
from tests.serving.running import Server
from tests.serving.worst_models import save_model


@pytest.fixture(scope="module")
def taught(models, tmp_path_factory):
    """A server with a model of two labels, one of many, and one that is multi-label."""
    folder = tmp_path_factory.mktemp("taught")
    many = save_model(folder / "many.wordplane", [f"label-{i:02}" for i in range(77)])
    store = folder / "f.sqlite"
    files = [models / "films.wordplane", many, models / "topics.wordplane"]
    with Server(*files, "--feedback", store) as running:
        running.store = store
        yield running


def visit_page(browser, server, text, model="films"):
    visit = Visit(browser, server.address + "/", ready="#tiles > div")
    visit.page.select_option("#model", model)
    visit.page.fill("#text", text)
    visit.page.wait_for_selector("#result:visible")
    return visit


def stored(server):
    with closing(sqlite3.connect(server.store)) as connection:
        rows = connection.execute("SELECT model, text, label FROM feedback ORDER BY number")
        return [(model, text, json.loads(label)) for model, text, label in rows]


def test_the_field_shows_what_was_predicted(browser, taught):
    """Also after another label was chosen for another text."""
    from playwright.sync_api import expect

    with visit_page(browser, taught, "a great film") as visit:
        page = visit.page
        assert page.input_value("#right") == page.inner_text("#label") == "good"
        page.select_option("#right", "bad")
        page.wait_for_selector("#flip:not(:empty)")
        assert page.input_value("#right") == "bad"  # the same text: the choice stays
        page.fill("#text", "a great film, great fun")
        expect(page.locator("#right")).to_have_value("good")
        page.fill("#text", "a dull film")
        expect(page.locator("#right")).to_have_value("bad")
        assert visit.complaints == []


def test_one_click_says_that_it_is_right(browser, taught):
    with visit_page(browser, taught, "a great film") as visit:
        n_before = len(stored(taught))
        visit.page.click("#confirm")
        visit.page.wait_for_selector("#feedback-said:text-is('Stored as good.')")
        assert stored(taught)[n_before:] == [("films", "a great film", "good")]
        assert visit.page.is_disabled("#confirm") and visit.page.is_disabled("#correct")
        visit.page.fill("#text", "great fun")
        visit.page.wait_for_selector("#confirm:enabled")


def test_many_labels_are_found_by_typing(browser, taught):
    with visit_page(browser, taught, "word7 word0", "many") as visit:
        page, n_before = visit.page, len(stored(taught))
        assert page.is_hidden("#right") and page.is_visible("#right-of-many")
        assert page.input_value("#right-of-many") == page.inner_text("#label")
        assert page.locator("#labels option").count() == 77
        page.focus("#right-of-many")
        page.keyboard.type("label-4")  # takes the place of what was there
        assert page.input_value("#right-of-many") == "label-4"
        assert page.is_disabled("#correct")  # no label
        page.keyboard.type("2")
        assert page.is_enabled("#correct")
        page.keyboard.press("Enter")
        page.wait_for_selector("#feedback-said:text-is('Stored as label-42.')")
        assert stored(taught)[n_before:] == [("many", "word7 word0", "label-42")]


def test_several_labels_have_no_field_for_one(browser, taught):
    with visit_page(browser, taught, "good fun", "topics") as visit:
        assert visit.page.is_hidden("#feedback")


def test_a_file_in_another_encoding(browser, taught, tmp_path):
    """The page suggests one, and sends the file again."""
    file = tmp_path / "films.csv"
    file.write_bytes("id;text\n1;a great film für “mich”\n".encode("cp1252"))
    with Visit(browser, taught.address + "/", ready="#tiles > div") as visit:
        page = visit.page
        page.set_input_files("#file", file)
        page.wait_for_selector("#file-suggestion:visible")
        assert "not UTF-8" in page.inner_text("#file-problem")
        assert "Windows-1252" in page.inner_text("#suggested")
        page.click("#suggested")
        page.wait_for_selector("#file-done:visible")
        assert page.input_value("#encoding") == "cp1252"
        assert "für “mich”" in page.inner_text("#preview")
        page.select_option("#encoding", "")
        page.set_input_files("#file", file)
        page.wait_for_selector("#file-suggestion:visible")
        page.select_option("#encoding", "latin-1")
        page.wait_for_selector("#file-done:visible")
        with page.expect_download() as waiting:
            page.click("#download")
        assert "a great film für" in waiting.value.path().read_text(encoding="utf-8")

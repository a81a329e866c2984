"""What the page of `wordplane annotate` asks for, and what is refused.

Tests of wordplane.serving.annotation_service, wordplane.serving.annotating and
wordplane.serving.application.
"""

import json
from pathlib import Path

import pytest

import wordplane
from tests.annotation.conftest import TEXTS, truth
from tests.serving.running import Server
from wordplane.annotation.project import Project
from wordplane.serving.annotation_service import AnnotationService
from wordplane.serving.logs import Log
from wordplane.serving.settings import ListenOptions

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def labeling(tmp_path_factory):
    """A server of eighty texts; tests add answers."""
    folder = tmp_path_factory.mktemp("annotate")
    (folder / "t.csv").write_text("text\n" + "".join(f'"{text}"\n' for text in TEXTS))
    options = ("--labels", "spam,ham", "--project", folder / "p.db", "-v")
    with Server(folder / "t.csv", *options, verb="annotate") as running:
        running.project = folder / "p.db"
        yield running


def do(server, path, **given):
    status, answer = server.post(f"/v1/{path}", given)
    assert status == 200, answer
    return answer


def test_a_session(labeling):
    item = do(labeling, "next")["item"]
    assert item["content"] == TEXTS[item["text"] - 1] and item["reason"]
    for _ in range(12):
        item = do(labeling, "label", text=item["text"], labels=[truth(item["content"])])["item"]
    before = do(labeling, "skip", text=item["text"])["item"]
    assert do(labeling, "undo")["item"]["text"] == item["text"] != before["text"]
    status = do(labeling, "status")
    assert status["progress"]["n_labeled"] == 12
    assert {label["name"] for label in status["labels"]} == {"spam", "ham"}
    # It is on disk: another process sees it.
    assert len(wordplane.read(labeling.project)) == 12


def test_the_guide_has_every_path(tmp_path):
    project = Project.create(tmp_path / "p.db", TEXTS, labels=["spam", "ham"])
    service = AnnotationService(project, ListenOptions(), Log())
    project.close()
    guide = (ROOT / "docs" / "guide" / "annotation.md").read_text()
    paths = [path.removeprefix("/v1/") for path in service.routes if path.startswith("/v1/")]
    assert len(paths) > 10
    assert [path for path in paths if f"`{path}`" not in guide and f"/v1/{path}" not in guide] == []


def test_lists_and_settings(labeling):
    found = do(labeling, "search", query="cheap")
    assert found["n"] == len(found["texts"]) > 0
    assert do(labeling, "label-matches", query="cheap", label="spam")["n"] == found["n"]
    assert do(labeling, "search", query="cheap")["n"] == 0
    do(labeling, "change-labels", action="add", name="offer", instruction="somebody sells")
    do(labeling, "change-labels", action="rename", name="offer", new="sale")
    changed = do(labeling, "change-labels", action="merge", name="sale", into="spam")
    assert [label["name"] for label in changed["labels"]] == ["spam", "ham"]
    do(labeling, "change-labels", action="instruct", name="spam", instruction="unwanted")
    rules = do(labeling, "rules", action="add", label="spam", pattern="prize")["rules"]
    assert rules[0]["coverage"] == 0.25
    assert do(labeling, "rules", action="remove", number=rules[0]["number"])["rules"] == []
    comments = do(labeling, "comment", text=1, comment="why?\nreally")["comments"]
    assert comments[0]["comment"] == "why?\nreally"
    assert do(labeling, "shares", shares={"random": 1, "uncertain": 1})["shares"]["random"] == 0.5
    assert do(labeling, "texts", label="spam")["texts"]
    for action in ("doubts", "agreement", "forecast", "comments"):
        assert do(labeling, action)
    assert "words" in do(labeling, "explain", text=1)


def test_no_guess_is_sent_for_texts_that_measure(labeling):
    item = do(labeling, "next", person="eve")["item"]
    for _ in range(8):
        if item["reason"] == "random":
            assert item["measures"] and item["guess"] is None and item["probability"] is None
        item = do(labeling, "label", text=item["text"], labels=["ham"], person="eve")["item"]


@pytest.mark.parametrize("form", ["csv", "jsonl", "label-studio", "parquet"])
def test_export(labeling, form):
    do(labeling, "label", text=1, labels=["spam"])
    status, headers, body = labeling.ask("GET", f"/v1/export?format={form}")
    assert status == 200 and body and "attachment" in headers["content-disposition"]
    assert headers["content-security-policy"].startswith("default-src 'none'")


@pytest.mark.parametrize(
    ("action", "given", "said"),
    [
        ("label", {"text": 1}, "labels is missing, expected a list of strings"),
        ("label", {"text": "1", "labels": ["ham"]}, "text is '1', expected a number"),
        ("label", {"text": True, "labels": ["ham"]}, "text is True, expected a number"),
        ("label", {"text": 10**9, "labels": ["ham"]}, "there is no text"),
        ("label", {"text": 1, "labels": ["<b>"]}, "there is no label '<b>'"),
        ("label", {"text": 1, "labels": []}, "0 labels for a text, expected one"),
        ("explain", {"text": 10**9}, "there is no text 1000000000"),
        ("search", {"query": " "}, "the pattern is"),
        ("search", {"query": "a\x00"}, "expected a string"),
        ("next", {"person": "x" * 500}, "the name has 500 characters"),
        ("change-labels", {"action": "drop", "name": "ham"}, "expected add, rename"),
        ("change-labels", {"action": "add", "name": "ham"}, "there is a label 'ham' already"),
        ("shares", {"shares": {"random": "x"}}, "the shares are"),
        ("rules", {"action": "remove", "number": 99}, "there is no rule 99"),
        ("comment", {"text": 1, "comment": ""}, "a comment has 0 characters"),
        ("comment", {"text": 1, "comment": "\ud800"}, "lone surrogate"),
        ("explain", {"text": 0}, "no text 0"),
        ("explain", {"text": 10**30}, "no text 1000"),
    ],
)
def test_wrong_requests_say_what_is_wrong(labeling, action, given, said):
    status, problem = labeling.post(f"/v1/{action}", given)
    assert status == 422 and said in problem["detail"]


def test_other_sites_and_forms_are_refused(labeling):
    body = json.dumps({"text": 1, "labels": ["ham"]})
    status, _, _ = labeling.ask("POST", "/v1/label", body, {"Content-Type": "text/plain"})
    assert status == 415
    headers = {"Content-Type": "application/json", "Host": "evil.example"}
    assert labeling.ask("POST", "/v1/label", body, headers)[0] == 400
    assert labeling.ask("GET", "/v1/label")[0] == 405
    assert labeling.ask("GET", "/v1/export?format=exe")[0] == 422
    assert labeling.ask("GET", "/nothing")[0] == 404
    _, headers, page = labeling.ask("GET", "/")
    assert "script-src 'self'" in headers["content-security-policy"]
    assert b"http://" not in page and b"https://" not in page


@pytest.mark.slow
def test_a_token_is_needed_where_there_is_one(tmp_path):
    (tmp_path / "t.txt").write_text("a\nb\n")
    (tmp_path / "token").write_text("0123456789abcdef\n")
    options = ("--project", tmp_path / "p.db", "--token-file", tmp_path / "token")
    with Server(tmp_path / "t.txt", *options, verb="annotate") as server:
        assert server.post("/v1/next", {})[0] == 401
        assert server.get("/v1/export")[0] == 401
        token = {"Authorization": "Bearer 0123456789abcdef"}
        assert server.post("/v1/next", {}, token)[0] == 200
        assert server.ask("GET", "/")[0] == 200
    assert server.process.returncode == 0

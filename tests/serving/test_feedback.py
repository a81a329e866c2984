"""Feedback: what was acknowledged is stored, and read like any other file.

Tests of wordplane.serving.feedback, and of wordplane.serving.recent.
"""

import http.client
import json
import os
import re
import signal
import sqlite3
import threading
import time
from contextlib import closing

import pytest

import wordplane
from tests.serving.running import Server
from wordplane.evaluation.intervals import wilson_interval
from wordplane.serving.bodies import FeedbackBody
from wordplane.serving.catalog import Catalog
from wordplane.serving.feedback import Feedback, open_store
from wordplane.serving.recent import MAX_TEXT, RING_BYTES, Rings


def stored(path):
    with closing(sqlite3.connect(path)) as connection:
        query = "SELECT model, id, text, label, predicted FROM feedback ORDER BY number"
        return [
            (model, id, text, value(label), value(predicted))
            for model, id, text, label, predicted in connection.execute(query)
        ]


def value(stored):
    """Columns of JSON hold numbers as numbers."""
    return json.loads(stored) if isinstance(stored, str) else stored


def test_by_text_by_id_and_by_row(server):
    before = len(stored(server.store))
    _, answer = server.post("/v1/predict", {"texts": ["great fun 😀", "dull"]})
    first, second = (row["id"] for row in answer["rows"])
    status, said = server.post("/v1/feedback", {"id": second, "label": "good"})
    assert status == 200 and (said["label"], said["predicted"]) == ("good", "bad")
    assert server.post("/v1/feedback", {"id": first, "label": "good"})[0] == 200
    assert server.post("/v1/feedback", {"id": 5, "text": "fine", "label": "good"})[0] == 200
    given = {"model": "topics", "text": "good fun", "label": ["long", "fun"]}
    assert server.post("/v1/feedback", given)[0] == 200
    row = {"text": "a film", "links": 9, "from": "b"}
    assert server.post("/v1/feedback", {"model": "mails", "row": row, "label": 1})[0] == 200
    found = stored(server.store)[before:]
    assert [entry[:4] for entry in found] == [
        ("films", second, "dull", "good"),
        ("films", first, "great fun 😀", "good"),
        ("films", "5", "fine", "good"),
        ("topics", None, "good fun", ["fun", "long"]),
        ("mails", None, "a film", 1),
    ]
    assert found[0][4] == "bad"


@pytest.mark.parametrize(
    "given, kind, field",
    [
        ({"text": "a"}, "invalid-field", "/label"),
        ({"label": "good"}, "invalid-field", "/text"),
        ({"text": "a", "label": "nice"}, "invalid-field", "/label"),
        ({"text": "a", "label": ["good"]}, "invalid-field", "/label"),
        ({"text": "a", "label": None}, "invalid-field", "/label"),
        ({"model": "topics", "text": "a", "label": "fun"}, "invalid-field", "/label"),
        ({"id": "1-0-0000000000000000", "label": "good"}, "unknown-id", "/id"),
        ({"id": "1", "label": "good"}, "unknown-id", "/id"),
    ],
)
def test_problems(server, given, kind, field):
    before = len(stored(server.store))
    status, answer = server.post("/v1/feedback", given)
    assert (status, answer["type"], answer["field"]) == (
        422,
        f"urn:wordplane:problem:{kind}",
        field,
    )
    assert len(stored(server.store)) == before


@pytest.mark.slow
def test_train_evaluate_and_metrics_read_it(models, tmp_path):
    store = tmp_path / "store.sqlite"
    with Server(models / "films.wordplane", "--feedback", store, "--workers", 2) as running:
        for i in range(12):
            label = "good" if i % 3 else "bad"
            given = {"text": f"great film {i}", "label": label, "id": f"r{i}"}
            assert running.post("/v1/feedback", given)[0] == 200
        text = running.ask("GET", "/metrics")[2].decode()
    corpus = wordplane.read(store)
    assert corpus.ids == [f"r{i}" for i in range(12)] and corpus.labels.count("good") == 8
    assert wordplane.evaluate(models / "films.wordplane", store).scores.accuracy == 8 / 12
    assert len(wordplane.train(store, test=False).model.classes_) == 2
    low, high = wilson_interval(8, 12)
    values = dict(line.rsplit(" ", 1) for line in text.splitlines() if line[0] != "#")
    name = 'wordplane_feedback_accuracy{}{{model="films"}}'
    assert float(values[name.format("")]) == pytest.approx(8 / 12)
    assert float(values[name.format("_low")]) == pytest.approx(low)
    assert float(values[name.format("_high")]) == pytest.approx(high)


@pytest.mark.slow
def test_without_a_store(models):
    with Server(models / "films.wordplane") as running:
        status, answer = running.post("/v1/feedback", {"text": "a", "label": "good"})
        assert (status, answer["type"]) == (501, "urn:wordplane:problem:no-feedback")
        assert running.get("/v1/models")[1]["feedback"] is False


@pytest.mark.slow
def test_a_full_store(models, tmp_path):
    """What was acknowledged is there, the file is not larger than allowed, and reading goes on."""
    store = tmp_path / "store.sqlite"
    options = ["--feedback", store, "--max-feedback", 1]
    given = {"text": "great " * 30_000, "label": "good"}
    with Server(models / "films.wordplane", *options) as running:
        answers = [running.post("/v1/feedback", given) for _ in range(8)]
        statuses = [status for status, _ in answers]
        assert statuses == sorted(statuses) and set(statuses) == {200, 507}
        assert answers[-1][1]["type"] == "urn:wordplane:problem:feedback-full"
        assert "--max-feedback" in answers[-1][1]["advice"]
        assert running.post("/v1/predict", {"text": "great"})[0] == 200
        text = running.ask("GET", "/metrics")[2].decode()
        assert 'wordplane_requests_total{path="/v1/feedback",status="507"} 3\n' in text
    assert not [line for line in running.log() if line["level"] == "error"]
    assert statuses.count(200) == 5  # of 180,000 bytes
    assert [text for _, _, text, _, _ in stored(store)][:5] == [given["text"]] * 5
    assert store.stat().st_size <= 1 << 20


def kill_while_storing(models, folder, moments):
    """kill -9 of the worker while feedback comes; returns what was acknowledged and stored."""
    store = folder / "store.sqlite"
    acknowledged = []
    with Server(models / "films.wordplane", "--feedback", store) as running:
        stop = threading.Event()

        def send(k):
            number = 0
            while not stop.is_set():
                number += 1
                text = f"text {k}-{number}"
                try:
                    status, _ = running.post("/v1/feedback", {"text": text, "label": "good"})
                except (OSError, ValueError, http.client.HTTPException):
                    time.sleep(0.01)
                    continue
                if status == 200:
                    acknowledged.append(text)

        threads = [threading.Thread(target=send, args=(k,)) for k in range(2)]
        for thread in threads:
            thread.start()
        for moment in moments:
            n_before, until = len(acknowledged), time.monotonic() + 20
            while len(acknowledged) == n_before:
                assert time.monotonic() < until, "no feedback is stored any more"
                time.sleep(0.002)
            time.sleep(moment)
            for pid in running.workers():
                os.kill(pid, signal.SIGKILL)
                running.wait_for_log("worker-died", 10, worker=pid)
        time.sleep(0.2)
        stop.set()
        for thread in threads:
            thread.join()
    return acknowledged, {text for _, _, text, _, _ in stored(store)}


@pytest.mark.slow
def test_what_was_acknowledged_survives_kill_9(models, tmp_path):
    acknowledged, kept = kill_while_storing(models, tmp_path, [0.0, 0.023, 0.031])
    assert len(acknowledged) >= 3 and set(acknowledged) <= kept


@pytest.mark.soak
def test_what_was_acknowledged_survives_kill_9_at_100_moments(models, tmp_path):
    moments = [0.0011 * k for k in range(100)]
    acknowledged, kept = kill_while_storing(models, tmp_path, moments)
    print(f"{len(acknowledged)} acknowledged, {len(kept)} stored")  # noqa: T201
    assert len(acknowledged) >= 100 and set(acknowledged) <= kept


def test_rings_forget_the_oldest():
    rings = Rings(3)
    writer, other = rings.writer(1), rings.writer(2)
    mine = other.add("mine")
    ids = {f"text {i} " + "é" * 5000: None for i in range(RING_BYTES // 5000)}
    for text in ids:
        ids[text] = writer.add(text)
    texts = list(ids)
    assert rings.find(ids[texts[-1]]) == texts[-1] and rings.find(ids[texts[0]]) is None
    found = [rings.find(id) for id in ids.values()]
    assert all(one in (text, None) for one, text in zip(found, texts, strict=True))
    assert 300 < sum(one is not None for one in found) < 500
    assert rings.find(mine) == "mine"
    assert writer.add("x" * (MAX_TEXT + 1)) is None
    for wrong in ("", "1", "ffff-0-0123456789abcdef", "1-ffffffff-0123456789abcdef"):
        assert rings.find(wrong) is None


def test_counts_are_kept_and_not_read_from_all_feedback(models, tmp_path):
    store = tmp_path / "store.sqlite"
    served = Catalog.load((str(models / "films.wordplane"),), None, 1).default
    feedback = Feedback(str(store), 1 << 30, Rings(2), 1)
    for i in range(9):
        asked = FeedbackBody("good" if i % 3 else "bad", None, None, "great fun")
        feedback.append(served, asked)
    feedback._store().execute("INSERT INTO agreement VALUES ('none', 0, 0)")
    statements = []
    feedback._store().set_trace_callback(statements.append)
    values = {series.name: value for series, value in feedback.series()}
    assert values["wordplane_feedback_total"] == 9
    assert values["wordplane_feedback_accuracy"] == pytest.approx(6 / 9)
    assert len(statements) == 1 and not re.search(r"\bfeedback\b", statements[0])
    feedback._store().close()
    with closing(open_store(str(store))) as again:  # counted also by the next process
        assert again.execute("SELECT n, n_right FROM agreement").fetchall()[0] == (9, 6)

"""Random requests to a model of each kind find no failure and no lost row.

Tests of wordplane.serving.service, with wordplane.serving.bodies and wordplane.serving.streams.
"""

import csv
import http.client
import io
import json
from urllib.parse import urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

import wordplane
from tests.serving.conftest import LABELS, TEXTS
from tests.serving.running import Server
from tests.serving.worst_models import save_worst

NAMES = ["films", "topics", "mails", "fields", "ordinal", "one", "many", "thousand", "numbers"]
NAMES += ["tree"]
FAILURES = {500, 502, 504, 507}


@pytest.fixture(scope="module")
def every(models, tmp_path_factory):
    """A server with a model of each kind."""
    folder = tmp_path_factory.mktemp("kinds")
    rows = {"title": TEXTS, "body": TEXTS[::-1], "image": [[float(i), 1.0] for i in range(8)]}
    analyzer = wordplane.Analyzer(fields=["title", "body"], columns={"image": "vector"})
    fields = wordplane.TextClassifier(analyzer, "logistic").fit(rows, [k == "good" for k in LABELS])
    fields.save(folder / "fields.wordplane")
    wordplane.TextClassifier(learner="ordinal").fit(TEXTS, [1, 2, 3, 3, 2, 1, 1, 2]).save(
        folder / "ordinal.wordplane"
    )
    wordplane.TextClassifier(learner="oneclass").fit(TEXTS[:4], ["good"] * 4).save(
        folder / "one.wordplane"
    )
    files = [models / f"{name}.wordplane" for name in NAMES[:3]]
    files += [folder / f"{name}.wordplane" for name in NAMES[3:6]]
    with Server(*files, *save_worst(folder), "--feedback", folder / "f.sqlite") as running:
        running.connection = http.client.HTTPConnection(running.host, running.port, timeout=60)
        running.labels = {
            model["name"]: model["labels"] for model in running.get("/v1/models")[1]["models"]
        }
        running.statuses = []
        yield running
        running.connection.close()
        assert running.statuses.count(200) > len(running.statuses) / 5
        assert not [line for line in running.log() if line["level"] == "error"]


def ask(server, path, body, media_type="application/json"):
    try:
        server.connection.request("POST", path, body, {"Content-Type": media_type})
        answer = server.connection.getresponse()
    except (http.client.RemoteDisconnected, BrokenPipeError):  # it was idle for too long
        server.connection.close()
        server.connection.request("POST", path, body, {"Content-Type": media_type})
        answer = server.connection.getresponse()
    data = answer.read()
    server.statuses.append(answer.status)
    assert answer.status not in FAILURES, data
    if answer.status != 200:
        problem = json.loads(data)
        assert problem["status"] == answer.status and problem["detail"]
    return answer.status, data


scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.sampled_from([0, 1, 2, 2**31, 2**63, 2**64, -1, 10**300]),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=20),
)
anything = st.recursive(
    scalars,
    lambda part: st.one_of(
        st.lists(part, max_size=4), st.dictionaries(st.text(max_size=8), part, max_size=4)
    ),
    max_leaves=8,
)
texts = st.one_of(
    st.text(max_size=60),
    st.sampled_from(
        ["", " ", "great film", "word1 word2", "dull " * 300, "😀\u0301\u200d", "\0\x1b"]
    ),
)
names = st.sampled_from(NAMES)
rows = st.fixed_dictionaries(
    {"text": texts},
    optional={
        "id": st.one_of(st.text(max_size=10), st.integers()),
        "links": st.one_of(st.integers(-9, 9), st.floats(allow_nan=False, allow_infinity=False)),
        "from": st.sampled_from(["a", "b", "c"]),
        "title": texts,
        "body": texts,
        "image": st.lists(st.floats(-9, 9), min_size=1, max_size=3),
    },
)
options = st.fixed_dictionaries(
    {},
    optional={
        "top_k": st.one_of(st.integers(1, 30_000), scalars),
        "min_confidence": st.one_of(st.floats(0, 1), scalars),
        "set_confidence": st.one_of(st.floats(0, 1), scalars),
        "known": st.one_of(st.booleans(), scalars),
    },
)


@pytest.mark.slow
@given(names, st.lists(texts, max_size=8), options)
def test_texts(every, name, given_texts, more):
    body = {"model": name, "texts": given_texts, **more}
    status, data = ask(every, "/v1/predict", json.dumps(body))
    if status == 200:
        check_rows(json.loads(data)["rows"], len(given_texts), every.labels[name])


@given(names, st.lists(rows, max_size=5), options)
def test_rows(every, name, given_rows, more):
    status, data = ask(
        every, "/v1/predict", json.dumps({"model": name, "rows": given_rows, **more})
    )
    if status == 200:
        found = json.loads(data)["rows"]
        check_rows(found, len(given_rows), every.labels[name])
        for i, (row, sent) in enumerate(zip(found, given_rows, strict=True)):
            assert row["id"] == str(sent.get("id", i + 1))


def check_rows(found, n, labels):
    assert len(found) == n
    known = set(labels)
    for row in found:
        own = row["labels"] if "labels" in row else [row["label"]]
        assert {one for one in own if one is not None} <= known
        for name in ("top_labels", "label_set"):
            assert set(row.get(name, ())) <= known
        chances = [*row.get("top_probabilities", ()), *row.get("probabilities", ())]
        if row.get("probability") is not None:  # an empty text has none
            chances.append(row["probability"])
        assert all(0 <= p <= 1 for p in chances)


@given(names, texts, st.one_of(st.none(), rows), options, st.booleans())
def test_explanations(every, name, text, row, more, flip):
    body = {"model": name, "flip": flip, **({"text": text} if row is None else {"row": row})}
    if "top_k" in more:
        body["top_k"] = more["top_k"]
    status, data = ask(every, "/v1/explain", json.dumps(body))
    if status == 200:
        shown = text if row is None else row["text"]
        for word in json.loads(data)["words"] if name != "fields" else []:
            assert 0 <= word["start"] < word["end"] <= len(shown)


@given(names, texts, scalars, st.one_of(st.none(), rows))
def test_feedback(every, name, text, label, row):
    body = {"model": name, "label": label, **({"text": text} if row is None else {"row": row})}
    status, data = ask(every, "/v1/feedback", json.dumps(body))
    if status == 200:
        assert json.loads(data)["model"] == name


@given(st.sampled_from(["/v1/predict", "/v1/explain", "/v1/feedback"]), anything)
def test_any_json(every, path, body):
    ask(every, path, json.dumps(body))
    if isinstance(body, dict):
        ask(every, path, json.dumps({"text": "great", **body}))


@given(
    names,
    st.lists(rows, min_size=1, max_size=5),
    st.sampled_from(["utf-8", "cp1252", "utf-16", "shift_jis", "punycode", "x"]),
    st.sampled_from(["utf-8", "cp1252", "utf-16", "shift_jis"]),
    options,
    st.booleans(),
)
def test_files(every, name, given_rows, encoding, written, more, is_csv):
    if is_csv:
        file = io.StringIO()
        writer = csv.DictWriter(file, sorted({key for row in given_rows for key in row}))
        writer.writeheader()
        writer.writerows(given_rows)
        text = file.getvalue()
    else:
        text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in given_rows)
    query = urlencode(
        {"model": name, "encoding": encoding, "keep": "true", **more}, errors="replace"
    )
    media_type = "text/csv" if is_csv else "application/jsonl"
    body = text.encode(written, "replace")
    status, data = ask(every, f"/v1/predict?{query}", body, media_type)
    if status == 200 and not is_csv:
        assert len([json.loads(line) for line in data.decode().split("\n") if line]) > 0

"""Clients that are generated from /openapi.json work. Tests of wordplane.serving.openapi and
wordplane.serving.openapi_schemas.
"""

import importlib
import importlib.util
import json
import re
import subprocess
import sys

import pytest


def need(module):
    if importlib.util.find_spec(module) is None:
        pytest.skip(f"{module} is not installed: no client was generated")


def described(server):
    return server.get("/openapi.json")[1]


def test_every_object_has_a_name(server):
    """Only components are objects with properties; everything else refers to them."""
    document = described(server)

    def objects(node, at):
        if isinstance(node, dict):
            if "properties" in node and node.get("type") == "object":
                yield at
            for name, part in node.items():
                yield from objects(part, (*at, name))
        elif isinstance(node, list):
            for i, part in enumerate(node):
                yield from objects(part, (*at, i))

    places = list(objects(document, ()))
    assert len(places) > 20
    assert all(at[:2] == ("components", "schemas") and len(at) == 3 for at in places)
    names = set(document["components"]["schemas"])
    used = set(re.findall(r'"#/components/schemas/(\w+)"', json.dumps(document)))
    assert used == names


def test_every_operation_has_an_id_and_a_tag(server):
    document = described(server)
    operations = [one for path in document["paths"].values() for one in path.values()]
    ids = [operation["operationId"] for operation in operations]
    assert len(set(ids)) == len(ids) >= 8 and all(id.isidentifier() for id in ids)
    tags = {tag["name"] for tag in document["tags"]}
    assert {tag for operation in operations for tag in operation["tags"]} == tags


@pytest.fixture
def openapi_client(server, tmp_path, monkeypatch):
    """The package that openapi-python-client makes."""
    need("openapi_python_client")
    (tmp_path / "openapi.json").write_text(json.dumps(described(server)))
    command = [sys.executable, "-m", "openapi_python_client", "generate", "--meta", "none"]
    done = subprocess.run(
        [*command, "--path", "openapi.json", "--output-path", "made_client"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    said = done.stdout + done.stderr
    assert done.returncode == 0 and "duplicate" not in said, said
    monkeypatch.syspath_prepend(str(tmp_path))
    yield importlib.import_module("made_client")
    for name in [name for name in sys.modules if name.partition(".")[0] == "made_client"]:
        del sys.modules[name]


@pytest.mark.slow
def test_openapi_python_client(openapi_client, server):
    def operation(name):
        return importlib.import_module(f"made_client.api.{name}").sync

    models = importlib.import_module("made_client.models")
    with openapi_client.Client(base_url=server.address) as client:
        predict = operation("predictions.predict")
        for body in (
            models.PredictText(text="a great film", top_k=2),
            models.PredictTexts(texts=["a great film"]),
            models.PredictRows(rows=[models.Row(text="a great film", id="7")]),
        ):
            answer = predict(client=client, body=body)
            assert isinstance(answer, models.PredictAnswer)
            (row,) = answer.rows
            assert isinstance(row, models.Prediction) and row.label == "good"
        several = predict(client=client, body=models.PredictText(text="fun", model="topics"))
        assert isinstance(several.rows[0], models.MultiLabelPrediction)
        problem = predict(client=client, body=models.PredictText(text="fun", model="none"))
        assert isinstance(problem, models.Problem) and problem.status == 404
        explained = operation("predictions.explain")(
            client=client, body=models.ExplainText(text="a great film")
        )
        assert explained.label == "good" and isinstance(explained.flip, models.Flip)
        stored = operation("feedback.send_feedback")(
            client=client, body=models.FeedbackByText(text="a great film", label="good")
        )
        assert stored.predicted == "good"
        found = operation("models.list_models")(client=client)
        assert [model.name for model in found.models] == ["films", "topics", "mails"]
        assert operation("operations.check_health")(client=client).status == "ok"


@pytest.mark.slow
def test_datamodel_code_generator(server, tmp_path, monkeypatch):
    need("datamodel_code_generator")
    (tmp_path / "openapi.json").write_text(json.dumps(described(server)))
    command = [sys.executable, "-m", "datamodel_code_generator", "--input", "openapi.json"]
    command += ["--output", "made_models.py", "--output-model-type", "pydantic_v2.BaseModel"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    classes = re.findall(r"^class (\w+)", (tmp_path / "made_models.py").read_text(), re.M)
    assert set(classes) == set(described(server)["components"]["schemas"])
    monkeypatch.syspath_prepend(str(tmp_path))
    made = importlib.import_module("made_models")
    asked = made.PredictTexts(texts=["a great film", "so dull"], top_k=2)
    body = asked.model_dump_json(exclude_none=True).encode()
    answer = made.PredictAnswer.model_validate(server.post("/v1/predict", body)[1])
    assert [row.label.root for row in answer.rows] == ["good", "bad"]
    body = made.ExplainText(text="a great film").model_dump_json(exclude_none=True).encode()
    explained = made.Explanation.model_validate(server.post("/v1/explain", body)[1])
    assert explained.words and explained.label.root == "good"
    cards = made.Models.model_validate(server.get("/v1/models")[1])
    assert cards.models[0].name == "films"
    del sys.modules["made_models"]

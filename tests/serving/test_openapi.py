"""Tests of wordplane.serving.openapi: random requests find no answer that it does not describe."""

import os

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

import wordplane
from tests.serving.running import Server

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
N_OPERATIONS = 7  # that of the document itself is left out by schemathesis


def ask_all(server, n_examples):
    """Requests by the schema and against it; returns by operation the statuses of the answers."""
    schema = schemathesis.openapi.from_url(f"{server.address}/openapi.json")
    statuses = {}
    with requests.Session() as session:
        for result in schema.get_all_operations():
            operation = result.ok()
            found = statuses[operation.label] = []
            has_body = operation.label.startswith("POST")
            for mode in GenerationMode if has_body else [GenerationMode.POSITIVE]:
                ask_one(operation, mode, session, n_examples, found)
    return statuses


def ask_one(operation, mode, session, n_examples, found):
    @settings(
        max_examples=n_examples,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
        derandomize="WORDPLANE_RANDOM" not in os.environ,
    )
    @given(case=operation.as_strategy(generation_mode=mode))
    def check(case):
        answer = case.call_and_validate(session=session, checks=CHECKS)
        assert answer.status_code != 200 or not mode.is_negative
        found.append(answer.status_code)

    check()


@pytest.mark.slow
def test_random_requests(server):
    statuses = ask_all(server, 15)
    assert len(statuses) == N_OPERATIONS
    assert {200, 422} <= set(statuses["POST /v1/predict"])
    assert {200} <= set(statuses["POST /v1/explain"])
    assert server.post("/v1/predict", {"text": "great"})[0] == 200


@pytest.mark.soak
def test_ten_thousand_random_requests(server):
    statuses = ask_all(server, 1700)
    counts = {}
    for status in (status for some in statuses.values() for status in some):
        counts[status] = counts.get(status, 0) + 1
    print(counts)  # noqa: T201
    assert sum(counts.values()) > 10_000 and not any(status >= 500 for status in counts)
    assert server.post("/v1/predict", {"text": "great"})[0] == 200


@pytest.mark.slow
def test_random_requests_for_numbers(tmp_path):
    model = wordplane.TextRegressor().fit(["great", "good", "dull", "long"] * 10, [9, 7, 2, 4] * 10)
    model.save(tmp_path / "stars.wordplane")
    with Server(tmp_path / "stars.wordplane", "--feedback", tmp_path / "f.sqlite") as server:
        statuses = ask_all(server, 15)
    assert len(statuses) == N_OPERATIONS

"""The files of examples/ that run the server: their options exist, and they fit together.

Tests of wordplane.cli.serve.
"""

import argparse
import configparser
import json
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

import wordplane
from tests.serving.running import Server
from wordplane.cli import serve
from wordplane.serving.settings import Limits

EXAMPLES = Path(__file__).parents[2] / "examples"


def parse(arguments):
    """The options, if `wordplane serve` has all of them."""
    parser = argparse.ArgumentParser()
    serve.add_arguments(parser)
    return parser.parse_args(arguments)


@pytest.fixture
def entrypoint():
    text = (EXAMPLES / "Dockerfile").read_text()
    program, verb, *arguments = json.loads(re.search(r"^ENTRYPOINT (.+)$", text, re.M)[1])
    assert (Path(program).name, verb) == ("wordplane", "serve")
    return arguments


@pytest.fixture
def unit():
    parser = configparser.RawConfigParser(strict=False)
    parser.optionxform = str
    parser.read(EXAMPLES / "wordplane.service")
    return parser


@pytest.fixture
def manifests():
    return list(yaml.safe_load_all((EXAMPLES / "kubernetes.yaml").read_text()))


@pytest.mark.slow
def test_the_answer_that_the_documentation_shows(tmp_path):
    wordplane.train(EXAMPLES / "reviews.csv").model.save(tmp_path / "reviews.wordplane")
    page = (EXAMPLES.parent / "docs" / "serving.md").read_text()
    asked, shown = re.search(r"-d '(\{[^']+\})'\n(\{.+?\})\n```", page, re.S).groups()
    with Server(tmp_path / "reviews.wordplane") as running:
        assert running.post("/v1/predict", asked.encode()) == (200, json.loads(shown))


def test_the_image(entrypoint):
    options = parse([*entrypoint, "m.wordplane"])
    assert options.token_file == "/token" and options.host == "0.0.0.0"
    text = (EXAMPLES / "Dockerfile").read_text()
    assert f"EXPOSE {options.port}\n" in text and f":{options.port}/healthz" in text
    assert "STOPSIGNAL SIGTERM" in text and "\nUSER nobody\n" in text


def test_the_unit(unit):
    program, verb, *arguments = shlex.split(unit["Service"]["ExecStart"])
    assert (Path(program).name, verb) == ("wordplane", "serve")
    options = parse(arguments)
    assert options.feedback == f"/var/lib/{unit['Service']['StateDirectory']}/labels.sqlite"
    assert float(unit["Service"]["TimeoutStopSec"]) > Limits().max_seconds + 5
    assert unit["Service"]["KillMode"] == "mixed"


def test_the_unit_as_systemd_reads_it(tmp_path):
    if shutil.which("systemd-analyze") is None:
        pytest.skip("no systemd-analyze here: the unit was not verified")
    text = (EXAMPLES / "wordplane.service").read_text()
    # What it starts need not be there.
    (tmp_path / "wordplane.service").write_text(
        text.replace("/opt/wordplane/bin/wordplane", "/bin/true")
    )
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", "wordplane.service"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    complaints = [line for line in done.stderr.splitlines() if "wordplane.service" in line]
    assert done.returncode == 0 and complaints == [], done.stderr


def test_the_manifest(manifests, entrypoint):
    deployment, service = manifests
    pod = deployment["spec"]["template"]
    (container,) = pod["spec"]["containers"]
    options = parse([*entrypoint, *container["args"]])
    (port,) = container["ports"]
    assert port["containerPort"] == options.port
    for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
        assert container[probe]["httpGet"]["port"] == port["name"]
        assert container[probe]["httpGet"]["path"] in ("/healthz", "/readyz")
    mounts = {mount["mountPath"]: mount["name"] for mount in container["volumeMounts"]}
    assert {options.token_file, "/models", "/tmp"} == set(mounts)
    assert set(mounts.values()) == {volume["name"] for volume in pod["spec"]["volumes"]}
    assert options.model[0].startswith("/models/")
    assert service["spec"]["selector"] == pod["metadata"]["labels"]
    assert deployment["spec"]["selector"]["matchLabels"] == pod["metadata"]["labels"]
    assert service["spec"]["ports"][0]["targetPort"] == port["name"]


def test_the_pod_has_time_to_stop_and_room_for_files(manifests, entrypoint):
    pod = manifests[0]["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    options = parse([*entrypoint, *container["args"]])
    pause = int(container["lifecycle"]["preStop"]["exec"]["command"][1])
    assert pod["terminationGracePeriodSeconds"] > pause + options.max_seconds + 5
    (uploads,) = [volume for volume in pod["volumes"] if volume["name"] == "uploads"]
    room = int(uploads["emptyDir"]["sizeLimit"].removesuffix("Gi")) * 1024
    assert room >= 8 * options.workers * options.max_stream

"""The lock of dependencies, and the bill of materials of a release."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
LOCK = (ROOT / "requirements.lock").read_text(encoding="utf-8")


def test_the_lock_has_the_versions_of_the_constraints():
    done = subprocess.run([sys.executable, ROOT / "tools" / "lock.py", "--check"])
    assert done.returncode == 0


def test_every_locked_version_has_hashes_and_no_index_is_named():
    entries = re.split(r"\n(?=\S)", LOCK.strip())[1:]
    assert len(entries) > 100
    for entry in entries:
        assert re.fullmatch(r"[\w.-]+==\S+( \\\n    --hash=sha256:[0-9a-f]{64})+", entry), entry[
            :80
        ]
    assert "://" not in LOCK and "index" not in LOCK


def test_another_version_is_found(tmp_path):
    """A version that is raised without `make lock` fails the check."""
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "lock.py").write_text((ROOT / "tools" / "lock.py").read_text())
    constraints = (ROOT / "constraints.txt").read_text()
    (tmp_path / "constraints.txt").write_text(re.sub("numpy==.*", "numpy==0.1", constraints))
    (tmp_path / "requirements.lock").write_text(LOCK)
    done = subprocess.run(
        [sys.executable, tools / "lock.py", "--check"], capture_output=True, text=True
    )
    assert done.returncode == 1 and "numpy" in done.stderr


def test_the_bill_of_materials_has_all_that_the_package_needs(tmp_path):
    path = tmp_path / "sbom.json"
    done = subprocess.run([sys.executable, ROOT / "tools" / "sbom.py", path], capture_output=True)
    assert done.returncode == 0, done.stderr
    made = json.loads(path.read_text())
    assert made["bomFormat"] == "CycloneDX" and made["metadata"]["component"]["name"] == "wordplane"
    components = {one["name"]: one for one in made["components"]}
    assert {"numpy", "polars", "scipy", "rich", "safetensors", "starlette"} <= set(components)
    assert all(len(one["hashes"][0]["content"]) == 64 for one in components.values())
    assert components["numpy"]["purl"] == f"pkg:pypi/numpy@{components['numpy']['version']}"


def test_advisories_that_cannot_be_looked_up_are_no_failure(tmp_path):
    """pip-audit is there and reaches nothing, or finds something."""
    (tmp_path / "pip_audit").mkdir()
    (tmp_path / "pip_audit" / "__init__.py").write_text("")
    program = tmp_path / "pip_audit" / "__main__.py"

    def run(source):
        program.write_text(source)
        command = [sys.executable, ROOT / "tools" / "advisories.py"]
        env = {**os.environ, "PYTHONPATH": str(tmp_path)}
        done = subprocess.run(command, capture_output=True, text=True, env=env)
        return done.returncode, done.stdout

    assert run("raise SystemExit('ConnectionError')")[0] == 0
    skipped = {"dependencies": [{"name": "a", "skip_reason": "not found"}]}
    assert run(f"print({json.dumps(skipped)!r})") == (
        0, "advisories not looked up: the index of advisories knows none of the packages\n",
    )  # fmt: skip
    vulnerable = {"name": "a", "version": "1", "vulns": [{"id": "X-1", "fix_versions": ["2"]}]}
    code, said = run(f"print({json.dumps({'dependencies': [vulnerable]})!r})")
    assert code == 1 and "a 1: X-1, mended in 2" in said

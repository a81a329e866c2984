"""Writes the bill of materials of a release (CycloneDX, JSON): `python tools/sbom.py FILE`.

It has what the package and all its extras install: versions and hashes from requirements.lock,
licenses from what is installed here.
"""

import json
import re
import sys
import tomllib
import uuid
from importlib import metadata
from pathlib import Path

from lock import LOCK, ROOT, normalized

SPDX = re.compile(r"[A-Za-z0-9.+-]+( (AND|OR|WITH) [A-Za-z0-9.+-]+)*")


def required() -> list[str]:
    """Names of all that the package and its extras need, directly or not, as installed here."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    asked = [*project["dependencies"]]
    for extra in project["optional-dependencies"].values():
        asked += extra
    found: dict[str, None] = {}
    while asked:
        name = normalized(re.match(r"[\w.-]+", asked.pop())[0])
        if name in found:
            continue
        try:
            needs = metadata.requires(name) or []
        except metadata.PackageNotFoundError:
            continue  # not for this system, or not installed
        found[name] = None
        asked += [need for need in needs if "extra ==" not in need]
    return sorted(found)


def locked() -> dict[str, tuple[str, list[str]]]:
    """Version and hashes by name."""
    text = LOCK.read_text(encoding="utf-8")
    entries = re.findall(r"^([\w.-]+)==([^\s\\]+)((?:.|\n(?=    ))*)", text, re.MULTILINE)
    return {name: (version, re.findall(r"sha256:(\w+)", rest)) for name, version, rest in entries}


def component(name: str, known: dict[str, tuple[str, list[str]]]) -> dict[str, object]:
    version = metadata.version(name)
    license = metadata.metadata(name).get("License-Expression") or ""
    made: dict[str, object] = {
        "type": "library",
        "name": name,
        "version": version,
        "purl": f"pkg:pypi/{name}@{version}",
    }
    if license and SPDX.fullmatch(license):
        made["licenses"] = [{"expression": license}]
    if name in known and known[name][0] == version:
        made["hashes"] = [{"alg": "SHA-256", "content": h} for h in known[name][1]]
    return made


def document(version: str) -> dict[str, object]:
    known = locked()
    name = f"pkg:pypi/wordplane@{version}"
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, name)}",
        "version": 1,
        "metadata": {
            "component": {
                "type": "library",
                "name": "wordplane",
                "version": version,
                "purl": name,
                "licenses": [{"expression": "Apache-2.0"}],
            }
        },
        "components": [component(one, known) for one in required()],
    }


def main() -> None:
    source = (ROOT / "src/wordplane/__init__.py").read_text(encoding="utf-8")
    version = re.search(r'__version__ = "(.+?)"', source)[1]
    made = document(version)
    path = Path(sys.argv[1])
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(made, indent=2) + "\n", encoding="utf-8")
    print(f"wrote {path}: {len(made['components'])} components")


if __name__ == "__main__":
    main()

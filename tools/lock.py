"""Writes requirements.lock: the versions of constraints.txt with the SHA-256 of all their files.

    python tools/lock.py           write it, from the index that pip uses
    python tools/lock.py --check   its versions are those of constraints.txt (needs no index)

The index is not named in the file, so that any will do that has the same files. A file that is
uploaded later is not in the lock until this is run again.
"""

import argparse
import os
import re
import subprocess
import sys
import urllib.request
from pathlib import Path
from urllib.parse import unquote

ROOT = Path(__file__).parents[1]
CONSTRAINTS, LOCK = ROOT / "constraints.txt", ROOT / "requirements.lock"
LINK = re.compile(r'href="[^"]*?([^"/#]+)#sha256=([0-9a-f]{64})"')  # of an index (PEP 503)
HEAD = "# The versions of constraints.txt, with the SHA-256 of all their files, by `make lock`.\n"


def normalized(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def versions(path: Path) -> dict[str, str]:
    """By normalized name."""
    found = re.findall(r"^([\w.-]+)==([^\s\\]+)", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {normalized(name): version for name, version in found}


def index_url() -> str:
    """The index of pip: of the environment, its configuration, or its default."""
    given = os.environ.get("PIP_INDEX_URL")
    if not given:
        command = [sys.executable, "-m", "pip", "config", "get", "global.index-url"]
        given = subprocess.run(command, capture_output=True, text=True).stdout.strip()
    if not given:
        from pip._internal.models.index import PyPI

        given = PyPI.simple_url
    return given.rstrip("/")


def is_of_version(filename: str, name: str, version: str) -> bool:
    """Whether a file of a project is of this version: NAME-VERSION-... or NAME-VERSION.tar.gz."""
    stem = re.sub(r"\.(whl|tar\.gz|zip|tar\.bz2)$", "", filename)
    if stem == filename:
        return False
    if filename.endswith(".whl"):
        return stem.split("-")[1] == version
    return normalized(stem) == f"{normalized(name)}-{normalized(version)}"


def hashes(url: str, name: str, version: str) -> list[str]:
    asked = urllib.request.Request(f"{url}/{normalized(name)}/", headers={"Accept": "text/html"})
    with urllib.request.urlopen(asked, timeout=60) as answer:
        files = LINK.findall(answer.read().decode())
    return sorted({h for file, h in files if is_of_version(unquote(file), name, version)})


def write() -> None:
    url, lines = index_url(), [HEAD]
    for name, version in sorted(versions(CONSTRAINTS).items()):
        found = hashes(url, name, version)
        if not found:
            sys.exit(f"the index has no file of {name} {version} with a SHA-256")
        lines.append(
            " \\\n".join([f"{name}=={version}", *(f"    --hash=sha256:{h}" for h in found)])
        )
        lines.append("\n")
    LOCK.write_text("".join(lines), encoding="utf-8")
    print(f"wrote {LOCK.name}: {len(versions(LOCK))} packages")


def check() -> None:
    expected, found = versions(CONSTRAINTS), versions(LOCK)
    differ = sorted(name for name in expected | found if expected.get(name) != found.get(name))
    if differ:
        sys.exit(f"requirements.lock is not that of constraints.txt ({differ[0]}): run `make lock`")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--check", action="store_true")
    check() if parser.parse_args().check else write()

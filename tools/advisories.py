"""Looks up known vulnerabilities of what requirements.lock names, where that can be done.

Without pip-audit, or where no index of advisories can be reached, it says so and ends well.
"""

import importlib.util
import json
import subprocess
import sys

from lock import LOCK

MOST_SECONDS = 90


def audit() -> list[dict] | str:
    """What is known of each package, or why nothing is."""
    if importlib.util.find_spec("pip_audit") is None:
        return "pip-audit is not installed"
    command = [sys.executable, "-m", "pip_audit", "--disable-pip", "--require-hashes"]
    command += ["--timeout", "5", "--progress-spinner", "off", "--format", "json", "-r", str(LOCK)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=MOST_SECONDS)
        return json.loads(done.stdout)["dependencies"]
    except (subprocess.TimeoutExpired, ValueError, KeyError):
        return "no index of advisories can be reached from here"


def main() -> int:
    found = audit()
    if not isinstance(found, str):
        known = [one for one in found if "skip_reason" not in one]
        if known:
            return report(known, len(found))
        found = "the index of advisories knows none of the packages"
    print(f"advisories not looked up: {found}")
    return 0


def report(known: list[dict], n_all: int) -> int:
    wrong = [(one, each) for one in known for each in one["vulns"]]
    for package, each in wrong:
        fixed = ", ".join(each["fix_versions"]) or "no version"
        print(f"{package['name']} {package['version']}: {each['id']}, mended in {fixed}")
    print(f"advisories looked up: {len(known)} of {n_all} packages, {len(wrong)} found")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

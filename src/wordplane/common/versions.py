"""What Wordplane runs with: for reports of bugs."""

import platform
import sys
from importlib.metadata import PackageNotFoundError, requires, version
from re import match

import wordplane
from wordplane.common.threads import available_threads


def versions() -> dict[str, str]:
    """The system, the threads to use, Python, Wordplane, and what it needs or can use."""
    found = {
        "system": platform.platform(),
        "threads": str(available_threads()),
        "python": f"{platform.python_version()} ({platform.python_implementation()})",
        "wordplane": wordplane.__version__,
    }
    for name in packages():
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "not installed"
    return found


def packages() -> list[str]:
    """The names of what Wordplane needs, then of what its extras add."""
    lines = requires("wordplane") or []
    named = [(("extra ==" in line), match(r"[\w.-]+", line)) for line in lines]
    ordered = sorted((is_extra, found[0]) for is_extra, found in named if found is not None)
    return list(dict.fromkeys(name for _, name in ordered if name != "wordplane"))


def show_versions() -> None:
    """Print the versions of Python, Wordplane and what it uses: for reports of bugs."""
    rows = versions()
    width = max(map(len, rows))
    sys.stdout.writelines(f"{name:{width}}  {value}\n" for name, value in rows.items())

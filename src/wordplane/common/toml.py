"""TOML files, read in time and memory in proportion to their size."""

import re
import tomllib
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from wordplane.common.errors import InputError
from wordplane.common.files import no_such_file

# The parser copies all that precedes each part of a dotted key: 40 kB of a.a.a... take 1.6 GB.
DEEPEST = 50
_PART = r"""(?:"[^"\n]*+"|'[^'\n]*+'|[\w-]++)"""
_DEEP_KEY = re.compile(rf"(?<![\w-]){_PART}(?:[ \t]*+\.[ \t]*+{_PART}){{{DEEPEST}}}")


def read_toml(path: str | PathLike[str]) -> dict[str, Any]:
    """The tables of a file, or an InputError that says why there are none."""
    path = fspath(path)
    try:
        text = Path(path).read_text(encoding="utf-8")
        if _DEEP_KEY.search(text):
            raise InputError(f"{path}: a key has more than {DEEPEST} parts with dots between them")
        return tomllib.loads(text)
    except FileNotFoundError:
        raise InputError(no_such_file(path)) from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    except RecursionError:
        raise InputError(f"{path} is not TOML: lists or tables are nested too deeply") from None
    except ValueError as error:  # not TOML, not UTF-8
        if isinstance(error, InputError):
            raise
        raise InputError(f"{path} is not TOML: {error}") from None

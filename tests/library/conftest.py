"""libwordplane as `make lib` builds it, and the example that calls it by ctypes."""

import fcntl
import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples" / "library"
BUILD = ROOT / "build" / "library-tests"


def _example():
    spec = importlib.util.spec_from_file_location("library_example", EXAMPLES / "predict.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def built():
    """The folder with the static and the shared library; built once, by the first who asks."""
    tools = {
        name: shutil.which(name, path=str(Path(sys.executable).parent)) or shutil.which(name)
        for name in ("cmake", "ninja", "c++")
    }
    if None in tools.values():
        pytest.skip(f"not here: {', '.join(name for name in tools if tools[name] is None)}")
    BUILD.mkdir(parents=True, exist_ok=True)
    with (BUILD / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        source, ninja = ROOT / "native" / "library", f"-DCMAKE_MAKE_PROGRAM={tools['ninja']}"
        python = f"-DPython_EXECUTABLE={sys.executable}"
        configure = [tools["cmake"], "-G", "Ninja", "-S", source, "-B", BUILD, ninja, python]
        for command in (configure, [tools["cmake"], "--build", BUILD]):
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stdout + done.stderr
    return BUILD


@pytest.fixture(scope="session")
def example():
    """The module of the example by ctypes."""
    return _example()


@pytest.fixture(scope="session")
def load(built, example):
    """A function that loads a model from bytes in the library."""
    library = example.open_library(str(built / "libwordplane.so"))
    return lambda content: example.Model(library, content)

"""Builds the library for WebAssembly: `python tools/wasm.py`, or `--check` without a compiler.

The result is committed, so that neither users nor the build of the package need the compiler (zig,
from the wheel `ziglang`). Beside it stands what it was built from: if a source has changed since
then, `--check` and the tests fail.
"""

import gzip
import hashlib
import json
import os
import re
import subprocess
import sys
import unicodedata
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
NATIVE = ROOT / "native"
BUILD = ROOT / "build" / "wasm"
LIBRARY = ROOT / "src" / "wordplane" / "portable" / "files" / "wordplane.wasm"
RECORD = LIBRARY.with_suffix(".json")
MAX_BYTES, MAX_PACKED = 600_000, 200_000

# Whatever prediction needs; the linker drops what is not called.
FOLDERS = ("library", "library/wasm", "model", "text", "features", "common")
REPLACED = {"common/parallel.cpp"}  # by library/wasm/one_thread.cpp
HOST_ONLY = {"wordplane_load_file"}  # there are no files
# Without a way to catch exceptions, -fexceptions compiles `throw` and drops `catch`: see
# native/library/wasm/exceptions.cpp.
FLAGS = (
    "--target=wasm32-wasi -mexec-model=reactor -std=c++20 -Os -fexceptions -ffp-contract=off "
    "-fno-math-errno -ffunction-sections -fdata-sections -fvisibility=hidden"
).split()
STACK = 1 << 20


def sources() -> list[Path]:
    """The files that are compiled."""
    found = {path for folder in FOLDERS for path in NATIVE.glob(f"{folder}/*.cpp")}
    return sorted(found - {NATIVE / name for name in REPLACED})


def exports() -> list[str]:
    """The functions of the C interface, and what a host needs to pass memory."""
    header = (NATIVE / "library" / "wordplane.h").read_text(encoding="utf-8")
    functions = set(re.findall(r"\b(wordplane_\w+)\(", header))
    return [*sorted(functions - HOST_ONLY), "malloc", "free", "__stack_pointer"]


def digest_of_sources() -> str:
    """Of all that decides what is built, but for the compiler and the Unicode tables."""
    digest = hashlib.sha256()
    headers = {path for source in sources() for path in source.parent.glob("*.h")}
    script = NATIVE / "text" / "generate_unicode.py"
    for path in sorted({*sources(), *headers, script, Path(__file__).resolve()}):
        content = path.read_bytes()
        digest.update(f"{path.relative_to(ROOT).as_posix()} {len(content)}\n".encode() + content)
    return digest.hexdigest()


def build() -> None:
    """Compile and link."""
    built_from = digest_of_sources()
    BUILD.mkdir(parents=True, exist_ok=True)
    tables = [sys.executable, NATIVE / "text" / "generate_unicode.py", BUILD / "unicode_tables.inc"]
    subprocess.run(tables, check=True)
    zig = [sys.executable, "-m", "ziglang"]
    caches = {f"ZIG_{kind}_CACHE_DIR": str(BUILD / "cache") for kind in ("GLOBAL", "LOCAL")}
    environment = {**caches, **os.environ}
    folders = sorted({source.parent for source in sources()})
    objects = [_compile(zig, folder, environment) for folder in folders]
    exported = [f"-Wl,--export={name}" for name in exports()]
    linked = BUILD / LIBRARY.name
    link = ["-Wl,--gc-sections", "-Wl,--strip-all", f"-Wl,-z,stack-size={STACK}", *exported]
    command = [*zig, "c++", *FLAGS, *objects, *link, "-o", linked]
    subprocess.run(command, check=True, env=environment)
    LIBRARY.write_bytes(linked.read_bytes())
    version = subprocess.run([*zig, "version"], check=True, capture_output=True, text=True)
    record = {
        "sources": built_from,
        "library": hashlib.sha256(LIBRARY.read_bytes()).hexdigest(),
        "zig": version.stdout.strip(),
        "unicode": unicodedata.unidata_version,
    }
    RECORD.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")


def _compile(zig: list[str], folder: Path, environment: dict[str, str]) -> Path:
    """The files of a folder, compiled as one, as in CMakeLists.txt; unless that was done before."""
    whole = BUILD / ("-".join(folder.relative_to(NATIVE).parts) + ".cpp")
    own = [source for source in sources() if source.parent == folder]
    lines = [f'#include "{source.relative_to(NATIVE).as_posix()}"\n' for source in own]
    text = "".join([f"// {' '.join(FLAGS)}\n", *lines])
    made = whole.with_suffix(".o")
    read = [*own, *NATIVE.rglob("*.h"), NATIVE / "text" / "generate_unicode.py"]
    is_new = made.exists() and made.stat().st_mtime > max(path.stat().st_mtime for path in read)
    if is_new and whole.exists() and whole.read_text(encoding="utf-8") == text:
        return made
    whole.write_text(text, encoding="utf-8")
    command = [*zig, "c++", *FLAGS, f"-I{NATIVE}", f"-I{BUILD}", "-c", whole, "-o", made]
    subprocess.run(command, check=True, env=environment)
    return made


def check() -> str:
    """What is wrong with the library that is there; nothing if it is what the sources make."""
    record = json.loads(RECORD.read_text(encoding="utf-8"))
    library = LIBRARY.read_bytes()
    packed = len(gzip.compress(library, 9))
    if record["sources"] != digest_of_sources():
        return "the sources have changed since it was built: run `make wasm` and commit the result"
    if record["library"] != hashlib.sha256(library).hexdigest():
        return "it is not the file that was built"
    if len(library) > MAX_BYTES or packed > MAX_PACKED:
        return f"{len(library):,} bytes, {packed:,} packed, are too many"
    return ""


def main() -> int:
    if sys.argv[1:] != ["--check"]:
        build()
        size = LIBRARY.stat().st_size
        packed = len(gzip.compress(LIBRARY.read_bytes(), 9))
        print(f"wrote {LIBRARY.relative_to(ROOT)}: {size:,} bytes, {packed:,} packed")
    wrong = check()
    if wrong:
        print(f"{LIBRARY.relative_to(ROOT)}: {wrong}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

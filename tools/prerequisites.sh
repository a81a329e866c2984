#!/bin/sh
# Check what the Makefile needs of the system: python3 >= 3.11 with venv and headers, and g++.
# As root on Debian install what is missing; otherwise print the line that does.
# Usage: prerequisites.sh [PYTHON]
set -eu
python=${1:-python3}

missing() {
  command -v g++ >/dev/null 2>&1 || printf ' g++'
  if ! command -v "$python" >/dev/null 2>&1; then
    printf ' python3 python3-venv python3-dev'
    return
  fi
  "$python" -c 'import ensurepip, venv' >/dev/null 2>&1 || printf ' python3-venv'
  "$python" -c '
import pathlib, sys, sysconfig
sys.exit(not (pathlib.Path(sysconfig.get_path("include")) / "Python.h").exists())
' >/dev/null 2>&1 || printf ' python3-dev'
}

wanted=$(missing)
if [ -n "$wanted" ]; then
  line="apt-get install -y --no-install-recommends$wanted"
  if [ "$(id -u)" = 0 ] && [ -e /etc/debian_version ]; then
    echo "installing$wanted"
    apt-get update -q && DEBIAN_FRONTEND=noninteractive $line
    wanted=$(missing)
    if [ -n "$wanted" ]; then
      echo "still missing for $python:$wanted" >&2
      exit 1
    fi
  else
    echo "missing:$wanted. On Debian or Ubuntu:" >&2
    echo "  sudo $line" >&2
    exit 1
  fi
fi
if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
  echo "$("$python" --version) is too old: Wordplane needs Python 3.11 or newer" >&2
  echo "name another one: make PYTHON=/path/to/python3" >&2
  exit 1
fi

#!/usr/bin/env bash
# Make the virtual environment .venv if there is none, and install into it: bash .ci/venv.sh ARGUMENTS-OF-PIP…
# PYTHON names the interpreter to make it with, python3 if not set; VENV another environment.
set -euo pipefail
cd "$(dirname "$0")/.."

python=${PYTHON:-python3}
venv=${VENV:-.venv}
if [ ! -x "$venv/bin/pip" ]; then
  if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
    echo "pytest-loadtool needs Python 3.11 or later. Name one that is: PYTHON=python3.12 bash …" >&2
    exit 1
  fi
  # Debian ships this part of Python in a package of its own.
  if ! "$python" -c 'import ensurepip' 2>/dev/null; then
    bash .ci/apt.sh python3-venv
  fi
  "$python" -m venv "$venv"
fi
# Pure Python unless told otherwise: what is editable is so in any case, and need not fetch mypy.
export PYTEST_LOADTOOL_PURE=${PYTEST_LOADTOOL_PURE:-1}
"$venv/bin/pip" install --quiet --disable-pip-version-check "$@"

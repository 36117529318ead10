#!/usr/bin/env bash
# Make the compiled build in .venv-compiled, as pip makes it for users, if the sources have changed.
set -euo pipefail
cd "$(dirname "$0")/.."

home=.venv-compiled
hash=$(find hatch_build.py pyproject.toml pytest_loadtool -name '*.py' -print0 -o -name '*.toml' -print0 |
  sort -z | xargs -0 sha256sum | sha256sum)
if [ "$(cat $home/hash 2>/dev/null)" == "$hash" ]; then
  exit
fi
headers=$("${PYTHON:-python3}" -c 'import sysconfig; print(sysconfig.get_path("include"))')
if ! command -v cc >/dev/null || [ ! -f "$headers/Python.h" ]; then
  bash .ci/apt.sh gcc libc6-dev python3-dev
fi
rm -f $home/hash
PYTEST_LOADTOOL_PURE=0 VENV=$home bash .ci/venv.sh --no-deps .
# All others are below it, where they have been installed already.
if [ ! -x .venv/bin/pytest ]; then
  bash .ci/venv.sh --editable '.[dev]'
fi
packages='import sysconfig; print(sysconfig.get_path("purelib"))'
.venv/bin/python -c "$packages" >"$($home/bin/python -c "$packages")/below.pth"
echo "$hash" >$home/hash

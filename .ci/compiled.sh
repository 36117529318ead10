#!/usr/bin/env bash
# Run tests against the compiled build: bash .ci/compiled.sh ARGUMENTS-OF-PYTEST…
# It is made in .venv-compiled as pip makes it for users, anew when the sources have changed.
set -euo pipefail
cd "$(dirname "$0")/.."

home=.venv-compiled
hash=$(find hatch_build.py pyproject.toml pytest_loadtool -name '*.py' -print0 -o -name '*.toml' -print0 |
  sort -z | xargs -0 sha256sum | sha256sum)
if [ "$(cat $home/hash 2>/dev/null)" != "$hash" ]; then
  headers=$("${PYTHON:-python3}" -c 'import sysconfig; print(sysconfig.get_path("include"))')
  if ! command -v cc >/dev/null || [ ! -f "$headers/Python.h" ]; then
    bash .ci/apt.sh gcc libc6-dev python3-dev
  fi
  rm -f $home/hash
  PYTEST_LOADTOOL_PURE=0 VENV=$home bash .ci/venv.sh '.[dev]'
  echo "$hash" >$home/hash
fi

# Away from the checkout, whose sources would be imported instead of what is installed.
away=$home/away
rm -rf $away
mkdir $away
cp -r docs tests pyproject.toml $away
cd $away
# What patches a compiled function in vain may wait for its effect for ever.
exec ../bin/python -m pytest -o faulthandler_timeout=300 -o faulthandler_exit_on_timeout=true "$@"

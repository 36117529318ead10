#!/usr/bin/env bash
# Run the tests of what is compiled against the compiled build: bash .ci/compiled.sh ARGUMENTS-OF-PYTEST…
# Builds the wheel as pip does for users, and installs it into .venv-compiled, when the sources have changed.
set -euo pipefail
cd "$(dirname "$0")/.."

home=.venv-compiled
sources=$(cat hatch_build.py pyproject.toml .ci/compiled.sh &&
  find pytest_loadtool -name '*.py' -print0 | sort -z | xargs -0 sha256sum)
hash=$(sha256sum <<<"$sources")
if [ "$(cat $home/hash 2>/dev/null)" != "$hash" ]; then
  if [ ! -x $home/bin/pip ]; then
    .venv/bin/python -m venv $home
  fi
  headers=$(.venv/bin/python -c 'import sysconfig; print(sysconfig.get_path("include"))')
  if ! command -v cc >/dev/null || [ ! -f "$headers/Python.h" ]; then
    bash .ci/apt.sh gcc libc6-dev python3-dev
  fi
  pip=($home/bin/pip --quiet --disable-pip-version-check)
  rm -rf $home/hash $home/wheel
  PYTEST_LOADTOOL_PURE=0 "${pip[@]}" wheel --no-deps --wheel-dir $home/wheel .
  "${pip[@]}" install "$(echo $home/wheel/*.whl)[dev]"
  "${pip[@]}" install --force-reinstall --no-deps $home/wheel/*.whl # the version is the same
  echo "$hash" >$home/hash
fi

# Away from the checkout, whose sources would be imported instead of what is installed.
away=$home/tests
rm -rf $away
mkdir $away
cp -r docs tests pyproject.toml $away
cd $away
exec ../bin/python -m pytest "$@"

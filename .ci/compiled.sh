#!/usr/bin/env bash
# Run tests against the compiled build: bash .ci/compiled.sh ARGUMENTS-OF-PYTEST…
set -euo pipefail
cd "$(dirname "$0")/.."

bash .ci/compile.sh
# Away from the checkout, whose sources would be imported instead of what is installed.
away=.venv-compiled/away
rm -rf $away
mkdir $away
cp -r docs tests pyproject.toml $away
cd $away
# What patches a compiled function in vain may wait for its effect for ever.
exec ../bin/python -m pytest -o faulthandler_timeout=300 -o faulthandler_exit_on_timeout=true "$@"

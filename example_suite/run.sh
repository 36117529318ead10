#!/usr/bin/env bash
# The main job on the example: install, replay its test cases once, then load the shop with them.
set -euo pipefail
cd "$(dirname "$0")/.."

bash .ci/venv.sh --editable . 'django>=5.2,<6'
for command in '.venv/bin/pytest example_suite' '.venv/bin/pytest example_suite --load -n 2'; do
  printf '\n$ %s\n' "$command"
  $command
done

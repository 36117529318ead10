#!/usr/bin/env bash
# Install Debian packages: bash .ci/apt.sh PACKAGE…
# As root, else with sudo. The services in them are not started (that is what RUNLEVEL=1 tells
# invoke-rc.d): the tests start their own.
set -euo pipefail

as_root=()
if [ "$(id -u)" != 0 ]; then
  as_root=(sudo)
fi
"${as_root[@]}" apt-get update --quiet
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 \
  apt-get install --yes --quiet --no-install-recommends "$@"

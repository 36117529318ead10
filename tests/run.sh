#!/usr/bin/env bash
# Install what the tests need, where it is missing, and run every check and every test; then those of
# what is compiled once more, against the compiled build. `quick` instead runs ruff and the tests that
# start no program.
set -euo pipefail
cd "$(dirname "$0")/.."
PATH=$PATH:/usr/sbin # where Debian keeps servers, not on every user's path
# The sources are imported by hundreds of processes, and compiled by one.
unset PYTHONDONTWRITEBYTECODE

# A load test that is inconclusive, as somebody else had the processor, is made again.
again=(--reruns 2 --only-rerun inconclusive)

if [ "${1-}" == quick ]; then
  bash .ci/venv.sh --editable '.[dev]'
  .venv/bin/ruff check
  .venv/bin/ruff format --check
  exec .venv/bin/pytest --quick -n 4 --dist worksteal "${again[@]}" "${@:2}"
fi

# Programs that tests run, and files of theirs, each with the Debian packages that bring it.
missing=()
while read -r program packages; do
  if ! command -v "$program" >/dev/null && [ ! -e "$program" ]; then
    read -r -a more <<<"$packages"
    missing+=("${more[@]}")
  fi
done <<'TABLE'
chromium  chromium chromium-sandbox fonts-liberation
nginx     nginx-light
/usr/lib/apache2/modules/mod_auth_gssapi.so  apache2 libapache2-mod-auth-gssapi
/etc/gss/mech.d/mech.ntlmssp.conf  gss-ntlmssp
squid     squid
chromedriver  chromium-driver
firefox   firefox-esr
certutil  libnss3-tools
curl      curl
prometheus  prometheus
tmux        tmux
/usr/sbin/sshd  openssh-server
TABLE
if [ ${#missing[@]} -gt 0 ]; then
  bash .ci/apt.sh "${missing[@]}"
fi

bash .ci/venv.sh --editable '.[dev]'
if [ $# == 0 ]; then
  # In the time that all that follows leaves: a compiler has one processor only.
  nice -n 19 bash .ci/compile.sh &
  trap 'kill $! 2>/dev/null || true' EXIT
fi
.venv/bin/ruff check
.venv/bin/ruff format --check
.venv/bin/mypy
if [ $# != 0 ]; then # single tests were asked for
  exec .venv/bin/pytest "$@"
fi
# Three at a time, as they wait for servers and browsers half of the time, except for those that need
# both processors.
.venv/bin/pytest -n 3 --dist worksteal -m 'not alone' "${again[@]}"
wait $!
.venv/bin/pytest -m alone "${again[@]}"
bash .ci/compiled.sh -n 3 --dist worksteal tests/extraction tests/hostile/test_responses.py \
  tests/engine tests/load tests/replay tests/transport/test_{http1,load_tls,raw_nginx}.py \
  tests/fleet/test_install.py::test_another_version_is_refused_or_given_this_one

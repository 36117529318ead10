"""curl as a judge: one run of it asks for all responses."""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.hostile.corpus import Case
from tests.hostile.reading import Reading
from tests.hostile.serving import serving

__all__ = ["by_curl"]

#: Seconds after which curl gives up a response, and all of it is given up.
_LONGEST, _LONGEST_RUN = 5, 120

_ASKED = re.compile(r"^> GET /(\d+) HTTP/1.1\r?$", re.MULTILINE)
_KEPT = re.compile(r"^\* Connection #\d+ to host .* left intact", re.MULTILINE)


def by_curl(cases: Sequence[Case]) -> list[Reading]:
    """curl's readings, in the order of the cases; the bodies without their codings."""
    readings: list[Reading] = []
    with tempfile.TemporaryDirectory(prefix="hostile-") as folder, serving(cases) as server:
        while len(readings) < len(cases):  # some errors end the whole run
            readings += _run(server.port, range(len(readings), len(cases)), Path(folder))
    return readings


def _run(port: int, numbers: range, folder: Path) -> list[Reading]:
    """The readings that one run of curl has come to."""
    parts = (
        f'url = "http://127.0.0.1:{port}/{number}"\noutput = "{folder / str(number)}"\n'
        f"max-time = {_LONGEST}\nverbose\ncompressed\n"
        f'write-out = "{number} %{{http_code}} %{{exitcode}}\\n"\n'
        for number in numbers
    )
    # In the environment of nobody: no file of settings, no proxy.
    done = subprocess.run(
        ["curl", "--disable", "--silent", "--config", "-"],
        input="next\n".join(parts).encode(),
        capture_output=True,
        env={"PATH": os.environ["PATH"], "no_proxy": "*"},
        timeout=_LONGEST_RUN,
        check=False,
    )
    logs = _ASKED.split(done.stderr.decode("latin-1"))
    kept = {int(logs[at]) for at in range(1, len(logs), 2) if _KEPT.search(logs[at + 1])}
    told = done.stdout.decode("ascii").splitlines()
    assert told, done.stderr[-1000:]
    return [_reading(line, folder, kept) for line in told]


def _reading(told: str, folder: Path, kept: set[int]) -> Reading:
    number, status, code = map(int, told.split())
    if code:
        return Reading(problem=f"curl: ({code})")
    body = folder / str(number)
    # What it tells of headers, as JSON, is broken where one comes twice.
    return Reading(status, None, body.read_bytes() if body.exists() else b"", number in kept)

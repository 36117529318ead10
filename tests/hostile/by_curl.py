"""curl as a judge: one run of it asks for all responses."""

from __future__ import annotations

import json
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

_TOLD = re.compile(r"^=(\d+) (\d+) (\d+)\n", re.MULTILINE)
_KEPT = re.compile(r"^\* Connection #\d+ to host .* left intact", re.MULTILINE)


def by_curl(cases: Sequence[Case]) -> list[Reading]:
    """curl's readings, in the order of the cases."""
    with tempfile.TemporaryDirectory(prefix="hostile-") as name, serving(cases) as server:
        folder = Path(name)
        parts = (
            f'url = "http://127.0.0.1:{server.port}/{number}"\noutput = "{folder / str(number)}"\n'
            f"max-time = {_LONGEST}\nverbose\n"
            f'write-out = "={number} %{{http_code}} %{{exitcode}}\\n%{{header_json}}\\n"\n'
            for number in range(len(cases))
        )
        # In the environment of nobody: no file of settings, no proxy.
        done = subprocess.run(
            ["curl", "--disable", "--silent", "--config", "-"],
            input="next\n".join(parts).encode(),
            capture_output=True,
            env={"PATH": "/usr/bin:/bin:/usr/local/bin", "no_proxy": "*"},
            timeout=_LONGEST_RUN,
            check=False,
        )
        logs = re.split(r"^> GET /(\d+) HTTP/1.1\r?$", done.stderr.decode("latin-1"), flags=re.M)
        kept = {
            int(number)
            for number, log in zip(logs[1::2], logs[2::2], strict=True)
            if _KEPT.search(log)
        }
        told = done.stdout.decode("latin-1")
        return [
            _reading(found, told, folder, kept) for found in _TOLD.finditer(told)
        ]


def _reading(found: re.Match[str], told: str, folder: Path, kept: set[int]) -> Reading:
    number, status, code = map(int, found.groups())
    if code:
        return Reading(problem=f"curl: ({code})")
    fields, _ = json.JSONDecoder(strict=False).raw_decode(told, found.end())
    body = folder / str(number)
    return Reading(status, fields, body.read_bytes() if body.exists() else b"", number in kept)

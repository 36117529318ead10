"""The recorder's memory does not grow with what it records."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

#: 25 responses of 8 MB each, three at a time, half of them compressed, through the whole recorder.
_RECORD = """
import asyncio, gzip, resource, sys
from pathlib import Path
from pytest_loadtool.capture import Recorder
from pytest_loadtool.casefile import HarWriter
from pytest_loadtool.capture.evidence import EvidenceWriter
from pytest_loadtool.recording import build_case
from tests.capture.clients import curl, through
from tests.capture.servers import WireServer, answer

PIECE = bytes(range(256)) * 32768
plain = answer(PIECE, "Content-Type: application/octet-stream")
coded = answer(gzip.compress(PIECE), "Content-Type: text/html", "Content-Encoding: gzip")

def serve(connection, request):
    return (coded if request.startswith(b"GET /coded") else plain)(connection, request)

async def main():
    with WireServer(serve) as server, HarWriter(Path(sys.argv[1])) as writer:
        evidence = EvidenceWriter(Path(sys.argv[1]), writer, lambda exchange: None)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        async with Recorder(evidence.add) as recorder:
            async def some(path, count):
                for _ in range(count):
                    url = f"{server.origin}/{path}"
                    await curl("-o", "/dev/null", "--fail", *through(recorder), url)
            await asyncio.gather(some("coded", 12), some("plain", 6), some("plain", 7))
        case = build_case(evidence.exchanges, name="x").case
        after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        assert len(list(case.transactions())) == 25
        assert {one.response_size for one in evidence.exchanges} == {len(PIECE)}
        assert evidence.exchanges[-1].response_body == PIECE
        print(after - before)

asyncio.run(main())
"""


def test_200_mb_of_responses_pass_through_in_little_memory(tmp_path: Path) -> None:
    """All of it is on disk and can be read, and the process has not grown by half of that."""
    command = [sys.executable, "-W", "ignore", "-c", _RECORD, str(tmp_path / "x.har")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 90 * 1024
    assert (tmp_path / "x.har").stat().st_size > 200 * 1024 * 1024

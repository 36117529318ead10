"""How often a comparison of real runs is wrong: ``python -m tests.load.real_comparisons``.

Each load test is pytest in a process of its own, against a server in another one. After the first
runs, which only fill the history, pairs follow: a run of the same server, which should be found as
good as before and then joins the history (``--load-history``), and one of a server that takes
longer for everything, which should be found worse. Both are made with what a user types.

Answers take processor time and waiting time, so what else the machine does is in the numbers. It
prints each finding with what was said, and at the end both counts.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.plugin.loading import load
from tests.plugin.serving import case
from tests.ports import free_port

#: Milliseconds that the answers take, of which a part is processor time.
_TIMES = (4, 6, 8, 10, 12, 15, 20, 25, 30, 40)
_BUSY_MS = 0.5


async def _answer(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, slower: float
) -> None:
    while line := await reader.readline():
        while await reader.readline() not in (b"\r\n", b""):
            pass
        wanted = int(line.split()[1].rpartition(b"/")[2]) / 1000 * slower
        busy = _BUSY_MS / 1000 * slower
        end = time.thread_time() + busy
        while time.thread_time() < end:
            pass
        await asyncio.sleep(wanted - busy)
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
    writer.close()


async def _serve(port: int, slower: float) -> None:
    server = await asyncio.start_server(
        lambda reader, writer: _answer(reader, writer, slower), "127.0.0.1", port
    )
    print("listening", flush=True)
    async with server:
        await server.serve_forever()


@contextmanager
def _serving(slower: float) -> Iterator[str]:
    port = free_port()
    process = subprocess.Popen(
        [sys.executable, "-m", __spec__.name, "--serve", str(port), "--slower", str(slower)],
        stdout=subprocess.PIPE,
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == b"listening\n"
        yield f"http://127.0.0.1:{port}"
    finally:
        process.kill()
        process.communicate()


@dataclass(frozen=True, slots=True)
class Found:
    """What one run's comparison found."""

    verdict: str
    worse: tuple[str, ...]
    """The figures that became worse, each with its transaction and by how much."""


def _run(folder: Path, slower: float, *options: str) -> Found:
    result = folder / "run.json"
    result.unlink(missing_ok=True)
    with _serving(slower) as server:
        done = subprocess.run(
            [
                *(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--load"),
                *("--loadtool-server", server, "--load-json", str(result), *options),
            ],
            cwd=folder,
            env={**os.environ, "PYTEST_ADDOPTS": ""},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=120,
            check=False,
        )
    assert result.exists(), done.stdout
    data = json.loads(result.read_text())
    changes = data["comparison"]["changes"] if data["comparison"] else ()
    return Found(
        data["verdict"],
        tuple(
            f"{one['figure']} of {one['name']} {one['before']:.3g} to {one['after']:.3g}"
            for one in changes
            if one["regression"]
        ),
    )


def _say(number: int, what: str, found: Found) -> None:
    worse = "; ".join(found.worse[:4]) or "nothing worse"
    more = f" and {len(found.worse) - 4} more" if len(found.worse) > 4 else ""
    print(f"{number:3} {what:6} {found.verdict:12} {worse}{more}", flush=True)


def measure(folder: Path, wanted: argparse.Namespace) -> tuple[int, int]:
    """Return how many runs of the same server were found worse, and how many of the slower one."""
    paths = [f"GET /{ms}" for ms in _TIMES]
    (folder / "shop.case.toml").write_text(case("http://127.0.0.1", *paths))
    (folder / "rush.load.toml").write_text(
        load("shop.case.toml", users=wanted.users, duration=wanted.duration, more='grace = "1s"')
    )
    keep = ("--load-save", "base.json", "--load-history", str(wanted.history))
    compare = ("--load-compare", "base.json", "--load-tolerance", wanted.tolerance)
    for number in range(wanted.history):
        _say(number, "first", _run(folder, 1.0, *keep))
    alarms = caught = 0
    for number in range(wanted.pairs):
        slower = _run(folder, wanted.slower, *compare)
        caught += bool(slower.worse)
        _say(number, "slower", slower)
        equal = _run(folder, 1.0, *compare, *keep)
        alarms += bool(equal.worse)
        _say(number, "equal", equal)
    return alarms, caught


def main() -> None:
    """Measure, or be the server."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=100, help="comparisons of each kind")
    parser.add_argument("--history", type=int, default=10, help="earlier runs that are kept")
    parser.add_argument("--users", type=int, default=8)
    parser.add_argument("--duration", default="3s")
    parser.add_argument("--slower", type=float, default=1.3, help="what it takes, as a factor")
    parser.add_argument("--tolerance", default="10%")
    parser.add_argument("--serve", type=int, metavar="PORT", help=argparse.SUPPRESS)
    wanted = parser.parse_args()
    if wanted.serve:
        asyncio.run(_serve(wanted.serve, wanted.slower))
        return
    with tempfile.TemporaryDirectory() as folder:
        alarms, caught = measure(Path(folder), wanted)
    print(f"{alarms} of {wanted.pairs} equal runs called worse, "
          f"{caught} of {wanted.pairs} slower ones found")  # fmt: skip


if __name__ == "__main__":
    main()

"""How often a comparison of real runs is wrong: ``python -m tests.load.real_comparisons``.

Load tests of a server in a process of its own, and in turn of one that takes longer for
everything. Each is then compared, as
``--load-compare`` does, with the newest runs of the server as it is that came before
(``--load-history``): those of the same server should be found as good as before, others worse.

Answers take processor time and waiting time, so what else the machine does is in the numbers. With
``--runs DIR`` runs are kept: judged anew in no time when the statistics change.
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
from pathlib import Path

from pytest_loadtool.load.verdict.comparison import compare
from pytest_loadtool.load.verdict.saved import SavedRun
from tests.plugin.loading import load
from tests.plugin.serving import case
from tests.ports import free_port

#: Milliseconds that the answers take, of which a part is processor time.
_TIMES = (4, 6, 8, 10, 12, 15, 20, 25, 30, 40)
_BUSY_MS = 0.5

#: Pairs of runs that are made by one pytest.
_SESSION = 10


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
def serving(slower: float) -> Iterator[str]:
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


def make_runs(folder: Path, wanted: argparse.Namespace) -> None:
    """Make runs of the server as it is and of the slower one in turn, in sessions of some each, and
    keep those of a session in a file."""
    with serving(1.0) as equal, serving(wanted.slower) as slower:
        for first in range(0, wanted.history + wanted.pairs, _SESSION):
            file = folder / f"{first:03}.json"
            if file.exists():
                continue
            with tempfile.TemporaryDirectory() as name:
                tests = Path(name)
                paths = [f"GET /{ms}" for ms in _TIMES]
                (tests / "shop.case.toml").write_text(case("http://127.0.0.1", *paths))
                for number in range(first, min(first + _SESSION, wanted.history + wanted.pairs)):
                    _write(tests, f"{number:03} equal", equal, wanted)
                    if number >= wanted.history:
                        _write(tests, f"{number:03} slower", slower, wanted)
                done = subprocess.run(
                    [
                        *(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"),
                        *("--load", "--load-samples", "no", "--load-save", str(file)),
                    ],
                    cwd=tests,
                    env={**os.environ, "PYTEST_ADDOPTS": ""},
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    text=True,
                    check=False,
                )
                assert file.exists(), done.stdout


def _write(folder: Path, name: str, server: str, wanted: argparse.Namespace) -> None:
    more = f'grace = "1s"\nserver = "{server}"'
    text = load(
        "shop.case.toml", users=wanted.users, duration=wanted.duration, name=name, more=more
    )
    (folder / f"{name.replace(' ', '-')}.load.toml").write_text(text)


def compare_runs(folder: Path, wanted: argparse.Namespace) -> None:
    """Compare each with the runs of the server as it is that came before, and say what is found."""
    found = {name: {"worse": 0, "in doubt": 0, "as good": 0} for name in ("equal", "slower")}
    earlier: list[SavedRun] = []
    runs = [
        SavedRun.from_wire(wire)
        for file in sorted(folder.glob("*.json"))
        for wire in json.loads(file.read_text())["runs"]
    ]
    for run in runs:
        name = run.name.partition(" ")[2]
        if len(earlier) == wanted.history:
            compared = compare(earlier, run, wanted.tolerance / 100)
            worse, doubts = compared.regressions, compared.doubts
            judged = "worse" if worse else "in doubt" if doubts else "as good"
            found[name][judged] += 1
            if (judged == "worse") != (name == "slower"):
                told = "; ".join(map(str, (worse or doubts)[:4]))
                print(f"{run.name} is {judged}: {told}", flush=True)
        if name == "equal":
            earlier = [*earlier, run][-wanted.history :]
    for name, numbers in found.items():
        told = ", ".join(f"{number} {judged}" for judged, number in numbers.items())
        print(f"{sum(numbers.values())} {name} runs: {told}")


def main() -> None:
    """Measure, or be the server."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=100, help="comparisons of each kind")
    parser.add_argument("--history", type=int, default=10, help="earlier runs that are kept")
    parser.add_argument("--users", type=int, default=8)
    parser.add_argument("--duration", default="3s")
    parser.add_argument("--slower", type=float, default=1.3, help="what it takes, as a factor")
    parser.add_argument("--tolerance", type=float, default=10, help="in percent")
    parser.add_argument("--runs", type=Path, help="where runs are kept; those there are made")
    parser.add_argument("--serve", type=int, metavar="PORT", help=argparse.SUPPRESS)
    wanted = parser.parse_args()
    if wanted.serve:
        asyncio.run(_serve(wanted.serve, wanted.slower))
        return
    with tempfile.TemporaryDirectory() as temporary:
        folder = wanted.runs or Path(temporary)
        folder.mkdir(exist_ok=True)
        make_runs(folder, wanted)
        compare_runs(folder, wanted)


if __name__ == "__main__":
    main()

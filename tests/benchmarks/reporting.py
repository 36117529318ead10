"""What it costs a load to be told of while it runs: ``python -m tests.benchmarks.reporting``.

The same load, arrivals at a fixed rate over two workers, in turn as it is, with the page
(``--load-html``), with a collector that takes metrics, with one that is not there and one that
never answers, and with a trace for each request. Printed of each way: how late requests started,
the 99th percentile of the worst worker, and the processor time of the workers for each request,
both as the median of all turns and between the least and the most; and in how many turns requests
were later than as it is, and how likely chance alone makes that (sign test, both sides).
"""

from __future__ import annotations

import argparse
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from math import comb
from pathlib import Path
from typing import Any

from tests.load.real_comparisons import serving
from tests.plugin.serving import case
from tests.ports import free_port
from tests.telemetry.collecting import collecting

_LOAD = """
format = 1
name = "Told of"
rate = "{rate}/s"
users = 200
duration = "{seconds}s"
grace = "5s"
max_error_rate = "100%"
[[case]]
file = "shop.case.toml"
"""


@contextmanager
def _silence() -> Iterator[str]:
    """Take connections, and answer nothing."""
    with socket.create_server(("127.0.0.1", 0), backlog=64) as listener:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"


def _made(folder: Path, options: list[str], workers: int) -> dict[str, Any]:
    """Return the JSON of a run."""
    parallel = ["-n", str(workers)] if workers else []
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--load", *parallel),
            *("--load-json", "out.json", "--load-samples", "no", *options),
        ],
        cwd=folder,
        env={**os.environ, "PYTEST_ADDOPTS": ""},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode in (0, 10), done.stdout
    run: dict[str, Any] = json.loads((folder / "out.json").read_text())["runs"][0]
    return run


def _lateness(run: dict[str, Any]) -> float:
    return max(one["lateness_p99_ms"] or 0.0 for one in run["workers"])


def _told(values: list[float]) -> str:
    return f"{statistics.median(values):8.2f} ({min(values):.2f} to {max(values):.2f})"


def _sign_test(pairs: list[tuple[float, float]]) -> str:
    """Return in how many pairs the second is more than the first, and how likely that is by
    chance."""
    differing = [second > first for first, second in pairs if first != second]
    many, more = len(differing), sum(differing)
    rarer = sum(comb(many, one) for one in range(min(more, many - more) + 1)) / 2**many
    return f"later in {more} of {many}, p = {min(1.0, 2 * rarer):.2f}"


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--rate", type=int, default=100, help="iterations/s of two requests each")
    parser.add_argument("--workers", type=int, default=2, help="0: pytest itself makes the load")
    parser.add_argument("--only", nargs="*", metavar="WAY", help="page, takes, not, never, trace")
    wanted = parser.parse_args()
    with (
        tempfile.TemporaryDirectory() as name,
        serving(1.0) as server,
        collecting() as (collector, _),
        _silence() as silent,
    ):
        folder = Path(name)
        (folder / "shop.case.toml").write_text(case(server, "GET /4", "GET /6"))
        text = _LOAD.format(rate=wanted.rate, seconds=wanted.seconds)
        (folder / "told.load.toml").write_text(text)
        ways = {
            "as it is": [],
            "with the page": ["--load-html", "page.html"],
            "with a collector that takes them": ["--load-otlp", collector],
            "with one that is not there": ["--load-otlp", f"http://127.0.0.1:{free_port()}"],
            "with one that never answers": ["--load-otlp", silent],
            "with a trace for each request": ["--loadtool-traceparent"],
        }
        asked = [one for one in ways if any(f" {word}" in one for word in wanted.only or [""])]
        ways = {way: ways[way] for way in dict.fromkeys(["as it is", *asked])}
        runs: dict[str, list[dict[str, Any]]] = {way: [] for way in ways}
        for _ in range(wanted.turns):
            for way, options in ways.items():
                runs[way].append(_made(folder, options, wanted.workers))
        print(f"{'':32}lateness p99, ms         processor time of a request, us")
        usual = [_lateness(run) for run in runs["as it is"]]
        for way, some in runs.items():
            late = [_lateness(run) for run in some]
            used = [
                sum(one["cpu"] * one["duration_s"] for one in run["workers"])
                / run["totals"]["requests"]
                * 1e6
                for run in some
            ]
            compared = _sign_test(list(zip(usual, late, strict=True))) if late != usual else ""
            print(f"{way:32}{_told(late):25}{_told(used):25}{compared}")


if __name__ == "__main__":
    main()

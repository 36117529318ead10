"""What it costs a load to be told of while it runs: ``python -m tests.benchmarks.reporting``.

The same load, arrivals at a fixed rate over two workers, in turn as it is, with the page
(``--load-html``), with a collector that takes metrics, with one that is not there and one that
never answers, and with a trace for each request. Printed of each way: how late requests started,
the 99th percentile of the worst worker, and the processor time of the workers for each request,
both as the median of all turns and between the least and the most.
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


def _told(values: list[float]) -> str:
    return f"{statistics.median(values):8.2f} ({min(values):.2f} to {max(values):.2f})"


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--rate", type=int, default=100, help="iterations/s of two requests each")
    parser.add_argument("--workers", type=int, default=2, help="0: pytest itself makes the load")
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
            "with a collector": ["--load-otlp", collector],
            "with one that is not there": ["--load-otlp", f"http://127.0.0.1:{free_port()}"],
            "with one that never answers": ["--load-otlp", silent],
            "with a trace for each request": ["--loadtool-traceparent"],
        }
        runs: dict[str, list[dict[str, Any]]] = {way: [] for way in ways}
        for _ in range(wanted.turns):
            for way, options in ways.items():
                runs[way].append(_made(folder, options, wanted.workers))
        print(f"{'':32}lateness p99, ms         processor time of a request, us")
        for way, some in runs.items():
            late = [max(one["lateness_p99_ms"] or 0.0 for one in run["workers"]) for run in some]
            used = [
                sum(one["cpu"] * one["duration_s"] for one in run["workers"])
                / run["totals"]["requests"]
                * 1e6
                for run in some
            ]
            print(f"{way:32}{_told(late):25}{_told(used)}")


if __name__ == "__main__":
    main()

"""Instructions that a load takes: ``python -m tests.benchmarks.instructions [WAY ...]``.

Counted by valgrind (callgrind), so that nothing else on the machine matters, in pure Python:

* of a user of 20 requests without sockets, with text and JSON checks on every other one, for each
  request;
* of recording a worker's 500 requests a second of 20 or 700 transactions, and of its report, for
  each request;
* of telling a collector of 20 transactions each second, once they all have had requests, to a
  server that takes it, for each second, and likewise for each request: the thread beside the load
  takes that.

What twice as much takes more is divided: so what starting takes is not in it.
"""

from __future__ import annotations

import argparse
import gc
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from random import Random
from typing import Any

_REQUESTS = 20
_RATE = 500  # requests of a worker in a second
_BODY = b'{"id": 17, "name": "Tea House", "items": [1, 2, 3]}'
_HEAD = (
    b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nDate: x\r\n"
    b"Content-Length: %d\r\n\r\n" % len(_BODY)
)
_CHECKS = 'validators = [{ text = "Tea House" }, { json = "$.id", equals = 17 }]'


class _Nobody:
    """Hears nothing."""

    def __getattr__(self, name: str) -> Any:
        return lambda *_, **__: None


def _case() -> str:
    lines = ['format = 1\nname = "x"\nhosts = ["127.0.0.1"]\n[[page]]\nname = "p"']
    for number in range(_REQUESTS):
        lines.append(f'[[page.transaction]]\nrequest = "GET http://127.0.0.1:9/a/{number}"')
        lines.append(_CHECKS if number % 2 else "")
    return "\n".join(lines)


def _work(traced: bool, iterations: int) -> None:
    """Have a user do its iterations; each request is answered at once."""
    from pytest_loadtool.casefile import parse_case
    from pytest_loadtool.replay import Over, Response, VirtualUser, Wait, compile_case
    from pytest_loadtool.replay.acting import actor_for

    gc.disable()
    case = replace(parse_case(_case(), path="x"), traced=traced)
    user = VirtualUser(compile_case(case), lambda *_: 0, _Nobody())
    actor, clock = actor_for(user), 100.0
    for iteration in range(iterations):
        commands = actor.act(user.next_visit(), iteration, clock)
        waiting: list[Any] = []
        event = None
        while not isinstance(command := commands.send(event), Over):
            if not isinstance(command, Wait):
                waiting += command
            event = None
            if waiting:
                clock += 0.01
                event = Response(waiting.pop(0))
                event.status, event.head, event.body = 200, _HEAD, _BODY
                event.sent, event.first_byte, event.finished = clock - 0.005, clock - 0.001, clock
                event.received = len(_HEAD) + len(_BODY)


def _recorded(transactions: int, seconds: int, told: Callable[[bytes], None] | None = None) -> None:
    """Record requests, and report them each second."""
    from pytest_loadtool.load.metrics import reports
    from tests.benchmarks.merging import keys_of
    from tests.benchmarks.worker import record_second

    gc.disable()
    random, metrics = Random(1), keys_of(transactions)
    reporter = reports.Reporter(metrics)
    for _ in range(seconds):
        record_second(metrics, random, _RATE, transactions)
        report = b"".join(reporter.report())
        if told is not None:
            told(report)


def _told(collector: str, seconds: int) -> None:
    """Have a collector told of each second, as the thread beside a load does."""
    from pytest_loadtool.load.metrics import reports
    from pytest_loadtool.load.metrics.merged import MergedMetrics
    from pytest_loadtool.telemetry.collector import MetricsCollector, Run
    from pytest_loadtool.telemetry.otlp import OtlpCollector
    from pytest_loadtool.telemetry.readings import readings
    from pytest_loadtool.telemetry.remote_write import RemoteWriteCollector

    kinds: dict[str, Callable[[str], MetricsCollector]] = {
        "OTLP": OtlpCollector, "remote write": RemoteWriteCollector
    }  # fmt: skip
    run, merged = Run("Shop", 1_700_000_000.0, "x"), list[MergedMetrics]()
    with _taking() as url:
        one = kinds[collector](url)

        def tell(report: bytes) -> None:
            wire = reports.read(report)
            if merged:
                merged[0].add_wire(wire)
            else:
                merged.append(reports.from_wire(wire))
            one.send(run, list(readings(merged[0])), 1_700_000_001.0)

        _recorded(_REQUESTS, seconds, tell)


@contextmanager
def _taking() -> Iterator[str]:
    """Take whatever comes, in a process of its own."""
    code = (
        "import http.server as h\n"
        "class H(h.BaseHTTPRequestHandler):\n"
        "    protocol_version = 'HTTP/1.1'\n"
        "    def do_POST(self):\n"
        "        self.rfile.read(int(self.headers['Content-Length']))\n"
        "        self.send_response(200)\n"
        "        self.send_header('Content-Length', '0')\n"
        "        self.end_headers()\n"
        "    log_message = lambda *_: None\n"
        "s = h.HTTPServer(('127.0.0.1', 0), H)\n"
        "print(s.server_port, flush=True)\n"
        "s.serve_forever()\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as server:
        assert server.stdout is not None
        try:
            yield f"http://127.0.0.1:{int(server.stdout.readline())}"
        finally:
            server.kill()


#: By its name, what is counted, how often, and of how many requests each time.
_WAYS: dict[str, tuple[Callable[[int], None], int, int]] = {
    "as it is": (partial(_work, False), 10, _REQUESTS),
    "with a trace for each request": (partial(_work, True), 10, _REQUESTS),
    "recording, of 20 transactions": (partial(_recorded, 20), 2, _RATE),
    "recording, of 700 transactions": (partial(_recorded, 700), 2, _RATE),
    "recording and telling OTLP": (partial(_told, "OTLP"), 3, _RATE),
    "recording and telling remote write": (partial(_told, "remote write"), 3, _RATE),
}


def _counted(way: str, times: int) -> int:
    done = subprocess.run(
        [
            *("valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"),
            *(sys.executable, "-m", __spec__.name, "--work", way, str(times)),
        ],
        env={**os.environ, "PYTHONHASHSEED": "0"},
        stderr=subprocess.PIPE,
        text=True,
        check=True,
    )
    found = re.search(r"Collected : (\d+)", done.stderr)
    assert found, done.stderr
    return int(found[1])


def main() -> None:
    """Count, or do the work that is counted."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("ways", nargs="*", metavar="WAY", help=", ".join(_WAYS))
    parser.add_argument("--work", nargs=2, help=argparse.SUPPRESS)
    wanted = parser.parse_args()
    if wanted.work:
        way, times = wanted.work
        _WAYS[way][0](int(times))
        return
    for way in wanted.ways or _WAYS:
        _, times, of = _WAYS[way]
        count = (_counted(way, 2 * times) - _counted(way, times)) // times
        print(f"{way:36} {count // of:>9,} instructions a request", flush=True)


if __name__ == "__main__":
    main()

"""Where each microsecond of a request goes.

    python tests/benchmarks/hot_path.py [--build compiled|pure] [--users N] [--seconds S]

Runs the correlated session B (see works.py) against nginx as peers.py does, and has the operating
system say what the kernel took. Then each piece of the work is done again and again on the very
responses that the server gave. What is left of the processor time is the event loop: uvloop, and
what of us is called by it and is in none of the pieces.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_loadtool.model.result import Failure
    from pytest_loadtool.replay import PagePlan, Plan, Response, Step

_TURNS = 2000
_REPEATS = 9


def main() -> int:
    """Serve, and measure in the environment of the build."""
    sys.path.insert(0, str(Path(__file__).parents[2]))
    from tests.benchmarks.contenders import pinned
    from tests.benchmarks.environments import our_python
    from tests.benchmarks.servers import serve
    from tests.benchmarks.works import write_load

    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--build", choices=["compiled", "pure"], default="compiled")
    parser.add_argument("--users", type=int, default=32)
    parser.add_argument("--seconds", type=int, default=4)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, serve(Path(folder), 4096) as site:
        clients = Path(folder) / "clients"
        clients.mkdir()
        load = write_load(clients, "B", site.url, options.users, options.seconds, "")
        python = our_python(options.build)
        command = pinned([python, __file__, "--measure", str(load)])
        return subprocess.run(command, check=False).returncode


def measure(path: Path) -> None:
    """Print the table. Runs where the build is installed."""
    from pytest_loadtool.casefile import read_case, read_load
    from pytest_loadtool.engine.functional import replay_once
    from pytest_loadtool.engine.load import LoadRunner
    from pytest_loadtool.engine.observers import metrics_for
    from pytest_loadtool.load.cluster.share import Share
    from pytest_loadtool.replay import compile_case

    configuration = read_load(path)
    plan = compile_case(read_case(path.parent / configuration.cases[0].file))
    metrics = metrics_for([plan])
    before, began = os.times(), time.perf_counter()
    LoadRunner([plan], configuration, Share(), metrics).run(time.time())
    wall, after = time.perf_counter() - began, os.times()
    requests = metrics.requests
    kernel = (after.system - before.system) / requests * 1e6
    ours = (after.user - before.user) / requests * 1e6

    seen = _Seen()
    replay_once(plan, observer=seen)
    pieces = {name: _microseconds(work, len(plan.steps)) for name, work in _pieces(seen, plan)}
    pieces["user"] -= sum(pieces[name] for name in ("bind", "extract", "validate"))
    rows = {
        "kernel: send, receive, wait for events": kernel,
        "event loop": ours - sum(pieces.values()),
        "parse the response": pieces["parse"],
        "bind values into the request": pieces["bind"],
        "extract": pieces["extract"],
        "validate": pieces["validate"],
        "virtual user: cookies, order, hand over": pieces["user"],
        "record": pieces["record"],
    }
    total = kernel + ours
    for what, us in rows.items():
        print(f"{what:42} {us:6.1f} µs {us / total:7.1%}")
    print(f"{'processor time of a request':42} {total:6.1f} µs")
    print(f"{requests / wall:,.0f} requests/s, {metrics.failed_requests} errors")


class _Seen:
    """Keeps the responses of a replay."""

    def __init__(self) -> None:
        self.responses: list[Response] = []

    def transaction(self, step: Step, response: Response, failures: tuple[Failure, ...]) -> None:
        self.responses.append(response)

    def negotiation(self, step: Step, response: Response) -> None: ...

    def page(self, page: PagePlan, started: float, finished: float, failed: bool) -> None: ...

    def iteration(self, started: float, finished: float, failed: bool) -> None: ...


class _Blind(_Seen):
    """Keeps nothing."""

    def transaction(self, step: Step, response: Response, failures: tuple[Failure, ...]) -> None:
        pass


def _pieces(seen: _Seen, plan: Plan) -> list[tuple[str, Callable[[], None]]]:
    """Each piece as a function that does it once for each response."""
    from pytest_loadtool.engine.observers import Clock, metrics_for, observers_for
    from pytest_loadtool.replay import VirtualUser
    from pytest_loadtool.replay.user.cookies import CookieJar
    from pytest_loadtool.replay.user.exchange import Response
    from pytest_loadtool.transport.wire.http1 import ResponseReader

    steps = plan.steps
    metrics = metrics_for([plan])
    observer = observers_for([plan], metrics, Clock(metrics))[0].of_user()
    values, jar, reader = ["value"] * len(plan.slots), CookieJar(), ResponseReader()
    wires = [one.head + b"\r\n\r\n" + one.body for one in seen.responses]

    def fresh(old: Response) -> Response:
        new = Response(old.send)
        new.status, new.head, new.body, new.received = old.status, old.head, old.body, old.received
        return new

    def parse() -> None:
        for wire in wires:
            reader.begin(False)
            reader.feed(wire)

    def bind() -> None:
        for step in steps:
            step.render(values, jar)

    def extract() -> None:
        for old in seen.responses:
            response = fresh(old)
            for take in response.send.step.takes:
                if take.extract is not None:
                    take.extract(response)

    def validate() -> None:
        for old in seen.responses:
            response = fresh(old)
            step = response.send.step
            for check in step.checks:
                check(response, values)
            _ = response.status in step.accepted

    user = VirtualUser(plan, lambda *_: None, _Blind())

    def act() -> None:
        commands = user.act(plan.visits.first, 0, 0.0)
        commands.send(None)
        for old in seen.responses:
            commands.send(fresh(old))

    def record() -> None:
        for response in seen.responses:
            observer.transaction(response.send.step, response, ())

    return [("parse", parse), ("bind", bind), ("extract", extract), ("validate", validate),
            ("user", act), ("record", record)]  # fmt: skip


def _microseconds(work: Callable[[], None], requests: int) -> float:
    """The processor time of ``work`` for each of so many requests: the median of some repeats."""
    times = []
    for _ in range(_REPEATS):
        began = time.process_time()
        for _ in range(_TURNS):
            work()
        times.append((time.process_time() - began) / _TURNS / requests * 1e6)
    return statistics.median(times)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        measure(Path(sys.argv[2]))
    else:
        sys.exit(main())

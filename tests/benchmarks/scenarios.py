"""What is measured: races between contenders, and properties of our own.

One table, in the order in which they are run.
"""

from __future__ import annotations

import json
import statistics
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.benchmarks.contenders import Job, load_command
from tests.benchmarks.environments import our_python
from tests.benchmarks.servers import Site
from tests.benchmarks.watching import Look, watch
from tests.benchmarks.works import large_case, write_load

__all__ = ["SCENARIOS", "Race", "Trial", "Tried"]


@dataclass(frozen=True, slots=True)
class Race:
    """Runs in alternation; the first one's rate is set in relation to each of the others'.

    ``entrants`` are contenders and what they do, by the name in the results.
    """

    users: int
    entrants: dict[str, tuple[str, str]]
    tls: bool = False

    def job(self, entrant: str, site: Site, folder: Path, seconds: int) -> Job:
        """What an entrant has to do."""
        return Job(site, folder, self.entrants[entrant][1], self.users, seconds, self.tls)


#: What a trial found: figures by name.
Tried = dict[str, float | str]


@dataclass(frozen=True, slots=True)
class Trial:
    """A property of ours that is no rate. Given the site, a folder and the soak's seconds."""

    measure: Callable[[Site, Path, int], Tried]


def _run(
    site: Site, folder: Path, work: str, users: int, seconds: int, more: str
) -> tuple[list[Look], dict[str, Any]]:
    """A load test, watched; its report."""
    load = write_load(folder, work, site.url, users, seconds, more)
    result = folder / "result.json"
    result.unlink(missing_ok=True)
    looks, output = watch(load_command("compiled", load, result), folder)
    if not result.exists():
        raise SystemExit(f"our own run has no result:\n{output}")
    report: dict[str, Any] = json.loads(result.read_text())["runs"][0]
    return looks, report


def _refuse_errors(report: dict[str, Any]) -> None:
    if report["totals"]["errors"]:
        raise SystemExit(f"errors in our own run: {report['errors'][:3]}")


_MANY = 10_000


def _memory(site: Site, folder: Path, _soak: int) -> Tried:
    """Resident memory of a process whose users are all connected, beside one with a single user.

    Users run B once within ten seconds, then wait for ten more with their connection open. (One
    that has nothing more to do closes it.)
    """
    seen = {}
    for users in (1, _MANY):
        looks, report = _run(site, folder, "B", users, 31, 'ramp_up = "10s"\npacing = "20s"\n')
        _refuse_errors(report)
        most = max(update.sockets for update in looks)
        seen[users] = [update for update in looks if update.sockets == most][-1]
    connected = seen[_MANY].sockets - seen[1].sockets
    if connected < _MANY * 0.99:
        raise SystemExit(f"only {connected} of {_MANY} users were connected at a time")
    return {
        "kb_per_user": round((seen[_MANY].rss_kb - seen[1].rss_kb) / connected, 2),
        "connected_users": connected + 1,
        "rss_mb_1_user": round(seen[1].rss_kb / 1024, 1),
        f"rss_mb_{_MANY}_users": round(seen[_MANY].rss_kb / 1024, 1),
    }


def _paced(site: Site, folder: Path, _soak: int) -> Tried:
    """Ten thousand users that each send a request per second, for 20 seconds after a ramp-up of 5.

    Processor time is taken from outside, over the seconds in which all users were there.
    """
    more = 'ramp_up = "5s"\npacing = "1s"\n'
    looks, report = _run(site, folder, "A", _MANY, 25, more)
    _refuse_errors(report)
    (worker,) = report["workers"]
    # The process ends within a second of the load, and began it a second after it was started.
    steady = [update for update in looks if 8 <= update.at <= 24]
    first, last = steady[0], steady[-1]
    per_second = {one["second"]: one["requests"] for one in report["timeline"]}
    return {
        "cpu_share": round((last.cpu_s - first.cpu_s) / (last.at - first.at), 3),
        "rps": statistics.median(per_second.get(second, 0) for second in range(8, 24)),
        "late_p95_ms": worker["lateness_p95_ms"],
        # Where the report has no such percentile, what contains it: a response time counts from
        # when the request should have been sent.
        "late_p99_ms": worker.get("lateness_p99_ms", report["totals"]["response_time_ms"]["p99"]),
        "late_p99_is": "measured"
        if "lateness_p99_ms" in worker
        else "response time, an upper bound",
        "verdict": report["verdict"],
    }


def _soak(site: Site, folder: Path, seconds: int) -> Tried:
    """Memory at full rate over a long time, with an error of another text in each iteration.

    The growth is that from the first to the last tenth of what follows the first minute (half of
    the time in a shorter soak).
    """
    looks, report = _run(site, folder, "soak", 32, seconds, 'max_error_rate = "100%"\n')
    settled = [update.rss_kb for update in looks if min(60, seconds / 2) <= update.at <= seconds]
    few = max(1, len(settled) // 10)
    growth = statistics.median(settled[-few:]) - statistics.median(settled[:few])
    if not report["other_errors"]:
        raise SystemExit("the errors of the soak are not as distinct as they should be")
    return {
        "seconds": seconds,
        "requests": report["totals"]["requests"],
        "errors": report["totals"]["errors"],
        "error_texts_kept": len(report["errors"]),
        "rss_mb": " ".join(f"{update.rss_kb / 1024:.1f}" for update in looks[10::10]),
        "rss_mb_growth_after_settling": round(growth / 1024, 2),
    }


#: Reads and compiles a case, and says how long either took.
_COMPILE = """
import json, sys
from pathlib import Path
from time import perf_counter
from pytest_loadtool.casefile import read_case
from pytest_loadtool.replay import compile_case

path = Path(sys.argv[1])
started = perf_counter()
case = read_case(path)
was_read = perf_counter()
plan = compile_case(case)
done = perf_counter()
print(json.dumps({
    "transactions": len(plan.steps),
    "read_s": round(was_read - started, 3),
    "compile_s": round(done - was_read, 3),
}))
"""


def _compile(_site: Site, folder: Path, _soak: int) -> Tried:
    """A test case of 2,000 transactions; all users of a process share what comes out."""
    case = folder / "large.case.toml"
    case.write_text(large_case(2000))
    command = [our_python("compiled"), "-c", _COMPILE, str(case)]
    runs: list[Tried] = [json.loads(subprocess.check_output(command, cwd=folder)) for _ in range(5)]
    return sorted(runs, key=lambda run: run["compile_s"])[2]


SCENARIOS: dict[str, Race | Trial] = {
    "A32": Race(32, {"loadtool": ("loadtool", "A"), "pure": ("pure", "A"), "wrk": ("wrk", "A"),
                     "hey": ("hey", "A"), "locust": ("locust", "A")}),
    "B32": Race(32, {"loadtool": ("loadtool", "B"), "pure": ("pure", "B"),
                     "locust": ("locust", "B"), "wrk": ("wrk", "B")}),
    "B1000": Race(1000, {"loadtool": ("loadtool", "B"), "locust": ("locust", "B"),
                         "wrk": ("wrk", "B")}),
    "BTLS32": Race(32, {"loadtool": ("loadtool", "B"), "locust": ("locust", "B"),
                        "wrk": ("wrk", "B")}, tls=True),
    "P100": Race(32, {"loadtool": ("loadtool", "P100"), "B32": ("loadtool", "B")}),
    "MEM10K": Trial(_memory),
    "RATE10K": Trial(_paced),
    "SOAK": Trial(_soak),
    "COMPILE": Trial(_compile),
}  # fmt: skip

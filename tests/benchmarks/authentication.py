"""What authentication costs the client.

    python tests/benchmarks/authentication.py [--build compiled|pure] [--users N] [--requests N]

Users ask Apache for a small page, with each scheme and without any, once and then often, on
connections that they keep: what the second run takes longer is the price of so many requests of
users who are logged in. The runs of a round follow one another at once, and each is compared with
the one without in its own round. Then users that log in for each page are compared with users that
ask for as many pages without: what is more is the handshake's. Processor time is the client's
alone; client and server have a core each.

First it is a page that Django makes for each request, behind Apache, as an application that wants
authentication would be; then a file, which is the least that a server can do. A server is slower
with authentication too, and with a file that is much of its work: how much tells wrk, which sends
one and the same header again and again and has no work with it; the schemes that authenticate
connections are not for it.
"""

from __future__ import annotations

import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

#: Where Apache wants each scheme. ``idle`` is open to all, though the test case has an identity.
_PATHS = {
    "none": "/open",
    "idle": "/open",
    "basic": "/basic/one",
    "digest": "/digest",
    "ntlm": "/ntlm",
    "negotiate": "/negotiate",
}

#: How many requests for the file there are for each that Django answers.
_SLOWER = 20

#: How many requests a login makes of one.
_REQUESTS = {"basic": 2, "digest": 2, "ntlm": 3, "negotiate": 3}


def main() -> int:
    """Serve, and measure in the environment of the build."""
    root = Path(__file__).parents[2]
    sys.path.insert(0, str(root))
    from tests.applications import django_admin
    from tests.authentication.apache import serving
    from tests.benchmarks.contenders import pinned
    from tests.benchmarks.environments import our_python
    from tests.benchmarks.servers import SERVER_CORE

    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--build", choices=["compiled", "pure"], default="compiled")
    parser.add_argument("--users", type=int, default=16)
    parser.add_argument("--requests", type=int, default=1500, help="of each user, for the file")
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    python = our_python(options.build)
    os.sched_setaffinity(0, {int(SERVER_CORE)})  # and so is Apache's
    with (
        tempfile.TemporaryDirectory() as state,
        django_admin.serve(Path(state)) as django,
        serving(application=f"{django}/admin/login/") as apache,
    ):
        url, numbers = apache.url("http"), (options.users, options.requests, options.rounds)
        command = pinned([python, __file__, "--measure", url, *map(str, numbers)])
        code = subprocess.run(command, check=False).returncode
        rates = [_wrk(url, options.users) for _ in range(options.rounds)]
    print("\nwhat the server loses (wrk)")
    for scheme in rates[0]:
        share = statistics.median(each[scheme] / each["none"] for each in rates)
        rate = statistics.median(each[scheme] for each in rates)
        print(f"{scheme:12} {rate:10,.0f} {share:8.1%}")
    return code


def _wrk(url: str, users: int) -> dict[str, float]:
    """Requests per second by scheme, with a header that the server has accepted before."""
    import httpx

    from tests.benchmarks.contenders import pinned
    from tests.benchmarks.environments import program

    name, password = "alice", "secret1"
    schemes: dict[str, httpx.Auth | None] = {
        "none": None,
        "basic": httpx.BasicAuth(name, password),
        "digest": httpx.DigestAuth(name, password),
    }
    rates = {}
    for scheme, auth in schemes.items():
        page = f"{url}{_PATHS[scheme]}/page"
        asked = httpx.get(page, auth=auth).raise_for_status().request
        command = [program("wrk"), "-t", "1", "-c", str(users), "-d", "2s"]
        if auth is not None:
            command += ["-H", f"Authorization: {asked.headers['authorization']}"]
        output = subprocess.run(
            pinned([*command, page]), capture_output=True, text=True, check=True
        ).stdout
        found = re.search(r"Requests/sec:\s+([\d.]+)", output)
        if found is None or "Non-2xx" in output:
            raise SystemExit(f"errors in a run:\n{output}")
        rates[scheme] = float(found[1])
    return rates


@dataclass(frozen=True, slots=True)
class _Run:
    """Requests, the seconds they took, and those of them that the client was busy."""

    requests: int
    wall: float
    busy: float

    def __sub__(self, other: _Run) -> _Run:
        return _Run(self.requests - other.requests, self.wall - other.wall, self.busy - other.busy)

    @property
    def rate(self) -> float:
        return self.requests / self.wall

    @property
    def cost(self) -> float:
        """Microseconds of processor time for each request."""
        return self.busy / self.requests * 1e6


def measure(url: str, users: int, requests: int, rounds: int) -> None:
    """Print the tables. Runs where the build is installed."""
    _measure_steady(url, "application", users, max(1, requests // _SLOWER), rounds)
    _measure_steady(url, "page", users, requests, rounds)
    _measure_logins(url, users, rounds)


def _measure_steady(url: str, page: str, users: int, requests: int, rounds: int) -> None:
    steady = [
        {
            one: _run(url, one, users, 1 + requests, page, stays=True)
            - _run(url, one, users, 1, page, stays=True)
            for one in _PATHS
        }
        for _ in range(rounds)
    ]
    print(f"\nlogged in: {page}")
    print(f"{'':12} {'requests/s':>10} {'of none':>8} {'µs each':>8} {'of none':>8}")
    for one in _PATHS:
        rate = statistics.median(each[one].rate for each in steady)
        cost = statistics.median(each[one].cost for each in steady)
        rates = statistics.median(each[one].rate / each["none"].rate for each in steady)
        costs = statistics.median(each[one].cost / each["none"].cost for each in steady)
        print(f"{one:12} {rate:10,.0f} {rates:8.1%} {cost:8.1f} {costs:8.1%}")


def _measure_logins(url: str, users: int, rounds: int) -> None:
    print(f"\n{'logging in':12} {'ms each':>8}")
    logins: list[dict[str, float]] = []
    for _ in range(rounds):
        cost_of = {
            count: _run(url, "none", users, 50, "page", pages=count).busy for count in (2, 3)
        }
        logins.append(
            {
                one: (_run(url, one, users, 50, "page").busy - cost_of[count]) / (50 * users)
                for one, count in _REQUESTS.items()
            }
        )
    for one in _REQUESTS:
        print(f"{one:12} {statistics.median(each[one] for each in logins) * 1e3:8.2f}")


def _run(
    url: str,
    scheme: str,
    users: int,
    iterations: int,
    page: str,
    *,
    stays: bool = False,
    pages: int = 1,
) -> _Run:
    """``iterations`` of each user, with a login in each unless it ``stays``."""
    from pytest_loadtool.engine.load import LoadRunner
    from pytest_loadtool.engine.observers import metrics_for
    from pytest_loadtool.load.cluster.share import Share
    from pytest_loadtool.model.authentication import Identity
    from pytest_loadtool.model.case import Page, Request, TestCase, Transaction
    from pytest_loadtool.model.load import CaseShare, LoadConfiguration
    from pytest_loadtool.replay import compile_case

    get = Transaction(Request("GET", f"{_PATHS[scheme]}/{page}"))
    identities = () if scheme == "none" else (Identity("alice", "secret1", "EXAMPLE"),)
    case = TestCase("case", (Page("page", (get,) * pages),), url, identities=identities)
    configuration = LoadConfiguration(
        "load", (CaseShare("case.case.toml"),), users, None, iterations=iterations,
        keep_connections=stays, keep_state=stays,
    )  # fmt: skip
    plan = compile_case(case)
    metrics = metrics_for([plan])
    busy, began = time.process_time(), time.perf_counter()
    LoadRunner([plan], configuration, Share(), metrics).run(time.time())
    done = _Run(metrics.requests, time.perf_counter() - began, time.process_time() - busy)
    if metrics.failed_requests:
        raise SystemExit(f"{metrics.failed_requests} of {done.requests} failed with {scheme}")
    return done


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        given, *numbers = sys.argv[2:]
        measure(given, *map(int, numbers))
    else:
        sys.exit(main())

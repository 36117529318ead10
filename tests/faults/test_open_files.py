"""The limit on open files is met before the start, not in the middle of the run."""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path

import pytest

from pytest_loadtool.engine.load import connections_of
from pytest_loadtool.model.case import Page, Recorded, Request, TestCase, Transaction
from pytest_loadtool.recording.filter.domains import with_recorded_hosts
from pytest_loadtool.replay import compile_case
from tests.faults.server import Peer, serving, well
from tests.plugin.loading import Project, load
from tests.plugin.serving import case

#: pytest with limits on open files; the third argument on is what it is run with.
LIMITED = """
import resource, sys, pytest
soft, hard = int(sys.argv[1]), int(sys.argv[2])
resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
status = pytest.main(["-p", "no:cacheprovider", *sys.argv[3:]])
print("limit is", resource.getrlimit(resource.RLIMIT_NOFILE)[0])
sys.exit(status)
"""


def run(
    project: Project, soft: int, hard: int, *arguments: str
) -> subprocess.CompletedProcess[str]:
    """pytest in a process of its own, with these limits."""
    command = [sys.executable, "-c", LIMITED, str(soft), str(hard), *arguments]
    return subprocess.run(
        command,
        cwd=project.path,
        env=project.environment(),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["here", "workers"])
def test_refused_before_the_start(project: Project, workers: tuple[str, ...]) -> None:
    """One clear error, with the limit, the need and what to do; no request is sent."""
    with serving(well) as server:
        project.write(
            shop__case__toml=case(server.http, "GET /"),
            rush__load__toml=load("shop.case.toml", users=2000),
        )
        done = run(project, 256, 300, "--load", *workers)
    assert done.returncode != 0
    users = 1000 if workers else 2000
    text = " ".join(done.stdout.split())
    assert f"the load needs up to {users:,} connections at a time in one process" in text
    assert "the limit is 300: raise it ('ulimit -n " in text
    assert "Traceback" not in done.stdout
    assert server.connections == 0


def test_raised_where_that_suffices(project: Project) -> None:
    """As far as needed, and no further: programs that fixtures start have it, too."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if 0 <= hard < 1000:
        pytest.skip(f"the hard limit here is {hard}")
    with serving(well) as server:
        project.write(
            shop__case__toml=case(server.http, "GET /"),
            rush__load__toml=load(
                "shop.case.toml", users=300, duration="60s", more="iterations = 1"
            ),
        )
        done = run(project, 256, 1000, "--load", "--load-json", "out.json")
    totals = project.json()["totals"]
    assert (totals["errors"], totals["requests"]) == (0, len(server.asked)), done.stdout
    assert 400 < int(done.stdout.rpartition("limit is ")[2]) < 1000
    assert server.connections >= 300


def test_a_limit_that_is_high_enough_stays(project: Project) -> None:
    """Nothing is changed that need not be."""
    with serving(well) as server:
        project.write(
            shop__case__toml=case(server.http, "GET /"),
            rush__load__toml=load("shop.case.toml", users=2),
        )
        done = run(project, 256, 1000, "--load")
    assert server.asked
    assert done.stdout.rstrip().endswith("limit is 256")


def overlapping(*targets: str) -> tuple[Transaction, ...]:
    """Transactions that were all under way at once when they were recorded."""
    return tuple(
        Transaction(Request("GET", target), recorded=Recorded(200, took=1.0)) for target in targets
    )


def test_connections_of_a_user() -> None:
    """One for each origin; up to six where requests overlap, but no more than there are."""
    other = "http://127.0.0.2"
    one_by_one = Page("a", (Transaction(Request("GET", "/1")), Transaction(Request("GET", "/2"))))
    two_hosts = Page("b", (Transaction(Request("GET", f"{other}/1")),))
    crowd = Page("c", overlapping(*(f"/{number}" for number in range(9)), f"{other}/1"))

    def needed(*pages: Page) -> int:
        return connections_of(
            compile_case(with_recorded_hosts(TestCase("c", pages, "http://127.0.0.1")))
        ).total()

    assert needed(one_by_one) == 1
    assert needed(one_by_one, two_hosts) == 2
    assert needed(one_by_one, two_hosts, crowd) == 7


#: Users that wait for an answer, in a process that may open only a few files more.
TOO_MANY = """
import os, resource, sys
from tests.faults.replaying import load

load("http://127.0.0.1:1", "/", duration=0.1)   # what is opened once is open
limit = max(map(int, os.listdir("/proc/self/fd"))) + 8
resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
metrics = load(sys.argv[1], "/", users=30, duration=0.5, timeout=0.3)
for error in metrics.errors:
    print(f"{error.cause}: {error.message}")
"""


def test_no_file_is_left() -> None:
    """Should the limit be met in the middle of a run after all, the failures say so."""
    with serving(Peer.hold) as server:
        done = subprocess.run(
            [sys.executable, "-c", TOO_MANY, server.http],
            cwd=Path(__file__).parent.parent.parent,
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
    errors = done.stdout.splitlines()
    assert len(errors) == 2, done
    assert any(one.startswith("timeout: ") for one in errors)
    [other] = [one for one in errors if not one.startswith("timeout: ")]
    assert other.startswith("connect: ")
    assert "open files" in other
    assert "ulimit -n" in other

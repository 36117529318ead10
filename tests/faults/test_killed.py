"""Processes that are killed in the middle of a load test: workers, and their controller.

The server's log tells who did what: each iteration takes a row of a dataset of its own, and which
worker takes which row is arithmetic.
"""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest

from tests.faults.server import Server, serving, well
from tests.plugin.loading import Project, all_output, children, load, wait_until

USERS, WORKERS = 6, 3


def rows_of(server: Server) -> list[int]:
    """The rows that were asked for, in order."""
    return [int(line.rpartition("/")[2]) for line in server.lines]


def worker_of(row: int) -> int:
    """Row ``i`` is taken by user ``i % users``, and that one belongs to a worker."""
    return row % USERS % WORKERS


#: Two pages with a moment between them, which keeps the number of requests small.
CASE = """
format = 1
name = "Rows"
server = "{server}"

[datasets.rows]
file = "rows.csv"
reusable = false

[[page]]
name = "First"
think_time = "20ms"

[[page.transaction]]
request = "GET /first/${{rows.number}}"

[[page]]
name = "Second"

[[page.transaction]]
request = "GET /second/${{rows.number}}"
"""


def write(project: Project, server: Server, duration: str) -> None:
    """A load test in which each iteration takes a row that no other takes."""
    project.write(
        rows__csv="\n".join(["number", *map(str, range(20_000)), ""]),
        rows__case__toml=CASE.format(server=server.http),
        rush__load__toml=load("rows.case.toml", users=USERS, duration=duration),
    )


#: Notes each worker that has reported numbers with a request in them.
NOTING = """
import pathlib
from pytest_loadtool.load.metrics import reports
from pytest_loadtool.plugin.load.series import Series

hear = Series.hear

def hear_and_note(series, worker, frame):
    hear(series, worker, frame)
    if frame[1] == "snapshot" and reports.read(frame[2])["slices"]:
        pathlib.Path(f"heard-{worker}").touch()

Series.hear = hear_and_note
"""


@pytest.mark.parametrize("victim", [0, 1], ids=["the leader", "another"])
def test_a_worker_is_killed(project: Project, victim: int) -> None:
    """What it had reported stays, what is missing is said, nobody does its work a second time, and
    the others finish theirs."""
    with serving(well) as server:
        write(project, server, duration="4s")
        project.write(conftest__py=NOTING)
        with project.running("--load", "-n", str(WORKERS), "--load-json", "out.json") as process:
            wait_until((project.path / f"heard-gw{victim}").exists)
            os.kill(children(process.pid)[victim], signal.SIGKILL)
            output = all_output(process)
    assert process.returncode not in (0, 3), output  # 3 is pytest's internal error
    assert "Traceback" not in output
    lost = f"worker gw{victim} was lost: the load of its 2 of 6 users is missing from"
    assert lost in " ".join(output.split())

    data = project.json()
    assert data["verdict"] == "inconclusive"
    assert any(reason.startswith(lost) for reason in data["reasons"])
    states = [worker["state"] for worker in data["workers"]]
    assert states == ["lost" if number == victim else "final" for number in range(WORKERS)]
    assert data["totals"]["cut_requests"] == 0

    assert max(server.counts.values()) == 1  # nothing was done twice
    asked = [worker_of(row) for row in rows_of(server)]
    for number, worker in enumerate(data["workers"]):
        if number == victim:
            assert 0 < worker["requests"] <= asked.count(number)
        else:
            assert worker["requests"] == asked.count(number)
    assert data["totals"]["requests"] == sum(worker["requests"] for worker in data["workers"])
    after = asked[len(asked) - asked[::-1].index(victim) :]
    assert len(after) > 50
    assert victim not in after


#: The first worker dies while it collects, before the other has done so or after.
DYING = """
import os
import pathlib
import signal
import time

def wait_until(condition):
    deadline = time.monotonic() + 180
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.01)

def pytest_collection_modifyitems():
    worker, last = os.environ.get("PYTEST_XDIST_WORKER"), {last}
    if worker == "gw0":
        pathlib.Path("pid").write_text(str(os.getpid()))
        wait_until(lambda: not last or pathlib.Path("collected").exists())
        os.kill(os.getpid(), signal.SIGKILL)
    if worker == "gw1" and not last:
        pid = pathlib.Path("pid")
        wait_until(lambda: pid.exists() and pid.read_text())
        wait_until(lambda: not pathlib.Path("/proc", pid.read_text(), "exe").exists())

def pytest_collection_finish():
    pathlib.Path("collected").touch()
"""


@pytest.mark.parametrize("last", [False, True], ids=["the first", "the last"])
def test_a_worker_is_killed_while_it_collects(project: Project, last: bool) -> None:
    """It costs nothing: the other takes the whole load, and the run is complete."""
    with serving(well) as server:
        write(project, server, duration="1s")
        project.write(conftest__py=DYING.replace("{last}", str(last)))
        done = project.run("--load", "-n", "2", "--load-json", "out.json")
    assert done.returncode in (0, 10), done.stdout  # a busy machine may be too slow for the load
    assert "worker gw0 crashed" in done.stdout
    data = project.json()
    (worker,) = data["workers"]
    assert (worker["name"], worker["state"], worker["users"]) == ("gw1", "final", USERS)
    assert {row % USERS for row in rows_of(server)} == set(range(USERS))
    assert len(server.lines) - data["totals"]["requests"] == data["totals"]["cut_requests"] == 0


def test_all_workers_are_killed_while_they_collect(project: Project) -> None:
    """There is nobody left: it says so, and does not hang."""
    with serving(well) as server:
        write(project, server, duration="1s")
        project.write(
            conftest__py="""
import os
import signal

def pytest_collection_modifyitems(config):
    if hasattr(config, "workerinput"):
        os.kill(os.getpid(), signal.SIGKILL)
"""
        )
        done = project.run("--load", "-n", "2")
    assert done.returncode == 1, done.stdout
    assert "no load test was run: workers ended while they collected" in done.stdout
    assert server.lines == []


def test_the_controller_is_killed(project: Project) -> None:
    """Long before the 60 seconds are over nobody sends anything any more, and nobody is left."""
    with serving(well) as server:
        write(project, server, duration="60s")
        with project.running("--load", "-n", str(WORKERS)) as process:
            wait_until(lambda: {worker_of(row) for row in rows_of(server)} == set(range(WORKERS)))
            workers = children(process.pid)
            os.kill(process.pid, signal.SIGKILL)
            killed = time.monotonic()
            process.wait()
            wait_until(lambda: not any(Path(f"/proc/{one}").exists() for one in workers))
    assert len(workers) == WORKERS
    assert [one.line for one in server.asked if one.at > killed + 30] == []

"""Load tests over the workers of pytest-xdist."""

from __future__ import annotations

import os
import re
import signal
from pathlib import Path
from xml.etree import ElementTree

import pytest

from pytest_loadtool.plugin.load.outcome import EXIT_INCONCLUSIVE
from tests.plugin.loading import Project, all_output, children, load, wait_until
from tests.plugin.serving import Server, case, transaction


@pytest.fixture
def project(tmp_path: Path, server: Server) -> Project:
    """A case that passes and one that fails, without load configurations."""
    project = Project(tmp_path)
    project.write(
        good__case__toml=case(server.url, "GET /", "GET /two"),
        bad__case__toml=case(server.url, "GET /", "GET /status/500"),
    )
    return project


#: A server fixture that keeps a diary of its own life and of the worker it lives in.
DIARY = """
import os, pathlib, pytest

def note(text):
    with open("diary", "a") as diary:
        diary.write(f"{text} {os.environ['PYTEST_XDIST_WORKER']}\\n")

@pytest.fixture(scope="session")
def shop():
    note("open")
    yield "%s"
    note("close")

def pytest_runtest_logreport(report):
    if "PYTEST_XDIST_WORKER" in os.environ:
        note("reported")
"""


@pytest.mark.promise(3, 127, 128, 129, 130)
def test_one_test_on_two_workers(project: Project, server: Server) -> None:
    """All workers run the one test; it is reported once, with every request the server saw."""
    project.write(rush__load__toml=load("good.case.toml"))
    done = project.run(
        *("--load", "-n", "2", "-v", "--load-json", "out.json", "--junitxml", "junit.xml")
    )
    assert done.returncode == 0, done.stdout
    assert done.stdout.count("rush.load.toml::rush") == 1
    assert re.search(r"rush.load.toml::rush PASSED +\[100%\]", done.stdout)
    assert "1 passed" in done.stdout
    data = project.json()
    assert data["verdict"] == "passed"
    assert data["totals"]["requests"] == len(server.requests) > 0
    assert data["totals"]["status"] == {"200": len(server.requests)}
    assert [worker["name"] for worker in data["workers"]] == ["gw0", "gw1"]
    assert [worker["users"] for worker in data["workers"]] == [2, 2]
    assert all(worker["requests"] for worker in data["workers"])
    assert sum(worker["requests"] for worker in data["workers"]) == len(server.requests)
    assert "on 2 workers" in done.stdout
    suite = ElementTree.parse(project.path / "junit.xml").getroot()[0]
    assert suite.attrib["tests"] == "1"
    (test,) = suite
    properties = {one.attrib["name"]: one.attrib["value"] for one in test.iter("property")}
    assert properties["load_requests"] == str(len(server.requests))


@pytest.mark.promise(129)
def test_failure_is_one_failure(project: Project, server: Server) -> None:
    """Errors of all workers together fail the test, once."""
    project.write(rush__load__toml=load("bad.case.toml"))
    done = project.run("--load", "-n", "2", "-q")
    assert done.returncode == 1
    errors = server.requests.count("GET /status/500")
    reason = f"{errors:,} of {len(server.requests):,} requests failed, 0 % allowed"
    assert f"load test failed: error rate 50 %: {reason}" in done.stdout
    assert "1 failed" in done.stdout
    assert "Traceback" not in done.stdout


def test_several_load_tests_one_after_the_other(project: Project, server: Server) -> None:
    """No test begins before the one before has ended; -x ends the session at the first failure."""
    for name, cases in {"a": "good", "b": "bad", "c": "good"}.items():
        text = case(server.url, f"GET /{name}", *(["GET /status/500"] if cases == "bad" else []))
        project.write(**{f"{name}__case__toml": text})
        project.write(**{f"{name}__load__toml": load(f"{name}.case.toml", name=f"Run {name}")})

    done = project.run("--load", "-n", "2", "--load-json", "out.json")
    assert done.returncode == 1, done.stdout
    assert "1 failed, 2 passed" in done.stdout
    runs = project.json()["runs"]
    assert [run["name"] for run in runs] == ["Run a", "Run b", "Run c"]
    assert sum(run["totals"]["requests"] for run in runs) == len(server.requests)
    order = [request[-1] for request in server.requests if not request.endswith("500")]
    assert "".join(order) == "".join(sorted(order))
    assert set(order) == set("abc")

    server.requests.clear()
    first = project.run("--load", "-n", "2", "-x", "--load-json", "out.json")
    assert first.returncode == 1, first.stdout
    assert "1 failed, 1 passed" in first.stdout
    assert "stopping after 1 failures" in first.stdout
    assert [run["name"] for run in project.json()["runs"]] == ["Run a", "Run b"]
    assert "GET /c" not in server.requests


def test_more_workers_than_users(project: Project, server: Server) -> None:
    """A worker without users does nothing, and holds nobody up."""
    project.write(rush__load__toml=load("good.case.toml", users=1, more='grace = "100s"'))
    done = project.run("--load", "-n", "2", "--load-json", "out.json")
    assert done.returncode == 0, done.stdout
    data = project.json()
    assert [worker["users"] for worker in data["workers"]] == [1, 0]
    assert data["totals"]["requests"] == len(server.requests)


def test_one_application_for_all_workers(project: Project, server: Server) -> None:
    """The fixture that starts the application is set up by one worker, once for all load tests; it
    is taken down after the last worker has finished. No worker reports a test to pytest."""
    project.write(
        conftest__py=DIARY % server.url,
        shop__case__toml=case("", "GET /", head='server_fixture = "shop"'),
        a__load__toml=load("shop.case.toml"),
        b__load__toml=load("shop.case.toml"),
    )
    done = project.run("--load", "-n", "2", "--load-json", "out.json")
    assert done.returncode == 0, done.stdout
    assert project.lines("diary") == ["open gw0", "close gw0"]
    runs = project.json()["runs"]
    for run in runs:
        assert [worker["state"] for worker in run["workers"]] == ["final", "final"]
        assert all(worker["requests"] for worker in run["workers"])
    assert sum(run["totals"]["requests"] for run in runs) == len(server.requests)


@pytest.mark.parametrize(
    ("body", "status", "word", "text"),
    [
        ("raise RuntimeError('no port is free')", 1, "1 error", "RuntimeError: no port is free"),
        ("pytest.skip('no database here')", 0, "1 skipped", ""),
        ("yield URL; raise RuntimeError('will not stop')", 1, "1 passed, 1 error", "will not stop"),
        ("return 'nowhere'", 1, "1 failed", "shop.case.toml:4: server_fixture: fixture 'shop'"),
    ],
    ids=["setup fails", "skips", "teardown fails", "no URL"],
)
def test_fixture_that_goes_wrong_is_reported_once(
    project: Project, server: Server, body: str, status: int, word: str, text: str
) -> None:
    """With its own text, as of any fixture; no worker is left waiting."""
    project.write(
        conftest__py="\n".join(
            ["import pytest", f"URL = '{server.url}'", "@pytest.fixture", "def shop():"]
            + [f"    {line}" for line in body.split("; ")]
        ),
        shop__case__toml=case(server.url, "GET /", head='server_fixture = "shop"'),
        rush__load__toml=load("shop.case.toml"),
    )
    done = project.run("--load", "-n", "2", "-rs")
    assert done.returncode == status, done.stdout
    assert f" {word} in" in done.stdout
    assert text in done.stdout
    if "yield" not in body:
        assert server.requests == []


def test_generated_values_are_of_one_run(project: Project, server: Server) -> None:
    """No two iterations have the same number, whichever worker has them; what has a seed is the
    same in the next run."""
    made = '[variables]\nn = { generate = "sequence", start = 101 }\n'
    made += 'who = { generate = "faker", provider = "first_name", seed = 7 }\n'
    project.write(
        made__case__toml=case(server.url, transaction("GET /?n=${n}&who=${who}"), head=made),
        rush__load__toml=load("made.case.toml", more="iterations = 3"),
    )
    assert project.run("--load", "-n", "2").returncode == 0
    first, server.requests[:] = sorted(server.requests), []
    assert [re.findall(r"\?n=(\d+)", one) for one in first] == [[f"{n}"] for n in range(101, 113)]
    assert len({one.partition("who=")[2] for one in first}) > 6
    assert project.run("--load").returncode == 0
    assert sorted(server.requests) == first


def test_refused_share_is_one_failure(project: Project, server: Server) -> None:
    """What every worker finds wrong before the start is said once, and nobody starts."""
    project.write(
        users__csv="name\nanna\nberta\n",
        rows__case__toml=case(
            server.url,
            transaction("GET /?u=${users.name}"),
            head='[datasets.users]\nfile = "users.csv"\nsharable = false\n',
        ),
        rush__load__toml=load("rows.case.toml"),
    )
    done = project.run("--load", "-n", "2", "-rN")
    assert done.returncode == 1
    assert done.stdout.count("dataset 'users' (users.csv) has 2 rows for 4 users") == 1
    assert "1 failed" in done.stdout
    assert "Traceback" not in done.stdout
    assert server.requests == []


def test_lost_worker_keeps_its_numbers_and_is_not_replaced(
    project: Project, server: Server
) -> None:
    """Of a worker that is killed what it had reported stays; the others finish; nothing runs again;
    the next load test has its whole load."""
    project.write(
        conftest__py="""
import pathlib
from pytest_loadtool.plugin.load.series import Series

hear = Series.hear

def hear_and_note(series, worker, frame):
    hear(series, worker, frame)
    if frame[1] == "snapshot":
        pathlib.Path(f"heard-{worker}").touch()

Series.hear = hear_and_note
""",
        a__load__toml=load("good.case.toml", duration="4s"),
        b__load__toml=load("good.case.toml", name="Second"),
    )
    with project.running("--load", "-n", "2", "--load-json", "out.json") as process:
        wait_until((project.path / "heard-gw0").exists)
        first, *_ = children(process.pid)
        os.kill(first, signal.SIGKILL)
        output = all_output(process)
    assert process.returncode == EXIT_INCONCLUSIVE, output
    assert "1 failed, 1 passed" in output
    lost = "worker gw0 was lost: the load of its 2 of 4 users is missing from"
    assert f"load test inconclusive: {lost}" in output
    assert "crashed while running" not in output
    one, other = project.json()["runs"]
    assert one["verdict"] == "inconclusive"
    assert {worker["name"]: worker["state"] for worker in one["workers"]} == {
        "gw0": "lost",
        "gw1": "final",
    }
    assert all(worker["requests"] for worker in one["workers"])
    assert other["verdict"] == "passed"
    assert [(worker["name"], worker["users"]) for worker in other["workers"]] == [("gw1", 4)]


def test_silent_worker_is_given_up(project: Project, server: Server) -> None:
    """A worker that is there and does nothing any more does not keep the session for ever."""
    project.write(
        conftest__py="""
from pytest_loadtool.engine import run
run.SILENCE = 3   # seconds; a patient person's is ten times that
""",
        rush__load__toml=load("good.case.toml", duration="2s"),
    )
    with project.running("--load", "-n", "2", "--load-json", "out.json") as process:
        wait_until(lambda: len(server.requests) > 10)
        first, *_ = children(process.pid)
        os.kill(first, signal.SIGSTOP)
        output = all_output(process)
    assert process.returncode == EXIT_INCONCLUSIVE, output
    assert "worker gw0 was lost" in output
    assert [worker["state"] for worker in project.json()["workers"]] == ["lost", "final"]


def test_all_workers_lost(project: Project, server: Server) -> None:
    """With nobody left the test is over and the next one is a failure: not run."""
    project.write(
        a__load__toml=load("good.case.toml", duration="60s"), b__load__toml=load("good.case.toml")
    )
    with project.running("--load", "-n", "2") as process:
        wait_until(lambda: len(server.requests) > 10)
        for worker in children(process.pid):
            os.kill(worker, signal.SIGKILL)
        output = all_output(process)
    assert process.returncode == 1, output
    assert "2 failed" in output
    assert "not run: no worker is left" in output


def test_interrupt_keeps_the_numbers_of_all_workers(project: Project, server: Server) -> None:
    """Ctrl-C reaches controller and workers at once: the load stops, the report is complete."""
    project.write(rush__load__toml=load("good.case.toml", duration="60s"))
    with project.running("--load", "-n", "2", "--load-json", "out.json") as process:
        wait_until(lambda: len(server.requests) > 50)
        os.killpg(process.pid, signal.SIGINT)
        output = all_output(process)
    assert process.returncode == pytest.ExitCode.INTERRUPTED, output
    data = project.json()
    assert data["reasons"][0].startswith("stopped after")
    assert [worker["state"] for worker in data["workers"]] == ["final", "final"]
    seen = len(server.requests)
    assert seen - data["totals"]["cut_requests"] <= data["totals"]["requests"] <= seen
    assert "load test results" in output


def test_interrupt_while_the_application_starts(project: Project, server: Server) -> None:
    """Ctrl-C ends the waiting for a fixture, too; no request is sent."""
    project.write(
        conftest__py=f"""
import pathlib, pytest, time

@pytest.fixture
def shop():
    pathlib.Path("starting").touch()
    time.sleep(600)
    yield "{server.url}"
""",
        shop__case__toml=case("", "GET /", head='server_fixture = "shop"'),
        rush__load__toml=load("shop.case.toml"),
    )
    with project.running("--load", "-n", "2") as process:
        wait_until((project.path / "starting").exists)
        os.killpg(process.pid, signal.SIGINT)
        process.communicate(timeout=120)
    assert process.returncode == pytest.ExitCode.INTERRUPTED
    assert server.requests == []


def test_killed_controller_takes_the_load_with_it(project: Project, server: Server) -> None:
    """Nobody goes on making load for a controller that is gone, and fixtures are torn down."""
    project.write(
        conftest__py=DIARY % server.url,
        shop__case__toml=case("", "GET /", head='server_fixture = "shop"'),
        rush__load__toml=load("shop.case.toml", duration="60s"),
    )
    with project.running("--load", "-n", "2") as process:
        wait_until(lambda: len(server.requests) > 50)
        workers = children(process.pid)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        # execnet by itself would let them go on for 15 s.
        wait_until(lambda: not any(Path(f"/proc/{worker}").exists() for worker in workers), 10)
    assert project.lines("diary") == ["open gw0", "close gw0"]


def test_workers_with_other_tests_are_refused(project: Project, server: Server) -> None:
    """Workers that do not see the same load tests cannot share them: one error, no load."""
    project.write(
        conftest__py="""
import os
collect_ignore = ["b.load.toml"] if os.environ.get("PYTEST_XDIST_WORKER") == "gw1" else []
""",
        a__load__toml=load("good.case.toml"),
        b__load__toml=load("good.case.toml"),
    )
    done = project.run("--load", "-n", "2")
    assert done.returncode != 0, done.stdout
    assert "has other load tests than the first worker" in done.stdout

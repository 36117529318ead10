"""Ctrl-C, SIGTERM and SIGHUP where a load test keeps its books. The signals are real, sent to this
process or to a pytest of its own.
"""

from __future__ import annotations

import os
import re
import resource
import signal
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from pytest_loadtool.engine.signals import ENDINGS
from pytest_loadtool.plugin.load.interrupt import Shield, deaf, stopping
from tests.plugin.loading import Project, all_output, children, load, wait_until
from tests.plugin.serving import Server, case


def ctrl_c() -> None:
    signal.raise_signal(signal.SIGINT)


#: What CI systems and containers send, and a terminal that is closed.
KILLS = pytest.mark.parametrize("kill", [signal.SIGTERM, signal.SIGHUP], ids=["TERM", "HUP"])


@pytest.fixture(autouse=True)
def hangups() -> Iterator[None]:
    """Let each test hear of a hangup, also under nohup, which has programs ignore it."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)


def test_shield_raises_at_once_where_nothing_is_kept() -> None:
    """While the controller waits, Ctrl-C is what it always is."""
    with Shield().up(), pytest.raises(KeyboardInterrupt):
        ctrl_c()


def test_shield_holds_ctrl_c_back_until_the_books_are_closed() -> None:
    """What stands inside is done to its end, and only then is Ctrl-C raised; once."""
    shield = Shield()
    done = []

    def keep_books() -> None:
        with shield.held():
            ctrl_c()
            with shield.held():
                ctrl_c()
            done.append("books")

    with shield.up():
        with pytest.raises(KeyboardInterrupt):
            keep_books()
        assert done == ["books"]
        with shield.held():
            done.append("more books")
    assert done == ["books", "more books"]


def test_first_ctrl_c_stops_the_run_and_a_second_is_raised() -> None:
    """One that wants it to end gets the results; one that insists does not wait for them."""
    stops = []
    with stopping(lambda: stops.append("stop")) as state:
        ctrl_c()
        assert state.heard
        with pytest.raises(KeyboardInterrupt):
            ctrl_c()
    assert stops == ["stop"]


@KILLS
def test_kills_are_like_ctrl_c(kill: signal.Signals) -> None:
    """They stop a run, are raised with their name, and wait while books are kept; a program that
    is forked from this one dies of them as ever."""
    stops = []
    with stopping(lambda: stops.append("stop")) as state:
        signal.raise_signal(kill)
        assert state.heard == kill
        with pytest.raises(KeyboardInterrupt, match=kill.name):
            signal.raise_signal(kill)
        with warnings.catch_warnings(action="ignore", category=DeprecationWarning):
            child = os.fork()  # which Python 3.12 warns of where there are threads
        if not child:
            with suppress(BaseException):
                signal.raise_signal(kill)
            os._exit(0)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -kill
    assert stops == ["stop"]
    shield, books = Shield(), []

    def keep_books() -> None:
        with shield.up(), shield.held():
            signal.raise_signal(kill)
            books.append("kept")

    with pytest.raises(KeyboardInterrupt, match=kill.name):
        keep_books()
    assert books == ["kept"]
    with deaf():
        signal.raise_signal(kill)
    assert signal.getsignal(kill) is signal.SIG_DFL


@KILLS
def test_what_others_want_of_a_signal_is_respected(kill: signal.Signals) -> None:
    """One that is ignored stays so (nohup), one that somebody handles is theirs; and a handler that
    comes meanwhile is not taken away."""
    try:
        for theirs in (signal.SIG_IGN, lambda _number, _frame: None):
            signal.signal(kill, theirs)
            with deaf(), stopping(lambda: None) as state, Shield().up():
                signal.raise_signal(kill)
                assert signal.getsignal(kill) is theirs
            assert not state.heard
        signal.signal(kill, signal.SIG_DFL)
        with deaf():
            signal.signal(kill, signal.SIG_IGN)
        assert signal.getsignal(kill) is signal.SIG_IGN
    finally:
        signal.signal(kill, signal.SIG_DFL)


def test_worker_is_deaf_but_its_children_are_not() -> None:
    """Its handler does nothing; a program that a fixture starts dies of Ctrl-C as ever."""
    program = "import signal; print(signal.getsignal(signal.SIGINT) is signal.SIG_IGN)"
    with deaf():
        ctrl_c()
        child = subprocess.run(
            [sys.executable, "-c", program], check=True, capture_output=True, text=True
        )
    assert child.stdout == "False\n"


def test_handlers_are_put_back() -> None:
    """After each of them Ctrl-C is what it was before."""
    before = [signal.getsignal(number) for number in ENDINGS]
    with deaf(), stopping(lambda: None), Shield().up():
        during = [signal.getsignal(number) for number in ENDINGS]
    assert not any(one is two for one, two in zip(before, during, strict=True))
    assert [signal.getsignal(number) for number in ENDINGS] == before


@pytest.fixture
def project(tmp_path: Path, server: Server) -> Project:
    """A load test that would last for a minute, and a conftest that notes whose summary is run."""
    project = Project(tmp_path)
    project.write(
        conftest__py="""
import os

def pytest_terminal_summary():
    with open("summaries", "a") as notes:
        notes.write(os.environ.get("PYTEST_XDIST_WORKER", "controller") + "\\n")
""",
        shop__case__toml=case(server.url, "GET /"),
        rush__load__toml=load("shop.case.toml", duration="60s"),
    )
    return project


@pytest.mark.alone
@pytest.mark.parametrize("workers", [[], ["-n", "2"]], ids=["here", "workers"])
def test_the_way_out_is_short(project: Project, server: Server, workers: list[str]) -> None:
    """After Ctrl-C all processes together compute for less than 2 s: on a machine that has nothing
    else to do, the end is there sooner. Files are written, the report is complete."""
    with project.running("--load", "--load-json", "out.json", *workers) as process:
        wait_until(lambda: len(server.requests) > 50)
        group = [process.pid, *children(process.pid)]
        before = sum(map(processor_seconds, group))
        waited = processor_seconds_of_children()
        os.killpg(process.pid, signal.SIGINT)
        output = all_output(process)
    assert process.returncode == pytest.ExitCode.INTERRUPTED, output
    assert processor_seconds_of_children() - waited - before < 2
    assert "load test results" in output
    assert project.json()["reasons"][0].startswith("stopped after")
    assert project.lines("summaries") == ["controller"]
    assert re.search(r"^/.+\.py:\d+: KeyboardInterrupt$", output, re.MULTILINE)


@KILLS
@pytest.mark.parametrize("send", [os.kill, os.killpg], ids=["to pytest", "to all"])
@pytest.mark.parametrize("workers", [[], ["-n", "2"]], ids=["here", "workers"])
def test_kills_report_as_ctrl_c_does(
    project: Project,
    server: Server,
    workers: list[str],
    send: Callable[[int, int], None],
    kill: signal.Signals,
) -> None:
    """Sent to pytest alone or, as by a terminal, to its workers, too: the report is complete, no
    worker is missing, the counts are the server's, and pytest ends as interrupted."""
    with project.running("--load", "--load-json", "out.json", *workers) as process:
        wait_until(lambda: len(server.requests) > 50)
        send(process.pid, kill)
        output = all_output(process)
    assert process.returncode == pytest.ExitCode.INTERRUPTED, output
    assert "load test results" in output
    assert re.search(rf"^/.+\.py:\d+: KeyboardInterrupt: {kill.name}$", output, re.MULTILINE)
    data = project.json()
    assert [worker["state"] for worker in data["workers"]] == ["final"] * (len(workers) or 1)
    assert [reason for reason in data["reasons"] if not reason.startswith("stopped after")] == []
    totals = data["totals"]
    asked = len(server.requests)
    assert totals["requests"] <= asked <= totals["requests"] + totals["cut_requests"]


@pytest.mark.parametrize("workers", [[], ["-n", "2"]], ids=["here", "workers"])
def test_a_terminal_is_closed(project: Project, server: Server, workers: list[str]) -> None:
    """All get SIGHUP, and nothing can be written to the terminal any more: the results are kept."""
    ours, theirs = os.openpty()
    with subprocess.Popen(
        project.command("--load", "--load-json", "out.json", *workers),
        cwd=project.path,
        env=project.environment(),
        preexec_fn=lambda: os.login_tty(theirs),
    ) as process:
        try:
            os.close(theirs)
            wait_until(lambda: len(server.requests) > 50)
            os.close(ours)
            process.wait(timeout=60)
        finally:
            process.kill()
    data = project.json()
    assert data["reasons"][0].startswith("stopped after")
    assert [worker["state"] for worker in data["workers"]] == ["final"] * (len(workers) or 1)
    assert 0 <= len(server.requests) - data["totals"]["requests"] <= data["totals"]["cut_requests"]


def test_nohup(project: Project, server: Server) -> None:
    """A SIGHUP that was ignored at the start goes on to be: the run comes to its end."""
    project.write(rush__load__toml=load("shop.case.toml", duration="1s"))
    command = ["nohup", *project.command("--load", "--load-json", "out.json")]
    with subprocess.Popen(
        command, cwd=project.path, env=project.environment(), stdout=subprocess.PIPE, text=True
    ) as process:
        wait_until(lambda: len(server.requests) > 10)
        process.send_signal(signal.SIGHUP)
        output = all_output(process)
    assert process.returncode in (0, 10), output  # a busy machine may be too slow for the load
    assert not any("stopped" in reason for reason in project.json()["reasons"])


def test_a_second_signal_ends_at_once(project: Project, server: Server) -> None:
    """It does not wait for what the first one lets end: a worker that stands still, of which it is
    told to have all the patience in the world."""
    project.write(
        conftest__py="""
import pathlib
from pytest_loadtool.engine import run

run._PATIENCE = 1e6
stop = run.LoadRun.stop

def stop_and_note(load_run):
    stop(load_run)
    pathlib.Path("stopping").touch()

run.LoadRun.stop = stop_and_note
"""
    )
    with project.running("--load", "-n", "1") as process:
        wait_until(lambda: len(server.requests) > 50)
        os.kill(children(process.pid)[0], signal.SIGSTOP)
        process.send_signal(signal.SIGTERM)
        wait_until((project.path / "stopping").exists)
        process.send_signal(signal.SIGTERM)
        output = all_output(process)
    assert process.returncode == pytest.ExitCode.INTERRUPTED, output
    assert "load test results" in output


@KILLS
def test_kills_interrupt_a_replay(tmp_path: Path, server: Server, kill: signal.Signals) -> None:
    """pytest reports what it reports after Ctrl-C: the tests that are over, and where it was."""
    project = Project(tmp_path)
    project.write(
        a_first__case__toml=case(server.url, "GET /"),
        b_silent__case__toml=case(server.url, "GET /silence"),
    )
    with project.running("--junitxml", "out.xml") as process:
        assert server.busy.wait(60)
        process.send_signal(kill)
        output = all_output(process)
    assert process.returncode == pytest.ExitCode.INTERRUPTED, output
    assert re.search(rf"^/.+\.py:\d+: KeyboardInterrupt: {kill.name}$", output, re.MULTILINE)
    assert "1 passed" in output
    assert 'tests="1"' in (tmp_path / "out.xml").read_text(encoding="utf-8")


def test_other_tests_keep_their_signals(tmp_path: Path, server: Server) -> None:
    """Only while a test case runs are they changed, in its fixtures already."""
    project = Project(tmp_path)
    project.write(
        conftest__py="""
import signal
import pytest

KILLS = signal.SIGTERM, signal.SIGHUP

def replaced():
    return [signal.getsignal(one) is not signal.SIG_DFL for one in KILLS]

@pytest.fixture
def during():
    assert replaced() == [True, True]

def pytest_sessionfinish():
    assert replaced() == [False, False]
""",
        a__case__toml=case(server.url, "GET /").replace(
            "[[page]]", 'fixtures = ["during"]\n\n[[page]]', 1
        ),
        test_other__py="""
from conftest import replaced

def test_other():
    assert replaced() == [False, False]
""",
    )
    done = project.run()
    assert "2 passed" in done.stdout
    assert done.returncode == 0, done.stdout


def processor_seconds(pid: int) -> float:
    """What a process has used so far."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def processor_seconds_of_children() -> float:
    """What all processes used that have ended below this one."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime

"""Ctrl-C where a load test keeps its books. The signal is real, sent to this process."""

from __future__ import annotations

import os
import re
import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from pytest_loadtool.plugin.load_interrupt import Shield, deaf, stopping
from tests.plugin.loading import Project, children, load, wait_until
from tests.plugin.serving import Server, case


def ctrl_c() -> None:
    signal.raise_signal(signal.SIGINT)


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
    before = signal.getsignal(signal.SIGINT)
    with deaf(), stopping(lambda: None), Shield().up():
        assert signal.getsignal(signal.SIGINT) is not before
    assert signal.getsignal(signal.SIGINT) is before


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
        output, _ = process.communicate(timeout=60)
    assert process.returncode == pytest.ExitCode.INTERRUPTED, output
    assert processor_seconds_of_children() - waited - before < 2
    assert "load test results" in output
    assert project.json()["reasons"][0].startswith("stopped after")
    assert project.lines("summaries") == ["controller"]
    assert re.search(r"^/.+\.py:\d+: KeyboardInterrupt$", output, re.MULTILINE)


def processor_seconds(pid: int) -> float:
    """What a process has used so far."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def processor_seconds_of_children() -> float:
    """What all processes used that have ended below this one."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime

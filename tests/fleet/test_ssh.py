"""Load tests on machines that are reached by ssh, with a real server on loopback."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from subprocess import DEVNULL, PIPE

import pytest

from tests.conftest import WITHOUT_OTHERS
from tests.fleet.sshd import Sshd, sshd
from tests.fleet.test_dask import IMPATIENT, is_quiet, project, server, written
from tests.plugin.loading import Project, wait_until
from tests.plugin.serving import Server

__all__ = ["project", "server"]

#: Makes the clock of a process that has it on its path five minutes slow.
SLOW_CLOCK = "import time\n_right = time.time\ntime.time = lambda: _right() - 300\n"


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Sshd]:
    """One that is reached by ssh."""
    (tmp_path / "ssh").mkdir()
    with sshd(tmp_path / "ssh") as found:
        yield found


def test_workers_of_xdist_over_ssh(
    project: Project, server: Server, machine: Sshd, tmp_path: Path
) -> None:
    """They begin when the others do, whatever their clock says; one that stands still is named, and
    nobody waits for it."""
    (tmp_path / "sitecustomize.py").write_text(SLOW_CLOCK, encoding="utf-8")
    written(project, server.url, more="", target="GET /as/${people.name}", secret="")
    (project.path / "conftest.py").write_text(IMPATIENT, encoding="utf-8")
    there = f"ssh={machine.options} 127.0.0.1//chdir={project.path}//python="
    run = ["--load", "--load-json=out.json", "--dist", "load"]
    for name, path in (("right", ""), ("slow", tmp_path)):
        python = tmp_path / name
        python.write_text(
            f"#!/bin/sh\nPYTHONPATH='{path}' PYTEST_ADDOPTS='{WITHOUT_OTHERS}' "
            f'exec {sys.executable} "$@"\n',
            encoding="utf-8",
        )
        python.chmod(0o700)
        run += ["--tx", f"{there}{python}"]
    with project.running(*run) as running:
        for user in ("p0", "p1"):
            asked = f"GET /as/{user}"
            wait_until(lambda: asked in server.requests or running.poll() is not None, 100)  # noqa: B023
        assert running.poll() is None, running.communicate(timeout=20)[0]
        (stopped,) = _with_in_environment(f"PYTHONPATH={tmp_path}")
        os.kill(stopped, signal.SIGSTOP)
        try:
            wait_until(lambda: project.lines("lost")[:1] == ["gw1"], 60)
            running.send_signal(signal.SIGINT)
            said, _ = running.communicate(timeout=60)
        finally:
            os.kill(stopped, signal.SIGCONT)
    first, second = project.json()["workers"]
    assert (first["state"], second["state"]) == ("final", "lost"), said
    assert "gw1 was lost" in " ".join(said.split())
    wait_until(lambda: is_quiet(server), 20)


def test_a_cluster_over_ssh(project: Project, server: Server, machine: Sshd) -> None:
    """The lines of docs/fleet.md start one, whose workers play a load test."""
    page = (Path(__file__).parents[2] / "docs" / "fleet.md").read_text(encoding="utf-8")
    (lines,) = (one for one in re.findall(r"```python\n(.*?)```", page, re.DOTALL) if "SSH" in one)
    lines = lines.replace("10.0.0.1", "127.0.0.1").replace("10.0.0.2", "127.0.0.1")
    lines = lines.replace('"/opt/load/bin/python"', repr(sys.executable))
    connect = {"port": machine.port, "client_keys": [str(machine.key)], "config": None}
    connect["known_hosts"] = str(machine.known_hosts)
    lines = lines.replace("connect_options={}", f"connect_options={connect!r}")
    written(project, server.url, more="iterations = 2", target="GET /more", secret="")
    (project.path / "cluster.py").write_text(
        lines.replace("8786", "0").replace(
            "input(", "print(cluster.scheduler_address, flush=True); input("
        ),
        encoding="utf-8",
    )
    command = [sys.executable, "cluster.py"]
    with subprocess.Popen(
        command, cwd=project.path, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, text=True
    ) as started:
        assert started.stdout is not None
        address = started.stdout.readline().strip()
        assert address.startswith("tcp://"), address
        try:
            where = address.replace("tcp://", "dask://")
            done = project.run("--load", "--load-json", "out.json", "--load-on", where)
        finally:
            started.communicate("\n", timeout=30)
    assert "1 passed" in done.stdout, done.stdout
    assert len(project.json()["workers"]) == 2
    assert len(server.requests) == project.json()["totals"]["requests"] == 6 * 2 * 2


def _with_in_environment(text: str) -> list[int]:
    """The processes that have ``text`` in their environment."""
    found = []
    for one in Path("/proc").glob("[0-9]*"):
        try:
            variables = (one / "environ").read_bytes().split(b"\0")
        except OSError:
            continue
        if text.encode() in variables:
            found.append(int(one.name))
    return found

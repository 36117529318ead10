"""Scheduler, workers and target in network namespaces of their own, and a link that goes down."""

from __future__ import annotations

import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.fleet.clusters import Cluster, Place, cluster
from tests.fleet.namespaces import Network, network
from tests.fleet.test_dask import IMPATIENT, is_quiet, project, written
from tests.plugin.loading import Project, wait_until
from tests.plugin.serving import Server, serving

__all__ = ["project"]

#: Seconds for which the link is down, less than `IMPATIENT`.
SHORT = 1.5


@pytest.fixture
def places() -> Iterator[Network]:
    """The scheduler's, the workers' and the target's."""
    with network("s", "e", "w", "t") as found:
        yield found


@pytest.fixture
def apart(places: Network, tmp_path: Path) -> Iterator[tuple[Cluster, Server]]:
    """A cluster and a target whose processes only see each other through the bridge."""
    workers = {"east": Place(places.command("e")), "west": Place(places.command("w"))}
    at = Place(places.command("s"), ("--host", places.addresses["s"]))
    with ExitStack() as stack:
        with places.inside("t"):
            server = stack.enter_context(serving(places.addresses["t"]))
        yield stack.enter_context(cluster(tmp_path, workers, at)), server


def test_limits_of_a_machine_are_named(project: Project, places: Network, tmp_path: Path) -> None:
    """Ports and open files, each with the worker's name, and nothing is sent."""
    few = "echo 40000 40079 >/proc/sys/net/ipv4/ip_local_port_range"
    subprocess.run([*places.command("w"), "sh", "-c", few], check=True)
    workers = {
        "files": Place((*places.command("e"), "prlimit", "--nofile=90:90")),
        "ports": Place(places.command("w")),
    }
    at = Place(places.command("s"), ("--host", places.addresses["s"]))
    with ExitStack() as stack:
        with places.inside("t"):
            server = stack.enter_context(serving(places.addresses["t"]))
        two = stack.enter_context(cluster(tmp_path, workers, at))
        for name, said in (("ports", "ip_local_port_range"), ("files", "ulimit -n")):
            more = f'[fleet]\nworkers = ["{name}"]\n'
            written(project, server.url, users=100, more=more, target="GET /more", secret="")
            done = project.run("--load", "--load-on", two.url)
            assert f"worker {name}: " in done.stdout, done.stdout
            assert said in done.stdout, done.stdout
        assert not server.requests


def test_a_link_that_goes_down(
    project: Project,
    places: Network,
    apart: tuple[Cluster, Server],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """For a moment: the share goes on. For longer: it is lost, by name. Secrets do not travel where
    others could read them."""
    two, server = apart
    monkeypatch.setenv("SHOP_KEY", "s3cret")
    written(project, server.url, more="")
    done = project.run("--load", "--load-on", two.url)
    assert "without encryption" in " ".join(done.stdout.split()), done.stdout
    assert not server.requests

    written(project, server.url, more="", target="GET /as/${people.name}", secret="")
    (project.path / "conftest.py").write_text(IMPATIENT, encoding="utf-8")
    with project.running("--load", "--load-json", "out.json", "--load-on", two.url) as running:
        wait_until(lambda: len(server.requests) > 100, 60)
        places.link("w", "down")
        time.sleep(SHORT)
        assert is_quiet(server, "/as/p1")
        assert not is_quiet(server, "/as/p0")
        places.link("w", "up")
        wait_until(lambda: not is_quiet(server, "/as/p1"), 20)
        told = len(_of_west(project))
        wait_until(lambda: len(_of_west(project)) > told + 1, 30)
        assert project.lines("lost") == []
        places.link("w", "down")
        wait_until(lambda: project.lines("lost") == ["worker west"], 60)
        running.send_signal(signal.SIGINT)
        said, _ = running.communicate(timeout=60)
        places.link("w", "up")
    east, west = project.json()["workers"]
    assert (east["state"], west["state"]) == ("final", "lost"), said
    assert west["duration_s"] > SHORT  # it was taken for there after the first time
    assert "worker west was lost" in " ".join(said.split()), said
    wait_until(lambda: is_quiet(server), 30)


def _of_west(project: Project) -> list[str]:
    """What the process that leads has heard of it."""
    return [one for one in project.lines("heard") if one == "worker west"]

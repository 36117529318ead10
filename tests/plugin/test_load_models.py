"""Load models from the file to the report, in one process and over workers."""

from __future__ import annotations

import pytest

from tests.plugin.loading import Project
from tests.plugin.serving import Server, case


@pytest.fixture
def project(pytester: pytest.Pytester, server: Server) -> Project:
    """A case of two requests, without load configurations."""
    project = Project(pytester.path, pytester)
    project.write(visit__case__toml=case(server.url, "GET /", "GET /two"))
    return project


def load(text: str) -> str:
    return f'format = 1\nname = "Rush"\n{text}\n[[case]]\nfile = "visit.case.toml"\n'


@pytest.mark.promise(45)
def test_users_duration_and_ramp_up(project: Project, server: Server) -> None:
    """The report says which load it was, and the server has seen it."""
    project.write(rush__load__toml=load('users = 3\nduration = "600ms"\nramp_up = "300ms"'))
    done = project.run("--load", "--load-json", "out.json")
    assert done.returncode == 0, done.stdout
    assert "3 users for 0.6 s (ramp-up 0.3 s)" in done.stdout
    assert project.json()["configuration"]["users"] == 3
    assert len(server.requests) == project.json()["totals"]["requests"] > 3


@pytest.mark.parametrize("workers", [[], ["-n", "2"]])
def test_as_many_arrivals_as_asked_for(
    project: Project, server: Server, workers: list[str]
) -> None:
    """The rate says how many, to the request, however many workers there are."""
    project.write(rush__load__toml=load('users = 60\nrate = "50/s"\nduration = "1s"'))
    done = project.run("--load", "--load-json", "out.json", *workers)
    assert done.returncode == 0, done.stdout
    assert "50 arrivals/s for 1 s, at most 60 users" in done.stdout
    assert sorted(server.requests) == ["GET /"] * 50 + ["GET /two"] * 50
    data = project.json()
    assert data["totals"]["requests"] == 100
    assert data["totals"]["dropped"] == 0
    assert data["cases"][0]["iterations"] == 50


def test_iterations_without_a_duration(project: Project, server: Server) -> None:
    """The run ends when all users have done theirs; the report has no duration to tell of."""
    project.write(rush__load__toml=load("users = 4\niterations = 3"))
    done = project.run("--load", "--load-json", "out.json", "-n", "2")
    assert done.returncode == 0, done.stdout
    assert "4 users, 3 iterations each on 2 workers" in done.stdout
    assert len(server.requests) == 4 * 3 * 2
    assert project.json()["configuration"]["duration_s"] is None


def test_fewer_users_than_workers(project: Project, server: Server) -> None:
    """A worker without users would drop its part of the arrivals: that is told before the start."""
    project.write(rush__load__toml=load('users = 1\nrate = "50/s"\nduration = "1s"'))
    done = project.run("--load", "-n", "2")
    assert done.returncode == 1
    assert "users = 1 is too few for 2 workers" in done.stdout
    assert server.requests == []

"""Profiles of test cases: another server and other values, for another occasion."""

from __future__ import annotations

import pytest

from tests.plugin.loading import Project, load
from tests.plugin.serving import Server, case

PROFILE = """
[variables]
shop = "tea"

[profile.staging]
server = "{server}"

[profile.staging.variables]
shop = "coffee"
"""


@pytest.fixture
def project(pytester: pytest.Pytester, server: Server) -> Project:
    """A test case whose own server nobody answers at, with a profile whose server does."""
    project = Project(pytester.path, pytester)
    own = case("http://127.0.0.1:1", "GET /?shop=${shop}")
    project.write(
        shop__case__toml=own + PROFILE.format(server=server.url),
        rush__load__toml=load("shop.case.toml", users=1, duration="1h", more="iterations = 1")
        + "[profile.staging]\nusers = 2\n",
    )
    return project


def test_a_test_takes_server_and_values(project: Project, server: Server) -> None:
    """The head of the report says which profile it was."""
    done = project.run("--loadtool-profile", "staging", "shop.case.toml")
    assert done.returncode == 0, done.stdout
    assert server.requests == ["GET /?shop=coffee"]
    assert "loadtool: profile staging" in done.stdout


def test_a_load_test_takes_both_profiles(project: Project, server: Server) -> None:
    """That of the load configuration and that of its test case."""
    done = project.run("--load", "--load-profile", "staging")
    assert done.returncode == 0, done.stdout
    assert server.requests == ["GET /?shop=coffee"] * 2


def test_a_test_case_without_it_is_not_replayed(project: Project, server: Server) -> None:
    """Nobody knows what it would do to its own server."""
    project.write(other__case__toml=case(server.url, "GET /other"))
    done = project.run("--loadtool-profile", "stagin")
    assert done.returncode == pytest.ExitCode.INTERRUPTED
    assert "there is no [profile.stagin]: did you mean 'staging'?" in done.stdout
    assert "other.case.toml:1: there is no [profile.stagin]: write it" in done.stdout
    assert not server.requests


def test_the_server_on_the_command_line_comes_before(project: Project, server: Server) -> None:
    """As it does before the test case's own."""
    project.write(
        shop__case__toml=case("", "GET /${shop}") + PROFILE.format(server="http://127.0.0.1:1")
    )
    done = project.run(
        "--loadtool-profile", "staging", "--loadtool-server", server.url, "shop.case.toml"
    )
    assert done.returncode == 0, done.stdout
    assert server.requests == ["GET /coffee"]


def test_a_load_test_does_not_take_the_profile_of_tests(project: Project, server: Server) -> None:
    """What the configuration file says for tests is neither done nor told."""
    project.write(pytest__ini="[pytest]\nloadtool_profile = staging\n")
    done = project.run("--load", "--loadtool-server", server.url)
    assert done.returncode == 0, done.stdout
    assert server.requests == ["GET /?shop=tea"]
    assert "profile staging" not in done.stdout

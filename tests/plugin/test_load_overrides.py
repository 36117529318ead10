"""The size of a load test, said outside of its file."""

from __future__ import annotations

from collections import Counter
from unittest import mock

import pytest

from tests.plugin.loading import Project, load
from tests.plugin.serving import Server, case

STAGES = """
format = 1
name = "Up and down"

[[stage]]
users = 3
duration = "1h"

[[stage]]
users = 1
duration = "1h"

[[case]]
file = "good.case.toml"
"""


@pytest.fixture
def project(pytester: pytest.Pytester, server: Server) -> Project:
    """A load configuration of four users, of which each would go on for an hour."""
    project = Project(pytester.path, pytester)
    project.write(
        good__case__toml=case(server.url, "GET /"),
        rush__load__toml=load("good.case.toml", duration="1h"),
    )
    return project


@pytest.mark.parametrize("prefix", ["--", "--load-"])
def test_command_line_comes_before_the_file(project: Project, server: Server, prefix: str) -> None:
    """The server sees the load that was asked for, and the report says what was asked."""
    done = project.run(
        *("--load", "--load-json", "out.json"),
        *(f"{prefix}users", "2", f"{prefix}iterations", "3"),
    )
    assert done.returncode == 0, done.stdout
    assert len(server.requests) == 6
    configuration = project.json()["configuration"]
    assert configuration["users"] == 2
    assert [one["said"] for one in configuration["overrides"]] == ["--users 2", "--iterations 3"]
    assert "in place of what the file says: --users 2, --iterations 3" in done.stdout


def test_workers_share_what_was_asked_for(project: Project, server: Server) -> None:
    """All workers and the controller know it, also what only the environment of one says."""
    with mock.patch.dict("os.environ", LOADTOOL_ITERATIONS="2"):
        done = project.run("--load", "-n", "2", "--users", "5", "--load-json", "out.json")
    assert done.returncode == 0, done.stdout
    assert len(server.requests) == 10
    assert project.json()["configuration"]["users"] == 5
    assert "--users 5, LOADTOOL_ITERATIONS=2" in done.stdout


def test_environment_comes_before_the_configuration_file(project: Project, server: Server) -> None:
    """Of several places the nearest to the person counts: command line, environment, file."""
    project.write(
        pytest__ini="[pytest]\nload_users = 1\nload_iterations = 1\nload_duration = 30s\n"
    )
    with mock.patch.dict("os.environ", LOADTOOL_USERS="2", LOADTOOL_ITERATIONS="4"):
        done = project.run("--load", "--iterations", "3", "--load-json", "out.json")
    assert done.returncode == 0, done.stdout
    assert len(server.requests) == 6
    said = [one["said"] for one in project.json()["configuration"]["overrides"]]
    assert said == ["LOADTOOL_USERS=2", "load_duration = 30s", "--iterations 3"]


def test_stages_give_way(project: Project, server: Server) -> None:
    """Of stages, what is not said anew becomes the most users, all the time."""
    project.write(rush__load__toml=STAGES)
    done = project.run("--load", "--iterations", "2", "--load-json", "out.json")
    assert done.returncode == 0, done.stdout
    assert len(server.requests) == 6
    assert project.json()["configuration"]["duration_s"] == 7200


def test_rate_makes_an_open_load(project: Project, server: Server) -> None:
    """A rate says when iterations begin, in place of the users' own pace."""
    project.write(rush__load__toml=load("good.case.toml", duration="1h", more="iterations = 1"))
    done = project.run("--load", "--rate", "20/s", "--duration", "500ms")
    assert done.returncode == 0, done.stdout
    assert len(server.requests) == 10


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["--users", "two"], "--users two: expected a whole number, got the text 'two'"),
        (["--users", "0"], "--users 0: must be at least 1"),
        (["--duration", "5"], "--duration 5: "),
        (["--rate", "often"], "--rate often: "),
    ],
)
def test_value_that_is_none(project: Project, arguments: list[str], text: str) -> None:
    """It is refused before anything runs, and named as it was given."""
    done = project.run("--load", *arguments)
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert text in done.stdout


def test_values_that_do_not_go_together(project: Project, server: Server) -> None:
    """What contradicts the file says the key and what was said outside of it."""
    project.write(rush__load__toml=load("good.case.toml", duration="1h", more='ramp_up = "1m"'))
    done = project.run("--load", "--duration", "2s")
    assert done.returncode != 0
    assert "rush.load.toml:5: ramp_up: must not be longer than 'duration'" in done.stdout
    assert "(with --duration 2s)" in done.stdout
    assert not server.requests


def test_only_for_load_tests(project: Project) -> None:
    """Without --load the prefixed names are refused, and the short ones are nobody's."""
    done = project.run("--load-users", "2")
    assert "--load-users means nothing without --load" in done.stdout
    assert "unrecognized arguments: --users" in project.run("--users", "2").stdout


def test_short_name_of_somebody_else(project: Project, server: Server) -> None:
    """A conftest that has the option already keeps it; the long name is still ours."""
    project.write(
        conftest__py='def pytest_addoption(parser):\n    parser.addoption("--users", dest="mine")\n'
    )
    done = project.run("--load", "--users", "9", "--load-users", "2", "--iterations", "1")
    assert done.returncode == 0, done.stdout
    assert len(server.requests) == 2


def test_base_url_names_the_server(pytester: pytest.Pytester, server: Server) -> None:
    """What a project's browser tests go to is where test cases and load tests go, too."""
    project = Project(pytester.path, pytester)
    nowhere = "http://127.0.0.1:1"
    project.write(
        good__case__toml=case(nowhere, "GET /"),
        rush__load__toml=load("good.case.toml", more="iterations = 1"),
    )
    for more in (["good.case.toml"], ["--load"]):
        done = project.run("--base-url", f"{server.url}/app/", *more)
        assert done.returncode == 0, done.stdout
        assert f"loadtool: {'pure Python, ' if '--load' in more else ''}server {server.url}" in (
            done.stdout
        )
    assert server.requests == ["GET /"] * 5
    done = project.run("--base-url", "example.org", "good.case.toml")
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert "--base-url: expected http://host:port" in done.stdout


def test_base_url_of_its_own_plugin(pytester: pytest.Pytester, server: Server) -> None:
    """Where pytest-base-url has the option and its twin, both are heard."""
    project = Project(pytester.path, pytester)
    project.write(
        good__case__toml=case("http://127.0.0.1:1", "GET /"),
        pytest__ini=f"[pytest]\nbase_url = {server.url}\naddopts = -p standin\n",
        standin__py=(
            "def pytest_addoption(parser):\n"
            '    parser.addini("base_url", help="")\n'
            '    parser.addoption("--base-url", metavar="url", default=None)\n'
        ),
    )
    pytester.syspathinsert()
    assert project.run("good.case.toml").returncode == 0
    assert project.run("good.case.toml", "--base-url", "http://127.0.0.1:1").returncode == 1
    assert server.requests == ["GET /"]


PROFILES = """
[profile.smoke]
users = 2
iterations = 1

[profile.arrivals]
rate = "20/s"
duration = "500ms"
"""


@pytest.mark.parametrize(
    ("asked", "requests"),
    [
        (("--load-profile", "smoke"), 2),
        (("--load-profile", "smoke", "--users", "3", "-n", "2"), 3),
        (("--load-profile", "arrivals"), 10),
    ],
)
def test_a_profile_of_the_file(
    project: Project, server: Server, asked: tuple[str, ...], requests: int
) -> None:
    """Its values come in the place of the file's, and what is said outside in theirs."""
    path = project.path / "rush.load.toml"
    path.write_text(path.read_text() + PROFILES)
    done = project.run("--load", "--load-json", "out.json", *asked)
    assert done.returncode == 0, done.stdout
    assert len(server.requests) == requests
    first, *_ = project.json()["configuration"]["overrides"]
    assert first["said"] == f"--load-profile {asked[1]}"


def test_a_profile_that_is_not_there(project: Project, server: Server) -> None:
    """Nothing is sent: the load of the file itself may be far larger than what was meant."""
    path = project.path / "rush.load.toml"
    path.write_text(path.read_text() + PROFILES)
    done = project.run("--load", "--load-profile", "smok")
    assert done.returncode != 0
    assert "there is no [profile.smok] for --load-profile smok: did you mean" in done.stdout
    assert server.requests == []


def test_once(project: Project, server: Server) -> None:
    """One user runs each test case once, whatever the file says; limits of times hold, and those
    that only a load could reach do not."""
    project.write(
        other__case__toml=case(server.url, "GET /other").replace("visit", "look"),
        rush__load__toml=load(
            "good.case.toml",
            "other.case.toml",
            users=50,
            duration="1h",
            more="""thresholds = [
  "throughput > 1000/s", "requests > 1000", "p95 < 20 s", 'rate of metric "found" > 95 %',
]""",
        ),
    )
    project.write(
        conftest__py="def pytest_loadtool_iteration_end(user): user.rate('found', True)\n"
    )
    done = project.run("--load", "--once", "--load-json", "out.json")
    assert done.returncode == 0, done.stdout
    assert sorted(server.requests) == ["GET /", "GET /other"]
    assert [one["threshold"] for one in project.json()["thresholds"]] == [
        "p95 < 20 s",
        'rate of metric "found" > 95 %',
    ]
    assert "in place of what the file says: --once" in done.stdout


def test_once_is_no_other_size(project: Project) -> None:
    """It does not go with one."""
    done = project.run("--load", "--once", "--users", "5")
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert "--once and --users 5: once is one user" in done.stdout


SCHEDULES = """
format = 1
name = "Together"
grace = "0s"

[[case]]
file = "good.case.toml"
users = 3
iterations = 4

[[case]]
file = "other.case.toml"
start = "300ms"
users = 9
rate = "20/s"
duration = "500ms"
"""


@pytest.mark.parametrize("workers", [(), ("-n", "2")])
def test_schedules_of_their_own(project: Project, server: Server, workers: tuple[str, ...]) -> None:
    """Each test case has its own users and its own time; the server sees exactly these."""
    project.write(
        other__case__toml=case(server.url, "GET /other").replace("visit", "look"),
        rush__load__toml=SCHEDULES,
    )
    done = project.run("--load", "--load-json", "out.json", *workers)
    assert done.returncode == 0, done.stdout
    assert Counter(server.requests) == {"GET /": 12, "GET /other": 10}
    found = project.json()["configuration"]
    assert found["users"] == 12
    assert [one["start_s"] for one in found["schedules"]] == [0, 0.3]
    assert "good: 3 users, 4 iterations each; other: 20 arrivals/s for 0.5 s" in done.stdout


def test_sizes_from_outside_are_of_all_test_cases(project: Project, server: Server) -> None:
    """Schedules of single test cases give way: all share the users that are asked for."""
    project.write(
        other__case__toml=case(server.url, "GET /other").replace("visit", "look"),
        rush__load__toml=SCHEDULES,
    )
    done = project.run("--load", "--users", "4", "--iterations", "2", "--load-json", "out.json")
    assert done.returncode == 0, done.stdout
    assert Counter(server.requests) == {"GET /": 4, "GET /other": 4}

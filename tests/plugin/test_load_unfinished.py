"""Load tests that are over before a user has done all that the test case does."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from pytest_loadtool.plugin.load.outcome import EXIT_INCONCLUSIVE
from tests.plugin.loading import Project, load
from tests.plugin.serving import Server, case, transaction

#: What is told before, and what the verdict says.
HINT = (
    "test case 'A visit to the shop': one iteration needs about 107 s, all of it think time, and "
    "the load lasts 0.4 s: no user will finish one; raise duration, or set think_time"
)
REASON = (
    "test case 'A visit to the shop' finished no iteration, and no request of 2 of its 3 "
    "transactions: one iteration needs about 107 s, all of it think time; raise duration, or set "
    "think_time"
)


@pytest.fixture
def project(pytester: pytest.Pytester, server: Server) -> Project:
    """A test case that is as slow as a person, and a load that is over in no time."""
    project = Project(pytester.path, pytester)
    first = case(server.url, "GET /").replace("[[page]]", '[[page]]\nthink_time = "107s"')
    others = f'[[page]]\nname = "Next"\n{transaction("GET /two")}\n{transaction("GET /three")}\n'
    project.write(
        slow__case__toml=first + others,
        rush__load__toml=load("slow.case.toml", more='grace = "0s"'),
    )
    return project


@pytest.mark.parametrize("workers", [[], ["-n", "2"]])
def test_a_load_that_finishes_no_iteration_is_inconclusive(
    project: Project, server: Server, workers: list[str]
) -> None:
    """It is told before anything is sent; the terminal, JSON and JUnit have the reason and the
    remedy."""
    done = project.run("--load", "--load-json", "out.json", "--junitxml", "junit.xml", *workers)
    assert done.returncode == EXIT_INCONCLUSIVE, done.stdout
    told, _, report = done.stdout.partition("load test results")
    assert " ".join(told.split()).count(HINT) == 1
    assert f"load test inconclusive: {REASON}" in done.stdout
    assert "INCONCLUSIVE" in report
    assert set(server.requests) == {"GET /"}
    data = project.json()
    assert (data["verdict"], data["reasons"]) == ("inconclusive", [REASON])
    failure = next(ElementTree.parse(project.path / "junit.xml").iter("failure"))
    assert REASON in failure.attrib["message"]


def test_without_think_times_it_passes(project: Project) -> None:
    """The remedy is one, and nothing is told."""
    path = project.path / "rush.load.toml"
    path.write_text(path.read_text().replace("\n[[case]]", '\nthink_time = "none"\n[[case]]'))
    done = project.run("--load")
    assert done.returncode == 0, done.stdout
    assert "iteration needs" not in done.stdout


def test_iterations_that_end_with_an_error(project: Project, server: Server) -> None:
    """What comes behind it in the test case was not tested, however many errors are allowed."""
    path = project.path / "slow.case.toml"
    path.write_text(path.read_text().replace("GET /two", "GET /status/500"))
    more = 'think_time = "none"\non_error = "stop iteration"\nmax_error_rate = "90%"'
    project.write(rush__load__toml=load("slow.case.toml", more=more))
    done = project.run("--load")
    assert done.returncode == EXIT_INCONCLUSIVE, done.stdout
    assert "finished no request of 1 of its 3 transactions: its iterations ended" in done.stdout
    assert "GET /three" not in server.requests


@pytest.mark.promise(139)
@pytest.mark.parametrize("workers", [[], ["-n", "2"]])
def test_what_is_rightly_skipped_is_not_missing(
    project: Project, server: Server, workers: list[str]
) -> None:
    """A flow whose check never holds leaves its transactions out, and the run has passed."""
    flow = '[flows.never]\nwhen = { value = "${server}", equals = "another" }\n[[page]]'
    text = case(server.url, "GET /").replace("[[page]]", flow, 1)
    skipped = transaction("GET /two") + '\nflow = "never"\n'
    project.write(some__case__toml=f"{text}\n{skipped}", rush__load__toml=load("some.case.toml"))
    done = project.run("--load", "--load-json", "out.json", *workers)
    assert done.returncode == 0, done.stdout
    assert set(server.requests) == {"GET /"}
    assert project.json()["totals"]["requests"] == len(server.requests)

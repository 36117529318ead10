"""Runs saved and compared: what fails a session, and what is refused before any load is made."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.plugin.loading import Project, load
from tests.plugin.serving import Server, case

MORE = 'max_error_rate = "100%"'


@pytest.fixture
def project(pytester: pytest.Pytester, server: Server) -> Project:
    """A load test that passes whatever the server answers."""
    project = Project(pytester.path, pytester)
    project.write(
        shop__case__toml=case(server.url, "GET /", "GET /two"),
        rush__load__toml=load("shop.case.toml", more=MORE),
    )
    return project


def change(project: Project, **factors: float) -> None:
    """Make the saved run one whose times, or requests in the same time, were so many times what
    they were."""
    path = project.path / "base.json"
    document: dict[str, Any] = json.loads(path.read_text())
    (run,) = document["runs"]
    run["duration_s"] /= factors.get("throughput", 1.0)
    path.write_text(json.dumps(document))


@pytest.mark.parametrize("workers", [[], ["-n", "2"]])
def test_as_good_as_before(project: Project, workers: list[str]) -> None:
    """A run beside itself: the comparison is in the report and in the JSON, with its tolerance."""
    saved = project.run("--load", "--load-save", "base.json", *workers)
    assert saved.returncode == 0, saved.stdout
    assert "compared with" not in saved.stdout
    again = project.run(
        "--load", "--load-compare", "base.json", "--load-tolerance", "100%", "--load-json",
        "out.json", *workers,
    )  # fmt: skip
    assert "compared with the run of " in again.stdout, again.stdout
    assert "100 % worse allowed" in again.stdout
    comparison = project.json()["comparison"]
    assert comparison["tolerance"] == 1.0
    assert comparison["baseline"]["verdict"] == "passed"
    assert comparison["new"] == comparison["gone"] == []
    names = {one["name"] for one in comparison["changes"]}
    assert names == {"all requests", "GET /", "GET /two"}


@pytest.mark.parametrize("workers", [[], ["-n", "2"]])
def test_a_regression_fails_the_test(project: Project, server: Server, workers: list[str]) -> None:
    """Errors that were not there before fail the run, which its own configuration lets pass."""
    assert project.run("--load", "--load-save", "base.json", *workers).returncode == 0
    server.failing["/two"] = 1_000_000
    alone = project.run("--load", *workers)
    assert alone.returncode == 0, alone.stdout
    done = project.run("--load", "--load-compare", "base.json", "--load-json", "out.json", *workers)
    assert done.returncode == 1, done.stdout
    assert "load test failed: worse than before by more than 10 %: error rate" in done.stdout
    assert "! worse than is allowed" in done.stdout
    data = project.json()
    assert any(
        "error rate of Home / GET /two: 100 %, was 0 % (+100.00 points)" in one
        for one in data["reasons"]
    )
    assert data["verdict"] == "failed"
    worse = {
        (one["name"], one["figure"]) for one in data["comparison"]["changes"] if one["regression"]
    }
    assert ("GET /two", "error rate") in worse
    assert ("GET /", "error rate") not in worse


def test_throughput_that_fell_fails_the_test(project: Project) -> None:
    """A thousandth of the requests per second that there were is a regression."""
    assert project.run("--load", "--load-save", "base.json").returncode == 0
    change(project, throughput=1000.0)
    done = project.run("--load", "--load-compare", "base.json", "--load-tolerance", "90%")
    assert done.returncode == 1, done.stdout
    assert "worse than before by more than 90 %: throughput of all requests" in done.stdout


def test_transactions_of_one_run_only(project: Project, server: Server) -> None:
    """New ones and those that are gone are listed, and fail nothing."""
    assert project.run("--load", "--load-save", "base.json").returncode == 0
    project.write(shop__case__toml=case(server.url, "GET /", "GET /three"))
    done = project.run("--load", "--load-compare", "base.json", "--load-json", "out.json")
    assert "new: Home / GET /three" in done.stdout
    assert "gone: Home / GET /two" in done.stdout
    comparison = project.json()["comparison"]
    assert [one["name"] for one in comparison["new"]] == ["GET /three"]
    assert [one["name"] for one in comparison["gone"]] == ["GET /two"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "base.json: no such file"),
        ("{", "base.json cannot be compared with: it is not JSON"),
        ('{"format": 1, "runs": []}', "base.json cannot be compared with: it holds no saved runs"),
        (
            '{"kind": "load runs saved by pytest-loadtool", "runs": [{"format": 9}]}',
            "it was saved by another version of pytest-loadtool",
        ),
        (
            '{"kind": "load runs saved by pytest-loadtool", "runs": [{"format": 1}]}',
            "base.json cannot be compared with: runs[0]: name: it is missing; name a file that ",
        ),
        ("[" * 100_000, "base.json cannot be compared with: it is not JSON"),
        (
            '{"kind": "load runs saved by pytest-loadtool", "runs": 3}',
            "its runs are no list",
        ),
    ],
    ids=["missing", "no JSON", "foreign", "newer", "incomplete", "deep", "no list"],
)
def test_a_baseline_that_cannot_be_used_is_refused(
    project: Project, server: Server, content: str | None, message: str
) -> None:
    """A usage error, before any load is made."""
    if content is not None:
        project.write(base__json=content)
    workers = ["-n", "2"] if content is None else []
    done = project.run("--load", "--load-compare", "base.json", *workers)
    assert done.returncode == pytest.ExitCode.USAGE_ERROR, done.stdout
    assert "--load-compare: " in done.stdout
    assert message in done.stdout
    assert "Traceback" not in done.stdout
    assert server.requests == []


def test_another_load_is_told(project: Project) -> None:
    """In the report, in the JSON and, if something became worse, among the reasons."""
    assert project.run("--load", "--load-save", "base.json").returncode == 0
    change(project, throughput=1000.0)
    project.write(rush__load__toml=load("shop.case.toml", more=MORE, users=2))
    done = project.run("--load", "--load-compare", "base.json", "--load-json", "out.json")
    assert done.returncode == 1, done.stdout
    said = "not the same load: 4 users for 0.4 s before, now 2 users for 0.4 s"
    assert [line for line in done.stdout.splitlines() if line == said]
    data = project.json()
    assert data["reasons"][-1] == said
    comparison = data["comparison"]
    assert comparison["same_load"] is False
    assert comparison["baseline"]["load"] == "4 users for 0.4 s"


@pytest.mark.parametrize("workers", [[], ["-n", "2"]])
def test_a_baseline_without_this_run_is_refused(
    project: Project, server: Server, workers: list[str]
) -> None:
    """The test fails before any load is made, and says which runs the file has."""
    assert project.run("--load", "--load-save", "base.json").returncode == 0
    server.requests.clear()
    project.write(rush__load__toml=load("shop.case.toml", more=MORE, name="Other"))
    done = project.run("--load", "--load-compare", "base.json", *workers)
    assert done.returncode == 1, done.stdout
    assert "base.json has no run of 'Other', only of 'Rush hour'" in done.stdout
    assert server.requests == []


def test_what_was_saved_stays_where_no_load_is_made(project: Project) -> None:
    """A session that runs nothing does not replace the runs of an earlier one by none."""
    assert project.run("--load", "--load-save", "base.json").returncode == 0
    before = (project.path / "base.json").read_text()
    done = project.run("--load", "--load-save", "base.json", "-k", "nothing")
    assert done.returncode == pytest.ExitCode.NO_TESTS_COLLECTED, done.stdout
    assert "results were not written: no load was made, so " in done.stdout
    assert (project.path / "base.json").read_text() == before


@pytest.mark.parametrize("workers", [[], ["-n", "2"]])
def test_equal_names_are_refused(project: Project, server: Server, workers: list[str]) -> None:
    """One of the runs would replace the other in the file: it is told before any load is made."""
    project.write(again__load__toml=load("shop.case.toml", more=MORE))
    done = project.run("--load", "--load-save", "base.json", *workers)
    assert done.returncode == pytest.ExitCode.INTERRUPTED, done.stdout
    said = "rush.load.toml:2: name: again.load.toml has the name 'Rush hour', too: --load-save"
    assert said in done.stdout
    assert server.requests == []


def test_history_keeps_the_newest_runs(project: Project) -> None:
    """Each session adds its run; what is compared with are all of them."""
    keep = ["--load", "--load-save", "base.json", "--load-history", "2"]
    for _ in range(3):
        assert project.run(*keep).returncode == 0
    starts = [
        run["started"] for run in json.loads((project.path / "base.json").read_text())["runs"]
    ]
    assert len(starts) == 2
    done = project.run("--load", "--load-compare", "base.json", "--load-json", "out.json")
    assert f"compared with 2 runs and their spread, the last of {starts[1]}" in done.stdout
    assert project.json()["comparison"]["baseline"]["runs"] == 2


def test_history_of_another_file_is_refused(project: Project, server: Server) -> None:
    """What is no file of saved runs is not written over."""
    project.write(base__json="{}")
    done = project.run("--load", "--load-save", "base.json", "--load-history", "3")
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert "--load-save: base.json cannot be added to: it holds no saved runs" in done.stdout
    assert (project.path / "base.json").read_text() == "{}"
    assert server.requests == []


@pytest.mark.parametrize("workers", [[], ["-n", "2"]])
def test_saved_to_the_file_that_is_compared_with(
    project: Project, server: Server, workers: list[str]
) -> None:
    """It is read before the load and replaced after it, by the run as it came out."""
    both = ["--load", "--load-save", "base.json", "--load-compare", "base.json", *workers]
    refused = project.run(*both)
    assert refused.returncode == pytest.ExitCode.USAGE_ERROR, refused.stdout
    assert project.run("--load", "--load-save", "base.json", *workers).returncode == 0
    server.failing["/two"] = 1_000_000
    worse = project.run(*both)
    assert worse.returncode == 1, worse.stdout
    assert "worse than before by more than 10 %: error rate of " in worse.stdout
    (run,) = json.loads((project.path / "base.json").read_text())["runs"]
    assert run["verdict"] == "failed"
    again = project.run(*both)
    assert "error rate of" not in again.stdout
    assert "(failed); 10 % worse allowed" in again.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--load-save", "x.json"], "--load-save means nothing without --load"),
        (["--load-compare", "x.json"], "--load-compare means nothing without --load"),
        (["--load", "--load-tolerance", "5%"], "means nothing without --load-compare"),
        (["--load", "--load-history", "2"], "--load-history means nothing without --load-save"),
        (
            ["--load", "--load-save", "x.json", "--load-history", "0"],
            "--load-history: expected a number from 1, got '0'",
        ),
        (["--load", "--load-save", "no/x.json"], "--load-save: there is no directory"),
        (
            ["--load", "--load-compare", "x.json", "--load-tolerance", "5"],
            '--load-tolerance: expected a percentage from "0%" to "100%", got "5": write "5%"',
        ),
    ],
)
def test_wrong_options(
    project: Project, server: Server, arguments: list[str], message: str
) -> None:
    """Usage errors, before any load is made."""
    done = project.run(*arguments)
    assert done.returncode == pytest.ExitCode.USAGE_ERROR, done.stdout
    assert message in done.stdout
    assert server.requests == []

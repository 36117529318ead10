"""Thresholds, and the exit statuses that verdicts lead to, in real sessions of pytest."""

from __future__ import annotations

import re

import pytest

from pytest_loadtool.plugin.load.outcome import EXIT_INCONCLUSIVE
from tests.plugin.loading import Project, load
from tests.plugin.serving import Server, case

WORKERS = pytest.mark.parametrize("workers", [[], ["-n", "2"]], ids=["here", "workers"])

GOOD = (
    'p95 of page "Home" < 30 s',
    'mean of service time of "GET /" < 30 s',
    "throughput > 1/min",
    "error rate < 1 %",
    "dropped <= 0",
    "p99 > 30 s for 1 s: stop",
)


def limits(*thresholds: str) -> str:
    """The key of a load configuration."""
    return f"thresholds = [{', '.join(repr(one) for one in thresholds)}]"


@pytest.fixture
def project(pytester: pytest.Pytester, server: Server) -> Project:
    """A case that passes, and one in which every other request fails."""
    project = Project(pytester.path, pytester)
    project.write(
        good__case__toml=case(server.url, "GET /", "GET /two"),
        bad__case__toml=case(server.url, "GET /", "GET /status/500").replace("A visit", "A fall"),
    )
    return project


@pytest.mark.promise(129)
@WORKERS
def test_thresholds_that_are_met(project: Project, workers: list[str]) -> None:
    """Each is a step of the test with -v, and a row of the report; pytest ends with 0. A percentile
    of a page has the page's durations kept."""
    project.write(
        rush__load__toml=load("good.case.toml", more=limits(*GOOD)),
        conftest__py="""
def pytest_runtest_logreport(report):
    for step in getattr(report, "loadtool_thresholds", ()):
        print("\\nseen by a conftest:", report.loadtool_verdict, step)
""",
    )
    done = project.run("--load", "-v", "-s", "--load-json", "out.json", *workers)
    assert done.returncode == 0, done.stdout
    before, _, report = done.stdout.partition("load test results")
    steps = [line for line in before.splitlines() if line.startswith("    passed  ")]
    assert len(steps) == len(GOOD)
    for step, text in zip(steps, GOOD, strict=True):
        assert step.startswith(f"    passed  {text}: ")
    assert re.search(r"^rush.load.toml::rush PASSED", before, re.MULTILINE)
    assert before.count("seen by a conftest: passed") == len(GOOD)
    for text in GOOD:
        assert re.search(rf"^{re.escape(text)} .*  passed$", report, re.MULTILINE)
    rows = project.json()["thresholds"]
    assert [row["threshold"] for row in rows] == list(GOOD)
    assert all(row["passed"] for row in rows)
    page, _, throughput, *_ = rows
    assert page["unit"] == "ms"
    assert page["limit"] == 30_000
    assert 0 < page["measured"] < 30_000
    assert throughput["measured"] == pytest.approx(
        project.json()["totals"]["throughput_rps"], abs=0.001
    )


@pytest.mark.promise(129)
@WORKERS
def test_threshold_that_is_not_met_fails_the_run(project: Project, workers: list[str]) -> None:
    """The text names the threshold, what was measured, and the transaction that has most of it; all
    other thresholds are judged, too."""
    project.write(
        rush__load__toml=load(
            "bad.case.toml",
            more=limits("error rate < 20 %", 'errors of page "Home" <= 0', "p95 < 30 s"),
        )
    )
    done = project.run("--load", "-v", *workers)
    assert done.returncode == pytest.ExitCode.TESTS_FAILED
    assert re.search(
        r"load test failed: threshold error rate < 20 % is not met: [45]\d(\.\d+)? %; "
        r'most of them: "GET /status/500" of page "Home" \((\d+) of \2 requests\)',
        done.stdout,
    ), done.stdout
    assert re.search(r'threshold errors of page "Home" <= 0 is not met: \d+;', done.stdout)
    assert re.search(r"^    failed  error rate < 20 %: [45]\d(\.\d+)? %$", done.stdout, re.M)
    assert re.search(r"^    passed  p95 < 30 s: .* ms$", done.stdout, re.M)
    assert re.search("^p95 < 30 s .* passed$", done.stdout, re.M)
    assert "0 % allowed" not in done.stdout
    assert "1 failed" in done.stdout
    assert "Traceback" not in done.stdout


def test_error_rate_as_a_threshold_replaces_the_usual_one(project: Project) -> None:
    """A run with errors passes when its own threshold allows them."""
    project.write(rush__load__toml=load("bad.case.toml", more=limits("error rate < 60 %")))
    done = project.run("--load")
    assert done.returncode == 0, done.stdout


@pytest.mark.promise(129)
@WORKERS
def test_condition_to_stop_ends_the_run(
    project: Project, server: Server, workers: list[str]
) -> None:
    """All workers stop; what was measured until then is reported, complete, and the run fails."""
    project.write(
        rush__load__toml=load(
            "bad.case.toml",
            duration="60s",
            more=limits("errors > 20: stop", "error rate < 100 %"),
        )
    )
    done = project.run("--load", "--load-json", "out.json", *workers)
    assert done.returncode == pytest.ExitCode.TESTS_FAILED, done.stdout
    assert re.search("load test failed: threshold errors > 20: stop stopped the run: ", done.stdout)
    data = project.json()
    assert data["verdict"] == "failed"
    assert len(data["reasons"]) == 1
    totals = data["totals"]
    seen = len(server.requests)
    assert seen - totals["cut_requests"] <= totals["requests"] <= seen
    assert totals["errors"] > 20
    assert totals["duration_s"] < 30
    assert {worker["state"] for worker in data["workers"]} == {"final"}
    assert [row["passed"] for row in data["thresholds"]] == [False, True]


@WORKERS
def test_condition_that_lasts_ends_the_run(project: Project, workers: list[str]) -> None:
    """A window is made of seconds; the text says which."""
    project.write(
        rush__load__toml=load(
            "bad.case.toml",
            duration="60s",
            more=limits("error rate > 20 % for 2 s: stop", "error rate < 100 %"),
        )
    )
    done = project.run("--load", *workers)
    assert done.returncode == pytest.ExitCode.TESTS_FAILED, done.stdout
    reason = "threshold error rate > 20 % for 2 s: stop stopped the run: at worst "
    assert re.search(rf"{reason}\S+ %, from \d+ s to \d+ s; most of them", done.stdout)


@WORKERS
def test_wrong_threshold_is_a_usage_error_before_any_load(
    project: Project, server: Server, workers: list[str]
) -> None:
    """A name that no test case has: file, line and the nearest name, and no request is sent."""
    project.write(rush__load__toml=load("good.case.toml", more=limits('p95 of page "Hom" < 1 s')))
    done = project.run("--load", *workers)
    assert done.returncode == pytest.ExitCode.INTERRUPTED
    said = 'rush.load.toml:5: thresholds: there is no page "Hom" in the test cases: did you mean'
    assert f"{said} 'Home'?" in done.stdout
    assert server.requests == []


def test_inconclusive_has_a_status_of_its_own(project: Project, server: Server) -> None:
    """Neither green nor a failure of the application: 10, also with -x, unless something failed."""
    project.write(
        a__load__toml=load("good.case.toml", "bad.case.toml", users=1, duration="200ms"),
        b__load__toml=load("good.case.toml", duration="200ms"),
    )
    done = project.run("--load", "--load-json", "out.json")
    assert done.returncode == EXIT_INCONCLUSIVE == 10, done.stdout
    assert "1 failed, 1 passed" in done.stdout
    assert "load test inconclusive: " in done.stdout
    assert [run["verdict"] for run in project.json()["runs"]] == ["inconclusive", "passed"]
    stopped = project.run("--load", "-x")
    assert stopped.returncode == EXIT_INCONCLUSIVE, stopped.stdout
    assert "stopping after 1 failures" in stopped.stdout

    project.write(b__load__toml=load("bad.case.toml", duration="200ms"))
    done = project.run("--load")
    assert done.returncode == pytest.ExitCode.TESTS_FAILED
    assert "2 failed" in done.stdout


@pytest.mark.parametrize(("cases", "verdict"), [(1, "passed"), (2, "inconclusive")])
def test_results_that_cannot_be_written(
    project: Project, server: Server, cases: int, verdict: str
) -> None:
    """They are a failure, whatever the verdict: neither 0 nor 10 says that all is as it was asked
    for. The report names the file and the reason."""
    files = ("good.case.toml", "bad.case.toml")[:cases]
    project.write(
        a__load__toml=load(*files, users=1, duration="200ms"),
        conftest__py="import os\ndef pytest_runtest_teardown(): os.mkdir('out.json')\n",
    )
    done = project.run("--load", "--load-json", "out.json", "--load-save", "base.json")
    assert done.returncode == pytest.ExitCode.TESTS_FAILED, done.stdout
    assert "results were not written: out.json: expected a file, but this is a directory" in (
        done.stdout
    )
    (saved,) = project.json("base.json")["runs"]
    assert saved["verdict"] == verdict


def test_inconclusive_on_workers(project: Project, server: Server) -> None:
    """The same status with workers, with -x and at the session's end."""
    project.write(
        a__load__toml=load("good.case.toml", "bad.case.toml", users=1, duration="200ms"),
        b__load__toml=load("good.case.toml", duration="200ms"),
    )
    for more in ([], ["-x"]):
        done = project.run("--load", "-n", "2", "--load-json", "out.json", *more)
        assert done.returncode == EXIT_INCONCLUSIVE, done.stdout


def test_teardown_that_fails_is_a_failure(project: Project, server: Server) -> None:
    """An inconclusive run beside an error of a fixture is not inconclusive alone."""
    project.write(
        conftest__py="import pytest\n@pytest.fixture\ndef shop():\n    yield\n    raise OSError\n",
        good__case__toml=case(server.url, "GET /", head='fixtures = ["shop"]'),
        a__load__toml=load("good.case.toml", "bad.case.toml", users=1, duration="200ms"),
    )
    done = project.run("--load")
    assert done.returncode == pytest.ExitCode.TESTS_FAILED
    assert "1 failed, 1 error" in done.stdout


def test_no_such_option_value_is_a_usage_error(project: Project, server: Server) -> None:
    """What cannot work is refused with pytest's own status for that."""
    project.write(rush__load__toml=load("good.case.toml", more=limits(*GOOD)))
    done = project.run("--load", "--load-json", "no/where.json")
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert server.requests == []

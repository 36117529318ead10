"""Load tests in the reports that other plugins and CI servers make of a pytest run."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.plugin.loading import Project, load
from tests.plugin.serving import Server, case

WORKERS = pytest.mark.parametrize("workers", [[], ["-n", "2"]], ids=["alone", "workers"])
# By name, as pytest in a test of pytest loads no other plugins than are named.
HTML = (
    *("-p", "pytest_html.plugin", "-p", "pytest_html.fixtures", "-p", "pytest_metadata.plugin"),
    *("--html", "r.html", "--self-contained-html"),
)
ALLURE = ("-p", "allure_pytest.plugin", "--alluredir", "allure")
THRESHOLDS = "iterations = 2\nthresholds = ['p95 < 1 h', 'throughput > 1000000/s']"


@pytest.fixture
def project(pytester: pytest.Pytester, server: Server) -> Project:
    """A load test that fails one of its two thresholds."""
    project = Project(pytester.path, pytester)
    project.write(
        good__case__toml=case(server.url, "GET /"),
        rush__load__toml=load("good.case.toml", more=THRESHOLDS),
    )
    return project


@WORKERS
@pytest.mark.parametrize("logging", ["no", "system-out"])
def test_junit_has_thresholds_and_the_text(
    project: Project, workers: list[str], logging: str
) -> None:
    """Each threshold is a test case with what was measured; the text is there once."""
    done = project.run("--load", *workers, "--junitxml", "j.xml", "-o", f"junit_logging={logging}")
    assert done.returncode == 1, done.stdout
    suite = ElementTree.parse(project.path / "j.xml").getroot()[0]
    test, good, bad = suite.findall("testcase")
    assert [one.attrib["name"] for one in (test, good, bad)] == [
        "rush",
        "p95 < 1 h",
        "throughput > 1000000/s",
    ]
    assert [one.find("failure") is None for one in (test, good, bad)] == [False, True, False]
    for one in (good, bad):
        assert one.attrib["classname"] == "rush.load.toml.rush"
        (measured,) = one.iter("property")
        assert measured.attrib["name"] == "measured"
        assert measured.attrib["value"]
    (text,) = test.findall("system-out")
    assert text.text is not None
    assert text.text.count("status codes") == 1
    assert (suite.attrib["tests"], suite.attrib["failures"]) == ("3", "2")
    assert done.stdout.count("status codes") == 1, "the terminal has the text in one place"


@WORKERS
def test_summary_is_written(project: Project, workers: list[str]) -> None:
    """The results in short, with the way to the whole."""
    done = project.run(
        *("--load", "--load-summary", "summary.md", "--load-html", "report.html", *workers)
    )
    assert done.returncode == 1, done.stdout
    text = (project.path / "summary.md").read_text()
    assert text.startswith("### ❌ Rush hour: failed\n")
    assert "| throughput \\> 1000000/s |" in text
    assert text.endswith("The whole report: `report.html`\n")


@WORKERS
def test_pytest_html_shows_the_text(project: Project, workers: list[str]) -> None:
    """The row of a load test has its report."""
    project.run("--load", *workers, *HTML)
    assert (project.path / "r.html").read_text().count("status codes") == 1


@WORKERS
def test_allure_shows_the_text(project: Project, workers: list[str]) -> None:
    """The one result of the load test is failed, not broken, and has its report."""
    project.run("--load", *workers, *ALLURE)
    results = [json.loads(one.read_text()) for one in Path("allure").glob("*-result.json")]
    (result,) = [one for one in results if one["status"] != "skipped"]
    assert result["status"] == "failed"
    assert len(results) == 1 + (1 if workers else 0), "other workers skip it"
    (attached,) = result["attachments"]
    assert "status codes" in Path("allure", attached["source"]).read_text()


def test_allure_calls_an_inconclusive_test_broken(project: Project, server: Server) -> None:
    """A load that did not come about is no failed assertion."""
    project.write(rush__load__toml=load("good.case.toml", "other.case.toml", users=1))
    project.write(other__case__toml=case(server.url, "GET /two").replace("A visit", "Another"))
    done = project.run("--load", *ALLURE)
    assert "inconclusive" in done.stdout
    (result,) = [json.loads(one.read_text()) for one in Path("allure").glob("*-result.json")]
    assert result["status"] == "broken"

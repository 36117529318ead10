"""`--loadtool-html` and `--load-html`: where pages are written, and what they have of a session."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.plugin.loading import Project, load
from tests.plugin.serving import Server, case, write


def data_of(file: Path) -> Any:
    """What the scripts of a page have."""
    [block] = re.findall(r'id="data">(.*?)</script>', file.read_text(), re.S)
    return json.loads(block)


def outcomes(file: Path) -> dict[str, str]:
    """By its name, what became of each test case."""
    found = re.findall(
        r'<span class="badge (\w+)">\w+</span><h2>(.*?)</h2>', file.read_text(), re.S
    )
    return {name: outcome for outcome, name in found}


@pytest.mark.parametrize("workers", [(), ("-n", "2")])
def test_what_a_session_did(
    pytester: pytest.Pytester, server: Server, workers: tuple[str, ...]
) -> None:
    """Passed, failed with its diagnosis, and what cannot even be read; with workers, too."""
    write(pytester, "good", case(server.url, "GET /a", "GET /b").replace("A visit", "Good"))
    write(pytester, "bad", case(server.url, "GET /a", "GET /status/500").replace("A visit", "Bad"))
    write(pytester, "wrong", "format = 1\nnam = 1\n")
    pytester.makepyfile("def test_other(): pass")
    result = pytester.runpytest_subprocess(
        "--loadtool-html", "out.html", "--continue-on-collection-errors", *workers
    )
    result.assert_outcomes(passed=2, failed=1, errors=1)
    file = pytester.path / "out.html"
    assert outcomes(file) == {
        "Good to the shop": "passed", "Bad to the shop": "failed", "wrong.case.toml": "error"
    }  # fmt: skip
    text = file.read_text()
    assert "Fix first · transaction 2 of 2" in text
    assert "unknown key" in text
    rows = {
        one[1]: one for test in data_of(file)["tests"] for _, page in test["pages"] for one in page
    }
    assert rows["GET /b"][2:4] == ["passed", 200]
    assert rows["GET /status/500"][2:4] == ["failed", 500]
    assert len(server.requests) == 4
    assert sum(1 for one in rows.values() if one[5] + one[6] > 0) == 3


def test_attempts_that_were_run_again(pytester: pytest.Pytester, server: Server) -> None:
    """The last attempt counts; that there was another, and why it failed, is said."""
    server.failing["/a"] = 1
    write(pytester, "good", case(server.url, "GET /a"))
    result = pytester.runpytest_subprocess(
        "-p", "pytest_rerunfailures", "--reruns", "1", "--loadtool-html", "out.html"
    )
    result.stdout.fnmatch_lines(["*1 passed, 1 rerun*"])
    text = (pytester.path / "out.html").read_text()
    assert outcomes(pytester.path / "out.html") == {"A visit to the shop": "passed"}
    assert "run again: 1 earlier attempt failed" in text
    assert "Status Code is 500" in text


def test_a_fixture_that_fails_is_an_error(pytester: pytest.Pytester, server: Server) -> None:
    """A test that never came to its replay is not left out."""
    pytester.makeconftest(
        "import pytest\n@pytest.fixture\ndef broken(): raise RuntimeError('no database')"
    )
    write(pytester, "good", case(server.url, "GET /a", head='fixtures = ["broken"]'))
    pytester.runpytest_subprocess("--loadtool-html", "out.html").assert_outcomes(errors=1)
    assert outcomes(pytester.path / "out.html") == {"good.case.toml": "error"}
    assert "no database" in (pytester.path / "out.html").read_text()


def test_trace_is_linked(pytester: pytest.Pytester, server: Server) -> None:
    """The way from the page to the trace of a failed test works where the page is."""
    write(pytester, "bad", case(server.url, "GET /status/500"))
    (pytester.path / "out").mkdir()
    pytester.runpytest_subprocess("--loadtool-html", "out/page.html", "--loadtool-trace")
    [link] = re.findall(r'href="([^"]+)"', (pytester.path / "out/page.html").read_text())
    assert (pytester.path / "out" / link).resolve().is_file()


def test_options_that_mean_nothing(pytester: pytest.Pytester, server: Server) -> None:
    """Refused before anything runs, with what to write in place."""
    write(pytester, "good", case(server.url, "GET /a"))
    for options, text in (
        (("--load-html", "x.html"), "*--load-html means nothing without --load"),
        (("--load", "--loadtool-html", "x.html"), "*with --load write --load-html"),
        (("--loadtool-html", "no/x.html"), "*--loadtool-html: there is no directory*"),
    ):
        result = pytester.runpytest_subprocess(*options)
        assert result.ret == pytest.ExitCode.USAGE_ERROR
        result.stderr.fnmatch_lines([text])
    assert server.requests == []


@pytest.mark.parametrize("workers", [(), ("-n", "2")])
def test_a_load_test_is_shown_live_and_at_its_end(
    pytester: pytest.Pytester, server: Server, workers: tuple[str, ...]
) -> None:
    """While it runs the file renews itself; at its end it has the numbers of the JSON."""
    project = Project(pytester.path)
    project.write(
        good__case__toml=case(server.url, "GET /"),
        rush__load__toml=load("good.case.toml", duration="3s"),
    )
    file = pytester.path / "out.html"
    with project.running(
        "--load", "--load-html", "out.html", "--load-json", "out.json", *workers
    ) as process:
        live = ""
        while process.poll() is None:
            if file.exists() and 'http-equiv="refresh"' in (text := file.read_text()):
                live = text
        output = process.stdout.read() if process.stdout is not None else ""
    assert process.returncode in (0, 10), output
    assert "this page renews itself" in live
    text = file.read_text()
    assert 'http-equiv="refresh"' not in text
    told = project.json()
    [run] = data_of(file)["runs"]
    assert run["time"]["x"] == [one["second"] for one in told["timeline"]]
    [row] = [one for one in run["rows"] if one["kind"] == "transaction"]
    assert row["count"] == told["totals"]["requests"] == len(server.requests)
    assert sum(row["histogram"][1]) == row["count"]
    assert row["p95"] == told["transactions"][0]["response_time_ms"]["p95"]

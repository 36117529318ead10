"""A test case as a test: what everything else around pytest makes of it."""

from __future__ import annotations

import signal
import subprocess
import sys
import xml.etree.ElementTree as ET

import pytest

from tests.plugin.serving import Server, case, transaction, write


@pytest.mark.parametrize("style", ["auto", "long", "short", "native", "line"])
def test_failure_in_each_traceback_style(
    pytester: pytest.Pytester, server: Server, style: str
) -> None:
    """Whatever --tb says, the failure is the case's own and points into the case file."""
    write(pytester, "shop", case(server.url, "GET /status/500"))
    result = pytester.runpytest(f"--tb={style}")
    result.stdout.fnmatch_lines(["*500*Home * GET /status/500*"])
    assert "Traceback" not in result.stdout.str()
    if style == "line":
        result.stdout.fnmatch_lines(["*/shop.case.toml:7: 500 at Home*"])


def test_every_part_of_pytest_that_selects(pytester: pytest.Pytester, server: Server) -> None:
    """Node id, -k over case, title and page names, and -m over marks select cases."""
    write(pytester, "first", case(server.url, "GET /a", page="Checkout", head='marks = ["smoke"]'))
    write(pytester, "second", case(server.url, "GET /b", page="Search"))
    pytester.makeini("[pytest]\nmarkers = smoke: quick ones")

    def chosen(*arguments: str) -> list[str]:
        server.requests.clear()
        pytester.runpytest("--strict-markers", *arguments)
        return server.requests

    assert chosen("first.case.toml::first") == ["GET /a"]
    assert chosen("-k", "second") == ["GET /b"]
    assert chosen("-k", "checkout") == ["GET /a"]
    assert chosen("-k", "visit and not search") == ["GET /a"]
    assert chosen("-m", "smoke") == ["GET /a"]
    assert chosen("-m", "not smoke") == ["GET /b"]
    assert chosen() == ["GET /a", "GET /b"]


def test_last_failed_runs_the_failed_case_only(pytester: pytest.Pytester, server: Server) -> None:
    """--lf takes up a case that failed, whatever characters its file's name has."""
    write(pytester, "good", case(server.url, "GET /good"))
    write(pytester, "shop [staging] ü", case(server.url, "GET /bad"))
    server.failing["/bad"] = 1
    pytester.runpytest().assert_outcomes(passed=1, failed=1)
    server.requests.clear()
    pytester.runpytest("--lf").assert_outcomes(passed=1)
    assert server.requests == ["GET /bad"]


def test_first_failure_ends_the_run(pytester: pytest.Pytester, server: Server) -> None:
    """-x stops after a failing case, which itself is replayed to its end."""
    write(pytester, "a", case(server.url, "GET /status/404", "GET /status/500", "GET /a"))
    write(pytester, "b", case(server.url, "GET /b"))
    result = pytester.runpytest("-x")
    result.assert_outcomes(failed=1)
    assert server.requests == ["GET /status/404", "GET /status/500", "GET /a"]


def test_a_failing_case_counts_once(pytester: pytest.Pytester, server: Server) -> None:
    """However many transactions fail, --maxfail and the summary see one failed test."""
    write(pytester, "a", case(server.url, "GET /status/404", "GET /status/500"))
    write(pytester, "b", case(server.url, "GET /b"))
    pytester.runpytest("--maxfail=2", "-v").assert_outcomes(failed=1, passed=1)


def test_two_workers_share_the_cases(pytester: pytest.Pytester, server: Server) -> None:
    """Under pytest-xdist each case is replayed once; a failing one shows the same text."""
    for name in "abcd":
        write(pytester, name, case(server.url, f"GET /{name}"))
    write(pytester, "bad", case(server.url, "GET /status/500"))
    result = pytester.runpytest_subprocess("-n2")
    result.assert_outcomes(passed=4, failed=1)
    assert sorted(server.requests) == ["GET /a", "GET /b", "GET /c", "GET /d", "GET /status/500"]
    result.stdout.fnmatch_lines(
        [
            "bad.case.toml:7: page 'Home', transaction 1 'GET /status/500'",
            "FAILED bad.case.toml::bad - 500 at Home * GET /status/500*",
        ]
    )


def test_control_characters_stay_out_of_the_terminal(
    pytester: pytest.Pytester, server: Server
) -> None:
    """A failure that holds control characters is shown with escapes in their place."""
    echo = transaction("POST /echo", 'body = "bell \\u0007 escape \\u001b[31m"', "status = 500")
    write(pytester, "shop", case(server.url, echo))
    result = pytester.runpytest_subprocess("-n1")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*bell \\x07 escape \\x1b*"])
    assert "\x1b[31m" not in result.stdout.str()


def test_junit_has_one_sound_testcase(pytester: pytest.Pytester, server: Server) -> None:
    """JUnit XML has one testcase, one failure with a message of one line, and three properties."""
    write(pytester, "shop", case(server.url, "GET /", "GET /status/404", "GET /status/500"))
    pytester.runpytest("--junitxml=report.xml", "-v")
    suite = ET.parse(pytester.path / "report.xml").getroot()[0]
    assert {name: suite.get(name) for name in ("tests", "failures", "errors", "skipped")} == {
        "tests": "1",
        "failures": "1",
        "errors": "0",
        "skipped": "0",
    }
    (testcase,) = suite.findall("testcase")
    (failure,) = testcase.findall("failure")
    message = failure.get("message") or ""
    assert message.startswith("404 at Home")
    assert "Status Code is 404, expected 200-399. FIX FIRST 2 of 3 GET /status/404: " in message
    assert "GET /status/404 HTTP/1.1" in (failure.text or "")
    properties = {one.get("name"): one.get("value") or "" for one in testcase.iter("property")}
    assert properties["transactions"] == "3"
    assert properties["failed"] == "2"
    assert 0 < float(properties["duration"]) < 60


@pytest.mark.parametrize("workers", ["-n0", "-n1"])
def test_reruns_replay_the_whole_case_again(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, server: Server, workers: str
) -> None:
    """pytest-rerunfailures runs a case again from its first transaction; properties stand once."""
    monkeypatch.delenv("PYTEST_ADDOPTS")  # with all plugins
    write(pytester, "shop", case(server.url, "GET /a", "GET /flaky", "GET /b"))
    server.failing["/flaky"] = 1
    result = pytester.runpytest_subprocess("--reruns=2", workers, "--junitxml=report.xml")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["*1 passed, 1 rerun*"])
    assert server.requests == ["GET /a", "GET /flaky", "GET /b"] * 2
    first, *_, last = ET.parse(pytester.path / "report.xml").getroot()[0].findall("testcase")
    facts = ["transactions", "failed", "duration"]
    assert [one.get("name") for one in last.iter("property")] == facts
    why = ["fix first", "cause", "remedy"]
    assert [one.get("name") for one in first.iter("property")] == facts + why


def test_error_of_the_tool_itself_keeps_its_traceback(
    pytester: pytest.Pytester, server: Server
) -> None:
    """What is not the case's fault is shown as any exception is."""
    pytester.makeconftest(
        """
        import pytest

        @pytest.fixture(autouse=True)
        def broken(monkeypatch):
            import pytest_loadtool.replay.user.user as user
            monkeypatch.setattr(user.VirtualUser, "act", lambda *_: 1 / 0)
        """
    )
    write(pytester, "shop", case(server.url, "GET /"))
    result = pytester.runpytest()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*conftest.py:*: ZeroDivisionError"])


@pytest.mark.parametrize("verbose", ["-q", "-v"])
def test_beside_playwright(pytester: pytest.Pytester, server: Server, verbose: str) -> None:
    """A case is replayed in a session whose browser fixtures keep an event loop running."""
    pytester.makeconftest(
        """
        import pytest
        from playwright.sync_api import sync_playwright

        @pytest.fixture(scope="session", autouse=True)
        def playwright():
            with sync_playwright() as running:
                yield running
        """
    )
    write(pytester, "good", case(server.url, "GET /a", "GET /b"))
    write(pytester, "bad", case(server.url, "GET /status/404"))
    result = pytester.runpytest_subprocess(verbose, "-W", "error")
    result.assert_outcomes(passed=1, failed=1)
    assert server.requests == ["GET /status/404", "GET /a", "GET /b"]


def test_ctrl_c_ends_a_replay(pytester: pytest.Pytester, server: Server) -> None:
    """Ctrl-C while the server is silent ends pytest as it does in any test."""
    write(pytester, "shop", case(server.url, "GET /silence", "GET /b"))
    command = [sys.executable, "-m", "pytest", "-v"]
    running = pytester.popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.STDOUT)
    try:
        assert server.busy.wait(60)
        running.send_signal(signal.SIGINT)
        output, _ = running.communicate(timeout=60)
    finally:
        running.kill()
    assert running.returncode == pytest.ExitCode.INTERRUPTED
    assert b"KeyboardInterrupt" in output
    assert server.requests == ["GET /silence"]


def test_skip_and_xfail_marks(pytester: pytest.Pytester, server: Server) -> None:
    """pytest's own marks mean on a case what they mean on any test."""
    write(pytester, "a", case(server.url, "GET /a", head='marks = ["skip"]'))
    write(pytester, "b", case(server.url, "GET /status/500", head='marks = ["xfail"]'))
    pytester.runpytest().assert_outcomes(skipped=1, xfailed=1)
    assert server.requests == ["GET /status/500"]

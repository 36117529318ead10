"""Test cases as tests: what passes, what fails, and what everything around pytest makes of it."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from tests.plugin.serving import Server, case, transaction


def write(pytester: pytest.Pytester, name: str, text: str) -> None:
    (pytester.path / f"{name}.case.toml").write_text(text, encoding="utf-8")


@pytest.mark.promise(3)
@pytest.mark.promise(65)
def test_a_case_is_replayed_once(pytester: pytest.Pytester, server: Server) -> None:
    """A case file is one test, and running it sends each of its requests exactly once, in order."""
    write(pytester, "shop", case(server.url, "GET /", "POST /echo", "GET /form?a=1"))
    result = pytester.runpytest()
    result.assert_outcomes(passed=1)
    assert server.requests == ["GET /", "POST /echo", "GET /form?a=1"]


@pytest.mark.promise(43)
@pytest.mark.promise(103)
@pytest.mark.parametrize(
    ("status", "outcome"), [(199, "failed"), (200, "passed"), (399, "passed"), (400, "failed")]
)
def test_status_without_a_word_about_it(
    pytester: pytest.Pytester, server: Server, status: int, outcome: str
) -> None:
    """A transaction that says nothing of its status passes with 200 to 399 only."""
    write(pytester, "shop", case(server.url, f"GET /status/{status}"))
    pytester.runpytest().assert_outcomes(**{outcome: 1})


def test_extracted_value_is_sent(pytester: pytest.Pytester, server: Server) -> None:
    """What an extractor took from one response goes out with a later request."""
    form = transaction("GET /form", 'extractors = [{ variable = "token", form = "token" }]')
    login = transaction(
        "POST /login",
        'headers = ["Content-Type: application/x-www-form-urlencoded"]',
        "body = 'token=${token}'",
        'validators = [{ text = "Welcome" }]',
    )
    write(pytester, "login", case(server.url, form, login))
    pytester.runpytest().assert_outcomes(passed=1)


@pytest.mark.promise(4)
def test_failure_shows_what_was_sent_and_received(
    pytester: pytest.Pytester, server: Server
) -> None:
    """The failing transaction is named with its place in the file, its reasons, its request and its
    response. There is no traceback, and the replay goes on to the end."""
    login = transaction(
        "POST /login",
        'name = "log in"',
        'headers = ["Content-Type: application/x-www-form-urlencoded"]',
        "body = 'user=ann&password=verysecretindeed'",
        'validators = [{ text = "Welcome" }]',
        'recorded = { status = 302, kind = "HTML" }',
    )
    write(pytester, "shop", case(server.url, "GET /", login, "GET /status/404", "GET /"))
    result = pytester.runpytest()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "Home * log in: Status Code is 403, expected 200-399; Search text not found: 'Welcome'",
            '"A visit to the shop": 2 of 4 transactions failed.*',
            "shop.case.toml:9: page 'Home', transaction 2 'log in'",
            "  Status Code is 403, expected 200-399",
            "  Search text not found: 'Welcome'",
            f"sent to {server.url}:",
            "  POST /login HTTP/1.1",
            "  Content-Type: application/x-www-form-urlencoded",
            "  user=ann&password=very*",
            "received after * ms:",
            "  403 Forbidden",
            "  Content-Type: text/html",
            "  *<h1>Not you</h1>*",
            "recorded: 302 Found*",
            "later failures, possible consequences of the first:",
            "  shop.case.toml:16: Home * GET /status/404: Status Code is 404, expected 200-399",
            "FAILED shop.case.toml::shop - Home * log in: *",
        ]
    )
    text = result.stdout.str()
    assert "verysecretindeed" not in text
    assert "pytest_loadtool" not in text.partition("FAILURES")[2]
    assert len(server.requests) == 4


def test_recording_beside_the_case_is_compared(pytester: pytest.Pytester, server: Server) -> None:
    """With the evidence beside it, the failure says how the answer differs from the recorded."""
    from pytest_loadtool.casefile import HarWriter
    from pytest_loadtool.model.exchange import Exchange

    with_title = "<html><head><title>Site administration</title></head><body>Hello</body></html>"
    writer = HarWriter(pytester.path / "shop.har")
    writer.append(
        Exchange(
            started=0.0,
            took=0.1,
            method="POST",
            url=f"{server.url}/login",
            http_version="HTTP/1.1",
            request_headers=(),
            request_body=b"",
            status=302,
            reason="Found",
            response_headers=(("Location", "/admin/"), ("Content-Type", "text/html")),
            response_body=with_title.encode(),
        )
    )
    writer.close()
    login = transaction("POST /login", 'recorded = { status = 302, kind = "HTML", entry = 0 }')
    write(pytester, "shop", case(server.url, login))
    result = pytester.runpytest()
    result.stdout.fnmatch_lines(
        [
            "recorded: 302 Found, now 403 Forbidden",
            "  Location: /admin/, now absent",
            "  title: 'Site administration', now 'Forbidden'",
            "  - *Site administration*",
            "  + *Forbidden*",
        ]
    )


@pytest.mark.parametrize("style", ["auto", "long", "short", "native", "line"])
def test_failure_in_each_traceback_style(
    pytester: pytest.Pytester, server: Server, style: str
) -> None:
    """Whatever --tb says, the failure is the case's own and points into the case file."""
    write(pytester, "shop", case(server.url, "GET /status/500"))
    result = pytester.runpytest(f"--tb={style}")
    result.stdout.fnmatch_lines(["*Home * GET /status/500: Status Code is 500, expected 200-399"])
    assert "Traceback" not in result.stdout.str()
    if style == "line":
        result.stdout.fnmatch_lines(["*/shop.case.toml:7: Home*"])


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
            "FAILED bad.case.toml::bad - Home * GET /status/500: Status Code is 500*",
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
    assert message.endswith("GET /status/404: Status Code is 404, expected 200-399")
    assert "GET /status/404 HTTP/1.1" in (failure.text or "")
    properties = {one.get("name"): one.get("value") or "" for one in testcase.iter("property")}
    assert properties["transactions"] == "3"
    assert properties["failed"] == "2"
    assert 0 < float(properties["duration"]) < 60


@pytest.mark.parametrize("workers", ["-n0", "-n1"])
def test_reruns_replay_the_whole_case_again(
    pytester: pytest.Pytester, server: Server, workers: str
) -> None:
    """pytest-rerunfailures runs a case again from its first transaction; properties stand once."""
    write(pytester, "shop", case(server.url, "GET /a", "GET /flaky", "GET /b"))
    server.failing["/flaky"] = 1
    result = pytester.runpytest_subprocess("--reruns=2", workers, "--junitxml=report.xml")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["*1 passed, 1 rerun*"])
    assert server.requests == ["GET /a", "GET /flaky", "GET /b"] * 2
    testcase = ET.parse(pytester.path / "report.xml").getroot()[0][0]
    names = [one.get("name") for one in testcase.iter("property")]
    assert names == ["transactions", "failed", "duration"]


FIXTURES = """
    import pytest

    @pytest.fixture(scope="session")
    def shop():
        yield "{url}/"

    @pytest.fixture
    def shop_object():
        class Shop:
            url = "{url}"
        return Shop()

    @pytest.fixture
    def nothing():
        return None

    @pytest.fixture
    def clean():
        with open("log", "a") as log:
            log.write("clean ")
            log.flush()
            yield
            log.write("done ")

    @pytest.fixture(autouse=True)
    def always():
        with open("log", "a") as log:
            log.write("always ")
"""


def test_documented_fixtures(pytester: pytest.Pytester) -> None:
    """The conftest and the keys that docs/pytest.md shows work together as they stand there."""
    page = (Path(__file__).parents[2] / "docs" / "pytest.md").read_text(encoding="utf-8")
    (python,) = re.findall(r"```python\n(# conftest.py\n.*?)```", page, re.DOTALL)
    (toml,) = re.findall(r"```toml\n(server_fixture = .*?)```", page, re.DOTALL)
    pytester.makeconftest(python)
    pytester.makepyfile(
        my_shop="""
        def application(environ, start_response):
            start_response("200 OK", [("Content-Type", "text/plain")])
            return [b"Orders: %d" % len(application.orders)]

        application.orders = ["an old one"]
        """
    )
    get = transaction("GET /", 'validators = [{ text = "Orders: 0" }]')
    write(pytester, "shop", case("", get, head=toml))
    pytester.runpytest("-W", "error").assert_outcomes(passed=1)


@pytest.mark.parametrize("fixture", ["shop", "shop_object"])
def test_fixtures_around_a_case(pytester: pytest.Pytester, server: Server, fixture: str) -> None:
    """A fixture gives the server, as a URL or an object with one; others are used around it."""
    pytester.makeconftest(FIXTURES.format(url=server.url))
    head = f'server_fixture = "{fixture}"\nfixtures = ["clean"]'
    write(pytester, "shop", case("", "GET /x", head=head))
    pytester.runpytest().assert_outcomes(passed=1)
    assert server.requests == ["GET /x"]
    assert (pytester.path / "log").read_text() == "always clean done "


def test_server_fixture_without_a_url(pytester: pytest.Pytester, server: Server) -> None:
    """A server fixture that gives no URL fails the test in one line that points to the key."""
    pytester.makeconftest(FIXTURES.format(url=server.url))
    write(pytester, "shop", case("", "GET /x", head='server_fixture = "nothing"'))
    result = pytester.runpytest()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["shop.case.toml:4: server_fixture: fixture 'nothing' should give the server's URL*None"]
    )
    assert "Traceback" not in result.stdout.str()


@pytest.mark.parametrize(
    ("head", "place"),
    [
        ('server_fixture = "shp"', "shop.case.toml:4: server_fixture: fixture 'shp' not found"),
        ('fixtures = ["clean", "shp"]', "shop.case.toml:4: fixtures: fixture 'shp' not found"),
    ],
)
def test_missing_fixture(pytester: pytest.Pytester, server: Server, head: str, place: str) -> None:
    """A fixture that does not exist is an error at setup that names the key and those there are."""
    pytester.makeconftest(FIXTURES.format(url=server.url))
    write(pytester, "shop", case(server.url, "GET /x", head=head))
    result = pytester.runpytest()
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([place, "available fixtures: *shop*"])
    assert "pytest_loadtool" not in result.stdout.str().partition("ERRORS")[2]
    assert server.requests == []


def test_command_line_names_the_server(pytester: pytest.Pytester, server: Server) -> None:
    """--loadtool-server, or its twin in the configuration file, replaces the case's server, and the
    fixture that would have started one is left alone."""
    pytester.makeconftest("import pytest\n@pytest.fixture\ndef shop():\n    raise RuntimeError")
    write(pytester, "own", case("http://127.0.0.1:9", "GET /own"))
    write(pytester, "fixture", case("", "GET /fixture", head='server_fixture = "shop"'))
    result = pytester.runpytest("--loadtool-server", f"{server.url}/")
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines([f"loadtool: server {server.url}"])
    pytester.makeini(f"[pytest]\nloadtool_server = {server.url}")
    pytester.runpytest_subprocess("-n2").assert_outcomes(passed=2)
    assert sorted(server.requests) == ["GET /fixture"] * 2 + ["GET /own"] * 2


def test_case_that_cannot_be_replayed(pytester: pytest.Pytester, server: Server) -> None:
    """A missing environment variable is one clean line, and nothing is sent."""
    get = transaction(
        "GET /x?token=${token}", "[variables]", 'token = { env = "NOT_SET_ANYWHERE" }'
    )
    write(pytester, "shop", case(server.url, get))
    result = pytester.runpytest()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["variable 'token' comes from the environment variable NOT_SET_*"])
    assert "Traceback" not in result.stdout.str()
    assert "LoadToolError" not in result.stdout.str()
    assert server.requests == []


def test_environment_values_are_masked(
    pytester: pytest.Pytester, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A value from the environment is sent in full and shown by its beginning only."""
    monkeypatch.setenv("SHOP_TOKEN", "a/secret/that/is/long")
    get = transaction(
        "GET /status/401?t=${token}",
        'headers = ["X-Thing: ${token}"]',
        "[variables]",
        'token = { env = "SHOP_TOKEN" }',
    )
    write(pytester, "shop", case(server.url, get))
    result = pytester.runpytest()
    result.assert_outcomes(failed=1)
    assert server.requests == ["GET /status/401?t=a%2Fsecret%2Fthat%2Fis%2Flong"]
    result.stdout.fnmatch_lines(["  GET /status/401?t=a%2F? *", "  X-Thing: a/se?"])
    assert "is/long" not in result.stdout.str()


def test_no_server_to_talk_to(pytester: pytest.Pytester, server: Server) -> None:
    """A server that does not answer is a failure with its cause, and says that nothing came."""
    write(pytester, "shop", case("http://127.0.0.1:9", "GET /"))
    result = pytester.runpytest()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*Home*GET /: connection refused*", "received: nothing"])


def test_error_of_the_tool_itself_keeps_its_traceback(
    pytester: pytest.Pytester, server: Server
) -> None:
    """What is not the case's fault is shown as any exception is."""
    pytester.makeconftest(
        """
        import pytest

        @pytest.fixture(autouse=True)
        def broken(monkeypatch):
            import pytest_loadtool.replay.user as user
            monkeypatch.setattr(user.VirtualUser, "iteration", lambda *_: 1 / 0)
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
    """Ctrl-C in the middle of a long think time ends pytest as it does in any test."""
    text = case(server.url, "GET /a").replace('"Home"', '"Home"\nthink_time = "1h"')
    write(pytester, "shop", text + '\n[[page]]\nname = "Next"\n' + transaction("GET /b"))
    command = [sys.executable, "-m", "pytest", "-v"]
    with pytester.popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.STDOUT) as running:
        assert server.busy.wait(60)
        running.send_signal(signal.SIGINT)
        output, _ = running.communicate(timeout=60)
    assert running.returncode == pytest.ExitCode.INTERRUPTED
    assert b"KeyboardInterrupt" in output


def test_skip_and_xfail_marks(pytester: pytest.Pytester, server: Server) -> None:
    """pytest's own marks mean on a case what they mean on any test."""
    write(pytester, "a", case(server.url, "GET /a", head='marks = ["skip"]'))
    write(pytester, "b", case(server.url, "GET /status/500", head='marks = ["xfail"]'))
    pytester.runpytest().assert_outcomes(skipped=1, xfailed=1)
    assert server.requests == ["GET /status/500"]


def test_dataset_rows_start_at_the_first(pytester: pytest.Pytester, server: Server) -> None:
    """Each run takes the first row of a dataset, so that two runs are the same."""
    (pytester.path / "users.csv").write_text("name\nann\nbob\n")
    get = transaction("GET /u?n=${users.name}", "[datasets.users]", 'file = "users.csv"')
    write(pytester, "shop", case(server.url, get))
    pytester.runpytest().assert_outcomes(passed=1)
    pytester.runpytest().assert_outcomes(passed=1)
    assert server.requests == ["GET /u?n=ann"] * 2


def test_think_time_can_be_left_out(pytester: pytest.Pytester, server: Server) -> None:
    """--loadtool-think-time cuts an hour of recorded thinking to nothing, or to what it says."""
    first = case(server.url, "GET /a", head="").replace(
        'name = "Home"', 'name = "Home"\nthink_time = "1h"'
    )
    write(pytester, "shop", first + '\n[[page]]\nname = "Next"\n' + transaction("GET /b"))
    pytester.runpytest_inprocess("--loadtool-think-time=none").assert_outcomes(passed=1)
    pytester.runpytest_inprocess("--loadtool-think-time=1ms").assert_outcomes(passed=1)
    pytester.makeini("[pytest]\nloadtool_think_time = none")
    pytester.runpytest_inprocess().assert_outcomes(passed=1)
    assert server.requests == ["GET /a", "GET /b"] * 3

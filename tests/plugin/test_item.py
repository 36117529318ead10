"""A test case as a test: what is sent where, what passes, and what a failure says."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from pytest_loadtool.diagnosis.outcome import SEPARATOR
from tests.plugin.serving import Server, case, transaction, write


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


@pytest.mark.promise(121)
def test_statuses_that_are_expected(pytester: pytest.Pytester, server: Server) -> None:
    """They pass, and nothing more is said of them: redirects around a login, too."""
    expected = (200, 201, 204, 302, 303, 304)
    recorded = "recorded = {{ status = {0} }}"
    every = (transaction(f"GET /status/{one}", recorded.format(one)) for one in expected)
    write(pytester, "shop", case(server.url, *every))
    result = pytester.runpytest()
    result.assert_outcomes(passed=1)
    assert len(server.requests) == len(expected)
    assert "FIX FIRST" not in result.stdout.str()
    assert "recorded" not in result.stdout.str()


@pytest.mark.parametrize("arguments", [(), ("-n", "1")])
def test_a_redirect_in_place_of_a_page_is_told(
    pytester: pytest.Pytester, server: Server, arguments: tuple[str, ...]
) -> None:
    """It passes, as 302 is a success, but it may be to a login: the run says so at its end, in
    workers, too; the failure of another test says it itself. As recorded, nothing is said."""
    moved = transaction("GET /status/302", "recorded = { status = 200 }")
    kept = transaction("GET /status/303", "recorded = { status = 302 }")
    write(pytester, "moved", case(server.url, moved, kept))
    write(pytester, "kept", case(server.url, kept, "GET /status/302"))
    write(pytester, "later", case(server.url, moved, "GET /status/404"))
    result = pytester.runpytest_subprocess("--junitxml=out.xml", *arguments)
    result.assert_outcomes(passed=2, failed=1)
    said = f"Home{SEPARATOR}GET /status/302: 302 where 200 was recorded"
    lines = [one for one in result.outlines if "302 where 200 was recorded" in one]
    assert [one for one in lines if one.startswith("loadtool: ")] == [
        f"loadtool: moved.case.toml::moved passed, but not as recorded: {said}"
    ]
    assert "           later.case.toml:7" in result.outlines
    cause = "  cause    1 GET /status/302 passed before, but not as recorded: 302 where 200"
    assert cause in result.outlines
    tree = ElementTree.parse(pytester.path / "out.xml")
    path = "testcase[@name='moved']/properties/property[@name='not as recorded']"
    assert [one.get("value") for one in tree.iterfind(f".//{path}")] == [said]


@pytest.mark.parametrize("arguments", [(), ("-n", "1")])
def test_what_is_taken_by_its_place_is_told(
    pytester: pytest.Pytester, server: Server, arguments: tuple[str, ...]
) -> None:
    """With the extractor's own line, whether the test passes or fails; in workers, too."""
    form = transaction(
        "GET /form",
        "extractors = [",
        '  { variable = "first", form = "token" },',
        '  { variable = "token", form = "token", by_place = true },',
        "]",
    )
    write(pytester, "listed", case(server.url, form))
    write(pytester, "red", case(server.url, form, "GET /status/404"))
    write(pytester, "named", case(server.url, form.replace(", by_place = true", "")))
    result = pytester.runpytest_subprocess(*arguments)
    result.assert_outcomes(passed=2, failed=1)
    lines = (pytester.path / "listed.case.toml").read_text().splitlines()
    line = next(number for number, one in enumerate(lines, 1) if "by_place" in one)
    assert sorted(one for one in result.outlines if one.startswith("loadtool: ")) == [
        f"loadtool: {one}.case.toml::{one}: taken by its place in the list: line {line} (token)"
        for one in ("listed", "red")
    ]


def test_what_is_taken_by_its_place_fails_if_strict(
    pytester: pytest.Pytester, server: Server
) -> None:
    """It may be somebody else's, whatever the answers are."""
    source = 'extractors = [{ variable = "token", form = "token", by_place = true }]'
    write(pytester, "listed", case(server.url, transaction("GET /form", source)))
    pytester.runpytest().assert_outcomes(passed=1)
    result = pytester.runpytest("--loadtool-strict")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*${token} is taken by its place in the list: form field*"])


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
            "FIX FIRST  2 of 4  Home * log in  403, expected 200-399",
            "           shop.case.toml:9",
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
            "FAILED shop.case.toml::shop - 403 at Home * log in (2 of 4): *",
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
    expected = "shop.case.toml:*: variables.token.env: the environment variable NOT_SET_ANYWHERE *"
    result.stdout.fnmatch_lines([expected])
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
    result.stdout.fnmatch_lines(
        ["  because  connection refused*", "received: nothing", "*no response at Home*"]
    )


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


def test_the_time_for_a_request(pytester: pytest.Pytester) -> None:
    """--loadtool-timeout is a time above nothing."""
    for wrong, said in (("soon", "expected a duration"), ("0s", "a time above 0")):
        result = pytester.runpytest_inprocess(f"--loadtool-timeout={wrong}")
        assert result.ret == pytest.ExitCode.USAGE_ERROR
        result.stderr.fnmatch_lines([f"*--loadtool-timeout: {said}*"])

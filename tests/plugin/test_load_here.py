"""Load tests in pytest's own process."""

from __future__ import annotations

import re
import signal
from xml.etree import ElementTree

import pytest

from pytest_loadtool.plugin.load.outcome import EXIT_INCONCLUSIVE
from tests.plugin.loading import Project, all_output, load, wait_until
from tests.plugin.serving import Server, case, transaction


@pytest.fixture
def project(pytester: pytest.Pytester, server: Server) -> Project:
    """A case that passes and one that fails, without load configurations."""
    project = Project(pytester.path, pytester)
    project.write(
        good__case__toml=case(server.url, "GET /", "GET /two"),
        bad__case__toml=case(server.url, "GET /", "GET /status/500").replace("A visit", "A fall"),
    )
    return project


@pytest.mark.promise(3, 127, 128, 129, 130)
@pytest.mark.parametrize("without", [[], ["-p", "no:xdist"]])
def test_report_and_file_have_what_the_server_saw(
    project: Project, server: Server, without: list[str]
) -> None:
    """Each request that reached the server is in the numbers, once; pytest ends with 0."""
    project.write(rush__load__toml=load("good.case.toml"))
    done = project.run("--load", "--load-json", "out.json", *without)
    assert done.returncode == 0, done.stdout
    assert "rush.load.toml ." in done.stdout
    data = project.json()
    assert data["verdict"] == "passed"
    assert data["totals"]["requests"] == len(server.requests) > 0
    assert data["totals"]["status"] == {"200": len(server.requests)}
    assert data["totals"]["errors"] == 0
    for row in data["transactions"]:
        target = row["name"]
        assert row["requests"] == server.requests.count(target)
    totals = data["totals"]
    rate = totals["requests"] / totals["duration_s"]
    assert totals["throughput_rps"] == pytest.approx(rate, abs=0.01)
    assert 0 < totals["response_time_ms"]["p50"] <= totals["response_time_ms"]["p95"]
    report = done.stdout[done.stdout.index("load test results") :]
    requests = f"{len(server.requests):,}"
    assert re.search(rf"throughput .*\({requests} requests in", report)
    assert re.search(rf"error rate +0 % \(0 of {requests} requests", report)
    assert re.search(rf"status codes +200: {requests}\n", report)
    assert re.search(r"average +median +p95", report)
    assert "Rush hour" in report
    assert "PASSED" in report


@pytest.mark.promise(3, 129, 130)
def test_errors_fail_the_test_with_the_reason_and_no_traceback(
    project: Project, server: Server
) -> None:
    """Errors beyond the allowed rate fail the test; what failed is listed, for JUnit, too."""
    project.write(rush__load__toml=load("bad.case.toml"))
    done = project.run("--load", "--junitxml", "junit.xml", "--load-json", "out.json")
    assert done.returncode == 1
    errors = server.requests.count("GET /status/500")
    reason = f"{errors:,} of {len(server.requests):,} requests failed, 0 % allowed"
    assert f"load test failed: error rate 50 %: {reason}" in done.stdout
    assert "Traceback" not in done.stdout
    assert "pytest_loadtool" not in done.stdout
    assert re.search(r"^FAILED rush.load.toml::rush - load test failed", done.stdout, re.MULTILINE)
    assert done.stdout.count(reason) == 2, "in the failure and in the report"
    assert "FIX FIRST  500  Home" in done.stdout
    suite = ElementTree.parse(project.path / "junit.xml").getroot()[0]
    (test,) = suite
    assert suite.attrib["failures"] == "1"
    failure = test.find("failure")
    assert failure is not None
    assert reason in failure.attrib["message"]
    assert "FIX FIRST  500  Home" in (failure.text or "")
    properties = {one.attrib["name"]: one.attrib["value"] for one in test.iter("property")}
    assert properties["load_verdict"] == "failed"
    assert properties["load_requests"] == str(len(server.requests))


@pytest.mark.promise(129)
def test_errors_within_the_allowed_rate_pass(project: Project) -> None:
    """The load configuration may allow a rate of errors."""
    project.write(rush__load__toml=load("bad.case.toml", more='max_error_rate = "60%"'))
    done = project.run("--load", "--load-json", "out.json")
    assert done.returncode == 0, done.stdout
    assert project.json()["totals"]["error_rate"] == pytest.approx(0.5, abs=0.1)


def test_inconclusive_is_not_passed(project: Project) -> None:
    """With one user for two cases the second is never run: the test fails, and says it so."""
    project.write(rush__load__toml=load("good.case.toml", "bad.case.toml", users=1))
    done = project.run("--load")
    assert done.returncode == EXIT_INCONCLUSIVE
    assert "load test inconclusive: test case 'A fall to the shop' finished no request" in (
        done.stdout
    )


def test_too_few_rows_fail_before_the_first_request(project: Project, server: Server) -> None:
    """What can be known before the start is one clean failure, and no request is sent."""
    project.write(
        users__csv="name\nanna\nberta\n",
        rows__case__toml=case(
            server.url,
            transaction("GET /?u=${users.name}"),
            head='[datasets.users]\nfile = "users.csv"\nsharable = false\n',
        ),
        rush__load__toml=load("rows.case.toml"),
    )
    done = project.run("--load", "--load-json", "out.json")
    assert done.returncode == 1
    assert "dataset 'users' (users.csv) has 2 rows for 4 users" in done.stdout
    assert "Traceback" not in done.stdout
    assert server.requests == []
    assert project.json() == {"format": 2, "runs": []}


@pytest.mark.parametrize("workers", [[], ["-n", "2"]])
def test_rows_that_run_out_end_the_run(
    project: Project, server: Server, workers: list[str]
) -> None:
    """What turns out on the way ends the run early: inconclusive, with the numbers until then."""
    project.write(
        users__csv="name\n" + "anna\n" * 6,
        rows__case__toml=case(
            server.url,
            transaction("GET /?u=${users.name}"),
            head='[datasets.users]\nfile = "users.csv"\nreusable = false\n',
        ),
        rush__load__toml=load("rows.case.toml"),
    )
    done = project.run("--load", "--load-json", "out.json", *workers)
    assert done.returncode == EXIT_INCONCLUSIVE
    assert "could not do its share: dataset 'users' has no row left" in done.stdout
    assert "Traceback" not in done.stdout
    totals = project.json()["totals"]
    finished, cut = totals["requests"], totals["cut_requests"]
    assert finished <= len(server.requests) <= finished + cut <= 6


@pytest.mark.parametrize(
    ("workers", "file", "text", "message"),
    [
        ([], "rush.load.toml", load("good.case.toml", more="user = 3"), "rush.load.toml:5: user:"),
        ([], "rush.load.toml", load("god.case.toml"), "did you mean 'good.case.toml'?"),
        ([], "good.case.toml", "format = 1\nname = 3\n", "good.case.toml:2: name:"),
        (["-n", "2"], "good.case.toml", "format = 1\nname = 3\n", "good.case.toml:2: name:"),
    ],
    ids=["load file", "missing case", "case file", "workers"],
)
def test_wrong_file_is_one_collection_error(
    project: Project, server: Server, workers: list[str], file: str, text: str, message: str
) -> None:
    """The error says where and what, once, without a traceback; nothing else is run."""
    project.write(rush__load__toml=load("good.case.toml"), alone__load__toml=load("bad.case.toml"))
    (project.path / file).write_text(text, encoding="utf-8")
    done = project.run("--load", *workers)
    assert done.returncode == pytest.ExitCode.INTERRUPTED, done.stdout
    assert message in done.stdout
    assert done.stdout.count("ERROR collecting rush.load.toml") == 1
    assert "Traceback" not in done.stdout
    assert "1 error" in done.stdout
    assert server.requests == []


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("no/where.json", "there is no directory"),
        (".", "is a directory"),
        ("/dev/null", "ordinary"),
    ],
)
def test_file_that_cannot_be_written_is_refused_before_the_run(
    project: Project, server: Server, target: str, message: str
) -> None:
    """A usage error, not an hour of load for nothing."""
    project.write(rush__load__toml=load("good.case.toml"))
    done = project.run("--load", "--load-json", target)
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert f"--load-json: {target}" in done.stdout or f"--load-json: {message}" in done.stdout
    assert message in done.stdout
    assert server.requests == []


@pytest.mark.parametrize("workers", [[], ["-n", "2"]])
def test_nothing_to_run_says_so(project: Project, workers: list[str]) -> None:
    """Without a load configuration pytest ends with its status for that, and with the reason."""
    done = project.run("--load", *workers)
    assert done.returncode == pytest.ExitCode.NO_TESTS_COLLECTED
    assert "no load test found: --load runs *.load.toml files" in done.stdout


def test_several_load_tests_run_one_after_the_other(project: Project, server: Server) -> None:
    """Each is a test of its own: listed, selected with -k, and ended by -x like any other."""
    for name, cases in {"a": "bad", "b": "good", "c": "good"}.items():
        text = load(f"{cases}.case.toml", name=f"Run {name}", duration="300ms")
        project.write(**{f"{name}__load__toml": text})

    listed = project.run("--load", "--collect-only", "-q")
    assert listed.returncode == 0
    assert [line for line in listed.stdout.splitlines() if "::" in line] == [
        "a.load.toml::a",
        "b.load.toml::b",
        "c.load.toml::c",
    ]
    assert server.requests == []

    all_of_them = project.run("--load", "-v", "--load-json", "out.json")
    assert all_of_them.returncode == 1
    assert re.search(r"a.load.toml::a FAILED", all_of_them.stdout)
    assert re.search(r"b.load.toml::b PASSED", all_of_them.stdout)
    runs = project.json()["runs"]
    assert [run["name"] for run in runs] == ["Run a", "Run b", "Run c"]
    assert sum(run["totals"]["requests"] for run in runs) == len(server.requests)

    chosen = project.run("--load", "-k", "b", "--load-json", "out.json")
    assert chosen.returncode == 0
    assert project.json()["name"] == "Run b"

    first = project.run("--load", "-x", "--load-json", "out.json")
    assert first.returncode == 1
    assert "stopping after 1 failures" in first.stdout
    assert project.json()["name"] == "Run a"


def test_fixtures_are_those_that_the_cases_name(project: Project, server: Server) -> None:
    """The server's URL comes from a fixture: set up before the load, taken down after it."""
    project.write(
        conftest__py=f"""
import pytest

@pytest.fixture(scope="session")
def shop():
    print("shop is opened")
    yield "{server.url}"
    print("shop is closed")

@pytest.fixture
def stock():
    print("stock is filled")
""",
        shop__case__toml=case("", "GET /", head='server_fixture = "shop"\nfixtures = ["stock"]'),
        rush__load__toml=load("shop.case.toml", duration="300ms"),
    )
    done = project.run("--load", "-s")
    assert done.returncode == 0, done.stdout
    places = [
        done.stdout.index(text)
        for text in ("shop is opened", "stock is filled", "shop is closed", "load test results")
    ]
    assert places == sorted(places)
    assert server.requests

    elsewhere = project.run("--load", "-s", "--loadtool-server", server.url)
    assert elsewhere.returncode == 0
    assert "shop is opened" not in elsewhere.stdout
    assert "stock is filled" in elsewhere.stdout


@pytest.mark.parametrize(
    ("head", "message"),
    [
        ('server_fixture = "shpo"', "shop.case.toml:4: server_fixture: fixture 'shpo' not found"),
        ('fixtures = ["missing"]', "shop.case.toml:4: fixtures: fixture 'missing' not found"),
        ('server_fixture = "number"', "shop.case.toml:4: server_fixture: fixture 'number' should"),
    ],
    ids=["server_fixture", "fixtures", "no URL"],
)
def test_wrong_fixture_names_the_case_file(project: Project, head: str, message: str) -> None:
    """A fixture that is not there, or gives no URL, is the case file's error, with its line."""
    project.write(
        conftest__py="import pytest\n@pytest.fixture\ndef number():\n    return 7\n",
        shop__case__toml=case("http://127.0.0.1:9", "GET /", head=head),
        rush__load__toml=load("shop.case.toml"),
    )
    done = project.run("--load")
    assert done.returncode == 1
    assert message in done.stdout
    assert "load_item.py" not in done.stdout


def test_interrupt_keeps_the_numbers(project: Project, server: Server) -> None:
    """Ctrl-C stops the load at once; what was measured is reported and written, with status 2."""
    project.write(rush__load__toml=load("good.case.toml", duration="600s"))
    with project.running("--load", "--load-json", "out.json") as process:
        wait_until(lambda: len(server.requests) > 50)
        process.send_signal(signal.SIGINT)
        output = all_output(process)
    assert process.returncode == pytest.ExitCode.INTERRUPTED, output
    data = project.json()
    assert data["verdict"] == "inconclusive"
    assert data["reasons"][0].startswith("stopped after")
    seen = len(server.requests)
    cut = data["totals"]["cut_requests"]
    assert seen - cut <= data["totals"]["requests"] <= seen
    assert "load test results" in output
    assert "KeyboardInterrupt" in output


def test_other_files_are_left_alone(project: Project) -> None:
    """A load generator does not import the Python tests that lie about."""
    project.write(
        rush__load__toml=load("good.case.toml", duration="200ms"),
        test_broken__py="raise RuntimeError('imported')\n",
    )
    done = project.run("--load")
    assert done.returncode == 0, done.stdout
    assert "1 passed" in done.stdout

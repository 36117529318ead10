"""The options: what they say of themselves, and what is refused before anything runs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from pytest_loadtool.plugin import option_table
from tests.plugin.serving import case

NOWHERE = "http://127.0.0.1:9"


@pytest.fixture
def project(pytester: pytest.Pytester) -> pytest.Pytester:
    """A folder with a test case, a load configuration and a Python test."""
    (pytester.path / "shop.case.toml").write_text(case(NOWHERE, "GET /"))
    (pytester.path / "week.load.toml").write_text(
        'format = 1\nname = "x"\nusers = 1\nduration = "1s"\n[[case]]\nfile = "shop.case.toml"\n'
    )
    pytester.makepyfile(test_python="def test_python(): pass")
    return pytester


def test_help_explains_each_option(pytester: pytest.Pytester) -> None:
    """pytest --help has a group of its own for the options, and says what the twins in the
    configuration file mean."""
    result = pytester.runpytest("--help")
    assert result.ret == 0
    for option in (
        "--record=",
        "--record-url=",
        "--record-browser=",
        "--record-script=",
        "--record-reset=",
        "--record-port=",
        "--record-only=",
        "--record-block=",
        "--record-block-trackers",
        "--record-from-tests=",
        "--record-replace",
        "--load ",
        "--load-json=",
        "--load-csv=",
        "--load-hdr=",
        "--load-samples=",
        "--load-top=",
        "--load-save=",
        "--load-compare=",
        "--load-tolerance=",
        "--loadtool-server=",
        "--loadtool-app=",
        "--loadtool-transport={raw,httpx}",
        "--proxy-url=",
        "--loadtool-think-time=",
        "record_browser (string):",
        "record_port (string):",
        "record_only (args):",
        "record_grouping (string):",
        "record_activity_threshold (string):",
        "loadtool_server (string):",
        "loadtool_app (string):",
        "loadtool_transport (string):",
        "loadtool_proxy (string):",
        "loadtool_think_time (string):",
    ):
        assert f"  {option}" in result.stdout.str().replace("--record=[FILE]", "--record=FILE"), (
            option
        )


def test_documentation_names_each_option() -> None:
    """docs/pytest.md lists every option, and its twin in the configuration file."""
    page = (Path(__file__).parents[2] / "docs" / "pytest.md").read_text(encoding="utf-8")
    for name in [*option_table.OPTIONS, *option_table.TWINS, *option_table._PREFERENCES]:
        assert f"`{name}" in page


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--record-url=http://x"], "--record-url means nothing without --record"),
        (["--record-port=1"], "--record-port means nothing without --record"),
        (["--record-replace"], "--record-replace means nothing without --record-from-tests"),
        (
            ["--record-block=x"],
            "--record-block means nothing without --record or --record-from-tests",
        ),
        (["--record-from-tests=x", "--load"], "--record-from-tests and --load: one records *"),
        (["--record-from-tests=shop.case.toml"], "--record-from-tests: *is not a directory"),
        (["--load-json=x"], "--load-json means nothing without --load"),
        (["--record", "--load"], "--record and --load: *"),
        (["--loadtool-server=shop"], "--loadtool-server: expected http://host:port *, got 'shop'"),
        (
            ["--loadtool-server=http://h/x"],
            "--loadtool-server: *nothing after it, got 'http://h/x'",
        ),
        (["--loadtool-server=http://h:99999"], "--loadtool-server: expected http://host:port *"),
        (["--record", "--record-port=http"], "--record-port: expected a number *, got 'http'"),
        (
            ["--proxy-url=ftp://alice:secret1@proxy"],
            "--proxy-url: expected http://host:port or https://host:port, got 'ftp://…@proxy'; or "
            "'environment', or 'none'",
        ),
        (["--proxy-url=socks5://x"], "--proxy-url: SOCKS proxies are not supported, got *"),
        (["--loadtool-think-time=fast"], "--loadtool-think-time: 'recorded', 'none' or a time: *"),
        (["week.load.toml"], "week.load.toml is a load configuration: run it with pytest --load *"),
        (["--load", "shop.case.toml"], "shop.case.toml is no load configuration: *"),
        (["--load", "test_python.py"], "test_python.py is no load configuration: *"),
        (["--load", "test_python.py::test_python"], "test_python.py is no load configuration: *"),
    ],
)
def test_usage_errors(project: pytest.Pytester, arguments: list[str], message: str) -> None:
    """What contradicts itself, or would pass over a named file in silence, ends pytest with
    status 4 and a line that says what to do."""
    result = project.runpytest(*arguments)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: {message}"])
    assert "Traceback" not in result.stderr.str()


def test_a_proxy_of_the_environment_that_is_none(
    project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is refused where it is asked for, by its variable's name, and left alone elsewhere."""
    monkeypatch.delenv("https_proxy", raising=False)  # it would come first
    monkeypatch.setenv("HTTPS_PROXY", "http://alice:secret1@proxy:port")
    result = project.runpytest("--proxy-url=environment")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(
        [
            "ERROR: --proxy-url: environment variable HTTPS_PROXY: expected http://host:port or "
            "https://host:port, got 'http://…@proxy:port'"
        ]
    )
    project.runpytest("test_python.py").assert_outcomes(passed=1)


def test_twins_are_for_runs_that_use_them(project: pytest.Pytester) -> None:
    """Settings for recording in the configuration file do not disturb an ordinary run."""
    project.makeini("[pytest]\nrecord_browser = none\nrecord_port = 8080")
    result = project.runpytest("test_python.py")
    result.assert_outcomes(passed=1)
    project.makeini("[pytest]\nrecord_port = many")
    result = project.runpytest("test_python.py")
    result.stderr.fnmatch_lines(["ERROR: --record-port: expected a number up to 65535, got 'many'"])


def test_load_collects_load_configurations_only(project: pytest.Pytester) -> None:
    """Under --load neither Python tests nor test cases are collected; without it, no load tests."""
    result = project.runpytest("--load", "--collect-only", "-q")
    assert [line for line in result.outlines if "::" in line] == ["week.load.toml::week"]
    result = project.runpytest("--collect-only", "-q")
    collected = [line for line in result.outlines if "::" in line]
    assert collected == ["shop.case.toml::shop", "test_python.py::test_python"]


def test_record_opens_the_console_instead_of_tests(project: pytest.Pytester) -> None:
    """--record runs no test; its exit status is the console's (5: nothing was recorded)."""
    (project.path / "commands").write_text("help\n")
    result = project.runpytest_subprocess("--record", "new.case.toml", "--record-script=commands")
    assert "test session starts" not in result.stdout.str()
    assert result.ret == pytest.ExitCode.NO_TESTS_COLLECTED


def test_plugin_can_be_switched_off(project: pytest.Pytester) -> None:
    """-p no:loadtool leaves nothing of it: no options, no tests."""
    result = project.runpytest_subprocess("-p", "no:loadtool", "--collect-only", "-q")
    assert [line for line in result.outlines if "::" in line] == ["test_python.py::test_python"]
    result = project.runpytest_subprocess("-p", "no:loadtool", "--load")
    result.stderr.fnmatch_lines(["*unrecognized arguments: --load*"])


def test_idle_plugin_imports_next_to_nothing() -> None:
    """Loading the plugin, and a run without its files, imports three of its modules and none
    of the libraries that it stands on."""
    program = (
        "import sys, pytest\n"
        "before = set(sys.modules)\n"
        "import pytest_loadtool.plugin\n"
        "print(*sorted(set(sys.modules) - before))\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    )
    assert result.stdout.split() == [
        "pytest_loadtool",
        "pytest_loadtool.plugin",
        "pytest_loadtool.plugin.option_table",
    ]


def test_run_without_cases_stays_light(pytester: pytest.Pytester) -> None:
    """A project that has no files for it pays for the options only, to the end of the run."""
    pytester.makeconftest(
        """
        import sys

        def pytest_unconfigure(config):
            ours = sorted(name for name in sys.modules if name.startswith("pytest_loadtool"))
            print("LOADED", *ours)
        """
    )
    pytester.makepyfile("def test_python(): pass")
    (pytester.path / "other.toml").write_text("")
    result = pytester.runpytest_subprocess("-v")
    result.stdout.fnmatch_lines(
        ["LOADED pytest_loadtool pytest_loadtool.plugin pytest_loadtool.plugin.option_table"]
    )


def test_a_cluster_and_workers_cannot_both_make_the_load(project: pytest.Pytester) -> None:
    """``--load-on`` with ``-n`` is refused, from the configuration file, too; ``-n 0`` is none."""
    for given in (["--load-on", "dask:2"], ["-o", "load_on=dask:2"]):
        refused = project.runpytest_subprocess("--load", "-n", "2", *given)
        assert refused.ret == pytest.ExitCode.USAGE_ERROR
        refused.stderr.fnmatch_lines(["*--load-on dask:2: workers of pytest-xdist would make*"])
    listed = project.runpytest_subprocess("--load", "-n", "0", "--load-on", "x", "--collect-only")
    assert listed.ret == 0

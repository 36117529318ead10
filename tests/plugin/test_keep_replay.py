"""`--loadtool-keep-replay`: which tests leave a file behind."""

from __future__ import annotations

import pytest

from pytest_loadtool.casefile.har.replay import read_replay
from pytest_loadtool.workflow.keeping import kept_replays
from tests.plugin.serving import Server, case, write


def kept(pytester: pytest.Pytester) -> dict[str, int]:
    """How many replays of each test case are there."""
    return {
        name: len(kept_replays(pytester.path / f"{name}.case.toml")) for name in ("good", "bad")
    }


@pytest.fixture
def cases(pytester: pytest.Pytester, server: Server) -> pytest.Pytester:
    """One test case that passes, one that fails."""
    write(pytester, "good", case(server.url, "GET /a"))
    write(pytester, "bad", case(server.url, "GET /b", "GET /status/500"))
    return pytester


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ((), {"good": 0, "bad": 0}),
        (("--loadtool-keep-replay=no",), {"good": 0, "bad": 0}),
        (("--loadtool-keep-replay=failed",), {"good": 0, "bad": 1}),
        (("--loadtool-keep-replay=all",), {"good": 1, "bad": 1}),
        (("--loadtool-keep-replay",), {"good": 1, "bad": 1}),
    ],
)
def test_what_is_kept(
    cases: pytest.Pytester, options: tuple[str, ...], expected: dict[str, int]
) -> None:
    """Nothing, what failed, or all."""
    result = cases.runpytest(*options)
    result.assert_outcomes(passed=1, failed=1)
    assert kept(cases) == expected
    named = [line for line in result.outlines if line.startswith("  pytest --record bad")]
    assert len(named) == expected["bad"]


def test_in_the_configuration_file(cases: pytest.Pytester) -> None:
    """The option goes before it; another word is refused."""
    cases.makeini("[pytest]\nloadtool_keep_replay = failed")
    cases.runpytest()
    assert kept(cases) == {"good": 0, "bad": 1}
    cases.runpytest("--loadtool-keep-replay=no")
    assert kept(cases) == {"good": 0, "bad": 1}
    cases.makeini("[pytest]\nloadtool_keep_replay = always")
    result = cases.runpytest()
    result.stderr.fnmatch_lines(["*loadtool_keep_replay: expected no, failed or all, got 'always'"])


def test_workers_keep_it_too(cases: pytest.Pytester) -> None:
    """Under pytest-xdist; the failure names the file, which has what it says."""
    result = cases.runpytest_subprocess("-n2", "--loadtool-keep-replay=failed")
    result.assert_outcomes(passed=1, failed=1)
    [file] = kept_replays(cases.path / "bad.case.toml")
    name = file.relative_to(cases.path)
    result.stdout.fnmatch_lines(
        [f"kept: {name}", f"  pytest --record bad.case.toml --replay-har {name}"]
    )
    replay = read_replay(file)
    assert [one.outcome for one in replay.transactions] == ["passed", "failed"]
    assert replay.ending == "finished"


def test_test_that_ends_before_it_asks_for_anything(
    pytester: pytest.Pytester, server: Server
) -> None:
    """The application does not start: no request is kept, but what ended it is."""
    (pytester.path / "broken.py").write_text(
        "async def app(scope, receive, send):\n"
        "    await receive()\n"
        "    await send({'type': 'lifespan.startup.failed', 'message': 'no database'})\n"
    )
    write(pytester, "bad", case("", "GET /", head='app = "broken:app"'))
    pytester.runpytest("--loadtool-keep-replay=failed").assert_outcomes(failed=1)
    [file] = kept_replays(pytester.path / "bad.case.toml")
    replay = read_replay(file)
    assert replay.ending == "error"
    assert "no database" in replay.problem
    assert [one.outcome for one in replay.transactions] == ["never sent"]


def test_it_fails_no_test_that_cannot_be_kept(cases: pytest.Pytester) -> None:
    """It is told at the end."""
    (cases.path / "good.replays").write_text("")
    result = cases.runpytest("--loadtool-keep-replay=all", "good.case.toml")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["loadtool: good.case.toml::good: replay not kept: *file exists"])


def test_name_of_a_file_is_no_value(cases: pytest.Pytester) -> None:
    """What follows the option is its value: who means a file is told what to type."""
    result = cases.runpytest("--loadtool-keep-replay", "good.case.toml")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*if that is a file: --loadtool-keep-replay=all good.case.toml"])

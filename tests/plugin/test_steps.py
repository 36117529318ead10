"""Transactions as steps: shown with -v as they finish, silent otherwise, and no reports."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.plugin.serving import Server, case

STEPS = [
    "    200  *ms  passed  Home * GET /a",
    "    404  *ms  failed  Home * GET /status/404: Status Code is 404, expected 200-399",
    "    200  *ms  passed  Home * GET /b",
]


@pytest.fixture
def shop(pytester: pytest.Pytester, server: Server) -> pytest.Pytester:
    """A project with a test case of three transactions, the second of which fails."""
    text = case(server.url, "GET /a", "GET /status/404", "GET /b")
    (pytester.path / "shop.case.toml").write_text(text)
    return pytester


@pytest.mark.promise(4)
def test_verbose_shows_each_transaction(shop: pytest.Pytester) -> None:
    """With -v there is a line for each transaction, in order, between the test and its outcome."""
    result = shop.runpytest("-v")
    result.stdout.fnmatch_lines(
        ["shop.case.toml::shop*", *STEPS, "shop.case.toml::shop FAILED*100%*"], consecutive=True
    )
    result.assert_outcomes(failed=1)


def test_steps_are_not_captured_output(shop: pytest.Pytester) -> None:
    """The lines go to the terminal: they are not shown again as the test's output."""
    result = shop.runpytest("-v", "-rA")
    assert "Captured" not in result.stdout.str()
    assert result.stdout.str().count("passed  Home") == 2


@pytest.mark.parametrize("arguments", [(), ("-q",), ("-p", "no:terminal"), ("-s",)])
def test_silent_unless_verbose(shop: pytest.Pytester, arguments: tuple[str, ...]) -> None:
    """Without -v, transactions are not listed."""
    assert "passed  Home" not in shop.runpytest(*arguments).stdout.str()


@pytest.mark.parametrize("arguments", [("-v", "-s"), ("-v", "-p", "no:capture")])
def test_verbose_without_capturing(shop: pytest.Pytester, arguments: tuple[str, ...]) -> None:
    """Steps are shown as well where pytest captures nothing."""
    shop.runpytest(*arguments).stdout.fnmatch_lines(STEPS)


def test_steps_of_a_worker_are_shown_together(shop: pytest.Pytester) -> None:
    """Under pytest-xdist the lines follow their test's outcome, never mixed with another's."""
    other = (shop.path / "shop.case.toml").read_text()
    (shop.path / "other.case.toml").write_text(other.replace('"Home"', '"Other"'))
    result = shop.runpytest_subprocess("-n2", "-v")
    result.assert_outcomes(failed=2)
    for name, page in (("shop", "Home"), ("other", "Other")):
        result.stdout.fnmatch_lines(
            [f"*FAILED {name}.case.toml::{name}*", *(one.replace("Home", page) for one in STEPS)],
            consecutive=True,
        )


@pytest.mark.parametrize("workers", ["-n0", "-n1"])
def test_documented_way_to_the_steps(shop: pytest.Pytester, workers: str) -> None:
    """A conftest finds the transactions on the test's report, as docs/pytest.md shows."""
    page = (Path(__file__).parents[2] / "docs" / "pytest.md").read_text(encoding="utf-8")
    (hook,) = re.findall(r"```python\n(def pytest_runtest_logreport.*?)```", page, re.DOTALL)
    shop.makeconftest(hook)
    result = shop.runpytest_subprocess(workers, "-q", "-s")
    result.stdout.fnmatch_lines(
        [
            "*Home GET /a 200 *",
            "Home GET /status/404 404 * Status Code is 404, expected 200-399",
            "Home GET /b 200 *",
        ]
    )


def test_skipped_case_has_no_steps(shop: pytest.Pytester, server: Server) -> None:
    """Of a case that is not replayed, nothing is listed."""
    text = (shop.path / "shop.case.toml").read_text()
    (shop.path / "shop.case.toml").write_text(
        text.replace("format = 1", 'format = 1\nmarks = ["skip"]')
    )
    result = shop.runpytest("-v")
    result.assert_outcomes(skipped=1)
    assert " ms  " not in result.stdout.str()
    assert server.requests == []


def test_progress_counts_tests(shop: pytest.Pytester, server: Server) -> None:
    """Percentages count test cases, not transactions."""
    (shop.path / "z.case.toml").write_text(case(server.url, "GET /z"))
    result = shop.runpytest("-v")
    result.stdout.fnmatch_lines(["*::shop FAILED*[[] 50%]", "*::z PASSED*[[]100%]"])

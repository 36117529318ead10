"""The language of thresholds: what each form means, and names that no test case has."""

from __future__ import annotations

import pytest

from pytest_loadtool.casefile.load.thresholds import parse_threshold, unknown_name
from pytest_loadtool.model.case import Page, Request, TestCase, Transaction
from pytest_loadtool.model.threshold import METRICS, TIMES, Scope, Threshold


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        (
            'p95 of page "Sign in" < 800 ms',
            {"metric": "percentile", "percentile": 95.0, "limit": 0.8}
            | {"scope": Scope("page", "Sign in")},
        ),
        ("error rate < 1 %", {"metric": "error rate", "limit": 0.01}),
        ("throughput > 500/s", {"metric": "throughput", "comparison": ">", "limit": 500.0}),
        (
            "throughput >= 30 requests / min",
            {"metric": "throughput", "comparison": ">=", "limit": 0.5},
        ),
        (
            "p99 > 2 s for 30 s: stop",
            {"metric": "percentile", "percentile": 99.0, "comparison": ">", "limit": 2.0}
            | {"during": 30.0, "stop": True},
        ),
        (
            "mean of 'GET /api' <= 50ms for 1m30s",
            {"metric": "mean", "comparison": "<=", "limit": 0.05, "during": 90.0}
            | {"scope": Scope("transaction", "GET /api")},
        ),
        (
            "  p99.9   of  time to first byte  of case \"a  'b'\" < 1 m ",
            {"metric": "percentile", "percentile": 99.9, "limit": 60.0}
            | {"time": "time to first byte", "scope": Scope("case", "a  'b'")},
        ),
        (
            "median service time < 1s",
            {"metric": "median", "time": "service time", "limit": 1.0},
        ),
        (
            "errors>=100:stop",
            {"metric": "errors", "comparison": ">=", "limit": 100.0, "stop": True},
        ),
    ],
)
def test_what_a_threshold_says(text: str, fields: dict[str, object]) -> None:
    """Blanks do not matter outside of names; what is not said is as documented."""
    usual = {"text": text.strip(), "comparison": "<"}
    assert parse_threshold(text) == Threshold(**(usual | fields))  # type: ignore[arg-type]


@pytest.mark.parametrize("metric", [name for name, one in METRICS.items() if not one.is_custom])
def test_every_metric_can_be_written(metric: str) -> None:
    """As a requirement and as a condition to stop; each the other way round is refused."""
    name = "p95" if metric == "percentile" else metric
    limit = {"time": "1 s", "share": "1 %", "rate": "1/s", "count": "1"}[METRICS[metric].unit]
    good, bad = (">", "<") if METRICS[metric].more_is_better else ("<", ">")
    assert parse_threshold(f"{name} {good} {limit}").metric == metric
    assert parse_threshold(f"{name} {bad} {limit}: stop").stop
    for slip in (f"{name} {bad} {limit}", f"{name} {good} {limit}: stop"):
        with pytest.raises(ValueError, match=rf'column {len(name) + 2}: expected "[<>]" or'):
            parse_threshold(slip)


@pytest.mark.parametrize("time", TIMES)
def test_times_are_of_requests(time: str) -> None:
    """A page without a named time is the page's own duration; with one, that of its requests."""
    assert parse_threshold('p95 of page "x" < 1 s').is_of_durations
    assert not parse_threshold(f'p95 of {time} of page "x" < 1 s').is_of_durations


@pytest.mark.parametrize(
    ("text", "needed"),
    [
        ('p95 of page "x" < 1 s', True),
        ('median of page "x" < 1 s', True),
        ('mean of page "x" < 1 s', False),
        ('mean of page "x" < 1 s for 5 s', True),
        ('p95 of service time of page "x" < 1 s', False),
        ('p95 of case "x" < 1 s', False),
        ("p95 < 1 s", False),
    ],
)
def test_which_thresholds_need_histograms_of_pages(text: str, needed: bool) -> None:
    """Pages keep average, shortest and longest only, unless something asks for more."""
    assert parse_threshold(text).needs_page_histograms == needed


CASES = (
    TestCase(
        "Shop",
        (
            Page("Home", (Transaction(Request("GET", "/")), Transaction(Request("GET", "/a")))),
            Page("Pay", (Transaction(Request("POST", "/pay"), name="pay now"),)),
        ),
    ),
)


@pytest.mark.parametrize(
    ("scope", "said"),
    [
        ('page "Home"', ""),
        ('transaction "GET /a"', ""),
        ('"pay now"', ""),
        ('case "Shop"', ""),
        ('page "Hme"', "there is no page \"Hme\" in the test cases: did you mean 'Home'?"),
        (
            '"Home"',
            ': there is no transaction "Home" in the test cases, but a page: write page "Ho',
        ),
        ('case "x"', 'there is no case "x" in the test cases'),
        ('"POST /pay"', 'there is no transaction "POST /pay" in the test cases'),
    ],
)
def test_names_are_those_of_the_test_cases(scope: str, said: str) -> None:
    """A name that nothing has is an error, with the nearest one that something has."""
    found = unknown_name(parse_threshold(f"p95 of {scope} < 1 s"), CASES)
    assert bool(found) == bool(said)
    assert said.removeprefix(": ") in found

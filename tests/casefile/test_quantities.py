"""Durations, percentages, rates and sizes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_loadtool.casefile import format_duration, format_share, parse_duration, parse_share
from pytest_loadtool.casefile.quantities import (
    format_rate,
    format_size,
    parse_rate,
    parse_size,
)
from tests.casefile.models import FILES


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("0s", 0.0),
        ("250ms", 0.25),
        ("0.3ms", 0.0003),
        ("3.2s", 3.2),
        ("1m30s", 90.0),
        ("2m", 120.0),
        ("1h30m", 5400.0),
        ("1h0.5s", 3600.5),
        ("48h", 172800.0),
    ],
)
def test_the_usual_durations_both_ways(text: str, seconds: float) -> None:
    """What people write is what is written."""
    assert parse_duration(text) == seconds
    assert format_duration(seconds) == text


@pytest.mark.parametrize(
    ("text", "seconds"),
    [(" 1h 30m ", 5400.0), ("90m", 5400.0), ("1.5h", 5400.0), ("1s500ms", 1.5), ("0h0m", 0.0)],
)
def test_other_ways_to_write_a_duration(text: str, seconds: float) -> None:
    """Space, fractions and large numbers of small units are understood."""
    assert parse_duration(text) == seconds


@pytest.mark.parametrize(
    "text",
    ["", "5", "s", "1.s", "-1s", "1s1h", "1d", "1S", "1e3s", "²s", "1s1s", "inf", "9" * 400 + "h"],
)
def test_what_is_no_duration_is_refused(text: str) -> None:
    """Missing and unknown units, a wrong order, signs and exponents."""
    with pytest.raises(ValueError, match="duration"):
        parse_duration(text)


def test_a_bare_number_is_told_what_to_add() -> None:
    """The most likely mistake has its remedy in the message."""
    with pytest.raises(ValueError, match='write "10s" for seconds'):
        parse_duration("10")


@FILES
@given(st.floats(0, allow_infinity=False) | st.integers(0, 10**12).map(lambda us: us / 1_000_000))
def test_a_duration_reads_back_exactly(seconds: float) -> None:
    """Every float there is, from the smallest to the largest, survives."""
    assert parse_duration(format_duration(seconds)) == seconds


@FILES
@given(st.floats(0, 1))
def test_a_percentage_reads_back_exactly(share: float) -> None:
    """Every share there is survives."""
    assert parse_share(format_share(share)) == share


@pytest.mark.parametrize(
    ("text", "share"), [("0%", 0.0), ("1%", 0.01), ("0.5%", 0.005), ("100%", 1.0)]
)
def test_the_usual_percentages_both_ways(text: str, share: float) -> None:
    """What people write is what is written."""
    assert parse_share(text) == share
    assert format_share(share) == text


@pytest.mark.parametrize("text", ["", "%", "101%", "-1%", "one%"])
def test_what_is_no_percentage_is_refused(text: str) -> None:
    """Out of range, or no number."""
    with pytest.raises(ValueError, match="percentage"):
        parse_share(text)


@pytest.mark.parametrize("seconds", [-1.0, float("inf"), float("nan")])
def test_what_has_no_length_is_not_written(seconds: float) -> None:
    """A negative or endless duration is a mistake of the caller."""
    with pytest.raises(ValueError, match="negative or not finite"):
        format_duration(seconds)


@FILES
@given(st.floats(0, 1e300) | st.integers(1, 10**6).map(lambda number: number / 60))
def test_a_rate_reads_back_exactly(rate: float) -> None:
    """Every rate there is survives, in whatever unit it is written."""
    assert parse_rate(format_rate(rate)) == rate


@pytest.mark.parametrize(
    ("text", "rate"), [("50/s", 50.0), ("0/s", 0.0), ("100/min", 100 / 60), ("2.5/h", 2.5 / 3600)]
)
def test_the_usual_rates_both_ways(text: str, rate: float) -> None:
    """In the unit in which the number is short."""
    assert parse_rate(text) == rate
    assert format_rate(rate) == text


@pytest.mark.parametrize("text", ["", "/s", "50", "-1/s", "5/day", "fast"])
def test_what_is_no_rate_is_refused(text: str) -> None:
    """Without a unit, with another one, or no number."""
    with pytest.raises(ValueError, match="expected a rate such as"):
        parse_rate(text)


@given(st.integers(1 << 20, 1 << 60))
def test_a_size_reads_back_exactly(size: int) -> None:
    """To the byte."""
    assert parse_size(format_size(size)) == size


@pytest.mark.parametrize(
    ("text", "size"), [("64 MB", 64 << 20), ("1MB", 1 << 20), (" 1.5 GB ", 3 << 29)]
)
def test_the_usual_sizes(text: str, size: int) -> None:
    """A megabyte is 1024 x 1024 bytes, as in the documentation."""
    assert parse_size(text) == size


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected a size"),
        ("64", 'write "64 MB"'),
        ("64 KB", "expected a size"),
        ("-1 MB", "expected a size"),
        ("0.5 MB", "1 MB at least"),
    ],
)
def test_what_is_no_size_is_refused(text: str, message: str) -> None:
    """Without a unit, with another one, or too small to hold what comes in one piece."""
    with pytest.raises(ValueError, match=message):
        parse_size(text)

"""Measured values as people read them."""

from __future__ import annotations

import pytest

from pytest_loadtool.load.formatting import seconds
from pytest_loadtool.report.load.units import milliseconds, size, status_counts


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "\N{EN DASH}"),
        (0.0, "0.00"),
        (0.42, "0.42"),
        (9.994, "9.99"),
        (9.996, "10.0"),
        (99.96, "100"),
        (1.66481, "1.67"),  # 1.665 in the JSON
        (1234.4, "1,234"),
    ],
)
def test_milliseconds(value: float | None, text: str) -> None:
    """Three digits or more, and a dash where there is nothing."""
    assert milliseconds(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.44, "0.4 s"), (10, "10 s"), (119.9, "119.9 s"), (120, "2 min"), (5445, "1 h 30 min 45 s")],
)
def test_seconds(value: float, text: str) -> None:
    """Lengths of runs in the units one thinks in."""
    assert seconds(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0 bytes"), (999, "999 bytes"), (1_000, "1 kB"), (1_250_000, "1.25 MB"), (7e15, "7 PB")],
)
def test_size(value: float, text: str) -> None:
    """Bytes with decimal prefixes."""
    assert size(value) == text


def test_status_counts() -> None:
    """Ascending; those without a response at the end, in words."""
    assert status_counts([(500, 1), (0, 2), (200, 3000)]) == "200: 3,000   500: 1   no response: 2"

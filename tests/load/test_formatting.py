"""Numbers as people read them."""

from __future__ import annotations

import pytest

from pytest_loadtool.load.formatting import line, percent, plural
from pytest_loadtool.model.bandwidth import PROFILES, Bandwidth


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0.0, "0 %"),
        (1.0, "100 %"),
        (0.01, "1 %"),
        (0.0125, "1.25 %"),
        (0.5, "50 %"),
        (0.000001, "<0.01 %"),
        (0.999999, ">99.99 %"),
    ],
)
def test_percent(share: float, text: str) -> None:
    """What is not quite none or all never looks like it."""
    assert percent(share) == text


def test_plural() -> None:
    """One of a thing, or several with thousands separated."""
    assert (plural(1, "row"), plural(0, "row"), plural(1234, "row")) == (
        "1 row",
        "0 rows",
        "1,234 rows",
    )


def test_line() -> None:
    """By its name, if it has one, and by what it carries."""
    assert line(PROFILES["LTE"]) == "an LTE line (12 Mbit/s down, 12 Mbit/s up, 70 ms)"
    assert line(PROFILES["2G"]) == "a 2G line (35 kbit/s down, 32 kbit/s up, 1,300 ms)"
    assert line(Bandwidth(1, 999, 0.0005)) == "a line of 1 bit/s down, 999 bit/s up, 0.5 ms"

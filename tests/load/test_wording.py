"""Numbers as people read them."""

from __future__ import annotations

import pytest

from pytest_loadtool.load.wording import percent, plural


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

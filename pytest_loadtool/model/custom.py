"""Metrics of a project's own, which its functions record."""

from __future__ import annotations

from typing import Literal

MetricKind = Literal["counter", "rate", "trend"]

#: Names that a run may have, of each kind. One that has a user's value in it is none.
MOST_METRICS = 100

#: Characters of a name.
LONGEST_NAME = 100

#: The greatest value of a trend.
GREATEST = 1e9

#: Of a trend's value, as it is counted: six decimals.
PARTS = 1_000_000


def counted(kind: MetricKind, name: object, value: object) -> int:
    """Return a value as it is counted, in whole numbers: what a counter goes up by, 1 or 0 of a
    rate, millionths of a trend's value.

    Raises:
        TypeError, ValueError: it is none, or the name is none.
    """
    if not isinstance(name, str):
        raise TypeError(f"a metric's name is text: not {type(name).__name__}")
    if not name.strip() or len(name) > LONGEST_NAME or not name.isprintable():
        raise ValueError(f"a metric's name is one line of up to {LONGEST_NAME} characters")
    if kind == "rate":
        return int(bool(value))
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"{kind} {name!r} takes a number: not {type(value).__name__}")
    if kind == "counter":
        if not isinstance(value, int) or value < 0:
            raise ValueError(f"counter {name!r} goes up by a whole number: not {value!r}")
        return value
    if not 0 <= value <= GREATEST:
        raise ValueError(f"trend {name!r} takes values from 0 to {GREATEST:,.0f}: not {value!r}")
    return round(value * PARTS)

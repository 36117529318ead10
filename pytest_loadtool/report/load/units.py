"""Measured values as people read them."""

from __future__ import annotations

from collections.abc import Iterable

from pytest_loadtool.load.formatting import count, digits

#: What stands where nothing was measured.
DASH = "–"

_SIZES = ("bytes", "kB", "MB", "GB", "TB", "PB")


def milliseconds(value: float | None) -> str:
    """Return a time as ``0.42``, ``12.3``, ``1,234``: three digits or more, without the unit.

    It is that of `rounded`, so that who writes the number of the JSON so has the same.
    """
    known = rounded(value)
    return DASH if known is None else digits(known)


def rate(value: float) -> str:
    """Return a number of something per second: ``0.42``, ``12.3``, ``1,234``."""
    return milliseconds(value)


def size(number: float) -> str:
    """Return bytes with a decimal prefix: ``512 bytes``, ``1.25 MB``."""
    step = 0
    while number >= 999.5 and step < len(_SIZES) - 1:
        number /= 1000
        step += 1
    return f"{number:.3g} {_SIZES[step]}" if step else f"{number:.0f} {_SIZES[0]}"


def status_counts(counts: Iterable[tuple[int, int]]) -> str:
    """Return status codes with their counts, ascending; last those without a response (status
    0)."""
    ordered = sorted(counts, key=lambda pair: (pair[0] == 0, pair[0]))
    return "   ".join(f"{status or 'no response'}: {count(number)}" for status, number in ordered)


def rounded(value: float | None) -> float | None:
    """Return a number with as many digits as are of use; None stays."""
    return None if value is None else round(value, 3)

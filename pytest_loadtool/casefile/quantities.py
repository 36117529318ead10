"""Quantities as people write them: ``1h30m``, ``250ms``, ``0.5%``, ``50/s``, ``64 MB``.

Both directions are exact: what ``format_`` writes, ``parse_`` reads back as the same float. So both
calculate in decimal fractions and round once, at the end.
"""

from __future__ import annotations

import math
import re
from fractions import Fraction

_NUMBER = r"(\d+(?:\.\d+)?)"
_DURATION = re.compile(
    rf"(?:{_NUMBER}h)?\s*(?:{_NUMBER}m(?!s))?\s*(?:{_NUMBER}s)?\s*(?:{_NUMBER}ms)?", re.ASCII
)
_SECONDS = (Fraction(3600), Fraction(60), Fraction(1), Fraction(1, 1000))
_SHARE = re.compile(rf"{_NUMBER}\s*%", re.ASCII)
_RATE = re.compile(rf"{_NUMBER}\s*/\s*(s|min|h)", re.ASCII)
_PER = {"s": 1, "min": 60, "h": 3600}
_SIZE = re.compile(rf"{_NUMBER}\s*(MB|GB)", re.ASCII)
_BYTES = {"MB": 1 << 20, "GB": 1 << 30}


def parse_duration(text: str) -> float:
    """Return seconds of ``250ms``, ``3.2s``, ``2m``, ``1h30m``: units in that order, each at most
    once.

    Raises:
        ValueError: ``text`` is not a duration; the message says what is expected.
    """
    match = _DURATION.fullmatch(text.strip())
    if match is None or not any(match.groups()):
        hint = f': write "{text.strip()}s" for seconds' if _is_number(text) else ""
        raise ValueError(
            f'expected a duration such as "250ms", "3.2s", "2m" or "1h30m", got "{text[:40]}"{hint}'
        )
    total = sum(
        (
            Fraction(number) * unit
            for number, unit in zip(match.groups(), _SECONDS, strict=True)
            if number
        ),
        Fraction(0),
    )
    try:
        return float(total)
    except OverflowError:
        raise ValueError("the duration is too long") from None


def format_duration(seconds: float) -> str:
    """Return the shortest of the usual ways to write it: ``0s``, ``250ms``, ``3.2s``, ``1m30s``,
    ``2h``.

    Raises:
        ValueError: ``seconds`` is negative or not finite.
    """
    _check(seconds)
    exact = Fraction(repr(float(seconds)))
    if exact == 0:
        return "0s"
    if exact < 1:
        return f"{_decimal(exact * 1000)}ms"
    hours, rest = divmod(exact, 3600)
    minutes, rest = divmod(rest, 60)
    return "".join(
        f"{_decimal(Fraction(number))}{unit}"
        for number, unit in ((hours, "h"), (minutes, "m"), (rest, "s"))
        if number
    )


def parse_share(text: str) -> float:
    """Return a part of one from per cent: ``"1%"`` is 0.01.

    Raises:
        ValueError: ``text`` is no percentage from 0% to 100%; the message says what is expected.
    """
    match = _SHARE.fullmatch(text.strip())
    if match is None or Fraction(match[1]) > 100:
        hint = f': write "{text.strip()}%"' if _is_number(text) else ""
        raise ValueError(f'expected a percentage from "0%" to "100%", got "{text[:40]}"{hint}')
    return float(Fraction(match[1]) / 100)


def format_share(share: float) -> str:
    """Return ``0.01`` as ``1%``.

    Raises:
        ValueError: ``share`` does not lie between 0 and 1.
    """
    _check(share)
    if share > 1:
        raise ValueError(f"{share} is no part of one")
    return f"{_decimal(Fraction(repr(float(share))) * 100)}%"


def parse_rate(text: str) -> float:
    """Return a rate per second from ``50/s``, ``100/min`` or ``2.5/h``.

    Raises:
        ValueError: ``text`` is not a rate; the message says what is expected.
    """
    match = _RATE.fullmatch(text.strip())
    if match is None:
        hint = f': write "{text.strip()}/s" for each second' if _is_number(text) else ""
        raise ValueError(f'expected a rate such as "50/s" or "100/min", got "{text[:40]}"{hint}')
    try:
        return float(Fraction(match[1]) / _PER[match[2]])
    except OverflowError:
        raise ValueError("the rate is too high") from None


def format_rate(rate: float) -> str:
    """Return the rate in the unit in which its number is shortest: ``50/s``, ``100/min``.

    Raises:
        ValueError: ``rate`` is negative or not finite.
    """
    _check(rate)
    exact = f"{_decimal(Fraction(repr(float(rate))))}/s"
    rounded = (
        f"{_decimal(Fraction(repr(round(rate * length, 6))))}/{unit}"
        for unit, length in _PER.items()
    )
    candidates = [exact, *(text for text in rounded if parse_rate(text) == rate)]
    return min(candidates, key=lambda text: text.index("/"))


def parse_size(text: str) -> int:
    """Return the bytes of ``64 MB`` or ``1.5 GB``, of 1024 KB of 1024 bytes: 1 MB at least.

    Raises:
        ValueError: ``text`` is not such a size; the message says what is expected.
    """
    match = _SIZE.fullmatch(text.strip())
    if match is None:
        hint = f': write "{text.strip()} MB"' if _is_number(text) else ""
        raise ValueError(f'expected a size such as "64 MB" or "1.5 GB", got "{text[:40]}"{hint}')
    size = int(Fraction(match[1]) * _BYTES[match[2]])
    if size < _BYTES["MB"]:
        raise ValueError(f'must be 1 MB at least, got "{text[:40]}"')
    return size


def format_size(size: int) -> str:
    """Return the size in megabytes: ``64 MB``."""
    return f"{_decimal(Fraction(size, _BYTES['MB']))} MB"


def _check(number: float) -> None:
    if not math.isfinite(number) or number < 0:
        raise ValueError(f"{number} is negative or not finite")


def _is_number(text: str) -> bool:
    return re.fullmatch(_NUMBER, text.strip(), re.ASCII) is not None


def _decimal(number: Fraction) -> str:
    """Return a fraction whose decimals end, without exponent and without zeros at the end."""
    whole, rest = divmod(number, 1)
    if not rest:
        return str(whole)
    digits = 0
    while rest.denominator != 1:
        rest *= 10
        digits += 1
    return f"{whole}.{rest.numerator:0{digits}d}"

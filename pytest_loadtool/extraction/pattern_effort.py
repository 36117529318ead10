"""How long `re` may take for a pattern at worst."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from math import inf
from types import MappingProxyType
from typing import Any

from pytest_loadtool.extraction.parsed_pattern import Node, op, parsed

#: There are at most ``a · nᵇ`` ways to match at one place of a text of ``n`` characters: (a, b).
_Ways = tuple[float, int]

_ONE: _Ways = (1, 0)
_TOO_MANY: _Ways = (inf, 0)
#: Repetitions beyond this are as many as the text is long.
_COUNTED = 1000


def longest_texts(pattern: str, steps: float) -> tuple[int, int]:
    """Return the lengths in characters of the longest texts, however they are made, in which a
    match is sought with that many steps at most: everywhere, and at one place.

    Raises:
        re.error: it is no regular expression.
    """
    factor, power = _sequence(parsed(pattern))
    most = steps / factor
    return int(most ** (1 / (power + 1))), int(most ** (1 / max(power, 1)))


def _sequence(nodes: Iterable[Node]) -> _Ways:
    ways = _ONE
    for code, value in nodes:
        if code in _WAYS:
            ways = _times(ways, _WAYS[code](value))
    return ways


def _times(one: _Ways, other: _Ways) -> _Ways:
    return one[0] * other[0], one[1] + other[1]


def _either(alternatives: Iterable[Iterable[Node]]) -> _Ways:
    ways = [_sequence(nodes) for nodes in alternatives]
    return sum(factor for factor, _ in ways), max(power for _, power in ways)


def _repeat(value: tuple[int, Any, Iterable[Node]]) -> _Ways:
    least, most, nodes = value
    once = _sequence(nodes)
    counted = most is not op.MAXREPEAT and most <= _COUNTED
    if once == _ONE:
        return (most - least + 1, 0) if counted else (1, 1)
    if not counted:
        return _TOO_MANY
    try:
        return sum(once[0] ** times for times in range(least, most + 1)), once[1] * most
    except OverflowError:
        return _TOO_MANY


#: For each code what it multiplies the ways by; those that match in one way are not here.
_WAYS: Mapping[Any, Callable[[Any], _Ways]] = MappingProxyType(
    {
        op.ASSERT: lambda value: _sequence(value[1]),
        op.ASSERT_NOT: lambda value: _sequence(value[1]),
        op.ATOMIC_GROUP: _sequence,
        op.BRANCH: lambda value: _either(value[1]),
        op.GROUPREF: lambda _: (1, 1),
        op.GROUPREF_EXISTS: lambda value: _either((value[1], value[2] or ())),
        op.MAX_REPEAT: _repeat,
        op.MIN_REPEAT: _repeat,
        op.POSSESSIVE_REPEAT: _repeat,
        op.SUBPATTERN: lambda value: _sequence(value[3]),
    }
)

"""The key ``bandwidth`` of a load configuration: a named line, or one's own."""

from __future__ import annotations

import re
from decimal import Decimal

from pytest_loadtool.casefile.quantities import format_duration, parse_duration
from pytest_loadtool.casefile.syntax import shown
from pytest_loadtool.casefile.toml.render import inline_table, scalar
from pytest_loadtool.casefile.toml.schema import Key, Node, Table, parsed
from pytest_loadtool.casefile.toml.shape import shaped
from pytest_loadtool.codec.suggestions import did_you_mean
from pytest_loadtool.model.bandwidth import PROFILES, SPEED_UNITS, Bandwidth, format_speed

_SPEED = re.compile(r"(\d+(?:\.\d+)?)\s*([kMG]?bit/s)", re.ASCII | re.IGNORECASE)
_EXPONENTS = {unit.casefold(): exponent for unit, exponent in SPEED_UNITS.items()}
_BY_NAME = {name.casefold(): one for name, one in PROFILES.items()}


@shaped(lambda describe: {"anyOf": [{"type": "string"}, describe(BANDWIDTH)]})
def bandwidth(node: Node) -> Bandwidth:
    """Return a name of `PROFILES`, or a table."""
    if isinstance(node.value, dict):
        return Bandwidth(**BANDWIDTH.read(node))
    if not isinstance(node.value, str):
        raise node.expected(
            'a name such as "3G", or a table such as { down = "2 Mbit/s", up = "512 kbit/s" }'
        )
    found = _BY_NAME.get(node.value.casefold())
    if found is None:
        known = did_you_mean(node.value, PROFILES) or f": there are {', '.join(PROFILES)}"
        raise node.wrong(f"there is no line {shown(node.value)}{known}")
    return found


def format_bandwidth(line: Bandwidth) -> str:
    """Return its name, if it has one, else a table."""
    if line.name:
        return scalar(line.name)
    pairs = {"down": scalar(format_speed(line.down)), "up": scalar(format_speed(line.up))}
    if line.latency:
        pairs["latency"] = scalar(format_duration(line.latency))
    return inline_table(pairs)


def parse_speed(text: str) -> int:
    """Return the bits per second of ``512 kbit/s``, ``2 Mbit/s``, ``1.6 Mbit/s``; to the next whole
    bit.

    Raises:
        ValueError: ``text`` is no speed; the message says what is expected.
    """
    match = _SPEED.fullmatch(text.strip())
    if match is None:
        raise ValueError(
            f'expected bits per second such as "512 kbit/s" or "2 Mbit/s", got {shown(text)}'
        )
    bits = round(Decimal(match[1]).scaleb(_EXPONENTS[match[2].casefold()]))
    if not 0 < bits < 10**12:
        raise ValueError(f"{shown(text)} is not a speed that a line has")
    return bits


BANDWIDTH: Table = Table(
    "'bandwidth'",
    {
        "down": Key(parsed(parse_speed, " kbit/s"), 'down = "2 Mbit/s"'),
        "up": Key(parsed(parse_speed, " kbit/s"), 'up = "512 kbit/s"'),
        "latency": Key(parsed(parse_duration, "ms")),
    },
)

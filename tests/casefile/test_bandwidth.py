"""Lines of virtual users as people write them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_loadtool.casefile import format_duration, parse_load
from pytest_loadtool.casefile.load.bandwidth import format_bandwidth, parse_speed
from pytest_loadtool.model.bandwidth import PROFILES, Bandwidth, format_speed


def read(value: str) -> Bandwidth | None:
    """What a load configuration with this bandwidth says."""
    head = 'format = 1\nname = "x"\nusers = 1\nduration = "1s"\n'
    return parse_load(f'{head}bandwidth = {value}\n[[case]]\nfile = "x"\n', "x").bandwidth


@given(st.integers(1, 10**12 - 1))
def test_speeds_read_back_as_written(bits: int) -> None:
    """To the bit."""
    assert parse_speed(format_speed(bits)) == bits


@pytest.mark.parametrize(
    ("text", "bits"),
    [
        ("2 Mbit/s", 2_000_000),
        ("1.6Mbit/s", 1_600_000),
        ("512 kbit/s", 512_000),
        ("512 Kbit/s", 512_000),
        ("1 Gbit/s", 10**9),
        ("9600 bit/s", 9600),
    ],
)
def test_speeds(text: str, bits: int) -> None:
    """Bits, not bytes, and a kilobit is 1,000 of them."""
    assert parse_speed(text) == bits


@pytest.mark.parametrize("text", ["2 MB/s", "2", "fast", "-1 kbit/s", "0 kbit/s", "9999 Gbit/s"])
def test_what_is_no_speed(text: str) -> None:
    """Bytes, bare numbers, and what no line has."""
    with pytest.raises(ValueError, match=re.escape(text)):
        parse_speed(text)


@pytest.mark.parametrize("name", PROFILES)
def test_lines_by_name(name: str) -> None:
    """In capitals or not; written by their name again."""
    assert read(f'"{name}"') == read(f'"{name.upper()}"') == PROFILES[name]
    assert format_bandwidth(PROFILES[name]) == f'"{name}"'


def test_lines_of_ones_own() -> None:
    """The latency may be left out."""
    assert read('{ down = "2 Mbit/s", up = "1 Mbit/s" }') == Bandwidth(2_000_000, 1_000_000)
    own = '{ down = "2 Mbit/s", up = "512 kbit/s", latency = "50ms" }'
    found = read(own)
    assert found == Bandwidth(2_000_000, 512_000, 0.05)
    assert format_bandwidth(found) == own


def test_the_documented_lines_are_these() -> None:
    """The table in docs/load.md has every line with its numbers."""
    text = (Path(__file__).parents[2] / "docs" / "load.md").read_text()
    section = text.partition("\n## Bandwidth\n")[2].partition("\n## ")[0]
    rows = [row.strip("| ").split(" | ") for row in section.split("\n") if row.startswith("| `")]
    assert rows == [
        [f"`{name}`", format_speed(one.down), format_speed(one.up), format_duration(one.latency)]
        for name, one in PROFILES.items()
    ]

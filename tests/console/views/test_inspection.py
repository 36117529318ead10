"""Where texts were found, in lines of the width of the terminal."""

from __future__ import annotations

import pytest
from rich.cells import cell_len

from pytest_loadtool.console.views.inspection import places
from pytest_loadtool.workflow.finding import FoundPlace


@pytest.mark.parametrize("width", [40, 80, 81, 160])
@pytest.mark.parametrize(
    ("before", "match", "after"),
    [
        ("東京" * 40, "世界", "大阪" * 40),
        ("", "世界" * 60, "x" * 99),
        ("ab" * 60, "tea", ""),
        ("é" * 60, "tea", "東" * 9),
    ],
    ids=("wide", "long", "cut", "mixed"),
)
def test_wide_characters_take_two_columns(width: int, before: str, match: str, after: str) -> None:
    """A line has the terminal's width at most, and uses it."""
    place = FoundPlace(2, "GET /東京", "recording", "response", "body", before, match, after)
    heading, line = places([place], width)
    assert "GET /東京" in heading
    assert cell_len(line) <= max(width, 50)
    whole = cell_len(f"       response body: {before}{match}{after}")
    assert cell_len(line) >= min(width - 3, whole)
    assert any(kind == "found" and text[0] == match[0] for text, kind in line.spans)

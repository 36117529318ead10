"""What docs/load.md shows."""

from __future__ import annotations

import re
from pathlib import Path

__all__ = ["block", "fields"]

_PAGE = Path(__file__).parent.parent.parent / "docs" / "load.md"


def block(name: str) -> str:
    """The example that follows the comment of that name."""
    found = re.search(rf"<!-- {name}\b.*?-->\n```text\n(.*?)\n```", _PAGE.read_text(), re.DOTALL)
    assert found, f"docs/load.md has no example called {name}"
    return found[1]


def fields() -> list[str]:
    """The paths of all documented JSON fields.

    A heading names the places of its table's fields in backquotes: ``totals`` and ``cases[]``, say.
    """
    section = _PAGE.read_text().partition("## The report as JSON")[2].partition("\n## ")[0]
    paths: list[str] = []
    places: list[str] = []
    for line in section.splitlines():
        if line.startswith("### "):
            places = re.findall(r"`([^`]*)`", line.replace("``", "` `"))
        elif row := re.match(r"\| `([^`]+)` \|", line):
            paths += [f"{place.strip()}.{row[1]}".lstrip(".") for place in places]
    return paths

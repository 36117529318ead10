"""The causes that docs/load.md explains are those that there are."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

from pytest_loadtool.model.result import Cause

PAGE = Path(__file__).parent.parent.parent / "docs" / "load.md"


def test_every_cause_is_explained() -> None:
    """With what happened and what to do, and in the list of the JSON report."""
    text = PAGE.read_text(encoding="utf-8")
    section = text.partition("\n## Errors and their causes\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| `(\w+)` \| (.+) \| (.+) \|$", section, re.MULTILINE)
    assert [cause for cause, _, _ in rows] == list(get_args(Cause))
    [listed] = re.findall(r"^\| `cause` \| \| (`status`.+) \|$", text, re.MULTILINE)
    assert re.findall(r"`(\w+)`", listed) == list(get_args(Cause))

"""docs/tutorial-api.md: what it tells to write is written, and what it tells to run is run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from example_suite.server import ShopServer
from tests.console.running import ROOT, run

PAGE = ROOT / "docs" / "tutorial-api.md"


def blocks(kind: str) -> list[str]:
    """The examples of one kind, in their order."""
    text = PAGE.read_text(encoding="utf-8")
    return re.findall(rf"^```{kind}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


@pytest.mark.promise(134)
def test_the_tutorial_is_true(tmp_path: Path) -> None:
    """Each step of it, as somebody does it who reads on: the file grows, and is run each time."""
    first, more, wrong, load = blocks("toml")
    _, passes, still_passes, fails, loads = blocks("console")
    good = "".join((first, more.partition("\n")[2]))
    note = next(line for line in good.splitlines(keepends=True) if "$.note" in line)
    with ShopServer(tmp_path / "shop") as shop:
        steps = (
            ("tea.case.toml", first, passes),
            ("tea.case.toml", good, still_passes),
            ("tea.case.toml", good.replace(note, wrong.partition("\n")[2]), fails),
            ("tea.case.toml", good, still_passes),
            ("tea.load.toml", load, loads),
        )
        for name, text, console in steps:
            (tmp_path / name).write_text(text.replace("http://127.0.0.1:8000", shop.url))
            command, *expected = console.splitlines()
            status = 1 if "1 failed" in expected else 0
            done = run(tmp_path, *command.split()[2:], status=status)
            assert all(line in done.stdout for line in expected), done.stdout

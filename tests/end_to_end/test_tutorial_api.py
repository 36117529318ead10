"""docs/tutorial-api.md: what it tells to write is written, and what it tells to run is run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from example_suite.server import ShopServer
from pytest_loadtool.console.commands import COMMANDS
from tests.console.running import ROOT, run

PAGE = ROOT / "docs" / "tutorial-api.md"


def blocks(kind: str) -> list[str]:
    """The examples of one kind, in their order."""
    text = PAGE.read_text(encoding="utf-8")
    return re.findall(rf"^```{kind}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def in_the_console() -> list[str]:
    """The commands of the paragraph on the console."""
    (text,) = re.findall(r"opens the same file in.*?\n\n", PAGE.read_text("utf-8"), re.DOTALL)
    quoted: list[str] = re.findall(r"`([^`]+)`", text)
    return [one for one in quoted if one.split()[0] in COMMANDS.commands]


@pytest.mark.promise(134)
def test_the_tutorial_is_true(tmp_path: Path) -> None:
    """Each step of it, as somebody does it who reads on: the file grows, and is run each time."""
    first, more, wrong, load = blocks("toml")
    passes, still_passes, fails, loads = blocks("console")
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
        (tmp_path / "script.txt").write_text("\n".join(in_the_console()))
        said = run(tmp_path, "--record", "tea.case.toml", "--record-script", "script.txt", status=2)
    assert "3 transactions passed." in said.stdout
    assert '"note": "For the afternoon"' in said.stdout
    assert "curl " in said.stdout
    assert "JSON path $.total" in said.stdout
    assert "total: Extractor[3]" in said.stdout

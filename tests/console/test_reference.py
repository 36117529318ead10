"""The page on the console says what the registry says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pytest_loadtool.console.commands import COMMANDS
from tests.console.reference import BEGIN, END, updated

PAGE = Path(__file__).parents[2] / "docs" / "console.md"


@pytest.mark.promise(14)
def test_page_lists_exactly_the_commands() -> None:
    """docs/console.md has a section for each command of the registry, and for nothing else."""
    part = PAGE.read_text().partition(BEGIN)[2].partition(END)[0]
    assert re.findall(r"^### (\S+)$", part, re.MULTILINE) == list(COMMANDS.commands)


def test_page_is_up_to_date() -> None:
    """Its sections are what the reference makes of the registry today.

    If not: python -m tests.console.reference docs/console.md
    """
    text = PAGE.read_text()
    assert updated(text, COMMANDS) == text


def test_page_without_marks_is_refused() -> None:
    """A page that has no place for the reference is left alone."""
    with pytest.raises(ValueError, match="must hold"):
        updated("# Console\n", COMMANDS)


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("Strip Static Resources", "strip"),
        ("Collapse All", "collapse"),
        ("Expand All", "expand"),
        ("Delete Transaction 3", "delete"),
        ("Configure for Replay", "configure"),
        ("Application State", "application-state"),
        ("Test Case Configuration Wizard", "test-case-configuration"),
        ("User Identity Wizard", "user-identity"),
        ("Show Connection Negotiation Transactions", "properties"),
        ("New Dataset users username", "dataset-new"),
        ("Fill users username 1 50", "dataset-fill"),
        ("Reset Dataset State", "dataset-reset"),
        ("Play Fast", "play"),
        ("Create Load Configuration", "create-load-configuration"),
        ("Import As New Web Page a.txt b.txt", "import-page"),
    ],
)
def test_menus_of_other_tools_are_understood(line: str, name: str) -> None:
    """What a tester knows an operation by does it."""
    call = COMMANDS.parse(line)
    assert call is not None
    assert call.command.name == name

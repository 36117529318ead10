"""The page on the console says what the registry says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document

from pytest_loadtool.console.commands import COMMANDS
from pytest_loadtool.console.repl.completion import RegistryCompleter
from pytest_loadtool.console.session import Console
from tests.console.reference import BEGIN, END, updated
from tests.console.test_undo import EDITS

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


#: What a tester's menus and views call it, what comes behind it, its command here, and whether it
#: changes the test case or a dataset.
OPERATIONS = [
    ("Record", "http://127.0.0.1:8000/", "record", False),
    ("Stop", "", "stop", False),
    ("Import HAR", "shop.har", "import", True),
    ("Import As New Web Page", "a.txt b.txt", "import-page", True),
    ("Collapse All", "", "collapse", False),
    ("Expand All", "", "expand", False),
    ("Strip Static Resources", "", "strip", True),
    ("Delete Transaction", "3", "delete", True),
    ("Delete Page", "P3", "delete", True),
    ("Configure for Replay", "", "configure", True),
    ("Application State", "", "application-state", True),
    ("Application State Management", "", "application-state", True),
    ("Test Case Configuration Wizard", "", "test-case-configuration", True),
    ("User Identity Wizard", "", "user-identity", True),
    ("Wizards", "", "wizards", False),
    ("Properties", "", "properties", True),
    ("Show Connection Negotiation Transactions", "", "properties", True),
    ("Navigator New Dataset", "users username", "dataset-new", True),
    ("Create Dataset", "users username", "dataset-new", True),
    ("New Dataset", "users username", "dataset-new", True),
    ("Import Dataset", "users.csv", "dataset-import", True),
    ("Fill", "users username 1 50", "dataset-fill", True),
    ("Generate Values", "users username 1 50", "dataset-fill", True),
    ("Reset Dataset State", "", "dataset-reset", False),
    ("Edit Field", "1 user --constant ann", "set-field", True),
    ("New Variable", "user ann", "variable", True),
    ("Add Validator", "1 --text Tea", "validate", True),
    ("Add Extractor", "1 id --json $.id", "extract", True),
    ("Play", "", "play", False),
    ("Play Fast", "", "play", False),
    ("Replay Fast", "", "play", False),
    ("Breakpoint", "3", "break", False),
    ("Create Load Configuration", "", "create-load-configuration", False),
    ("Load Configuration", "shop.load.toml", "load", False),
    ("Start", "", "start", False),
    ("Test Case Editor", "", "view", False),
    ("Content View", "3", "show", False),
    ("Headers View", "3", "show", False),
    ("Fields View", "3", "fields", False),
    ("Variables Tab", "", "variables", False),
    ("Actors", "", "help", False),
    ("Validators", "", "validators", False),
    ("Extractors", "", "extractors", False),
    ("Errors View", "", "show-errors", False),
    ("Navigator", "", "navigator", False),
    ("Preferences", "", "preferences", False),
    ("Think Time", "2s", "think", True),
    ("Compare", "3", "diff", False),
    ("Find", "Tea", "search", False),
    ("Save As", "shop.case.toml", "save", False),
]


@pytest.mark.promise(14)
@pytest.mark.parametrize(("said", "others", "name", "edits"), OPERATIONS, ids=lambda one: str(one))
def test_operation_goes_by_its_own_name(
    session: Console, said: str, others: str, name: str, edits: bool
) -> None:
    """It is understood, Tab completes each of its words, it has help with an example that works,
    and `undo` takes it back if it changes anything: `test_undo` does so with each command."""
    call = COMMANDS.parse(f"{said} {others}")
    assert call is not None
    assert call.command.name == name
    completer = RegistryCompleter(session)
    words = said.split()
    for at, word in enumerate(words):
        line = " ".join([*words[:at], word[:-1]])
        found = [one.text for one in completer.get_completions(Document(line), CompleteEvent())]
        rest = " ".join(words[at:]).lower()
        assert any(one.strip().replace("-", " ").startswith(word.lower()) for one in found), rest
    assert call.command.help
    example = COMMANDS.parse(call.command.example)
    assert example is not None
    assert example.command is call.command
    assert (name in EDITS) == edits

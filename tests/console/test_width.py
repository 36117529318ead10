"""What the console says in a terminal of 80 columns: wrapped between words, to the last line."""

from __future__ import annotations

import re
import shutil
from contextlib import suppress
from pathlib import Path

import pytest

from pytest_loadtool.console.errors import CommandError
from pytest_loadtool.console.opening import open_file
from pytest_loadtool.console.repl.drawing import lines_drawn
from pytest_loadtool.console.session import Console
from pytest_loadtool.console.views.line import UNBROKEN, VERBATIM, ViewLine
from pytest_loadtool.report.columns import cells
from tests.console.listener import Listener, do
from tests.console.running import ROOT
from tests.console.traffic import sign_in, write_har

COLUMNS = 80

#: What only shows.
LINES = [
    *("help configure", "help edit", "help record", "tree --collapse-all", "tree", "show 15"),
    *("show errors", "show fidelity", "fields all", "fields 17", "explain", "validators"),
    *("extractors", "navigator", "datasets", "properties", "breakpoints", "log", "search admin"),
    *("preferences", "help wizards"),
]
#: The answers that wizards are given, up to their last page, and a no there.
ANSWERS = {
    "wizards": ["2", "yes", "share", "ann", "env", "ADMIN_PASSWORD", "secret", "no"],
    "user-identity": ["value", "ann", "env", "", "secret", "no"],
    "test-case-configuration": ["?", "yes", "data", "", "ann", "secret", "no"],
    "create-load-configuration": ["?", "rate", "", "", "", "", "0.5", "p95 < 800 ms", "no"],
}


@pytest.fixture
def admin(session: Console, listener: Listener, tmp_path: Path) -> Console:
    """The recorded session of Django's admin, with pauses and long page names."""
    for name in ("admin.case.toml", "admin.har"):
        shutil.copy(ROOT / "example_suite" / "cases" / name, tmp_path)
    session.case_path = tmp_path / "admin.case.toml"
    open_file(session)
    do(session, 'rename P1 "Log in to the site administration of a busy shop"')
    do(session, "think all 65s")
    do(session, "save --secrets keep")
    listener.columns = COLUMNS
    listener.said.clear()
    return session


def broken(said: list[str]) -> list[str]:
    """The lines that are too wide, those of which a word was cut, and texts that break their
    sentences themselves: in a narrow terminal each piece would be broken again."""
    found = []
    for line in said:
        if isinstance(line, ViewLine) and line.hanging in (UNBROKEN, VERBATIM):
            continue
        if re.search(r"^\S.*[\w,']\n[a-z]", line, re.M):
            found.append(line)
        drawn = lines_drawn(line, COLUMNS, coloured=False)
        words = {one for one in line.split() if cells(one) <= COLUMNS // 2}
        if max(map(cells, drawn)) > COLUMNS or not words <= set(" ".join(drawn).split()):
            found.append(line)
    return found


@pytest.mark.parametrize("line", [*LINES, *ANSWERS])
def test_all_is_wrapped_between_words(admin: Console, listener: Listener, line: str) -> None:
    """Whatever a command says: views, help, and the questions of wizards."""
    listener.interactive = True
    listener.lines[:] = ANSWERS.get(line, [])
    with suppress(CommandError):  # a wizard that is given up
        do(admin, line)
    assert listener.said
    assert broken(listener.said) == []
    assert broken(listener.asked) == []


def test_what_is_said_of_a_recording_is_wrapped(
    session: Console, listener: Listener, tmp_path: Path
) -> None:
    """From `import` to `save`: what was left out, each decision, what to do next."""
    listener.columns = COLUMNS
    har = write_har(tmp_path / "in.har", *sign_in("http://shop.test"))
    for line in (f"import {har.name}", "configure", "explain", "tree --collapse-all", "save"):
        do(session, line.replace(har.name, str(har)))
    assert any(re.search("anti-forgery token", line) for line in listener.said)
    assert broken(listener.said) == []

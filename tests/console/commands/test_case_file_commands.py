"""The test case's file: changed outside, read again, edited as text."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from pytest_loadtool.casefile import read_case
from pytest_loadtool.console.errors import CommandError
from pytest_loadtool.console.opening import open_file
from pytest_loadtool.console.session import Console
from tests.console.listener import Listener, do
from tests.console.samples import DOCUMENT
from tests.plugin.serving import case, serving

EXTRA = 'validators = [{ text = "Welcome" }]'


@pytest.fixture
def opened(session: Console, listener: Listener) -> Console:
    """A console with a test case that it has read from its file."""
    session.case_path.write_text(case("http://shop.test", "GET /", "GET /two"))
    open_file(session)
    listener.said.clear()
    return session


def by_editor(session: Console) -> None:
    """Somebody adds a validator to the first transaction, with a comment."""
    text = session.case_path.read_text()
    changed = text.replace("request = ", f"# important\n{EXTRA}\nrequest = ", 1)
    assert changed != text
    session.case_path.write_text(changed)


def test_save_does_not_overwrite_what_was_changed_outside(
    opened: Console, listener: Listener
) -> None:
    """A script is told where it was changed and what to do; --replace writes over it."""
    by_editor(opened)
    do(opened, "delete 2")
    message = r"shop\.case\.toml was changed outside \(line \d+: validators\): `reload` takes that"
    with pytest.raises(CommandError, match=message):
        do(opened, "save")
    assert EXTRA in opened.case_path.read_text()
    do(opened, "save --replace")
    assert EXTRA not in opened.case_path.read_text()


def test_save_asks_and_shows(opened: Console, listener: Listener) -> None:
    """A person looks at the difference, and overwrites."""
    by_editor(opened)
    do(opened, "delete 2")
    listener.lines = ["show", "overwrite"]
    do(opened, "save")
    assert f"+{EXTRA}" in listener.said
    assert EXTRA not in opened.case_path.read_text()
    assert opened.log.entries[-1].line == "save --replace"
    by_editor(opened)
    listener.lines = ["reload"]
    do(opened, "save")
    assert EXTRA in opened.case_path.read_text()
    assert not opened.unsaved
    assert opened.log.entries[-1].line == "reload --discard"


def test_saving_twice_asks_nothing(opened: Console, listener: Listener) -> None:
    """What this console wrote itself was not changed outside; nor was a file that is the same."""
    opened.case_path.write_text(opened.case_path.read_text())
    for _ in range(2):
        do(opened, "save")
    assert listener.asked == []


def test_reload(opened: Console, listener: Listener) -> None:
    """The file is read again; what is not saved is not dropped unasked; `undo` brings it back."""
    by_editor(opened)
    before = opened.document
    do(opened, "reload")
    assert sum(len(one.validators) for one in opened.opened().case.transactions()) == 1
    do(opened, "undo")
    assert opened.document == before
    do(opened, "delete 2")
    with pytest.raises(CommandError, match="`save` it, or give `reload --discard`"):
        do(opened, "reload")


def test_reload_without_a_file(session: Console) -> None:
    """There is nothing to read."""
    session.document = DOCUMENT
    with pytest.raises(CommandError, match=r"there is no shop\.case\.toml yet"):
        do(session, "reload")


def test_play_says_that_the_file_differs(session: Console, listener: Listener) -> None:
    """It replays what is open, and not what is in the file."""
    with serving() as server:
        session.case_path.write_text(case(server.url, "GET /", "GET /two"))
        open_file(session)
        by_editor(session)
        listener.lines = ["yes"]
        do(session, "play --fast")
    assert "shop.case.toml was changed outside (line" in listener.text
    assert "2 transactions passed" in listener.text


@pytest.fixture
def editor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Have `edit` run Python code with the file's text in ``text``."""

    def set_to(code: str) -> None:
        program = tmp_path / "editor.py"
        program.write_text(
            "import pathlib, sys\npath = pathlib.Path(sys.argv[1])\n"
            f"text = path.read_text()\n{code}\npath.write_text(text)\n"
        )
        monkeypatch.setenv("VISUAL", shlex.join([sys.executable, str(program)]))

    return set_to


def test_edit_is_one_step(
    opened: Console, listener: Listener, editor: Callable[[str], None]
) -> None:
    """What was changed in the editor is taken over, `undo` takes it back in one, and `save` keeps
    the comments that were written there."""
    before = opened.opened().case
    editor(f"text = text.replace('request = ', '''# important\n{EXTRA}\nrequest = ''', 1)")
    do(opened, "edit")
    assert listener.text.startswith("Changed line ")
    changed = opened.opened().case
    assert changed != before
    assert opened.unsaved
    do(opened, "undo")
    assert opened.opened().case == before
    do(opened, "redo")
    do(opened, "save")
    text = opened.case_path.read_text()
    assert "# important" in text
    assert "Welcome" in text
    assert read_case(opened.case_path) == changed


def test_edit_has_what_is_not_saved(opened: Console, editor: Callable[[str], None]) -> None:
    """The text is that of what is open."""
    do(opened, "delete 2")
    editor("assert '/two' not in text\ntext = text.replace('GET /', 'GET /three')")
    do(opened, "edit")
    (one,) = opened.opened().case.transactions()
    assert one.request.target == "/three"


def test_edit_says_what_is_wrong(
    opened: Console, listener: Listener, editor: Callable[[str], None], tmp_path: Path
) -> None:
    """With file and line; a person may go on with what was typed; who stops has changed nothing."""
    before = opened.document
    once = tmp_path / "once"
    editor(
        f"once = pathlib.Path({str(once)!r})\n"
        "if once.exists():\n    assert 'GETT' in text\n    text = text.replace('GETT', 'PUT ', 1)\n"
        "else:\n    text = text.replace('\"GET /', '\"GETT/', 1)\nonce.touch()"
    )
    with pytest.raises(CommandError, match="nothing was changed"):
        do(opened, "edit")
    assert "shop.case.toml:" in listener.text
    assert opened.document == before
    once.unlink()
    listener.lines = ["yes"]
    do(opened, "edit")
    assert next(iter(opened.opened().case.transactions())).request.method == "PUT"


def test_edit_without_a_change(
    opened: Console, listener: Listener, editor: Callable[[str], None]
) -> None:
    """Nothing is to be undone."""
    editor("")
    do(opened, "edit")
    assert listener.said == ["Nothing was changed."]
    assert opened.history.made == []


@pytest.mark.parametrize(
    ("command", "message"),
    [("false", "the editor false ended with exit status 1"), ("/none", "/none cannot be started")],
)
def test_editor_that_fails(
    opened: Console, monkeypatch: pytest.MonkeyPatch, command: str, message: str
) -> None:
    """It is said, and nothing is changed."""
    monkeypatch.setenv("VISUAL", command)
    with pytest.raises(CommandError, match=message):
        do(opened, "edit")
    assert not opened.unsaved

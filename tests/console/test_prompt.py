"""The console at a prompt: keys, questions, the line of state and history."""

from __future__ import annotations

import asyncio
import io
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from dataclasses import replace
from pathlib import Path

import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.input import PipeInput, create_pipe_input
from prompt_toolkit.output.plain_text import PlainTextOutput

from pytest_loadtool.casefile import read_case
from pytest_loadtool.console.execution import ABANDONED, NOTHING_RECORDED, SAVED
from pytest_loadtool.console.repl.prompt import TerminalFrontend, history, interact, toolbar
from pytest_loadtool.console.session import Console
from pytest_loadtool.workflow.document import Document
from tests.console.samples import DOCUMENT

CTRL_C, CTRL_D, ENTER = "\x03", "\x04", "\r"


@contextmanager
def terminal() -> Iterator[tuple[PipeInput, io.StringIO]]:
    """What a person types, and what the terminal shows."""
    shown = io.StringIO()
    with (
        create_pipe_input() as keys,
        create_app_session(input=keys, output=PlainTextOutput(shown)),
        redirect_stdout(shown),  # what commands say between two prompts
    ):
        yield keys, shown


@pytest.fixture
def typed(
    session: Console, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., tuple[int, str]]:
    """Run the console with these keys typed; its exit status and what it showed."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    session.frontend = TerminalFrontend()

    def run(*keys: str, first: str = "") -> tuple[int, str]:
        with terminal() as (typing, shown):
            typing.send_text("".join(keys))
            status = asyncio.run(interact(session, first))
        return status, shown.getvalue()

    return run


Typed = Callable[..., tuple[int, str]]


@pytest.mark.promise(14)
@pytest.mark.promise(15)
def test_tree_is_shown_on_request(session: Console, typed: Typed) -> None:
    """A person types a command and sees the pages of the test case."""
    session.document = session.saved = DOCUMENT
    status, shown = typed("tree", ENTER, "quit", ENTER)
    assert status == SAVED
    assert "▾ P1 Log in" in shown


def test_slip_is_answered_and_the_console_goes_on(typed: Typed) -> None:
    """A command that does not exist is no reason to leave."""
    status, shown = typed("tere", ENTER, "help tree", ENTER, CTRL_D)
    assert status == NOTHING_RECORDED
    assert "there is no command 'tere'; did you mean 'tree'?" in shown
    assert "Show the test case" in shown


def test_view_is_not_drawn_where_nothing_can_be(session: Console, typed: Typed) -> None:
    """It would be nothing but escape sequences there."""
    session.document = session.saved = DOCUMENT
    _, shown = typed("view", ENTER, CTRL_D)
    assert "views need a terminal: `tree` and `show` print the same" in shown


def test_control_c_clears_the_line(typed: Typed) -> None:
    """What was typed is thrown away, not run, and the console stays."""
    _, shown = typed("nonsense", CTRL_C, "help quit", ENTER, CTRL_D)
    assert "no command" not in shown
    assert "Leave the console." in shown


@pytest.mark.parametrize("after", ["line", "answer"])
def test_control_c_right_after_a_line_ends_its_command(
    session: Console, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after: str
) -> None:
    """The terminal is read key by key for a moment after Enter: Ctrl-C is no signal yet, and is
    not kept for the next line or question either. What is typed ahead goes, as in terminals."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    session.document = DOCUMENT
    session.case_path.write_text("# somebody's\n")
    with terminal() as (typing, shown):

        class Person(TerminalFrontend):
            async def confirm(self, question: str, *, unattended: bool) -> bool:
                haste = CTRL_C if "Replace" in question else ""
                typing.send_text("y" + ENTER + haste)
                return await TerminalFrontend.confirm(self, question, unattended=unattended)

            def say(self, text: str) -> None:
                TerminalFrontend.say(self, text)
                if "interrupted" in text or "Saved" in text:
                    typing.send_text(CTRL_D)

        session.frontend = Person()
        typing.send_text("save" + ENTER + (CTRL_C + "tree" + ENTER if after == "line" else ""))
        status = asyncio.run(asyncio.wait_for(interact(session), timeout=60))
    assert status == ABANDONED
    assert shown.getvalue().count("interrupted") == 1
    assert ("Replace?" in shown.getvalue()) == (after == "answer")
    assert "▾ P1 Log in" not in shown.getvalue()
    assert session.case_path.read_text() == "# somebody's\n"


def test_quit_with_unsaved_changes_asks_once(session: Console, typed: Typed) -> None:
    """A no brings the prompt back, a yes leaves; the status tells that it was abandoned."""
    session.document = DOCUMENT
    status, shown = typed(CTRL_D, "n", ENTER, "quit", ENTER, "y", ENTER)
    assert status == ABANDONED
    assert "The test case is not saved to shop.case.toml. Quit all the same? [y/N] n" in shown
    assert shown.count("still here: `save` writes the test case") == 1


def test_saved_test_case_is_left_without_a_question(session: Console, typed: Typed) -> None:
    """There is nothing to ask when nothing can be lost."""
    session.document = DOCUMENT
    status, shown = typed("save", ENTER, CTRL_D)
    assert status == SAVED
    assert "[y/N]" not in shown


def test_save_asks_before_it_writes_over_a_file(session: Console, typed: Typed) -> None:
    """A test case that this console did not open is replaced only after a yes."""
    session.document = DOCUMENT
    session.case_path.write_text("# somebody's\n")
    typed("save", ENTER, "n", ENTER, CTRL_D, "y", ENTER)
    assert session.case_path.read_text() == "# somebody's\n"
    session.done = False
    status, _ = typed("save", ENTER, "y", ENTER, CTRL_D)
    assert status == SAVED
    assert read_case(session.case_path) == DOCUMENT.case


def test_defect_does_not_cost_the_test_case(
    session: Console, typed: Typed, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An error nobody foresaw is shown, and what is open can still be saved."""

    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError("oops")

    session.document = DOCUMENT
    monkeypatch.setattr("pytest_loadtool.console.views.tree.tree", fail)
    status, shown = typed("tree", ENTER, "save", ENTER, CTRL_D)
    assert status == SAVED
    assert "ZeroDivisionError" in shown
    assert "a defect of pytest-loadtool" in shown


def test_first_line_is_run_at_once(typed: Typed) -> None:
    """What the command line asked for is shown as if it had been typed."""
    _, shown = typed(CTRL_D, first="help stop")
    assert "loadtool> help stop" in shown
    assert "Stop recording" in shown


def test_pasted_lines_run_one_by_one(session: Console, typed: Typed) -> None:
    """A block from a document is as many commands as it has lines; after one that fails, the rest
    is not run, and it is said."""
    session.document = session.saved = DOCUMENT
    start, end = "\x1b[200~", "\x1b[201~"
    _, shown = typed(f"{start}tree\n\nhelp stop\n{end}", ENTER, CTRL_D)
    assert "▾ P1 Log in" in shown
    assert "Stop recording: close the browser" in shown
    session.done = False
    _, shown = typed(f"{start}tere\nhelp stop\ntree\n{end}", ENTER, CTRL_D)
    assert "Not run: 2 lines of what was pasted." in shown
    assert "Stop recording: close the browser" not in shown


def test_a_new_test_case_says_what_to_do_first(session: Console, typed: Typed) -> None:
    """The three ways to one; when one is open, nothing of that."""
    _, said = typed(CTRL_D)
    assert "New test case. `record URL` opens a browser, `import FILE.har`" in said
    session.document, session.done = DOCUMENT, False
    session.saved = DOCUMENT
    _, said = typed(CTRL_D)
    assert "New test case" not in said
    assert "`help` lists the commands" in said


def test_toolbar_says_what_there_is(session: Console) -> None:
    """The line of state: the test case, how much it holds, and whether it is saved."""
    assert toolbar(session) == "no test case"
    session.document = DOCUMENT
    assert toolbar(session) == "shop.case.toml: 2 pages, 3 transactions (unsaved)"
    session.saved = Document(replace(DOCUMENT.case), DOCUMENT.exchanges)
    assert toolbar(session) == "shop.case.toml: 2 pages, 3 transactions"


def test_history_is_kept_for_this_user_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Lines may hold addresses and names: nobody else reads them."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    history().append_string("record http://127.0.0.1/")
    path = tmp_path / "pytest-loadtool" / "history"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert "record http://127.0.0.1/" in path.read_text()


def test_console_works_without_a_place_for_history(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A home that cannot be written to costs the history, not the console."""
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    history().append_string("tree")
    assert "no history is kept" in capsys.readouterr().err

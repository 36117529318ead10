"""Help, aliases, other programs, the session log, and leaving."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from pytest_loadtool.console.errors import CommandError, UsageError
from pytest_loadtool.console.repl.drawing import lines_drawn
from pytest_loadtool.console.session import Console
from tests.console.listener import Listener, do
from tests.console.samples import DOCUMENT
from tests.console.traffic import sign_in, write_har


def test_help_fits_a_terminal(session: Console, listener: Listener) -> None:
    """The groups with their commands take one screen of 80 columns and 24 lines, and every command
    is among them."""
    do(session, "help")
    shown = [part for line in listener.said for part in lines_drawn(line, 80, coloured=False)]
    assert len(shown) < 24
    assert max(map(len, shown)) <= 80
    named = " ".join(shown).replace(",", " ").split()
    assert set(session.registry.commands) <= set(named)


def test_help_of_a_group(session: Console, listener: Listener) -> None:
    """Its commands, each with what it does."""
    do(session, "help look")
    assert listener.said[0] == "Look"
    assert any(line.startswith("  tree ") for line in listener.said)
    assert not any("set-field" in line for line in listener.said)


def test_help_of_a_group_that_is_also_a_command(session: Console, listener: Listener) -> None:
    """Both are told."""
    do(session, "help record")
    assert listener.said[0].startswith("record [URL]")
    assert "Record" in listener.said
    assert any(line.startswith("  stop ") for line in listener.said)


def test_help_of_a_command_in_two_words(session: Console, listener: Listener) -> None:
    """As it may be typed; with its usage and an example, its paragraphs as lines to be wrapped."""
    do(session, "help create load")
    assert listener.said[0].startswith("create-load-configuration [FILE] [--users USERS]")
    assert "Example: create-load users=50 duration=10m ramp-up=1m" in listener.said
    assert not any("\n" in line for line in listener.said)
    with pytest.raises(UsageError, match="no command 'tere'; did you mean 'tree'"):
        do(session, "help tere")


@pytest.mark.parametrize("line", ["exit", "q", "quit"])
def test_words_for_leaving(session: Console, line: str) -> None:
    """Those that people know from elsewhere."""
    do(session, line)
    assert session.done


def test_no_while_recording_is_over(session: Console, listener: Listener) -> None:
    """What is left to do is said."""
    session.document = DOCUMENT
    listener.answers = [False]
    with pytest.raises(CommandError, match="still here: `save` writes the test case"):
        do(session, "exit")
    assert not session.done


def test_shell(session: Console, tmp_path: Path) -> None:
    """`!` runs what stands after it as it stands, in the console's folder."""
    do(session, '!echo "it\'s" $((1 + 1)) > out.txt; ls | cat >> out.txt')
    assert (tmp_path / "out.txt").read_text() == "it's 2\nout.txt\n"
    with pytest.raises(CommandError, match="false ended with exit status 1"):
        do(session, "!false")
    do(session, "ls")


def test_undoing_the_recording_asks(session: Console, listener: Listener, tmp_path: Path) -> None:
    """A no keeps the test case; a script is not asked."""
    do(session, f"import {write_har(tmp_path / 'in.har', *sign_in('http://shop.test'))}")
    listener.answers = [False]
    with pytest.raises(CommandError, match="nothing was undone"):
        do(session, "undo")
    assert session.document is not None
    assert "made the test case: without it none is open" in listener.asked[-1]
    do(session, "undo")
    assert session.document is None


def test_log_is_a_script(session: Console, listener: Listener, tmp_path: Path) -> None:
    """It has each command with what it said last; what failed is a comment; looking is no change,
    and is in it all the same."""
    har = write_har(tmp_path / "in.har", *sign_in("http://shop.test"))
    do(session, f"import {har}")
    with pytest.raises(CommandError):
        do(session, "show 99")
    do(session, "delete 1")
    listener.said.clear()
    do(session, "log")
    lines = listener.text.splitlines()
    assert lines[0] == f"import {har}"
    assert lines[2].startswith("# failed: show 99")
    assert "delete 1" in lines
    do(session, f"log --save {tmp_path}/again.txt")
    saved = tmp_path / "again.txt"
    assert saved.read_text().splitlines() == lines
    assert stat.S_IMODE(saved.stat().st_mode) == 0o600
    with pytest.raises(CommandError, match="would be written over"):
        do(session, f"log --save {tmp_path}/again.txt")


def test_log_has_no_secrets(session: Console, tmp_path: Path) -> None:
    """A line with one is a comment without it."""
    do(session, f"import {write_har(tmp_path / 'in.har', *sign_in('http://shop.test'))}")
    do(session, "set-field 3 password --constant hunter2hunter2")
    do(session, "set-field 3 user --constant ben")
    session.secrets.add("sesame street 1")
    with pytest.raises(CommandError):
        do(session, "import http://ann:sesame@shop.test/x.har")
    do(session, "set-field 3 user --constant 'sesame street 1'")
    script = session.log.script()
    assert "hunter2" not in script
    assert "sesame" not in script.replace("sesa…", "")
    assert "\nset-field 3 user --constant ben\n" in script
    assert "# not repeated: set-field 3 password --constant …" in script

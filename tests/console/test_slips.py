"""What the console answers to the slips of a day: a word too many, one too few, a step too far."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_loadtool.console.commands import COMMANDS
from pytest_loadtool.console.errors import CommandError, UsageError
from pytest_loadtool.console.session import Console
from tests.console.listener import Listener, do
from tests.console.traffic import sign_in, write_har

SERVER = "http://shop.test"


@pytest.fixture
def opened(session: Console, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Console:
    """A test case whose pages think for a minute, saved."""
    monkeypatch.chdir(tmp_path)
    first, *others = sign_in(SERVER)
    elsewhere = replace(first, url="http://cdn.shop-files.test/a.css")
    write_har(tmp_path / "in.har", first, *others, elsewhere)
    do(session, "import in.har")
    return session


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (
            "create load configuration users=5 ramp=20s",
            "no option --ramp; did you mean '--ramp-up'",
        ),
        ("create load users=5 rmp=1s", "create-load-configuration has no option --rmp"),
        ("create users=5", "there is no command 'create'"),
        ("delete", r"delete what\? A number \(4\), a range \(4-8\), a page \(P3\)"),
        ("delete 99", "there is no transaction 99: `tree` numbers them 1 to "),
        ("start nonexist.toml", r"nonexist\.toml is not the name of .*; there is shop\.load\.toml"),
        ("load set users", r"load-set needs VALUE\.\.\."),
        ("help create lod", "did you mean"),
        ("rename P1 Log in", r'words that belong together go in quotes: "Log in"'),
        ("extract 1 name", r"extract what\? --from TEXT proposes"),
        ("validate 1", r"validate what\? --from TEXT proposes"),
        ("record /login", r"'/login' names no server: `record http://HOST/`"),
        ("record ?next=/", "names no server"),
        ("export jmeter", "KIND is one of curl, k6, not 'jmeter'"),
    ],
)
def test_it_says_what_was_wrong_and_does_nothing(
    opened: Console, tmp_path: Path, line: str, said: str
) -> None:
    """And what there is instead; no file gets the name of an option."""
    do(opened, "save --secrets keep")
    do(opened, "create load users=2 duration=1m")
    before = sorted(one.name for one in tmp_path.iterdir())
    with pytest.raises((CommandError, UsageError), match=said):
        do(opened, line)
    assert sorted(one.name for one in tmp_path.iterdir()) == before


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("create load users=5", "create-load-configuration"),
        ("create load configuration users=5", "create-load-configuration"),
        ("help create load", "help"),
        ("!ls *.toml", "shell"),
        ("ls", "shell"),
        ("exit", "quit"),
        ("q", "quit"),
        ("clear", "clear"),
        ("?", "help"),
        ("? delete", "help"),
    ],
)
def test_what_is_typed_by_habit_is_understood(line: str, name: str) -> None:
    """Names without their last words, and those that other programs have."""
    call = COMMANDS.parse(line)
    assert call is not None
    assert call.command.name == name


def test_a_short_load_is_told_when_it_is_written(opened: Console, listener: Listener) -> None:
    """With both numbers: what an iteration takes, and how long the load lasts."""
    for line in ("think all 60s", "save --secrets keep", "create load users=5 duration=10s"):
        do(opened, line)
    assert re.search(r"one iteration needs about \d+ s, .* the load\s+lasts 10 s", listener.text)


def test_nothing_is_no_number_of_users(opened: Console, listener: Listener) -> None:
    """`none` is an answer where a question offers it, and a slip elsewhere."""
    do(opened, "save --secrets keep")
    listener.interactive = True
    listener.lines[:] = ["users", "none", "7", "none", "2m", "0s", "none", "none"]
    do(opened, "create-load-configuration")
    assert "users: expected a whole number, got the text 'none'" in listener.said
    assert any(one.startswith("duration: expected a duration") for one in listener.said)
    assert "create-load-configuration --users=7 --duration=2m --ramp-up=0s --think-time=none" in (
        " ".join(listener.text.split())
    )


def test_undoing_the_recording_itself_is_asked_about(opened: Console, listener: Listener) -> None:
    """A no leaves it; a script, which nobody answers, undoes what it says."""
    listener.interactive = True
    listener.answers[:] = [False]
    with pytest.raises(CommandError):
        do(opened, "undo")
    assert "`import in.har` made the test case" in listener.asked[-1]
    assert opened.document is not None


def test_other_hostnames_have_numbers_and_boxes(opened: Console, listener: Listener) -> None:
    """A slip is told with what there is, a beginning or a number will do, and the remedy names
    those that were kept, too."""
    listener.interactive = True
    listener.lines[:] = ["x", "cdn", "yes"]
    do(opened, "configure")
    boxes = [line[:11] for line in listener.text.splitlines() if line[5:8] in ("[ ]", "[x]")]
    asked, then = ["   1 [ ] me", "   2 [ ] cd"], ["   1 [ ] me", "   2 [x] cd"]
    assert boxes == [*asked, *asked, *then]
    assert "no transaction goes to 'x'; other hostnames: metrics.third-party" in listener.text
    assert "`configure --hosts cdn.shop-files.test,metrics.third-party.invalid`" in listener.text

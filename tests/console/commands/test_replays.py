"""Replays that were kept: listed, chosen, and explained."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_loadtool.console.commands import COMMANDS
from pytest_loadtool.console.errors import CommandError, UsageError
from pytest_loadtool.console.opening import open_file
from pytest_loadtool.console.session import Console, Settings
from pytest_loadtool.workflow.keeping import kept_replays
from tests.console.listener import Listener, do
from tests.console.running import ROOT, run, run_script
from tests.console.traffic import sign_in, write_har
from tests.plugin.serving import Server, serving

GLOSSARY = ROOT / "docs" / "glossary.md"


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """An application that lets nobody in with yesterday's token."""
    with serving() as server:
        server.token = "zY9xW8vU7tS6rQ5pO4"
        yield server


@pytest.fixture
def played(session: Console, server: Server, tmp_path: Path, listener: Listener) -> Console:
    """A console with a sign-in that was played twice: it passed, then a constant was refused."""
    do(session, f"import {write_har(tmp_path / 'in.har', *sign_in(server.url))}")
    do(session, "configure")
    do(session, "play --fast")
    do(session, "set-field 2 token --constant stale")
    with pytest.raises(CommandError, match="1 of 2 transactions failed"):
        do(session, "play --fast")
    listener.said.clear()
    return session


@pytest.mark.promise(47)
def test_states_are_those_of_the_glossary(played: Console, listener: Listener) -> None:
    """A replay that was ended on purpose is stopped; of one that went to its end, only what passed
    or failed is told."""
    do(played, "play --fast --to 1")
    listener.said.clear()
    do(played, "replays")
    told = [re.search(r"transactions?, (\w+), http", line) for line in listener.said]
    states = [found[1] for found in told if found]
    assert states == ["stopped"]
    (row,) = re.findall(r"^\| a kept replay \| (.*) \|$", GLOSSARY.read_text("utf-8"), re.MULTILINE)
    assert states[0] in row.split(", ")


def test_list_and_choice(played: Console, listener: Listener, server: Server) -> None:
    """The latest comes first, and is looked at unless another is chosen, up to the next `play`."""
    do(played, "replays")
    first, second = listener.said
    assert first.startswith("> 1  ")
    assert first.endswith(f"1 failure  2 transactions, {server.url}")
    assert second.startswith("  2  ")
    assert f"passed  2 transactions, {server.url}" in second
    listener.said.clear()
    do(played, "replays 2")
    assert "    2  200" in listener.said[3]
    assert "no title where" in listener.said[2]
    with pytest.raises(CommandError, match="nothing failed in that replay"):
        do(played, "why")
    with pytest.raises(CommandError):
        do(played, "play --fast")
    do(played, "why")
    with pytest.raises(UsageError, match="there is no replay 4: `replays` numbers them 1 to 3"):
        do(played, "replays 4")


def test_why_is_what_pytest_says(
    played: Console, listener: Listener, server: Server, tmp_path: Path
) -> None:
    """The explanation of a kept replay is that of the test, to the letter, but for times."""
    do(played, "save")
    listener.said.clear()
    do(played, "why")
    text = listener.text
    for part in ("FIX FIRST  2 of 2", "sent to http", "recorded: 200 OK, now 403 Forbidden"):
        assert part in text
    assert "correct" not in text
    done = run(tmp_path, "shop.case.toml", "--loadtool-think-time=none", status=1)
    differing = re.compile(r"Date: .*|received after \d+ ms:|(?<=case\.toml):\d+")
    said = {differing.sub("", line).strip() for line in done.stdout.splitlines()}
    assert {differing.sub("", line).strip() for line in text.splitlines()} - said == set()


def test_play_says_why_without_the_bodies(played: Console, listener: Listener) -> None:
    """The reason and the remedy fit on a screen; `why` has the rest."""
    with pytest.raises(CommandError):
        do(played, "play --fast")
    assert "FIX FIRST  2 of 2  Sign in" in listener.text
    assert "sent to http" not in listener.text
    assert (
        listener.said[-1] == "`why` also shows what was sent and received, `diff 2` what differs."
    )
    assert len(listener.text[listener.text.index("FIX FIRST") :].splitlines()) <= 24


def test_transactions_are_known_again_after_a_deletion(played: Console, listener: Listener) -> None:
    """The second one is the first now, and what was kept is of the second."""
    do(played, "delete 1")
    listener.said.clear()
    do(played, "why 1")
    assert "Status Code is 403" in listener.text
    do(played, "undo")
    with pytest.raises(CommandError, match="transaction 1 has not failed: not as recorded"):
        do(played, "why 1")


def test_what_failed_is_marked_and_selected(played: Console, listener: Listener) -> None:
    """In the replay at hand: none has, once one that passed is chosen."""
    do(played, "tree")
    marked = [line for line in listener.said if line.startswith("    2  POST")]
    assert marked[0].split()[6] == "wsf"
    for line in ("tree --failed", "tree ~f", "fields --failed", "validators ~f"):
        listener.said.clear()
        do(played, line)
        assert "/login" in listener.text
        assert "/form" not in listener.text
    do(played, "replays 2")
    with pytest.raises(UsageError, match="no transaction is like that"):
        do(played, "tree --failed")


def test_nothing_was_kept(session: Console, server: Server, tmp_path: Path) -> None:
    """It is said what does."""
    do(session, f"import {write_har(tmp_path / 'in.har', *sign_in(server.url))}")
    for line in ("replays", "why"):
        with pytest.raises(CommandError, match="nothing was replayed yet: `play` does"):
            do(session, line)


def test_artefact_is_opened(played: Console, tmp_path: Path, listener: Listener) -> None:
    """--replay-har, as of a CI job: another folder, and no other replay is there."""
    do(played, "save")
    artefact = tmp_path / "artefact.har"
    kept_replays(played.case_path)[0].rename(artefact)
    settings = Settings(directory=tmp_path, replay_har=artefact)
    opened = Console(settings, listener, COMMANDS, played.case_path)
    listener.said.clear()
    open_file(opened)
    assert "artefact.har: 2 transactions" in listener.text
    do(opened, "why 2")
    do(opened, "replays")
    assert listener.said[-1].startswith("> 2  ")
    assert "called" not in listener.text
    opened.document = replace(opened.opened(), case=replace(opened.opened().case, name="other"))
    do(opened, f"replays {artefact}")
    assert "  It is a replay of a test case called shop." in listener.said


def test_from_the_command_line(played: Console, tmp_path: Path) -> None:
    """The option means nothing without the console; a file that is none is an error at once."""
    do(played, "save")
    kept = kept_replays(played.case_path)[0]
    done = run_script(tmp_path, "why\n", "--replay-har", str(kept.relative_to(tmp_path)))
    assert "Status Code is 403" in done.stdout
    done = run_script(tmp_path, "why\n", "--replay-har", "shop.har", status=4)
    assert "shop.har: no kept replay" in done.stderr
    done = run(tmp_path, "--replay-har", str(kept), status=4)
    assert "--replay-har means nothing without --record" in done.stderr

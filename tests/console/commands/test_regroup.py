"""Pauses within pages: told, kept, and made into pages."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from pytest_loadtool.casefile import read_case
from pytest_loadtool.console.errors import CommandError, UsageError
from pytest_loadtool.console.opening import open_file
from pytest_loadtool.console.session import Console
from tests.console.listener import Listener, do
from tests.console.traffic import exchange, write_har

SERVER = "http://shop.example"


@pytest.fixture
def recorded(session: Console, listener: Listener, tmp_path: Path) -> Console:
    """A console with an application of one document, and three clicks."""
    referer = ("Referer", f"{SERVER}/app")
    app = exchange("GET", f"{SERVER}/app", 0, ("Accept", "text/html"), answer="<title>App</title>")
    clicks = [exchange("GET", f"{SERVER}/api/{n}", 4.0 * n, referer) for n in (1, 2, 3)]
    write_har(tmp_path / "shop.recording.har", app, *clicks)
    do(session, f"import {tmp_path}/shop.recording.har")
    return session


def test_pauses_are_told_when_the_recording_ends(recorded: Console, listener: Listener) -> None:
    """Replay keeps them; the tree shows them; each thing done can be a page of its own."""
    assert (
        "  Replay keeps pauses of 12.0 s within the page App as think times: `regroup --activity` "
        "makes a page of each thing that was done."
    ) in listener.said
    do(recorded, "tree --collapse-all")
    assert listener.said[-1] == (
        "▸ P1 App  (4 transactions, 0 B sent, 18 B received)  pauses 12.0s"
    )
    do(recorded, "mark-dangerous 3")
    do(recorded, "regroup --activity")
    pages = recorded.opened().case.pages
    assert [(page.name, page.think_time) for page in pages] == [
        ("App", 3.99), ("api", 3.99), ("api (2)", 3.99), ("api (3)", 0),
    ]  # fmt: skip
    assert [one.dangerous for one in recorded.opened().case.transactions()] == [
        False, False, True, False,
    ]  # fmt: skip
    assert listener.said[-1] == "The test case has 4 pages, 4 transactions."
    do(recorded, "undo")
    assert len(recorded.opened().case.pages) == 1


def test_edits_are_kept(recorded: Console, listener: Listener) -> None:
    """Names, fields and what was deleted; an order that was not recorded is not."""
    for line in (
        "rename P1 Shop",
        "rename 3 'second click'",
        "set-field 4 path[2] --constant 33",
        "delete 2",
        "move 2 --after 3",
        "regroup --activity",
    ):
        do(recorded, line)
    pages = recorded.opened().case.pages
    assert [[one.title for one in page.transactions] for page in pages] == [
        ["GET /app"], ["second click"], ["GET /api/33"],
    ]  # fmt: skip
    assert pages[0].name == "Shop"
    assert len({page.name for page in pages}) == 3


def test_an_older_test_case_is_told(recorded: Console, listener: Listener) -> None:
    """When it is opened, that replay leaves them out; `regroup` mends it and keeps what was
    edited."""
    do(recorded, "save")
    path = recorded.case_path
    path.write_text(path.read_text().replace(", pause = 3.99", "").replace('"App"', '"Shop"'))
    listener.said.clear()
    open_file(recorded)
    assert listener.said[-1] == (
        "  Replay leaves out pauses of 12.0 s within the page Shop: `regroup` keeps them, and all "
        "that was edited."
    )
    do(recorded, "regroup")
    do(recorded, "save")
    (page,) = read_case(path).pages
    waits = [one.recorded.pause for one in page.transactions if one.recorded is not None]
    assert (page.name, waits) == ("Shop", [0, 3.99, 3.99, 3.99])
    listener.said.clear()
    open_file(recorded)
    assert "Replay leaves out" not in listener.text


def test_what_cannot_be_grouped_is_refused(recorded: Console) -> None:
    """Without the traffic nobody knows when things happened."""
    with pytest.raises(UsageError, match="--activity-threshold goes with --activity"):
        do(recorded, "regroup --activity-threshold 1s")
    with pytest.raises(UsageError, match="longer than 0"):
        do(recorded, "regroup --activity --activity-threshold 0s")
    recorded.document = replace(recorded.opened(), exchanges=())
    with pytest.raises(CommandError, match="traffic is not at hand"):
        do(recorded, "regroup")

"""Configuring by replays: what no rule finds, what stays, what is missing, and when it ends."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_loadtool.casefile import read_case
from pytest_loadtool.console.errors import CommandError, UsageError
from pytest_loadtool.console.execution import execute
from pytest_loadtool.console.opening import open_file
from pytest_loadtool.console.session import Console
from pytest_loadtool.model.case import TestCase
from tests.console.desk import Desk, record, serving
from tests.console.listener import Listener, do


@pytest.fixture
def desk() -> Iterator[Desk]:
    with serving() as desk:
        yield desk


@pytest.fixture
def imported(session: Console, desk: Desk, tmp_path: Path, listener: Listener) -> Console:
    """A console with a recorded visit to the desk that is not configured."""
    do(session, f"import {record(desk, tmp_path / 'in.har')}")
    listener.said.clear()
    return session


def sent(case: TestCase) -> list[str]:
    """Each request's target and body."""
    requests = [one.request for one in case.transactions()]
    return [f"{one.target} {one.body!s}" if one.body else one.target for one in requests]


FOUND = [
    "/desk",
    "/tickets ticket=${ticket[1]}&size=20",
    "/queue/${queue_id[1]}?size=20",
    "/pay ticket=${ticket[1]}&size=20&sum=5",
]


@pytest.mark.promise(2)
def test_what_only_a_replay_shows(imported: Console, desk: Desk, listener: Listener) -> None:
    """Short numbers in a page: one by its name, one because it was refused. Constants stay."""
    do(imported, "configure")
    assert "${" not in str(sent(imported.opened().case))
    asked = len(desk.requests)
    do(imported, "configure --replay")
    assert sent(imported.opened().case) == FOUND
    assert "Replay 1 of at most 10: 4 transactions, 3 failed" in listener.text
    assert "Replay 2 of at most 10: 4 transactions, 1 failed; tried ticket[1]" in listener.text
    assert "Replay 3 of at most 10: 4 transactions, 0 failed; tried queue_id[1]" in listener.text
    assert "Replay 4 of at most 10: 4 transactions, 0 failed, on the same server" in listener.text
    assert "Green after 4 replays." in listener.text
    assert len(desk.requests) - asked == 16
    assert 'On replay "1 GET /desk" gave out another value' in listener.text
    do(imported, "play --fast")


@pytest.mark.promise(2)
def test_configuring_again_keeps_it(imported: Console, tmp_path: Path, listener: Listener) -> None:
    """Without a replay, with another, and from the file; and `explain` tells it."""
    do(imported, "configure --replay")
    case = imported.opened().case
    do(imported, "configure")
    assert imported.opened().case == case
    do(imported, "configure --replay")
    assert imported.opened().case == case
    assert listener.text.count("Green after") == 2
    do(imported, "save")
    assert read_case(imported.case_path) == case
    kept = json.loads(imported.case_path.with_name("shop.har").read_text())["log"]["_asm"]
    decision = next(one for one in kept if one["variable"] == "ticket[1]")
    assert decision["consumers"] == ["2 POST /tickets", "4 POST /pay"]
    assert decision["rule"] == "replay-compare"
    imported.document = imported.saved = None
    open_file(imported)
    listener.said.clear()
    do(imported, "explain")
    assert "set by 1 GET /desk, used by 2 POST /tickets, 4 POST /pay" in listener.text
    assert "[replay-compare, 80%]" in listener.text
    do(imported, "configure")
    assert imported.opened().case == case


def test_missing_value_is_named(imported: Console, desk: Desk, listener: Listener) -> None:
    """The server does not tell the number any more: which transaction, which value, and why."""
    desk.told = False
    with pytest.raises(CommandError, match="not green after 2 replays: 1 transaction failed"):
        do(imported, "configure --replay")
    assert sent(imported.opened().case)[1] == FOUND[1]
    assert sent(imported.opened().case)[2] == "/queue/51?size=20"
    assert "missing: 3 GET /queue/51" in listener.text
    assert "404" in listener.text
    assert "queue is sent as recorded, 51: transaction 1 gave it out, and now something" in (
        listener.text
    )
    assert "size is sent" not in listener.text


def test_number_of_replays_is_bounded(imported: Console, desk: Desk, listener: Listener) -> None:
    """With one replay the better proof is used, a guess is not: nothing would confirm it."""
    asked = len(desk.requests)
    with pytest.raises(CommandError):
        do(imported, "configure --replay --replays 1")
    assert len(desk.requests) - asked == 4
    assert sent(imported.opened().case)[1:3] == [FOUND[1], "/queue/51?size=20"]
    assert "found after the last replay, so not tried: ticket[1]" in listener.text
    with pytest.raises(UsageError, match="at least 1"):
        do(imported, "configure --replay --replays 0")


def test_interrupting_loses_nothing(imported: Console, desk: Desk, listener: Listener) -> None:
    """Ctrl-C cancels the command: what was configured before the round stays, and nothing else."""
    do(imported, "configure")
    before = imported.opened()
    desk.silent.set()

    async def interrupted() -> None:
        command = asyncio.ensure_future(execute(imported, "configure --replay"))
        assert await asyncio.to_thread(desk.asked.wait, 60)
        command.cancel()
        with pytest.raises(asyncio.CancelledError):
            await command

    asyncio.run(interrupted())
    assert imported.opened().case == before.case
    assert imported.opened().exchanges == before.exchanges
    assert "Replay 1" not in listener.text


def test_dangerous_transaction_is_never_sent(
    imported: Console, desk: Desk, listener: Listener
) -> None:
    """It is marked in the file; the loop leaves it out and says so, `play` sends it."""
    do(imported, "mark-dangerous 4")
    desk.requests.clear()
    do(imported, "configure --replay")
    assert not any(one.startswith("POST /pay") for one in desk.requests)
    assert len(desk.requests) == 12
    assert "not tried: 4 POST /pay: transaction 4 is marked as dangerous" in listener.text
    assert sent(imported.opened().case) == FOUND
    do(imported, "save")
    assert [one.dangerous for one in read_case(imported.case_path).transactions()][3]
    do(imported, "tree")
    assert "/pay  (dangerous)" in listener.text
    do(imported, "mark-dangerous 4 --off")
    do(imported, "play --fast")
    assert desk.requests[-1].startswith("POST /pay")


def test_what_lies_behind_a_dangerous_transaction(
    imported: Console, desk: Desk, listener: Listener
) -> None:
    """What fails there may want what was not sent: no guess is made, and it is said."""
    do(imported, "mark-dangerous 2")
    with pytest.raises(CommandError, match="not green"):
        do(imported, "configure --replay")
    assert not any(one.startswith("POST /tickets") for one in desk.requests[4:])
    assert sent(imported.opened().case)[2] == "/queue/51?size=20"
    assert "transaction 2 is marked as dangerous and was not sent; that may be why" in listener.text

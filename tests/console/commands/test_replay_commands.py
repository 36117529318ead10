"""`play` and what holds it, without a terminal."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field

import pytest

from pytest_loadtool.console.errors import CommandError, UsageError
from pytest_loadtool.console.opening import open_file
from pytest_loadtool.console.session import Console
from pytest_loadtool.replay import Plan, Step
from pytest_loadtool.replay.control import Control, ReplayMoment
from tests.console.listener import Listener, do
from tests.console.running import run
from tests.plugin.serving import Server, case, serving
from tests.ports import free_port


@dataclass
class Person(Listener):
    """Somebody with keys: does one of ``keys`` whenever the replay is held before a transaction."""

    interactive: bool = True
    keys: list[Callable[[Control, ReplayMoment], None]] = field(default_factory=list)
    held: list[str] = field(default_factory=list)

    def holding(self, control: Control, plan: Plan) -> AbstractAsyncContextManager[None]:
        def told(moment: ReplayMoment) -> None:
            if moment.state == "held" and moment.next not in before:
                assert moment.next is not None
                before.append(moment.next)
                self.held.append(f"{moment.next.title} ({moment.why})")
                self.keys.pop(0)(control, moment)

        before: list[Step] = []

        @asynccontextmanager
        async def watching() -> AsyncIterator[None]:
            control._told = told
            yield

        return watching()


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as running:
        yield running


@pytest.fixture
def played(session: Console, server: Server) -> Console:
    """A console with four transactions to play, and nothing asked about them."""
    targets = ("GET /1", "POST /echo?x=2", "GET /3", "GET /4")
    text = case(server.url, *targets)
    session.case_path.write_text(text)
    open_file(session)
    session.stranger = ""
    return session


def test_play_to_a_transaction(played: Console, listener: Listener, server: Server) -> None:
    """What comes after it is not asked for."""
    do(played, "play --fast --to 2")
    assert server.requests == ["GET /1", "POST /echo?x=2"]
    assert listener.said[-1] == "2 of 4 transactions passed."


def test_nothing_is_missed_of_what_was_written_by_hand(played: Console, listener: Listener) -> None:
    """It has no recorded traffic, which is not told as if it were lost; what a replay has sent is
    there."""
    assert listener.said == ["shop.case.toml: 1 page, 4 transactions."]
    with pytest.raises(CommandError, match="; --replayed takes what the last replay sent"):
        do(played, "curl 1")
    do(played, "play --fast --to 1")
    do(played, "curl 1 --replayed")
    assert f"curl {played.opened().case.server}/1" in listener.text.replace("'", "")


def _untimed(text: str) -> list[str]:
    return re.sub(r"\d\d:\d\d:\d\d|\d+ ms", "TIME", text).split()


def test_play_says_of_a_failure_what_pytest_says(
    played: Console, listener: Listener, server: Server
) -> None:
    """The same report, to the word: what failed first, its cause, and what to do."""
    listener.columns = 80
    server.failing = {"/3": 2}
    with pytest.raises(CommandError, match="1 of 4 transactions failed"):
        do(played, "play --fast")
    _, first, told = listener.text.partition("FIX FIRST")
    report = _untimed(first + told.partition("`why`")[0])
    assert len(report) > 20
    by_pytest = _untimed(run(played.case_path.parent, played.case_path.name, status=1).stdout)
    begin = by_pytest.index("FIRST") - 1
    assert by_pytest[begin : begin + len(report)] == report


def test_play_again_and_again(played: Console, listener: Listener, server: Server) -> None:
    """Each is counted; a failed one does not keep the next from being played."""
    server.failing = {"/3": 1}
    with pytest.raises(CommandError, match="1 of 2 replays failed"):
        do(played, "play --fast --repeat 2")
    assert server.requests.count("GET /3") == 2
    assert [one for one in listener.said if one.startswith("Replay ")] == [
        "Replay 1 of 2", "Replay 2 of 2",
    ]  # fmt: skip
    assert listener.said[-1] == "4 transactions passed."


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("play --step", "--step needs a terminal"),
        ("play --repeat 0", "--repeat must be 1 at least, not 0"),
        ("play --to 5", "there is no transaction 5"),
        ("break 5", "there is no transaction 5"),
    ],
)
def test_what_cannot_be_is_told(played: Console, server: Server, line: str, message: str) -> None:
    """Before anything is sent."""
    with pytest.raises(UsageError, match=message):
        do(played, line)
    assert server.requests == []


def test_breakpoint_stays_with_its_transaction(played: Console, listener: Listener) -> None:
    """Numbers shift when one before is deleted; `break` again takes it away."""
    do(played, "break 3")
    do(played, "delete 1")
    do(played, "breakpoints")
    assert listener.said[-1] == "    2  GET /3"
    do(played, "break 2")
    assert listener.said[-1] == "`play` is no longer held before 2 GET /3."
    do(played, "break")
    assert listener.said[-1].startswith("There are no breakpoints")


def test_script_is_not_held(played: Console, server: Server) -> None:
    """Nobody would let it go on."""
    do(played, "break 2")
    do(played, "play --fast")
    assert len(server.requests) == 4


def test_person_steps_edits_and_goes_on(played: Console, server: Server) -> None:
    """Held before the first, by a step before the second; that one is edited; then on to the
    breakpoint, and to the end."""

    def edit(control: Control, moment: ReplayMoment) -> None:
        assert moment.next is not None
        control.edit(moment.next.index, moment.request.replace(b"x=2", b"x=edited"))
        control.step()

    def go_on(control: Control, _moment: ReplayMoment) -> None:
        control.go_on()

    person = Person(keys=[lambda control, _: control.step(), edit, go_on, go_on])
    played.frontend = person
    do(played, "break 4")
    do(played, "play --step")
    assert person.held == [
        "GET /1 (step)", "POST /echo (step)", "GET /3 (step)", "GET /4 (breakpoint)",
    ]  # fmt: skip
    assert server.requests == ["GET /1", "POST /echo?x=edited", "GET /3", "GET /4"]
    assert person.said[-1] == "4 transactions passed."


def test_person_stops_it(played: Console, server: Server) -> None:
    """It says how far it came."""
    person = Person(keys=[lambda control, _: control.stop()])
    played.frontend = person
    do(played, "break 3")
    with pytest.raises(CommandError, match="stopped: 2 of 4 transactions passed"):
        do(played, "play --fast --repeat 3")
    assert len(server.requests) == 2


class Between(Person):
    """Somebody who presses a key when a replay has just ended."""

    def holding(self, control: Control, plan: Plan) -> AbstractAsyncContextManager[None]:
        self.control = control
        return super().holding(control, plan)

    def say(self, text: str) -> None:
        super().say(text)
        if text == "4 transactions passed.":
            self.control.stop()


@pytest.mark.parametrize("how", ["--repeat 3", "--loop"])
def test_person_stops_it_between_two_replays(played: Console, server: Server, how: str) -> None:
    """A key counts, although nothing is played just then."""
    played.frontend = Between()
    with pytest.raises(CommandError, match="stopped after 1 replay"):
        do(played, f"play --fast {how}")
    assert len(server.requests) == 4


def test_ctrl_c_tells_what_passed_until_then(
    session: Console, listener: Listener, server: Server
) -> None:
    """The command is given up, and nothing of it is lost."""
    session.case_path.write_text(case(server.url, "GET /1", "GET /silence"))
    open_file(session)
    session.stranger = ""

    async def interrupted() -> None:
        playing = asyncio.ensure_future(session.registry.parse("play").run(session))  # type: ignore[union-attr]
        await asyncio.to_thread(server.busy.wait)
        playing.cancel()
        await playing

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(interrupted())
    assert listener.said[-1] == "\n1 of 2 transactions passed until then."


def test_server_that_is_not_there_ends_it(session: Console, listener: Listener) -> None:
    """After three refusals, and without a think time before each page."""
    pages = [
        f'[[page]]\nname = "{n}"\nthink_time = "1h"\n[[page.transaction]]\nrequest = "GET /{n}"'
        for n in range(9)
    ]
    head = f'format = 1\nname = "a"\nserver = "http://127.0.0.1:{free_port()}"'
    session.case_path.write_text("\n".join([head, *pages]))
    open_file(session)
    session.stranger = ""
    with pytest.raises(CommandError, match=r"3 connections in a row failed: 0 of 9 .* 3 failed"):
        do(session, "play")
    assert sum("failed  GET" in one for one in listener.said) == 3

"""Keys that hold a replay, and the lines that say where it is."""

from __future__ import annotations

import asyncio
import io
from collections.abc import Iterator

import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.input import PipeInput, create_pipe_input
from prompt_toolkit.input.typeahead import get_typeahead, store_typeahead
from prompt_toolkit.key_binding import KeyPress
from prompt_toolkit.output.plain_text import PlainTextOutput

from pytest_loadtool.console import editor
from pytest_loadtool.console.repl.holding import holding
from pytest_loadtool.replay.control import Control, ReplayMoment, Wishes
from tests.replay.test_holding import plan_of

PLAN = plan_of(("/a",), ("/b",))
THINKING = ReplayMoment("thinking", page=PLAN.pages[0], done=1, thinking=57.4, until=145.0)
HELD = ReplayMoment("held", "breakpoint", next=PLAN.steps[1], request=b"GET /b HTTP/1.1\r\n\r\n")

F8, F10, ENTER = "\x1b[19~", "\x1b[21~", "\r"


@pytest.fixture
def terminal() -> Iterator[tuple[PipeInput, io.StringIO]]:
    """What a person types, and what the terminal shows."""
    shown = io.StringIO()
    with (
        create_pipe_input() as keys,
        create_app_session(input=keys, output=PlainTextOutput(shown)),
    ):
        yield keys, shown


Terminal = tuple[PipeInput, io.StringIO]


def pressed(terminal: Terminal, moment: ReplayMoment, keys: str, said: list[str]) -> Wishes:
    """What is wanted after these keys, of which something is."""
    control = Control()
    control.moment = moment

    async def press() -> None:
        wanted = asyncio.Event()
        control.wake = wanted.set
        async with holding(control, PLAN, said.append, clock=lambda: 100.0):
            terminal[0].send_text(keys)
            await wanted.wait()

    asyncio.run(asyncio.wait_for(press(), timeout=60))
    return control.hear()


@pytest.mark.parametrize(
    ("moment", "keys", "wanted"),
    [
        (THINKING, " ", {"paused": True, "why": "paused"}),
        (THINKING, ENTER, {"skip": True, "paused": False}),
        (THINKING, "tree" + ENTER + ENTER, {"skip": True}),
        (THINKING, "qui\x7f" + "q", {"stopped": True}),
        (THINKING, "q", {"stopped": True}),
        (HELD, " ", {"paused": False, "one": False}),
        (HELD, "c", {"paused": False, "one": False}),
        (HELD, F8, {"paused": False, "one": False}),
        (HELD, ENTER, {"paused": True, "one": True}),
        (HELD, F10, {"paused": True, "one": True}),
        (THINKING, F10, {"paused": True, "one": True, "skip": True}),
    ],
    ids=[
        "pause",
        "skip",
        "others",
        "stop at once",
        "stop",
        "again",
        "c",
        "F8",
        "Enter",
        "F10",
        "step",
    ],
)
def test_keys(
    terminal: Terminal, moment: ReplayMoment, keys: str, wanted: dict[str, object]
) -> None:
    """Each means what its line says; others begin a line, which has all up to its Enter."""
    found = pressed(terminal, moment, keys, [])
    assert {name: getattr(found, name) for name in wanted} == wanted


def test_lines_say_where_it_is(terminal: Terminal) -> None:
    """With the time of the clock that they are given."""
    pressed(terminal, THINKING, "q", [])
    assert "1 of 2  errors 0  thinking 12.4 of 57.4 s  elapsed 0:00" in terminal[1].getvalue()
    assert "Enter skips the think time" in terminal[1].getvalue()


def test_request_is_edited_in_the_editor(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is saved there is sent."""
    seen: list[str] = []

    async def edited(text: str, name: str) -> str:
        seen.append(name)
        return text.replace("/b", "/changed")

    monkeypatch.setattr(editor, "edited", edited)
    said: list[str] = []
    found = pressed(terminal, HELD, "e", said)
    assert found.edited == (1, b"GET /changed HTTP/1.1\r\n\r\n")
    assert seen == ["request.http"]
    assert said == ["       2 GET /b goes out as edited."]


def test_mistake_in_the_editor_is_told(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    """And the request stays as it was."""

    async def edited(_text: str, _name: str) -> str:
        return "GET\n"

    monkeypatch.setattr(editor, "edited", edited)
    keys, told = terminal[0], asyncio.Event()
    control = Control()
    control.moment = HELD
    said: list[str] = []

    def say(text: str) -> None:
        said.append(text)
        told.set()

    async def press() -> None:
        async with holding(control, PLAN, say):
            keys.send_text("e")
            await told.wait()

    asyncio.run(asyncio.wait_for(press(), timeout=60))
    assert said == ["       not edited: 'GET' is no request line: write it as GET /path HTTP/1.1"]
    assert control.hear().edited is None


def test_lines_that_were_pasted_before_stay_for_the_prompt(terminal: Terminal) -> None:
    """They are no keys of the replay, even if they were not read before; nor are lines that are
    typed meanwhile."""
    store_typeahead(terminal[0], [KeyPress("q"), KeyPress("x")])
    terminal[0].send_text("q" + ENTER)
    assert not pressed(terminal, THINKING, "tex\x7fd q" + ENTER + ENTER, []).stopped
    typed = "".join(press.data for press in get_typeahead(terminal[0]))
    assert typed == "qxq" + ENTER + "ted q" + ENTER

"""A replay under way: where it is, and what keys ask of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_loadtool.casefile import format_case, parse_case
from pytest_loadtool.console.screens.cells import columns_of
from pytest_loadtool.console.screens.replaying import KEYS, WISHES, drawn
from pytest_loadtool.engine.prepare.resources import compile_from
from pytest_loadtool.model.case import Page, Request, TestCase, Transaction
from pytest_loadtool.replay.control import Control, ReplayMoment

CASE = TestCase(
    "shop",
    (
        Page("Log in", (Transaction(Request("GET", "/login")),), think_time=57.4),
        Page("Orders", (Transaction(Request("POST", "/orders", body="token=a b")),)),
    ),
    server="http://127.0.0.1:8000",
)


@pytest.mark.promise(68)
def test_a_held_replay_shows_variables_and_what_goes_out_next(tmp_path: Path) -> None:
    """Each variable with the transaction that set it; no password is seen; all in its width."""
    path = tmp_path / "shop.case.toml"
    plan = compile_from(path, parse_case(format_case(CASE), str(path)))
    moment = ReplayMoment(
        "held", "breakpoint", plan.pages[1], plan.steps[1],
        request=b"POST /orders HTTP/1.1\r\nHost: x\r\n\r\npassword=secret-pass-1&n=2",
        done=1, values={"csrf": "6CCU", "users.password": "secret-pass-1", "order": "17"},
        set_by={"csrf": plan.steps[0]},
    )  # fmt: skip
    said = ["    1  200       8 ms  passed  GET /login"]
    lines = drawn(moment, plan, said, 80, 12, now=65.0, started=3.0)
    text = "\n".join(lines)
    assert [columns_of(line) for line in lines] == [80] * 12
    assert lines[0].rstrip() == " page 2 of 2  Orders  1 of 2  errors 0  elapsed 1:02"
    assert lines[1].rstrip() == " held before 2 (breakpoint)"
    assert lines[2].startswith("    1  200       8 ms  passed  GET /login   │ Variables")
    assert "csrf            1          6CCU" in text
    assert "users.password  row        secr…" in text
    assert "order           recorded   17" in text
    assert "── next: 2" in text
    assert " password=secr…&n=2" in text
    assert "secret-pass-1" not in text


def test_a_think_time_goes_by(tmp_path: Path) -> None:
    """How much of it is over; the last of what was told."""
    path = tmp_path / "shop.case.toml"
    plan = compile_from(path, parse_case(format_case(CASE), str(path)))
    moment = ReplayMoment("thinking", page=plan.pages[0], done=1, thinking=57.4, until=60.0)
    lines = drawn(moment, plan, [f"line {n}" for n in range(99)], 80, 12, now=15.0, started=0.0)
    assert lines[1].rstrip() == " thinking 12.4 of 57.4 s"
    assert lines[-1].startswith("line 98")


def test_each_key_asks_for_something() -> None:
    """Space pauses and goes on; what Enter does depends on whether it is held."""
    moves = {key.move for key in KEYS}
    assert moves == {*WISHES, "edit", "close help"}
    control = Control()
    WISHES["pause or go on"](control)
    assert control.hear().paused
    control.tell(ReplayMoment("held"))
    WISHES["pause or go on"](control)
    assert not control.hear().paused
    WISHES["stop"](control)
    assert control.hear().stopped

"""A replay that is held, stepped through and changed while it runs. The clock is the test's."""

from __future__ import annotations

from dataclasses import replace
from math import inf

import pytest

from pytest_loadtool.model.authentication import Identity
from pytest_loadtool.model.case import Page, Recorded, Request, TestCase, Transaction, Variable
from pytest_loadtool.model.extractor import Extractor, JsonPath
from pytest_loadtool.model.result import Failure
from pytest_loadtool.replay import Over, Plan, Response, Send, VirtualUser, compile_case
from pytest_loadtool.replay.acting import actor_for
from pytest_loadtool.replay.control import Control
from pytest_loadtool.replay.holding import Stretches
from tests.replay.playbook import Diary, first_row

REFUSED = Failure("connect", "connection refused: is the server running?")
RESET = Failure("reset", "connection closed")


def plan_of(*pages: tuple[str, ...], think: float = 10.0, **more: object) -> Plan:
    """Pages with a GET for each target, with think times between."""
    made = tuple(
        Page(f"page {number}", tuple(Transaction(Request("GET", one)) for one in targets), think)
        for number, targets in enumerate(pages)
    )
    made = (*made[:-1], replace(made[-1], think_time=0.0))
    return compile_case(TestCase("case", made, "http://127.0.0.1:8000", **more))  # type: ignore[arg-type]


class Held:
    """Plays the part of the servers, and of who drives the replay: what is under way, how long it
    would wait, and what it sent."""

    def __init__(self, plan: Plan, control: Control) -> None:
        self.diary = Diary()
        self.clock = 100.0
        self.control = control
        self.sent: list[str] = []
        self.under_way: dict[str, Send] = {}
        self.stretches = Stretches(plan, self.diary, control, lambda: self.clock)
        user = VirtualUser(plan, first_row, self.stretches)
        self.stretches.act(user, actor_for(user).act(plan.visits.whole, 0, self.clock))
        self._begin()

    @property
    def wait(self) -> float:
        return self.stretches.wait(self.clock)

    @property
    def state(self) -> str:
        return self.control.moment.state

    def _begin(self) -> None:
        self._commands = self.stretches.stretch()
        self._take(None)

    def _take(self, event: Response | None) -> None:
        command = self._commands.send(event)
        assert isinstance(command, Over | tuple)
        if isinstance(command, tuple):
            for send in command:
                line = send.data.split(b"\r\n", 1)[0].decode().split()[1]
                self.under_way[line] = send
                self.sent.append(line)

    def go(self, seconds: float = 0.0) -> None:
        """So many seconds pass; then the next stretch, which nothing keeps from beginning."""
        self.clock += seconds
        assert self.wait == 0
        if not self.stretches.over:
            self._begin()

    def answer(
        self, line: str, body: bytes = b"", failure: Failure | None = None, status: int = 200
    ) -> None:
        """A response comes one second later; 401 asks for Basic credentials."""
        self.clock += 1
        response = Response(self.under_way.pop(line))
        response.status, response.failure = (0, failure) if failure else (status, None)
        asks = b"\r\nWWW-Authenticate: Basic realm=x" if status == 401 else b""
        response.head, response.body = b"HTTP/1.1 %d X%b" % (status, asks), body
        response.finished = self.clock
        self._take(response)


def test_without_wishes_it_is_as_ever() -> None:
    """Think times are waited for, and the observer hears what it always hears."""
    book = Held(plan_of(("/a", "/b"), ("/c",)), Control())
    book.answer("/a")
    book.answer("/b")
    assert book.state == "thinking"
    assert book.wait == 10
    book.go(10)
    book.answer("/c")
    assert book.sent == ["/a", "/b", "/c"]
    assert book.state == "over"
    assert book.diary.pages == [("page 0", False), ("page 1", False)]
    assert book.diary.iterations == [False]
    assert (book.control.moment.done, book.control.moment.why) == (3, "")


def test_a_think_time_is_skipped() -> None:
    """It ends at once, and the next request is due then."""
    book = Held(plan_of(("/a",), ("/b",)), Control())
    book.answer("/a")
    book.control.skip()
    book.go()
    assert book.under_way["/b"].due == book.clock == 101


def test_a_skip_is_for_the_present_think_time_only() -> None:
    """Enter while something is under way does not take away a pause that comes later."""
    book = Held(plan_of(("/a",), ("/b",)), Control())
    book.control.skip()
    book.answer("/a")
    assert book.wait == 10


def test_a_think_time_is_held_and_goes_on_from_there() -> None:
    """What was left of it is left afterwards, however long it was held."""
    book = Held(plan_of(("/a",), ("/b",)), Control())
    book.answer("/a")
    book.clock += 4
    book.control.pause()
    assert book.wait == inf
    assert (book.state, book.control.moment.left(book.clock)) == ("held", 6)
    book.clock += 1000
    assert book.wait == inf
    book.control.go_on()
    assert book.wait == 6
    assert book.state == "thinking"
    book.go(6)
    assert book.sent == ["/a", "/b"]


def test_pause_holds_before_the_next_request() -> None:
    """What is under way comes to its end."""
    book = Held(plan_of(("/a", "/b", "/c")), Control())
    book.control.pause()
    book.answer("/a")
    assert book.sent == ["/a"]
    assert book.wait == inf
    moment = book.control.moment
    assert (moment.state, moment.why) == ("held", "paused")
    assert moment.next is not None
    assert moment.next.title == "GET /b"
    assert moment.request.startswith(b"GET /b HTTP/1.1\r\n")
    book.control.go_on()
    book.go()
    book.answer("/b")
    assert book.sent == ["/a", "/b", "/c"]


def test_steps_do_one_transaction_each_and_do_not_think() -> None:
    """Also across pages: the think time between them is not waited for."""
    book = Held(plan_of(("/a", "/b"), ("/c",)), Control(paused=True))
    assert (book.sent, book.control.moment.why) == ([], "step")
    for number, one in enumerate(("/a", "/b"), 1):
        assert book.wait == inf
        book.control.step()
        book.go()
        assert book.sent == ["/a", "/b"][:number]
        book.answer(one)
    assert book.control.moment.thinking == 10
    book.go()
    assert (book.sent, book.control.moment.why) == (["/a", "/b"], "step")
    assert book.control.moment.request.startswith(b"GET /c ")  # it can be edited
    book.control.step()
    book.go()
    assert book.sent == ["/a", "/b", "/c"]


def test_breakpoint_holds_each_time_it_is_come_to() -> None:
    """Going on passes it, and holds at the next one."""
    book = Held(plan_of(("/a", "/b", "/c", "/d")), Control(breakpoints={1, 3}))
    book.answer("/a")
    assert (book.wait, book.control.moment.why) == (inf, "breakpoint")
    book.control.go_on()
    book.go()
    book.answer("/b")
    book.answer("/c")
    assert book.wait == inf
    assert book.sent == ["/a", "/b", "/c"]
    book.control.go_on()
    book.go()
    book.answer("/d")
    assert book.state == "over"


def test_going_on_while_it_runs_passes_no_breakpoint() -> None:
    """F8 pressed too early is not kept for later."""
    book = Held(plan_of(("/a", "/b")), Control(breakpoints={1}))
    book.control.go_on()
    book.answer("/a")
    assert (book.wait, book.sent) == (inf, ["/a"])


def test_run_to_ends_after_that_transaction() -> None:
    """Without the think time after it."""
    book = Held(plan_of(("/a", "/b"), ("/c",)), Control(to=1))
    book.answer("/a")
    book.answer("/b")
    assert (book.state, book.control.moment.why, book.sent) == ("over", "", ["/a", "/b"])


def test_run_to_the_middle_of_a_page() -> None:
    """What comes after it is not sent."""
    book = Held(plan_of(("/a", "/b", "/c")), Control(to=1, paused=True))
    book.control.go_on()
    book.go()
    book.answer("/a")
    book.answer("/b")
    assert (book.state, book.sent) == ("over", ["/a", "/b"])


@pytest.mark.parametrize("held", [True, False])
def test_stop_ends_it_where_it_is(*, held: bool) -> None:
    """While it waits for a person, and while it thinks."""
    book = Held(plan_of(("/a",), ("/b",)), Control(breakpoints={0} if held else ()))
    if not held:
        book.answer("/a")
    book.control.stop()
    assert book.wait == 0
    assert (book.stretches.over, book.control.moment.why) == (True, "stopped")


def test_stop_is_heard_while_something_is_under_way() -> None:
    """Whoever drives it cuts that."""
    book = Held(plan_of(("/a",)), Control())
    book.control.stop()
    book.stretches.hear()
    assert book.stretches.over


def test_edited_request_goes_out_in_place_of_the_one_that_is_held() -> None:
    """One for a transaction that is no longer held is not sent in place of another."""
    book = Held(plan_of(("/a", "/b")), Control(paused=True))
    book.control.edit(0, b"GET /changed HTTP/1.1\r\n\r\n")
    book.control.step()
    book.go()
    assert book.sent == ["/changed"]
    book.control.edit(0, b"GET /late HTTP/1.1\r\n\r\n")
    book.answer("/changed")
    assert book.control.moment.request.startswith(b"GET /b ")


def test_page_that_did_not_come_is_not_thought_about() -> None:
    """Nobody reads what is not there."""
    book = Held(plan_of(("/a",), ("/b",)), Control())
    book.answer("/a", failure=RESET)
    assert book.sent == ["/a", "/b"]


def test_refused_connections_end_it() -> None:
    """Three in a row: the server is not there. One that answers in between begins anew."""
    book = Held(plan_of(("/a", "/b", "/c", "/d", "/e", "/f", "/g")), Control())
    for line in ("/a", "/b"):
        book.answer(line, failure=REFUSED)
    book.answer("/c")
    for line in ("/d", "/e", "/f"):
        book.answer(line, failure=REFUSED)
    assert (book.state, book.control.moment.why) == ("over", "3 connections in a row failed")
    assert "/g" not in book.sent
    assert len(book.diary.transactions) == 6


def test_request_that_is_sent_again_is_not_held_again() -> None:
    """A challenge is answered at once: breakpoints and steps are of transactions."""
    plan = plan_of(("/a", "/b"), identities=(Identity("ann", "secret"),))
    book = Held(plan, Control(paused=True))
    book.control.step()
    book.go()
    book.answer("/a", status=401)
    assert book.sent == ["/a", "/a"]
    assert b"Authorization: Basic " in book.under_way["/a"].data
    book.answer("/a")
    assert book.wait == inf
    assert book.control.moment.done == 1
    assert b"Authorization: Basic " in book.control.moment.request


def test_overlapping_requests_are_stepped_one_by_one() -> None:
    """A page whose requests went out together: a step does one of them, and waits for it."""
    times = ((0.0, 1.0), (0.1, 1.0), (0.1, 1.0))
    transactions = tuple(
        Transaction(Request("GET", f"/{n}"), recorded=Recorded(200, at=at, took=took))
        for n, (at, took) in enumerate(times)
    )
    case = TestCase("case", (Page("page", transactions),), "http://127.0.0.1:8000")
    book = Held(compile_case(case), Control(paused=True))
    for number in range(3):
        assert book.wait == inf
        book.control.step()
        book.go()
        assert book.sent == [f"/{n}" for n in range(number + 1)]
        book.answer(f"/{number}")
    assert book.state == "over"
    free = Held(compile_case(case), Control())
    assert free.sent == ["/0", "/1", "/2"]


def test_variables_have_values_and_where_they_were_set() -> None:
    """Where Set is the transaction that gave the value, once it has."""
    first = Transaction(Request("GET", "/a"), extractors=(Extractor("id", JsonPath("$.id")),))
    second = Transaction(Request("GET", "/b?${id}"))
    case = TestCase(
        "case", (Page("page", (first, second)),), "http://127.0.0.1:8000",
        variables={"id": Variable("")},
    )  # fmt: skip
    book = Held(compile_case(case), Control(breakpoints={1}))
    assert "id" not in book.control.moment.set_by
    book.answer("/a", b'{"id": 17}')
    moment = book.control.moment
    assert moment.values["id"] == "17"
    assert moment.set_by["id"].title == "GET /a"
    assert moment.request.startswith(b"GET /b?17 ")


def test_whoever_asked_is_told_of_each_moment() -> None:
    """In the order in which they come."""
    seen: list[str] = []
    control = Control(breakpoints={1}, told=lambda moment: seen.append(moment.state))
    book = Held(plan_of(("/a",), ("/b",)), control)
    book.answer("/a")
    book.control.skip()
    book.go()
    assert list(dict.fromkeys(seen)) == ["running", "thinking", "held"]

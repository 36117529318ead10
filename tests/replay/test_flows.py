"""Flows as a virtual user acts them out: what it asks for, how often, and what fails."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from pytest_loadtool.casefile import format_case, parse_case
from pytest_loadtool.model.case import TestCase
from pytest_loadtool.model.load import Distribution, ThinkTime
from pytest_loadtool.replay import Plan, VirtualUser, compile_case
from pytest_loadtool.replay.compile.pauses import length_of
from tests.replay.playbook import Diary, Playbook, first_row

TOP = 'format = 1\nname = "Shop"\nserver = "http://h"\n'


def case_of(flows: str, *pages: tuple[str, str]) -> TestCase:
    """A test case: each page has its flow and its transactions, ``/a /b@flow``."""
    lines = [TOP, flows]
    for number, (flow, transactions) in enumerate(pages):
        lines += ["[[page]]", f'name = "{number}"', f'flow = "{flow}"' if flow else ""]
        for one in transactions.split():
            target, _, own = one.partition("@")
            lines += ["[[page.transaction]]", f'request = "GET {target}"']
            lines += [f'flow = "{own}"'] if own else []
            lines += ['extractors = [{ variable = "stock", json = "$.stock" }]'] * (target == "/in")
    case = parse_case("\n".join(lines), "x")
    assert parse_case(format_case(case), "x") == case
    return case


def acted(plan: Plan, bodies: dict[str, list[bytes]], user: int = 0, number: int = 0) -> Playbook:
    """An iteration of a user; answers to a target are ``bodies``, the last one from then on."""
    diary = Diary()
    book = Playbook(plan, VirtualUser(plan, first_row, diary, number=user), diary, number)
    while not book.ended:
        if book.wait is not None:
            book.wake()
            continue
        line = next(iter(book.under_way))
        waiting = bodies.get(line.partition(" ")[2], [b"{}"])
        book.answer(line, body=waiting.pop(0) if len(waiting) > 1 else waiting[0])
    return book


def asked(book: Playbook) -> str:
    return " ".join(title.partition(" ")[2] for title, _ in book.diary.transactions)


TWICE = "[flows.twice]\nrepeat = 2\n"
IN_TURN = '[flows.inner]\nrepeat = 3\nwithin = "twice"\n'
STOCKED = '[flows.stocked]\nwhen = { value = "${stock}", more_than = 2 }\n'
DONE = '[flows.done]\nuntil = { json = "$.s", equals = "done" }\nevery = "%s"\nlimit = "%s"\n'


@pytest.mark.parametrize(
    ("flows", "pages", "wanted"),
    [
        (TWICE, [("", "/a /b@twice /c@twice /d")], "/a /b /c /b /c /d"),
        (TWICE, [("twice", "/a /b"), ("twice", "/c"), ("", "/d")], "/a /b /c /a /b /c /d"),
        (TWICE + IN_TURN, [("", "/a@twice /b@inner /c@twice")], "/a /b /b /b /c /a /b /b /b /c"),
        (TWICE + IN_TURN, [("twice", "/a"), ("inner", "/b"), ("", "/")], "/a /b /b /b /a /b /b /b /"),  # noqa: E501
        (TWICE + "[flows.of_one]\nrepeat = 2\n", [("twice", "/a /b@of_one")], "/a /b /b /a /b /b"),
        (STOCKED, [("", "/in /a@stocked /b")], "/in /a /b"),
        (STOCKED.replace("2", "3"), [("", "/in /a@stocked /b")], "/in /b"),
        (STOCKED.replace("2", "3"), [("", "/in"), ("stocked", "/a"), ("", "/b")], "/in /b"),
        ("[flows.next]\nchoose = { x = 1, nothing = 1 }\n", [("", "/a /b@x")], "/a /b"),
    ],
)  # fmt: skip
def test_what_is_asked(flows: str, pages: list[tuple[str, str]], wanted: str) -> None:
    """Rounds of flows, and of those within them, in pages and over pages. What `when` skips is
    missed by nobody. Of what one is chosen of, a test without load does all."""
    plan = compile_case(case_of(flows, *pages))
    plan = replace(plan, visits=replace(plan.visits, first=plan.visits.whole))
    book = acted(plan, {"/in": [b'{"stock": 3}']})
    assert asked(book) == wanted
    assert book.diary.iterations == [False]


def test_a_choice_by_weights() -> None:
    """One of them, as often as its weight says, and the same one in each run."""
    case = case_of(
        "[flows.next]\nchoose = { x = 3, y = 1, nothing = 1 }\n", ("", "/a /b@x /c@y /d@y")
    )
    plan = compile_case(case)
    found = Counter(asked(acted(plan, {}, user)) for user in range(200))
    assert found == Counter(asked(acted(plan, {}, user)) for user in range(200))
    assert set(found) == {"/a /b", "/a /c /d", "/a"}
    assert 100 < found["/a /b"] < 140


def test_a_range_is_drawn_anew_each_time() -> None:
    """For each user, each iteration, and each round of what it is within."""
    case = case_of(TWICE + IN_TURN.replace("3", '"1-3"'), ("twice", "/a"), ("inner", "/b"))
    plan = compile_case(case)
    seen = [asked(acted(plan, {}, 0, number)) for number in range(30)]
    rounds = {tuple(len(one.split()) for one in text.split("/a")[1:]) for text in seen}
    assert rounds == {(one, other) for one in (1, 2, 3) for other in (1, 2, 3)}
    assert length_of(case, ThinkTime(drawn=Distribution("constant", (1.0,)))).thinking == 2 + 4


QUEUED, READY = b'{"s": "queued"}', b'{"s": "done"}'


def test_until_a_check_holds() -> None:
    """It is asked again after each interval, and what comes behind it goes on then."""
    plan = compile_case(case_of(DONE % ("5s", "60s"), ("", "/a /job@done /b")))
    book = acted(plan, {"/job": [QUEUED, QUEUED, READY]})
    assert asked(book) == "/a /job /job /job /b"
    assert not any(failures for _, failures in book.diary.transactions)
    assert book.diary.durations == [5 + 2 * 5]  # seconds of answers, and of waiting


def test_more_than_one_request_is_done_again() -> None:
    """The response to the last one is looked at; what is within may be skipped."""
    flows = DONE % ("5s", "60s") + STOCKED + 'within = "done"\n'
    plan = compile_case(case_of(flows, ("", "/in@done /buy@stocked /job@done /b")))
    book = acted(plan, {"/job": [QUEUED, READY], "/in": [b'{"stock": 3}', b'{"stock": 2}']})
    assert asked(book) == "/in /buy /job /in /job /b"


@pytest.mark.promise(139)
def test_what_never_ends_fails_at_its_limit() -> None:
    """With what it was at last and what it should be; the iteration goes on."""
    plan = compile_case(case_of(DONE % ("5s", "13s"), ("", "/job@done /b")))
    book = acted(plan, {"/job": [QUEUED]})
    assert asked(book) == "/job /job /job /b"  # at 0, 6 and 12 s
    *good, (_, (failure,)), (_, last) = book.diary.transactions
    assert not last
    assert not any(failures for _, failures in good)
    assert failure.cause == "flow"
    assert failure.told == ("Flow 'done' has not ended within 13 s: $.s is queued, expected done")
    assert "queued" not in failure.message  # equal for all users
    assert book.diary.iterations == [True]
    again = acted(plan, {"/job": [QUEUED, READY]}, number=1)
    assert asked(again) == "/job /job /b"


def test_who_stops_on_errors_asks_no_more() -> None:
    """An answer that fails is no answer; with ``stop iteration`` nothing is asked again."""
    plan = compile_case(case_of(DONE % ("5s", "60s"), ("", "/job@done /b")))
    diary = Diary()
    user = VirtualUser(plan, first_row, diary, stop_on_error=True)
    book = Playbook(plan, user, diary)
    book.answer("GET /job", 500)
    assert book.ended
    for body in (QUEUED, READY):  # the next iteration begins anew
        book = Playbook(plan, user, diary, 1) if body is QUEUED else book
        book.answer("GET /job", body=body)
        if book.wait is not None:
            assert book.wait == 5
            book.wake()
    book.answer("GET /b")
    assert book.ended
    assert diary.iterations == [True, False]


@pytest.mark.parametrize(
    ("check", "early", "failed"),
    [
        ('{ json = "$.s", equals = "done" }', 200, []),
        ('{ json = "$.s", equals = "done" }', 404, ["status"]),
        ('{ response = "status", equals = 200 }', 404, []),
        ('{ value = "${url}", equals = "/x" }', 202, []),
    ],
)
def test_what_is_about_the_last_answer(check: str, early: int, failed: list[str]) -> None:
    """Validators and extractors are of the answer that is waited for; its status is of all."""
    flows = f'[flows.done]\nuntil = {check}\nlimit = "60s"\n'
    actors = (
        '\nvalidators = [{ json = "$.s", equals = "done" }]'
        '\nextractors = [{ variable = "url", json = "$.url" }]'
    )
    case = case_of(flows + '[variables]\nurl = ""\n', ("", "/job@done"))
    text = format_case(case).replace('flow = "done"', f'flow = "done"{actors}')
    plan, diary = compile_case(parse_case(text, "x")), Diary()
    book = Playbook(plan, VirtualUser(plan, first_row, diary), diary)
    book.answer("GET /job", early, QUEUED)
    book.wake()
    book.answer("GET /job", body=b'{"s": "done", "url": "/x"}')
    assert book.ended
    first, last = (failures for _, failures in diary.transactions)
    assert [one.cause for one in first] == failed
    assert not last

"""Variables that are made: of other values, by chance, from the clock."""

from __future__ import annotations

import base64
import re
from datetime import datetime
from uuid import UUID

import pytest

from pytest_loadtool.codec.filters import filtered
from pytest_loadtool.errors import ReplayError
from pytest_loadtool.model.case import (
    Header,
    Page,
    Recorded,
    Request,
    TestCase,
    Transaction,
    Variable,
)
from pytest_loadtool.model.dataset import Dataset, DatasetUse
from pytest_loadtool.model.extractor import Extractor, JsonPath, RegularExpression
from pytest_loadtool.model.generator import Generator, RandomText, Timestamp, Uuid
from pytest_loadtool.model.validator import JsonValidator, TextValidator
from pytest_loadtool.replay import VirtualUser
from pytest_loadtool.replay.compile.case import compile_case
from pytest_loadtool.replay.compile.computed import rendering
from tests.replay.playbook import Diary, Playbook, first_row


def case_of(*transactions: Transaction, **variables: str | Generator) -> TestCase:
    """A text is what the variable is made of."""
    declared = {
        name: Variable(name, template=one) if isinstance(one, str) else Variable(name, generate=one)
        for name, one in variables.items()
    }
    return TestCase("case", (Page("p", transactions),), "http://h", variables=declared)


def get(target: str, **more: object) -> Transaction:
    return Transaction(Request("GET", target), **more)  # type: ignore[arg-type]  # by name


def test_made_of_other_values_whenever_used() -> None:
    """Of what a response gave last, and through a variable between; encoded as a whole."""
    took = (Extractor("token", JsonPath("$.t")),)
    case = case_of(
        get("/a", extractors=took),
        Transaction(
            Request("GET", "/b?x=${pair}", (Header("Authorization", "Basic ${pair|base64}"),)),
            extractors=took,
        ),
        get("/c?x=${pair}"),
        pair="${user}:${token|url}",
        user="an na",
    )
    book = Playbook(compile_case(case))
    book.answer("GET /a", body=b'{"t": "x/1"}')
    sent = book.answer("GET /b?x=an%20na%3Ax%252F1", body=b'{"t": "y"}')
    basic = base64.b64encode(b"an na:x%2F1")
    assert b"\r\nAuthorization: Basic " + basic + b"\r\n" in sent.data
    assert book.new == ["GET /c?x=an%20na%3Ay"]


def test_made_of_a_row_and_the_server() -> None:
    """Dataset columns and built-in names count like any other."""
    case = TestCase(
        "case",
        (Page("p", (get("/?x=${at}"),)),),
        "http://h",
        datasets=(DatasetUse("users", "users.csv"),),
        variables={"at": Variable("at", template="${users.name}@${host}")},
    )
    plan = compile_case(case, datasets={"users": Dataset(("name",), (("al",),))})
    assert Playbook(plan).new == ["GET /?x=al%40h"]


def test_a_check_sees_what_is_made_of_the_values_of_now() -> None:
    """Also when no request uses it; filters apply."""
    checks = (TextValidator("Hi ${both|url}!"), JsonValidator("$.x", "${both}"))
    case = case_of(
        get("/a", extractors=(Extractor("name", JsonPath("$.n")),)),
        get("/b", validators=checks),
        both="${name} & co",
    )
    diary = Diary()
    plan = compile_case(case)
    book = Playbook(plan, VirtualUser(plan, first_row, diary), diary)
    book.answer("GET /a", body=b'{"n": "al"}')
    book.answer("GET /b", body=b'{"x": "al & co", "y": "Hi al%20%26%20co!"}')
    assert diary.transactions == [("GET /a", ()), ("GET /b", ())]


def test_an_extractor_goes_by_the_values_of_its_user() -> None:
    """Made ones, rows and what an extractor before it has found in the same response."""
    rows = JsonPath('$.items[?(@.name=="${name}")].id')
    token = RegularExpression('"of": ${id}, "for": "${people.role}", "token": "([^"]*)"')
    case = TestCase(
        "case",
        (
            Page(
                "p",
                (
                    get("/items", extractors=(Extractor("id", rows), Extractor("t", token))),
                    get("/items/${id}?t=${t}"),
                ),
            ),
        ),
        "http://h",
        datasets=(DatasetUse("people", "people.csv"),),
        variables={"name": Variable("name", template="${people.name}@${host}")},
    )
    people = Dataset(("name", "role"), (("al", "cook"), ("bo", "host")))
    plan = compile_case(case, datasets={"people": people})
    body = (
        b'{"items": [{"name": "al@h", "id": 3}, {"name": "bo@h", "id": 4}], "tokens": ['
        b'{"of": 3, "for": "host", "token": "x"}, {"of": 3, "for": "cook", "token": "y"},'
        b'{"of": 4, "for": "host", "token": "z"}]}'
    )
    for row, sent in enumerate(["GET /items/3?t=y", "GET /items/4?t=z"]):
        book = Playbook(plan, VirtualUser(plan, lambda *_, row=row: row, Diary()))
        book.answer("GET /items", body=body)
        assert book.new == [sent]


def test_an_extractor_that_finds_nothing_for_its_user() -> None:
    """The message is the same for all users, so that it counts as one."""
    case = case_of(
        get("/items", extractors=(Extractor("id", JsonPath('$[?(@.n=="${name}")].id')),)),
        name=RandomText(8, "digits"),
    )
    diary = Diary()
    plan = compile_case(case)
    book = Playbook(plan, VirtualUser(plan, first_row, diary), diary)
    book.answer("GET /items", body=b"[]")
    ((_, (failure,)),) = diary.transactions
    assert failure.message.endswith("""${id}: JSON path $[?(@.n=="${name}")].id""")


def test_a_check_of_a_path_with_a_placeholder() -> None:
    """Passes for the user's own row, and fails without it."""
    check = JsonValidator('$[?(@.n=="${name}")].state', "open")
    diary = Diary()
    plan = compile_case(
        case_of(get("/a", validators=(check,)), get("/b", validators=(check,)), name="x${host}")
    )
    book = Playbook(plan, VirtualUser(plan, first_row, diary), diary)
    book.answer("GET /a", body=b'[{"n": "y", "state": "shut"}, {"n": "xh", "state": "open"}]')
    book.answer("GET /b", body=b'[{"n": "y", "state": "open"}]')
    (_, passed), (_, failed) = diary.transactions
    assert passed == ()
    assert [one.cause for one in failed] == ["json"]


def test_a_transaction_waits_for_what_its_extractor_goes_by() -> None:
    """Although the recording had both under way at once."""

    def recorded(at: float) -> Recorded:
        return Recorded(200, at=at, took=1.0)

    case = case_of(
        get("/me", extractors=(Extractor("me", JsonPath("$.id")),), recorded=recorded(0)),
        get(
            "/all",
            extractors=(Extractor("mine", JsonPath("$[?(@.of==${me})].id")),),
            recorded=recorded(0.5),
        ),
    )
    book = Playbook(compile_case(case))
    assert book.new == ["GET /me"]
    book.answer("GET /me", body=b'{"id": 7}')
    assert book.new == ["GET /all"]


def test_made_of_itself() -> None:
    """Is refused before anything is sent."""
    with pytest.raises(ReplayError, match="'a' is made of itself"):
        compile_case(case_of(get("/?x=${a}"), a="${b}", b="${a}"))


@pytest.mark.parametrize("keep_state", [False, True])
def test_drawn_anew_for_each_iteration(keep_state: bool) -> None:
    """One value within an iteration, another in the next, whatever else a user keeps."""
    case = case_of(
        get("/?id=${id}&pin=${pin}&v=${verifier}"),
        get("/?id=${id}&c=${verifier|s256}"),
        id=Uuid(),
        pin=RandomText(12, "digits"),
        verifier=RandomText(43, "base64url"),
    )
    plan = compile_case(case)
    user = VirtualUser(plan, first_row, Diary(), keep_state=keep_state)
    seen = set()
    for iteration in range(20):
        book = Playbook(plan, user, iteration=iteration)
        (first,) = book.new
        found = re.fullmatch(r"GET /\?id=([0-9a-f-]{36})&pin=(\d{12})&v=([\w-]{43})", first)
        assert found is not None
        assert UUID(found[1]).version == 4
        book.answer(first)
        assert book.new == [f"GET /?id={found[1]}&c={filtered(found[3], ('s256',))}"]
        book.answer(book.new[0])
        seen.add(found.groups())
    assert len({one for values in seen for one in values}) == 3 * 20


def test_time_of_each_use() -> None:
    """All placeholders of one request say the same time, those of the next a later one."""
    moments = iter([1_700_000_000.123456, 1_700_000_001.5])
    case = case_of(
        get("/?s=${s}&twice=${s}"), get("/?ms=${ms}"), s=Timestamp("s"), ms=Timestamp("ms")
    )
    book = Playbook(compile_case(case, clock=lambda: next(moments)))
    book.answer("GET /?s=1700000000&twice=1700000000")
    assert book.new == ["GET /?ms=1700000001500"]


def test_time_as_text() -> None:
    """ISO 8601 with milliseconds, and microseconds."""
    case = case_of(get("/?t=${iso}&u=${us}"), iso=Timestamp("iso"), us=Timestamp("us"))
    (line,) = Playbook(compile_case(case, clock=lambda: 1_700_000_000.25)).new
    assert line == "GET /?t=2023-11-14T22%3A13%3A20.250Z&u=1700000000250000"
    assert datetime.fromisoformat("2023-11-14T22:13:20.250Z").timestamp() == 1_700_000_000.25


def test_without_them_nothing_is_wrapped() -> None:
    """What is not needed costs nothing: functions come back as they are."""
    plan = compile_case(case_of(get("/?x=${id}"), id=Uuid()))
    step = plan.steps[0]
    assert rendering(step.render, ()) is step.render
    assert compile_case(case_of(get("/?x=1"), id=Uuid())).visits.first.generated == ()

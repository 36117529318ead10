"""Tokens that expire while a virtual user is at work: played against by hand."""

from __future__ import annotations

import json
from dataclasses import replace
from random import Random

import pytest

from pytest_loadtool.model.case import (
    Header,
    Page,
    Recorded,
    Request,
    TestCase,
    Transaction,
    Variable,
)
from pytest_loadtool.model.extractor import Extractor, JsonPath
from pytest_loadtool.model.result import Failure
from pytest_loadtool.model.validator import StatusCodes
from pytest_loadtool.replay import Plan, VirtualUser, compile_case
from pytest_loadtool.replay.acting import actor_for
from pytest_loadtool.replay.authentication.renewal import Renewing
from pytest_loadtool.replay.user.user import Actor
from tests.replay.playbook import Diary, Playbook, first_row

SERVER = "http://api.example"
EXPECTED = "Status Code is 401, expected 200-399"


def gives(number: int) -> tuple[Extractor, ...]:
    """A pair of tokens, under this number."""
    return (
        Extractor(f"token[{number}]", JsonPath("$.access_token")),
        Extractor(f"refresh[{number}]", JsonPath("$.refresh_token")),
    )


def bearing(name: str, target: str, **more: object) -> Transaction:
    """A call with a token."""
    request = Request("GET", target, (Header("Authorization", f"Bearer ${{{name}}}"),))
    return Transaction(request, **more)  # type: ignore[arg-type]  # passed on


def refresh(number: int, target: str = "/refresh", **more: object) -> Transaction:
    """The transaction that refreshes the token of this number; its own is the next."""
    body = f"refresh=${{refresh[{number}]}}"
    request = Request("POST", target, body=body)
    return Transaction(
        request,
        extractors=gives(number + 1),
        refreshes=f"token[{number}]",
        **more,  # type: ignore[arg-type]  # passed on
    )


LOGIN = Transaction(Request("POST", "/login"), extractors=gives(1))
A, B = bearing("token[1]", "/a"), bearing("token[2]", "/b")


def case_of(*pages: tuple[Transaction, ...], think_time: float = 0.0) -> TestCase:
    return TestCase(
        "case",
        tuple(Page(f"{n}", one, think_time) for n, one in enumerate(pages)),
        SERVER,
        hosts=("login.example",),
    )


def book_of(plan: Plan | TestCase, user: Actor | None = None, iteration: int = 0) -> Playbook:
    plan = plan if isinstance(plan, Plan) else compile_case(plan)
    diary = Diary()
    return Playbook(plan, user or actor_for(VirtualUser(plan, first_row, diary)), diary, iteration)


def tokens(number: int, **more: object) -> bytes:
    """What a token endpoint answers."""
    return json.dumps({"access_token": f"A{number}", "refresh_token": f"R{number}"} | more).encode()


def sent(book: Playbook, line: str) -> str:
    """The token that a request under way has."""
    head, _, body = book.under_way[line].data.partition(b"\r\n\r\n")
    return body.decode() or head.decode().partition("Authorization: Bearer ")[2]


def test_a_request_that_is_refused_is_sent_again_with_a_new_token() -> None:
    """401, then the refresh with what the login gave, then the request: on its connection."""
    book = book_of(case_of((LOGIN, A, refresh(1), B)))
    book.answer("POST /login", body=tokens(1))
    first = book.under_way["GET /a"]
    assert sent(book, "GET /a") == "A1"
    book.answer("GET /a", 401)
    assert book.new == ["POST /refresh"]
    assert sent(book, "POST /refresh") == "refresh=R1"
    assert book.under_way["POST /refresh"].slot == first.slot
    book.answer("POST /refresh", body=tokens(2))
    assert book.new == ["GET /a"]
    assert sent(book, "GET /a") == "A2"
    assert (book.under_way["GET /a"].slot, book.under_way["GET /a"].due) == (first.slot, 103.0)
    book.answer("GET /a")
    assert book.diary.transactions == [("POST /login", ()), ("GET /a", ())]
    assert book.diary.negotiated == ["GET /a", "GET /a"]


def test_a_refresh_token_is_used_once() -> None:
    """Whatever the order in which renewals and the recorded refresh come."""
    book = book_of(case_of((LOGIN, A, refresh(1), B, bearing("token[2]", "/c"))))
    book.answer("POST /login", body=tokens(1))
    book.answer("GET /a", 401)
    book.answer("POST /refresh", body=tokens(2))
    book.answer("GET /a")
    assert sent(book, "POST /refresh") == "refresh=R2"
    book.answer("POST /refresh", body=tokens(3))
    assert sent(book, "GET /b") == "A3"
    for line, number in (("GET /b", 3), ("GET /c", 4)):
        book.answer(line, 401)
        assert sent(book, "POST /refresh") == f"refresh=R{number}"
        book.answer("POST /refresh", body=tokens(number + 1))
        assert sent(book, line) == f"A{number + 1}"
        book.answer(line)
    assert book.ended
    assert [failures for _, failures in book.diary.transactions] == [()] * 5


def test_a_server_that_keeps_its_refresh_token() -> None:
    """What an answer does not replace is sent again."""
    once = replace(refresh(1), extractors=gives(2)[:1])
    book = book_of(case_of((LOGIN, A, bearing("token[1]", "/b"), once)))
    book.answer("POST /login", body=tokens(1))
    for line, number in (("GET /a", 2), ("GET /b", 3)):
        book.answer(line, 401)
        assert sent(book, "POST /refresh") == "refresh=R1"
        book.answer("POST /refresh", body=tokens(number))
        assert sent(book, line) == f"A{number}"
        book.answer(line)


def test_a_new_token_that_is_refused_as_well() -> None:
    """Then age was not the reason: the request fails, and no later one is renewed for."""
    book = book_of(case_of((LOGIN, A, bearing("token[1]", "/c"), refresh(1))))
    book.answer("POST /login", body=tokens(1))
    book.answer("GET /a", 401)
    book.answer("POST /refresh", body=tokens(2))
    book.answer("GET /a", 401)
    assert book.new == ["GET /c"]
    book.answer("GET /c", 401)
    assert book.new == ["POST /refresh"]  # in its own turn
    failed = (Failure("status", EXPECTED),)
    assert book.diary.transactions[1:] == [("GET /a", failed), ("GET /c", failed)]


def test_a_refresh_that_fails() -> None:
    """The request fails, and says why; the refresh is not tried again."""
    book = book_of(case_of((LOGIN, A, bearing("token[1]", "/c"), refresh(1))))
    book.answer("POST /login", body=tokens(1))
    book.answer("GET /a", 401)
    book.answer("POST /refresh", 400)
    assert book.new == ["GET /c"]
    book.answer("GET /c", 401)
    message = (
        "the token ${token[1]} has expired, and POST /refresh, which should refresh it, failed: "
        "Status Code is 400, expected 200-399"
    )
    failed = (Failure("auth", message),)
    assert book.diary.transactions[1:] == [("GET /a", failed), ("GET /c", failed)]
    assert book.new == ["POST /refresh"]


@pytest.mark.parametrize("failing", [True, False])
def test_a_token_whose_time_is_over_is_renewed_before(failing: bool) -> None:
    """No request is made that the server would refuse; if there is no new one, it is seen to."""
    book = book_of(case_of((LOGIN,), (A, bearing("token[1]", "/c")), (refresh(1),), think_time=60))
    book.answer("POST /login", body=tokens(1, expires_in=59))
    book.wake()
    assert book.new == ["POST /refresh"]
    book.answer("POST /refresh", 503 if failing else 200, body=tokens(2, expires_in=59))
    assert book.new == ["GET /a"]
    assert sent(book, "GET /a") == ("A1" if failing else "A2")
    book.answer("GET /a")
    assert book.new == ["GET /c"]
    assert book.diary.negotiated == ["GET /a"]


def test_a_token_whose_time_is_not_over() -> None:
    """It is used as it is."""
    book = book_of(case_of((LOGIN,), (A,), (refresh(1),), think_time=60))
    book.answer("POST /login", body=tokens(1, expires_in=61))
    book.wake()
    assert book.new == ["GET /a"]


@pytest.mark.parametrize(
    ("request_", "renewing"),
    [
        (A, refresh(1, dangerous=True)),
        (replace(A, dangerous=True), refresh(1)),
        (replace(A, status=StatusCodes(((200, 200), (401, 401)))), refresh(1)),
        (bearing("refresh[1]", "/a"), refresh(1)),
        (replace(A, request=Request("GET", "/a")), refresh(1)),
    ],
    ids=["dangerous", "dangerous itself", "401 is wanted", "another token", "no token"],
)
def test_what_is_not_renewed_for(request_: Transaction, renewing: Transaction) -> None:
    """The 401 is the transaction's own."""
    book = book_of(case_of((LOGIN, request_, renewing)))
    book.answer("POST /login", body=tokens(1))
    book.answer("GET /a", 401)
    assert book.new == ["POST /refresh"]
    assert [title for title, _ in book.diary.transactions] == ["POST /login", "GET /a"]


def test_requests_that_are_refused_together() -> None:
    """One renewal serves all that are under way, and those that want to begin meanwhile wait."""
    at_once = tuple(
        replace(bearing("token[1]", f"/{n}"), recorded=Recorded(200, at=0.0, took=took))
        for n, took in enumerate((1.0, 9.0, 9.0))
    )
    late = replace(bearing("token[1]", "/3"), recorded=Recorded(200, at=2.0, took=1.0))
    other = replace(Transaction(Request("GET", "/4")), recorded=Recorded(200, at=2.0, took=1.0))
    book = book_of(case_of((LOGIN,), (*at_once, late, other), (refresh(1),)))
    book.answer("POST /login", body=tokens(1))
    assert book.new == ["GET /0", "GET /1", "GET /2"]
    book.answer("GET /1", 401)
    assert book.new == ["POST /refresh"]
    book.answer("GET /0")  # then /3 and /4 may begin, but /3 needs the token
    assert book.new == ["GET /4"]
    book.answer("GET /4")
    book.answer("POST /refresh", body=tokens(2))
    assert book.new == ["GET /1", "GET /3"]
    assert {sent(book, line) for line in book.new} == {"A2"}
    book.answer("GET /2", 401)  # it went out with the old one
    assert book.new == ["GET /2"]
    assert sent(book, "GET /2") == "A2"
    for line in ("GET /1", "GET /2", "GET /3"):
        book.answer(line)
    assert book.new == ["POST /refresh"]
    assert len(book.diary.transactions) == 6
    assert not any(failures for _, failures in book.diary.transactions)
    assert book.diary.negotiated == ["GET /1", "GET /1", "GET /2"]


def _at_once(transaction: Transaction, took: float) -> Transaction:
    return replace(transaction, recorded=Recorded(200, took=took))


@pytest.mark.parametrize("refreshes", [True, False])
def test_a_request_that_is_refused_during_the_recorded_refresh(refreshes: bool) -> None:
    """It waits for that one, and a refresh token is not used twice; its failure is one enough."""
    page = _at_once(refresh(1), 5.0), _at_once(A, 1.0), _at_once(bearing("token[1]", "/c"), 9.0)
    book = book_of(case_of((LOGIN,), page, (bearing("token[1]", "/d"),)))
    book.answer("POST /login", body=tokens(1))
    assert book.new == ["POST /refresh", "GET /a", "GET /c"]
    book.answer("GET /a")
    book.answer("GET /c", 401)
    assert book.new == []
    book.answer("POST /refresh", 200 if refreshes else 500, body=tokens(2))
    if refreshes:
        assert book.new == ["GET /c"]
        assert sent(book, "GET /c") == "A2"
        book.answer("GET /c")
    assert sent(book, "GET /d") == ("A2" if refreshes else "A1")
    book.answer("GET /d", 200 if refreshes else 401)
    assert book.ended
    failed = [title for title, failures in book.diary.transactions if failures]
    assert failed == ([] if refreshes else ["POST /refresh", "GET /c", "GET /d"])


def test_the_recorded_refresh_during_a_renewal() -> None:
    """It waits, and sends the refresh token that the renewal has got."""
    page = _at_once(A, 1.0), _at_once(bearing("token[1]", "/c"), 9.0)
    later = replace(refresh(1), recorded=Recorded(200, at=2.0, took=1.0))
    book = book_of(case_of((LOGIN,), (*page, later)))
    book.answer("POST /login", body=tokens(1))
    book.answer("GET /c", 401)
    assert sent(book, "POST /refresh") == "refresh=R1"
    book.answer("GET /a")
    assert book.new == []
    book.answer("POST /refresh", body=tokens(2))
    assert book.new == ["GET /c", "POST /refresh"]
    assert sent(book, "POST /refresh") == "refresh=R2"
    book.answer("POST /refresh", body=tokens(3))
    book.answer("GET /c")
    assert book.ended
    assert [failures for _, failures in book.diary.transactions] == [()] * 4


def test_a_refresh_elsewhere_has_a_connection_of_its_own() -> None:
    """Those to that server may all be in use."""
    elsewhere = refresh(1, "http://login.example/refresh")
    book = book_of(case_of((LOGIN, A, elsewhere)))
    book.answer("POST /login", body=tokens(1))
    book.answer("GET /a", 401)
    assert book.under_way["POST /refresh"].slot == 6
    book.answer("POST /refresh", body=tokens(2))
    assert book.under_way["GET /a"].slot == 0


def test_two_tokens() -> None:
    """Each is renewed by its own transaction, one after the other."""

    def named(transaction: Transaction, target: str) -> Transaction:
        extractors = tuple(
            replace(one, variable=f"other_{one.variable}") for one in transaction.extractors
        )
        name = transaction.refreshes and f"other_{transaction.refreshes}"
        request = replace(transaction.request, target=target)
        if name:
            request = replace(request, body="refresh=${other_refresh[1]}")
        return replace(transaction, request=request, extractors=extractors, refreshes=name)

    logins = LOGIN, named(LOGIN, "/other-login")
    together = tuple(
        replace(bearing(name, f"/{name[0]}"), recorded=Recorded(200, took=1.0))
        for name in ("token[1]", "other_token[1]")
    )
    refreshes = refresh(1), named(refresh(1), "/other-refresh")
    book = book_of(case_of(logins, together, refreshes))
    book.answer("POST /login", body=tokens(1))
    book.answer("POST /other-login", body=tokens(5))
    book.answer("GET /t", 401)
    book.answer("GET /o", 401)
    assert list(book.under_way) == ["POST /refresh"]
    book.answer("POST /refresh", body=tokens(2))
    assert book.new == ["GET /t", "POST /other-refresh"]
    assert sent(book, "POST /other-refresh") == "refresh=R5"
    book.answer("POST /other-refresh", body=tokens(6))
    assert [sent(book, line) for line in ("GET /t", "GET /o")] == ["A2", "A6"]
    book.answer("GET /t")
    book.answer("GET /o")
    assert not any(failures for _, failures in book.diary.transactions)


def test_a_login_that_is_repeated() -> None:
    """Where there is no refresh token, a person can have the user log in again."""
    token = Extractor("token", JsonPath("$.access_token"))
    login = replace(LOGIN, extractors=(token,), refreshes="token")
    book = book_of(case_of((login, bearing("token", "/a"), bearing("token", "/c"))))
    book.answer("POST /login", body=tokens(1))
    for line, number in (("GET /a", 2), ("GET /c", 3)):
        book.answer(line, 401)
        book.answer("POST /login", body=tokens(number))
        assert sent(book, line) == f"A{number}"
        book.answer(line)
    assert book.ended


def test_a_token_from_outside() -> None:
    """Its first value may be a constant or come from the environment."""
    token = Extractor("token", JsonPath("$.access_token"))
    renewing = replace(refresh(1), refreshes="token", extractors=(token,))
    renewing = replace(renewing, request=Request("POST", "/refresh"))
    case = case_of((bearing("token", "/a"), renewing))
    case = replace(case, variables={"token": Variable("token", env="TOKEN")})
    book = book_of(compile_case(case, environ={"TOKEN": "first"}))
    assert sent(book, "GET /a") == "first"
    book.answer("GET /a", 401)
    book.answer("POST /refresh", body=tokens(2))
    assert sent(book, "GET /a") == "A2"


@pytest.mark.parametrize("keep_state", [True, False])
def test_the_next_iteration(keep_state: bool) -> None:
    """What the login gives out counts, whatever was refreshed before."""
    plan = compile_case(case_of((LOGIN, A, refresh(1), B), think_time=0))
    user = actor_for(VirtualUser(plan, first_row, Diary(), keep_state=keep_state))
    book = book_of(plan, user)
    book.answer("POST /login", body=tokens(1))
    book.answer("GET /a")
    book.answer("POST /refresh", body=tokens(2))
    book.answer("GET /b")
    assert book.ended
    book = book_of(plan, user, iteration=1)
    book.answer("POST /login", body=tokens(3))
    book.answer("GET /a", 401)
    assert sent(book, "POST /refresh") == "refresh=R3"


def test_a_test_case_that_ends_with_the_refresh() -> None:
    """The next iteration of a user that keeps its state waits for nothing."""
    plan = compile_case(case_of((LOGIN, A, refresh(1))))
    user = actor_for(VirtualUser(plan, first_row, Diary(), keep_state=True))
    for iteration in range(2):
        book = book_of(plan, user, iteration)
        book.answer("POST /login", body=tokens(1))
        book.answer("GET /a")
        book.answer("POST /refresh", body=tokens(2))
        assert book.ended


def test_test_cases_without_renewals_have_plain_users() -> None:
    """They pay nothing."""
    plan = compile_case(case_of((LOGIN, A)))
    assert plan.renewals is None
    plain = VirtualUser(plan, first_row, Diary())
    assert actor_for(plain) is plain
    plan = compile_case(case_of((LOGIN, A, refresh(1))))
    assert isinstance(actor_for(VirtualUser(plan, first_row, Diary())), Renewing)


class TokenOffice:
    """Answers any order of requests: tokens can be revoked, refresh tokens are good for one use."""

    def __init__(self) -> None:
        self.issued = 0
        self.valid: set[str] = set()
        self.refresh: set[str] = set()
        self.revocable = True

    def answer(self, book: Playbook, line: str) -> None:
        """Answer the request under way with this line."""
        shown = sent(book, line)
        if line.startswith("GET"):
            book.answer(line, 200 if shown in self.valid else 401)
            return
        if line == "POST /refresh":
            self.refresh.remove(shown.removeprefix("refresh="))  # KeyError: a second time
            self.revocable = False
        self.issued += 1
        self.valid.add(f"A{self.issued}")
        self.refresh.add(f"R{self.issued}")
        book.answer(line, body=tokens(self.issued))

    def revoke(self) -> None:
        """All access tokens at once, but not what was given out since the page began."""
        if self.revocable:
            self.valid.clear()


def _began(transaction: Transaction) -> float:
    assert transaction.recorded is not None
    return transaction.recorded.at


@pytest.mark.parametrize("seed", range(40))
def test_whatever_comes_in_whichever_order(seed: int) -> None:
    """Pages whose requests overlap, tokens that end at any moment, answers in any order: nothing
    fails, all is asked for once, no refresh token is used twice, and nobody waits for ever."""
    random = Random(seed)
    pages = []
    for number in range(4):
        page = [
            replace(
                bearing("token[2]" if number > 2 else "token[1]", f"/{number}{letter}"),
                recorded=Recorded(200, at=random.random(), took=random.random()),
            )
            for letter in "abcdef"
        ]
        if number == 2:
            page.append(replace(refresh(1), recorded=Recorded(200, at=random.random(), took=0.3)))
        pages.append(tuple(sorted(page, key=_began)))
    book = book_of(case_of((LOGIN,), *pages))
    office, page_now = TokenOffice(), 0
    for _ in range(200):
        if book.ended:
            break
        if len(book.diary.pages) != page_now:
            page_now, office.revocable = len(book.diary.pages), True
        line = random.choice(list(book.under_way))
        if random.random() < 0.2:
            office.revoke()
        office.answer(book, line)
    assert book.ended
    assert len(book.diary.transactions) == 1 + 4 * 6 + 1
    assert [one for one in book.diary.transactions if one[1]] == []
    assert len(dict(book.diary.transactions)) == len(book.diary.transactions)

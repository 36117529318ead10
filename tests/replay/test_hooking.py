"""Functions of a project around the commands of a virtual user. No sockets."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from pytest_loadtool.model.authentication import Identity, Proxy
from pytest_loadtool.model.case import Header, Page, Request, TestCase, Transaction, Variable
from pytest_loadtool.model.hook import PATIENCE, Hook, HookFunction, Hooks
from pytest_loadtool.replay import Plan, compile_case
from pytest_loadtool.replay.acting import actor_for
from pytest_loadtool.replay.hook_arguments import HookRequest, HookResponse, HookUser
from pytest_loadtool.replay.hooking import UserHooks
from pytest_loadtool.replay.user.user import VirtualUser
from tests.replay.playbook import Diary, Playbook, first_row

SHOP = "http://shop.example"


def hooks(**functions: Callable[..., object]) -> Hooks:
    """Each as if it stood alone in a conftest.py."""

    def hook(name: str, function: Callable[..., object]) -> Hook:
        code = function.__code__
        wanted = code.co_varnames[: code.co_argcount]
        place = HookFunction(code.co_filename, "conftest.py", 7)
        return Hook(
            f"pytest_loadtool_{name}",
            lambda **given: function(**{one: given[one] for one in wanted}),
            (place,),
        )

    found: dict[str, Any] = {name: hook(name, one) for name, one in functions.items()}
    return Hooks(**found)


def plan_of(*transactions: Transaction, proxy: Proxy | None = None, **functions: Any) -> Plan:
    case = TestCase(
        "Shop",
        (Page("Home", transactions or (Transaction(Request("GET", "/a")),)),),
        SHOP,
        headers=(Header("Host"), Header("X-First", "1")),
        variables={"n": Variable("n", value="0")},
        proxy=proxy,
    )
    return compile_case(case, hooks=hooks(**functions) if functions else None)


def played(plan: Plan, took: list[int] | None = None) -> Playbook:
    diary = Diary()
    told = took.append if took is not None else (lambda _us: None)
    return Playbook(plan, actor_for(VirtualUser(plan, first_row, diary), told), diary)


def failures(book: Playbook) -> list[tuple[str, list[str]]]:
    return [(title, [one.told for one in found]) for title, found in book.diary.transactions]


def test_nobody_wants_to_know() -> None:
    """Without functions the user is who acts: nothing is asked at any request."""
    user = VirtualUser(plan_of(), first_row, Diary())
    assert actor_for(user) is user


def test_a_request_is_seen_and_changed_as_it_is_sent() -> None:
    """What is not changed keeps its bytes; lengths follow the body; repeats stay."""
    seen: list[bytes] = []
    body = Request("POST", "/a?q=caf%C3%A9", (Header("X-Two", "1"), Header("X-Two", "2")), "n=${n}")

    def request(request: HookRequest, user: HookUser) -> None:
        seen.append(bytes(request))
        assert (request.page, request.transaction, user.case) == ("Home", "POST /a", "Shop")
        assert request.url == f"{SHOP}/a?q=caf%C3%A9"
        assert request.headers.get_all("x-two") == ["1", "2"]
        assert "cookie" not in request.headers
        request.headers["x-first"] = "one"
        request.headers["X-Last"] = "\xe9"
        request.headers.add("X-Two", "3")
        request.target += "&signed=1"
        request.body += b"&more"

    book = played(plan_of(Transaction(body), request=request))
    plain = b"POST /a?q=caf%C3%A9 HTTP/1.1\r\nHost: shop.example\r\nX-First: 1\r\nX-Two: 1\r\n"
    assert seen == [plain + b"X-Two: 2\r\nContent-Length: 3\r\n\r\nn=0"]
    send = book.answer("POST /a?q=caf%C3%A9&signed=1")
    assert send.data.split(b"\r\n") == [
        b"POST /a?q=caf%C3%A9&signed=1 HTTP/1.1",
        *(b"Host: shop.example", b"X-First: one", b"X-Two: 1", b"X-Two: 2"),
        *(b"Content-Length: 8", b"X-Last: \xe9", b"X-Two: 3", b"", b"n=0&more"),
    ]
    assert failures(book) == [("POST /a", [])]


def test_to_a_proxy_the_server_is_no_part_of_the_target() -> None:
    """It goes back to where it stood."""

    def request(request: HookRequest) -> None:
        assert request.target == "/a"
        request.target = "/b"

    book = played(plan_of(proxy=Proxy("http://proxy.example:3128"), request=request))
    assert book.new == [f"GET {SHOP}/b"]


def test_variables_are_read_and_set() -> None:
    """From the start of an iteration on; what no placeholder has is the user's own."""
    told: list[object] = []

    def iteration_start(user: HookUser) -> None:
        told.append((user.number, user.iteration, dict(user.variables)))
        user.variables["n"] = "5"
        user.variables["mine"] = "x"

    def response(response: HookResponse, request: HookRequest, user: HookUser) -> None:
        told.append((request.target, response.status, response.json(), response.headers["X-Is"]))
        user.variables["n"] += "1"

    def iteration_end(user: HookUser, failed: bool) -> None:
        told.append((failed, user.variables["n"], user.variables["mine"], len(user.variables)))

    two = (Transaction(Request("GET", "/${n}")), Transaction(Request("GET", "/${n}")))
    plan = plan_of(
        *two, iteration_start=iteration_start, response=response, iteration_end=iteration_end
    )
    book = played(plan)
    book.answer("GET /5", body=b"[1]", headers=((b"X-Is", b"one"),))
    book.answer("GET /51", 404, body=b"{}", headers=((b"x-is", b"two"),))
    assert book.ended
    assert told == [
        (0, 0, {"n": "0"}),
        ("/5", 200, [1], "one"),
        ("/51", 404, {}, "two"),
        (True, "511", "x", 2),
    ]
    assert Playbook(plan, book.user).new == ["GET /5"]
    assert told[-1] == (0, 0, {"n": "0"}), "it begins anew"


def nothing() -> None:
    pass


def raising(error: BaseException) -> Callable[[], object]:
    def function() -> None:
        raise error

    return function


@pytest.mark.parametrize("error", [KeyError("ann"), SystemExit("ann")], ids=["error", "exit"])
@pytest.mark.parametrize("where", ["request", "response", "iteration_start", "iteration_end"])
def test_what_is_raised_fails_a_transaction(where: str, error: BaseException) -> None:
    """With file and line; the user goes on, and knows no exception."""
    calls = iter([raising(error), *[nothing] * 9])
    line = raising.__code__.co_firstlineno + 2
    name = type(error).__name__

    def call() -> None:
        next(calls)()

    functions: dict[str, Any] = {where: call}
    two = (Transaction(Request("GET", "/a")), Transaction(Request("GET", "/b")))
    book = played(plan_of(*two, **functions))
    shown = "'ann'" if name == "KeyError" else "ann"
    told = f"conftest.py:7: pytest_loadtool_{where} raised {name} in line {line}: {shown}"
    first = where in ("request", "iteration_start")
    if not first:
        book.answer("GET /a")
    assert book.new == ["GET /b"]
    book.answer("GET /b")
    assert book.ended
    wanted = [("GET /a", [] if where == "iteration_end" else [told]), ("GET /b", [])]
    assert failures(book) == wanted + ([("GET /b", [told])] if where == "iteration_end" else [])
    (failure,) = (one for _, found in book.diary.transactions for one in found)
    assert failure.cause == "hook"
    assert shown not in failure.message, "equal for all users"


class Ticking:
    """A clock that a function moves on."""

    def __init__(self) -> None:
        self.now = 50.0

    def __call__(self) -> float:
        return self.now


def test_what_functions_take_is_no_time_of_the_server() -> None:
    """Requests are due as much later, and one that takes very long has failed."""
    clock, took = Ticking(), list[int]()
    slow = iter([0.25, 0.5, PATIENCE + 1, 0.0])

    def request() -> None:
        clock.now += next(slow)

    def response() -> None:
        clock.now += 0.125

    two = tuple(Transaction(Request("GET", f"/{one}")) for one in "abc")
    plan = plan_of(*two, request=request, response=response)
    assert plan.hooks is not None
    user = VirtualUser(plan, first_row, Diary())
    calls = UserHooks(user, plan.hooks, took.append, clock)

    class Acting:
        def act(self, *visit: Any) -> Iterator[Any]:
            return calls.requests(user.act(*visit))

    book = Playbook(plan, Acting(), user.observer)  # type: ignore[arg-type]
    begun = book.clock
    assert book.answer("GET /a").due == begun + 0.25
    answered = book.clock
    assert book.answer("GET /b").due == answered + 0.125 + 0.5
    assert book.ended, "the third was not sent"
    assert took == [250_000, 125_000, 500_000, 125_000, (int(PATIENCE) + 1) * 1_000_000]
    told = f"pytest_loadtool_request took longer than {PATIENCE:g} s: all users waited"
    assert failures(book)[2] == ("GET /c", [f"conftest.py:7: {told}"])


def test_a_request_that_is_sent_again_is_seen_again() -> None:
    """With its credentials, and without what was added the first time."""
    seen: list[list[str]] = []

    def request(request: HookRequest) -> None:
        seen.append(list(request.headers))
        request.headers.add("X-Signed", request.headers.get("Authorization", "nobody"))

    plan = plan_of(request=request)
    identity = Identity("ann", "${n}")
    plan = compile_case(replace(plan.case, identities=(identity,)), hooks=plan.hooks)
    book = played(plan)
    first = book.answer("GET /a", 401, headers=((b"WWW-Authenticate", b'Basic realm="r"'),))
    again = book.answer("GET /a")
    assert seen == [["Host", "X-First"], ["Host", "X-First", "Authorization"]]
    assert again.data.count(b"X-Signed: ") == 1
    assert b"X-Signed: Basic YW5uOjA=" in again.data
    assert first.data.count(b"Authorization") == 0


@pytest.mark.parametrize(
    ("change", "raised"),
    [
        (lambda one: one.headers.__setitem__("X-A", "1\r\nX-B: 2"), "ValueError"),
        (lambda one: one.headers.__setitem__("X-A", "\u20ac"), "ValueError"),
        (lambda one: one.headers.__setitem__("X A", "1"), "ValueError"),
        (lambda one: one.headers.add("X-A", 1), "TypeError"),
        (lambda one: one.headers.__delitem__("X-A"), "KeyError"),
        (lambda one: setattr(one, "target", "http://evil.example/"), "ValueError"),
        (lambda one: setattr(one, "target", "/a b"), "ValueError"),
        (lambda one: setattr(one, "body", "text"), "TypeError"),
        (lambda one: setattr(one, "method", "POST"), "AttributeError"),
    ],
)
def test_what_no_request_can_have(change: Callable[[HookRequest], None], raised: str) -> None:
    """It fails where it is said, and nothing is sent."""

    def request(request: HookRequest) -> None:
        change(request)

    book = played(plan_of(request=request))
    assert book.ended
    ((_, (told,)),) = failures(book)
    assert f"raised {raised} in line" in told


def test_variables_are_text() -> None:
    """A number is no text, which placeholders stand for."""

    def iteration_start(user: HookUser) -> None:
        user.variables["n"] = 7  # type: ignore[assignment]

    book = played(plan_of(iteration_start=iteration_start))
    assert "raised TypeError" in failures(book)[0][1][0]
    assert "variables are text: n was given int" in failures(book)[0][1][0]

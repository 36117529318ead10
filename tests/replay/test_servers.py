"""The servers that requests may go to."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_loadtool.errors import ReplayError
from pytest_loadtool.model.authentication import Identity, Proxy
from pytest_loadtool.model.case import Page, Recorded, Request, TestCase, Transaction, Variable
from pytest_loadtool.model.extractor import Extractor, JsonPath
from pytest_loadtool.replay import compile_case
from pytest_loadtool.replay.acting import actor_for
from pytest_loadtool.replay.user.user import VirtualUser
from tests.replay.playbook import Diary, Playbook, first_row

SHOP = "http://shop.example:8000"
OTHER = "http://other.example/x"


def case_of(*targets: str, hosts: tuple[str, ...] = (), overlapped: bool = False) -> TestCase:
    """``u`` is extracted by the first transaction."""
    recorded = [Recorded(200, at=1.0 * bool(n and overlapped), took=1.0) for n in range(9)]
    if not overlapped:
        recorded = [replace(one, at=2.0 * n) for n, one in enumerate(recorded)]
    take = (Extractor("u", JsonPath("$.u")),)
    transactions = [
        Transaction(Request("GET", one), recorded=recorded[n], extractors=() if n else take)
        for n, one in enumerate(targets)
    ]
    return TestCase("c", (Page("p", tuple(transactions)),), SHOP, hosts=hosts)


def playbook(case: TestCase, server: str = "", *, alone: bool = False) -> Playbook:
    plan = compile_case(case, server=server, alone=alone)
    diary = Diary()
    return Playbook(plan, actor_for(VirtualUser(plan, first_row, diary)), diary)


def failed(book: Playbook) -> list[str]:
    return [one.message for _, failures in book.diary.transactions for one in failures]


def refused(case: TestCase, server: str = "", *, alone: bool = False) -> tuple[str, object]:
    with pytest.raises(ReplayError) as found:
        compile_case(case, server=server, alone=alone)
    return str(found.value), found.value.at


def test_all_that_are_named_nowhere_are_told_at_once() -> None:
    """With the line to write; those that stand there already are in it."""
    case = case_of("/", OTHER, "https://b.example:8443/", OTHER, hosts=("a.example",))
    line = 'write hosts = ["a.example", "other.example", "b.example"] at the top'
    message, at = refused(case)
    assert message.endswith(line)
    assert at == ("page", 0, "transaction", 1, "request")
    compile_case(replace(case, hosts=("OTHER.example", "b.example")))
    recorded = replace(case, hosts=(), recorded_hosts=("b.example",))
    assert 'write recorded_hosts = ["b.example", "other.example"]' in refused(recorded)[0]


@pytest.mark.parametrize(
    "url",
    [
        "http://shop.example.evil.example/",
        "http://evil.example\\@shop.example.evil.example/",
        "http://shop.example@evil.example/",
        "http://shop.example./",
        "http://xshop.example/",
        "HTTP://EVIL.example",
        "http://shop.example${u}/",
        "http://${host}/",
    ],
)
def test_what_only_looks_like_one_that_is_named(url: str) -> None:
    """Hosts are compared as a whole."""
    assert refused(case_of("/", url))


@pytest.mark.parametrize(
    "url", ["http://shop.example/", "https://SHOP.example:1/", "http://u@shop.example/"]
)
def test_any_port_of_a_host(url: str) -> None:
    """And any scheme: a server of the application on another port is no stranger."""
    compile_case(case_of("/", url))
    assert (
        "--loadtool-untrusted allows http://shop.example:8000 only"
        in refused(case_of("/", url), SHOP, alone=True)[0]
    )


def test_another_server_in_its_place() -> None:
    """The host that the test case names stays one of its own; but not for a test case from
    elsewhere."""
    case = case_of("/", f"{SHOP}/x")
    compile_case(case, server="http://staging.example")
    assert refused(case, "http://staging.example", alone=True)


def test_a_target_that_a_response_gives() -> None:
    """A path, or a URL of a host that is named, goes out as ever; what else does not."""
    for value in ("/next", "//evil.example/x", f"{SHOP}/next", "https://a.example/next"):
        book = playbook(case_of("/", "${u}", hosts=("a.example",)))
        book.answer("GET /", body=b'{"u": "%b"}' % value.encode())
        assert book.new == [f"GET {value}"]
    for value in ("", "next", "@evil.example/", "ftp://shop.example/", OTHER, "http://[x"):
        book = playbook(case_of("/", "${u}", "/last"))
        book.answer("GET /", body=b'{"u": "%b"}' % value.encode())
        assert book.new == ["GET /last"]
        book.answer("GET /last")
        assert book.ended
        (message,) = failed(book)
        assert message.startswith("not sent: ${u} is ")


def test_among_requests_that_overlap() -> None:
    """The others go out, none twice."""
    case = case_of("/", "/a", "${u}", "/b", "${u}?again", "/c", overlapped=True)
    book = playbook(case)
    book.answer("GET /", body=b'{"u": "%b"}' % OTHER.encode())
    assert book.new == ["GET /a", "GET /b", "GET /c"]
    for line in ("GET /b", "GET /a", "GET /c"):
        book.answer(line)
    assert book.ended
    assert (
        failed(book)
        == ["not sent: ${u} is a URL of other.example: neither 'server' nor 'hosts' names it"] * 2
    )
    assert len(book.diary.transactions) == 6


def test_only_one_that_is_refused() -> None:
    """An iteration without any request comes to its end, and the next one, too."""
    case = replace(case_of("${v}"), variables={"v": Variable("v", OTHER)})
    for number in range(2):
        plan = compile_case(case)
        diary = Diary()
        assert Playbook(plan, actor_for(VirtualUser(plan, first_row, diary)), diary, number).ended
        assert diary.iterations == [True]


def test_a_user_who_logs_in() -> None:
    """Its negotiation is looked at like all else."""
    case = replace(case_of("/", "${u}", "/last"), identities=(Identity("ann", "${p}"),))
    case = replace(case, variables={"p": Variable("p", "x")})
    book = playbook(case)
    book.answer("GET /", 401, headers=((b"WWW-Authenticate", b'Basic realm="r"'),))
    book.answer("GET /", body=b'{"u": "%b"}' % OTHER.encode())
    assert book.new == ["GET /last"]
    assert len(failed(book)) == 1


def test_through_a_proxy() -> None:
    """To which the target has the server's URL in front: it is looked at without that."""
    case = replace(case_of("/", "${u}"), proxy=Proxy("http://proxy"))
    first = f"GET {SHOP}/"
    for value, sent in (("/x", [f"{first}x"]), (".evil.example/x", []), ("@evil.example/x", [])):
        book = playbook(case)
        book.answer(first, body=b'{"u": "%b"}' % value.encode())
        assert book.new == sent
        assert book.ended is not bool(sent)


def test_who_needs_no_guard() -> None:
    """Where every target says where it goes, nothing is looked at."""
    plan = compile_case(case_of("/", "${server}/x", f"{SHOP}/${{u}}", "/${u}"))
    assert not plan.guarded
    user = VirtualUser(plan, first_row, Diary())
    assert actor_for(user) is user

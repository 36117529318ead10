"""What is read out of a recording and a kept replay: differences, variables, places."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote_plus

import pytest

from pytest_loadtool.masking.text import Unmasked
from pytest_loadtool.model.case import (
    Header,
    Kind,
    Page,
    Recorded,
    Request,
    TestCase,
    Transaction,
    Variable,
)
from pytest_loadtool.model.dataset import DatasetUse
from pytest_loadtool.model.exchange import Exchange, HeaderList
from pytest_loadtool.model.extractor import Extractor, FormField
from pytest_loadtool.model.kept_replay import (
    DatasetRow,
    KeptReplay,
    KeptTransaction,
    KeptVariable,
    TransactionId,
)
from pytest_loadtool.workflow.comparing import DiffRow, compared
from pytest_loadtool.workflow.document import Document
from pytest_loadtool.workflow.finding import SCOPES, search, trace
from pytest_loadtool.workflow.replays import OpenReplay
from pytest_loadtool.workflow.variables import variable_rows

OLD, NEW = "http://old.test", "http://new.test:8000"
FORM = "application/x-www-form-urlencoded"
PAGE = (
    '<html><title>Order</title><input name="token" value="{token}"><p>Hello {user}</p>'
    "<ul><li>Tea</li></ul></html>"
)


def exchange(server: str, method: str, path: str, body: str, *headers: tuple[str, str],
             answer: str = "", answered: HeaderList = (),
             media: str = "text/html; charset=utf-8") -> Exchange:  # fmt: skip
    return Exchange(
        1_790_000_000.0, 0.01, method, f"{server}{path}", "HTTP/1.1",
        (("Host", server.partition("://")[2]), *headers), body.encode(), 200, "OK",
        (("Content-Type", media), *answered), answer.encode(),
    )  # fmt: skip


def sides(server: str, token: str, user: str, date: str) -> tuple[Exchange, Exchange]:
    """The form with its token, and the form sent."""
    return (
        exchange(server, "GET", "/form", "", answer=PAGE.format(token=token, user=user),
                 answered=(("Date", date), ("Set-Cookie", f"sid=s{token}; Path=/"))),
        exchange(server, "POST", "/order", f"token={quote_plus(token)}&user={user}&of=17",
                 ("Content-Type", FORM), ("Cookie", f"sid=s{token}"),
                 answer=f'{{"of":17,"by":"{user}"}}', media="application/json"),
    )  # fmt: skip


WAS = sides(OLD, "aB3/dE6gH9jK2mN5pQ8", "ann", "Mon")
NOW = sides(NEW, "zY9xW8vU7tS6rQ5+O4", "bob", "Tue")
CASE = TestCase(
    "shop",
    (
        Page(
            "Order",
            (
                Transaction(
                    Request("GET", "/form"),
                    extractors=(Extractor("csrf", FormField("token")),),
                    recorded=Recorded(200, Kind.HTML, 0),
                ),
                Transaction(
                    Request(
                        "POST",
                        "/order",
                        (Header("Content-Type", FORM),),
                        "token=${csrf|form}&user=${users.name}&of=17",
                    ),
                    recorded=Recorded(200, Kind.JSON, 1),
                ),
            ),
        ),
    ),
    OLD,
    datasets=(DatasetUse("users", "users.csv"),),
    variables={
        "csrf": Variable("csrf", recorded="aB3/dE6gH9jK2mN5pQ8", set_by="asm"),
        "password": Variable("password", env="SHOP_PASSWORD"),
    },
)
DOCUMENT = Document(CASE, WAS)


def opened(*now: Exchange) -> OpenReplay:
    """A replay of the two that was kept."""
    ids = [TransactionId("GET /form", "Order", "GET", "/form", 0),
           TransactionId("POST /order", "Order", "POST", "/order", 1)]  # fmt: skip
    taken = [{"csrf": "zY9xW8vU7tS6rQ5+O4"}, {}]
    transactions = tuple(
        KeptTransaction(index, ids[index], "passed", one, taken=taken[index])
        for index, one in enumerate(now)
    )
    variables = (
        KeptVariable("csrf", "zY9xW8vU7tS6rQ5+O4", (0,)),
        KeptVariable("users.name", "bob"),
        KeptVariable("password", "hunter22"),
    )
    replay = KeptReplay("shop", 0.0, 1.0, NEW, transactions, variables,
                        rows=(DatasetRow("users", "users.csv", 2),), ending="finished")  # fmt: skip
    return OpenReplay(Path("x.har"), replay)


def section(index: int, title: str, *now: Exchange) -> tuple[DiffRow, ...]:
    [found] = [
        one for one in compared(DOCUMENT, index, opened(*(now or NOW))) if one.title == title
    ]
    return found.rows


def test_differences_that_something_explains_are_expected() -> None:
    """A variable, a column of a dataset, the server and cookies, however they are written."""
    found = {one.title: one for one in compared(DOCUMENT, 1, opened(*NOW))}
    assert {title: one.unexplained for title, one in found.items()} == dict.fromkeys(found, 0)
    assert [one.why for one in found["Request"].rows] == ["the server"]
    assert [one.why for one in found["Request body"].rows] == ["csrf", "users.name", ""]
    assert [(one.mark, one.why) for one in found["Request headers"].rows] == [
        ("expected", "the server"),
        ("same", ""),
        ("expected", "differs each time"),
    ]
    assert [one.why for one in found["Response body"].rows if one.mark != "same"] == ["users.name"]
    token = found["Request body"].rows[0]
    assert (token.recorded, token.replayed) == (
        "token=aB3/dE6gH9jK2mN5pQ8",
        "token=zY9xW8vU7tS6rQ5+O4",
    )


def test_dates_differ_each_time() -> None:
    """So do the values of cookies, as long as they are the same ones."""
    rows = section(0, "Response headers")
    assert [(one.mark, one.why) for one in rows] == [
        ("same", ""),
        ("expected", "differs each time"),
        ("expected", "differs each time"),
    ]


def test_what_no_placeholder_explains_is_pointed_out() -> None:
    """Another constant, a header that is not sent any more, a line that has gone."""
    form, order = NOW
    order = order.changed(
        request_headers=order.request_headers[:1],
        request_body=order.request_body.replace(b"of=17", b"of=18"),
    )
    rows = section(1, "Request body", form, order)
    assert [one.mark for one in rows] == ["expected", "expected", "different"]
    headers = section(1, "Request headers", form, order)
    assert [(one.recorded, one.replayed, one.mark) for one in headers[1:]] == [
        (f"Content-Type: {FORM}", None, "different"),
        ("Cookie: sid=saB3…", None, "different"),
    ]
    form = form.changed(response_body=form.response_body.replace(b"<li>Tea</li>", b""))
    marks = [one.mark for one in section(0, "Response body", form, order)]
    assert "different" in marks


def test_what_was_not_sent_cannot_be_compared() -> None:
    """It is said why."""
    with pytest.raises(ValueError, match="the replay knows no such transaction"):
        compared(DOCUMENT, 1, opened(NOW[0]))
    with pytest.raises(ValueError, match="what was recorded of it is not at hand"):
        compared(replace(DOCUMENT, exchanges=()), 0, opened(*NOW))


@pytest.mark.promise(34)
def test_variables() -> None:
    """Each with its value, where it was set, or from where it is; and who uses it."""
    rows = {one.name: one for one in variable_rows(DOCUMENT, opened(*NOW))}
    csrf = rows["csrf"]
    assert (csrf.value, csrf.recorded) == ("zY9xW8vU7tS6rQ5+O4", "aB3/dE6gH9jK2mN5pQ8")
    assert (csrf.set_by, csrf.used_by) == ((0,), (1,))
    assert (rows["users.name"].value, rows["users.name"].origin) == ("bob", "row 2 of users.csv")
    assert rows["password"].origin == "environment variable SHOP_PASSWORD"
    assert rows["password"].secret
    alone = {one.name: one for one in variable_rows(DOCUMENT, None)}
    assert (alone["csrf"].value, alone["csrf"].set_by) == (None, (0,))


def test_variables_follow_their_transactions() -> None:
    """One that was deleted before is no place to have been set at."""
    case = replace(
        CASE, pages=(replace(CASE.pages[0], transactions=CASE.pages[0].transactions[1:]),)
    )
    rows = {one.name: one for one in variable_rows(replace(DOCUMENT, case=case), opened(*NOW))}
    assert (rows["csrf"].set_by, rows["csrf"].used_by) == ((), (0,))


def found(pattern: str, *within: str) -> list[tuple[str, str, str]]:
    places = search(DOCUMENT, opened(*NOW), re.compile(pattern), within=within)
    return [(one.where, f"{one.part} {one.place}", one.match) for one in places]


def test_search_looks_everywhere() -> None:
    """Addresses, headers, bodies, in either direction, and what is to be sent; decoded, too."""
    assert found("of=17") == [
        ("recording", "request body", "of=17"),
        ("replay", "request body", "of=17"),
        ("test case", "request as it is sent", "of=17"),
    ]
    assert found("application/json") == [
        ("recording", "response Content-Type", "application/json"),
        ("replay", "response Content-Type", "application/json"),
    ]
    assert found(r"rQ5\+O4", "request", "body") == [("replay", "request body", "rQ5+O4")]
    assert found(r"\$\{csrf") == [("test case", "request as it is sent", "${csrf")]
    assert found("/form", "url", "replay") == [("replay", "request URL", "/form")]
    assert found("ann", "response", "recording") == [
        ("recording", "response body", "ann"),
        ("recording", "response body", "ann"),
    ]


@pytest.mark.parametrize("scope", SCOPES)
def test_each_scope_narrows(scope: str) -> None:
    """There is less of it, and not nothing."""
    assert 0 < len(found(".+", scope)) < len(found(".+"))


def test_search_shows_no_secret() -> None:
    """Not even when it is what was asked for; `Unmasked` shows it."""
    login = exchange(OLD, "POST", "/login", "user=ann&password=hunter22", ("Content-Type", FORM))
    document = Document(TestCase("x", ()), (login,))
    for text in ("hunter22", "unter2", "password=hunter", "22"):
        [place] = search(document, None, re.compile(text))
        assert "unter" not in place.before + place.match + place.after
    [place] = search(document, None, re.compile("hunter"), mask=Unmasked())
    assert (place.before, place.match, place.after) == ("user=ann&password=", "hunter", "22")


@pytest.mark.parametrize("text", ["access_token", "bearer", "c2FtZQ", "QQ", "token_type"])
def test_search_shows_no_part_of_a_long_secret(text: str) -> None:
    """It is known as one by all of the body, however far its beginning and its end are away."""
    secret = "eyJhbGciOiJIUzI1NiJ9." + "QWxhZGRpbjpvcGVuIHNlc2FtZQ" * 30
    answer = json.dumps({"access_token": secret, "token_type": "bearer"})
    login = exchange(OLD, "POST", "/token", "", answer=answer, media="application/json")
    for place in search(Document(TestCase("x", ()), (login,)), None, re.compile(text)):
        shown = place.before + place.match + place.after
        assert not any(secret[at : at + 8] in shown for at in range(4, len(secret) - 8))


def test_trace_follows_a_value_through_its_encodings() -> None:
    """What sets it comes first; the recorded and the replayed value are one variable's."""
    by_name = trace(DOCUMENT, opened(*NOW), "csrf")
    assert trace(DOCUMENT, opened(*NOW), "zY9xW8vU7tS6rQ5+O4") == by_name
    assert trace(DOCUMENT, opened(*NOW), "aB3/dE6gH9jK2mN5pQ8") == by_name
    places = [(one.where, one.index, f"{one.part} {one.place}", one.role) for one in by_name.places]
    assert places[0] == ("recording", 0, "response body", "sets it")
    assert ("recording", 1, "request body", "") in places
    assert ("replay", 0, "response body", "sets it") in places
    assert places[-1] == ("test case", 1, "request as it is sent", "")
    coded = exchange(NEW, "GET", "/x?back=zY9xW8vU7tS6rQ5%2BO4", "")
    again = trace(DOCUMENT, opened(NOW[0], coded), "csrf").places
    assert [one.match for one in again if one.index == 1 and one.where == "replay"] == [
        "zY9xW8vU7tS6rQ5%2BO4"
    ]


def test_trace_of_what_is_no_variable() -> None:
    """Any text, as long as it stands by itself."""
    assert trace(DOCUMENT, None, "Tea").name == ""
    assert len(trace(DOCUMENT, None, "Tea").places) == 1
    assert trace(DOCUMENT, None, "Te").places == ()

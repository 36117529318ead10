"""What is said of an answer, by what was recorded in its place."""

from __future__ import annotations

import json

import pytest

from pytest_loadtool.answers.judge import Finding, Seen, Yardstick, judge, words
from pytest_loadtool.answers.kinds import media_type
from pytest_loadtool.answers.look import kind_now, look
from pytest_loadtool.model.case import Recorded

JSON = "application/json"
HTML = "text/html; charset=utf-8"
XML = "text/xml"


def seen(status: int, content_type: str, text: str, location: str = "") -> Seen:
    kind = kind_now(content_type, text)
    return Seen(status, kind, media_type(content_type), look(kind, text, len(text), location))


def found(was: Seen, now: Seen, *, of_a_thing: bool = False) -> Finding | None:
    recorded = Recorded(was.status, was.kind, answer=was.answer)
    title = frozenset(words(was.answer.title))
    return judge(Yardstick(recorded, title, of_a_thing), now)


def page(title: str, body: str = "<p>Hello") -> str:
    return f"<!doctype html><html><head><title>{title}</title></head><body>{body}</body></html>"


def envelope(body: str, version: str = "http://schemas.xmlsoap.org/soap/envelope/") -> str:
    return (
        f'<?xml version="1.0"?>\n<s:Envelope xmlns:s="{version}">\n<s:Header/>'
        f"<s:Body>\n  {body}</s:Body></s:Envelope>"
    )


LOGIN = page(
    "Shop",
    '<form><input name="user"><input type="password" name="p"><input type=submit></form>',
)
ORDERS = page("Orders · Shop", "<h1>Orders</h1><table></table>")
FAULT = "<methodResponse><fault><value/></fault></methodResponse>"

#: What was recorded, what came, and what is said of it.
FAILED = [
    (JSON, '{"jsonrpc": "2.0", "id": 1, "result": 3}',
     '{"jsonrpc": "2.0", "id": 1, "error": {"code": -32601, "message": "x"}}',
     "JSON-RPC error -32601"),
    (JSON, '[{"jsonrpc": "2.0", "id": 1, "result": 3}]',
     '[{"jsonrpc": "2.0", "id": 1, "result": 1}, {"jsonrpc": "2.0", "error": {"code": 1}}]',
     "JSON-RPC error 1"),
    (JSON, '{"data": {"user": {"id": 1}}}', '{"data": null, "errors": [{"message": "no"}]}',
     "GraphQL errors"),
    (JSON, '{"data": {"a": 1, "b": 2}}', '{"data": {"a": 1, "b": null}, "errors": [{}]}',
     "GraphQL errors beside data"),
    (JSON, '{"success": true, "id": 1}', '{"success": false, "id": 1}', '"success" is false'),
    (JSON, '{"success": 1}', '{"success": 0}', '"success" is 0'),
    (JSON, '{"ok": true}', '{"ok": false}', '"ok" is false'),
    (JSON, '{"id": 1}', '{"ok": false, "why": "x"}', '"ok" is false'),
    (JSON, '{"status": "ok"}', '{"status": "error"}', '"status" is "error"'),
    (JSON, '{"status": "Success", "x": 1}', '{"status": "fail", "x": 1}', '"status" is "fail"'),
    (JSON, '{"code": 0, "msg": ""}', '{"code": 1001, "msg": "no"}', '"code" is 1001'),
    (JSON, '{"code": "0"}', '{"code": "17"}', '"code" is "17"'),
    (JSON, '{"code": 200, "data": []}', '{"code": 403, "data": []}', '"code" is 403'),
    (JSON, '{"status": 1, "msg": "", "data": {}}', '{"status": 0, "msg": "no", "data": {}}',
     '"status" is 0'),
    (JSON, '{"errno": 0}', '{"errno": 5}', '"errno" is 5'),
    (JSON, '{"id": 1}', '{"error": "not allowed"}', '"error"'),
    (JSON, '{"id": 1, "error": null}', '{"id": 1, "error": "not allowed"}', '"error"'),
    (JSON, '{"id": 1, "errors": []}', '{"id": 1, "errors": ["no"]}', '"errors"'),
    (JSON, '{"id": 1}', '{"id": 1, "error_message": "not so"}', '"error_message"'),
    (JSON, '{"id": 1, "hasErrors": false}', '{"id": 1, "hasErrors": true}', '"hasErrors"'),
    ("text/html", '{"success": true}', '{"success": false}', '"success" is false'),
    (XML, envelope("<m:GetResponse/>"), envelope("<s:Fault><faultcode/></s:Fault>"), "SOAP fault"),
    ("application/soap+xml", envelope("<m:R/>"),
     envelope("<env:Fault/>", "http://www.w3.org/2003/05/soap-envelope"), "SOAP fault"),
    (XML, "<methodResponse><params/></methodResponse>", FAULT, "XML-RPC fault"),
    (XML, "<orders><order/></orders>", '<error code="5">no</error>', "<error>"),
    (XML, '<rsp stat="ok"><x/></rsp>', '<rsp stat="fail"><err/></rsp>', "<rsp>"),
    (HTML, ORDERS, page("404 Not Found"), "page of an error"),
    (HTML, ORDERS, page("Server Error (500)"), "page of an error"),
    (HTML, ORDERS, page("Error · Shop"), "page of an error"),
    (HTML, ORDERS, page("Orders · Shop", "<h1>Access denied</h1>"), "page of an error"),
    (HTML, ORDERS, page("Shop", "<h1 class=x><b>Page expired</b></h1>"), "page of an error"),
    (HTML, ORDERS, page("Shop", "<h1>An error occurred while saving</h1>"), "page of an error"),
]  # fmt: skip


@pytest.mark.parametrize(("content_type", "before", "after", "how"), FAILED)
def test_an_answer_that_says_that_it_failed(
    content_type: str, before: str, after: str, how: str
) -> None:
    """It is held against it where the recorded one went well, and not where that said it, too."""
    was, now = seen(200, content_type, before), seen(200, content_type, after)
    assert found(was, now) == Finding(f"The answer says that it failed: {how}", failed=True)
    assert found(now, now) is None
    assert found(was, was) is None


@pytest.mark.parametrize("content_type", [HTML, JSON])
def test_a_login_page(content_type: str) -> None:
    """In the place of a page, or of what a script asked for."""
    before = ORDERS if content_type == HTML else "{}"
    asks = Finding("The answer asks to log in, which the recorded one did not", failed=True)
    assert found(seen(200, content_type, before), seen(200, HTML, LOGIN)) == asks
    assert found(seen(200, HTML, LOGIN), seen(200, HTML, LOGIN)) is None


def test_a_page_with_a_password_among_others_is_no_login() -> None:
    """A form of a person's own data has one, too."""
    fields = "".join(f'<input name="f{number}">' for number in range(8))
    form = page("Orders · Shop", f'<form>{fields}<input type="password"></form>')
    said = found(seen(200, HTML, ORDERS), seen(200, HTML, form))
    assert said == Finding("a field for a password where none was recorded")


DIFFERS = [
    (seen(200, HTML, ORDERS), seen(302, HTML, "", "/login?next=/orders"),
     "302 -> /login where 200 was recorded"),
    (seen(303, HTML, "", "/orders/17"), seen(200, HTML, ORDERS), "200 where 303 was recorded"),
    (seen(201, JSON, "{}"), seen(200, JSON, "{}"), "200 where 201 was recorded"),
    (seen(302, HTML, "", "/orders/17"), seen(302, HTML, "", "/login"),
     "redirected to /login where /orders/* was recorded"),
    (seen(200, JSON, '{"a": 1}'), seen(200, HTML, page("Hello")), "HTML where JSON was recorded"),
    (seen(200, "image/png", "x" * 50), seen(200, "text/plain", "sorry"),
     "text/plain where image was recorded"),
    (seen(200, JSON, '{"a": 1}'), seen(200, JSON, ""), "an empty body"),
    (seen(200, JSON, '{"a": 1}'), seen(200, JSON, "[1]"),
     "a JSON array where an object was recorded"),
    (seen(200, JSON, '{"id": 1, "name": "x"}'), seen(200, JSON, '{"id": 2}'), 'without "name"'),
    (seen(200, JSON, '{"items": [1], "n": 1}'), seen(200, JSON, '{"items": [], "n": 0}'),
     'an empty list: "items"'),
    (seen(200, JSON, "[1, 2]"), seen(200, JSON, "[]"), "an empty list"),
    (seen(200, XML, "<orders/>"), seen(200, XML, "<things/>"),
     "<things> where <orders> was recorded"),
    (seen(200, HTML, ORDERS), seen(200, HTML, page("Welcome · Shop")),
     'the title "Welcome · Shop" where "Orders · Shop" was recorded'),
    (seen(200, HTML, page("A", "x" * 20_000)), seen(200, HTML, page("A")),
     "a body less than a tenth of the recorded one"),
    (seen(200, HTML, page("A")), seen(200, HTML, page("A", "x" * 20_000)),
     "a body more than ten times the recorded one"),
]  # fmt: skip


@pytest.mark.parametrize(("was", "now", "text"), DIFFERS)
def test_an_answer_of_another_shape(was: Seen, now: Seen, text: str) -> None:
    """It is told, and no failure."""
    assert found(was, now) == Finding(text)
    assert found(was, was) is None
    assert found(now, now) is None


ALIKE = [
    (seen(200, HTML, ORDERS), seen(304, HTML, "")),
    (seen(304, "", ""), seen(200, HTML, ORDERS)),
    (seen(301, HTML, "", "/orders/"), seen(308, HTML, "", "/orders/")),
    (seen(302, HTML, "", "/orders/17"), seen(302, HTML, "", "http://other/orders/4711")),
    (seen(200, JSON, "[]"), seen(200, JSON, "[1, 2, 3]")),
    (seen(200, JSON, '{"id": 1, "status": "open"}'),
     seen(200, JSON, '{"id": 2, "status": "failed"}')),
    (seen(200, JSON, '{"id": 1, "status": 0, "error": ""}'),
     seen(200, JSON, '{"id": 1, "status": 3, "error": ""}')),
    (seen(200, JSON, '{"requests": 10, "errors": 0}'),
     seen(200, JSON, '{"requests": 9, "errors": 4}')),
    (seen(200, JSON, '{"ann": {"a": 1}, "bob": {"a": 2}}'), seen(200, JSON, '{"eve": {"a": 3}}')),
    (seen(200, JSON, json.dumps({"items": list(range(10))})),
     seen(200, JSON, json.dumps({"items": list(range(9000))}))),
    (seen(200, HTML, page("Inbox (3)")), seen(200, HTML, page("Inbox (12)"))),
    (seen(200, HTML, page("Monday, 3 March · Shop")),
     seen(200, HTML, page("Friday, 9 May · Shop"))),
    (seen(200, "image/png", "x" * 50), seen(200, "image/webp", "y" * 30)),
    (seen(200, "text/javascript", "x" * 50), seen(200, "application/javascript", "y" * 60)),
    (seen(200, HTML, page("Tickets", "<h1>Tickets</h1>")),
     seen(200, HTML, page("Tickets", "<h1>Error when the shop is saved</h1>"))),
    (seen(200, XML, "<orders><error-rate>0</error-rate></orders>"), seen(200, XML, "<orders/>")),
]  # fmt: skip


@pytest.mark.parametrize(("was", "now"), ALIKE)
def test_an_answer_that_is_as_recorded(was: Seen, now: Seen) -> None:
    """What rightly differs is not told: conditional requests, data, days, counts."""
    assert found(was, now) is None


def test_the_title_of_a_thing_is_its_own() -> None:
    """Where a response has named what is asked for, the site's own words are enough."""
    was, now = seen(200, HTML, page("Teapot · Shop")), seen(200, HTML, page("Cup · Shop"))
    assert found(was, now, of_a_thing=True) is None
    assert found(was, now) is not None
    assert found(was, seen(200, HTML, page("Welcome")), of_a_thing=True) is not None


def test_without_an_answer_only_the_status_counts() -> None:
    """Test cases that were made before it was noted say no more."""
    was = Yardstick(Recorded(200))
    assert judge(was, seen(200, HTML, LOGIN)) is None
    assert judge(was, seen(302, HTML, "", "/login")) is not None

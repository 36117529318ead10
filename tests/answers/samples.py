"""Answers: what was recorded, what came in its place, and what is to be said of it."""

from __future__ import annotations

import json
from dataclasses import dataclass

from pytest_loadtool.answers.judge import ExpectedAnswer, Seen, words
from pytest_loadtool.answers.shape import kind_now, shape_of
from pytest_loadtool.codec.media import media_type
from pytest_loadtool.model.case import Recorded

__all__ = ["ALIKE", "DIFFERS", "FAILED", "HTML", "JSON", "LOGIN", "ORDERS", "Raw", "page"]

JSON = "application/json"
HTML = "text/html; charset=utf-8"
XML = "text/xml"


@dataclass(frozen=True)
class Raw:
    """An answer as it is sent."""

    status: int
    content_type: str
    text: str
    location: str = ""

    @property
    def seen(self) -> Seen:
        """What it looks like."""
        kind = kind_now(self.content_type, self.text)
        answer = shape_of(kind, self.text, len(self.text), self.location, asked="http://h/")
        return Seen(self.status, kind, media_type(self.content_type), answer)

    @property
    def recorded(self) -> Recorded:
        """What a recording says of it."""
        return Recorded(self.status, self.seen.kind, answer=self.seen.answer)

    def expectation(self, *, of_a_thing: bool = False) -> ExpectedAnswer:
        """It, to compare others with."""
        seen = self.seen.answer
        title = frozenset(words(seen.title or seen.heading))
        return ExpectedAnswer(self.recorded, title, of_a_thing)


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

DIFFERS = [
    (Raw(200, HTML, ORDERS), Raw(302, HTML, "", "/login?next=/orders"),
     "302 -> /login where 200 was recorded"),
    (Raw(303, HTML, "", "/orders/17"), Raw(200, HTML, ORDERS), "200 where 303 was recorded"),
    (Raw(201, JSON, "{}"), Raw(200, JSON, "{}"), "200 where 201 was recorded"),
    (Raw(302, HTML, "", "/orders/17"), Raw(302, HTML, "", "/login"),
     "redirected to /login where /orders/* was recorded"),
    (Raw(302, HTML, "", "/users/17"), Raw(302, HTML, "", "/users/sign_in"),
     "redirected to /users/sign_in where /users/* was recorded"),
    (Raw(302, HTML, "", "?page=2"), Raw(302, HTML, "", "/login?next=/"),
     "redirected to /login where / was recorded"),
    (Raw(302, HTML, "", "/"), Raw(302, HTML, "", "/?login=1"),
     "redirected to /?login where / was recorded"),
    (Raw(302, HTML, "", "/orders"), Raw(302, HTML, "", "https://sso.example"),
     "redirected to //sso.example/ where /orders was recorded"),
    (Raw(302, HTML, "", "/"), Raw(302, HTML, "", "http://other/"),
     "redirected to //other/ where / was recorded"),
    (Raw(302, HTML, "", "http://sso.example/"), Raw(302, HTML, "", "/"),
     "redirected to / where //sso.example/ was recorded"),
    (Raw(302, HTML, "", "/shop/"), Raw(302, HTML, "", "http://h:8080/"),
     "redirected to //h:8080/ where /shop/ was recorded"),
    (Raw(302, HTML, "", "/shop/"), Raw(200, HTML, page("Welcome to nginx!")),
     "200 where 302 was recorded"),
    (Raw(200, JSON, '{"a": 1}'), Raw(200, HTML, page("Hello")), "HTML where JSON was recorded"),
    (Raw(200, "image/png", "x" * 50), Raw(200, "text/plain", "sorry"),
     "text/plain where image was recorded"),
    (Raw(200, JSON, '{"a": 1}'), Raw(200, JSON, ""), "an empty body"),
    (Raw(200, JSON, '{"a": 1}'), Raw(200, JSON, "[1]"),
     "a JSON array where an object was recorded"),
    (Raw(200, JSON, '{"id": 1, "name": "x"}'), Raw(200, JSON, '{"id": 2}'), 'without "name"'),
    (Raw(200, JSON, '{"items": [1], "n": 1}'), Raw(200, JSON, '{"items": [], "n": 0}'),
     'an empty list: "items"'),
    (Raw(200, JSON, "[1, 2]"), Raw(200, JSON, "[]"), "an empty list"),
    (Raw(200, XML, "<orders/>"), Raw(200, XML, "<things/>"),
     "<things> where <orders> was recorded"),
    (Raw(200, HTML, ORDERS), Raw(200, HTML, page("Welcome · Shop")),
     'the title "Welcome · Shop" where "Orders · Shop" was recorded'),
    (Raw(200, HTML, page("", "<h1>Orders of today</h1>")),
     Raw(200, HTML, "<html><body><h1>It works!</h1></body></html>"),
     'the heading "It works!" where "Orders of today" was recorded'),
    (Raw(200, HTML, "<h1>Orders</h1>"),
     Raw(200, HTML, page("Welcome to nginx!", "<h1>Welcome to nginx!</h1>")),
     'the title "Welcome to nginx!" where none was recorded'),
    (Raw(200, HTML, page("A", "x" * 20_000)), Raw(200, HTML, page("A")),
     "a body less than a tenth of the recorded one"),
    (Raw(200, HTML, page("A")), Raw(200, HTML, page("A", "x" * 20_000)),
     "a body more than ten times the recorded one"),
]  # fmt: skip

ALIKE = [
    (Raw(200, HTML, ORDERS), Raw(304, HTML, "")),
    (Raw(304, "", ""), Raw(200, HTML, ORDERS)),
    (Raw(301, HTML, "", "/orders/"), Raw(308, HTML, "", "/orders/")),
    (Raw(302, HTML, "", "/orders/17"), Raw(302, HTML, "", "http://other/orders/4711")),
    (Raw(302, HTML, "", "/users/17"), Raw(302, HTML, "", "/users/tea-house")),
    (Raw(302, HTML, "", "?page=2"), Raw(302, HTML, "", "/?page=3")),
    (Raw(302, HTML, "", "/"), Raw(302, HTML, "", "https://h/")),
    (Raw(302, HTML, "", "/"), Raw(302, HTML, "", "http://h:80/")),
    (Raw(302, HTML, "", "http://sso.example"), Raw(302, HTML, "", "https://sso.test:8443/")),
    (Raw(200, HTML, page("", "<h1>No orders yet</h1>")),
     Raw(200, HTML, page("", "<h1>Orders: 3</h1>"))),
    (Raw(200, JSON, "[]"), Raw(200, JSON, "[1, 2, 3]")),
    (Raw(200, JSON, '{"id": 1, "status": "open"}'),
     Raw(200, JSON, '{"id": 2, "status": "failed"}')),
    (Raw(200, JSON, '{"id": 1, "status": 0, "error": ""}'),
     Raw(200, JSON, '{"id": 1, "status": 3, "error": ""}')),
    (Raw(200, JSON, '{"requests": 10, "errors": 0}'),
     Raw(200, JSON, '{"requests": 9, "errors": 4}')),
    (Raw(200, JSON, '{"ann": {"a": 1}, "bob": {"a": 2}}'), Raw(200, JSON, '{"eve": {"a": 3}}')),
    (Raw(200, JSON, json.dumps({"items": list(range(10))})),
     Raw(200, JSON, json.dumps({"items": list(range(9000))}))),
    (Raw(200, HTML, page("Links", "<p>Tea" * 9000)),
     Raw(200, HTML, page("Links", "<p>Tea" * 50_000))),  # too long to be read
    (Raw(200, JSON, json.dumps({"items": list(range(9000))})),
     Raw(200, JSON, json.dumps({"items": list(range(50_000))}))),
    (Raw(200, HTML, page("Inbox (3)")), Raw(200, HTML, page("Inbox (12)"))),
    (Raw(200, HTML, page("Monday, 3 March · Shop")),
     Raw(200, HTML, page("Friday, 9 May · Shop"))),
    (Raw(200, "image/png", "x" * 50), Raw(200, "image/webp", "y" * 30)),
    (Raw(200, "text/javascript", "x" * 50), Raw(200, "application/javascript", "y" * 60)),
    (Raw(200, HTML, page("Tickets", "<h1>Tickets</h1>")),
     Raw(200, HTML, page("Tickets", "<h1>Error when the shop is saved</h1>"))),
    (Raw(200, XML, "<orders><error-rate>0</error-rate></orders>"), Raw(200, XML, "<orders/>")),
]  # fmt: skip

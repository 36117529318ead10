"""HAR files that other programs wrote."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest
from mitmproxy.http import Headers, Response
from mitmproxy.io import FlowWriter
from mitmproxy.test import tflow, tutils
from playwright.sync_api import sync_playwright

from pytest_loadtool.casefile import read_har
from pytest_loadtool.casefile.har.exchange import entry_from, exchange_from
from pytest_loadtool.model.exchange import UNENDED, Exchange
from pytest_loadtool.model.websocket import WEBSOCKET
from tests.served import served

ENTRY: dict[str, Any] = {
    "startedDateTime": "2024-05-01T14:00:00.500+02:00",
    "request": {"method": "GET", "url": "http://h/"},
    "response": {"status": 200, "statusText": "OK"},
}


def read(path: Path, *entries: dict[str, Any]) -> tuple[Exchange, ...]:
    """The exchanges of a file with these entries, by another program."""
    log = {"version": "1.2", "creator": {"name": "WebInspector"}, "entries": entries}
    path.write_text(json.dumps({"log": log}))
    return read_har(path)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the file is."""
    return tmp_path / "export.har"


def changed(**parts: dict[str, Any] | str | float | None) -> dict[str, Any]:
    """The entry with more in its request, its response, or itself."""
    entry = dict(ENTRY)
    for name, part in parts.items():
        entry[name] = {**ENTRY[name], **part} if isinstance(part, dict) else part
    return entry


def test_what_need_not_be_there_may_be_missing(path: Path) -> None:
    """The least a browser writes is enough; its local time counts with its offset."""
    assert read(path, ENTRY) == (
        Exchange(1714564800.5, 0.0, "GET", "http://h/", "HTTP/1.1", (), b"", 200, "OK"),
    )


def test_headers_are_as_http_1_1_has_them(path: Path) -> None:
    """Chromium shows HTTP/2 with pseudo-headers, and several Set-Cookie as one."""
    (exchange,) = read(
        path,
        changed(
            request={
                "httpVersion": "http/2.0",
                "headers": [
                    {"name": ":authority", "value": "h"},
                    {"name": "accept", "value": "*/*"},
                ],
            },
            response={
                "headers": [
                    {"name": ":status", "value": "200"},
                    {"name": "set-cookie", "value": "a=1\nb=2"},
                ]
            },
        ),
    )
    assert exchange.http_version == "HTTP/2.0"
    assert exchange.request_headers == (("accept", "*/*"),)
    assert exchange.response_headers == (("set-cookie", "a=1"), ("set-cookie", "b=2"))


def test_a_multipart_body_is_built_from_its_parts(path: Path) -> None:
    """Browsers leave the text out; the boundary is the one of the header."""
    params = [
        {"name": "title", "value": "Größe"},
        {"name": 'f"1', "fileName": "a.txt", "contentType": "text/plain", "value": "x"},
    ]
    mime = "multipart/form-data; boundary=----b1"
    (exchange,) = read(path, changed(request={"postData": {"mimeType": mime, "params": params}}))
    assert (
        exchange.request_body
        == (
            '------b1\r\nContent-Disposition: form-data; name="title"\r\n\r\nGröße\r\n'
            '------b1\r\nContent-Disposition: form-data; name="f%221"; filename="a.txt"\r\n'
            "Content-Type: text/plain\r\n\r\nx\r\n------b1--\r\n"
        ).encode()
    )


@pytest.mark.parametrize(
    ("post_data", "body"),
    [
        ({"mimeType": "application/json", "text": '{"a":"ü"}'}, '{"a":"ü"}'.encode()),
        ({"mimeType": "text/plain; charset=latin-1", "text": "ü"}, b"\xfc"),
        ({"mimeType": "text/plain; charset=ascii", "text": "ü"}, "ü".encode()),
        ({"mimeType": "text/plain; charset=klingon", "text": "ü"}, "ü".encode()),
        ({"mimeType": "a/b", "text": "lone \ud83d"}, b"lone ?"),
        (
            {
                "mimeType": "application/x-www-form-urlencoded",
                "text": None,
                "params": [{"name": "a b", "value": "ü&"}, {"name": "c"}],
            },
            b"a+b=%C3%BC%26&c=",
        ),
        ({"mimeType": "multipart/form-data", "params": [{"name": "a"}]}, b""),
        ({"mimeType": "a/b", "text": "/w==", "_encoding": "base64"}, b"\xff"),
        (None, b""),
    ],
)
def test_request_bodies_in_all_their_forms(
    path: Path, post_data: dict[str, Any] | None, body: bytes
) -> None:
    """Text in its charset, parameters, base64, nothing."""
    (exchange,) = read(path, changed(request={"postData": post_data}))
    assert exchange.request_body == body


def test_response_bodies_have_the_charset_that_the_response_says(path: Path) -> None:
    """Text is in the file as the browser decoded it; the bytes are as the server sent them."""
    header = {"name": "Content-Type", "value": "text/html; charset=iso-8859-1"}
    content = {"mimeType": "text/html", "text": "Größe"}
    (exchange,) = read(path, changed(response={"headers": [header], "content": content}))
    assert exchange.response_body == "Größe".encode("latin-1")


def test_time_without_a_total_is_the_sum_of_its_parts(path: Path) -> None:
    """Parts that were not measured are -1, and ssl is a part of connect."""
    timings = {"blocked": -1, "connect": 20, "ssl": 10, "send": 0.5, "wait": 30, "receive": 1}
    (exchange,) = read(path, {**ENTRY, "timings": timings})
    assert exchange.took == pytest.approx(0.0515)


@pytest.mark.parametrize(
    ("entry", "error"),
    [
        (
            changed(response={"status": 0, "_error": "net::ERR_BLOCKED_BY_CLIENT"}),
            "net::ERR_BLOCKED_BY_CLIENT",
        ),
        (changed(response={"status": -1}), "no response recorded"),
        (changed(response=None), "no response recorded"),
        (changed(response={"_error": None}), ""),
    ],
)
def test_requests_without_a_response_say_why(path: Path, entry: dict[str, Any], error: str) -> None:
    """Blocked and cancelled requests are kept, with status 0."""
    (exchange,) = read(path, entry)
    assert exchange.error == error
    assert (exchange.status == 0) is bool(error)


EVENTS = {"name": "content-type", "value": "text/event-stream; x"}


@pytest.mark.parametrize(
    ("entry", "note"),
    [
        (changed(_webSocketMessages="…"), "WebSocket upgrade"),
        (changed(request={"url": "wss://h/"}), "WebSocket upgrade"),
        (changed(_resourceType="websocket"), "WebSocket upgrade"),
        (changed(response={"status": 101}), "WebSocket upgrade"),
        (changed(_resourceType="eventsource"), UNENDED),
        (changed(response={"headers": [EVENTS]}), UNENDED),
        (changed(response={"headers": [EVENTS], "content": {"text": "data: 1\n\n"}}), ""),
        (changed(request={"url": "data:image/png,x"}), "not an HTTP request, but data:"),
        (changed(request={"method": "CONNECT"}), "proxy tunnel"),
        (changed(_resourceType="xhr", comment="seen by Bob"), ""),
    ],
)
def test_what_cannot_be_replayed_is_named(path: Path, entry: dict[str, Any], note: str) -> None:
    """WebSockets, event streams that were open yet, tunnels, local URLs; another tool's comment is
    none of these."""
    (exchange,) = read(path, entry)
    assert exchange.note == note


@pytest.mark.parametrize(
    ("messages", "events"),
    [
        ([("send", "2"), ("receive", "3"), ("send", '42["order",{"n":1}]')], 1),
        ([("send", '{"type": "subscribe", "id": "1"}'), ("receive", '{"type": "next"}')], 0),
        ([("send", '{"type": "message", "text": "subscribe"}'), ("send", "hello")], 2),
        ("…", 0),
        ([7, {"type": "send"}, {"data": "x"}, {"type": "send", "data": 3}], 0),
    ],
)
def test_what_a_page_sent_over_a_websocket_is_counted(
    path: Path, messages: Any, events: int
) -> None:
    """As Chromium exports it; what keeps it going or subscribes is none. Our file has it, too."""
    if isinstance(messages, list) and isinstance(messages[0], tuple):
        messages = [{"type": kind, "opcode": 1, "data": data} for kind, data in messages]
    (exchange,) = read(path, changed(_webSocketMessages=messages))
    assert (exchange.note, exchange.events) == (WEBSOCKET, events)
    assert exchange_from(entry_from(exchange)).events == events


def text_response(kind: str, text: str) -> Response:
    """A response in UTF-8 whose header names no charset."""
    return tutils.tresp(headers=Headers(content_type=kind), content=text.encode())


def test_mitmproxy_s_hardump_is_read(path: Path, tmp_path: Path) -> None:
    """What mitmdump itself writes: text, binary, an error and a WebSocket."""
    flows = tmp_path / "flows"
    with flows.open("wb") as file:
        writer = FlowWriter(file)  # type: ignore[no-untyped-call]
        writer.add(
            tflow.tflow(
                req=tutils.treq(method=b"POST", content="ü=1".encode(), path=b"/form"),
                resp=tutils.tresp(content=b"\x89PNG\r\n\xff\x00" * 20),
            )
        )
        writer.add(tflow.tflow(resp=text_response("text/html", '<meta charset="utf-8">Größe')))
        writer.add(tflow.tflow(resp=text_response("application/json", '"Größe"')))
        writer.add(tflow.tflow(err=True))
        writer.add(tflow.twebsocketflow())
    mitmdump = Path(sys.executable).with_name("mitmdump")
    subprocess.run(
        [mitmdump, "--quiet", "--no-server", "--rfile", flows, "--set", f"hardump={path}"],
        check=True,
    )
    form, page, data, failed, socket = read_har(path)
    assert (form.method, form.url) == ("POST", "http://address:22/form")
    assert form.request_body == "ü=1".encode()
    assert form.response_body == b"\x89PNG\r\n\xff\x00" * 20
    assert page.response_body == '<meta charset="utf-8">Größe'.encode()
    assert data.response_body == '"Größe"'.encode()
    assert (failed.status, failed.error) == (0, "error")
    assert socket.note == "WebSocket upgrade"


class Echo(BaseHTTPRequestHandler):
    """Answers a form, and shows what was posted."""

    def log_message(self, *_: object) -> None:
        """Be silent."""

    def answer(self, body: bytes) -> None:
        """Send a page."""
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self) -> None:
        """A form."""
        self.answer("<form method=post><input name=größe value='1 &'><button>ü</button>".encode())

    def do_POST(self) -> None:
        """What came."""
        self.answer(self.rfile.read(int(self.headers["Content-Length"])))


@pytest.fixture
def server() -> Iterator[str]:
    """The URL of a server on a free port."""
    with served(Echo) as url:
        yield f"{url}/"


def test_a_har_recorded_from_chromium_is_read(path: Path, server: str) -> None:
    """A real browser's form post: what the file says is what the server got."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium", args=["--no-sandbox"]
        )
        context = browser.new_context(record_har_path=path, record_har_content="embed")
        page = context.new_page()
        page.goto(server)
        page.click("button")
        page.wait_for_function("document.body.innerText.includes('=')")
        context.close()
        browser.close()
    exchanges = [one for one in read_har(path) if one.url == server]
    assert [one.method for one in exchanges] == ["GET", "POST"]
    post = exchanges[1]
    assert post.request_body == post.response_body == b"gr%C3%B6%C3%9Fe=1+%26"
    assert post.request_header("Content-Type") == "application/x-www-form-urlencoded"
    assert 0 < post.started - exchanges[0].started < 60

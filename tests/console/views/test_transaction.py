"""One transaction as recorded and as replayed."""

from __future__ import annotations

import gzip
from dataclasses import replace

from pytest_loadtool.console.views.transaction import failure, recorded
from pytest_loadtool.model.result import Failure
from pytest_loadtool.replay.user.exchange import Response, Send
from pytest_loadtool.workflow.document import Document
from tests.console.samples import DOCUMENT, LOGIN_PAGE

FIRST, SECOND, THIRD = DOCUMENT.case.transactions()


def replayed(request: bytes, status: int, head: bytes, body: bytes) -> Response:
    response = Response(Send(None, 0, request, 0.0))  # type: ignore[arg-type]
    response.status, response.head, response.body = status, head, body
    return response


def test_recorded_side_is_shown_decoded() -> None:
    """Both with headers and readable bodies; a long body is cut unless all is wanted."""
    text = "\n".join(recorded(DOCUMENT, FIRST))
    assert "GET http://127.0.0.1:8000/login HTTP/1.1\nHost: 127.0.0.1:8000\n" in text
    assert "200 OK  (12 ms)\nContent-Type: text/html; charset=utf-8\n\n<title>Grüße</title>" in text
    assert "--full shows all" in text
    assert "--full" not in "\n".join(recorded(DOCUMENT, FIRST, full=True))


def test_exchange_without_response_says_why() -> None:
    """What broke while recording is not shown as an empty response."""
    text = "\n".join(recorded(DOCUMENT, SECOND))
    assert "user=admin&password=…" in text
    assert "no response: connection closed" in text


def test_secrets_are_cut_unless_asked_for() -> None:
    """In headers, addresses and bodies of both sides, and of what negotiated before; it is said."""
    exchange = replace(
        LOGIN_PAGE,
        url=f"{LOGIN_PAGE.url}?access_token=0123456789",
        request_headers=(("Authorization", "Basic YWxpY2U6c2VjcmV0MQ=="), ("Accept", "*/*")),
        response_headers=(("Set-Cookie", "session=abcdefghijkl; Path=/"),),
        response_body=b'{"password": "correct horse"}',
    )
    recording = replace(FIRST.recorded, negotiation=(1,))  # type: ignore[type-var]
    document = Document(DOCUMENT.case, (exchange, exchange))
    cut = "\n".join(recorded(document, replace(FIRST, recorded=recording)))
    assert cut.endswith("\nPasswords and tokens are cut; --secrets shows them.")
    shown = "\n".join(recorded(document, replace(FIRST, recorded=recording), secrets=True))
    for secret, beginning in (
        ("access_token=0123456789", "access_token=0123…"),
        ("Basic YWxpY2U6c2VjcmV0MQ==", "Basic YWxp…"),
        ("session=abcdefghijkl;", "session=abcd…;"),
        ('"correct horse"', '"corr…"'),
    ):
        assert secret not in cut
        assert cut.count(beginning) == shown.count(secret) > 0
    assert "are cut" not in shown


def test_transaction_without_evidence_shows_what_is_sent() -> None:
    """Written by hand or parted from its traffic, it still shows the test case's side."""
    assert "GET /by-hand" in list(recorded(DOCUMENT, THIRD))
    text = "\n".join(recorded(Document(DOCUMENT.case), SECOND))
    assert "is not at hand" in text
    assert "POST /login\n\nuser=admin" in text


def test_failure_shows_sent_received_and_recorded() -> None:
    """Enough to see what went wrong without running it again."""
    response = replayed(
        b"POST /login HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\n\r\nuser=admin",
        403,
        b"HTTP/1.1 403 Forbidden\r\nContent-Type: text/html\r\nContent-Encoding: gzip",
        gzip.compress(b"<h1>Forbidden</h1>"),
    )
    failures = (Failure("status", "status 403, expected 200-399"),)
    lines = "\n".join(failure(response, failures, LOGIN_PAGE)).split("\n")
    assert lines[0] == "status: status 403, expected 200-399"
    assert "    POST /login HTTP/1.1" in lines
    assert "    user=admin" in lines
    assert "    status 403" in lines
    assert "    <h1>Forbidden</h1>" in lines
    assert lines[-1] == "recorded: status 200 OK"


def test_broken_content_coding_is_shown_as_such() -> None:
    """A body that cannot be decoded does not hide the failure behind another one."""
    response = replayed(
        b"GET / HTTP/1.1\r\n\r\n", 200, b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip", b"not gzip"
    )
    text = "\n".join(failure(response, (Failure("decoding", "broken gzip body"),), None))
    assert "(broken gzip body: " in text


def test_network_failure_has_nothing_received() -> None:
    """Without a response only what was sent is shown."""
    response = replayed(b"GET / HTTP/1.1\r\n\r\n", 0, b"", b"")
    exchange = replace(LOGIN_PAGE, reason="")
    text = "\n".join(failure(response, (Failure("connect", "refused"),), exchange))
    assert "received" not in text
    assert text.endswith("recorded: status 200")

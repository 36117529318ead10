"""One transaction: as recorded, and as replayed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol

from pytest_loadtool.console.session import Document
from pytest_loadtool.console.views.text import BODY_LIMIT, body
from pytest_loadtool.model.case import Request, TestCase, Transaction
from pytest_loadtool.model.exchange import Exchange, HeaderList
from pytest_loadtool.model.result import Failure

__all__ = ["Replayed", "failure", "recorded"]


class Replayed(Protocol):
    """What the views read of a replayed response."""

    status: int

    @property
    def headers(self) -> list[tuple[bytes, bytes]]:
        """As received."""

    @property
    def request(self) -> bytes:
        """The request as sent."""

    @property
    def content(self) -> bytes:
        """The body without its content coding."""


def recorded(document: Document, transaction: Transaction, *, full: bool = False) -> Iterator[str]:
    """The Headers and Content views: what was sent and received when it was recorded. What went
    before to negotiate authentication is always there."""
    limit = None if full else BODY_LIMIT
    exchange = document.evidence_of(transaction)
    yield transaction.title
    yield ""
    if exchange is None:
        yield "The recorded traffic is not at hand; this is what the test case sends."
        yield ""
        yield from _planned(document.case, transaction.request)
        return
    negotiation = document.negotiation_of(transaction)
    for number, one in enumerate(negotiation, 1):
        yield f"Connection authentication negotiation, {number} of {len(negotiation)}:"
        yield from _indented([_request_line(one), *_headers(one.request_headers), ""])
        yield from _indented([_status_line(one), *_headers(one.response_headers)])
        yield ""
    yield _request_line(exchange)
    yield from _headers(exchange.request_headers)
    yield ""
    yield body(exchange.request_body, exchange.request_header("content-type") or "", limit=limit)
    yield ""
    yield from _response(exchange, limit)


def failure(
    response: Replayed,
    failures: Iterable[Failure],
    exchange: Exchange | None,
) -> Iterator[str]:
    """Why a replayed transaction failed, what was sent and received, and what was recorded."""
    for one in failures:
        yield f"{one.cause}: {one.message}"
    yield ""
    yield "sent:"
    head, _, sent = response.request.partition(b"\r\n\r\n")
    lines = head.decode("latin-1").split("\r\n")
    yield from _indented(lines)
    if sent:
        yield from _indented(["", body(sent, _content_type(lines[1:]))])
    if response.status:
        yield "received:"
        received = [f"{_text(name)}: {_text(value)}" for name, value in response.headers]
        yield from _indented([f"status {response.status}", *received, ""])
        yield from _indented([body(_content(response), _content_type(received))])
    if exchange is not None:
        yield f"recorded: status {exchange.status} {exchange.reason}".rstrip()


def _planned(case: TestCase, request: Request) -> Iterator[str]:
    yield f"{request.method} {request.target}"
    for header in case.wire_headers(request):
        yield header.name if header.value is None else f"{header.name}: {header.value}"
    if request.body is not None:
        yield ""
        yield request.body if isinstance(request.body, str) else body(request.body, "")


def _response(exchange: Exchange, limit: int | None) -> Iterator[str]:
    if not exchange.status:
        yield f"no response: {exchange.error or 'the connection ended'}"
        return
    yield _status_line(exchange)
    yield from _headers(exchange.response_headers)
    yield ""
    yield body(exchange.response_body, exchange.response_header("content-type") or "", limit=limit)


def _request_line(exchange: Exchange) -> str:
    return f"{exchange.method} {exchange.url} {exchange.http_version}"


def _status_line(exchange: Exchange) -> str:
    return f"{exchange.status} {exchange.reason}".rstrip() + f"  ({exchange.took * 1000:.0f} ms)"


def _headers(headers: HeaderList) -> Iterator[str]:
    return (f"{name}: {value}" for name, value in headers)


def _content_type(lines: Iterable[str]) -> str:
    for line in lines:
        name, _, value = line.partition(":")
        if name.strip().lower() == "content-type":
            return value.strip()
    return ""


def _content(response: Replayed) -> bytes:
    try:
        return response.content
    except ValueError as error:  # a broken content coding is a cause of failure like any other
        return f"({error})".encode()


def _indented(lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        yield "    " + line.replace("\n", "\n    ")


def _text(value: bytes) -> str:
    return value.decode("latin-1")

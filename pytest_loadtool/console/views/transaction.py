"""One transaction: as recorded, as replayed, and its fields."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol

from pytest_loadtool.console.views.text import BODY_LIMIT, body
from pytest_loadtool.masking.carried import carried_by, recorded_in
from pytest_loadtool.masking.text import Mask, Unmasked
from pytest_loadtool.model.case import Request, TestCase, Transaction
from pytest_loadtool.model.exchange import Exchange, HeaderList
from pytest_loadtool.model.result import Failure
from pytest_loadtool.workflow.document import Document


class TransactionReplay(Protocol):
    """The parts of a replayed response that views read."""

    status: int

    @property
    def headers(self) -> list[tuple[bytes, bytes]]:
        """Return the headers as received."""

    @property
    def request(self) -> bytes:
        """The request as sent."""

    @property
    def content(self) -> bytes:
        """The body without its content coding."""


def recorded(
    document: Document, transaction: Transaction, *, full: bool = False, secrets: bool = False
) -> list[str]:
    """Return the Headers and Content views: what was sent and received when it was recorded. What
    went before to negotiate authentication is always there. Of passwords and tokens only the
    beginning is shown, unless ``secrets``."""
    limit = None if full else BODY_LIMIT
    everything = list(_recorded(document, transaction, limit, Unmasked()))
    if secrets:
        return everything
    lines = list(_recorded(document, transaction, limit, mask_of(document, transaction)))
    hint = (
        [] if lines == everything else ["", "Passwords and tokens are cut; --secrets shows them."]
    )
    return lines + hint


def mask_of(document: Document, transaction: Transaction) -> Mask:
    """Return a mask that hides what the recorded exchange carries, and those that negotiated for
    it."""
    evidence = document.evidence_of(transaction)
    exchanges = (*document.negotiation_of(transaction), *([evidence] if evidence else []))
    return Mask(secret for one in exchanges for secret in recorded_in(one))


def _recorded(
    document: Document, transaction: Transaction, limit: int | None, mask: Mask
) -> Iterator[str]:
    exchange = document.evidence_of(transaction)
    yield transaction.title
    yield ""
    if exchange is None:
        yield "The recorded traffic is not at hand; this is what the test case sends."
        yield ""
        yield from _planned(document.case, transaction.request, mask)
        return
    negotiation = document.negotiation_of(transaction)
    for number, one in enumerate(negotiation, 1):
        yield f"Connection authentication negotiation, {number} of {len(negotiation)}:"
        yield from _indented([*_request_head(one, mask), ""])
        yield from _indented([_status_line(one), *_headers(one.response_headers, mask)])
        yield ""
    yield from _request_head(exchange, mask)
    yield ""
    sent = body(exchange.request_body, exchange.request_header("content-type") or "", limit=limit)
    yield mask.text(sent)
    yield ""
    yield from _response(exchange, limit, mask)


def failure(
    response: TransactionReplay,
    failures: Iterable[Failure],
    exchange: Exchange | None,
    secrets: Iterable[str] = (),
) -> Iterator[str]:
    """Yield why a replayed transaction failed, what was sent and received, and what was recorded;
    of passwords, tokens and ``secrets`` only the beginning."""
    mask = Mask([*secrets, *carried_by(response)])
    for one in failures:
        yield f"{one.cause}: {one.told}"
    yield ""
    yield "sent:"
    head, _, sent = response.request.partition(b"\r\n\r\n")
    line, *headers = head.decode("latin-1").split("\r\n")
    yield from _indented([mask.text(line), *_masked(headers, mask)])
    if sent:
        yield from _indented(["", mask.text(body(sent, _content_type(headers)))])
    if response.status:
        yield "received:"
        received = [f"{_text(name)}: {_text(value)}" for name, value in response.headers]
        yield from _indented([f"status {response.status}", *_masked(received, mask), ""])
        yield from _indented([mask.text(body(_content(response), _content_type(received)))])
    if exchange is not None:
        yield f"recorded: status {exchange.status} {exchange.reason}".rstrip()


def _planned(case: TestCase, request: Request, mask: Mask) -> Iterator[str]:
    yield f"{request.method} {mask.text(request.target)}"
    for one in case.wire_headers(request):
        yield one.name if one.value is None else f"{one.name}: {mask.header(one.name, one.value)}"
    yield from (
        f"Cookie set by a script: {mask.header('set-cookie', one)}" for one in request.cookies
    )
    if request.body is not None:
        yield ""
        text = request.body if isinstance(request.body, str) else body(request.body, "")
        yield mask.text(text)


def _response(exchange: Exchange, limit: int | None, mask: Mask) -> Iterator[str]:
    if not exchange.status:
        yield f"no response: {exchange.error or 'the connection ended'}"
        return
    yield _status_line(exchange)
    yield from _headers(exchange.response_headers, mask)
    yield ""
    media = exchange.response_header("content-type") or ""
    yield mask.text(body(exchange.response_body, media, limit=limit))


def _request_head(exchange: Exchange, mask: Mask) -> Iterator[str]:
    yield f"{exchange.method} {mask.text(exchange.url)} {exchange.http_version}"
    yield from _headers(exchange.request_headers, mask)


def _status_line(exchange: Exchange) -> str:
    return f"{exchange.status} {exchange.reason}".rstrip() + f"  ({exchange.took * 1000:.0f} ms)"


def _headers(headers: HeaderList, mask: Mask) -> Iterator[str]:
    return (f"{name}: {mask.header(name, value)}" for name, value in headers)


def _masked(lines: Iterable[str], mask: Mask) -> Iterator[str]:
    for line in lines:
        name, colon, value = line.partition(": ")
        yield f"{name}{colon}{mask.header(name, value)}"


def _content_type(lines: Iterable[str]) -> str:
    for line in lines:
        name, _, value = line.partition(":")
        if name.strip().lower() == "content-type":
            return value.strip()
    return ""


def _content(response: TransactionReplay) -> bytes:
    try:
        return response.content
    except ValueError as error:  # a broken content coding is a cause of failure like any other
        return f"({error})".encode()


def _indented(lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        yield "    " + line.replace("\n", "\n    ")


def _text(value: bytes) -> str:
    return value.decode("latin-1")

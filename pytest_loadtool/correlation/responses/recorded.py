"""A recorded response, read by extractors as replay reads a live one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from operator import itemgetter
from typing import Any

from pytest_loadtool.codec.events import begins_json, json_or_events
from pytest_loadtool.codec.media import decoded
from pytest_loadtool.correlation.kinds import called_in
from pytest_loadtool.correlation.responses.json_rows import with_called, with_named_rows
from pytest_loadtool.correlation.responses.links import links
from pytest_loadtool.extraction.extract import Readable
from pytest_loadtool.model.exchange import Exchange, HeaderList

_TEXTLESS = ("image/", "font/", "audio/", "video/", "application/pdf")
_OCTETS = "application/octet-stream"
#: How much of a body tells what it is.
_BEGINNING = 100
_NOISE = re.compile(
    r"date|expires|age|content-(?:length|encoding|security-policy.*)|vary|via|server.*"
    r"|connection|keep-alive|transfer-encoding|cache-control|alt-svc|nel|report-to|traceparent"
    r"|.*(?:trace|request|correlation|span)-?id|.*rate-?limit.*|x-runtime|x-response-time|cf-.*"
)


#: An address on its own, with a path, which a script may have the page go to.
_ADDRESS = re.compile(r"(?:https?:/)?/[^/\s,;]\S*")
#: Headers with an address to which nobody is sent.
_NOT_LED = frozenset({"access-control-allow-origin", "content-location", "origin", "sourcemap"})


def leads(headers: HeaderList) -> Iterator[tuple[str, str]]:
    """Yield each header that sends a client to another address, with that: ``Location``, and those
    that scripts of pages heed, as ``X-Ajax-Redirect`` or ``HX-Redirect``."""
    for name, value in headers:
        known = name.lower() == "location"
        if known or (
            value.startswith(("/", "http"))
            and _ADDRESS.fullmatch(value)
            and name.lower() not in _NOT_LED
            and not is_noise(name)
        ):
            yield name, value


def is_noise(header: str) -> bool:
    """Return whether a response header of that name differs each time and is sent back by
    nobody."""
    return _NOISE.fullmatch(header.lower()) is not None


class RecordedResponse:
    """The response of an exchange. Its body is decoded, and parsed as JSON, once."""

    __slots__ = ("_document", "_exchange", "_head", "_headers", "_json", "_links", "_text")

    def __init__(self, exchange: Exchange) -> None:
        self._exchange = exchange
        self._text: str | None = None
        self._head: str | None = None
        self._json: Any = _json_unread
        self._document: Any = _json_unread
        self._headers: dict[str, list[str]] = {}
        self._links: tuple[str, ...] | None = None

    @property
    def text(self) -> str:
        """The body in the charset it declares, else UTF-8; undecodable bytes as U+FFFD."""
        if self._text is None:
            self._text = decoded(self._exchange.response_body, self.header("content-type") or "")
        return self._text

    @property
    def status(self) -> int:
        """Return its status code."""
        return self._exchange.status

    @property
    def size(self) -> int:
        """The bytes of its decoded body."""
        return len(self._exchange.response_body)

    @property
    def duration(self) -> float:
        """Return how long it took, in seconds."""
        return self._exchange.took

    @property
    def headers(self) -> HeaderList:
        """Return all headers in order."""
        return self._exchange.response_headers

    @property
    def head(self) -> str:
        """The values of all headers, a line each."""
        if self._head is None:
            self._head = "\n".join(map(itemgetter(1), self.headers))
        return self._head

    @property
    def has_text(self) -> bool:
        """Return whether the content type does not rule out text, or says nothing of JSON."""
        media = (self.header("content-type") or "").lower()
        if self._exchange.response_size == 0 or media.startswith(_TEXTLESS):
            return False
        if not media.startswith(_OCTETS):
            return True
        return begins_json(self._exchange.response_body[:_BEGINNING].decode("utf-8", "replace"))

    @property
    def links(self) -> tuple[str, ...]:
        """The addresses that it links to, as written."""
        if self._links is None:
            self._links = tuple(raw for _, raw, _ in links(self.text))
        return self._links

    def holds(self, value: str) -> bool:
        """Return whether the value stands by itself somewhere, written as it is."""
        texts = [text for name, text in self.headers if not is_noise(name)]
        if self.has_text:
            texts.append(self.text)
        texts = [text for text in texts if value in text]
        word = rf"(?<![\w-]){re.escape(value)}(?![\w-])"
        return any(re.search(word, text) for text in texts)

    def json(self) -> Any:
        """Return the body parsed as JSON.

        Raises:
            ValueError: it is not JSON.
        """
        if self._json is _json_unread:
            try:
                self._json = json_or_events(self.text)
            except RecursionError:
                raise ValueError("the JSON is nested too deeply") from None
        return self._json

    def document(self) -> Any:
        """Return its JSON, in which rows are objects that have a key for each column, and the
        answers to several calls one that has a key for each of these.

        Raises:
            ValueError: it is no JSON.
        """
        if self._document is _json_unread:
            named = with_named_rows(self.json(), self.text)
            self._document = with_called(named, called_in(self._exchange))
        return self._document

    def header(self, name: str) -> str | None:
        """Return the first header of that name, without regard to case."""
        return next(iter(self.header_values(name)), None)

    def header_values(self, name: str) -> list[str]:
        """Return all headers of that name, in order."""
        if not self._headers:
            for key, value in self._exchange.response_headers:
                self._headers.setdefault(key.lower(), []).append(value)
        return self._headers.get(name.lower(), [])


_json_unread = object()

#: How many responses are kept.
_KEPT = 64


class LastRead:
    """The responses that were read last: about one value the same ones are asked for again and
    again."""

    __slots__ = ("_kept",)

    def __init__(self) -> None:
        self._kept: dict[int, tuple[Exchange, RecordedResponse]] = {}

    def of(self, exchange: Exchange) -> RecordedResponse:
        """Return the response of an exchange."""
        kept = self._kept.pop(id(exchange), None) or (exchange, RecordedResponse(exchange))
        self._kept[id(exchange)] = kept
        if len(self._kept) > _KEPT:
            del self._kept[next(iter(self._kept))]
        return kept[1]


def document_of(response: Readable) -> Any:
    """Return the document into which the steps of a producer lead, of a response or of a text
    within one.

    Raises:
        ValueError: it is not JSON.
    """
    if isinstance(response, RecordedResponse):
        return response.document()
    return with_named_rows(response.json(), response.text)

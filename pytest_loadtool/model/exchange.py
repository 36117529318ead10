"""An exchange as recorded: one request, and its response if one came."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

#: Name and value pairs in wire order, as text (latin-1 where not ASCII), repeats included.
HeaderList = tuple[tuple[str, str], ...]


#: The note on an event stream that was cut: nobody knows when it would have ended.
UNENDED = "server-sent events without an end: no virtual user waits for them"


class Body(Protocol):
    """A body that is not in memory."""

    @property
    def size(self) -> int:
        """Return how many bytes it has."""

    def chunks(self) -> Iterator[bytes]:
        """Return its bytes, from the beginning, in pieces of moderate size."""


class _Held:
    """An attribute that is set to bytes or a `Body`, and read as bytes."""

    def __set_name__(self, _owner: type[Exchange], name: str) -> None:
        self._name = f"_{name}"

    def __get__(self, exchange: Exchange | None, _owner: type[Exchange]) -> bytes:
        if exchange is None:
            return b""  # the default
        held: bytes | Body = exchange.__dict__[self._name]
        return held if isinstance(held, bytes) else b"".join(held.chunks())

    def __set__(self, exchange: Exchange, body: bytes | Body) -> None:
        exchange.__dict__[self._name] = body


@dataclass(frozen=True)
class Exchange:
    """One recorded HTTP exchange.

    * ``started`` is in seconds since the epoch; ``took`` is in seconds, until the last byte.
    * ``response_body`` has its content coding (gzip, br…) removed, and so has a ``request_body``
      that is text then; else it is as sent.
    * Both bodies may be given as a `Body`; that is then read each time that it is asked for.
      Recordings are larger than memory. `changed` leaves them where they are.
    * ``status`` is 0 when no response came; ``error`` then says why.
    * ``note`` says why the exchange cannot be replayed ("WebSocket upgrade", "server-sent events
      …"); empty for the ordinary ones.
    * ``events`` counts what the client sent over this WebSocket that may have done something.
    * ``lost`` names what the file that it comes from had of it and could not be read, each with its
      key there. Without a URL, that is all of it.
    """

    started: float
    took: float
    method: str
    url: str = field(repr=False)  # like all that it carries: nobody knows what is secret in it
    http_version: str
    request_headers: HeaderList = field(repr=False)
    request_body: _Held = _Held()
    status: int = 0
    reason: str = ""
    response_headers: HeaderList = field(default=(), repr=False)
    response_body: _Held = _Held()
    error: str = ""
    note: str = ""
    events: int = 0
    lost: tuple[str, ...] = ()

    @property
    def held_body(self) -> bytes | Body:
        """The response body as it is kept: in memory or not."""
        held: bytes | Body = self.__dict__["_response_body"]
        return held

    @property
    def held_request(self) -> bytes | Body:
        """The request body as it is kept: in memory or not."""
        held: bytes | Body = self.__dict__["_request_body"]
        return held

    @property
    def request_size(self) -> int:
        """The length of the request body, which is not read for that."""
        return _size(self.held_request)

    def changed(self, **changes: Any) -> Exchange:
        """Return the exchange with other values in these fields, and its bodies where they are."""
        bodies = {"request_body": self.held_request, "response_body": self.held_body}
        return replace(self, **(bodies | changes))

    @property
    def response_size(self) -> int:
        """The length of the response body, which is not read for that."""
        return _size(self.held_body)

    def response_start(self, length: int) -> bytes:
        """Return the first bytes of the response body, without reading more than that needs."""
        held = self.held_body
        if isinstance(held, bytes):
            return held[:length]
        start = b""
        for chunk in held.chunks():
            start += chunk
            if len(start) >= length:
                break
        return start[:length]

    @property
    def by_script(self) -> bool:
        """Return whether a script of the page asked for it (Fetch standard, request destination),
        and no element of the page."""
        return (
            self.request_header("sec-fetch-dest") == "empty"
            or self.request_header("x-requested-with") is not None
        )

    @property
    def prefetched(self) -> bool:
        """Return whether an element of the page asked for it, to have it when it is needed."""
        return (self.request_header("sec-purpose") or "").startswith("prefetch")

    def request_header(self, name: str) -> str | None:
        """Return the first request header of that name, without regard to case."""
        return _first(self.request_headers, name)

    def response_header(self, name: str) -> str | None:
        """Return the first response header of that name, without regard to case."""
        return _first(self.response_headers, name)


def _size(held: bytes | Body) -> int:
    return len(held) if isinstance(held, bytes) else held.size


def _first(headers: HeaderList, name: str) -> str | None:
    wanted = name.lower()
    return next((value for key, value in headers if key.lower() == wanted), None)

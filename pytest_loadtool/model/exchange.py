"""An exchange as recorded: one request, and its response if one came."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Exchange", "HeaderList"]

#: Name and value pairs in wire order, as text (latin-1 where not ASCII), repeats included.
HeaderList = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Exchange:
    """One recorded HTTP exchange.

    * ``started`` is in seconds since the epoch; ``took`` is in seconds, until the last byte.
    * ``request_body`` is as sent; ``response_body`` has its content coding (gzip, br…) removed.
    * ``status`` is 0 when no response came; ``error`` then says why.
    * ``note`` says why the exchange cannot be replayed ("WebSocket upgrade", "server-sent events");
      empty for the ordinary ones.
    """

    started: float
    took: float
    method: str
    url: str
    http_version: str
    request_headers: HeaderList
    request_body: bytes
    status: int = 0
    reason: str = ""
    response_headers: HeaderList = ()
    response_body: bytes = b""
    error: str = ""
    note: str = ""

    def request_header(self, name: str) -> str | None:
        """The first request header of that name, without regard to case."""
        return _first(self.request_headers, name)

    def response_header(self, name: str) -> str | None:
        """The first response header of that name, without regard to case."""
        return _first(self.response_headers, name)


def _first(headers: HeaderList, name: str) -> str | None:
    wanted = name.lower()
    return next((value for key, value in headers if key.lower() == wanted), None)

"""What an application in this process has answered, as a response of httpx."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from time import perf_counter

from pytest_loadtool.transport.http_library import httpx


def answered(
    method: str,
    status: int,
    headers: Sequence[tuple[bytes, bytes]],
    parts: Sequence[bytes],
    *,
    first_byte: float,
    complete: bool,
    reason: bytes | None = None,
) -> httpx.Response:
    """Return the response to ``method``; if it is not ``complete``, reading its body fails at its
    end."""
    without_body = method == "HEAD" or status in (204, 304)  # whatever the application says
    body = b"" if without_body else b"".join(parts)
    extensions: dict[str, object] = {"first_byte": first_byte}
    if reason is not None:
        extensions["reason_phrase"] = reason
    return httpx.Response(
        status,
        headers=list(headers),
        stream=httpx.ByteStream(body) if complete else _CutShort(body),
        extensions=extensions,
    )


def failed(method: str) -> httpx.Response:
    """Return what servers answer when the application has not."""
    return answered(
        method,
        500,
        [(b"content-type", b"text/plain; charset=utf-8")],
        [b"Internal Server Error"],
        first_byte=perf_counter(),
        complete=True,
    )


class _CutShort(httpx.AsyncByteStream):
    """A body that ends too early."""

    def __init__(self, body: bytes) -> None:
        self._body = body

    async def __aiter__(self) -> AsyncIterator[bytes]:
        yield self._body
        raise httpx.ReadError("the application ended in the middle of its response")

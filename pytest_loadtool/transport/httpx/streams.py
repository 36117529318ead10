"""What httpx makes its connections of."""

from __future__ import annotations

import ssl
from collections.abc import Iterable
from typing import Any

from pytest_loadtool.transport.http_library import httpcore, httpx


class Streams(httpcore.AsyncNetworkBackend):
    """Opens connections as httpx does, and closes those that are given up in their TLS handshake,
    which httpcore leaves to Python's collector."""

    def __init__(self) -> None:
        self._network = httpcore.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """Return a connection."""
        return _HttpxStream(
            await self._network.connect_tcp(host, port, timeout, local_address, socket_options)
        )

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        await self._network.sleep(seconds)


def over(
    streams: Streams, transport: httpx.AsyncHTTPTransport, tls: ssl.SSLContext, *, http2: bool
) -> httpx.AsyncHTTPTransport:
    """Return ``transport`` with connections of ``streams``, which are closed when the virtual user
    closes them, and not before. httpx has no parameter for them."""
    transport._pool = httpcore.AsyncConnectionPool(
        ssl_context=tls,
        max_connections=None,
        max_keepalive_connections=None,
        keepalive_expiry=None,
        http2=http2,
        network_backend=streams,
    )
    return transport


class _HttpxStream(httpcore.AsyncNetworkStream):
    """A connection, with TLS or without."""

    def __init__(self, inner: httpcore.AsyncNetworkStream) -> None:
        self._inner = inner

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return await self._inner.read(max_bytes, timeout)

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        await self._inner.write(buffer, timeout)

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.AsyncNetworkStream:
        try:
            return _HttpxStream(await self._inner.start_tls(ssl_context, server_hostname, timeout))
        except BaseException:
            await self._inner.aclose()
            raise

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)

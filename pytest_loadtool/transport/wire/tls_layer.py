"""TLS over any transport.

Event loops make TLS as well, but only on sockets of their own, and do not tell how long the
handshake took, or where it failed. A slow line has to be below TLS: it carries handshakes and
records as a real one does.
"""

from __future__ import annotations

import asyncio
import ssl
from contextlib import suppress
from time import perf_counter
from typing import Any, Final, cast

_RECORD: Final = 16_384  # the most that one holds (RFC 8446 §5.1)


class TlsLayer:
    """The client's side of TLS between a transport and ``inner``.

    ``inner`` hears of the connection when the handshake is over; so does ``ready``, which is also
    given the error if it fails. An `asyncio.Protocol` in all but name: a compiled class cannot
    inherit from it.
    """

    __slots__ = ("_error", "_incoming", "_inner", "_open", "_outgoing", "_ready", "_tls",
                 "_transport", "began", "closed", "ended")  # fmt: skip

    def __init__(
        self,
        inner: asyncio.Protocol,
        context: ssl.SSLContext,
        server_hostname: str,
        ready: asyncio.Future[None],
    ) -> None:
        self._inner = inner
        self._ready = ready
        self._incoming = ssl.MemoryBIO()
        self._outgoing = ssl.MemoryBIO()
        self._tls = context.wrap_bio(
            self._incoming, self._outgoing, server_hostname=server_hostname
        )
        self._transport: asyncio.Transport
        self._error: Exception | None = None
        self._open = False  # the handshake is over
        self.began = self.ended = 0.0
        """When the handshake began and ended, on the clock of ``perf_counter``."""
        self.closed = False
        """Whether nothing is to be read any more. A closed connection may still have text to give,
        which is on its way."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin the handshake."""
        self._transport = cast("asyncio.Transport", transport)
        self.began = perf_counter()
        self._shake_hands()

    def data_received(self, data: bytes) -> None:
        """Records have come."""
        self._incoming.write(data)
        if self._open or self._ready.done():
            self._read()
        else:
            self._shake_hands()

    def eof_received(self) -> None:
        """Do nothing: `connection_lost` follows."""

    def pause_writing(self) -> None:
        """A large request is still on its way."""
        self._inner.pause_writing()

    def resume_writing(self) -> None:
        """Most of it has gone out."""
        self._inner.resume_writing()

    def connection_lost(self, error: Exception | None) -> None:
        """The connection is gone."""
        error = self._error or error
        if not self._ready.done():
            self._ready.set_exception(error or ConnectionResetError())
        elif not self._ready.cancelled() and self._ready.exception() is None:
            self._inner.connection_lost(error)

    def write(self, data: bytes | bytearray | memoryview[Any]) -> None:
        """Send text. Into memory, all of it goes at once: partial writes are off (SSL_write(3))."""
        self._tls.write(data)
        self._flush()

    def say_goodbye(self) -> None:
        """Tell the server that no more will come (RFC 8446 §6.1)."""
        with suppress(ssl.SSLError):  # the server's own goodbye is not waited for
            self._tls.unwrap()
        self._flush()

    def turn_to(self, inner: asyncio.Protocol) -> None:
        """Give what comes to ``inner`` from now on."""
        self._inner = inner

    def _shake_hands(self) -> None:
        try:
            self._tls.do_handshake()
        except ssl.SSLWantReadError:
            self._flush()
            return
        except ssl.SSLError as error:
            self._fail(error)
            return
        self._flush()
        if self._ready.done():  # given up while connecting
            self._transport.abort()
            return
        self.ended = perf_counter()
        self._open = True
        self._ready.set_result(None)
        secured = cast("asyncio.Transport", _TlsTransport(self._transport, self, self._tls))
        self._inner.connection_made(secured)
        self._read()

    def _read(self) -> None:
        while not self.closed:
            # Room for what has come: most records are far from the longest.
            size = min(_RECORD, self._incoming.pending) or _RECORD
            try:
                text = self._tls.read(size)
            except ssl.SSLWantReadError:
                break
            except ssl.SSLError as error:
                self._fail(error)
                return
            if not text:  # the server has said goodbye
                self.closed = True
                self._transport.close()
                return
            self._inner.data_received(text)
            # Cheaper than to be told by an exception. Less than was asked for ends a record.
            if not self._incoming.pending and (len(text) < size or not self._tls.pending()):
                break
        self._flush()

    def _fail(self, error: Exception) -> None:
        self._error = error
        self.closed = True
        self._flush()  # an alert, which says why
        self._transport.close()

    def _flush(self) -> None:
        if self._outgoing.pending:
            self._transport.write(self._outgoing.read())


class _TlsTransport:
    """The transport that the connection gets."""

    __slots__ = ("_below", "_layer", "_tls")

    def __init__(self, below: asyncio.Transport, layer: TlsLayer, tls: ssl.SSLObject) -> None:
        self._below = below
        self._layer = layer
        self._tls = tls

    def write(self, data: bytes | bytearray | memoryview[Any]) -> None:
        """Send ``data``."""
        if not self._layer.closed:
            self._layer.write(data)

    def close(self) -> None:
        """Close once everything written has left."""
        if not self._layer.closed:
            self._layer.closed = True
            self._layer.say_goodbye()
            self._below.close()

    def abort(self) -> None:
        """Close at once."""
        self._layer.closed = True
        self._below.abort()

    def set_protocol(self, protocol: asyncio.BaseProtocol) -> None:
        """Give what comes to ``protocol`` from now on."""
        self._layer.turn_to(cast("asyncio.Protocol", protocol))

    def is_closing(self) -> bool:
        """Return whether it is closed or about to be."""
        return self._below.is_closing()

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        """Return ``ssl_object``, or what the transport below knows."""
        return self._tls if name == "ssl_object" else self._below.get_extra_info(name, default)

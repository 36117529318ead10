"""HTTP/2 with a client, as mitmproxy speaks it, but for one thing that a server may say.

HTTP_1_1_REQUIRED (RFC 9113 §7) is how servers refuse HTTP/2 where NTLM or Negotiate authenticate
the connection. Clients then ask again over HTTP/1.1, but mitmproxy would make a response 502 of it.
"""

from __future__ import annotations

from h2.errors import ErrorCodes
from mitmproxy.proxy.commands import SendData
from mitmproxy.proxy.events import Event
from mitmproxy.proxy.layer import CommandGenerator, NextLayer
from mitmproxy.proxy.layers.http import HttpLayer
from mitmproxy.proxy.layers.http._events import ResponseProtocolError
from mitmproxy.proxy.layers.http._http2 import Http2Server


class PassOn:
    """The addon that passes HTTP_1_1_REQUIRED on; it comes after mitmproxy's own `NextLayer`."""

    name = "loadtool-http2"

    def next_layer(self, data: NextLayer) -> None:
        """A connection begins to be HTTP."""
        context = data.context
        if isinstance(data.layer, HttpLayer) and context.client.alpn == b"h2":
            data.layer.connections[context.client] = _Http2Server(data.layer.context.fork())


class _Http2Server(Http2Server):
    def _handle_event(self, event: Event) -> CommandGenerator[None]:
        if (
            isinstance(event, ResponseProtocolError)
            and ErrorCodes.HTTP_1_1_REQUIRED.name in event.message
            and self.is_open_for_us(event.stream_id)
        ):
            self.h2_conn.reset_stream(event.stream_id, ErrorCodes.HTTP_1_1_REQUIRED)
            yield SendData(self.conn, self.h2_conn.data_to_send())
        else:
            yield from super()._handle_event(event)

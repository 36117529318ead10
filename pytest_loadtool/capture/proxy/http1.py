"""HTTP/1.1, as mitmproxy speaks it, but for trailers.

Servers send fields behind a chunked body (RFC 9112 §7.1.2), such as an ``ETag`` that they have
computed while they sent it. mitmproxy has no place for these, and would end the connection before
the client has the body; whoever passes a message on may leave them out (RFC 9110 §6.5.1).
"""

from __future__ import annotations

from h11 import Data, EndOfMessage
from h11._readers import ChunkedReader
from h11._receivebuffer import ReceiveBuffer
from mitmproxy.proxy.layers.http import _http1


class _WithoutTrailers(ChunkedReader):
    def __call__(self, buf: ReceiveBuffer) -> Data | EndOfMessage | None:
        event = super().__call__(buf)
        return EndOfMessage() if isinstance(event, EndOfMessage) else event


def leave_out_trailers() -> None:
    """Have mitmproxy read chunked bodies so in this process."""
    vars(_http1)["ChunkedReader"] = _WithoutTrailers

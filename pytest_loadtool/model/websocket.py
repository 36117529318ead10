"""What a page sends over a WebSocket, as far as a recording looks at it."""

from __future__ import annotations

import re

#: The note on the exchange that begins one (`Exchange.note`).
WEBSOCKET = "WebSocket upgrade"

#: How much of a message is looked at.
_BEGINNING = 1000
#: What keeps a connection going, or says what is to be sent, and does nothing: empty frames,
#: Engine.IO's packets without an event, frames of STOMP, SignalR's handshake and ping, arrays as
#: Phoenix has them, and objects that call themselves so (GraphQL, Action Cable, SockJS and more).
_UPKEEP = re.compile(
    r'''\s*\Z|[0-356](?:probe)?\Z|4[01]|(?:CONNECT|STOMP|SUBSCRIBE|UNSUBSCRIBE|ACK|DISCONNECT)\r?\n
    |\{"protocol":"\w+","version":\d+\}|\{"type":6\}|\[[^{]*"(?:heartbeat|phx_join|phx_leave)"
    |\{.*?"(?:type|event|command|cmd|op|action|method|msg)"\s*:\s*"(?:ping|pong|heartbeat|keepalive
    |connection_init|connect|handshake|(?:un)?subscribe|(?:un)?sub)"''',
    re.IGNORECASE | re.DOTALL | re.VERBOSE,
)


def is_event(message: str | bytes) -> bool:
    """Return whether a message that a client sent may do something: it is none that only keeps the
    connection going or subscribes to what comes."""
    text = message[:_BEGINNING]
    if isinstance(text, bytes):
        text = text.decode("utf-8", "replace")
    return _UPKEEP.match(text) is None

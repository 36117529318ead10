"""WebSockets: what pages did over them is not in a test case, and has to be said."""

from __future__ import annotations

from collections.abc import Iterable

from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.model.websocket import WEBSOCKET


def what_sockets_did(exchanges: Iterable[Exchange]) -> str:
    """One line about the WebSockets over which events were sent; empty if there is none."""
    sent = [one.events for one in exchanges if one.note == WEBSOCKET]
    did = sum(map(bool, sent))
    if not did:
        return ""
    where = f"{did} of {len(sent)} WebSockets" if len(sent) > 1 else "1 WebSocket"
    return f"in {where} the page sent events; what they did is not in the test case"

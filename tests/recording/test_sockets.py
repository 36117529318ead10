"""What pages did over WebSockets, in one line."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_loadtool.model.websocket import WEBSOCKET, is_event
from pytest_loadtool.recording import what_sockets_did
from tests.recording.samples import SHOP, load

PAGE = load(f"{SHOP}/", 0, "text/html")
SOCKET = replace(load(f"{SHOP}/ws", 0.2, "", b"", status=101), note=WEBSOCKET)


@pytest.mark.parametrize(
    ("events", "where"),
    [((), ""), ((0,), ""), ((2,), "1 WebSocket"), ((0, 2, 1, 0), "2 of 4 WebSockets")],
)
def test_sockets_over_which_something_was_done(events: tuple[int, ...], where: str) -> None:
    """Those over which nothing was sent are counted, but alone nothing is said of them."""
    said = what_sockets_did([PAGE, *(replace(SOCKET, events=one) for one in events)])
    assert said.startswith(f"in {where} the page sent events" if where else "")
    assert bool(said) is bool(where)


@pytest.mark.parametrize(
    "message",
    ["", " \n", "2", "3", "2probe", "5", "40", "40/chat,", '41{"a":1}',
     '{"type":"ping"}', '{"type": "connection_init", "payload": {"token": "x"}}',
     '{"command":"subscribe","identifier":"{}"}', '{"protocol":"json","version":1}\x1e',
     '{"type":6}\x1e', '[null,"3","phoenix","heartbeat",{}]', '["1","1","room:1","phx_join",{}]',
     "CONNECT\naccept-version:1.2\n\n\0", "SUBSCRIBE\nid:0\n\n\0", '{"id": 1, "method": "ping"}'],
)  # fmt: skip
def test_what_keeps_a_socket_going_is_no_event(message: str) -> None:
    """Of the protocols that are common over WebSockets."""
    assert not is_event(message)
    assert not is_event(message.encode())


@pytest.mark.parametrize(
    "message",
    ["x", "42", '42["order",1]', '430[{"ok":true}]', "SEND\ndestination:/a\n\nhello\0", "hello",
     '{"type":"message","text":"ping"}', '{"text": "subscribe"}', '{"type": 1, "target": "Send"}',
     '{"command":"message","data":"{}"}', '["1","2","room:1","new_msg",{"body":"heartbeat"}]',
     '{"id": 7, "method": "orders.place", "params": {}}', b"\x82\xff\xfe", b"\x00"],
)  # fmt: skip
def test_what_may_do_something_is_one(message: str | bytes) -> None:
    """Binary ones, too, whatever they mean."""
    assert is_event(message)

"""Messages between controller and workers: builtin types on the way, the same at the other end."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_loadtool.load import (
    Failed,
    Final,
    Message,
    Snapshot,
    decode,
    encode,
)

MESSAGES: list[Message] = [
    Snapshot(b'{"format":1}'),
    Final(b"{}"),
    Failed("cases/api.case.toml:3: no such column"),
]


def types_in(value: Any) -> set[type]:
    """The types of a value and of all that it contains."""
    inner = value if isinstance(value, tuple) else ()
    return {type(value)}.union(*(types_in(part) for part in inner))


@pytest.mark.parametrize("message", MESSAGES, ids=lambda message: type(message).__name__)
def test_there_and_back(message: Message) -> None:
    """Every message survives being sent, and is made of exact builtin types meanwhile."""
    parts = encode(message)
    assert decode(parts) == message
    assert types_in(parts) <= {tuple, str, int, float, bytes}


def test_every_message_is_tried() -> None:
    """The list above leaves no kind of message out."""
    assert {type(message) for message in MESSAGES} == set(Message.__args__)


def test_text_that_cannot_be_sent() -> None:
    """Half of a surrogate pair, which would break the connection, is replaced."""
    assert encode(Failed("body \udc80")) == ("failed", "body ?")


@pytest.mark.parametrize("parts", [(), ("hello",), ("final",), ("failed", 1, 2), (7,), ([],)])
def test_not_a_message(parts: tuple[Any, ...]) -> None:
    """Anything else is refused by a ValueError that shows it."""
    with pytest.raises(ValueError, match="not a message"):
        decode(parts)

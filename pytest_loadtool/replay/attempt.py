"""A request on its way through gates: who is on the way with it, and how it goes out again."""

from __future__ import annotations

from collections.abc import Iterable

from pytest_loadtool.auth.handshake import Handshake
from pytest_loadtool.replay.credentials import head_end, with_lines, without_body, without_header
from pytest_loadtool.replay.exchange import Closing, Opening, Send
from pytest_loadtool.replay.gates import Gate
from pytest_loadtool.replay.verdicts import Trial

__all__ = ["Attempt", "Login", "plain", "sent_again"]


class Login:
    """Somebody on the way through a gate, and the credentials that were sent last."""

    __slots__ = ("gate", "handshake", "trial", "value")

    def __init__(self, gate: Gate, handshake: Handshake, trial: Trial) -> None:
        self.gate = gate
        self.handshake = handshake
        self.trial = trial
        self.value = ""


class Attempt:
    """A request: what it is without credentials, and those who are on the way with it."""

    __slots__ = ("logins", "plain")

    def __init__(self, plain: bytes) -> None:
        self.plain = plain
        self.logins: dict[Gate, Login] = {}


def plain(send: Send, gates: Iterable[Gate]) -> bytes:
    """The request without the credentials that went ahead with it."""
    data = send.data
    for gate in gates:
        if gate.accounts(send.step):
            data = without_header(data, gate.answers)
    return data


def sent_again(send: Send, data: bytes, lines: bytes, handshake: Handshake, due: float) -> Send:
    """The request once more, on the same slot, with these credentials."""
    kind: type[Send] = Send
    if not handshake.wants_body:
        data = without_body(data)
        kind = Opening
    elif handshake.connection_bound:
        kind = Closing
    return kind(send.step, send.slot, with_lines(data, head_end(lines)), due)

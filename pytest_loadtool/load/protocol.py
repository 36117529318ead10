"""What the controller of a load test and its workers tell each other, whatever carries it.

    worker                          controller
    Ready        ──>
                 <──  Go            share and moment of the start
    Snapshot…    ──>                cumulative, so a lost one does no harm
    Heartbeat…   ──>                between snapshots, where silence could mean loss
                 <──  Stop          any time: finish now, then send Final
    Final        ──>                or Failed, in place of everything else

A message travels as a tuple of its kind and its fields: exact builtin types, because execnet takes
nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from pytest_loadtool.load.share import Share

__all__ = [
    "Failed",
    "Final",
    "Go",
    "Heartbeat",
    "Message",
    "Ready",
    "Snapshot",
    "Stop",
    "decode",
    "encode",
]


@dataclass(frozen=True, slots=True)
class Ready:
    """The worker has read and compiled everything, and waits."""


@dataclass(frozen=True, slots=True)
class Go:
    """Start at ``epoch`` (seconds since 1970) with part ``index`` of ``count``.

    ``servers`` holds a base URL for each test case of the configuration, in its order; an empty one
    leaves the case its own.
    """

    epoch: float
    index: int
    count: int
    servers: tuple[str, ...] = ()

    @property
    def share(self) -> Share:
        """The part of the load that the worker is to do."""
        return Share(self.index, self.count)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """All that the worker has measured so far, as `LoadMetrics.snapshot` gives it."""

    metrics: bytes


@dataclass(frozen=True, slots=True)
class Heartbeat:
    """The worker lives."""


@dataclass(frozen=True, slots=True)
class Stop:
    """Finish now."""


@dataclass(frozen=True, slots=True)
class Final:
    """All that the worker has measured; it is done."""

    metrics: bytes


@dataclass(frozen=True, slots=True)
class Failed:
    """The worker cannot run its share, or cannot go on; ``text`` tells the user why."""

    text: str


Message = Ready | Go | Snapshot | Heartbeat | Stop | Final | Failed

_KINDS: dict[str, type[Message]] = {
    "ready": Ready,
    "go": Go,
    "snapshot": Snapshot,
    "heartbeat": Heartbeat,
    "stop": Stop,
    "final": Final,
    "failed": Failed,
}
_NAMES = {kind: name for name, kind in _KINDS.items()}


def encode(message: Message) -> tuple[Any, ...]:
    """The message as ``(kind, field, …)``, of builtin types only."""
    values = (_plain(getattr(message, field.name)) for field in fields(message))
    return _NAMES[type(message)], *values


def decode(parts: tuple[Any, ...]) -> Message:
    """The message that `encode` made into ``parts``.

    Raises:
        ValueError: it is not one.
    """
    try:
        return _KINDS[parts[0]](*parts[1:])
    except (IndexError, KeyError, TypeError):
        raise ValueError(f"not a message of a load test: {str(parts)[:100]}") from None


def _plain(value: Any) -> Any:
    # A lone surrogate, likely in text that came from a server, would break the connection.
    return value.encode(errors="replace").decode() if isinstance(value, str) else value

"""What a worker of a load test has to say of its numbers, whatever carries it.

A worker sends a `Snapshot` now and then, of what came since its last one; at the end `Final`, the
whole truth, or `Failed` in place of it. Whatever carries them keeps their order and loses none
before the connection itself is lost: so what came before that is complete. When a worker is told
what is for `load.conductor`.

A message travels as a tuple of its kind and its fields: exact builtin types, because execnet takes
nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What the worker has measured since its last one, as `LoadMetrics.report` gives it."""

    metrics: bytes


@dataclass(frozen=True, slots=True)
class Final:
    """All that the worker has measured, as `LoadMetrics.snapshot` gives it; it is done."""

    metrics: bytes


@dataclass(frozen=True, slots=True)
class Failed:
    """The worker cannot run its share, or cannot go on; ``text`` tells the user why."""

    text: str


Message = Snapshot | Final | Failed

_KINDS: dict[str, type[Message]] = {
    "snapshot": Snapshot,
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

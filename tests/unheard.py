"""Recordings by tests that are not what the session of these tests records."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from pytest_loadtool import listeners

__all__ = ["unheard"]


@contextmanager
def unheard() -> Iterator[None]:
    """While entered, the running pytest session does not hear what `record` records."""
    listeners.append(lambda _: None)
    try:
        yield
    finally:
        listeners.pop()

"""Functions of a project that are called as a test case is replayed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class HookFunction:
    """A function that somebody has written: ``file`` as its code names it, ``shown`` as messages
    do, and its line."""

    file: str
    shown: str
    line: int


@dataclass(frozen=True, slots=True)
class Hook:
    """A hook that is implemented: ``call`` calls all ``functions`` that are there for it."""

    name: str
    call: Callable[..., object]
    functions: tuple[HookFunction, ...]


@dataclass(frozen=True, slots=True)
class Hooks:
    """The hooks of a test case, of which at least one is implemented; None: nobody wants to know.

    ``request`` is called before a request is sent, ``response`` when a response has come.
    """

    request: Hook | None = None
    response: Hook | None = None
    iteration_start: Hook | None = None
    iteration_end: Hook | None = None

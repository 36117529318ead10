"""Functions of a project that are called as a test case is replayed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from types import MappingProxyType

#: A function that takes longer (seconds) fails: all users of its process wait meanwhile, but for
#: one that is awaited.
PATIENCE = 5.0


class TookTooLongError(BaseException):
    """A function was stopped: it took too long. None that a function is likely to catch."""

    line = 0
    """Where it was, if its traceback does not say it."""


def is_by_signal(error: BaseException) -> bool:
    """Return whether somebody ends the program: Ctrl-C, and no doing of a function."""
    return getattr(error, _BY_SIGNAL, False) is True


def by_signal(error: KeyboardInterrupt) -> KeyboardInterrupt:
    """Return what a signal raises, marked as such. A class of its own would change what pytest says
    at Ctrl-C."""
    setattr(error, _BY_SIGNAL, True)
    return error


_BY_SIGNAL = "loadtool_by_signal"


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

    ``request`` is called before a request is sent, ``response`` when a response has come; ``calls``
    are those that the test case calls between its transactions, by their names there.
    """

    request: Hook | None = None
    response: Hook | None = None
    iteration_start: Hook | None = None
    iteration_end: Hook | None = None
    calls: Mapping[str, Hook] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def every(self) -> tuple[Hook, ...]:
        """Return all of them that are there."""
        own = (getattr(self, name) for name in HOOK_NAMES)
        return (*filter(None, own), *self.calls.values())


#: The hooks by name: those of functions that the test case calls have names of their own.
HOOK_NAMES = tuple(one.name for one in fields(Hooks) if one.name != "calls")

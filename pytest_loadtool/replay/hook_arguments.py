"""What functions of a project are given: the user, the request as it will be sent, the response."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, MutableMapping
from typing import Any, Final

from pytest_loadtool.model.custom import MetricKind, counted
from pytest_loadtool.replay.user.exchange import Response, Send
from pytest_loadtool.replay.user.user import VirtualUser

_NAME: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_TARGET: Final = re.compile(r"/[!-~]*")


class HookUser:
    """A virtual user: its ``number`` among all of the run, the number of its ``iteration`` (both
    from 0), the name of its test ``case``, and its ``variables``."""

    __slots__ = ("_measure", "case", "iteration", "number", "variables")

    def __init__(
        self,
        user: VirtualUser,
        number: int,
        measure: Callable[[MetricKind, str, float], object] = counted,
    ) -> None:
        self._measure = measure
        self.case = user.plan.case.name
        self.number = number
        self.iteration = 0
        self.variables = Variables(user)

    def count(self, name: str, number: int = 1) -> None:
        """Have the counter ``name`` go up: it is the sum of all users."""
        self._measure("counter", name, number)

    def rate(self, name: str, true: object) -> None:
        """Record for the rate ``name`` whether something was so: it is the share in which it
        was."""
        self._measure("rate", name, bool(true))

    def trend(self, name: str, value: float) -> None:
        """Record a value, from 0 on, of the trend ``name``: it has percentiles as times have."""
        self._measure("trend", name, value)


class Variables(MutableMapping[str, str]):
    """The variables and dataset columns of a user, by name, as they stand.

    What is set here is what placeholders stand for from then on. Names that no placeholder has are
    kept as well, until the user begins anew.
    """

    __slots__ = ("_user", "own")

    def __init__(self, user: VirtualUser) -> None:
        self._user = user
        self.own: dict[str, str] = {}

    def __getitem__(self, name: str) -> str:
        slot = self._user.plan.slots.get(name)
        return self.own[name] if slot is None else self._user.state[slot]

    def __setitem__(self, name: str, value: str) -> None:
        if not isinstance(value, str):
            raise TypeError(f"variables are text: {name} was given {type(value).__name__}")
        slot = self._user.plan.slots.get(name)
        if slot is None:
            self.own[name] = value
        else:
            self._user.state[slot] = value

    def __delitem__(self, name: str) -> None:
        del self.own[name]

    def __iter__(self) -> Iterator[str]:
        yield from self._user.plan.slots
        yield from self.own

    def __len__(self) -> int:
        return len(self._user.plan.slots) + len(self.own)


class Headers(MutableMapping[str, str]):
    """Headers in their order. Names are compared without regard to case; a name that comes several
    times has its first value, and all of them in `get_all`."""

    __slots__ = ("_pairs",)

    def __init__(self, pairs: Iterable[tuple[str, str]]) -> None:
        self._pairs = list(pairs)

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """Return all of them, repeats included."""
        return tuple(self._pairs)

    def get_all(self, name: str) -> list[str]:
        """Return all values of a name, in order."""
        return [value for one, value in self._pairs if one.lower() == name.lower()]

    def add(self, name: str, value: str) -> None:
        """Add a header as the last one, and leave those of the same name."""
        self._pairs.append((name, _checked(name, value)))

    def __getitem__(self, name: str) -> str:
        for one, value in self._pairs:
            if one.lower() == name.lower():
                return value
        raise KeyError(name)

    def __setitem__(self, name: str, value: str) -> None:
        """Replace a header where it stands, or add it as the last one."""
        value = _checked(name, value)
        places = [at for at, (one, _) in enumerate(self._pairs) if one.lower() == name.lower()]
        if not places:
            self._pairs.append((name, value))
            return
        self._pairs[places[0]] = (self._pairs[places[0]][0], value)
        for at in reversed(places[1:]):
            del self._pairs[at]

    def __delitem__(self, name: str) -> None:
        kept = [(one, value) for one, value in self._pairs if one.lower() != name.lower()]
        if len(kept) == len(self._pairs):
            raise KeyError(name)
        self._pairs = kept

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys(name for name, _ in self._pairs))

    def __len__(self) -> int:
        return len({name.lower() for name, _ in self._pairs})


class HookRequest:
    """A request with all that is sent: ``headers``, ``target`` (path and query) and ``body``, which
    may be changed. ``page`` and ``transaction`` are the names that reports call it by."""

    __slots__ = ("_body", "_method", "_prefix", "_target", "_version", "headers", "page", "server",
                 "transaction")  # fmt: skip

    def __init__(self, send: Send) -> None:
        step = send.step
        self.page, self.transaction = step.page_title, step.title
        head, _, self._body = send.data.partition(b"\r\n\r\n")
        line, *lines = head.decode("latin-1").split("\r\n")
        self._method, target, self._version = line.split(" ", 2)
        self.server = str(step.origin)
        # To a proxy a target has its server with it, which is no part to change.
        self._prefix = self.server if target.startswith(f"{self.server}/") else ""
        self._target = target.removeprefix(self._prefix)
        self.headers = Headers(_pair(one) for one in lines)

    @property
    def method(self) -> str:
        """The method, which stays."""
        return self._method

    @property
    def url(self) -> str:
        """The whole URL."""
        return self.server + self._target if self._target.startswith("/") else self._target

    @property
    def target(self) -> str:
        """The path and query, as sent. To set one that is no path raises `ValueError`."""
        return self._target

    @target.setter
    def target(self, target: str) -> None:
        if not _TARGET.fullmatch(target):
            raise ValueError(f"a target is a path from / on, percent-encoded: not {target!r}")
        self._target = target

    @property
    def body(self) -> bytes:
        """The body, as sent. Content-Length follows it when it is set."""
        return self._body

    @body.setter
    def body(self, body: bytes) -> None:
        self._body = bytes(memoryview(body))
        if self._body or "Content-Length" in self.headers:
            self.headers["Content-Length"] = str(len(self._body))

    def __bytes__(self) -> bytes:
        lines = [f"{self._method} {self._prefix}{self._target} {self._version}"]
        lines += [f"{name}: {value}" for name, value in self.headers.pairs]
        return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + self._body


class HookResponse:
    """A response, which is there to be read. Changes to its ``headers`` change nothing."""

    __slots__ = ("_response", "headers", "status")

    def __init__(self, response: Response) -> None:
        self._response = response
        self.status = response.status
        self.headers = Headers(
            (name.decode("latin-1"), value.decode("latin-1")) for name, value in response.headers
        )

    @property
    def body(self) -> bytes:
        """The body without its content coding."""
        return self._response.content

    @property
    def text(self) -> str:
        """The body as text."""
        return self._response.text

    @property
    def duration(self) -> float:
        """The seconds from when the request was sent to the last byte."""
        return self._response.finished - self._response.sent

    def json(self) -> Any:
        """Return the body parsed as JSON."""
        return self._response.json()


def _pair(line: str) -> tuple[str, str]:
    name, _, value = line.partition(":")
    return name, value.removeprefix(" ")


def _checked(name: str, value: str) -> str:
    """Return the value, if it can be that of a header.

    Raises:
        TypeError, ValueError: it cannot.
    """
    if not isinstance(value, str):
        raise TypeError(f"headers are text: {name} was given {type(value).__name__}")
    if not _NAME.fullmatch(name):
        raise ValueError(f"{name!r} is no name of a header")
    if any(one in value for one in "\r\n\0") or not _is_latin(value):
        raise ValueError(f"{name}: line breaks, NUL and other than Latin-1 are no part of headers")
    return value


def _is_latin(value: str) -> bool:
    return value.isascii() or max(value) <= "\xff"

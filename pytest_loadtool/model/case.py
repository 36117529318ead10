"""The test case: pages, each with its HTTP transactions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from types import MappingProxyType
from typing import Literal

from pytest_loadtool.model.dataset import DatasetUse
from pytest_loadtool.model.extractor import Extractor
from pytest_loadtool.model.validator import DEFAULT_STATUS, StatusCodes, Validator

__all__ = [
    "COMPUTED_HEADERS",
    "Header",
    "Kind",
    "Page",
    "Recorded",
    "Request",
    "TestCase",
    "Transaction",
    "Variable",
    "wire_headers",
]

#: Headers whose value is known only when the request goes out. Without a place they stand first
#: (Host) or last (the others).
COMPUTED_HEADERS = frozenset({"host", "content-length", "cookie"})


class Kind(Enum):
    """What a transaction's response is, from its content type."""

    HTML = "HTML"
    IMAGE = "image"
    CSS = "CSS"
    JAVASCRIPT = "JavaScript"
    JSON = "JSON"
    XML = "XML"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Header:
    """A header line (its value a template), or a place (no value): see `wire_headers`."""

    name: str
    value: str | None = None


@dataclass(frozen=True, slots=True)
class Request:
    """What is sent. ``target`` starts with ``/`` (on the test case's server) or is an absolute URL.

    ``target``, header values and a text body are templates. A bytes body goes out as it is.
    """

    method: str
    target: str
    headers: tuple[Header, ...] = ()
    body: str | bytes | None = None


@dataclass(frozen=True, slots=True)
class Recorded:
    """What the recording showed.

    ``entry`` is the 0-based index in the evidence (HAR); ``at`` the start and ``took`` the
    duration, in seconds, ``at`` counted from the start of the page. Replay overlaps transactions of
    a page as these overlapped.
    """

    status: int
    kind: Kind = Kind.OTHER
    entry: int | None = None
    at: float = 0.0
    took: float = 0.0


@dataclass(frozen=True, slots=True)
class Transaction:
    """One HTTP exchange: what to send, what to take from the response, what it must look like."""

    request: Request
    name: str = ""
    """What reports call it; empty: the method and the path."""
    status: StatusCodes = DEFAULT_STATUS
    extractors: tuple[Extractor, ...] = ()
    validators: tuple[Validator, ...] = ()
    recorded: Recorded | None = None
    line: int = field(default=0, compare=False)
    """Where it stands in its file, from 1; 0 when it came from elsewhere."""

    @property
    def title(self) -> str:
        """The name, or the method and the path without its query."""
        return self.name or f"{self.request.method} {self.request.target.partition('?')[0]}"


@dataclass(frozen=True, slots=True)
class Page:
    """A top-level node of the test case. ``think_time`` is in seconds and comes after the page."""

    name: str
    transactions: tuple[Transaction, ...]
    think_time: float = 0.0


@dataclass(frozen=True, slots=True)
class Variable:
    """A user variable and what is known of it.

    ``value`` is its constant or first value (a recorded value is not: that is ``recorded``, used
    only to find it again and to explain). ``env`` names the environment variable it comes from.
    ``set_by`` tells application state management, which may replace its own work, from a person,
    whose work it leaves alone.
    """

    name: str
    value: str | None = None
    env: str | None = None
    recorded: str | None = None
    set_by: Literal["asm", "person"] = "person"
    rule: str = ""


@dataclass(frozen=True, slots=True)
class TestCase:
    """Everything replay needs. Equal to what its file says: no field is derived."""

    __test__ = False  # not for pytest to collect

    name: str
    pages: tuple[Page, ...]
    server: str = ""
    """Base URL, without a path: ``http://127.0.0.1:8000``. May be empty when every target is
    absolute or a fixture gives it."""
    server_fixture: str = ""
    """The pytest fixture whose value (a URL) replaces ``server`` on replay."""
    fixtures: tuple[str, ...] = ()
    """More pytest fixtures to use, as with ``pytest.mark.usefixtures``."""
    marks: tuple[str, ...] = ()
    verify_tls: bool = True
    headers: tuple[Header, ...] = ()
    """Headers that every transaction shares, and places: see `wire_headers`."""
    datasets: tuple[DatasetUse, ...] = ()
    variables: Mapping[str, Variable] = field(default_factory=lambda: MappingProxyType({}))

    def transactions(self) -> Iterator[Transaction]:
        """All transactions in order."""
        for page in self.pages:
            yield from page.transactions


def wire_headers(shared: tuple[Header, ...], own: tuple[Header, ...]) -> tuple[Header, ...]:
    """The headers of one request in the order they are sent; computed ones as places (value None).

    Two cases:

    1. ``own`` holds a place (a header without a value): it is the whole list by itself, and a place
       stands for the shared header of that name, or for a computed one.
    2. Otherwise the shared list gives the order: own headers go where it has a place of their name,
       else where it has a header of their name (they replace it), else to the end. Places that
       nothing fills vanish, except those of computed headers.

    Names are compared without case; an own header keeps its own spelling.
    """
    if any(header.value is None for header in own):
        named = {header.name.lower(): header for header in shared if header.value is not None}
        return tuple(
            header if header.value is not None else named.get(header.name.lower(), header)
            for header in own
            if header.value is not None
            or header.name.lower() in named
            or header.name.lower() in COMPUTED_HEADERS
        )
    result: list[Header] = []
    placed: set[str] = set()
    for header in shared:
        name = header.name.lower()
        if name in placed:
            continue
        mine = [one for one in own if one.name.lower() == name]
        if mine:
            placed.add(name)
            result += mine
        elif header.value is not None or name in COMPUTED_HEADERS:
            result.append(header)
    result += [header for header in own if header.name.lower() not in placed]
    return tuple(result)

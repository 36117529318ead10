"""Marks: what a person wants to see of a transaction at a glance, each a letter."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Self

from pytest_loadtool.codec.media import decoded
from pytest_loadtool.codec.template import BUILTIN_NAMES, Reference, Template
from pytest_loadtool.model.case import Request, TestCase, Transaction
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.recording.request.template import as_sent
from pytest_loadtool.structure.uses import used_by
from pytest_loadtool.workflow.document import Document

#: What each letter says, in the order in which they stand. Filter expressions have them, too.
MARKS: Mapping[str, str] = MappingProxyType(
    {
        "x": "has extractors",
        "v": "has validators besides Status Code",
        "g": "has correlated fields",
        "w": "a person wrote a field of it",
        "q": "sends what is unique for each user",
        "s": "changes the server's state",
        "f": "failed when last replayed",
    }
)


def marks_of(document: Document, failed: Collection[int] = frozenset()) -> tuple[str, ...]:
    """Return the letters of each transaction.

    ``failed`` are the indexes of those that failed when they were last replayed.
    """
    marking = Marking.of(document)
    return tuple(
        marking.letters(one, failed=index in failed)
        for index, one in enumerate(document.case.transactions())
    )


@dataclass(frozen=True, slots=True)
class Marking:
    """The facts that the marks of a test case's transactions depend on besides themselves."""

    document: Document
    correlated: frozenset[str]
    own: frozenset[str]

    @classmethod
    def of(cls, document: Document) -> Self:
        """Return the marks of a test case, by its variables."""
        from pytest_loadtool.correlation.writing.reanchor import is_own

        variables = document.case.variables
        return cls(
            document,
            frozenset(name for name, one in variables.items() if one.set_by == "asm"),
            frozenset(name for name, one in variables.items() if is_own(one)),
        )

    def letters(self, one: Transaction, *, failed: bool = False) -> str:
        """Return the letters of a transaction."""
        case, exchange = self.document.case, self.document.evidence_of(one)
        used = used_by(case, one.request) - BUILTIN_NAMES
        shown = {
            "x": bool(one.extractors),
            "v": bool(one.validators),
            "g": not self.correlated.isdisjoint(used),
            "w": _is_written(case, used - self.correlated) or not _as_recorded(one, exchange),
            "q": not self.own.isdisjoint(used),
            "s": _changes(one, exchange),
            "f": failed,
        }
        return "".join(letter for letter in MARKS if shown[letter])


def _changes(one: Transaction, exchange: Exchange | None) -> bool:
    """Return whether it may change the server's state: a query of GraphQL is sent by POST, too."""
    from pytest_loadtool.correlation.graphql import operation
    from pytest_loadtool.correlation.index.traffic import changes_state

    if not changes_state(one.request, exchange):
        return False
    asked = operation(exchange) if exchange is not None else None
    return asked is None or asked.changes


def _is_written(case: TestCase, names: Collection[str]) -> bool:
    """Return whether one of these is a column of a dataset, or a variable: a person's
    placeholders."""
    return any(name in case.variables or Reference(name).dataset is not None for name in names)


def _as_recorded(one: Transaction, exchange: Exchange | None) -> bool:
    """Return whether what a request sends, but for its placeholders, was recorded so. What is in no
    traffic counts as recorded: nobody has changed it."""
    if exchange is None:
        return True
    request, url = one.request, as_sent(exchange.url)
    if request.method != exchange.method or not _fits(request.target, url, from_start=False):
        return False
    return _has_body(request, exchange) and all(
        any(
            name.lower() == header.name.lower() and _fits(header.value, value)
            for name, value in exchange.request_headers
        )
        for header in request.headers
        if header.value is not None
    )


def _has_body(request: Request, exchange: Exchange) -> bool:
    if request.body is None:
        return not exchange.request_size
    if isinstance(request.body, bytes):
        return request.body == exchange.request_body
    media = exchange.request_header("content-type") or ""
    if request.charset and "charset" not in media:
        media = f"{media}; charset={request.charset}"
    return _fits(request.body, decoded(exchange.request_body, media))


def _fits(template: str, text: str, *, from_start: bool = True) -> bool:
    """Return whether a text may be what a template makes: its literals, in their order. Something
    may stand before it, unless ``from_start``."""
    parts = Template.parse(template).parts
    at, loose = 0, not from_start
    for part in parts[:-1]:
        if not isinstance(part, str):
            loose = True
            continue
        found = text.find(part, at)
        if found < 0 or (found > at and not loose):
            return False
        at, loose = found + len(part), False
    if not parts or not isinstance(parts[-1], str):
        return bool(parts) or not text
    start = len(text) - len(parts[-1])
    return text.endswith(parts[-1]) and (start >= at if loose else start == at)

"""Marks: what a person wants to see of a transaction at a glance, each a letter."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from types import MappingProxyType

from pytest_loadtool.codec.charset import decoded
from pytest_loadtool.codec.template import BUILTIN_NAMES, Reference, Template
from pytest_loadtool.codec.uses import used_by
from pytest_loadtool.model.case import Request, TestCase, Transaction
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.recording.request.template import as_sent
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
    from pytest_loadtool.correlation.index.traffic import steps_of
    from pytest_loadtool.correlation.outcomes.changes import is_change
    from pytest_loadtool.correlation.writing.reanchor import is_own

    case = document.case
    correlated = {name for name, one in case.variables.items() if one.set_by == "asm"}
    own = {name for name, one in case.variables.items() if is_own(one)}
    found = []
    for step in steps_of(case, document.exchanges):
        one, used = step.transaction, used_by(case, step.transaction.request) - BUILTIN_NAMES
        written = _is_written(case, used - correlated) or not _as_recorded(one, step.exchange)
        shown = {
            "x": bool(one.extractors),
            "v": bool(one.validators),
            "g": not correlated.isdisjoint(used),
            "w": written,
            "q": not own.isdisjoint(used),
            "s": is_change(step),
            "f": step.index in failed,
        }
        found.append("".join(letter for letter in MARKS if shown[letter]))
    return tuple(found)


def _is_written(case: TestCase, names: Collection[str]) -> bool:
    """Whether one of these is a column of a dataset, or a variable: a person's placeholders."""
    return any(name in case.variables or Reference(name).dataset is not None for name in names)


def _as_recorded(one: Transaction, exchange: Exchange | None) -> bool:
    """Whether what a request sends, but for its placeholders, was recorded so. What is in no
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
    """Whether a text may be what a template makes: its literals, in their order. Something may
    stand before it, unless ``from_start``."""
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

"""GraphQL requests: what the operation is called, and whether it changes something.

Every operation goes to one address with POST, so that method and path tell nothing; the name and
the type of the operation tell it instead (GraphQL over HTTP §6.1; GraphQL §2.3).
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from pytest_loadtool.codec.calls import graphql_operation
from pytest_loadtool.codec.names import plain
from pytest_loadtool.model.exchange import Exchange

#: The field in which an object says of which type it is (GraphQL §4.4).
TYPE = "__typename"
_ID_VARIABLE = re.compile(rb"\$(\w+)\s*:\s*\[?\s*ID\b")
_FIELD = re.compile(r"\{\s*(?:\w+\s*:\s*)?(\w+)")
#: How a mutation is called whose text is not sent along (persisted queries).
_CHANGING = frozenset({"create", "add", "insert", "new", "save", "store", "submit", "register"})


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation: the words of its name and of its first ``field``, and whether it is a
    mutation."""

    words: frozenset[str]
    changes: bool
    field: str = ""


def declared_ids(exchange: Exchange) -> frozenset[str]:
    """Return the variables that a document declares as ids, whatever they are called (GraphQL
    §3.5.5)."""
    body = exchange.request_body
    if b'"query"' not in body:
        return frozenset()
    return frozenset(one.decode() for one in _ID_VARIABLE.findall(body))


def argument_of(exchange: Exchange, variable: str) -> str:
    """Return what the argument is called for which a document takes a variable; empty if there is
    none, or there are several: ``userId`` of ``addNote(userId: $id)``."""
    written = rf"(\w+)\s*:\s*\[?\s*\${re.escape(variable)}\b".encode()
    body = exchange.request_body
    found = {*re.findall(written, body)} if b'"query"' in body else set()
    return found.pop().decode() if len(found) == 1 else ""


def operation(exchange: Exchange) -> Operation | None:
    """Return the operation that a request asks for; None if it is not GraphQL."""
    body = exchange.request_body
    if b'"query"' not in body and b'"operationName"' not in body:
        return None
    try:
        document = json.loads(body)
    except ValueError:
        return None
    if not isinstance(document, dict):
        return None
    query, name = document.get("query"), document.get("operationName")
    if not isinstance(query, str):
        if not isinstance(name, str) or "extensions" not in document:
            return None
        words = frozenset(plain(name).split())
        return Operation(words, bool(words & _CHANGING))
    found = graphql_operation(query, name)
    if not found and not query.lstrip().startswith("{"):
        return None
    field = _FIELD.search(query, found.end() if found else 0)
    called = name if isinstance(name, str) else found[2] if found else ""
    text = f"{called} {field[1] if field else ''}"
    changes = found[1] == "mutation" if found else False
    return Operation(frozenset(plain(text).split()), changes, field[1] if field else "")

"""Pages that React sends as data (``text/x-component``), as the markup which they stand for.

React's server components are serialized in rows (React 19, ``ReactFlightClient``): ``4:["$","li",
"7",{"children":"Tea"}]`` is ``<li key="7">Tea</li>``, and ``$4`` elsewhere means it. Next.js
answers so to whatever a page of its App Router asks for once it is loaded, and to server actions.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from html import escape
from typing import Any

_ROW = re.compile(rb"([0-9a-f]*):([A-Za-z]{0,2})")
#: The rows that begin with how many bytes they have: texts, and typed arrays.
_COUNTED = frozenset("TAOoUSsLlGgMmV")
_REFERENCE = re.compile(r"\$[L@]?([0-9a-f]+)((?::[^:]+)*)")
#: What is sent for something that JSON has not: a date, a large number, a symbol.
_WRITTEN = re.compile(r"\$[DnS](.+)", re.DOTALL)
#: Where the fields of an element stand in its list.
_FIELDS = {"type": 1, "key": 2, "props": 3}
#: What is shown in place of the children, where something is wrong or is waited for.
_INSTEAD = frozenset({"error", "fallback", "forbidden", "loading", "notFound", "template", "unauthorized"})
_CALLED = {"className": "class", "htmlFor": "for", "defaultValue": "value", "defaultChecked": "checked"}
_NAME = re.compile(r"[A-Za-z_][\w.:-]*")
_EMPTY = frozenset({"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "wbr"})
#: A page of which more values would come, as some are referred to again and again, stays as it is.
_MOST_VALUES = 500_000


def markup_of(text: str) -> str:
    """Return the markup of a page in rows; a text that has none is as it was."""
    try:
        found = "".join(_Page(_rows(text.encode())).markup())
    except (ValueError, RecursionError):
        return text
    return found or text


def _rows(body: bytes) -> dict[str, tuple[str, Any]]:
    """Return the rows by their ids, each with its kind and what it has."""
    rows: dict[str, tuple[str, Any]] = {}
    at = 0
    while (head := _ROW.match(body, at)) is not None:
        id_, kind = head[1].decode(), head[2].decode()
        if kind in _COUNTED:
            size, comma, _ = body[head.end() : head.end() + 20].partition(b",")
            start = head.end() + len(size) + len(comma)
            at = start + int(size, 16)
            rows[id_] = kind, body[start:at].decode(errors="replace") if kind == "T" else None
            continue
        end = body.find(b"\n", at)
        end = len(body) if end < 0 else end
        at = end + 1
        if kind in ("", "I") and id_:
            rows[id_] = kind, json.loads(body[head.end() : end])
    if at < len(body):
        raise ValueError("it is no row")
    return rows


class _HasElementsError(Exception):
    """A value has elements in it."""


class _Page:
    """The rows of a page while it is written."""

    def __init__(self, rows: Mapping[str, tuple[str, Any]]) -> None:
        self._rows = rows
        self._open: set[str] = set()
        self._read = 0

    def markup(self) -> Iterator[str]:
        """Yield the markup of all elements in its first row; raises ValueError if there is none."""
        if "0" not in self._rows:
            raise ValueError("it has no first row")
        yield from self._elements("$0")
        first = self._rows["0"][1]
        if isinstance(first, dict) and "a" in first and "f" in first:  # what an action returns
            _, value = self._entered(first["a"])
            with suppress(_HasElementsError):
                written = json.dumps(self._plain(value), ensure_ascii=False).replace("<", "\\u003c")
                yield f'<script type="application/json">{written}</script>'

    def _elements(self, value: Any) -> Iterator[str]:
        """Yield the markup of the elements in a value, wherever they are."""
        with_rows, value = self._entered(value)
        if _is_element(value):
            yield from self._element(value)
        elif isinstance(value, list | dict):
            for one in value.values() if isinstance(value, dict) else value:
                yield from self._elements(one)
        self._open -= with_rows

    def _children(self, value: Any) -> Iterator[str]:
        """Yield the markup of what stands between two tags."""
        with_rows, value = self._entered(value)
        if _is_element(value):
            yield from self._element(value)
        elif isinstance(value, list):
            for one in value:
                yield from self._children(one)
        elif isinstance(value, str | int | float) and not isinstance(value, bool):
            yield escape(str(value), quote=False)
        self._open -= with_rows

    def _element(self, element: Sequence[Any]) -> Iterator[str]:
        _, kind, key, fields = element[:4]
        _, fields = self._entered(fields)
        fields = fields if isinstance(fields, dict) else {}
        name = self._called(kind, fields)
        inner = [child for one in _inside(fields) for child in self._elements(one)]
        inner += self._children(fields.get("children"))
        if name:
            attributes = [("key", key)] if isinstance(key, str) and key else []
            attributes += [(_CALLED.get(one, one), value) for one, value in fields.items()
                           if one != "children" and _NAME.fullmatch(one)]
            yield f"<{name}{''.join(self._attribute(*one) for one in attributes)}>"
        html = fields.get("dangerouslySetInnerHTML")
        if isinstance(html, dict) and isinstance(html.get("__html"), str):
            yield html["__html"]
        yield from inner
        if name and name not in _EMPTY:
            yield f"</{name}>"

    def _called(self, kind: Any, fields: Mapping[str, Any]) -> str:
        """Return the name of an element: of a tag, or of a component that the client has, of which
        one that leads somewhere is a link; empty for what has no tag of its own."""
        found = _REFERENCE.fullmatch(kind) if isinstance(kind, str) else None
        if found is not None:
            of, row = self._rows.get(found[1], ("", None))
            kind = row[2] if of == "I" and isinstance(row, list) and len(row) > 2 else ""
            kind = "a" if isinstance(fields.get("href"), str) else kind
        return kind if isinstance(kind, str) and _NAME.fullmatch(kind) else ""

    def _attribute(self, name: str, value: Any) -> str:
        with_rows, value = self._entered(value)
        try:
            plain = self._plain(value)
        except _HasElementsError:
            plain = None
        self._open -= with_rows
        if plain is True:
            return f" {name}"
        if plain is None or plain is False or plain == [] or plain == {}:
            return ""
        written = plain if isinstance(plain, str) else json.dumps(plain, ensure_ascii=False)
        return f' {name}="{escape(written)}"'

    def _plain(self, value: Any) -> Any:
        """Return a value whose references are what they stand for.

        Raises:
            _HasElementsError: there are elements in it.
        """
        if _is_element(value):
            raise _HasElementsError
        if isinstance(value, list | dict):
            found: list[Any] = []
            for one in value.values() if isinstance(value, dict) else value:
                with_rows, one = self._entered(one)
                found.append(self._plain(one))
                self._open -= with_rows
            return dict(zip(value, found, strict=True)) if isinstance(value, dict) else found
        return value

    def _entered(self, value: Any) -> tuple[set[str], Any]:
        """Return what a value stands for, and the rows that it is in, which are open then: one that
        is within itself is nothing."""
        opened: set[str] = set()
        while isinstance(value, str) and value.startswith("$") and value != "$":
            self._read += 1
            if self._read > _MOST_VALUES:
                raise ValueError("more values than a page has")
            found = _REFERENCE.fullmatch(value)
            if found is None:
                written = _WRITTEN.fullmatch(value)
                return opened, value[1:] if value[1] == "$" else written[1] if written else None
            of, row = self._rows.get(found[1], ("", None))
            if found[1] in self._open | opened or of == "I":
                return opened, None
            opened.add(found[1])
            value = _at(row, found[2].split(":")[1:])
        self._open |= opened
        return opened, value


def _is_element(value: Any) -> bool:
    return isinstance(value, list) and len(value) > 3 and value[0] == "$"


def _inside(fields: Mapping[str, Any]) -> Iterator[Any]:
    """Yield what may have elements besides the children."""
    for name, value in fields.items():
        if name not in _INSTEAD and name not in ("children", "dangerouslySetInnerHTML"):
            yield value


def _at(value: Any, path: Sequence[str]) -> Any:
    """Return what is at a path within a row; None if there is nothing."""
    for step in path:
        if isinstance(value, dict):
            value = value.get(step)
        elif isinstance(value, list):
            at = _FIELDS.get(step) if _is_element(value) else None
            at = int(step) if at is None and step.isdecimal() else at
            value = value[at] if at is not None and at < len(value) else None
        else:
            return None
    return value

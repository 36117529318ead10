"""Pages that React sends as data (``text/x-component``), as the markup which they stand for.

React's server components are serialized in rows (React 19, ``ReactFlightClient``): ``4:["$","li",
"7",{"children":"Tea"}]`` is ``<li key="7">Tea</li>``, and ``$4`` elsewhere means it. Next.js
answers so to whatever a page of its App Router asks for once it is loaded, and to server actions.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from html import escape
from typing import Any

_ROW = re.compile(rb"([0-9a-f]*):([A-Zglmorsx]?)")
_SIZE = re.compile(rb"([0-9a-f]{1,8}),")
#: The rows that begin with how many bytes they have: texts, and typed arrays.
_COUNTED = frozenset("TAOoUSsLlGgMmV")
_REFERENCE = re.compile(r"\$[L@]?([0-9a-f]+)((?::[^:]+)*)")
#: What is sent for something that JSON has not, a date, a large number, a symbol; and for a text
#: that begins with a dollar.
_WRITTEN = re.compile(r"\$(?:[DnS]|(?=\$))(.+)", re.DOTALL)
#: Where the fields of an element stand in its list.
_FIELDS = {"type": 1, "key": 2, "props": 3}
#: What is shown in place of the children, where something is wrong or is waited for.
_INSTEAD = frozenset(
    {"error", "fallback", "forbidden", "loading", "notFound", "template", "unauthorized"}
)
#: The fields of an element that stand between its tags.
_INNER = frozenset({"children", "dangerouslySetInnerHTML"})
_LESS = "\\u003c"
_CALLED = {
    "className": "class",
    "htmlFor": "for",
    "defaultValue": "value",
    "defaultChecked": "checked",
}
_NAME = re.compile(r"[A-Za-z_][\w.:-]*")
_EMPTY = frozenset(
    {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "wbr"}
)
#: A page of which more values would come, as some are referred to again and again, stays as it is.
_MOST_VALUES = 200_000


def markup_of(text: str) -> str:
    """Return the markup of a page in rows; a text that has none is as it was."""
    try:
        found = "".join(_FlightPage(_rows(text.encode())).markup())
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
            size = _SIZE.match(body, head.end())
            if size is None:
                raise ValueError("it does not say how long it is")
            at = size.end() + int(size[1], 16)
            text = body[size.end() : at].decode(errors="replace")
            rows[id_] = kind, text if kind == "T" else None
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


class _FlightPage:
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
            with suppress(_HasElementsError):
                written = json.dumps(self._plain(first["a"]), ensure_ascii=False)
                yield f'<script type="application/json">{written.replace("<", _LESS)}</script>'

    def _elements(self, value: Any) -> Iterator[str]:
        """Yield the markup of the elements in a value, wherever they are."""
        with self._entered(value) as found:
            if _is_element(found):
                yield from self._element(found)
            else:
                for one in _members(found):
                    yield from self._elements(one)

    def _children(self, value: Any) -> Iterator[str]:
        """Yield the markup of what stands between two tags."""
        with self._entered(value) as found:
            if _is_element(found):
                yield from self._element(found)
            elif isinstance(found, list):
                for one in found:
                    yield from self._children(one)
            elif isinstance(found, str | int | float) and not isinstance(found, bool):
                yield escape(str(found), quote=False)

    def _element(self, element: Sequence[Any]) -> Iterator[str]:
        _, kind, key, given = element[:4]
        with self._entered(given) as found:
            fields: Mapping[str, Any] = found if isinstance(found, dict) else {}
            name = self._called(kind, fields)
            if name:
                yield f"<{name}{''.join(self._attributes(key, fields))}>"
            html = fields.get("dangerouslySetInnerHTML")
            if isinstance(html, dict) and isinstance(html.get("__html"), str):
                yield html["__html"]
            for one, value in fields.items():
                if one not in _INSTEAD | _INNER:
                    yield from self._elements(value)
            yield from self._children(fields.get("children"))
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

    def _attributes(self, key: Any, fields: Mapping[str, Any]) -> Iterator[str]:
        if isinstance(key, str):
            yield f' key="{escape(key)}"'
        for name, value in fields.items():
            if name in _INNER or not _NAME.fullmatch(name):
                continue
            try:
                plain = self._plain(value)
            except _HasElementsError:
                continue
            name = _CALLED.get(name, name)
            if plain is True:
                yield f" {name}"
            elif plain is not None and plain is not False and plain not in ([], {}):
                written = plain if isinstance(plain, str) else json.dumps(plain, ensure_ascii=False)
                yield f' {name}="{escape(written)}"'

    def _plain(self, value: Any) -> Any:
        """Return a value whose references are what they stand for.

        Raises:
            _HasElementsError: there are elements in it.
        """
        with self._entered(value) as found:
            if _is_element(found):
                raise _HasElementsError
            if isinstance(found, dict):
                return {name: self._plain(one) for name, one in found.items()}
            return [*map(self._plain, found)] if isinstance(found, list) else found

    @contextmanager
    def _entered(self, value: Any) -> Iterator[Any]:
        """Give what a value stands for, while the references to it are open: what is within itself
        is nothing."""
        opened: set[str] = set()
        while isinstance(value, str) and value.startswith("$") and value != "$":
            found = _REFERENCE.fullmatch(value)
            if found is None:
                written = _WRITTEN.fullmatch(value)
                value = written[1] if written else None
                break
            of, row = self._rows.get(found[1], ("", None))
            if of == "I" or value in self._open | opened:
                value = None
                break
            opened.add(value)
            value = _at(row, found[2].split(":")[1:])
            if of == "T":
                break  # a text, be it one that begins so
        self._read += 1
        if self._read > _MOST_VALUES:
            raise ValueError("more values than a page has")
        self._open |= opened
        try:
            yield value
        finally:
            self._open -= opened


def _is_element(value: Any) -> bool:
    return isinstance(value, list) and len(value) > 3 and value[0] == "$"


def _members(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


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

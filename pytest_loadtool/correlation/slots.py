"""Slots: the places of a request where a value stands by itself, with the field's name.

A request is a template already: placeholders of a person stay where they are. They count as one
opaque character, so that positions in the text remain plain indexes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import unquote, unquote_plus

from pytest_loadtool.model.case import Request
from pytest_loadtool.model.place import Place, body_syntax
from pytest_loadtool.model.template import Reference, Template, TemplateError, escape

__all__ = ["HOLE", "Masked", "Part", "Slot", "request_slots", "target_slots"]

#: Stands for a placeholder. A Unicode noncharacter, which no text interchanged may contain.
HOLE = "\ufdd0"

#: Which text of a request: "target", "body", or the index of a header.
Part = str | int

#: A slot without what all slots of a text share: start, end, place, name, value, before.
_Spot = tuple[int, int, Place, str, str, str]

#: Headers that the browser writes by itself, and those computed when sent.
_NO_SLOTS = frozenset(
    {
        *("accept", "accept-charset", "accept-encoding", "accept-language", "cache-control"),
        *("connection", "content-encoding", "content-length", "content-type", "cookie", "date"),
        *("dnt", "expect", "host", "if-modified-since", "if-none-match", "if-unmodified-since"),
        *("keep-alive", "origin", "pragma", "priority", "range", "referer", "te", "trailer"),
        *("transfer-encoding", "upgrade", "upgrade-insecure-requests", "user-agent", "via"),
        *("x-requested-with", "soapaction"),
    }
)
_ORIGIN = re.compile(rf"(?:[A-Za-z][A-Za-z0-9+.-]*://[^/?#]*|{HOLE}(?=/|\Z))?")
_SEGMENT = re.compile(r"[^/]+")
_MATRIX = re.compile(r";([^=;]*)=([^;]*)")
_PAIR = re.compile(r"([^&=]*)=([^&]*)")
_SCHEME = re.compile(r"(?:Bearer|Token|JWT|ApiKey|Api-Key|GenieKey)[ ]+(?=\S)", re.IGNORECASE)
_PART_NAME = re.compile(r"""\bname=(?:"([^"]*)"|([^\s;"]+))""", re.IGNORECASE)
_FILE_NAME = re.compile(r"\bfilename\*?=", re.IGNORECASE)
_BOUNDARY = re.compile(r"""\bboundary=(?:"([^"]+)"|([^\s;"]+))""", re.IGNORECASE)
_JSON_TOKEN = re.compile(
    rf'"((?:[^"\\]|\\.)*+)"|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|([{{}}\[\],:])|[a-z]+|{HOLE}'
)


@dataclass(frozen=True, slots=True)
class Slot:
    """A value in a request. ``start`` and ``end`` index the masked text of its part.

    ``value`` is decoded, ``raw`` as it stands. ``name`` is the field's; of a path segment, the
    segment before it. ``before`` is, of a path segment, the path that leads to it: ``/items/`` of
    the 17 in ``/items/17/edit``.
    """

    transaction: int
    part: Part
    start: int
    end: int
    place: Place
    name: str
    value: str
    before: str = ""
    raw: str = ""
    users: tuple[int, ...] = ()
    """Of a header that transactions share: all of them, ``transaction`` being the first."""
    header_set: int = 0
    """Of such a header: the index of its set, as in `parts.header_sets`."""

    @property
    def owner(self) -> int:
        """The transaction in whose request it stands; of a header set, ``~index`` (-1, -2, …)."""
        return ~self.header_set if self.users else self.transaction


@dataclass(frozen=True, slots=True)
class Masked:
    """A template's text with `HOLE` for each reference."""

    text: str
    references: tuple[Reference, ...]

    @staticmethod
    def of(template: str) -> Masked | None:
        """The masked template; None where it is malformed or holds the mask itself."""
        try:
            parts = Template.parse(template).parts
        except TemplateError:
            return None
        if any(isinstance(part, str) and HOLE in part for part in parts):
            return None
        return Masked(
            "".join(part if isinstance(part, str) else HOLE for part in parts),
            tuple(part for part in parts if isinstance(part, Reference)),
        )

    def replaced(self, edits: list[tuple[int, int, str]]) -> str:
        """The template with a reference to each named variable in place of its span."""
        own = iter(self.references)
        text = ""
        position = 0
        for start, end, name in sorted(edits):
            text += _template(self.text[position:start], own) + f"${{{name}}}"
            position = end
        return text + _template(self.text[position:], own)


def _template(masked: str, references: Iterator[Reference]) -> str:
    """A piece of masked text as template text again, its references the next ones in order."""
    literals = masked.split(HOLE)
    text = escape(literals[0])
    for literal in literals[1:]:
        text += f"{next(references)}{escape(literal)}"
    return text


def request_slots(request: Request, content_type: str, transaction: int) -> Iterator[Slot]:
    """All slots of a request that a placeholder could take, in the order they stand."""
    masked = Masked.of(request.target)
    if masked is not None:
        yield from target_slots(masked.text, transaction)
    for position, header in enumerate(request.headers):
        name = header.name.lower()
        if header.value and name not in _NO_SLOTS and not name.startswith("sec-"):
            masked = Masked.of(header.value)
            if masked is not None:
                spots = _header(masked.text, header.name)
                yield from _usable(masked.text, spots, transaction, position)
    if isinstance(request.body, str) and request.body:
        masked = Masked.of(request.body)
        if masked is not None:
            spots = _body(masked.text, request.body, content_type)
            yield from _usable(masked.text, spots, transaction, "body")


def target_slots(text: str, transaction: int) -> Iterator[Slot]:
    """The slots of a masked target: path segments, matrix parameters and query values."""
    return _usable(text, _target(text), transaction, "target")


def _usable(text: str, spots: Iterator[_Spot], transaction: int, part: Part) -> Iterator[Slot]:
    for start, end, place, name, value, before in spots:
        raw = text[start:end]
        # "$" before "${" would read as the escape of a literal "${".
        dollar = start > 0 and text[start - 1] == "$"
        if raw and HOLE not in raw and not dollar:
            yield Slot(transaction, part, start, end, place, name, value, before, raw)


def _target(text: str) -> Iterator[_Spot]:
    origin = _ORIGIN.match(text)
    path_start = origin.end() if origin else 0
    mark = text.find("?", path_start)
    path_end = len(text) if mark < 0 else mark
    name = ""
    for segment in _SEGMENT.finditer(text, path_start, path_end):
        stem_end = text.find(";", segment.start(), segment.end())
        stem_end = segment.end() if stem_end < 0 else stem_end
        stem = text[segment.start() : stem_end]
        before = text[path_start : segment.start()]
        yield segment.start(), stem_end, Place.PATH, name, unquote(stem), before
        for pair in _MATRIX.finditer(text, stem_end, segment.end()):
            yield *pair.span(2), Place.PATH, pair[1], unquote(pair[2]), ""
        name = name if HOLE in stem else stem
    if mark >= 0:
        for pair in _PAIR.finditer(text, mark + 1):
            yield *pair.span(2), Place.QUERY, unquote_plus(pair[1]), unquote(pair[2]), ""


def _header(text: str, name: str) -> Iterator[_Spot]:
    scheme = _SCHEME.match(text)
    start = scheme.end() if scheme else 0
    yield start, len(text), Place.HEADER, name, text[start:], ""


def _body(text: str, template: str, content_type: str) -> Iterator[_Spot]:
    syntax = body_syntax(Template.parse(template), content_type)
    if syntax is Place.FORM:
        for pair in _PAIR.finditer(text):
            yield *pair.span(2), Place.FORM, unquote_plus(pair[1]), unquote_plus(pair[2]), ""
    elif syntax is Place.JSON:
        yield from _json(text)
    elif syntax is Place.MULTIPART:
        yield from _multipart(text, content_type)


def _json(text: str) -> Iterator[_Spot]:
    """The string and number leaves of a JSON text, each with the key it stands under."""
    keys: list[str] = [""]  # the current key in each open container
    objects: list[bool] = [False]  # whether that container is an object
    at_key = False
    for token in _JSON_TOKEN.finditer(text):
        string, number, mark = token.groups()
        if mark in ("{", "["):
            keys.append(keys[-1])
            objects.append(mark == "{")
            at_key = mark == "{"
        elif mark in ("}", "]"):
            if len(keys) > 1:
                keys.pop()
                objects.pop()
            at_key = False
        elif mark is not None:
            at_key = mark == "," and objects[-1]
        elif string is not None and at_key:
            keys[-1] = _json_string(string)
        elif string is not None:
            yield *token.span(1), Place.JSON_STRING, keys[-1], _json_string(string), ""
        elif number is not None:
            yield *token.span(2), Place.JSON, keys[-1], number, ""


def _json_string(raw: str) -> str:
    if "\\" not in raw:
        return raw
    try:
        value: str = json.loads(f'"{raw}"')
    except ValueError:
        return raw
    return value


def _multipart(text: str, content_type: str) -> Iterator[_Spot]:
    """The values of parts that are no files (RFC 7578)."""
    found = _BOUNDARY.search(content_type)
    if found is None:
        return
    delimiter = "--" + (found[1] or found[2])
    position = text.find(delimiter)
    while position >= 0:
        start = position + len(delimiter)
        position = text.find(delimiter, start)
        head, blank, _ = text[start : max(position, start)].partition("\r\n\r\n")
        name = _PART_NAME.search(head)
        if blank and name is not None and not _FILE_NAME.search(head):
            begin = start + len(head) + len(blank)
            end = position - 2  # the line end before a delimiter belongs to the delimiter
            field = name[1] if name[1] is not None else name[2]
            yield begin, end, Place.MULTIPART, field, text[begin:end], ""

"""Where in a request placeholders land, and how their values are encoded for these places.

Two users must agree on this to the byte: application state management puts a placeholder only where
encoding the recorded value gives back the recorded text, and replay encodes the value of the day.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from urllib.parse import quote

from pytest_loadtool.codec.filters import component, form, json_string
from pytest_loadtool.codec.media import FORM, JSON_LINES, is_json, is_xml, media_type
from pytest_loadtool.codec.template import Reference, Template
from pytest_loadtool.model.place import Place

# RFC 3986: what may stand anywhere in a URI, "%" included because the value is encoded already.
_URI = "-._~!$&'()*+,;=:@/?#[]%"
# RFC 3986 §3.3: pchar = unreserved / sub-delims / ":" / "@"
_PCHAR = "-._~!$&'()*+,;=:@"

_JSON_SCALAR = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null")
#: What the form serialiser would have written otherwise ("~" aside, which some of them leave).
_NO_FORM = re.compile(r"%20|[^\w*.+~%&=\[\]-]|=[^&]*=", re.ASCII)
_HEADER_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]+")
_COOKIE_END = re.compile(r"[\x00-\x1f\x7f;]")
#: WHATWG HTML, "multipart/form-data encoding algorithm": the characters that end a quoted name.
_NAME_ESCAPES = str.maketrans({'"': "%22", "\r": "%0D", "\n": "%0A"})
_XML_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;"})


def _whole_target(value: str) -> str:
    return quote(value, safe=_URI, errors="replace")


def _path(value: str) -> str:
    return quote(value, safe=_PCHAR, errors="replace")


def _json(value: str) -> str:
    if _JSON_SCALAR.fullmatch(value):
        return value
    if value[:1] in ("{", "["):
        try:
            json.loads(value)
        except ValueError:
            pass
        else:
            return value
    return json.dumps(value, ensure_ascii=False)


def _xml(value: str) -> str:
    return value.translate(_XML_ESCAPES)


def _file_name(value: str) -> str:
    return value.translate(_NAME_ESCAPES)


def _header(value: str) -> str:
    # RFC 9110 §5.5: CR, LF and NUL in a field value are replaced, or would split the message.
    return _HEADER_CONTROL.sub(" ", value)


def _cookie(value: str) -> str:
    # Scripts encode what would end the value (RFC 6265 §5.2), or else lose the rest of it.
    return _COOKIE_END.sub(lambda match: quote(match[0]), value)


def _as_it_is(value: str) -> str:
    return value


#: The encoder of each place: text in, text as it stands in the request out.
ENCODERS: Mapping[Place, Callable[[str], str]] = MappingProxyType(
    {
        Place.WHOLE_TARGET: _whole_target,
        Place.PATH: _path,
        Place.QUERY: component,
        Place.FORM: form,
        Place.JSON_STRING: json_string,
        Place.JSON: _json,
        Place.XML: _xml,
        Place.MULTIPART: _as_it_is,
        Place.FILE_NAME: _file_name,
        Place.HEADER: _header,
        Place.COOKIE: _cookie,
        Place.TEXT: _as_it_is,
    }
)


def encode(place: Place, value: str) -> str:
    """Return ``value`` as it is written in ``place``."""
    return ENCODERS[place](value)


def target_places(template: Template) -> tuple[Place, ...]:
    """Return the place of each reference of a request target, in order; in a query, see
    `query_syntax`."""
    places: list[Place] = []
    query: str | None = None
    for position, part in enumerate(template.parts):
        if isinstance(part, Reference):
            start = Place.WHOLE_TARGET if position == 0 else Place.PATH
            places.append(start if query is None else Place.QUERY)
        elif query is not None:
            query += part
        elif "?" in part:
            query = part.partition("?")[2]
        elif bool(places) and position == 1 and part.startswith("&"):
            query = part  # a value that is a whole URL may bring the "?" along
    syntax = query_syntax(query or "")
    return tuple(syntax if one is Place.QUERY else one for one in places)


def query_syntax(text: str) -> Place:
    """Return how values are written in a query with this text: as in forms (``FORM``) if it has a
    ``+``, which stands for a space, and nothing that forms would have written otherwise; else
    ``QUERY``.
    """
    return Place.FORM if "+" in text and not _NO_FORM.search(text) else Place.QUERY


def header_places(template: Template) -> tuple[Place, ...]:
    """Return the place of each reference of a header value, in order: all are ``HEADER``."""
    return (Place.HEADER,) * len(template.references)


def cookie_places(template: Template) -> tuple[Place, ...]:
    """Return the place of each reference of a cookie, in order: all are ``COOKIE``."""
    return (Place.COOKIE,) * len(template.references)


def body_places(template: Template, content_type: str) -> tuple[Place, ...]:
    """Return the place of each reference of a text body, in order; see `body_syntax`."""
    syntax = body_syntax(template, content_type)
    if syntax is Place.JSON:
        return tuple(_json_places(template))
    if syntax is Place.MULTIPART:
        return tuple(_multipart_places(template))
    return (syntax,) * len(template.references)


def body_syntax(template: Template, content_type: str) -> Place:
    """Return what a text body is written in: ``FORM``, ``MULTIPART``, ``XML``, ``JSON`` or else
    ``TEXT``. Lines of JSON are JSON.

    ``content_type`` is the request's header, empty without one. A body that is JSON counts as JSON
    although its content type says something else, or nothing, and so does XML: fetch sends
    text/plain by itself, and curl says that it is a form.
    """
    media = media_type(content_type)
    if media.startswith("multipart/"):
        return Place.MULTIPART
    if is_json(media) or media in JSON_LINES or _looks_like_json(template):
        return Place.JSON
    if is_xml(media) or _looks_like_xml(template):
        return Place.XML
    return Place.FORM if media == FORM else Place.TEXT


def _looks_like_xml(template: Template) -> bool:
    """Return whether it says that it is XML, or ends the element that it begins with."""
    first, last = (template.parts[at] if template.parts else "" for at in (0, -1))
    begins = _XML_BEGINS.match(first) if isinstance(first, str) else None
    if begins is None or begins[1] is None:
        return begins is not None
    return isinstance(last, str) and last.rstrip().endswith(f"</{begins[1]}>")


#: How a document begins, or an element that is one: group 1 is what it is called.
_XML_BEGINS = re.compile(r"\s*<(?:\?xml\b|([A-Za-z][\w:.-]*)[\s>])")


def _looks_like_json(template: Template) -> bool:
    first = template.parts[0] if template.parts else ""
    if not isinstance(first, str) or first.lstrip()[:1] not in ("{", "["):
        return False
    # A digit stands for any value: right inside a string and, as a number, outside one.
    try:
        json.loads(template.filled(lambda _: "0"))
    except ValueError:
        return False
    return True


def _json_places(template: Template) -> Iterator[Place]:
    """Yield the place of each part, following quotes and backslashes through the literal parts."""
    inside = escaped = False
    for part in template.parts:
        if isinstance(part, Reference):
            yield Place.JSON_STRING if inside else Place.JSON
            continue
        for character in part:
            if escaped:
                escaped = False
            elif character == '"':
                inside = not inside
            elif inside and character == "\\":
                escaped = True


def _multipart_places(template: Template) -> Iterator[Place]:
    """Yield the place of each part, following the lines through the literal parts."""
    line = ""
    for part in template.parts:
        if isinstance(part, str):
            line = (line + part).rpartition("\n")[2]
        else:
            named = line.lower().startswith("content-disposition:")
            yield Place.FILE_NAME if named else Place.MULTIPART

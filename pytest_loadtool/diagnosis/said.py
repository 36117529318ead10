"""What an answer says is wrong, in its own words, whoever gave it: a field's name before them where
it tells the field.

Nothing here knows an application. Formats are those of RFC 9457, RFC 6749, GraphQL, SOAP and gRPC,
and what frameworks have in common: names for messages, fields by name with their texts, alerts of
pages, headings of error pages, plain text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from itertools import islice
from urllib.parse import parse_qsl, unquote, urlsplit

from pytest_loadtool.answers.documents import spelled
from pytest_loadtool.answers.shape import kind_now
from pytest_loadtool.auth import parse_challenges
from pytest_loadtool.codec.entities import unescape
from pytest_loadtool.codec.excerpt import is_binary
from pytest_loadtool.codec.flattened import expanded
from pytest_loadtool.codec.printable import clip
from pytest_loadtool.diagnosis.page_errors import (
    LONGEST_SAID,
    MOST_SAID,
    complaints,
    error_text,
    visible_text,
)
from pytest_loadtool.model.case import Kind

#: Where documents say what is wrong, whatever their status is, the most telling first.
_MESSAGES = (
    *("errordescription", "detail", "message", "errormessage", "errormsg", "errmsg", "error"),
    *("errors", "faultstring", "defaultmessage", "usermessage", "msg", "exception", "warning"),
)
#: What says so in an error's answer alone: things have such fields, too.
_OF_ERRORS = ("reason", "description", "explanation", "info", "text", "title", "hint")
#: What names a kind of error, where nothing explains it.
_CODES = ("code", "errorcode", "errcode", "type", "status", "state")
#: What of the request is said again, and what is of the program that failed.
_ECHOES = frozenset(
    {"input", "value", "rejectedvalue", "request", "ctx", "trace", "stack", "stacktrace", "codes"}
)
#: Where a document says which field it is about: a list of names (pydantic), a pointer (RFC 9457
#: §3, JSON:API's ``source``), or its name.
_PLACES = (
    *("loc", "pointer", "source", "field", "fieldname", "property", "propertypath"),
    *("path", "param", "parameter", "attribute"),
)
#: Below these, texts stand under the names of fields, or beside ``name``.
_BY_FIELD = frozenset(
    {
        *("errors", "error", "fields", "fielderrors", "fieldviolations", "violations", "details"),
        *("invalidparams", "invalidfields", "validationerrors", "validation", "modelstate"),
    }
)
#: Names for what is about no field of its own.
_OF_ALL = frozenset({"", "nonfielderrors", "all", "base", "global", "form"})
_PHRASES = frozenset(one.phrase.lower() for one in HTTPStatus)
#: What is quoted as it is where nothing in it is known.
_TEXTS = frozenset({Kind.JSON, Kind.XML, Kind.OTHER})
_MOST_VISITED, _MOST_ITEMS, _DEEPEST = 200, 20, 4
_FAULT = re.compile(
    r"<(?:[\w-]+:)?(faultstring|text|message|reason|description|detail|title|error\w*)\b[^<>]*>"
    r"([^<>]*\w[^<>]*)</",
    re.IGNORECASE,
)
#: What PHP writes into pages by itself.
_PHP = re.compile(
    r"<b>((?:fatal |parse |recoverable )?error|warning|notice|deprecated)</b>:\s*"
    r"(.{1,500}?) in <b>",
    re.IGNORECASE | re.DOTALL,
)
_PRE = re.compile(r"<pre\b[^<>]*>\s*(.{1,500}?)(?:<br|\n|</pre)", re.IGNORECASE | re.DOTALL)
#: Other headers that say why; and those whose names only look like it.
_SAYING = re.compile(r".*(?:error|reason|message|warning|fault|problem|denied|blocked).*", re.I)
_SILENT = re.compile(
    r".*(?:report|policy|id|count|support)$|x-xss.*|access-control.*|grpc-message", re.I
)


@dataclass(frozen=True, slots=True)
class PlainAnswer:
    """An answer as it is read here."""

    status: int
    headers: tuple[tuple[str, str], ...]
    text: str

    @property
    def kind(self) -> Kind:
        """Return what its body is."""
        media = next((v for n, v in self.headers if n.lower() == "content-type"), "")
        return kind_now(media, self.text)


def said_by(reply: PlainAnswer, before: Iterable[str] = ()) -> list[str]:
    """Return what an answer says is wrong, the most telling first. Alerts that pages ``before``
    have as well are none."""
    read = (*_of_protocol(reply), *_readers(reply, before), *_in_headers(reply))
    found = [clip(one, LONGEST_SAID) for one in read]
    own = [one for one in dict.fromkeys(found) if not says_nothing(one)]
    return (own or list(dict.fromkeys(found)))[:MOST_SAID]


def says_nothing(text: str) -> bool:
    """Return whether a text says no more than the status does, or than that something failed."""
    words = _STATUS.sub("", text.rpartition(": ")[2].lower()).strip(" .!()-")
    return words in _PHRASES or _EMPTY.issuperset(re.findall(r"[^\W\d_]+", words))


#: What answers say that failed, and say nothing by it.
_EMPTY = frozenset(
    {
        *("a", "again", "an", "and", "at", "be", "been", "cannot", "complete", "could"),
        *("during", "encountered", "error", "errors", "exception", "failed", "failure"),
        *("fatal", "for", "handle", "has", "have", "http", "in", "internal", "is", "later"),
        *("not", "occured", "occurred", "of", "oops", "our", "please", "problem", "processed"),
        *("processing", "request", "response", "server", "something", "sorry", "the", "this"),
        *("to", "try", "unable", "unexpected", "unhandled", "unknown", "was", "we", "went"),
        *("were", "while", "whoops", "wrong", "your"),
    }
)
_STATUS = re.compile(r"(?:http )?(?:status|error)? ?\b\d{3}\b")


def _readers(reply: PlainAnswer, before: Iterable[str]) -> Iterator[str]:
    failed = reply.status >= 400
    read: Mapping[Kind, Callable[[str], Iterable[str]]] = {
        Kind.JSON: lambda text: _of_json(text, failed=failed),
        Kind.XML: _of_xml,
        Kind.HTML: lambda text: _of_page(text, before, failed=failed),
    }
    found = list(read[reply.kind](reply.text) if reply.kind in read else ())
    yield from found
    plain = reply.kind in _TEXTS or "<" not in reply.text
    if failed and not found and plain and reply.text and not is_binary(reply.text):
        yield visible_text(reply.text)


def _of_protocol(reply: PlainAnswer) -> Iterator[str]:
    """Yield what headers say that are made for it: challenges (RFC 6750 §3), gRPC's; and where a
    redirect leads (RFC 6749 §4.1.2.1)."""
    for name, value in reply.headers:
        match name.lower():
            case "www-authenticate":
                told = (one.parameters for one in parse_challenges([value]))
                yield from (one["error_description"] for one in told if "error_description" in one)
            case "location":
                query = parse_qsl(urlsplit(value).query)
                named = {spelled(one): text for one, text in query}
                yield from (named[one] for one in _MESSAGES if one in named)
            case "grpc-message":
                yield unquote(value)


def _in_headers(reply: PlainAnswer) -> Iterator[str]:
    """Yield what others say, by their names."""
    for name, value in reply.headers:
        if _SAYING.fullmatch(name) and not _SILENT.fullmatch(name) and value.strip():
            yield f"{name}: {unquote(value)}"


# JSON.


def _of_json(text: str, *, failed: bool) -> Iterator[str]:
    try:
        value = expanded(json.loads(text))
    except (ValueError, RecursionError):
        return
    found = sorted(islice(_said(value, failed=failed), _MOST_VISITED), key=lambda one: not one[0])
    yield from (f"{place}: {said}" if place else said for place, said in found)
    if failed and not found and isinstance(value, dict):
        codes = {spelled(name): one for name, one in value.items() if isinstance(one, str)}
        yield from (codes[one] for one in _CODES if codes.get(one))


#: What is said, behind the name of the field that it is about; empty: it is about none.
_Saying = tuple[str, str]


def _said(value: object, *, failed: bool) -> Iterator[_Saying]:
    """Yield the texts under such names, outer ones first."""
    if failed and isinstance(value, dict) and value and not _known(value):
        yield from _by_field(value, "")
    waiting: list[tuple[object, str, bool]] = [(value, "", failed)]
    for _ in range(_MOST_VISITED):
        if not waiting:
            return
        found, key, bad = waiting.pop(0)
        match found:
            case dict():
                names = {spelled(name): one for name, one in found.items()}
                about = _place(names, key)
                for name in (*_MESSAGES, *(_OF_ERRORS if bad else ())):
                    if isinstance(text := names.get(name), str) and text:
                        yield about, text
                for name, one in found.items():
                    inner = spelled(name)
                    if inner in _BY_FIELD and isinstance(one, dict) and not _known(one):
                        says = not names.keys().isdisjoint(_MESSAGES)
                        own = _by_field(one, "")
                        yield from map(_behind, own) if says else own
                    elif inner not in _ECHOES:
                        waiting.append((one, inner, bad or inner in _BY_FIELD))
            case list():
                texts = [("", one) for one in found if isinstance(one, str)]
                yield from (
                    texts[:_MOST_ITEMS] if bad and (key in _BY_FIELD or key in _MESSAGES) else ()
                )
                waiting += [(one, key, bad) for one in found[:_MOST_ITEMS]]


def _behind(said: _Saying) -> _Saying:
    """Return what is said beside a message: a word alone, such as the time of a change, tells less
    than that."""
    place, text = said
    return said if " " in text or not place else ("", f"{place}: {text}")


def _known(found: Mapping[str, object]) -> bool:
    """Return whether it has texts under the names for messages."""
    return any(
        spelled(name) in (*_MESSAGES, *_BY_FIELD)
        or (spelled(name) in (*_OF_ERRORS, *_CODES) and isinstance(one, str | int))
        for name, one in found.items()
    )


def _by_field(found: Mapping[str, object], outer: str, depth: int = 0) -> Iterator[_Saying]:
    """Yield texts that stand under the names of fields: ``{"title": ["This field is
    required."]}``."""
    for name, value in found.items():
        shown = name.removeprefix("$.")
        place = outer if spelled(name).strip("_") in _OF_ALL else f"{outer}.{shown}".lstrip(".")
        match value:
            case dict() if depth < _DEEPEST:
                yield from _by_field(value, place, depth + 1)
            case list():
                texts = [one for one in value[:_MOST_ITEMS] if isinstance(one, str)]
                yield from ((place, one) for one in texts)
            case str() if value:
                yield place, value


def _place(found: Mapping[str, object], key: str) -> str:
    """Return the field that a complaint is about, its names with dots between them; empty if it
    does not say."""
    beside = ("name",) if key in _BY_FIELD else ()
    match next((found[name] for name in (*_PLACES, *beside) if found.get(name)), None):
        case list() as names:
            return ".".join(map(str, names))
        case {"pointer": str(pointer)} | {"parameter": str(pointer)}:
            return ".".join(pointer.lstrip("#/").split("/"))
        case str(name) if not name.startswith(("/", "http")) or name == found.get("pointer"):
            return ".".join(name.lstrip("#/").split("/"))
    return ""


# XML, pages.


def _of_xml(text: str) -> Iterator[str]:
    found = [(name.lower(), unescape(said).strip()) for name, said in _FAULT.findall(text)]
    yield from (said for name, said in found if name != "title")


def _of_page(text: str, before: Iterable[str], *, failed: bool) -> Iterator[str]:
    yield from (visible_text(f"{what}: {unescape(said)}") for what, said in _PHP.findall(text))
    found = complaints(text, before)
    yield from found
    if failed and not found:
        yield from sorted(error_text(text), key=lambda one: not _is_labelled(one))
        yield from (visible_text(unescape(one)) for one in _PRE.findall(text)[:1])


def _is_labelled(text: str) -> bool:
    """Return whether it begins with what says that it is the message."""
    return spelled(text.partition(" ")[0].rstrip(":")) in (*_MESSAGES, *_OF_ERRORS)

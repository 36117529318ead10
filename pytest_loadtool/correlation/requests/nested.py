"""What is inside a value: JSON, GraphQL, an address, pairs, XML, a token in longer text.

Values nest: JSON in a form field, an address in that, a token in the address. What is found gets
the filters by which a placeholder writes it there. Base64 is another matter, as its text does not
stand in the request character by character: it is a `Capsule`, and what changes in it changes all.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pytest_loadtool.codec.batches import MESSAGE, MIXED, body_end, calls_of
from pytest_loadtool.codec.filters import BASE64, filtered
from pytest_loadtool.codec.names import is_typed_secret
from pytest_loadtool.codec.places import encode
from pytest_loadtool.correlation.classify import is_id_name, looks_random
from pytest_loadtool.correlation.requests.decoded_view import OWN_FILTER, View, decoded
from pytest_loadtool.correlation.requests.positions import (
    HOLE,
    IN_NAME,
    JOINED,
    ValueSpan,
    comparison_spans,
    graphql_spans,
    is_graphql,
    json_spans,
    pair_spans,
    shifted,
    target_spans,
    word_ids,
    xml_spans,
)
from pytest_loadtool.model.place import Place

#: How deep values are looked into.
_MOST_LEVELS = 3
#: Longer values are not looked into: view states and files.
_LONGEST_OPENED = 1 << 16
#: How many things are looked for in one value.
_MOST_INSIDE = 1000

_ADDRESS = re.compile(rf"(?:https?://|{HOLE}?/)[^\s\"'<>{{}}\\]+")
_PAIRS = re.compile(rf"\??[\w.\[\]%{HOLE}-]+=[^&=\s]*(?:&[\w.\[\]%{HOLE}-]+=[^&=\s]*)*")
_BASE64 = re.compile(r"(?:[A-Za-z0-9+/]{8,}|[A-Za-z0-9_-]{8,})={0,2}")
_TOKEN = re.compile(r"[\w\-.~+/%!]{8,}={0,2}", re.ASCII)
_SEGMENT = re.compile(r"[^/]{16,}")
#: What is before a token that is a value of an address in longer text, be that HTML or XML.
_KEY = re.compile(r"[?&](?:amp;)?([\w.\[\]-]{1,80})=$")
#: What a token that is an address without its scheme begins with, and what is before that.
_HTTP = ("http://", "https://")
#: A path that does not begin at a root: what a file is called, with its folders.
_RELATIVE = re.compile(r"(?:[\w.\- ]{3,80}/){1,8}[\w.\- ]{3,80}")
#: An address in angle brackets (RFC 4918 §10.5, RFC 8288 §3), and nothing of XML.
_BRACKETED = re.compile(r"<[A-Za-z][\w+.-]*:[^<>\s]+>[^<>]*")
#: Several ids in one value.
_COMMAS = re.compile(r"[\w-]+(?:,[\w-]+)+")
_BETWEEN = re.compile(r"[^,]+")
_STEP = re.compile(r"[^/]+")
#: Numbers of several things in one, and no day, nor a moment.
_JOINED = re.compile(r"(?!\d{4}-\d\d-\d\d\Z)\d{1,9}(?:[_:|-]\d{1,9}){1,2}")
_NUMBER = re.compile(r"\d+")
#: The id of a resource behind its kind: ``order:17``, ``urn:shop:order:17``, ``Order/17`` (FHIR),
#: ``order-2026-17``, ``#order_17``.
_TYPED = re.compile(
    r"(?:urn:(?:[\w.-]{1,40}:){0,3}|#)?([A-Za-z][A-Za-z_-]{0,29}[A-Za-z])"
    r"(?:-(?:19|20)\d\d[-/]|[:#/@_-](?=\d{1,19}\Z)|[_-](?=[\dA-Za-z-]{16,64}\Z))"
    r"([A-Za-z0-9-]{1,64})"
)
#: An id of so many characters is a number, or looks random.
_LONG = 16
#: What a field is compared by, before its value: ``id=eq.17``, ``id=in.(17,18)`` (PostgREST).
_OPERATOR = re.compile(r"(?:not\.)?(?:eq|neq|gte?|lte?|is|in|cs)\.\(?(?=[\w-])")
_WORD = re.compile(r"[\w-]+")
#: The headers of a request within another that say which state of a thing is meant.
_CONDITION = re.compile(r"^(If-(?:None-)?Match):[ \t]*([^\r\n]+?)[ \t]*\r?$", re.IGNORECASE | re.M)
#: Schemes whose credentials are computed from the request: nothing in them can be replaced.
_SIGNED = re.compile(r"(?:Digest|NTLM|Negotiate|AWS4-\S+|OAuth|Signature|Hawk)\s", re.IGNORECASE)
#: The shortest text for which base64 is taken apart, unless it is the id of a kind (Relay's global
#: ids): shorter words decode to text by chance.
_SHORTEST_TEXT = 9


@dataclass(frozen=True, slots=True)
class Capsule:
    """Base64 in a request, or in another capsule's text, by whose positions it stands there."""

    start: int
    end: int
    name: str
    filters: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class Inner:
    """A value within a value; ``start`` and ``end`` count in the innermost capsule's text."""

    start: int
    end: int
    place: Place
    name: str
    value: str
    before: str
    filters: tuple[str, ...]
    capsules: tuple[Capsule, ...]
    depth: int


def within(
    text: str, start: int, end: int, place: Place, name: str, calls: Sequence[str] = ()
) -> Iterator[Inner]:
    """Yield all values inside ``text[start:end]``, each before those that are inside it;
    placeholders among them. ``calls``: see `json_spans`."""
    if end - start <= _LONGEST_OPENED and not is_typed_secret(name):
        yield from _inside(View(text, start, end, place), name, (), (), 1, calls)


def _inside(
    view: View,
    name: str,
    filters: tuple[str, ...],
    capsules: tuple[Capsule, ...],
    depth: int,
    calls: Sequence[str] = (),
) -> Iterator[Inner]:
    text = view.text
    if depth > _MOST_LEVELS or len(text) < 2 or _SIGNED.match(text):
        return
    for count, (start, end, place, own_name, value, before) in enumerate(_spans(text, name, calls)):
        if count >= _MOST_INSIDE:
            return
        if start == end:
            continue
        own = OWN_FILTER.get(place)
        chain = (own, *filters) if own else filters
        yield Inner(
            view.at(start), view.at(end), place, own_name, value, before, chain, capsules, depth
        )
        is_whole = HOLE not in text[start:end]
        for first, last, called, stem in word_ids(text[start:end], own_name, place, before):
            yield Inner(
                view.at(start + first), view.at(start + last), place, called,
                text[start + first : start + last], before + stem, chain, capsules, depth + 1,
            )  # fmt: skip
        if (
            is_whole
            and place is not Place.TEXT
            and before != IN_NAME
            and not is_typed_secret(own_name)
        ):
            inner = View(text, start, end, place, view)
            yield from _inside(inner, own_name, chain, capsules, depth + 1)
    yield from _unpacked(view, name, filters, capsules, depth)


def _unpacked(
    view: View,
    name: str,
    filters: tuple[str, ...],
    capsules: tuple[Capsule, ...],
    depth: int,
) -> Iterator[Inner]:
    """Yield the text in base64, as a whole and what is inside it."""
    for start, end in _base64_spans(view.text):
        coding, text = _from_base64(view.text[start:end])
        if not coding:
            continue
        chain = (coding, *filters)
        capsule = Capsule(view.at(start), view.at(end), name, chain, text)
        yield Inner(capsule.start, capsule.end, Place.TEXT, name, text, "", chain, capsules, depth)
        inside = View(text, 0, len(text), Place.TEXT)
        yield from _inside(inside, name, (), (*capsules, capsule), depth + 1)


def _base64_spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield the whole text, or what follows an authentication scheme (RFC 9110 §11.4)."""
    space = text.find(" ") + 1
    if _BASE64.fullmatch(text, space):
        yield space, len(text)


def _from_base64(text: str) -> tuple[str, str]:
    """Return the filter that writes ``text``, and the text that it writes so; empty if there is
    none."""
    digits = text.rstrip("=").translate(str.maketrans("-_", "+/"))
    try:
        content = base64.b64decode(digits + "=" * (-len(digits) % 4)).decode()
    except (binascii.Error, ValueError):
        return "", ""
    short = len(content) < _SHORTEST_TEXT and not _TYPED.fullmatch(content)
    if short or not content.isprintable():
        return "", ""
    codings = (coding for coding in BASE64 if filtered(content, (coding,)) == text)
    return next(codings, ""), content


def _spans(text: str, name: str, calls: Sequence[str]) -> Iterator[ValueSpan]:
    """Yield the values in a text, by what it is written in."""
    if text.isascii() and text.isalnum():  # as most are
        return
    first = text[0]
    if is_graphql(text, name):
        yield from graphql_spans(text)
    elif first in "{[":
        try:
            json.loads(text.replace(HOLE, "0"))
        except (ValueError, RecursionError):
            return
        for start, end, place, key, value, around in json_spans(text, calls):
            own = key or (name if is_id_name(name) else "")
            yield start, end, place, own, value, around if calls or around == IN_NAME else ""
    elif first == "<" and not _BRACKETED.fullmatch(text):
        yield from xml_spans(text)
    elif _ADDRESS.fullmatch(text):
        yield from target_spans(text)
    elif _PAIRS.fullmatch(text):
        yield from _pairs(text)
    elif _COMMAS.fullmatch(text):
        for one in _BETWEEN.finditer(text):
            yield *one.span(), Place.TEXT, name, one[0], ""
    elif _RELATIVE.fullmatch(text):
        for segment in _STEP.finditer(text):
            yield *segment.span(), Place.TEXT, name, segment[0], ""
    elif " HTTP/1." in text and (sent := [*MESSAGE.finditer(text)]):
        for one in sent:
            yield from _of_message(text, one)
    elif _JOINED.fullmatch(text):
        for one in _NUMBER.finditer(text):
            yield *one.span(), Place.TEXT, "", one[0], JOINED
    elif (called := _TYPED.fullmatch(text)) and _is_id(called[2]):
        own = called[1] if is_id_name(called[1]) else f"{called[1]}_id"
        yield called.start(2), called.end(2), Place.TEXT, own, called[2], ""
    elif filtered_by := _OPERATOR.match(text):
        for one in _WORD.finditer(text, filtered_by.end()):
            yield *one.span(), Place.TEXT, name, one[0], ""
    else:
        yield from comparison_spans(text)
        yield from _tokens(text, name)


def _is_id(value: str) -> bool:
    """Return whether it is a number, short, or looks random: ``a-word-that-goes-on`` does not."""
    return value.isdigit() or len(value) < _LONG or looks_random(value)


def _of_message(text: str, sent: re.Match[str]) -> Iterator[ValueSpan]:
    """Yield the values in the address of a request, in its conditions, and in its document."""
    yield from shifted(target_spans(f"/{sent[2]}"), sent.start(2) - 1)
    for one in _CONDITION.finditer(text, *sent.span(3)):
        yield *one.span(2), Place.HEADER, one[1], one[2], ""
    body = text[sent.end() : body_end(text, sent.end())]
    if body[:1] in ("{", "["):
        (call,) = calls_of("", sent[0], MIXED)
        yield from shifted(json_spans(body, (call.called,)), sent.end())


def _pairs(text: str) -> Iterator[ValueSpan]:
    """Yield pairs within a value: a space is ``%20`` unless a ``+`` shows that forms are meant."""
    place = Place.FORM if "+" in text else Place.QUERY
    for start, end, _, name, _, before in pair_spans(text, text.startswith("?"), place):
        yield start, end, place, name, decoded(place, text[start:end]), before


def _tokens(text: str, name: str) -> Iterator[ValueSpan]:
    """Yield random tokens in longer text: ``Token abc``, ``anna:abc``, ``a|b|c``, ids between
    slashes."""
    for match in _TOKEN.finditer(text):
        if len(match[0]) < len(text) and looks_random(match[0]):
            start, end = match.span()
            key = _KEY.search(text, max(0, start - 90), start)
            if key is not None and encode(Place.QUERY, match[0]) == match[0]:
                yield start, end, Place.QUERY, key[1], match[0], ""
            else:
                yield start, end, Place.TEXT, name, match[0], ""
        if "/" in match[0]:
            place = Place.PATH if text.endswith(_HTTP, 0, match.start() + 2) else Place.TEXT
            for segment in _SEGMENT.finditer(text, *match.span()):
                value = decoded(place, segment[0])
                if segment.span() != match.span() and looks_random(value):
                    yield *segment.span(), place, name, value, ""

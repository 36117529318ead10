"""Slots: the places of a request where a value stands by itself, with the field's name.

A request is a template already: placeholders of a person stay where they are. They count as one
opaque character, so that positions in the text remain plain indexes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, replace
from itertools import islice
from urllib.parse import unquote

from pytest_loadtool.codec.filters import component, filtered
from pytest_loadtool.codec.media import media_type
from pytest_loadtool.codec.places import body_syntax, encode
from pytest_loadtool.codec.template import Reference, Template, TemplateError, escape
from pytest_loadtool.correlation.requests.nested import Capsule, within
from pytest_loadtool.correlation.requests.positions import (
    HOLE,
    IN_NAME,
    ValueSpan,
    csv_spans,
    header_spans,
    json_keys,
    json_spans,
    multipart_spans,
    pair_spans,
    target_spans,
    text_spans,
    word_ids,
    written_query,
    xml_spans,
)
from pytest_loadtool.model.case import Request
from pytest_loadtool.model.place import Place

#: Which text of a request: "target", "body", the index of a header, or of a cookie ``~index`` (-1,
#: -2, …).
Part = str | int

#: How many values of one target, header or body are looked at, and what is in these.
MOST_SLOTS = 20_000

#: Where the fields of a body are, be it a form or JSON.
FIELDS = frozenset({Place.FORM, Place.MULTIPART, Place.JSON, Place.JSON_STRING})
#: Headers that the browser writes by itself, and those computed when sent.
_NO_SLOTS = frozenset(
    {
        *("accept", "accept-charset", "accept-encoding", "accept-language", "cache-control"),
        *("connection", "content-encoding", "content-length", "content-type", "cookie", "date"),
        *("dnt", "expect", "host", "if-modified-since", "if-none-match"),
        *("keep-alive", "origin", "pragma", "priority", "range", "referer", "te", "trailer"),
        *("transfer-encoding", "upgrade", "upgrade-insecure-requests", "user-agent", "via"),
        *("x-requested-with", "soapaction"),
    }
)


@dataclass(frozen=True, slots=True)
class Slot:
    """A value in a request. ``start`` and ``end`` index the masked text of its part.

    ``value`` is decoded, ``raw`` as it stands. ``name`` is the field's; of a path segment, the
    nearest one before it that is no id. ``before`` is, of a path segment, the path that leads to
    it: ``/items/`` of the 17 in ``/items/17/edit``; of an argument in GraphQL, the field it is for:
    ``book``.
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
    root: Place = Place.TEXT
    """What encodes the value in its text; ``place`` is what it stands in, however deep."""
    filters: tuple[str, ...] = ()
    """What the value passes before ``root`` encodes it."""
    capsules: tuple[Capsule, ...] = ()
    """The base64 around it, outermost first: ``start`` and ``end`` count in the last's text."""
    depth: int = 0
    """In how many other values it stands. These come right before it."""
    nth: int = 1
    """Which of those of its name in the request it is, from 1, placeholders counted."""

    @property
    def owner(self) -> int:
        """The transaction in whose request it stands; of a header set, ``~index`` (-1, -2, …)."""
        return ~self.header_set if self.users else self.transaction

    @property
    def senders(self) -> tuple[int, ...]:
        """The transactions that send it."""
        return self.users or (self.transaction,)

    @property
    def in_cookie(self) -> bool:
        """Return whether it stands in a cookie that a script sets."""
        return isinstance(self.part, int) and self.part < 0

    @property
    def in_word(self) -> bool:
        """Return whether it stands in a word of an address, or in the name of a field."""
        in_segment = self.place is Place.PATH and bool(self.before.rpartition("/")[2])
        return in_segment or self.before == IN_NAME

    def writes(self, value: str) -> bool:
        """Return whether ``value``, through the filters, is written there as it was recorded."""
        return encode(self.root, filtered(value, self.filters)) == self.raw


@dataclass(frozen=True, slots=True)
class Masked:
    """A template's text with `HOLE` for each reference."""

    text: str
    references: tuple[Reference, ...]

    @staticmethod
    def of(template: str) -> Masked | None:
        """Return the masked template; None where it is malformed or holds the mask itself."""
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
        """Return the template with a placeholder in place of each span: a name, perhaps with
        filters."""
        own = iter(self.references)
        text = ""
        position = 0
        for start, end, name in sorted(edits):
            text += _template(self.text[position:start], own) + f"${{{name}}}"
            position = end
        return text + _template(self.text[position:], own)


def _template(masked: str, references: Iterator[Reference]) -> str:
    """Return a piece of masked text as template text again, its references the next ones in
    order."""
    literals = masked.split(HOLE)
    text = escape(literals[0])
    for literal in literals[1:]:
        text += f"{next(references)}{escape(literal)}"
    return text


def request_slots(
    request: Request,
    content_type: str,
    transaction: int,
    *,
    empty: bool = False,
    calls: Sequence[str] = (),
    codes: Set[str] = frozenset(),
) -> Iterator[Slot]:
    """Yield all slots of a request that a placeholder could take, in the order they stand; with
    ``empty``, those of named values that are empty, too. ``calls``: see `json_spans`; ``codes``:
    see `pair_spans`."""
    seen: Counter[str] = Counter()
    masked = Masked.of(request.target)
    if masked is not None:
        spans = target_spans(masked.text)
        yield from _usable(masked.text, spans, transaction, "target", seen, calls, empty=empty)
    for position, header in enumerate(request.headers):
        name = header.name.lower()
        if header.value and name not in _NO_SLOTS and not name.startswith("sec-"):
            masked = Masked.of(header.value)
            if masked is not None:
                spans = header_spans(masked.text, header.name)
                yield from _usable(masked.text, spans, transaction, position, seen)
    for position, cookie in enumerate(request.cookies):
        masked = Masked.of(cookie)
        if masked is not None:
            yield from _cookie_slots(masked.text, transaction, ~position, seen)
    if isinstance(request.body, str) and request.body:
        masked = Masked.of(request.body)
        if masked is not None:
            spans = _body(masked.text, request.body, content_type, calls, codes)
            yield from _usable(masked.text, spans, transaction, "body", seen, empty=empty)


def key_slots(request: Request, content_type: str) -> Iterator[Slot]:
    """Yield the keys of a body in JSON: what is called after what somebody typed has that there."""
    body = request.body
    masked = Masked.of(body) if isinstance(body, str) and body else None
    if masked is None or body_syntax(Template.parse(str(body)), content_type) is not Place.JSON:
        return
    yield from _usable(masked.text, json_keys(masked.text), 0, "body", Counter())


def target_slots(text: str, transaction: int, seen: Counter[str] | None = None) -> Iterator[Slot]:
    """Return the slots of a masked target: path segments, matrix parameters and query values."""
    seen = Counter() if seen is None else seen
    return _usable(text, target_spans(text), transaction, "target", seen)


def _usable(
    text: str,
    spans: Iterator[ValueSpan],
    transaction: int,
    part: Part,
    seen: Counter[str],
    calls: Sequence[str] = (),
    *,
    empty: bool = False,
) -> Iterator[Slot]:
    """Return the first spans that a placeholder could take, each with what is inside it. ``seen``
    counts their names."""
    return islice(_all_usable(text, spans, transaction, part, seen, calls, empty), MOST_SLOTS)


def _all_usable(
    text: str,
    spans: Iterator[ValueSpan],
    transaction: int,
    part: Part,
    seen: Counter[str],
    calls: Sequence[str],
    empty: bool,
) -> Iterator[Slot]:
    query = written_query(text) if part == "target" else Place.QUERY
    for start, end, place, name, value, before in spans:
        raw = text[start:end]
        root = query if place is Place.QUERY else place
        named = before == IN_NAME  # which is no field
        seen[name] += not named
        there = raw or (empty and name and place is not Place.PATH)
        if there and HOLE not in raw and _free(text, start):
            yield Slot(
                transaction, part, start, end, place, name, value, before, raw, root=root,
                depth=int(named), nth=seen[name],
            )  # fmt: skip
        for first, last, called, stem in word_ids(raw, name, place, before):
            if _free(text, start + first):
                own = raw[first:last]
                yield Slot(
                    transaction, part, start + first, start + last, place, called, own,
                    before + stem, own, root=root, depth=1, nth=seen[name],
                )  # fmt: skip
        of_calls = calls if part == "target" else ()
        for one in within(text, start, end, root, name, of_calls) if raw and not named else ():
            source = one.capsules[-1].text if one.capsules else text
            own = source[one.start : one.end]
            seen[one.name] += one.before != IN_NAME
            if HOLE not in own and _free(source, one.start):
                yield Slot(
                    transaction, part, one.start, one.end, one.place, one.name, one.value,
                    one.before, own, root=Place.TEXT if one.capsules else root,
                    filters=one.filters, capsules=one.capsules, depth=one.depth,
                    nth=seen[one.name],
                )  # fmt: skip


def _cookie_slots(text: str, transaction: int, part: Part, seen: Counter[str]) -> Iterator[Slot]:
    """Yield the value of a cookie that a script sets, with what is inside it. To rules it is a
    header's: ``Place.COOKIE`` is for cookies that responses set."""
    name, _, rest = text.partition("=")
    raw = rest.partition(";")[0]
    start = len(name) + 1
    # Most scripts percent-encode what they write, which only shows where there is a need to.
    plain = unquote(raw)
    encoded = plain != raw and component(plain) == raw
    syntax, own = (Place.QUERY, ("url",)) if encoded else (Place.COOKIE, ())
    span = (start, start + len(raw), syntax, name, plain if encoded else raw, "")
    for one in _usable(text, iter([span]), transaction, part, seen):
        if one.capsules:
            first, *inner = one.capsules
            first = replace(first, filters=(*first.filters, *own))
            yield replace(one, capsules=(first, *inner))
        else:
            place = one.place if one.depth else Place.HEADER
            yield replace(one, place=place, root=Place.COOKIE, filters=(*one.filters, *own))


def _free(text: str, start: int) -> bool:
    """Return whether a placeholder may stand there: "$" before it would read as the escape
    "$${"."""
    return start == 0 or text[start - 1] != "$"


def _body(
    text: str, template: str, content_type: str, calls: Sequence[str], codes: Set[str]
) -> Iterator[ValueSpan]:
    match body_syntax(Template.parse(template), content_type):
        case Place.FORM:
            return pair_spans(text, 0, Place.FORM, codes)
        case Place.JSON:
            return json_spans(text, calls)
        case Place.XML:
            return xml_spans(text, of_lists=True)
        case Place.MULTIPART:
            return multipart_spans(text, content_type)
        case _ if media_type(content_type) == "text/csv":
            return csv_spans(text)
        case _:
            return text_spans(text)

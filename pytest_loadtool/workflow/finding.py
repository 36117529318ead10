"""Finding a text, or a value on its way, in all that was recorded, replayed and will be sent."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal
from urllib.parse import unquote_plus

from pytest_loadtool.codec.entities import unescape
from pytest_loadtool.codec.layout import readable_json
from pytest_loadtool.codec.media import is_html, is_json, is_xml, media_type
from pytest_loadtool.codec.printable import on_one_line
from pytest_loadtool.codec.spellings import any_of, spellings
from pytest_loadtool.diagnosis.kept import matched
from pytest_loadtool.masking.text import Mask, cut
from pytest_loadtool.model.exchange import Exchange, HeaderList
from pytest_loadtool.structure.uses import sent_texts
from pytest_loadtool.workflow.document import Document
from pytest_loadtool.workflow.message_lines import LONGEST_READ, body_text
from pytest_loadtool.workflow.replays import OpenReplay, mask_for
from pytest_loadtool.workflow.variables import variable_rows

#: Characters beside a match that are shown, and matches in one place before the rest is counted.
_BESIDE, _MOST_IN_PLACE = 40, 20
_BLANKS = re.compile(r"\s+")
#: Characters on either side that are read, as blanks among them become one.
_WINDOW = 200

Where = Literal["recording", "replay", "test case"]
Part = Literal["request", "response"]


@dataclass(frozen=True, slots=True)
class FoundPlace:
    """The place where a text was found. ``index`` is that of the transaction, None for an exchange
    that is in no test case; ``place`` says where in the message: ``URL``, ``Set-Cookie``, ``body,
    line 3``.

    ``before``, ``match`` and ``after`` are what stands there, on one line and without secrets.
    ``role`` is "sets it" where an extractor takes the value, else empty.
    """

    index: int | None
    title: str
    where: Where
    part: Part
    place: str
    before: str
    match: str
    after: str
    role: str = ""


#: Texts with their places, each as it may be read.
_Texts = Iterator[tuple[FoundPlace, tuple[str, ...]]]


@dataclass(frozen=True, slots=True)
class Trace:
    """The way of a value: what it is called, the values that it had, and each place, in time."""

    name: str
    recorded: str | None
    replayed: str | None
    places: tuple[FoundPlace, ...]


def search(
    document: Document,
    opened: OpenReplay | None,
    pattern: re.Pattern[str],
    *,
    within: Sequence[str] = (),
    mask: Mask | None = None,
) -> Iterator[FoundPlace]:
    """Yield each place that has what ``pattern`` means.

    ``within`` narrows it: to parts ("request", "response"), to places ("url", "header", "body"),
    or to where ("recording", "replay", "test-case"). Without ``mask``, secrets are cut.
    """
    mask = mask or mask_for(document, opened)
    for place, texts in _everything(document, opened):
        if _is_within(place, within):
            yield from _found(place, texts, pattern, mask)


def has_place(document: Document, opened: OpenReplay | None, within: Sequence[str]) -> bool:
    """Return whether anything is ``within``, as `search` means it: a response has no URL."""
    return any(_is_within(place, within) for place, _ in _everything(document, opened))


def trace(
    document: Document, opened: OpenReplay | None, wanted: str, *, mask: Mask | None = None
) -> Trace:
    """Return where a value comes from and where it goes: a variable's by its name, or any value.

    It is found in each way that values are written in: percent-encoded, in JSON, HTML, Base64.
    """
    mask = mask or mask_for(document, opened)
    rows = list(variable_rows(document, opened))
    row = next(
        (one for one in rows if wanted == one.name),
        next((one for one in rows if wanted in (one.recorded, one.value)), None),
    )
    recorded = row.recorded if row is not None else wanted
    replayed = row.value if row is not None else wanted
    values: Mapping[Where, re.Pattern[str] | None] = {
        "recording": _written(recorded),
        "replay": _written(replayed),
        "test case": re.compile(re.escape(f"${{{row.name}")) if row else _written(wanted),
    }
    setters = row.set_by if row is not None else ()
    places = [
        _with_role(found, setters)
        for place, texts in _everything(document, opened)
        if (pattern := values[place.where]) is not None
        for found in _found(place, texts, pattern, mask)
    ]
    return Trace(row.name if row is not None else "", recorded, replayed, tuple(places))


def _written(value: str | None) -> re.Pattern[str] | None:
    """Return a pattern for a value, however it is written, as long as it stands by itself."""
    pattern = any_of(form for form in spellings(value) if form) if value else None
    return re.compile(rf"(?<![^\W_])(?:{pattern.pattern})(?![^\W_])") if pattern else None


def _with_role(place: FoundPlace, setters: Sequence[int]) -> FoundPlace:
    sets = place.part == "response" and place.index in setters
    if not sets:
        return place
    return replace(place, role="sets it")


def _everything(document: Document, opened: OpenReplay | None) -> _Texts:
    """Yield all texts there are, each with its place, and as it may be read: the recording in its
    order, the replay in that of the test case, then what the test case will send."""
    by_entry = {
        one.recorded.entry: (index, one.title)
        for index, one in enumerate(document.case.transactions())
        if one.recorded is not None and one.recorded.entry is not None
    }
    for entry, exchange in enumerate(document.exchanges):
        index, title = by_entry.get(entry, (None, f"{exchange.method} {exchange.url}"))
        yield from _texts(exchange, index, title, "recording")
    titles = [one.title for one in document.case.transactions()]
    found = matched(document.case, opened.replay) if opened is not None else {}
    for index, kept in sorted(found.items()):
        for one in (*kept.negotiation, *([kept.exchange] if kept.exchange else [])):
            yield from _texts(one, index, titles[index], "replay")
    for index, transaction in enumerate(document.case.transactions()):
        for text in sent_texts(document.case, transaction.request):
            yield _place(index, transaction.title, "test case", "request", "as it is sent"), (text,)


def _texts(exchange: Exchange, index: int | None, title: str, where: Where) -> _Texts:
    """Yield the texts of an exchange: addresses, headers, bodies."""
    yield _place(index, title, where, "request", "URL"), _readings(exchange.url)
    yield from _headers(exchange.request_headers, index, title, where, "request")
    media = exchange.request_header("content-type") or ""
    body = body_text(exchange.request_body, media)
    yield _place(index, title, where, "request", "body"), _as_read(body, media)
    if not exchange.status:
        return
    status = f"{exchange.status} {exchange.reason}"
    yield _place(index, title, where, "response", "status"), (status,)
    yield from _headers(exchange.response_headers, index, title, where, "response")
    media = exchange.response_header("content-type") or ""
    body = body_text(exchange.response_start(LONGEST_READ), media)
    yield _place(index, title, where, "response", "body"), _as_read(body, media)


def _as_read(body: str, content_type: str) -> tuple[str, ...]:
    """Return a body as it came, and as its kind is read: without percent-encoding, escapes or
    character references."""
    media = media_type(content_type)
    if "urlencoded" in media:
        return _readings(body)
    if is_json(media):
        return tuple(dict.fromkeys((body, readable_json(body))))
    if is_html(media) or is_xml(media):
        return tuple(dict.fromkeys((body, unescape(body))))
    return (body,)


def _readings(text: str) -> tuple[str, ...]:
    """Return a text as it was sent, and without its percent-encoding."""
    return tuple(dict.fromkeys((text, unquote_plus(text))))


def _headers(
    headers: HeaderList, index: int | None, title: str, where: Where, part: Part
) -> _Texts:
    for name, value in headers:
        yield _place(index, title, where, part, name), (f"{name}: {value}",)


def _place(index: int | None, title: str, where: Where, part: Part, place: str) -> FoundPlace:
    return FoundPlace(index, title, where, part, place, "", "", "")


def _is_within(place: FoundPlace, within: Sequence[str]) -> bool:
    """Return whether a place is one of those that are wanted: of each kind of narrowing, one has to
    be."""
    kind = place.place if place.place in ("body", "URL", "status") else "header"
    has = {place.part, place.where.replace(" ", "-"), kind.lower()}
    asked = (set(within).intersection(words) for words in (_PARTS, _WHERE, _KINDS))
    return all(not words or words & has for words in asked)


_PARTS = ("request", "response")
_WHERE = ("recording", "replay", "test-case")
_KINDS = ("url", "header", "body", "status")
#: What `search` can be narrowed to.
SCOPES = (*_PARTS, *_WHERE, *_KINDS)


def _found(
    place: FoundPlace, texts: Sequence[str], pattern: re.Pattern[str], mask: Mask
) -> Iterator[FoundPlace]:
    """Yield the matches in the first reading that has any."""
    text = next((one for one in texts if pattern.search(one)), "")
    secrets = sorted(mask.spans(text)) if text else []
    for count, match in enumerate(pattern.finditer(text)):
        start, end = match.span()
        if start == end:
            continue
        where = place.place
        if where == "body" and (line := text.count("\n", 0, start)):
            where = f"body, line {line + 1}"
        if count == _MOST_IN_PLACE:
            yield replace(place, place=where, match="… and more here")
            return
        shown = _excerpt(text, start, end, secrets)
        before, found, after = (on_one_line(_BLANKS.sub(" ", one)) for one in shown)
        yield replace(
            place, place=where, before=before[-_BESIDE:], match=found, after=after[:_BESIDE]
        )


def _excerpt(
    text: str, start: int, end: int, secrets: Sequence[tuple[int, int]]
) -> tuple[str, str, str]:
    """Return what stands before a match, the match and what stands behind it. Secrets are sought in
    all of the text, as a part of one is no longer known for one."""
    if any(first < end and start < last for first, last in secrets):
        return "", cut(text[start:end]), " (a secret)"
    first, last = max(0, start - _WINDOW), end + _WINDOW
    return _cut(text, first, start, secrets), text[start:end], _cut(text, end, last, secrets)


def _cut(text: str, first: int, last: int, secrets: Sequence[tuple[int, int]]) -> str:
    """Return a part of a text without the secrets in it."""
    parts, at = [], first
    for start, end in secrets:
        if at < end and start < last:
            # Of one that begins before the part, nothing is shown: it is its end that is in it.
            parts += [text[at : max(start, at)], cut(text[start:end]) if start >= first else "…"]
            at = end
    return "".join([*parts, text[at:last]])

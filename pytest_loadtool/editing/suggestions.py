"""From a text of a response to what takes it from there, or looks for it there."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from pytest_loadtool.codec.entities import unescape
from pytest_loadtool.codec.layout import readable_json
from pytest_loadtool.codec.media import is_json, media_type
from pytest_loadtool.codec.template import escape
from pytest_loadtool.correlation.producer import Producer
from pytest_loadtool.correlation.requests.slots import Slot
from pytest_loadtool.correlation.responses.links import labels_of
from pytest_loadtool.correlation.responses.markup_items import ELEMENT, items_around
from pytest_loadtool.correlation.responses.objects import inner
from pytest_loadtool.correlation.responses.producers import (
    in_response,
    in_text,
    json_leaf,
    json_leaves,
)
from pytest_loadtool.correlation.responses.recorded import RecordedResponse
from pytest_loadtool.correlation.search_budget import Searches
from pytest_loadtool.correlation.sources.synthesis import (
    Reading,
    beside,
    reproducing,
    synthesise,
)
from pytest_loadtool.correlation.strategies.replay_compare import in_links
from pytest_loadtool.extraction.extract import taken
from pytest_loadtool.extraction.json_steps import format_path
from pytest_loadtool.extraction.page import escaped_text
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.model.extractor import (
    Boundary,
    Choice,
    CookieValue,
    Decoded,
    FormField,
    HeaderValue,
    InItem,
    JsonPath,
    Link,
    RegularExpression,
    Source,
    XmlPath,
    source_templates,
    with_texts,
)
from pytest_loadtool.model.place import Place
from pytest_loadtool.model.validator import (
    JsonValidator,
    RegexValidator,
    TextValidator,
    Validator,
)
from pytest_loadtool.structure.uses import escaped

#: Those that go by the structure of a response first: it outlives a change of its text.
_RANKS = {
    kind: rank
    for rank, kind in enumerate(
        (
            *(JsonPath, XmlPath, FormField, CookieValue, HeaderValue, Link, Choice, InItem),
            *(Decoded, RegularExpression, Boundary),
        )
    )
}
#: The last match that is looked at.
_LAST_MATCH = 50
_DIGITS = re.compile(r"\d+")
_JOINED = re.compile(r"\w\w")
#: Characters on each side of a place that are kept with it.
_AROUND = 400

#: Where a value is taken from, and which match of that.
Suggested = tuple[Source, int]


@dataclass(frozen=True, slots=True)
class PickedPlace:
    """Which of the places that have a text is meant: ``number`` (from 0; -1 where that is not
    known) of ``count``, and how it is ``written`` there."""

    written: str
    number: int
    count: int


@dataclass(frozen=True, slots=True)
class ShownPlace:
    """A place that has a text, with some of what stands before and behind it."""

    place: PickedPlace
    before: str
    behind: str

    @property
    def is_word(self) -> bool:
        """Return whether no letter or digit stands next to it."""
        own = self.place.written
        return _JOINED.search(f"{self.before[-1:]}{own[:1]}") is None and (
            _JOINED.search(f"{own[-1:]}{self.behind[:1]}") is None
        )


class PlaceError(ValueError):
    """It cannot be told which of several places in a response is meant."""


def suggested_extractors(
    exchange: Exchange, text: str, place: PickedPlace | None = None
) -> tuple[Suggested, ...]:
    """Return what takes ``text`` from a response, the steadiest first; nothing if none does. Of
    several places that have it, the one that is given is meant, or else any.

    Raises:
        PlaceError: nobody knows which one that is.
    """
    other = _elsewhere(exchange, text, place)
    if other is None:
        return _suggested(RecordedResponse(exchange), text)
    recorded = RecordedResponse(exchange)
    word = re.compile(rf"(?<!\w){re.escape(text)}(?!\w)")
    return tuple(
        (source, match)
        for source, match in _suggested(*other, text)
        if taken(source, recorded, match) == text
        and (
            isinstance(source, JsonPath | XmlPath)
            or not any(map(word.search, source_templates(source)))
        )
    )


def _elsewhere(
    exchange: Exchange, text: str, place: PickedPlace | None
) -> tuple[RecordedResponse, str] | None:
    """Return the response as it would be if the text at that place alone were another, and that
    other text: what takes it there takes what stands at the place. None where the text has but one
    place.

    Raises:
        PlaceError: as `suggested_extractors`.
    """
    response = RecordedResponse(exchange)
    if place is None or not response.has_text:
        return None
    media = response.header("content-type") or ""
    body = _body_with(response, place.written)
    starts = _starts(place.written, body)
    if len(starts) < 2:
        return None
    if place.number < 0 or len(starts) != place.count:
        raise PlaceError(f"{len(starts)} places in the response have it")
    other = _other(text, body)
    written = other if place.written == text else html.escape(other)
    start = starts[place.number]
    body = body[:start] + written + body[start + len(place.written) :]
    return RecordedResponse(_with_body(exchange, media, body)), other


def _body_with(response: RecordedResponse, written: str) -> str:
    """Return the body that has the text: of JSON, if need be, with letters for escapes, as it is
    shown."""
    body = response.text
    media = response.header("content-type") or ""
    return readable_json(body) if is_json(media) and written not in body else body


def _starts(written: str, body: str) -> list[int]:
    return [found.start() for found in re.finditer(re.escape(written), body)]


def places(exchange: Exchange, text: str) -> tuple[ShownPlace, ...]:
    """Return where a text stands in the body of a response; within longer words only if it stands
    nowhere else."""
    response = RecordedResponse(exchange)
    if not text or not response.has_text:
        return ()
    spellings = dict.fromkeys((text, html.escape(text), html.escape(text, quote=False)))
    bodies = ((one, _body_with(response, one)) for one in spellings)
    written, body = next(((one, body) for one, body in bodies if one in body), (text, ""))
    starts = _starts(written, body)
    shown = [
        ShownPlace(
            PickedPlace(written, number, len(starts)),
            body[max(at - _AROUND, 0) : at],
            body[at + len(written) :][:_AROUND],
        )
        for number, at in enumerate(starts)
    ]
    return tuple(one for one in shown if one.is_word) or tuple(shown)


def _with_body(exchange: Exchange, media: str, body: str) -> Exchange:
    headers = tuple(
        (name, value) for name, value in exchange.response_headers if name.lower() != "content-type"
    )
    plain = f"{media_type(media)}; charset=utf-8"
    return exchange.changed(
        response_headers=(*headers, ("Content-Type", plain)),
        response_body=body.encode("utf-8", "replace"),
    )


def _other(text: str, body: str) -> str:
    """Return a text that the body does not have, of the same kind."""
    if text in _OPPOSITE:
        return _OPPOSITE[text]
    more = "7391" if text[-1:].isdigit() else "qzx"
    other = text + more
    while other in body:
        other += more
    return other


_OPPOSITE = {"true": "false", "false": "true"}


def _suggested(response: RecordedResponse, text: str, recorded: str = "") -> tuple[Suggested, ...]:
    """Return what takes ``text``; what stands before it goes by no text that is ``recorded`` as a
    value."""
    reading = Reading(response)
    slot = Slot(0, "body", 0, len(text), Place.TEXT, "", text, raw=text)
    found: dict[Suggested, None] = {}
    for producer in _producers(response, text):
        one = synthesise(producer, slot, reading, _LAST_MATCH)
        if one is None:
            continue
        found[one] = None
        if isinstance(one[0], Link) and one[1] > 1:
            for named in _named(response.text, producer.text, one[0], text):
                if reading.taken(named) == text:
                    found[escaped(named), 1] = None
    for source in _patterns(response, text, recorded):
        if match := reproducing(source, text, reading, _LAST_MATCH):
            found[escaped(source), match] = None

    def rank(one: Suggested) -> tuple[bool, bool, int, int, int]:
        source, match = one
        kind = _RANKS[type(source)]
        return kind >= _RANKS[Decoded], match > 1, kind, match, len(str(source))

    return tuple(sorted(found, key=rank))


def _producers(response: RecordedResponse, text: str) -> Iterator[Producer]:
    """Yield the places in the response that have the text; those of JSON whatever they are
    called."""
    for steps, value in _leaves(response):
        if value == text:
            yield json_leaf(steps, value, 0)
    for one in in_response(response, 0, {text}, {text}, Searches()):
        if one.value == text:  # of a page, all fields of a form are known together
            yield one
    if response.has_text and text in response.text:
        yield from in_links(response.text, 0, {text})
        yield from in_text(response.text, text, 0)


def _named(text: str, written: str, link: Link, value: str) -> Iterator[Source]:
    """Yield a link that is one of many, by its own text, or by one of its row: those come and
    go."""
    labels = map(unescape, labels_of(text, written))
    yield from (replace(link, label=one) for one in labels if value not in one)
    position = text.find(written)
    for item in items_around(text, position):
        around = ELEMENT.finditer(text, item.start, min(item.end + 1, len(text)))
        texts = (unescape(found[1].rstrip()) for found in around)
        yield from (InItem(link, one, item.kind) for one in texts if value not in one)


def _leaves(response: RecordedResponse) -> Iterable[tuple[tuple[str | int, ...], str]]:
    if not response.has_text:
        return ()
    try:
        return json_leaves(response.json())
    except ValueError:
        return ()


def _patterns(response: RecordedResponse, text: str, recorded: str) -> Iterator[Source]:
    """Yield a regular expression and a boundary by what stands beside the text in the body."""
    start = response.text.find(text) if response.has_text else -1
    if start < 0:
        return
    left, right = beside(response.text, start, start + len(text))
    if recorded:
        left = left.rpartition(recorded)[2]
    if left.strip() and right:
        yield RegularExpression(f"{escaped_text(left)}(.+?){escaped_text(right)}")
        yield Boundary(left, right)


def suggested_validators(
    exchange: Exchange, text: str, place: PickedPlace | None = None
) -> tuple[Validator, ...]:
    """Return what looks for ``text`` in a response: as a JSON value, at the place that is given if
    there is one, as a text, as a pattern with other numbers; nothing if it is not there.

    Raises:
        PlaceError: as `suggested_extractors`.
    """
    response = RecordedResponse(exchange)
    found: list[Validator] = []
    picked, wanted = _elsewhere(exchange, text, place) or (response, text)
    for steps, value in _leaves(picked):
        if value == wanted:
            path = with_texts(JsonPath(format_path(steps)), escape)
            assert isinstance(path, JsonPath), "it stays what it is"
            here = inner(response.json(), steps)
            found.append(JsonValidator(path.path, escape(text) if isinstance(here, str) else here))
    if response.has_text and text in response.text:
        found.append(TextValidator(escape(text)))
        if _DIGITS.search(text):
            pattern = _DIGITS.sub(lambda _: r"\d+", escaped_text(text))
            found.append(RegexValidator(pattern))
    return tuple(found)

"""From a text of a response to what takes it from there, or looks for it there."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from pytest_loadtool.codec.entities import unescape
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
from pytest_loadtool.correlation.sources.synthesis import Reading, beside, synthesise
from pytest_loadtool.correlation.strategies.replay_compare import in_links
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

#: Where a value is taken from, and which match of that.
Suggested = tuple[Source, int]


def suggested_extractors(exchange: Exchange, text: str) -> tuple[Suggested, ...]:
    """Return what takes ``text`` from a response, the steadiest first; nothing if none does."""
    response = RecordedResponse(exchange)
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
    for source in _patterns(response, text):
        if reading.taken(source) == text:
            found[escaped(source), 1] = None

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


def _patterns(response: RecordedResponse, text: str) -> Iterator[Source]:
    """Yield a regular expression and a boundary by what stands beside the text in the body."""
    start = response.text.find(text) if response.has_text else -1
    if start < 0:
        return
    left, right = beside(response.text, start, start + len(text))
    if left and right:
        yield RegularExpression(f"{escaped_text(left)}(.+?){escaped_text(right)}")
        yield Boundary(left, right)


def suggested_validators(exchange: Exchange, text: str) -> tuple[Validator, ...]:
    """Return what looks for ``text`` in a response: as a JSON value, as a text, as a pattern with
    other numbers; nothing if it is not there."""
    response = RecordedResponse(exchange)
    found: list[Validator] = []
    for steps, value in _leaves(response):
        if value == text:
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

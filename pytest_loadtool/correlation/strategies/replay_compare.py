"""Comparing a replay with the recording: where responses that came again have which values."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from pytest_loadtool.codec.multipart import as_template, pieces_of
from pytest_loadtool.codec.template import escape
from pytest_loadtool.correlation.classify import looks_random
from pytest_loadtool.correlation.index.indexing import decoded
from pytest_loadtool.correlation.index.traffic import Traffic
from pytest_loadtool.correlation.producer import Producer, Wanted
from pytest_loadtool.correlation.requests.slots import request_slots, target_slots
from pytest_loadtool.correlation.responses.encoded import Packed, Sought
from pytest_loadtool.correlation.responses.escaped import disguises
from pytest_loadtool.correlation.responses.links import links
from pytest_loadtool.correlation.responses.producers import (
    in_escapes,
    in_response,
    in_text,
    json_leaf,
    json_leaves,
)
from pytest_loadtool.correlation.responses.recorded import RecordedResponse, is_noise
from pytest_loadtool.correlation.search_budget import Searches
from pytest_loadtool.model.case import Header, Request
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.model.rule import ProducerKind

_TOKEN = re.compile(r"[\w\-.~]+", re.ASCII)


@dataclass(frozen=True, slots=True)
class Replayed:
    """The transactions that a replay sent, and what became of them, by index.

    ``exchanges`` are those that passed, ``failures`` why the others did not.
    """

    exchanges: Mapping[int, Exchange] = field(default_factory=lambda: MappingProxyType({}))
    failures: Mapping[int, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))


def places_again(
    traffic: Traffic, replayed: Replayed, wanted: frozenset[str]
) -> dict[str, list[Producer]]:
    """Return by value where it stands in the recorded responses that came again, and differ."""
    places: dict[str, list[Producer]] = {}
    random = frozenset(filter(looks_random, wanted))
    hidden = disguises(random)
    packed = Packed(wanted, random, traffic.searches, _leaves)
    sought = Sought(wanted | hidden.keys(), packed)
    for index, now in sorted(replayed.exchanges.items()):
        was = traffic.steps[index].exchange
        if was is None:
            continue
        same = was.response_body == now.response_body
        for found in in_any_place(
            RecordedResponse(was), index, sought, traffic.searches, body=not same
        ):
            for one in (found, *decoded(found, hidden), *packed.within(found)):
                places.setdefault(one.value, []).append(one)
    return places


def in_any_place(
    response: RecordedResponse, index: int, wanted: Wanted, searches: Searches, *, body: bool
) -> Iterator[Producer]:
    """Yield the wanted values in a response, but for noise; those of its body if ``body`` says
    so."""
    for one in in_response(response, index, wanted, frozenset(), searches):
        in_head = one.kind in (ProducerKind.HEADER, ProducerKind.COOKIE, ProducerKind.LOCATION)
        noise = one.kind is ProducerKind.HEADER and is_noise(one.name)
        if (in_head or body) and not noise:
            yield one
    if not body or not response.has_text:
        return
    text = response.text
    try:
        document = response.json()
    except ValueError:
        yield from in_links(text, index, wanted)
        plain = wanted.intersection(_TOKEN.findall(text))
        for value in sorted(plain):
            if searches.allow(len(text)):
                yield from in_text(text, value, index)
        yield from in_escapes(text, wanted, plain, index, searches)
        return
    yield from _leaves(document, index, wanted)


def _leaves(document: Any, index: int, wanted: Wanted) -> Iterator[Producer]:
    """Yield the wanted values of JSON, small numbers, too: what differs is no chance."""
    for steps, value in json_leaves(document):
        if value in wanted:
            yield json_leaf(steps, value, index)


def in_links(text: str, index: int, wanted: Wanted) -> Iterator[Producer]:
    """Yield the wanted values in the addresses of a page, whatever leads there."""
    for address, raw, _ in links(text):
        for span in target_slots(address.partition("#")[0], index):
            if span.value in wanted:
                yield Producer(
                    index, ProducerKind.LINK, span.name, span.value, text=raw, before=span.before
                )


def said(exchange: Exchange) -> frozenset[str]:
    """Return the values that a request had, as it was sent."""
    headers = exchange.request_headers
    media = next((value for name, value in headers if name.lower() == "content-type"), "")
    request = Request(
        exchange.method,
        escape(exchange.url),
        tuple(Header(name, escape(value)) for name, value in headers),
        as_template(pieces_of(exchange.request_body, media)),
    )
    return frozenset(one.value for one in request_slots(request, media, 0))

"""The texts of a request that hold placeholders: read, replace and render them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType

from pytest_loadtool.codec.filters import filtered
from pytest_loadtool.codec.places import (
    body_places,
    cookie_places,
    encode,
    header_places,
    target_places,
)
from pytest_loadtool.codec.template import Reference, Template, TemplateError, escape
from pytest_loadtool.correlation.requests.positions import HOLE
from pytest_loadtool.correlation.requests.slots import Part
from pytest_loadtool.model.case import Header, Request, TestCase
from pytest_loadtool.model.place import Place

#: The filters that encode as these places do, for a header that holds an address.
FILTERS_OF = MappingProxyType({Place.QUERY: "url", Place.FORM: "form"})


def header_sets(case: TestCase) -> dict[str, Request]:
    """Return the case's header sets by name, the default first, each as a request with nothing
    else."""
    sets = {"": case.headers, **case.header_sets}
    return {name: Request("", "", headers) for name, headers in sets.items()}


def with_header_sets(case: TestCase, sets: Mapping[str, Request]) -> TestCase:
    """Return the case with these header sets."""
    named = {name: one.headers for name, one in sets.items() if name}
    return replace(case, headers=sets[""].headers, header_sets=MappingProxyType(named))


def content_type(headers: Iterable[Header]) -> str:
    """Return the content type that these headers declare; empty without one."""
    declared = (one.value for one in headers if one.name.lower() == "content-type")
    return next(declared, None) or ""


def text_parts(request: Request) -> Iterator[tuple[Part, str]]:
    """Yield each part of a request that is a template, with its text."""
    yield "target", request.target
    for position, header in enumerate(request.headers):
        if header.value is not None:
            yield position, header.value
    for position, cookie in enumerate(request.cookies):
        yield ~position, cookie
    if isinstance(request.body, str):
        yield "body", request.body


def part_text(request: Request, part: Part) -> str:
    """Return the text of a part; empty where the request has no such text."""
    return dict(text_parts(request)).get(part, "")


def with_part(request: Request, part: Part, text: str) -> Request:
    """Return the request with that part's text replaced."""
    if part == "target":
        return replace(request, target=text)
    if part == "body":
        return replace(request, body=text)
    assert isinstance(part, int), "the rest are indexes of headers and cookies"
    if part < 0:
        cookies = list(request.cookies)
        cookies[~part] = text
        return replace(request, cookies=tuple(cookies))
    headers = list(request.headers)
    headers[part] = replace(headers[part], value=text)
    return replace(request, headers=tuple(headers))


def reverted(text: str, part: Part, content_type: str, values: Mapping[str, str]) -> str:
    """Return the template with each reference that has a value replaced by that value, encoded."""
    return "".join(
        escape(piece) if reference is None else str(reference)
        for piece, reference in _joined(_pieces(text, part, content_type, values))
    )


def rendered(text: str, part: Part, content_type: str, values: Mapping[str, str]) -> str:
    """Return what the template sends with those values; `HOLE` stands for every other reference."""
    return "".join(
        piece if reference is None else HOLE
        for piece, reference in _pieces(text, part, content_type, values)
    )


_Pieces = Iterator[tuple[str, Reference | None]]


def _pieces(text: str, part: Part, content_type: str, values: Mapping[str, str]) -> _Pieces:
    """Yield literal text (with None), or a reference that has no value."""
    try:
        template = Template.parse(text)
    except TemplateError:
        yield text, None
        return
    places = iter(_places(template, part, content_type))
    for piece in template.parts:
        if isinstance(piece, str):
            yield piece, None
        elif (place := next(places)) and piece.name in values:
            yield encode(place, filtered(values[piece.name], piece.filters)), None
        else:
            yield "", piece


def _joined(pieces: _Pieces) -> _Pieces:
    """Yield adjacent literals as one: together they may make a "${" that has to be escaped."""
    literal = ""
    for piece, reference in pieces:
        if reference is None:
            literal += piece
            continue
        yield literal, None
        yield "", reference
        literal = ""
    yield literal, None


def _places(template: Template, part: Part, content_type: str) -> tuple[Place, ...]:
    if part == "target":
        return target_places(template)
    if part == "body":
        return body_places(template, content_type)
    is_cookie = isinstance(part, int) and part < 0
    return cookie_places(template) if is_cookie else header_places(template)

"""Credentials and tokens: which a test case and its evidence hold, and how they get out of them.

What a person typed (passwords and the names that go with them, API keys, tokens that no response
gave out) can be moved to a dataset or to the environment. In the evidence stand-ins take the place
of these and of the tokens that responses gave out; it correlates like before.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from urllib.parse import unquote

from pytest_loadtool.codec.cookie import sent_cookies, set_cookies
from pytest_loadtool.codec.filters import UNDO, filtered
from pytest_loadtool.codec.multipart import as_template, pieces_of
from pytest_loadtool.codec.names import (
    CREDENTIALS,
    is_password,
    is_secret,
    is_typed_secret,
    secret_kinds,
)
from pytest_loadtool.codec.template import Template, escape
from pytest_loadtool.correlation.classify import (
    SWITCHES,
    is_identity_name,
    looks_like_time,
    looks_random,
    names_somebody,
)
from pytest_loadtool.correlation.requests.edits import shared
from pytest_loadtool.correlation.requests.fields import CONSTANT, Field, every_field
from pytest_loadtool.correlation.requests.parts import header_sets, text_parts
from pytest_loadtool.correlation.requests.slots import Slot, request_slots
from pytest_loadtool.correlation.responses.escaped import disguises
from pytest_loadtool.editing.bulk_edit import with_references
from pytest_loadtool.model.case import Header, Request, TestCase
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.model.place import Place
from pytest_loadtool.model.rule import NO_NAMES, NamePatterns, Rule

#: The shortest value, in characters, that is looked for wherever it may stand.
SHORTEST = 8
_DECODERS = frozenset(UNDO.values())
_HTTP_ONLY = re.compile(r";\s*httponly\s*(?:;|$)", re.IGNORECASE)
_JSON_MEMBER = re.compile(r'"([\w\[\].-]+)"\s*:\s*("(?:[^"\\]|\\.){8,}")')


@dataclass(frozen=True, slots=True)
class Typed:
    """A field of transaction ``transaction`` that holds a credential; equal values of one role have
    one ``column``: ``username``, ``password``, ``x_api_key``."""

    transaction: int
    field: Field
    column: str


def is_masked(one: Typed) -> bool:
    """Return whether traffic gets a stand-in for what a person typed; who they are stays."""
    return one.column.partition("_")[0] != "username"


def session_cookies(exchanges: Iterable[Exchange], rules: Iterable[Rule] = ()) -> NamePatterns:
    """Return the names of the cookies that carry the session or a credential, whatever their values
    look like: those that ``rules`` know, and those that are kept from scripts (RFC 6265
    §4.1.2.6)."""
    known = tuple(
        name for one in rules if Place.COOKIE in one.places for name in one.used_as.spelled
    )
    headers = (header for one in exchanges for header in one.response_headers)
    set_cookies = (line for name, line in headers if name.lower() == "set-cookie")
    hidden = (line.partition("=")[0].strip() for line in set_cookies if _HTTP_ONLY.search(line))
    return NamePatterns(tuple(dict.fromkeys((*known, *(one for one in hidden if "*" not in one)))))


def typed(case: TestCase, sessions: NamePatterns = NO_NAMES) -> tuple[Typed, ...]:
    """Return the credentials that the test case sends as constants; ``sessions`` are the cookies
    that are some by their names."""
    columns: dict[tuple[str, str], str] = {}
    found = []
    for index, fields in enumerate(every_field(case, within=True)):
        for field in _credentials(fields, sessions):
            role = _role(field)
            taken = [column for (other, _), column in columns.items() if other == role]
            name = f"{role}_{len(taken) + 1}" if taken else role
            column = columns.setdefault((role, field.value), name)
            found.append(Typed(index, field, column))
    return tuple(found)


def moved(case: TestCase, credentials: Sequence[Typed], names: Mapping[str, str]) -> TestCase:
    """Return ``case`` with a placeholder for each of them; ``names`` has the placeholder's name by
    column."""
    wanted: dict[int, list[tuple[Field, str]]] = {}
    for one in credentials:
        wanted.setdefault(one.transaction, []).append((one.field, names[one.column]))
    return with_references(case, wanted)


def captured(
    case: TestCase, exchanges: Sequence[Exchange], sessions: NamePatterns = NO_NAMES
) -> frozenset[str]:
    """Return the tokens in test case and evidence that are long enough to be known anywhere again.
    They look random, or their names say what they are: of cookies, ``sessions`` are these names."""
    values = set(_correlated(case))
    for exchange in exchanges:
        values.update(_in_exchange(exchange, sessions))
    return frozenset(
        one
        for one in values - disguises(values).keys()  # with the stand-in, that changes, too
        if len(one) >= SHORTEST and not looks_like_time(one) and "://" not in one
    )


def _correlated(case: TestCase) -> Iterator[str]:
    """Yield the recorded values of application state management's variables, decoded as requests
    do."""
    ways: dict[str, set[tuple[str, ...]]] = {}
    for one in (*header_sets(case).values(), *(one.request for one in case.transactions())):
        for _, text in text_parts(one):
            for reference in Template.parse(text).references:
                undo = tuple(takewhile(_DECODERS.__contains__, reference.filters))
                ways.setdefault(reference.name, set()).add(undo)
    for name, variable in case.variables.items():
        if variable.set_by == "asm" and variable.recorded is not None:
            values = (filtered(variable.recorded, way) for way in ways.get(name, {()}))
            yield from (one for one in values if _is_token_of(name, one))


def _credentials(fields: Sequence[Field], sessions: NamePatterns) -> Iterator[Field]:
    """Yield what a person typed: secrets, and who they are where a secret goes with it."""
    constant = [one for one in fields if one.datasource == CONSTANT and one.slot is not None]
    sent = [one for one in constant if one.section != "PATH" and one.value not in SWITCHES]
    with_password = any(is_password(one.wire_name) for one in sent)
    found: list[Slot] = []
    for field in sent:
        name = field.wire_name
        if field.section == "HEADERS" and not _within(field):
            credential = (
                name.lower() in CREDENTIALS or is_secret(name) or _is_token(field, sessions)
            )
        else:
            identity = with_password and names_somebody(name, field.value)
            credential = identity or is_secret(name)
        slot = field.slot
        if credential and slot is not None and not any(shared(slot, one) for one in found):
            found.append(slot)
            yield field


def _within(field: Field) -> bool:
    return field.slot is not None and field.slot.depth > 0


def _is_token(field: Field, sessions: NamePatterns) -> bool:
    """Return whether it is a cookie that a session may hang on: see `captured`."""
    slot = field.slot
    if slot is None or not slot.in_cookie:
        return False
    return slot.name in sessions or looks_random(slot.value)


def _role(field: Field) -> str:
    name = field.wire_name
    if is_identity_name(name):
        return "username"
    if is_password(name):
        return "password"
    return re.sub(r"\W+", "_", name).strip("_").lower()


def is_telling(value: str) -> bool:
    """Return whether a value is unlikely to stand anywhere by chance. Basic has its own
    stand-ins."""
    if value.lower().startswith("basic "):
        return False
    return len(value) >= SHORTEST and any(map(str.isdigit, value)) and any(map(str.isalpha, value))


def _is_token_of(name: str, value: str) -> bool:
    """Return whether a value under that name is a token; one that the name tells need not look
    random."""
    return looks_random(value) or (is_secret(name) and is_telling(value))


def _in_exchange(exchange: Exchange, sessions: NamePatterns) -> Iterator[str]:
    for name, value in (*exchange.request_headers, *exchange.response_headers):
        lower = name.lower()
        if lower in CREDENTIALS:
            scheme, space, credentials = value.partition(" ")
            if scheme.lower() not in ("basic", "digest", "negotiate", "ntlm"):
                yield credentials if space else value
        elif lower not in ("cookie", "set-cookie") and is_secret(name):
            yield value
    for name, value in cookies(exchange):
        if looks_random(value) or (name in sessions and is_telling(value)):
            yield value
    for slot in recorded_slots(exchange):
        named = is_secret(slot.name) and not is_typed_secret(slot.name)
        if named and _is_token_of(slot.name, slot.value):
            yield slot.value
    for name, quoted in _JSON_MEMBER.findall(_json_text(exchange)):
        if not secret_kinds(name):
            continue
        try:
            value = json.loads(quoted)
        except ValueError:
            continue
        if _is_token_of(name, value):
            yield value


def _json_text(exchange: Exchange) -> str:
    """Return the response's body if it is JSON; else nothing."""
    media = (exchange.response_header("content-type") or "").lower()
    if "json" not in media and exchange.response_start(1) not in (b"{", b"["):
        return ""
    return exchange.response_body.decode(errors="replace")


def cookies(exchange: Exchange) -> Iterator[tuple[str, str]]:
    """Yield the cookies that are sent and set, each with its name and its value."""
    for name, text in (
        *sent_cookies(exchange.request_headers),
        *set_cookies(exchange.response_headers),
    ):
        yield name, unquote(text.strip('"'))


def recorded_slots(exchange: Exchange) -> list[Slot]:
    """Return the slots of a recorded request."""
    content_type = exchange.request_header("content-type") or ""
    return list(request_slots(recorded_request(exchange), content_type, 0))


def recorded_request(exchange: Exchange) -> Request:
    """Return address, headers and body of a recorded request as templates."""
    content_type = exchange.request_header("content-type") or ""
    body = as_template(pieces_of(exchange.request_body, content_type))
    headers = tuple(Header(name, escape(value)) for name, value in exchange.request_headers)
    return Request(exchange.method, escape(exchange.url), headers, body or None)

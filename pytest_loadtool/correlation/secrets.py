"""Credentials and tokens: which a test case and its evidence hold, and how they get out of them.

What a person typed (passwords and the names that go with them, API keys, tokens that no response
gave out) can be moved to a dataset or to the environment. In the evidence stand-ins take the place
of these and of the tokens that responses gave out; it correlates like before.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from urllib.parse import unquote

from pytest_loadtool.correlation.edits import overlap, written
from pytest_loadtool.correlation.fields import CONSTANT, Field, every_field, with_references
from pytest_loadtool.correlation.looks import (
    SWITCHES,
    is_identity_name,
    is_secret_name,
    looks_like_time,
    looks_random,
)
from pytest_loadtool.correlation.parts import header_sets, text_parts, with_header_sets, with_part
from pytest_loadtool.correlation.recorded import RecordedResponse
from pytest_loadtool.correlation.slots import Part, Slot, request_slots
from pytest_loadtool.correlation.standins import Replacer, stand_ins
from pytest_loadtool.model.case import Request, TestCase
from pytest_loadtool.model.exchange import Body, Exchange, HeaderList
from pytest_loadtool.model.secret import is_secret
from pytest_loadtool.model.template import escape

__all__ = ["Typed", "captured", "masked", "moved", "typed"]

#: The shortest value, in characters, that is looked for wherever it may stand.
_SHORTEST = 8
_AUTHENTICATION = frozenset({"authorization", "proxy-authorization"})
_JSON_SECRET = re.compile(
    r'"[\w-]*(?:token|secret|passw|api_?-?key|csrf|xsrf)[\w-]*"\s*:\s*("(?:[^"\\]|\\.){8,}")', re.I
)


@dataclass(frozen=True, slots=True)
class Typed:
    """A field of transaction ``transaction`` that holds a credential; equal values of one role have
    one ``column``: ``username``, ``password``, ``x_api_key``."""

    transaction: int
    field: Field
    column: str


def typed(case: TestCase) -> tuple[Typed, ...]:
    """The credentials that the test case sends as constants."""
    columns: dict[tuple[str, str], str] = {}
    found = []
    for index, fields in enumerate(every_field(case)):
        for field in _credentials(fields):
            role = _role(field)
            taken = [column for (other, _), column in columns.items() if other == role]
            name = f"{role}_{len(taken) + 1}" if taken else role
            column = columns.setdefault((role, field.value), name)
            found.append(Typed(index, field, column))
    return tuple(found)


def moved(case: TestCase, credentials: Sequence[Typed], names: Mapping[str, str]) -> TestCase:
    """``case`` with a placeholder for each of them; ``names`` has the placeholder's name by
    column."""
    wanted: dict[int, list[tuple[Field, str]]] = {}
    for one in credentials:
        wanted.setdefault(one.transaction, []).append((one.field, names[one.column]))
    return with_references(case, wanted)


def captured(case: TestCase, exchanges: Sequence[Exchange]) -> frozenset[str]:
    """The tokens in test case and evidence that are long enough to be known anywhere again."""
    values = {
        variable.recorded
        for variable in case.variables.values()
        if variable.set_by == "asm" and variable.recorded is not None
    }
    values = {one for one in values if looks_random(one)}
    for exchange in exchanges:
        values.update(_in_exchange(exchange))
    return frozenset(
        one
        for one in values
        if len(one) >= _SHORTEST and not looks_like_time(one) and "://" not in one
    )


def masked(
    case: TestCase, exchanges: Sequence[Exchange], credentials: Sequence[Typed], key: bytes
) -> tuple[TestCase, tuple[Exchange, ...]]:
    """Test case and evidence with stand-ins for credentials and tokens.

    ``case`` is the one that the credentials were moved out of; ``key`` is what stand-ins are made
    with, random and for once.
    """
    texts = [text for one in _requests(case) for _, text in text_parts(one)]
    secret = {one.field.value for one in credentials if one.column.partition("_")[0] != "username"}
    everywhere = captured(case, exchanges) | {
        one for one in secret if _telling(one) and not any(one in text for text in texts)
    }
    made = stand_ins(everywhere, key)
    replacer = Replacer({**made, **_basic(exchanges, made, key)})
    case = _masked_case(case, replacer)
    return case, tuple(_masked_exchange(one, replacer, made, key) for one in exchanges)


def _credentials(fields: Sequence[Field]) -> Iterator[Field]:
    """What a person typed: secrets, and who they are where a secret goes with it."""
    constant = [one for one in fields if one.datasource == CONSTANT and one.slot is not None]
    sent = [one for one in constant if one.section != "PATH" and one.value not in SWITCHES]
    with_password = any(is_secret_name(_name(one)) for one in sent)
    for field in sent:
        name = _name(field)
        header = field.section == "HEADERS"
        if header:
            credential = name.lower() in _AUTHENTICATION or is_secret(name)
        else:
            identity = with_password and is_identity_name(name)
            credential = identity or is_secret(name) or is_secret_name(name)
        if credential:
            yield field


def _name(field: Field) -> str:
    return field.slot.name if field.slot is not None else field.name


def _role(field: Field) -> str:
    name = _name(field)
    if is_identity_name(name):
        return "username"
    if is_secret_name(name):
        return "password"
    return re.sub(r"\W+", "_", name).strip("_").lower()


def _telling(value: str) -> bool:
    """Whether a value is unlikely to stand anywhere by chance. Basic has its own stand-ins."""
    if value.lower().startswith("basic "):
        return False
    return len(value) >= _SHORTEST and any(map(str.isdigit, value)) and any(map(str.isalpha, value))


def _in_exchange(exchange: Exchange) -> Iterator[str]:
    for name, value in (*exchange.request_headers, *exchange.response_headers):
        lower = name.lower()
        if lower in _AUTHENTICATION:
            scheme, space, credentials = value.partition(" ")
            if scheme.lower() not in ("basic", "digest", "negotiate", "ntlm"):
                yield credentials if space else value
        elif lower == "cookie":
            yield from _cookies(value.split(";"))
        elif lower == "set-cookie":
            yield from _cookies(value.split(";")[:1])
        elif is_secret(name):
            yield value
    for slot in _slots(exchange):
        if is_secret(slot.name) and not is_secret_name(slot.name) and looks_random(slot.value):
            yield slot.value
    for quoted in _JSON_SECRET.findall(_json_text(exchange)):
        try:
            value = json.loads(quoted)
        except ValueError:
            continue
        if looks_random(value):
            yield value


def _json_text(exchange: Exchange) -> str:
    """The response's body if it is JSON; else nothing."""
    media = (exchange.response_header("content-type") or "").lower()
    if "json" not in media and exchange.response_start(1) not in (b"{", b"["):
        return ""
    return exchange.response_body.decode(errors="replace")


def _cookies(pairs: Sequence[str]) -> Iterator[str]:
    for pair in pairs:
        value = unquote(pair.partition("=")[2].strip().strip('"'))
        if looks_random(value):
            yield value


def _slots(exchange: Exchange) -> list[Slot]:
    """The slots of a recorded request."""
    content_type = exchange.request_header("content-type") or ""
    return list(request_slots(_request(exchange), content_type, 0))


def _request(exchange: Exchange) -> Request:
    """Address and body of a recorded request as templates."""
    try:
        body = escape(exchange.request_body.decode())
    except UnicodeDecodeError:
        body = ""
    return Request(exchange.method, escape(exchange.url), body=body or None)


def _basic(exchanges: Sequence[Exchange], made: Mapping[str, str], key: bytes) -> dict[str, str]:
    """For the text of each Basic authentication (RFC 7617), one with the password's stand-in."""
    pairs = {}
    for exchange in exchanges:
        scheme, _, text = (exchange.request_header("authorization") or "").partition(" ")
        if scheme.lower() != "basic":
            continue
        try:
            user, _, password = base64.b64decode(text, validate=True).decode().partition(":")
        except (binascii.Error, UnicodeDecodeError):
            continue
        instead = made.get(password) or stand_ins([password], key)[password]
        pairs[text] = base64.b64encode(f"{user}:{instead}".encode()).decode()
    return pairs


def _requests(case: TestCase) -> Iterator[Request]:
    yield from header_sets(case).values()
    for transaction in case.transactions():
        yield transaction.request


def _masked_case(case: TestCase, replacer: Replacer) -> TestCase:
    pages = tuple(
        replace(
            page,
            transactions=tuple(
                replace(one, request=_masked_request(one.request, replacer))
                for one in page.transactions
            ),
        )
        for page in case.pages
    )
    variables = {
        name: replace(one, recorded=replacer.text(one.recorded)) if one.recorded else one
        for name, one in case.variables.items()
    }
    sets = {name: _masked_request(one, replacer) for name, one in header_sets(case).items()}
    return with_header_sets(replace(case, pages=pages, variables=variables), sets)


def _masked_request(request: Request, replacer: Replacer) -> Request:
    for part, text in text_parts(request):
        changed = replacer.text(text)
        if changed != text:
            request = with_part(request, part, changed)
    return request


def _masked_exchange(
    exchange: Exchange, replacer: Replacer, made: Mapping[str, str], key: bytes
) -> Exchange:
    url, body = _hidden(exchange, made, key)
    held: bytes | Body = exchange.held_body
    if RecordedResponse(exchange).has_text:
        content = exchange.response_body
        changed = replacer.content(content)
        held = held if changed == content else changed
    return replace(
        exchange,
        url=replacer.text(url),
        request_headers=_masked_headers(exchange.request_headers, replacer),
        request_body=replacer.content(body),
        response_headers=_masked_headers(exchange.response_headers, replacer),
        response_body=held,
    )


def _hidden(exchange: Exchange, made: Mapping[str, str], key: bytes) -> tuple[str, bytes]:
    """Address and body with stand-ins in the fields for secrets, however deep they are, and for
    all values in base64, which `Replacer` does not see."""
    request, content_type = _request(exchange), exchange.request_header("content-type") or ""
    texts = dict(text_parts(request))
    uses: dict[Part, list[tuple[Slot, str]]] = {}
    for slot in _slots(exchange):
        instead = made.get(slot.value)
        if instead is None and is_secret_name(slot.name) and slot.value not in SWITCHES:
            instead = stand_ins([slot.value], key)[slot.value]
        elif not slot.capsules:
            continue
        others = uses.setdefault(slot.part, [])
        if instead is not None and not any(overlap(slot, other) for other, _ in others):
            others.append((slot, instead))
    new = {
        part: written(texts[part], part, content_type, found)
        for part, found in uses.items()
        if found
    }
    body = new["body"].encode() if "body" in new else exchange.request_body
    return new.get("target", exchange.url), body


def _masked_headers(headers: HeaderList, replacer: Replacer) -> HeaderList:
    return tuple((name, replacer.text(value)) for name, value in headers)

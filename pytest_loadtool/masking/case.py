"""Stand-ins in evidence and test case: credentials and tokens go, and it correlates like before."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from urllib.parse import quote, unquote

from pytest_loadtool.codec.filters import BASE64
from pytest_loadtool.codec.multipart import Content, charset_of, pieces_of
from pytest_loadtool.codec.names import CREDENTIALS, is_typed_secret
from pytest_loadtool.codec.template import files_of, with_files
from pytest_loadtool.correlation.classify import SWITCHES
from pytest_loadtool.correlation.requests.edits import overlap, written
from pytest_loadtool.correlation.requests.parts import (
    header_sets,
    text_parts,
    with_header_sets,
    with_part,
)
from pytest_loadtool.correlation.requests.positions import HOLE
from pytest_loadtool.correlation.requests.slots import Part, Slot
from pytest_loadtool.correlation.responses.recorded import RecordedResponse
from pytest_loadtool.masking.found_secrets import (
    SHORTEST,
    Typed,
    captured,
    cookies,
    is_masked,
    is_telling,
    recorded_request,
    recorded_slots,
)
from pytest_loadtool.masking.pseudonyms import Replacer, stand_ins
from pytest_loadtool.masking.reencode import stand_ins_within
from pytest_loadtool.masking.signatures import without_proof
from pytest_loadtool.model.case import Request, TestCase
from pytest_loadtool.model.editing import with_transactions
from pytest_loadtool.model.exchange import Body, Exchange, HeaderList
from pytest_loadtool.model.rule import NO_NAMES, NamePatterns

#: Headers of HTTP authentication (RFC 9110 §11.6, §11.7; RFC 7615): some prove a password.
_PROVING = frozenset(
    {
        *(*CREDENTIALS, "authentication-info", "proxy-authentication-info"),
        *("www-authenticate", "proxy-authenticate"),
    }
)
#: The headers with cookies, and how many of the pairs in each are some; 0: all.
_COOKIES = {"cookie": 0, "set-cookie": 1}
_COOKIE = re.compile(r"(?P<name>[^\s=;]+)=(?P<value>[^;]*)")
_Uses = dict[Part, list[tuple[Slot, str]]]


def masked(
    case: TestCase,
    exchanges: Sequence[Exchange],
    credentials: Sequence[Typed],
    key: bytes,
    sessions: NamePatterns = NO_NAMES,
) -> tuple[TestCase, tuple[Exchange, ...]]:
    """Return test case and evidence with stand-ins for credentials and tokens.

    ``case`` is the one that the credentials were moved out of; ``key`` is what stand-ins are made
    with, random and for once. ``sessions`` are the cookies that are secrets by their names.
    """
    texts = [text for one in _requests(case) for _, text in text_parts(one)]
    basic = dict(_basic(exchanges))
    typed = {one.field.value for one in credentials if is_masked(one)}
    words = {
        value
        for exchange in exchanges
        for name, value in cookies(exchange)
        if name in sessions and len(value) >= SHORTEST
    }
    secret = words | {one for one in (*typed, *basic.values()) if is_telling(one)}
    everywhere = captured(case, exchanges, sessions) | {
        one for one in secret if not any(one in text for text in texts)
    }
    made = stand_ins_within(case, exchanges, everywhere, key)
    masks = _Masks(made, Replacer({**made, **_without(basic, made, key)}), key, sessions)
    return masks.case(case), tuple(map(masks.exchange, exchanges))


@dataclass(frozen=True, slots=True)
class _Masks:
    """The stand-ins that are ``made``, what writes them, the key to make others, and the cookies
    that get one in any case."""

    made: Mapping[str, str]
    replacer: Replacer
    key: bytes
    sessions: NamePatterns

    def case(self, case: TestCase) -> TestCase:
        transactions = (
            replace(one, request=self._templates(one.request)) for one in case.transactions()
        )
        variables = {
            name: replace(one, recorded=self.replacer.text(one.recorded)) if one.recorded else one
            for name, one in case.variables.items()
        }
        sets = {name: self._templates(one) for name, one in header_sets(case).items()}
        case = with_transactions(replace(case, variables=variables), transactions)
        return with_header_sets(case, sets)

    def _templates(self, request: Request) -> Request:
        for part, text in text_parts(request):
            files = iter(files_of(text))
            changed = with_files(self.replacer.text(text), lambda _: next(files))  # noqa: B023  at once
            if changed != text:
                request = with_part(request, part, changed)
        return request

    def exchange(self, exchange: Exchange) -> Exchange:
        exchange = _sent(exchange, self._named(exchange))
        exchange = _sent(exchange, self._packed(exchange))
        held: bytes | Body = exchange.held_body
        if RecordedResponse(exchange).has_text:
            content = exchange.response_body
            changed = self.replacer.content(content)
            held = held if changed == content else changed
        sent = exchange.request_body
        without = self.replacer.content(sent)
        return exchange.changed(
            url=self.replacer.text(exchange.url),
            request_headers=self._headers(exchange.request_headers),
            request_body=exchange.held_request if without == sent else without,
            response_headers=self._headers(exchange.response_headers),
            response_body=held,
        )

    def _named(self, exchange: Exchange) -> _Uses:
        """Return the values of fields for secrets, however deep they are, and all known values in
        base64, which the replacer does not see."""
        uses: _Uses = {}
        for slot in recorded_slots(exchange):
            instead = self.made.get(slot.value) if slot.capsules else None
            if instead is None and is_typed_secret(slot.name) and slot.value not in SWITCHES:
                instead = self._stand_in(slot.value)
            others = uses.setdefault(slot.part, [])
            if instead is not None and not any(overlap(slot, other) for other, _ in others):
                others.append((slot, instead))
        return uses

    def _packed(self, exchange: Exchange) -> _Uses:
        """Return whole texts in base64 that have a known value within them."""
        uses: _Uses = {}
        for slot in recorded_slots(exchange):
            if not slot.capsules and slot.filters and slot.filters[0] in BASE64:
                changed = self.replacer.text(slot.value)
                if changed != slot.value:
                    uses.setdefault(slot.part, []).append((slot, changed))
        return uses

    def _headers(self, headers: HeaderList) -> HeaderList:
        return tuple((name, self._header(name.lower(), value)) for name, value in headers)

    def _header(self, name: str, value: str) -> str:
        if name in _PROVING:
            value = without_proof(value, self._stand_in)
        elif name in _COOKIES:
            value = _COOKIE.sub(self._cookie, value, count=_COOKIES[name])
        return self.replacer.text(value)

    def _cookie(self, pair: re.Match[str]) -> str:
        """Replace a cookie's value that is short, or a word, here alone."""
        value = pair["value"]
        if pair["name"] not in self.sessions or value in SWITCHES:
            return pair[0]
        if self.replacer.text(value) != value:
            return pair[0]
        plain = unquote(value)
        made = self._stand_in(plain)
        return f"{pair['name']}={made if plain == value else quote(made)}"

    def _stand_in(self, value: str) -> str:
        return self.made.get(value) or stand_ins([value], self.key)[value]


def _sent(exchange: Exchange, uses: _Uses) -> Exchange:
    """Return the exchange with these values in the slots of its request."""
    request = recorded_request(exchange)
    texts, content_type = dict(text_parts(request)), exchange.request_header("content-type") or ""
    headers = list(exchange.request_headers)
    for part, found in uses.items():
        if not found:
            continue
        text = written(texts[part], part, content_type, found)
        if part == "target":
            exchange = exchange.changed(url=text)
        elif part == "body":
            exchange = exchange.changed(request_body=_body(exchange, text, content_type))
        elif isinstance(part, int):
            headers[part] = (headers[part][0], text)
    return exchange.changed(request_headers=tuple(headers))


def _body(exchange: Exchange, text: str, content_type: str) -> bytes:
    """Return the body with this text, in which `HOLE` stands for each content that is none."""
    body = exchange.request_body
    pieces = pieces_of(body, content_type)
    contents = [body[one.start : one.end] for one in pieces if isinstance(one, Content)]
    charset = charset_of(body, content_type) or "utf-8"
    texts = (one.encode(charset) for one in text.split(HOLE))
    return b"".join(one for pair in zip(texts, (*contents, b""), strict=True) for one in pair)


def _basic(exchanges: Sequence[Exchange]) -> Iterator[tuple[str, str]]:
    """Yield the text of each Basic authentication (RFC 7617), with the password in it."""
    sent = (exchange.request_header(name) or "" for exchange in exchanges for name in CREDENTIALS)
    for scheme, _, text in (value.partition(" ") for value in sent):
        if scheme.lower() == "basic":
            with suppress(binascii.Error, UnicodeDecodeError):
                yield text, base64.b64decode(text, validate=True).decode().partition(":")[2]


def _without(basic: Mapping[str, str], made: Mapping[str, str], key: bytes) -> dict[str, str]:
    """Return for the text of each Basic authentication one with the password's stand-in."""
    pairs = {}
    for text, password in basic.items():
        user = base64.b64decode(text).decode().partition(":")[0]
        instead = made.get(password) or stand_ins([password], key)[password]
        pairs[text] = base64.b64encode(f"{user}:{instead}".encode()).decode()
    return pairs


def _requests(case: TestCase) -> Iterator[Request]:
    yield from header_sets(case).values()
    for transaction in case.transactions():
        yield transaction.request

"""The secrets that a message carries: whatever echoes them, they are the same."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol
from urllib.parse import unquote, unquote_plus

from pytest_loadtool.codec.entities import unescape
from pytest_loadtool.codec.names import is_secret
from pytest_loadtool.masking.text import secret_fields
from pytest_loadtool.model.exchange import Exchange

#: The shortest that is looked for elsewhere, in characters; of cookies, since many hold a setting.
_SHORTEST, _SHORTEST_COOKIE = 6, 8
#: What is typed where nothing is at stake, and what fields are called: hiding it would hide these.
_NAMES = frozenset({"password", "passwd", "passphrase", "passcode", "secret", "credentials"})

Headers = Iterable[tuple[str, str]]


class Answered(Protocol):
    """A response, as far as it is read here."""

    @property
    def request(self) -> bytes:
        """The request as sent."""

    @property
    def headers(self) -> Sequence[tuple[bytes, bytes]]:
        """Header lines as received."""


def carried_by(response: Answered) -> Iterator[str]:
    """Yield the secrets of a request as it was sent, and those that its response sets."""
    head, _, body = response.request.partition(b"\r\n\r\n")
    line, *lines = head.decode("utf-8", "replace").split("\r\n")
    headers = [one.partition(": ")[::2] for one in lines]
    set_ = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in response.headers]
    yield from _carried(line, [*headers, *set_], body)


def recorded_in(exchange: Exchange) -> Iterator[str]:
    """Yield the credentials that a recorded exchange carries."""
    headers = (*exchange.request_headers, *exchange.response_headers)
    yield from _carried(exchange.url, headers, exchange.request_body)


def _carried(target: str, headers: Headers, body: bytes) -> Iterator[str]:
    found = [one for name, value in headers for one in _in_header(name.lower(), value)]
    for text in (target, body.decode("utf-8", "replace")):
        for value in secret_fields(text):
            found += _as_meant(value)
    yield from (one for one in found if len(one) >= _SHORTEST and one.lower() not in _NAMES)


def _as_meant(value: str) -> Iterator[str]:
    """Yield a value as it stands in a body, and as it is read there: in a form, in JSON, in XML."""
    yield from (value, unquote_plus(value), unescape(value))
    if "\\" in value:
        try:
            yield str(json.loads(f'"{value}"', strict=False))
        except ValueError:
            return


def _in_header(name: str, value: str) -> Iterator[str]:
    if name in ("authorization", "proxy-authorization"):
        scheme, space, credentials = value.partition(" ")
        yield credentials if space else value
        if scheme.lower() == "basic":
            yield _password(credentials)
    elif name in ("cookie", "set-cookie"):
        pairs = value.split(";")[: None if name == "cookie" else 1]
        values = (pair.partition("=")[2].strip().strip('"') for pair in pairs)
        yield from (form for one in values if len(one) >= _SHORTEST_COOKIE for form in _forms(one))
    elif is_secret(name):
        yield value
    else:
        yield from secret_fields(value)


def _forms(cookie: str) -> tuple[str, str]:
    return cookie, unquote(cookie)


def _password(credentials: str) -> str:
    """Return the password in Basic credentials (RFC 7617); empty if these are none."""
    try:
        text = base64.b64decode(credentials, validate=True).decode(errors="replace")
    except binascii.Error:
        return ""
    return text.partition(":")[2]

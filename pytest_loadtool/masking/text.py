"""Secrets in texts that people and CI systems keep: only their beginning is shown.

What counts as one: credentials and cookies in headers; fields whose name says so, in a query, a
form, JSON, XML, multipart or HTML; and values that the caller names.

It also has what was sent and received, without its secrets.

It also has the secrets of a test case: values from outside, and passwords in whatever form they go.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from pytest_loadtool.auth.credentials import Credentials
from pytest_loadtool.codec.filters import filtered
from pytest_loadtool.codec.names import is_secret
from pytest_loadtool.codec.spellings import any_of, spellings
from pytest_loadtool.codec.template import Template
from pytest_loadtool.model.authentication import Identity, Proxy
from pytest_loadtool.model.case import TestCase
from pytest_loadtool.model.exchange import Exchange, HeaderList

if TYPE_CHECKING:
    from pytest_loadtool.correlation.requests.fields import Field


def secrets_of(case: TestCase, values: Mapping[str, str]) -> Iterator[str]:
    """Yield the secrets of a test case, of whose placeholders the ``values`` are these: a user's,
    or those that all users begin with."""
    for variable in case.variables.values():
        if variable.env or variable.keyring:
            yield values.get(variable.name, "")
    accounts: list[Identity | Proxy] = [*case.identities]
    if case.proxy is not None:
        accounts.append(case.proxy)
    for one in accounts:
        username, password, domain = (_rendered(text, values) for text in one.templates)
        if password:
            yield password
            login = Credentials(username, password, domain).login
            yield b64encode(f"{login}:{password}".encode()).decode()


def _rendered(text: str, values: Mapping[str, str]) -> str:
    return Template.parse(text).filled(lambda one: filtered(values.get(one.name, ""), one.filters))


#: How much of a secret is shown, and how long it must be for that much to say little about it.
_SHOWN, _LONG = 4, 8

#: Where a named value stands: groups ``name`` and ``value``; without ``name``, a secret anyhow.
_FIELDS = tuple(
    re.compile(pattern, re.IGNORECASE | re.DOTALL)
    for pattern in (
        # query and form; the name may be percent-encoded
        r"(?:^|[?&])(?P<name>[^=&?\s<>\"']{1,80})=(?P<value>[^&\s\"'<>]+)",
        # JSON
        r'"(?P<name>(?:[^"\\\n]|\\.){1,80})"\s*:\s*(?:"(?P<value>(?:[^"\\]|\\.)+)"|(?P<number>\d+))',
        # multipart/form-data: what follows the part's empty line
        r'form-data;[^\n]*\bname="(?P<name>[^"\n]{1,80})"[^\n]*\n(?:[^\r\n]+\r?\n){0,8}\r?\n'
        r"(?P<value>.{1,10000}?)(?=\r?\n--)",
        # XML
        r"<(?:\w+:)?(?P<name>[\w.-]{1,80})(?:\s[^<>]*)?>(?P<value>[^<>]+)</",
        # HTML form controls, whichever attribute comes first
        r"<input\b(?=[^<>]*\bname=[\"']?(?P<name>[^\"'\s<>]+))[^<>]*?\bvalue=[\"'](?P<value>[^\"'<>]+)",
        r"<input\b(?=[^<>]*\btype=[\"']?password\b)[^<>]*?\bvalue=[\"'](?P<value>[^\"'<>]+)",
    )
)


def cut(value: str) -> str:
    """Return what is shown of a secret: a long one's first four characters, nothing of a short one.
    What was cut stays as it is."""
    if value.endswith("…") and len(value) <= _SHOWN + 1:
        return value
    return (value[:_SHOWN] if len(value) > _LONG else "") + "…"


#: A password that is also a word. Hidden wherever it stands, it would change what a page says, and
#: give itself away by the gap.
_PLAIN = re.compile(r"[^\W\d_]{1,12}")
#: Where such a word stands as a value.
_AS_VALUE = r"(?<=[=:\"'>/])(?:{})(?=[&\"'<;,@\s]|$)"


def _more_spellings(value: str) -> Iterator[str]:
    """Yield how a text is written in JSON of ASCII alone, and in the midst of what is base64, as a
    password is behind a user's name: what no byte before it or behind it has a part in."""
    yield json.dumps(value)[1:-1]
    data = value.encode("utf-8", "replace")
    for before in range(3):
        text = b64encode(bytes(before) + data).decode()
        own = text[-(-before * 8 // 6) : (before + len(data)) * 8 // 6]
        if len(own) > _LONG:
            yield from (own, own.translate(_URL_SAFE))


_URL_SAFE = str.maketrans("+/", "-_")


class Mask:
    """Hides what must not be shown; ``values`` are secrets wherever they stand. One that is a plain
    word is hidden where it stands as a value, and not in the midst of a sentence."""

    __slots__ = ("_values", "_words")

    def __init__(self, values: Iterable[str] = ()) -> None:
        known = set(values) - {""}
        words = set(filter(_PLAIN.fullmatch, known))
        forms = {form for value in known for form in (*spellings(value), *_more_spellings(value))}
        self._values = any_of(forms - words)
        as_value = _AS_VALUE.format("|".join(sorted(words, key=len, reverse=True)))
        self._words = re.compile(as_value) if words else None

    def value(self, name: str, value: str) -> str:
        """Return the value of a field or placeholder of that name."""
        return cut(value) if is_secret(name) else self.text(value)

    def known(self, text: str) -> str:
        """Return a text, of which only the values are hidden that this was made with."""
        for pattern in (self._values, self._words):
            if pattern is not None:
                text = pattern.sub(lambda match: cut(match[0]), text)
        return text

    def text(self, text: str) -> str:
        """Return a text, masked: a body, a target, a header value."""
        text = self.known(text)
        for pattern in _FIELDS:
            text = pattern.sub(_masked_field, text)
        return text

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield where secrets stand in a text: where each begins and ends."""
        for pattern in (self._values, self._words):
            if pattern is not None:
                yield from (match.span() for match in pattern.finditer(text))
        yield from _secret_spans(text)

    def field(self, one: Field) -> str:
        """Return the value of a field of a request; as it is where it tells what sends one."""
        if one.is_cookie and "${" not in one.value:
            return cut(one.value)
        if one.slot is None or "${" in one.value:
            return one.value
        masked = self.header if one.section == "HEADERS" else self.value
        return masked(one.wire_name, one.value)

    def header(self, name: str, value: str) -> str:
        """Return a header's value."""
        special = _HEADERS.get(name.lower())
        return special(value) if special else self.value(name, value)


BY_NAME = Mask()
"""Hides what is a secret by its name alone."""


class Unmasked(Mask):
    """Hides nothing."""

    __slots__ = ()

    def text(self, text: str) -> str:
        """Return the text as it is."""
        return text

    def spans(self, text: str) -> Iterator[tuple[int, int]]:  # noqa: ARG002 - none, in any
        """Yield nothing."""
        yield from ()

    def value(self, name: str, value: str) -> str:  # noqa: ARG002 - whatever its name is
        """Return the value as it is."""
        return value

    def header(self, name: str, value: str) -> str:  # noqa: ARG002 - whatever its name is
        """Return the value as it is."""
        return value

    def field(self, one: Field) -> str:
        """Return its value as it is."""
        return one.value


def secret_fields(text: str) -> Iterator[str]:
    """Yield the values in a text that their names say are secrets, as they stand there."""
    for start, end in _secret_spans(text):
        yield text[start:end]


def _secret_spans(text: str) -> Iterator[tuple[int, int]]:
    for pattern in _FIELDS:
        for match in pattern.finditer(text):
            if group := _secret(match):
                yield match.span(group)


def _secret(match: re.Match[str]) -> str:
    """Return the group of a field's value that is a secret; empty if it is none."""
    groups = match.groupdict()
    if "name" in groups and not is_secret(groups["name"]):
        return ""
    return "value" if groups["value"] is not None else "number"


def _masked_field(match: re.Match[str]) -> str:
    group = _secret(match)
    if not group:
        return match[0]
    start, end = (position - match.start() for position in match.span(group))
    return match[0][:start] + cut(match[group]) + match[0][end:]


def _authorization(value: str) -> str:
    scheme, space, credentials = value.partition(" ")
    return f"{scheme} {cut(credentials)}" if space else cut(value)


def _cookies(value: str) -> str:
    return "; ".join(_cookie(one) for one in value.split("; "))


def _cookie(pair: str) -> str:
    name, equals, value = pair.partition("=")
    return f"{name}={cut(value)}" if equals and value else pair


def _set_cookie(value: str) -> str:
    pair, semicolon, attributes = value.partition(";")
    return _cookie(pair) + semicolon + attributes


_HEADERS: Mapping[str, Callable[[str], str]] = MappingProxyType(
    {
        "authorization": _authorization,
        "proxy-authorization": _authorization,
        "cookie": _cookies,
        "set-cookie": _set_cookie,
    }
)


def without_secrets(exchange: Exchange, mask: Mask) -> Exchange:
    """Return the exchange with its secrets cut as ``mask`` cuts them. A body that is no text stays
    as it is."""
    return exchange.changed(
        url=mask.text(exchange.url),
        request_headers=_headers(exchange.request_headers, mask),
        request_body=_body(exchange.request_body, mask),
        response_headers=_headers(exchange.response_headers, mask),
        response_body=_body(exchange.response_body, mask),
        error=mask.text(exchange.error),
    )


def _headers(headers: HeaderList, mask: Mask) -> HeaderList:
    return tuple((name, mask.header(name, value)) for name, value in headers)


def _body(body: bytes, mask: Mask) -> bytes:
    try:
        return mask.text(body.decode()).encode()
    except UnicodeDecodeError:
        return body

"""Secrets in texts that people and CI systems keep: only their beginning is shown.

What counts as one: credentials and cookies in headers; fields whose name says so, in a query, a
form, JSON, XML, multipart or HTML; and values that the caller names.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Mapping
from types import MappingProxyType
from urllib.parse import quote, quote_plus

from pytest_loadtool.model.secret import is_secret

__all__ = ["Mask", "is_secret", "spellings"]

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


def _shortened(value: str) -> str:
    """A long secret's first four characters; nothing of a short one."""
    return (value[:_SHOWN] if len(value) > _LONG else "") + "…"


class Mask:
    """Hides what must not be shown; ``values`` are secrets wherever they stand."""

    __slots__ = ("_values",)

    def __init__(self, values: Collection[str] = ()) -> None:
        forms = {form for value in values if value for form in spellings(value)}
        # The longest first: one may be a part of another.
        alternatives = "|".join(re.escape(form) for form in sorted(forms, key=len, reverse=True))
        self._values = re.compile(alternatives) if alternatives else None

    def value(self, name: str, value: str) -> str:
        """The value of a field or placeholder of that name."""
        return _shortened(value) if is_secret(name) else self.text(value)

    def text(self, text: str) -> str:
        """Any text: a body, a target, a header value."""
        if self._values is not None:
            text = self._values.sub(lambda match: _shortened(match[0]), text)
        for pattern in _FIELDS:
            text = pattern.sub(_masked_field, text)
        return text

    def header(self, name: str, value: str) -> str:
        """A header's value."""
        special = _HEADERS.get(name.lower())
        return special(value) if special else self.value(name, value)


def spellings(value: str) -> set[str]:
    """How a value is written in the places that placeholders land in."""
    in_json = json.dumps(value, ensure_ascii=False)[1:-1]
    return {value, quote(value, errors="replace"), quote_plus(value, errors="replace"), in_json}


def _masked_field(match: re.Match[str]) -> str:
    groups = match.groupdict()
    if "name" in groups and not is_secret(groups["name"]):
        return match[0]
    group = "value" if groups["value"] is not None else "number"
    start, end = (position - match.start() for position in match.span(group))
    return match[0][:start] + _shortened(match[group]) + match[0][end:]


def _authorization(value: str) -> str:
    scheme, space, credentials = value.partition(" ")
    return f"{scheme} {_shortened(credentials)}" if space else _shortened(value)


def _cookies(value: str) -> str:
    return "; ".join(_cookie(one) for one in value.split("; "))


def _cookie(pair: str) -> str:
    name, equals, value = pair.partition("=")
    return f"{name}={_shortened(value)}" if equals and value else pair


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

"""Filters: how a placeholder's value is rewritten before it is encoded for its place.

``${name|filter|filter}`` applies them from left to right. They carry a value in an encoding that
its place does not imply: a JSON string within a form field, a token within base64. Each is total:
what a decoder cannot decode passes as it is, and the server shows what it thinks of it.

It also has encodings that places of a request and filters of a placeholder have in common.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable, Mapping
from html import escape
from types import MappingProxyType
from urllib.parse import quote, quote_plus

from pytest_loadtool.codec.decoding import base64_text, script_string, unquoted
from pytest_loadtool.codec.entities import unescape

# A lone surrogate, which JSON can hold and UTF-8 cannot, is sent as "?" rather than not at all.
# ECMA-262 encodeURIComponent, which is how scripts build queries.
_COMPONENT = "-._~!*'()"
# WHATWG URL §5: what the application/x-www-form-urlencoded serialiser leaves alone, "~" not.
_FORM = "*-._"


def component(value: str) -> str:
    """Return the value as ECMAScript's ``encodeURIComponent`` writes it: a space is ``%20``."""
    return quote(value, safe=_COMPONENT, errors="replace")


def form(value: str) -> str:
    """Return the value as browsers encode forms: a space is ``+``."""
    # quote() counts "~" as safe; the form serialiser does not.
    return quote_plus(value, safe=_FORM, errors="replace").replace("~", "%7E")


def json_string(value: str) -> str:
    """Return the value as JSON.stringify writes it, without the quotes: only quotes, backslashes
    and controls are escaped."""
    return json.dumps(value, ensure_ascii=False)[1:-1]


def _bytes(value: str) -> bytes:
    return value.encode(errors="replace")


def _base64(value: str) -> str:
    return base64.b64encode(_bytes(value)).decode()


def _base64url(value: str) -> str:
    return _base64url_padded(value).rstrip("=")


def _base64url_padded(value: str) -> str:
    return base64.urlsafe_b64encode(_bytes(value)).decode()


def _s256(value: str) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(_bytes(value)).digest()).decode().rstrip("=")


def _unbase64(value: str) -> str:
    text = base64_text(value)
    return value if text is None else text


#: By name:
#:
#: * ``url``: as ECMAScript's ``encodeURIComponent``; ``form``: as browsers encode forms (WHATWG URL
#:   §5.2); ``json``: within a JSON string (RFC 8259 §7); ``html``: with character references;
#: * ``base64``: RFC 4648 §4; ``base64url``: RFC 4648 §5 without padding, ``base64url-padded`` with;
#: * ``s256``: the code challenge of a code verifier (RFC 7636 §4.2);
#: * ``unurl``, ``unjson`` (as scripts read strings), ``unhtml``, ``unbase64`` (either alphabet,
#:   padded or not): the way back.
FILTERS: Mapping[str, Callable[[str], str]] = MappingProxyType(
    {
        "url": component,
        "form": form,
        "json": json_string,
        "html": escape,
        "base64": _base64,
        "base64url": _base64url,
        "base64url-padded": _base64url_padded,
        "s256": _s256,
        "unurl": unquoted,
        "unjson": script_string,
        "unhtml": unescape,
        "unbase64": _unbase64,
    }
)

#: The filters that write base64, which one decodes.
BASE64 = ("base64", "base64url", "base64url-padded")

#: By filter: the one that takes it back.
UNDO: Mapping[str, str] = MappingProxyType(
    {
        "url": "unurl",
        "json": "unjson",
        "html": "unhtml",
        **dict.fromkeys(BASE64, "unbase64"),
    }
)


def filtered(value: str, filters: tuple[str, ...]) -> str:
    """Return ``value`` after these filters, from left to right."""
    for name in filters:
        value = FILTERS[name](value)
    return value

"""Encodings that places of a request and filters of a placeholder have in common."""

from __future__ import annotations

import json
from urllib.parse import quote, quote_plus

# A lone surrogate, which JSON can hold and UTF-8 cannot, is sent as "?" rather than not at all.
# ECMA-262 encodeURIComponent, which is how scripts build queries.
_COMPONENT = "-._~!*'()"
# WHATWG URL §5: what the application/x-www-form-urlencoded serialiser leaves alone, "~" not.
_FORM = "*-._"


def component(value: str) -> str:
    """As ECMAScript's ``encodeURIComponent`` does it: a space is ``%20``."""
    return quote(value, safe=_COMPONENT, errors="replace")


def form(value: str) -> str:
    """As browsers encode forms: a space is ``+``."""
    # quote() counts "~" as safe; the form serialiser does not.
    return quote_plus(value, safe=_FORM, errors="replace").replace("~", "%7E")


def json_string(value: str) -> str:
    """As JSON.stringify does it, without the quotes: only quotes, backslashes and controls."""
    return json.dumps(value, ensure_ascii=False)[1:-1]

"""Character sets of bodies, as their Content-Type declares them (RFC 9110 §8.3.2)."""

from __future__ import annotations

import re

__all__ = ["declared_charset", "decoded"]

_CHARSET = re.compile(r"charset\s*=\s*[\"']?([A-Za-z0-9_.:-]+)", re.IGNORECASE)


def declared_charset(content_type: str) -> str:
    """The charset parameter; empty without one."""
    found = _CHARSET.search(content_type)
    return found[1] if found else ""


def decoded(body: bytes, content_type: str) -> str:
    """The body as text: UTF-8 where nothing is declared, Latin-1 where that is unknown."""
    try:
        return body.decode(declared_charset(content_type) or "utf-8", "replace")
    except LookupError:
        return body.decode("latin-1")

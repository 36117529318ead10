"""Decodings: what a client reads in a text that a response holds in base64 or another encoding.

Unlike filters they are strict: what is not in the encoding decodes to nothing.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Mapping
from html import unescape
from types import MappingProxyType
from urllib.parse import unquote

__all__ = ["DECODINGS", "base64_text", "token_payload"]

_STANDARD = str.maketrans("-_", "+/")


def base64_text(text: str) -> str | None:
    """The UTF-8 text that is base64 here (RFC 4648 §4 or §5), padded or not; None if it is none.

    White space (RFC 2045 §6.8) and percent-encoding, which cannot be part of it, are passed over.
    """
    if "%" in text:
        text = unquote(text)
    digits = "".join(text.split()).rstrip("=").translate(_STANDARD)
    try:
        return base64.b64decode(digits + "=" * (-len(digits) % 4), validate=True).decode()
    except (binascii.Error, ValueError):
        return None


def token_payload(text: str) -> str | None:
    """The claims of a JSON web token, unverified, as clients read them (RFC 7519 §3)."""
    parts = text.split(".")
    return base64_text(parts[1]) if len(parts) == 3 and parts[1] else None


def _unquoted(text: str) -> str:
    return unquote(text, errors="replace")


#: By the names that extractors call them.
DECODINGS: Mapping[str, Callable[[str], str | None]] = MappingProxyType(
    {"base64": base64_text, "jwt": token_payload, "url": _unquoted, "html": unescape}
)

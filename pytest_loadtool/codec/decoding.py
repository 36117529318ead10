"""Decodings: what a client reads in a text that a response holds in base64 or another encoding.

Unlike filters they are strict: what is not in the encoding decodes to nothing.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from urllib.parse import unquote

from pytest_loadtool.codec.entities import unescape

_STANDARD = str.maketrans("-_", "+/")
#: RFC 8259 §7; and ``\xHH`` and ``\'``, which scripts in pages may have (ECMA-262 §12.9.4).
_ESCAPE = re.compile(r"""\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|([bfnrt"'/\\]))""")
_NAMED_ESCAPES = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}


def base64_text(text: str) -> str | None:
    """Return the UTF-8 text that is base64 here (RFC 4648 §4 or §5), padded or not; None if it is
    none.

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
    """Return the claims of a JSON web token, unverified, as clients read them (RFC 7519 §3)."""
    parts = text.split(".")
    return base64_text(parts[1]) if len(parts) == 3 and parts[1] else None


def unquoted(text: str) -> str:
    """Return the text percent-decoded; what is not UTF-8 becomes U+FFFD."""
    return unquote(text, errors="replace")


def script_string(text: str) -> str:
    """Return a string of JSON, without its quotes, as scripts read it."""
    decoded = _ESCAPE.sub(_unescaped, text)
    if decoded.isascii():
        return decoded
    # A character beyond U+FFFF is written as two surrogates.
    return decoded.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _unescaped(found: re.Match[str]) -> str:
    code = found[1] or found[2]
    return chr(int(code, 16)) if code else _NAMED_ESCAPES.get(found[3], found[3])


#: By the names that extractors call them.
DECODINGS: Mapping[str, Callable[[str], str | None]] = MappingProxyType(
    {
        "base64": base64_text,
        "jwt": token_payload,
        "url": unquoted,
        "html": unescape,
        "json": script_string,
    }
)

"""Words, sizes and bodies."""

from __future__ import annotations

import re

from pytest_loadtool.codec.media import declared_charset
from pytest_loadtool.codec.multipart import is_multipart, shown
from pytest_loadtool.console.views.line import Kind

_TEXTUAL = re.compile(
    r"^(?:text/|application/(?:[\w.-]+\+)?(?:json|xml|javascript|graphql))|urlencoded", re.I
)

#: Characters of a body that are shown unless all of it is asked for.
BODY_LIMIT = 4000


def status_kind(status: str) -> Kind:
    """Return the kind that a status is of."""
    return {"2": "good", "4": "bad", "5": "bad"}.get(status[:1], "")  # type: ignore[return-value]


def size(number: int) -> str:
    """Return a number of bytes in at most four digits: ``512 B``, ``4.1 kB``, ``12 MB``."""
    amount = float(number)
    for unit in ("B", "kB", "MB"):
        if amount < 1000:
            return f"{amount:.1f} {unit}" if unit != "B" and amount < 10 else f"{amount:.0f} {unit}"
        amount /= 1000
    return f"{amount:.1f} GB"


def body_text(content: bytes, content_type: str) -> str | None:
    """Return a body as text, or None if it is not text in the charset that it declares."""
    try:
        text = content.decode(declared_charset(content_type) or "utf-8")
    except (LookupError, UnicodeError):
        return content.decode("utf-8", "replace") if _TEXTUAL.search(content_type) else None
    return None if "\0" in text else text


def body(content: bytes, content_type: str, *, limit: int | None = BODY_LIMIT) -> str:
    """Return a body for reading: its text up to ``limit`` characters, or what it is if it is not
    text."""
    if not content:
        return "(no body)"
    show = shown if is_multipart(content_type) else body_text
    text = show(content, content_type)
    if text is None:
        return f"({size(len(content))} of {content_type or 'an undeclared type'})"
    if limit is None or len(text) <= limit:
        return text
    return f"{text[:limit]}\n… {len(text) - limit} more characters; --full shows all"

"""Text that others wrote, as it may be shown and kept: printable, serialisable, on one line."""

from __future__ import annotations

import re

# C0 and C1 controls but for tab and newline: a body must not steer the terminal. And U+FEFF, which
# cannot be seen.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ufeff]")
_CONTROL_OR_LINE = re.compile(r"[\x00-\x1f\x7f-\x9f\ufeff]")


def printable(text: str) -> str:
    """Return ``text`` with control characters written as escapes and lone surrogates as ``?``."""
    return _shown(_CONTROL, text.replace("\r\n", "\n"))


def on_one_line(text: str) -> str:
    """Return the text as `printable` does, with tabs and line ends written as escapes, too."""
    return _shown(_CONTROL_OR_LINE, text)


def _shown(hidden: re.Pattern[str], text: str) -> str:
    return hidden.sub(_escape, text).encode("utf-8", "replace").decode()


def _escape(found: re.Match[str]) -> str:
    return f"\\x{ord(found[0]):02x}"


def clip(text: str, limit: int) -> str:
    """Return ``text`` on one line, cut to ``limit`` characters; white space is collapsed."""
    text = " ".join(text.split())
    return text if len(text) <= limit else text[: limit - 1] + "…"

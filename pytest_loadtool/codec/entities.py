"""Character references of HTML, however they are written."""

from __future__ import annotations

import html
import re

#: Characters that markup may write with a reference.
WRITTEN = re.compile("[&<>\"']")
#: Of a number: as many digits as tell that no character has it (0x10FFFF), without zeros before.
_NUMBER = re.compile("&#(?=[0-9])0*+([0-9]{0,8})[0-9]*+")


def unescape(text: str) -> str:
    """Return ``text`` without its character references (WHATWG HTML §13.2.5.72), as `html.unescape`
    does.

    That raises ValueError for a number of more than 4,300 digits, which Python does not convert.
    """
    try:
        return html.unescape(text)
    except ValueError:
        return html.unescape(_NUMBER.sub(r"&#0\1", text))


def in_markup(wanted: str, text: str) -> bool:
    """Return whether ``text`` has ``wanted`` as it is, or with character references."""
    if wanted in text or "&" not in text or not WRITTEN.search(wanted):
        return wanted in text
    return max(WRITTEN.split(wanted), key=len) in text and wanted in unescape(text)


def as_written(wanted: str, text: str) -> str:
    """Return ``wanted`` as ``text`` has it first, as it is or with character references."""
    if wanted in text or not in_markup(wanted, text):
        return wanted
    found = re.search("".join(map(_spellings, wanted)), text)
    return found[0] if found is not None else wanted


def _spellings(character: str) -> str:
    plain, code = re.escape(character), ord(character)
    if not WRITTEN.fullmatch(character):
        return plain
    name = html.escape(character)[1:-1].partition("#")[0] or "apos"
    return f"(?:{plain}|&(?:{name}|#0*{code}|#[xX]0*(?i:{code:x}));)"


def are_in_order(first: str, last: str, text: str) -> bool:
    """Return whether ``text`` has ``first`` and behind it ``last``, as they are or with character
    references."""
    for written in (text, unescape(text)) if "&" in text else (text,):
        at = written.find(first)
        if at >= 0 and written.find(last, at + len(first)) >= 0:
            return True
    return False


def times_in_markup(wanted: str, text: str) -> int:
    """Return how many times ``text`` has ``wanted``, as it is or with character references."""
    return (unescape(text) if "&" in text and WRITTEN.search(wanted) else text).count(wanted)

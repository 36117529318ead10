"""Character references of HTML, however they are written."""

from __future__ import annotations

import html
import re

__all__ = ["unescape"]

#: Of a number: as many digits as tell that no character has it (0x10FFFF), without zeros before.
_NUMBER = re.compile("&#(?=[0-9])0*+([0-9]{0,8})[0-9]*+")


def unescape(text: str) -> str:
    """``text`` without its character references (WHATWG HTML §13.2.5.72), as `html.unescape` does.

    That raises ValueError for a number of more than 4,300 digits, which Python does not convert.
    """
    try:
        return html.unescape(text)
    except ValueError:
        return html.unescape(_NUMBER.sub(r"&#0\1", text))

"""What Python's `re` understands of a regular expression."""

from __future__ import annotations

import warnings
from re import _constants as op  # type: ignore[attr-defined]
from re import _parser  # type: ignore[attr-defined]
from typing import Any

__all__ = ["Node", "op", "parsed"]

#: One of the codes in ``op``, and what it is of: characters, numbers, further nodes.
Node = tuple[Any, Any]


def parsed(pattern: str) -> Any:
    """Return its nodes, in a sequence whose ``state`` has the flags. They are private to Python,
    which has no public ones, and the same from 3.11 to 3.14.

    Raises:
        re.error: it is no regular expression.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return _parser.parse(pattern)

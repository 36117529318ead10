"""Names of fields, however they are spelled."""

from __future__ import annotations

import re

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


def words_of(name: str) -> list[str]:
    """Return the words of a name: ``userId``, ``user_id`` and ``user[id]`` have ``user`` and
    ``id``."""
    return [word.lower() for word in _WORD.findall(name)]


def plain(name: str) -> str:
    """Return a name without its spelling: ``userId``, ``user_id`` and ``user[id]`` → ``user
    id``."""
    return " ".join(words_of(name))

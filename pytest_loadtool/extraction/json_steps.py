"""The steps to a value of JSON, and how a path writes them."""

from __future__ import annotations

import re

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class OwnKey(str):
    """The key of an object, as what stands there: in paths it is asked for as ``*~``."""

    __slots__ = ()


class Column(str):
    """The name of a column, as the key of a row's fields: in paths it is its place ``at`` in the
    row, which is an array."""

    at: int

    def __new__(cls, name: str, at: int) -> Column:
        """Return the column of that name, ``at`` which place (from 0)."""
        made = super().__new__(cls, name)
        made.at = at
        return made

    def __getnewargs__(self) -> tuple[str, int]:  # type: ignore[override]
        return str(self), self.at


def format_path(steps: tuple[str | int, ...]) -> str:
    """Return the path with those keys and indexes, from the root: ``$.items[0].id``."""
    text = "$"
    for step in steps:
        if isinstance(step, int):
            text += f"[{step}]"
        elif isinstance(step, Column):
            text += f"[{step.at}]"
        elif isinstance(step, OwnKey):
            text += ".*~"
        elif _NAME.fullmatch(step):
            text += f".{step}"
        else:
            quote = '"' if "'" in step else "'"
            text += f"[{quote}{step}{quote}]"
    return text

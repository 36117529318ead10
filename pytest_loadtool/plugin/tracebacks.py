"""Tracebacks that may be shown and kept: what our own functions hold is not in them.

Requests, values and credentials of virtual users are plain texts in their variables and arguments.
pytest prints the arguments always, and the variables with ``--showlocals``.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

_PACKAGE = Path(__file__).parent.parent
#: This room sets fixtures up, and what these hold is their authors' business.
_PLUGIN = Path(__file__).parent


def without_values(representation: Any) -> Any:
    """Return what pytest makes of an exception, without the arguments and variables of our
    functions, and of all that these have called. An exception that another one caused may begin
    below them."""
    tracebacks = [one for one, *_ in getattr(representation, "chain", ())]
    every: list[Sequence[Any]] = [getattr(one, "reprentries", ()) for one in tracebacks]
    started = any(_is_replay(entry) for entries in every for entry in entries)
    for entries in every:
        below = started and not any(map(_is_replay, entries))
        for entry in entries:
            below = below or _is_replay(entry)
            if below or _is_in(entry, _PACKAGE):
                entry.reprlocals = entry.reprfuncargs = None
    return representation


def _is_replay(entry: Any) -> bool:
    return _is_in(entry, _PACKAGE) and not _is_in(entry, _PLUGIN)


def _is_in(entry: Any, folder: Path) -> bool:
    location = getattr(entry, "reprfileloc", None)
    return location is not None and folder in Path(location.path).absolute().parents

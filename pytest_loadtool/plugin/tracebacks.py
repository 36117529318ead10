"""Tracebacks that may be shown and kept: what our own functions hold is not in them.

Requests, values and credentials of virtual users are plain texts in their variables and arguments.
pytest prints the arguments always, and the variables with ``--showlocals``.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

__all__ = ["without_values"]

_PACKAGE = Path(__file__).parent.parent


def without_values(representation: Any) -> Any:
    """What pytest makes of an exception, without arguments and variables from the first of our own
    functions on. An exception that another one caused may have begun below them."""
    tracebacks = [one for one, *_ in getattr(representation, "chain", ())]
    entries = [getattr(one, "reprentries", ()) for one in tracebacks]
    if any(any(map(_is_ours, one)) for one in entries):
        for one in entries:
            _strip(one)
    return representation


def _strip(entries: Iterable[Any]) -> None:
    entries = list(entries)
    first = next((at for at, one in enumerate(entries) if _is_ours(one)), 0)
    for entry in entries[first:]:
        entry.reprlocals = entry.reprfuncargs = None


def _is_ours(entry: Any) -> bool:
    location = getattr(entry, "reprfileloc", None)
    return location is not None and _PACKAGE in Path(location.path).absolute().parents

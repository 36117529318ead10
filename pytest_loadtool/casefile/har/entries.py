"""The entries of a HAR file together: each is an exchange, however little of it can be read."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

from pytest_loadtool.casefile.har.table import EntryError
from pytest_loadtool.errors import FileError
from pytest_loadtool.model.exchange import Exchange


def converted(convert: Callable[[Any], Exchange], entry: Any, index: int) -> Exchange:
    """Return what ``convert`` makes of an entry; of one that it refuses an exchange that only says
    why, without method and URL: those behind it keep their numbers."""
    try:
        return convert(entry)
    except EntryError as error:
        key = f"log.entries[{index}]" + (f".{error.key}" if error.key else "")
        return Exchange(math.nan, 0.0, "", "", "", (), lost=(f"{key}: {error}",))


def all_told(exchanges: Iterable[Exchange], path: str) -> tuple[Exchange, ...]:
    """Return the exchanges of a whole file; one without a start gets that of the one before it, or
    of the first that has one.

    Raises:
        FileError: there are some, and nothing of any is left.
    """
    found = tuple(exchanges)
    if found and all(one.lost and not one.url for one in found):
        key, _, message = found[0].lost[0].partition(": ")
        raise FileError(path, 0, key, message)
    latest = next((one.started for one in found if not math.isnan(one.started)), 0.0)
    timed = []
    for one in found:
        latest = latest if math.isnan(one.started) else one.started
        timed.append(one if one.started == latest else one.changed(started=latest))
    return tuple(timed)

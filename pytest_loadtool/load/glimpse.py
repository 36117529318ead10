"""How a run is getting on, from the workers' latest snapshots.

A live view needs a few numbers each second. Reading them off the snapshots costs about half of
taking a run's metrics apart and merging all of them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field

from pytest_loadtool.load.histogram import Histogram

__all__ = ["Glimpse", "glimpse"]


@dataclass(slots=True)
class Glimpse:
    """All requests so far, their errors, response times (in microseconds) and status codes.

    ``causes`` counts failures by their cause. ``users`` are at work now; the rates are of each
    worker's last whole second.
    """

    users: int = 0
    requests: int = 0
    errors: int = 0
    requests_per_second: int = 0
    errors_per_second: int = 0
    response: Histogram = field(default_factory=Histogram)
    statuses: dict[int, int] = field(default_factory=dict)
    causes: dict[str, int] = field(default_factory=dict)


def glimpse(snapshots: Iterable[tuple[bytes, bool]]) -> Glimpse:
    """From each worker's latest snapshot, and whether the worker is still running.

    Workers' snapshots are of slightly different moments, so each adds the rate of its own last
    whole second. One that has finished or was lost adds nothing to users and rates.
    """
    seen = Glimpse()
    for snapshot, running in snapshots:
        wire = json.loads(snapshot)
        for statuses, errors, *_, response in filter(None, wire["transactions"]):
            for status, count in zip(*statuses, strict=True):
                seen.statuses[status] = seen.statuses.get(status, 0) + count
            seen.errors += errors
            seen.response.merge_wire(response)
        for _, cause, _, count, *_ in wire["errors"][1:]:
            seen.causes[cause] = seen.causes.get(cause, 0) + count
        if running:
            seen.users += wire["users"]
            seen.requests_per_second += wire["last_requests"]
            seen.errors_per_second += wire["last_errors"]
    seen.requests = sum(seen.statuses.values())
    return seen

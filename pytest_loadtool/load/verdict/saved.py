"""A run as it is kept to be compared with later ones. People edit files: what comes back from one
is checked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pytest_loadtool.load.metrics.course import Stretch
from pytest_loadtool.load.metrics.histogram import Histogram
from pytest_loadtool.load.metrics.metrics import LoadMetrics
from pytest_loadtool.load.metrics.timeline import MOST_INTERVALS, Timeline

_FORMAT = 1

_ENDLESS = 1e9  # seconds: no run takes that long
_TOO_LARGE = 1 << 60  # for a number of a timeline, which has 64 bits
_TIMELINE_ROW = 6  # numbers of one of its intervals

Key = tuple[str, str, str]
"""Names of a transaction's case and page, and its own, which is numbered if it comes again."""

ALL: Key = ("", "", "all requests")
"""What stands for all transactions together."""


@dataclass(frozen=True, slots=True)
class SavedRequests:
    """The numbers that are kept of one transaction, or of all: counts, and response times in
    microseconds."""

    requests: int
    errors: int
    response: Histogram

    def to_wire(self) -> list[Any]:
        """Return builtin types only."""
        return [self.requests, self.errors, self.response.to_wire()]


@dataclass(frozen=True, slots=True)
class SavedRun:
    """One run of a load test. ``load`` is what it was made under, in a sentence; ``started`` is ISO
    8601; ``outcome`` that of its verdict."""

    name: str
    load: str
    started: str
    outcome: str
    duration_s: float
    requests: Mapping[Key, SavedRequests]
    """By transaction, and under `ALL` in total."""
    timeline: Timeline | None = field(default=None, compare=False)
    """What happened when; None: the file is older than that."""
    waited_us: int | None = field(default=None, compare=False)
    """How long those who made the load waited for a processor; None: the file is older."""

    @property
    def waited_per_request_ms(self) -> float | None:
        """Return for how long they did for each request."""
        requests = self.requests[ALL].requests
        if self.waited_us is None or not requests:
            return None
        return self.waited_us / requests / 1000

    @property
    def transactions(self) -> tuple[Key, ...]:
        """Return all but the total, in the order of the metrics."""
        return tuple(key for key in self.requests if key != ALL)

    @classmethod
    def of(
        cls,
        name: str,
        load: str,
        started: str,
        outcome: str,
        metrics: LoadMetrics,
        stretches: Iterable[Stretch] = (),
    ) -> SavedRun:
        """Return what is kept of these metrics, which came in these equal ``stretches``."""
        keys = (
            (key.case, key.page, title)
            for key, title in zip(
                metrics.transaction_keys, metrics.transaction_names(), strict=True
            )
        )
        measured = zip((ALL, *keys), (metrics.total(), *metrics.transactions), strict=True)
        requests = {
            key: SavedRequests(one.requests, one.errors, one.response) for key, one in measured
        }
        seconds = metrics.elapsed_us / 1e6
        timeline, length = Timeline(), 1
        for one in stretches:
            length, times = one.length, (one.response.total, one.longest_us)
            timeline.add(one.second, one.requests, one.errors, one.user_seconds, *times)
        timeline, waited = timeline.of_length(length), metrics.waited_us
        return cls(name, load, started, outcome, seconds, requests, timeline, waited)

    def to_wire(self) -> dict[str, Any]:
        """Return builtin types only."""
        return {
            "format": _FORMAT,
            "name": self.name,
            "load": self.load,
            "started": self.started,
            "verdict": self.outcome,
            "duration_s": self.duration_s,
            "requests": [[*key, *one.to_wire()] for key, one in self.requests.items()],
            **({"timeline": self.timeline.to_wire()} if self.timeline is not None else {}),
            **({"waited_us": self.waited_us} if self.waited_us is not None else {}),
        }

    @classmethod
    def from_wire(cls, wire: Any) -> SavedRun:
        """Return the run that `to_wire` described.

        Raises:
            ValueError: it is not one, or it is from another version of this program. The text
                begins with the key that is wrong, if it is not the whole.
        """
        if not isinstance(wire, dict):
            raise ValueError(f"expected a saved run, got {_shown(wire)}")
        if wire.get("format") != _FORMAT:
            raise ValueError("it was saved by another version of pytest-loadtool")
        for key, (expected, is_right) in _KEYS.items():
            if key not in wire:
                raise ValueError(f"{key}: it is missing")
            if not is_right(wire[key]):
                raise ValueError(f"{key}: expected {expected}, got {_shown(wire[key])}")
        if "waited_us" in wire and not _is_count(wire["waited_us"]):
            raise ValueError(f"waited_us: expected a number, got {_shown(wire['waited_us'])}")
        requests = dict(_row(number, row) for number, row in enumerate(wire["requests"]))
        if ALL not in requests:
            raise ValueError(f"requests: the row of {ALL[-1]!r} is missing")
        return cls(
            wire["name"],
            wire["load"],
            wire["started"],
            wire["verdict"],
            float(wire["duration_s"]),
            requests,
            _timeline(wire["timeline"]) if "timeline" in wire else None,
            wire.get("waited_us"),
        )


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_count(value: Any) -> bool:
    return type(value) is int and value >= 0


def _is_duration(value: Any) -> bool:
    return type(value) in (int, float) and 0 <= value < _ENDLESS


#: What the keys of a saved run have to be.
_KEYS: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "name": ("text", _is_text),
    "load": ("text", _is_text),
    "started": ("text", _is_text),
    "verdict": ("text", _is_text),
    "duration_s": ("a number of seconds", _is_duration),
    "requests": ("a list", lambda value: isinstance(value, list)),
}

#: And what stands in a row of its requests.
_COLUMNS: tuple[tuple[str, Callable[[Any], bool]], ...] = (
    ("the name of a test case", _is_text),
    ("the name of a page", _is_text),
    ("the name of a transaction", _is_text),
    ("a number of requests", _is_count),
    ("a number of errors", _is_count),
    ("response times", lambda value: isinstance(value, list)),
)


def _row(number: int, row: Any) -> tuple[Key, SavedRequests]:
    place = f"requests[{number}]"
    if not isinstance(row, list) or len(row) != len(_COLUMNS):
        raise ValueError(f"{place}: expected a list of {len(_COLUMNS)}, got {_shown(row)}")
    for column, (value, (expected, is_right)) in enumerate(zip(row, _COLUMNS, strict=True)):
        if not is_right(value):
            raise ValueError(f"{place}[{column}]: expected {expected}, got {_shown(value)}")
    case, page, name, requests, errors, times = row
    if errors > requests:
        raise ValueError(f"{place}: it has {errors} errors in {requests} requests")
    response = _histogram(times)
    if response is None or response.count != requests:
        raise ValueError(f"{place}[5]: these are not the response times of {requests} requests")
    return (case, page, name), SavedRequests(requests, errors, response)


def _histogram(wire: list[Any]) -> Histogram | None:
    """Return what `Histogram.to_wire` described, or None if it did not."""
    try:
        response = Histogram.from_wire(wire)
        counts = [count for _, _, some in wire[3:] for count in some]
    except (ArithmeticError, LookupError, TypeError, ValueError):
        return None
    is_one = response.to_wire() == wire and all(map(_is_count, counts))
    return response if is_one else None


def _timeline(wire: Any) -> Timeline:
    """Return the timeline that `Timeline.to_wire` described.

    Raises:
        ValueError: it is none.
    """
    if not isinstance(wire, list) or not all(map(_are_counts, wire)):
        raise ValueError("timeline: expected lists of whole numbers")
    lengths = [len(row) for row in wire]
    if (
        lengths[:1] != [1]
        or not {*lengths[1:]} <= {_TIMELINE_ROW}
        or not 1 <= wire[0][0] < _TOO_LARGE
        or any(number >= MOST_INTERVALS for number, *_ in wire[1:])
    ):
        raise ValueError("timeline: this is not what --load-save writes there")
    return Timeline.from_wire(wire)


def _are_counts(row: Any) -> bool:
    return isinstance(row, list) and all(_is_count(one) and one < _TOO_LARGE for one in row)


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 else text[:39] + "…"

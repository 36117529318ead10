"""The load configuration."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["CaseShare", "LoadConfiguration", "ThinkTime"]


@dataclass(frozen=True, slots=True)
class CaseShare:
    """A test case file (relative to the load configuration's) and its weight among the users."""

    file: str
    weight: int = 1


@dataclass(frozen=True, slots=True)
class ThinkTime:
    """Recorded think times times ``scale``, each at most ``cap`` seconds. Scale 0: none."""

    scale: float = 1.0
    cap: float | None = None


@dataclass(frozen=True, slots=True)
class LoadConfiguration:
    """Who does what for how long. Times are in seconds; ``duration`` includes ``ramp_up``.

    ``max_error_rate`` is the share of failed requests, 0 to 1, that the run is allowed. ``grace``
    is how long after ``duration`` a virtual user may take to finish its iteration. ``timeout``
    bounds one request, from connecting to the last byte.
    """

    name: str
    cases: tuple[CaseShare, ...]
    users: int
    duration: float
    ramp_up: float = 0.0
    think_time: ThinkTime = ThinkTime()
    max_error_rate: float = 0.0
    grace: float = 30.0
    timeout: float = 60.0
    keep_connections: bool = False
    """Whether a virtual user keeps its connections from one iteration to the next."""
    server: str = ""
    """Replaces the test cases' own server, if given."""

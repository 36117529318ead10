"""The load configuration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from itertools import accumulate
from types import MappingProxyType
from typing import Any, Literal

from pytest_loadtool.model.bandwidth import Bandwidth
from pytest_loadtool.model.threshold import Threshold

BODY_LIMIT = 64 << 20
"""The largest body of a response (in bytes, as received) that is kept, unless said otherwise."""

#: What a virtual user does after a failed transaction: go on, begin its next iteration, or nothing
#: more at all.
OnError = Literal["continue", "stop iteration", "stop user"]


@dataclass(frozen=True, slots=True)
class Distribution:
    """Durations in seconds, always the same or drawn at random.

    ``parameters`` are for ``constant`` the duration; for ``uniform`` the least and the greatest;
    for ``normal`` (of which only what is not negative is drawn) the mean and the standard
    deviation; for ``exponential`` the mean.
    """

    kind: Literal["constant", "uniform", "normal", "exponential"]
    parameters: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class ThinkTime:
    """Recorded think times times ``scale``, each at most ``cap`` seconds. Scale 0: none.

    With ``drawn``, a duration of that distribution after every page in place of what was recorded.
    """

    scale: float = 1.0
    cap: float | None = None
    drawn: Distribution | None = None


@dataclass(frozen=True, slots=True)
class Stage:
    """A stretch of the run: ``duration`` seconds with so many users, or arrivals per second.

    The number is reached evenly over the first ``ramp`` seconds, from that of the stage before (or
    from none), and then kept.
    """

    duration: float
    ramp: float = 0.0
    users: int | None = None
    rate: float | None = None

    @property
    def level(self) -> float:
        """Return its users, or its arrivals per second."""
        level = self.rate if self.users is None else self.users
        assert level is not None
        return level


@dataclass(frozen=True, slots=True)
class Schedule:
    """The times at which users begin iterations. Times are in seconds; ``duration`` includes
    ``ramp_up``.

    The closed model has ``users`` that begin one iteration after the other, each at most
    ``iterations`` of them; ``duration`` is None when nothing else ends it. The open model (`open`)
    begins ``rate`` iterations per second with at most ``users`` at once. With ``stages`` either
    changes over time; ``users`` is then the most of them and ``duration`` that of all. All that
    begins ``start`` seconds after the run does.
    """

    users: int
    duration: float | None
    ramp_up: float = 0.0
    iterations: int | None = None
    rate: float | None = None
    arrivals: Literal["even", "poisson"] = "even"
    patience: float = 0.0
    """How long an arrival that finds all users busy waits for one, before it is dropped."""
    stages: tuple[Stage, ...] = ()
    pacing: Distribution | None = None
    """How long after its begin of an iteration a user begins the next one."""
    start: float = 0.0

    @property
    def open(self) -> bool:
        """Return whether it says how many iterations begin, and not how many users there are."""
        return self.rate is not None or any(stage.rate is not None for stage in self.stages)

    @property
    def end(self) -> float | None:
        """Return when the last iteration may begin, in seconds after the run does; None: at any
        time."""
        return None if self.duration is None else self.start + self.duration


@dataclass(frozen=True, slots=True)
class CaseShare:
    """A test case file (relative to the load configuration's) and its weight among the users of
    those cases that have no ``schedule`` of their own."""

    file: str
    weight: int = 1
    schedule: Schedule | None = None


@dataclass(frozen=True, slots=True)
class Population:
    """Users that share a schedule: their test cases, by number, with the weights of these.
    ``first`` is the number of the first user in the whole load."""

    schedule: Schedule
    cases: tuple[int, ...]
    weights: tuple[int, ...]
    first: int


#: The percentiles of times that are told unless a load configuration asks for others.
PERCENTILES = (50.0, 90.0, 95.0, 99.0)


@dataclass(frozen=True, slots=True)
class Override:
    """The value of a configuration's ``key`` that was said outside of its file: ``text``, in words
    like ``--users 5`` or ``LOADTOOL_USERS=5``."""

    key: str
    text: str
    said: str


@dataclass(frozen=True, slots=True)
class Fleet:
    """The workers of a cluster that make the load, and what they are given; of no meaning
    elsewhere.

    ``workers`` are names, with ``*`` for any text; none: all workers. ``resources`` are those of
    Dask that a worker has to have for its share, with their amount. ``secrets`` of this machine
    (its environment and keyring) travel if nobody else can read them, ``always``, or ``never``:
    then each worker has its own. Users are shared by the ``processors`` of workers, or ``evenly``.
    """

    workers: tuple[str, ...] = ()
    resources: tuple[tuple[str, float], ...] = ()
    secrets: Literal["encrypted", "always", "never"] = "encrypted"
    share: Literal["processors", "evenly"] = "processors"


@dataclass(frozen=True, slots=True)
class LoadConfiguration:
    """A load configuration: who does what for how long. Times are in seconds.

    ``users`` to ``stages``, and ``pacing``, are the `Schedule` of those test cases that have none
    of their own; without users where there is no such case.

    ``max_error_rate`` is the share of failed requests, 0 to 1, that the run is allowed. ``grace``
    is how long after ``duration`` a virtual user may take to finish its iteration. ``timeout``
    bounds connecting, and then one request to its last byte. Of a response's body with more bytes
    than ``body_limit`` nothing is kept: it is counted, and cannot be looked into.
    """

    name: str
    cases: tuple[CaseShare, ...]
    users: int
    duration: float | None
    ramp_up: float = 0.0
    iterations: int | None = None
    rate: float | None = None
    arrivals: Literal["even", "poisson"] = "even"
    patience: float = 0.0
    stages: tuple[Stage, ...] = ()
    think_time: ThinkTime = ThinkTime()
    pacing: Distribution | None = None
    bandwidth: Bandwidth | None = None
    """The line of each virtual user; None: as fast as it goes."""
    on_error: OnError = "continue"
    max_error_rate: float = 0.0
    thresholds: tuple[Threshold, ...] = ()
    grace: float = 30.0
    timeout: float = 60.0
    body_limit: int = BODY_LIMIT
    keep_connections: bool = False
    """Whether a virtual user keeps its connections from one iteration to the next."""
    keep_state: bool = False
    """Whether it keeps its cookies, variables and dataset rows."""
    percentiles: tuple[float, ...] = PERCENTILES
    """Those of times that are told, ascending: above 0, up to 100, with three decimals at most."""
    detailed_pages: bool = False
    """Whether durations of pages are kept in detail, so that there are percentiles of them."""
    server: str = ""
    """Replaces the test cases' own server, if given."""
    fleet: Fleet = Fleet()
    profiles: Mapping[str, Mapping[str, Any]] = field(default_factory=lambda: MappingProxyType({}))
    """By name, what the file has in the place of its own values where that profile is chosen: keys
    of the file and their values."""
    overrides: tuple[Override, ...] = ()
    """What was said outside of the file, and is in the fields above already."""

    @property
    def keeps_page_times(self) -> bool:
        """Return whether pages need histograms: because of `detailed_pages`, or for a threshold."""
        return self.detailed_pages or any(one.needs_page_histograms for one in self.thresholds)

    @property
    def populations(self) -> tuple[Population, ...]:
        """The users by their schedules: first those of the file, then those of single cases."""
        shared = [at for at, case in enumerate(self.cases) if case.schedule is None]
        found: list[tuple[Schedule, list[int]]] = []
        if shared or not self.cases:
            own = {name: getattr(self, name) for name in SCHEDULE_FIELDS}
            found.append((Schedule(**own), shared))
        found += [(case.schedule, [at]) for at, case in enumerate(self.cases) if case.schedule]
        firsts = accumulate((schedule.users for schedule, _ in found), initial=0)
        return tuple(
            Population(schedule, tuple(cases), tuple(self.cases[at].weight for at in cases), first)
            for (schedule, cases), first in zip(found, firsts, strict=False)
        )

    def schedule_of(self, case: int) -> Schedule:
        """Return the schedule of a test case, by its number."""
        populations = self.populations
        return next((one for one in populations if case in one.cases), populations[0]).schedule

    @property
    def all_users(self) -> int:
        """Return how many users there are at the most, over all schedules."""
        return sum(one.schedule.users for one in self.populations)

    @property
    def ramped_up(self) -> float:
        """Return when all users of all schedules have started, in seconds after the start."""
        return max(one.schedule.start + one.schedule.ramp_up for one in self.populations)

    @property
    def end(self) -> float | None:
        """Return when the last iteration may begin, in seconds after the start; None: at any
        time."""
        ends = [one.schedule.end for one in self.populations]
        known = [end for end in ends if end is not None]
        return max(known) if known and len(known) == len(ends) else None


#: The fields of a schedule that a load configuration has, too.
SCHEDULE_FIELDS = tuple(one.name for one in fields(Schedule) if one.name != "start")

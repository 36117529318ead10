"""From a load configuration's file to a share of it that is ready to run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_loadtool.casefile import read_case, read_load
from pytest_loadtool.casefile.load.overrides import PROFILE
from pytest_loadtool.casefile.load.thresholds import unknown_name
from pytest_loadtool.casefile.toml.diagnostics import key_error
from pytest_loadtool.casefile.trust import TRUSTED, Trust
from pytest_loadtool.errors import ReplayError
from pytest_loadtool.load import LoadMetrics, Share, case_of, preflight
from pytest_loadtool.load.cluster.share import row_takers
from pytest_loadtool.load.metrics.slices import MOST_TRANSACTIONS
from pytest_loadtool.model.case import TestCase
from pytest_loadtool.model.hook import Hooks
from pytest_loadtool.model.length import Length
from pytest_loadtool.model.load import LoadConfiguration, Override
from pytest_loadtool.replay.compile.pauses import length_of

if TYPE_CHECKING:
    from pytest_loadtool.engine.load import LoadRunner
    from pytest_loadtool.replay import Plan


@dataclass(frozen=True, slots=True)
class LoadTest:
    """A load configuration with its test cases, in its order."""

    path: Path
    configuration: LoadConfiguration
    cases: tuple[TestCase, ...]
    trust: Trust = TRUSTED
    hooks: tuple[Hooks | None, ...] = ()
    """For each test case the functions that are called; empty if there are none."""

    @property
    def lengths(self) -> tuple[tuple[str, Length], ...]:
        """Return how long an iteration of each test case takes, with the name of the case."""
        load = self.configuration
        return tuple(
            (case.name, length_of(case, load.think_time, load.schedule_of(at).users))
            for at, case in enumerate(self.cases)
        )

    def path_of(self, case: int) -> Path:
        """Return the file of test case number ``case``."""
        return self.path.parent / self.configuration.cases[case].file


@dataclass(frozen=True, slots=True)
class PreparedShare:
    """A share whose ``runner`` only has to be started, and where its numbers will be."""

    runner: LoadRunner
    metrics: LoadMetrics


def read_test(path: Path, trust: Trust = TRUSTED, overrides: Sequence[Override] = ()) -> LoadTest:
    """Read a load configuration, with ``overrides`` in place of its own values, and the test cases
    it names; ``trust`` says what they may reach. Where a profile was chosen, it holds for those of
    the test cases, too, that have one of that name.

    Raises:
        FileError: one of the files is wrong.
    """
    configuration = read_load(path, trust, overrides)
    profile = next((one.text for one in overrides if one.key == PROFILE), "")
    cases = tuple(
        read_case(path.parent / case.file, trust, profile) for case in configuration.cases
    )
    for number, threshold in enumerate(configuration.thresholds):
        problem = unknown_name(threshold, cases)
        if problem:
            raise key_error(path, ("thresholds", number), problem)
    return LoadTest(path, configuration, cases, trust)


def prepare(
    test: LoadTest, servers: Sequence[str], share: Share, *, processes: int = 1
) -> PreparedShare:
    """Do all that can go wrong before the first request.

    ``servers`` has a base URL for each test case; an empty one leaves the case its own.
    ``processes`` is how many processes of this machine have a share, if that is known.

    Raises:
        FileError: a dataset's file or a test case's TLS setting is wrong, or a line was given to
        users who cannot have one.
        ReplayError: a test case cannot be replayed, there are too few rows for the users, too few
        users for the workers, or there are more transactions than can be counted apart.
        LoadToolError: the users need more open files than this process may have, or more ports
        than the machine has.
    """
    # Sockets, TLS and the event loop are for those who run a load test, not for a list of them.
    from pytest_loadtool.engine.load import (
        LoadRunner,
        connections_of,
        ensure_open_files,
        ensure_ports,
    )
    from pytest_loadtool.engine.observers import metrics_for

    load = test.configuration
    plans = [_compile(test, case, server) for case, server in enumerate(servers)]
    for plan, takers in zip(
        plans, row_takers(load, [one.case.datasets for one in plans]), strict=True
    ):
        for slots in plan.datasets:
            among = takers[slots.use.name]
            preflight(slots.use, len(slots.dataset.rows), among.users, among.iterations)
    for one in load.populations:
        users = one.schedule.users
        if one.schedule.open and not share.of_population(one).users(users):
            raise ReplayError(
                f"users = {users} is too few for {share.count} workers, of which each has its "
                f"part of the arrivals: raise users to {share.count} at least, or use fewer workers"
            )
    if (count := sum(len(plan.steps) for plan in plans)) > MOST_TRANSACTIONS:
        raise ReplayError(
            f"the test cases have {count:,} transactions together, and a load test may have "
            f"{MOST_TRANSACTIONS:,}: divide it"
        )
    connections = _connections(load, share, [connections_of(plan) for plan in plans])
    ensure_open_files(connections.total())
    ensure_ports(connections, processes)
    if any(plan.accounts for plan in plans):
        import spnego  # noqa: F401  now, as it takes half a second in which no user goes on
    metrics = metrics_for(plans, detailed_pages=load.keeps_page_times)
    return PreparedShare(LoadRunner(plans, load, share, metrics), metrics)


#: How many connections, by host and port.
_Connections = Counter[tuple[str, int]]


def _connections(
    load: LoadConfiguration, share: Share, each: Sequence[_Connections]
) -> _Connections:
    """Return how many connections the users of a share may have at a time; ``each`` is for one user
    of each test case. In the open model a user may be in any of them, one after the other."""
    found: _Connections = Counter()
    for population in load.populations:
        schedule, own = population.schedule, [each[case] for case in population.cases]
        users = share.of_population(population).users(schedule.users)
        if schedule.open and not load.keep_connections:
            found += _times(max(own, key=Counter.total), len(users))
            continue
        playing = Counter(case_of(user, population.weights) for user in users)
        for case, one in enumerate(own):
            found += _times(one, len(users) if schedule.open else playing[case])
    return found


def _times(connections: _Connections, users: int) -> _Connections:
    return Counter({address: number * users for address, number in connections.items()})


#: By the way of a test case on which users have no lines: which it is, and what to do instead.
_WITHOUT_LINES = {
    "httpx": (
        "over httpx",
        'or take the transport raw (transport = "raw" in the test case, or --loadtool-transport '
        "raw)",
    ),
    "app": (
        "to an application in this process",
        'or name a server (server = "http://…" here, or --loadtool-server)',
    ),
}


def _check_line(test: LoadTest, number: int, plan: Plan) -> None:
    """Find out whether the users of ``plan`` can have the line that the configuration gives them.

    Raises:
        FileError: they cannot.
    """
    from pytest_loadtool.engine.transport_factory import transport_key

    found = _WITHOUT_LINES.get(transport_key(plan.case)[0])
    if found and test.configuration.bandwidth is not None:
        file, (where, instead) = test.configuration.cases[number].file, found
        raise key_error(
            test.path,
            ("bandwidth",),
            f"{file} goes {where}, where users have no lines of their own: leave bandwidth out, "
            f"{instead}",
        )


def _compile(test: LoadTest, number: int, server: str) -> Plan:
    from pytest_loadtool.engine.prepare.resources import check_plan, compile_from

    path = test.path_of(number)
    plan = compile_from(
        path,
        test.cases[number],
        server=server,
        think_time=test.configuration.think_time,
        trust=test.trust,
        hooks=test.hooks[number] if test.hooks else None,
    )
    check_plan(plan, path)
    _check_line(test, number, plan)
    return plan

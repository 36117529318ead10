"""What made iterations fail, as plain values: the groups of first failures of a run.

It also has samples of failed exchanges as they come from workers: as kept replays, of which only
what failed was kept, or a whole iteration.
"""

from __future__ import annotations

from base64 import b64decode
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from pytest_loadtool.load.metrics.course import Stretch
from pytest_loadtool.load.metrics.firsts import FailureGroup, GoodAnswers, Row
from pytest_loadtool.load.metrics.metrics import LoadMetrics
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.model.kept_replay import DatasetRow, KeptReplay, KeptTransaction, TransactionId
from pytest_loadtool.model.result import Cause, Failure


def sample_of(wire: dict[str, Any], case: str) -> KeptReplay:
    """Return what a worker has sent of a user of the test case of that name."""
    sent = tuple(map(_transaction, wire["transactions"]))
    ends = [one.exchange.started + one.exchange.took for one in sent if one.exchange is not None]
    return KeptReplay(
        case=case,
        started=wire["started"],
        seconds=max(ends) - wire["started"],
        server=wire["server"],
        transactions=sent,
        rows=tuple(DatasetRow(*row) for row in wire["rows"]),
        ending="finished" if wire["whole"] else "stopped",
    )


def _transaction(wire: dict[str, Any]) -> KeptTransaction:
    failures = tuple(Failure(*one) for one in wire["failures"])
    return KeptTransaction(
        wire["index"],
        TransactionId(**wire["id"]),
        "failed" if failures else "not as recorded" if wire["not_as_recorded"] else "passed",
        exchange=_exchange(wire["exchange"]),
        failures=failures,
        not_as_recorded=wire["not_as_recorded"],
        first_byte=wire["first_byte"],
        undecoded=wire["undecoded"],
    )


def _exchange(wire: dict[str, Any]) -> Exchange:
    changed = {
        "request_headers": tuple((name, value) for name, value in wire["request_headers"]),
        "response_headers": tuple((name, value) for name, value in wire["response_headers"]),
        "request_body": b64decode(wire["request_body"]),
        "response_body": b64decode(wire["response_body"]),
    }
    return Exchange(**(wire | changed))


@dataclass(frozen=True, slots=True)
class GoodOnes:
    """Good answers to a transaction that has failed: how many ``before`` it failed first or in all
    of the run, as far as a worker had failures there; ``since`` then, the age of the oldest session
    that had one (seconds), and the rows of those who had."""

    total: int
    since: int
    oldest_s: float
    rows: frozenset[Row]
    all_rows: bool
    """Whether ``rows`` are all of them."""


@dataclass(frozen=True, slots=True)
class FailingGroup:
    """Iterations whose first failure was the same, at the same transaction.

    ``case_number`` and ``index`` (in its test case) count from 0. ``first_s`` and ``last_s`` are
    seconds of the run, ``users`` how many were at work when it began. ``course`` pairs seconds with
    counts, each for ``step_s`` seconds. ``rows`` are datasets with rows from 0 and their counts;
    ``other_rows`` counts the iterations of more rows. Ages are those of users' sessions in seconds.
    ``samples`` are kept replays, whole ones first; ``unmade`` are reasons why more could not be
    made, with their counts.
    """

    case: str
    page: str
    transaction: str
    case_number: int
    index: int
    status: int
    cause: Cause
    message: str
    iterations: int
    consequences: int
    first_s: int
    last_s: int
    users: float
    step_s: int
    course: tuple[tuple[int, int], ...]
    rows: tuple[tuple[Row, int], ...]
    other_rows: int
    youngest_s: float
    oldest_s: float
    failed_ms: float
    """The median service time of requests for the transaction that failed."""
    good_ms: float | None
    """That of good answers; None: there are none."""
    good: GoodOnes
    samples: tuple[KeptReplay, ...] = ()
    unmade: tuple[tuple[str, int], ...] = ()

    @property
    def key(self) -> tuple[int, int, int, str, str]:
        """Return what tells it from the others of a run."""
        return self.case_number, self.index, self.status, self.cause, self.message


@dataclass(frozen=True, slots=True)
class Failing:
    """The reasons why iterations failed: groups, the one with the most iterations first; how many
    iterations and consequences are in none of them; and datasets that were used up, with their
    rows."""

    groups: tuple[FailingGroup, ...] = ()
    other_iterations: int = 0
    other_consequences: int = 0
    exhausted: tuple[tuple[str, int], ...] = ()

    @property
    def iterations(self) -> int:
        """Return how many iterations have failed."""
        return sum(one.iterations for one in self.groups) + self.other_iterations


def failing_of(
    metrics: LoadMetrics, names: Sequence[str], stretches: Sequence[Stretch] = ()
) -> Failing:
    """Return why iterations of a run failed. ``names`` are those of its transactions, the parts of
    the run say how many users there were."""
    firsts = metrics.firsts
    places = list(_places(metrics))
    return Failing(
        tuple(_group(metrics, one, names, places, stretches) for one in firsts),
        firsts.rest.iterations,
        firsts.rest.consequences,
        tuple(firsts.exhausted.items()),
    )


def _places(metrics: LoadMetrics) -> Iterator[tuple[int, int]]:
    """Yield for each transaction the number of its test case, and its own in that."""
    cases = list(metrics.case_keys)
    seen = [0] * len(cases)
    for key in metrics.transaction_keys:
        number = cases.index(key.case)
        yield number, seen[number]
        seen[number] += 1


def _group(
    metrics: LoadMetrics,
    group: FailureGroup,
    names: Sequence[str],
    places: Sequence[tuple[int, int]],
    stretches: Sequence[Stretch],
) -> FailingGroup:
    index, status, cause, message = group.key
    key, (case, number) = metrics.transaction_keys[index], places[index]
    measured = metrics.transactions[index]
    course = tuple(group.course)
    then = bisect_right(stretches, group.second, key=attrgetter("second"))
    good = metrics.firsts.good.get(index) or GoodAnswers()
    failed_times = metrics.firsts.times[index].service
    times = measured.service.since(failed_times)
    return FailingGroup(
        case=key.case,
        page=key.page,
        transaction=names[index],
        case_number=case,
        index=number,
        status=status,
        cause=cause,
        message=message,
        iterations=group.iterations,
        consequences=group.consequences,
        first_s=group.second,
        last_s=course[-1][0] if course else group.second,
        users=stretches[then - 1].users if then else 0.0,
        step_s=group.course.length,
        course=course,
        rows=tuple(sorted(group.rows.counts.items())),
        other_rows=group.rows.others,
        youngest_s=group.youngest_us / 1e6,
        oldest_s=group.oldest_us / 1e6,
        failed_ms=failed_times.percentile(50) / 1000,
        good_ms=times.percentile(50) / 1000 if times.count else None,
        good=GoodOnes(
            total=measured.requests - measured.errors,
            since=good.count,
            oldest_s=good.oldest_us / 1e6,
            rows=frozenset(good.rows.counts),
            all_rows=not good.rows.others,
        ),
        samples=tuple(sample_of(one, key.case) for one in group.samples),
        unmade=tuple(sorted(group.unmade.items())),
    )

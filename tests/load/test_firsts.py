"""First failures: each failed request is counted once, however many workers there are."""

from __future__ import annotations

import json
from itertools import permutations
from random import Random
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from pytest_loadtool.load.metrics.firsts import (
    MOST_GROUPS,
    MOST_ROWS,
    MOST_SAMPLES,
    MOST_STEPS,
    FailureGroup,
    FirstFailures,
)
from pytest_loadtool.model.result import Failure

REFUSED = Failure("status", "Status Code is 401, expected 200-399")
MISSING = Failure("extractor", "Extractor found nothing for ${token}")


def worker(seed: int, iterations: int = 40) -> FirstFailures:
    """What a worker has of some iterations that failed."""
    firsts, random = FirstFailures(), Random(seed)
    for number in range(iterations):
        index, second = random.randrange(4), random.randrange(2000)
        firsts.failed(index, second, 1000 + number, 1100 + number)
        group = firsts.group(index, 401, (MISSING, REFUSED), second)
        group.add(second, random.randrange(10**7), [("users", number % 9)])
        for place in range(random.randrange(4)):
            firsts.failed(index + place, second, 1000 + number, 1100 + number)
            group.consequences += 1
        firsts.passed(index, random.randrange(10**6), [("users", 20 + number)])
    return firsts


def merged(parts: tuple[FirstFailures, ...]) -> Any:
    """All of them, as they would be sent."""
    whole = FirstFailures()
    for part in parts:
        whole.merge(part)
    return json.loads(json.dumps(_sorted(whole.to_wire())))


def _sorted(wire: Any) -> Any:
    """Without the order in which things came."""
    if isinstance(wire, dict):
        return {key: _sorted(one) for key, one in sorted(wire.items())}
    if isinstance(wire, (list, tuple)):
        return sorted((_sorted(one) for one in wire), key=repr)
    return wire


def requests_of(firsts: FirstFailures) -> int:
    """The failed requests, by their times."""
    return sum(one.service.count for one in firsts.times.values())


def test_in_any_order_they_merge_to_the_same() -> None:
    """Whichever worker's come first."""
    orders = [merged(order) for order in permutations([worker(1), worker(2), worker(3)])]
    assert all(one == orders[0] for one in orders)


@given(st.integers(0, 10**6))
def test_each_failed_request_is_counted_once(seed: int) -> None:
    """As the first of its iteration or as a consequence; also in what is sent, and merged."""
    firsts = worker(seed)
    sent = FirstFailures.from_wire(json.loads(json.dumps(firsts.to_wire())))
    assert firsts.requests == sent.requests == requests_of(firsts) == requests_of(sent)
    assert sum(one.iterations for one in firsts) == 40
    assert _sorted(sent.to_wire()) == _sorted(firsts.to_wire())


def test_reports_add_up() -> None:
    """What came after a report, added to it, is all; and of nothing there is nothing to send."""
    firsts, reported = FirstFailures(), FirstFailures()
    assert firsts.to_wire() == firsts.to_wire(reported) == {}
    for seed in range(5):
        firsts.merge(worker(seed, 7))
        reported.merge(FirstFailures.from_wire(firsts.to_wire(reported)))
    assert _sorted(reported.to_wire()) == _sorted(firsts.to_wire())


def test_the_status_says_what_failed() -> None:
    """Of several failures of one answer, whatever their order; without it the first does."""
    firsts = FirstFailures()
    assert firsts.group(0, 401, (MISSING, REFUSED), 3).key == (0, 401, "status", REFUSED.message)
    assert firsts.group(0, 200, (MISSING,), 3).key == (0, 200, "extractor", MISSING.message)


def test_nothing_grows_without_bounds() -> None:
    """Groups beyond the limit are one, rows beyond it are counted, samples are few; the counts stay
    exact."""
    firsts = FirstFailures()
    for number in range(10 * MOST_GROUPS):
        firsts.failed(number, number, 10, 10)
        group = firsts.group(number, 500, (Failure("text", f"no text {number}"),), number)
        group.add(number, 0, [("users", number)])
    assert len(firsts) == MOST_GROUPS
    assert firsts.requests == 10 * MOST_GROUPS
    one = FailureGroup((0, 500, "text", "no"), 0)
    for number in range(10 * MOST_ROWS):
        one.add(0, 0, [("users", number)])
    assert len(one.rows.counts) == MOST_ROWS
    assert sum(one.rows.counts.values()) + one.rows.others == one.iterations
    one.course.add(10**6)
    assert max(one.course.counts) < MOST_STEPS
    assert sum(one.course.counts.values()) == one.iterations + 1
    for number in range(5):
        other = FailureGroup((0, 500, "text", "no"), 0)
        other.samples = [{"whole": number == 4, "started": float(number)}]
        one.merge(other)
    assert [each["started"] for each in one.samples] == [4.0, 0.0, 1.0]
    assert len(one.samples) == MOST_SAMPLES


def test_a_sample_that_cannot_be_made_is_counted() -> None:
    """A worker keeps three and can send one; who merges them knows how many miss, and why."""
    kept = {"whole": False, "started": 1.0}
    firsts = FirstFailures(lambda one: kept if one == 1 else "no time")
    firsts.failed(0, 0, 10, 10)
    group = firsts.group(0, 401, (REFUSED,), 0)
    group.add(0, 0, [])
    group.samples = [1, 2, 3]
    whole = FirstFailures()
    for _ in range(2):
        whole.merge(FirstFailures.from_wire(json.loads(json.dumps(firsts.to_wire()))))
    [merged] = whole
    assert merged.samples == [kept, kept]
    assert merged.unmade == {"no time": 4}

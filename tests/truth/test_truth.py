"""What is reported is what happened: the server's own books say so."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import ceil, log
from pathlib import Path
from random import Random

import pytest
import trustme

from pytest_loadtool.load import Histogram
from pytest_loadtool.load.metrics.course import RunCourse
from tests.truth.bookkeeping import Probe, bookkeeping, made

pytestmark = pytest.mark.alone


def delays() -> list[float]:
    """A thousand delays in milliseconds, in no order: from 10 ms on, exponential with a mean of
    30 ms."""
    found = [10 - 30 * log(1 - (n + 0.5) / 1000) for n in range(1000)]
    Random(1).shuffle(found)
    return found


def nearest_rank(numbers: Sequence[float], p: float) -> float:
    """The definition of a percentile."""
    return sorted(numbers)[min(len(numbers), max(1, ceil(p * len(numbers) / 100))) - 1]


@pytest.mark.promise(128)
def test_known_delays() -> None:
    """Median, 95th and 99th percentile of the service time are those of the server, to 1 % or 1 ms.

    Between the server's two clock readings and this program's lies what the machine does to both
    processes. It is measured while the test runs, and allowed for: of a sum of three times the
    99th percentile, say, is at most the 99.5th of the first and the 99.75th of the others.
    """
    with Probe() as probe, bookkeeping(delays_ms=delays()) as server:
        metrics = made(server, users=20, duration=5.0)
    books, total = server.books, metrics.total()
    assert metrics.requests == books["read"] == books["answered"] > 500
    assert metrics.failed_requests == metrics.cut == 0
    for p in (50, 95, 99):
        measured = total.service.percentile(p)
        rest = (100 - p) / 2
        noise = sum(nearest_rank(one, 100 - rest / 2) for one in (probe.late_us, books["late_us"]))
        highest = nearest_rank(books["times_us"], 100 - rest if noise > 1000 else p)
        assert measured >= nearest_rank(books["times_us"], p)
        assert measured <= highest + max(1000, highest * 0.01) + noise
    assert _ordered(total.first_byte, total.service, total.response)


def _ordered(*histograms: Histogram) -> bool:
    """Whether no percentile of one is above that of the next."""
    return all(
        one.percentile(p) <= other.percentile(p)
        for one, other in pairwise(histograms)
        for p in (0, 50, 95, 99, 100)
    )


@pytest.mark.promise(129, 130)
def test_a_thousand_users_resets_and_time_outs() -> None:
    """Each request that was made is in the numbers once, and in the server's books once: as
    answered, reset, or left without an answer, or as a connection that was reset unread."""
    course = RunCourse()
    with bookkeeping(refuse_every=31, reset_every=37, stall_every=411) as server:
        metrics = made(server, 3, course, users=1000, duration=3.0, ramp_up=1.0, timeout=10.0)
    books, total = server.books, metrics.total()
    assert metrics.cut == metrics.cut_iterations == 0
    assert metrics.requests + metrics.retried == books["read"] + books["unread"]
    assert total.statuses == {200: books["answered"], 0: metrics.failed_requests}
    causes = {error.cause: 0 for error in metrics.errors}
    for error in metrics.errors:
        causes[error.cause] += error.count
    assert causes == {
        "reset": books["reset"] + books["unread"] - metrics.retried,
        "timeout": books["stalled"],
    }
    assert min(books["reset"], books["unread"], books["stalled"], metrics.retried) > 0
    refused = sum("while connecting" in error.message and error.count for error in metrics.errors)
    assert metrics.connect.count == books["connections"] - refused
    assert metrics.peak_users == 1000
    assert sum(one.requests for one in course.stretches()) == metrics.requests
    assert sum(one.errors for one in course.stretches()) == metrics.failed_requests


def test_handshakes(tmp_path: Path) -> None:
    """Each connection of a server with TLS has its two times, and no request has them in its
    service time: it was sent when they were over."""
    certificate = tmp_path / "server.pem"
    trustme.CA().issue_cert("127.0.0.1").private_key_and_cert_chain_pem.write_to_path(certificate)
    with bookkeeping(certificate=str(certificate)) as server:
        metrics = made(server, 3, users=5)
    connections, first = server.books["connections"], metrics.transactions[0]
    assert metrics.requests == server.books["read"] == 3 * connections
    assert metrics.connect.count == metrics.tls.count == connections
    assert metrics.tls.min > 0
    waited = first.response.total - first.service.total
    # Half, because the end of a handshake is noticed a little after the request has gone out.
    assert waited > (metrics.connect.total + metrics.tls.total) / 2


def test_a_server_that_freezes() -> None:
    """A server that stands still for 2 of 10 seconds, under a fixed rate of arrivals: the 99th
    percentile of the response time says so. That of the service time does not: there were never
    more than 8 requests on their way, and all others waited before they were sent."""
    course = RunCourse()
    with bookkeeping(freeze_at=250, freeze_seconds=2.0) as server:
        metrics = made(server, 1, course, users=8, duration=10.0, rate=100.0, patience=10.0)
    total = metrics.total()
    assert metrics.requests == server.books["read"] == 1000
    assert (metrics.dropped, metrics.cut, metrics.failed_requests) == (0, 0, 0)
    assert total.response.percentile(99) > 1_500_000
    assert total.service.percentile(99) < 1_000_000 < total.service.max
    assert any(one.longest_us > 1_500_000 for one in course.stretches())

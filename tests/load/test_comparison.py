"""Two runs side by side: what counts as worse, and what is noise."""

from __future__ import annotations

from dataclasses import replace
from math import exp
from random import Random

import pytest

from pytest_loadtool.load import Histogram, Verdict
from pytest_loadtool.load.verdict.comparison import Comparison, compare, with_regressions
from pytest_loadtool.load.verdict.saved import ALL, Key, SavedRequests, SavedRun

LOAD, STARTED = "4 users for 10 s", "2026-03-01T00:00:00+00:00"
PAGE: Key = ("case", "page", "GET /")


def run(*times_ms: float, errors: int = 0, seconds: float = 10.0, key: Key = PAGE) -> SavedRun:
    """A run of one transaction whose requests took so long."""
    response = Histogram()
    for ms in times_ms:
        response.record(int(ms * 1000))
    one = SavedRequests(len(times_ms), errors, response)
    return SavedRun("run", LOAD, STARTED, "passed", seconds, {ALL: one, key: one})


def regressions(before: SavedRun, after: SavedRun, tolerance: float = 0.1) -> set[str]:
    """What became worse of the one transaction."""
    found = compare([before], after, tolerance)
    return {change.figure.name for change in found.regressions if change.key == PAGE}


def test_slower_than_the_tolerance_allows() -> None:
    """All times a fifth longer: with 10 % allowed they are regressions, with 25 % they are not."""
    before, after = run(*[100.0] * 1000), run(*[120.0] * 1000)
    assert regressions(before, after) == {"median", "p95", "p99"}
    assert regressions(before, after, 0.25) == set()
    assert regressions(after, before) == set()
    median = next(one for one in compare([before], after, 0.1).changes if one.key == PAGE)
    assert str(median) == "median of page / GET /: 120 ms, was 100 ms (+20 %)"


def test_only_the_slow_ones_became_slower() -> None:
    """A change of the slowest twentieth shows in the 99th percentile alone."""
    usual = [100.0] * 1940
    assert regressions(run(*usual, *[200.0] * 60), run(*usual, *[300.0] * 60)) == {"p99"}


def test_a_millisecond_is_nothing() -> None:
    """Below the floor no difference counts, whatever share it is."""
    assert regressions(run(*[0.5] * 1000), run(*[1.4] * 1000)) == set()
    assert regressions(run(*[0.5] * 1000), run(*[1.6] * 1000)) == {"median", "p95", "p99"}


def test_too_few_requests_say_nothing() -> None:
    """A percentile is compared only if there are five requests above it in both runs."""
    for requests, known in ((9, ()), (10, ["median"]), (100, ["median", "p95"])):
        found = compare([run(*[100.0] * requests)], run(*[100.0] * 1000), 0.1)
        compared = {change.figure.name for change in found.changes if change.key == PAGE}
        assert compared == {*known, "error rate", "throughput"}


def test_errors() -> None:
    """More errors than before are a regression; as many are not, nor is one of a thousand."""
    clean, few, many = (run(*[100.0] * 1000, errors=n) for n in (0, 1, 30))
    assert regressions(clean, many) == {"error rate"}
    assert regressions(clean, few) == set()
    assert regressions(many, many) == set()
    assert regressions(many, clean) == set()


def test_few_requests_fail_by_chance() -> None:
    """That none of a few requests failed does not say that none would: 4 of 10 may be chance, and
    the only one certainly. With a hundred they are not."""
    for requests, failed, found in ((1, 1, set()), (10, 4, set()), (100, 40, {"error rate"})):
        clean, broken = (run(*[100.0] * requests, errors=n) for n in (0, failed))
        assert regressions(clean, broken) == found


def test_a_transaction_that_no_longer_comes() -> None:
    """Nothing is left of it but its throughput, which is a regression; where nothing was before,
    nothing is compared."""
    known, none = run(*[100.0] * 1000), run()
    assert regressions(known, none) == {"throughput"}
    assert compare([none], known, 0.1).changes == ()
    assert compare([none], none, 0.1).changes == ()
    assert regressions(known, run(seconds=0.0)) == {"throughput"}


def test_throughput() -> None:
    """Fewer requests in the same time are a regression, more are not."""
    fast, slow = run(*[100.0] * 1000), run(*[100.0] * 700)
    assert regressions(fast, slow) == {"throughput"}
    assert regressions(slow, fast) == set()
    assert regressions(run(*[100.0] * 10), run(*[100.0] * 8)) == set()  # by chance


def test_chance_is_no_regression() -> None:
    """Of 200 pairs of runs that differ by chance alone hardly any has a regression, although their
    95th percentiles often differ by more than the tolerance."""
    random = Random(7)

    def drawn() -> SavedRun:
        times = [10 / (1 - random.random()) ** 0.5 for _ in range(200)]
        return run(*times)

    pairs = [(drawn(), drawn()) for _ in range(200)]
    beyond = sum(
        change.figure.name == "p95" and change.relative > 0.1
        for before, after in pairs
        for change in compare([before], after, 0.1).changes
        if change.key == PAGE
    )
    assert beyond > 30
    assert sum(bool(regressions(before, after)) for before, after in pairs) <= 4


#: Pages of a case that are read alike, and one that is slow.
_PAGES = [("case", "page", f"GET /{number}") for number in range(29)] + [("case", "page", "POST")]


def noisy(random: Random, spread: float, slower: float = 1.0) -> SavedRun:
    """A run on a machine whose speed differs from run to run by ``spread``, and a server that takes
    ``slower`` times as long."""
    speed = slower * lognormal(random, spread)
    requests: dict[Key, SavedRequests] = {}
    total = Histogram()
    for number, key in enumerate(_PAGES):
        one = Histogram()
        for _ in range(200):
            ms = (5 + number) * speed * lognormal(random, 0.3)
            one.record(int(ms * 1000))
        total.merge(one)
        requests[key] = SavedRequests(one.count, 0, one)
    requests[ALL] = SavedRequests(total.count, 0, total)
    return SavedRun("run", LOAD, STARTED, "passed", 10.0 * speed, requests)


def lognormal(random: Random, spread: float) -> float:
    """A factor around 1."""
    return exp(random.gauss(0, spread))


@pytest.mark.slow
@pytest.mark.parametrize(("spread", "least"), [(0.02, 17), (0.06, 12)])
def test_spread_of_several_runs_counts(spread: float, least: int) -> None:
    """On a machine that is now faster, now slower, equal runs are hardly ever called worse than ten
    before them; a server that takes 30 % longer nearly always is, or three times of five where
    the machine itself differs by a fifth of that."""
    random = Random(11)
    runs = [noisy(random, spread) for _ in range(30)]
    false, found = 0, 0
    for number in range(20):
        earlier = runs[number : number + 10]
        false += bool(compare(earlier, runs[number + 10], 0.1).regressions)
        found += bool(compare(earlier, noisy(random, spread, slower=1.3), 0.1).regressions)
    assert false <= 1
    assert found >= least


def test_a_busy_machine_leaves_a_doubt() -> None:
    """Half of the requests wait, and the quickest do not: that may be the machine. Where all wait,
    it is the server."""
    random = Random(3)
    earlier = [run(*[100 * lognormal(random, 0.02)] * 200) for _ in range(5)]
    busy = compare(earlier, run(*[100.0] * 100, *[180.0] * 100), 0.1)
    assert not busy.regressions
    assert {one.figure.name for one in busy.doubts} == {"p95"}
    found = with_regressions(Verdict("passed"), busy)
    assert found.outcome == "inconclusive"
    assert "run it again" in found.reasons[0]
    slow = compare(earlier, run(*[140.0] * 120, *[180.0] * 80), 0.1)
    assert {one.figure.name for one in slow.regressions} == {"p2", "median", "p95"}
    assert with_regressions(Verdict("passed"), slow).outcome == "failed"
    assert not slow.doubts


@pytest.mark.parametrize(
    ("waited_ms", "found"),
    [(None, "worse"), (2.0, "worse"), (3.9, "worse"), (4.2, "in doubt"), (60.0, "in doubt")],
)
def test_who_waited_for_a_processor_may_have_made_a_busy_server(
    waited_ms: float | None, found: str
) -> None:
    """Where the load waited longer for a processor than usual, by a fifth of what is tolerated or
    more, that may be why; what it always waits is in all runs. As good a run then says nothing."""

    def waiting(one: SavedRun, ms: float | None) -> SavedRun:
        requests = one.requests[ALL].requests
        return replace(one, waited_us=None if ms is None else int(ms * 1000 * requests))

    earlier = [waiting(run(*[100.0 + n] * 200), 2.0) for n in range(5)]
    compared = compare(earlier, waiting(run(*[140.0] * 200), waited_ms), 0.1)
    assert bool(compared.regressions) == (found == "worse")
    assert bool(compared.doubts) == compared.is_unsteady == (found == "in doubt")
    good = compare(earlier, waiting(run(*[101.0] * 200), waited_ms), 0.1)
    told = with_regressions(Verdict("passed"), good)
    assert told.outcome == ("inconclusive" if found == "in doubt" else "passed")


def test_what_earlier_runs_would_hide_is_said() -> None:
    """That of a machine that is now twice as quick, now half; more steady runs show a change."""
    for spread, outcome in ((2.0, "inconclusive"), (1.02, "passed")):
        earlier = [run(*[100.0 * spread ** (n % 2)] * 200) for n in range(6)]
        good = compare(earlier, run(*[100.0] * 200), 0.1)
        assert not good.regressions
        assert with_regressions(Verdict("passed"), good).outcome == outcome


def test_what_few_earlier_runs_have_is_not_compared() -> None:
    """Of five runs only one had enough requests for a 95th percentile: that is no spread."""
    earlier = [run(*[100.0] * 90) for _ in range(4)] + [run(*[100.0] * 200)]
    found = compare(earlier, run(*[180.0] * 200), 0.1)
    assert {one.figure.name for one in found.changes if one.key == PAGE} == {
        "p2", "median", "error rate", "throughput",
    }  # fmt: skip


def test_errors_are_no_spread() -> None:
    """They are compared with the worst of the earlier runs: that failed by some cause."""
    earlier = [run(*[100.0] * 1000, errors=errors) for errors in (0, 30, 0)]
    assert "error rate" not in several(earlier, run(*[100.0] * 1000, errors=30))
    assert "error rate" in several(earlier, run(*[100.0] * 1000, errors=100))


def several(earlier: list[SavedRun], after: SavedRun) -> set[str]:
    """What became worse than several runs."""
    return {change.figure.name for change in compare(earlier, after, 0.1).regressions}


def test_new_and_gone() -> None:
    """Transactions of one run only are named, and compared with nothing."""
    other: Key = ("case", "page", "GET /other")
    found = compare([run(1.0)], run(1.0, key=other), 0.1)
    assert (found.new, found.gone) == ((other,), (PAGE,))
    assert {change.key for change in found.changes} == {ALL}


def compared(before: SavedRun, after: SavedRun) -> Comparison:
    """With the usual tolerance."""
    return compare([before], after, 0.1)


def test_what_becomes_of_the_verdict() -> None:
    """A regression fails a run that passed; one that failed or says nothing stays that, with the
    regressions as further reasons."""
    worse = compared(run(*[100.0] * 1000), run(*[150.0] * 1000))
    same = compared(run(*[100.0] * 1000), run(*[100.0] * 1000))
    assert with_regressions(Verdict("passed"), same) == Verdict("passed")
    failed = with_regressions(Verdict("passed"), worse)
    assert failed.outcome == "failed"
    assert failed.reasons[0] == (
        "worse than before by more than 10 %: median of all requests: 150 ms, was 100 ms (+50 %)"
    )
    kept = with_regressions(Verdict("inconclusive", ("a worker was lost",)), worse)
    assert (kept.outcome, kept.reasons[0]) == ("inconclusive", "a worker was lost")
    assert len(kept.reasons) > 1


def test_another_load_is_a_reason() -> None:
    """What became worse under another load may be the load's; what did not is none."""
    more = replace(run(*[150.0] * 1000), load="8 users for 10 s")
    found = compared(run(*[100.0] * 1000), more)
    assert not found.same_load
    *_, last = with_regressions(Verdict("passed"), found).reasons
    assert last == "not the same load: 4 users for 10 s before, now 8 users for 10 s"
    same = replace(run(*[100.0] * 1000), load="8 users for 10 s")
    assert with_regressions(Verdict("passed"), compared(more, same)) == Verdict("passed")


def test_many_regressions_are_summed_up() -> None:
    """Ten reasons are given, and how many more there are."""
    one = run(*[100.0] * 1000).requests[ALL]
    two = run(*[200.0] * 1000).requests[ALL]
    keys = [ALL, *(("case", "page", f"GET /{n}") for n in range(20))]
    before, after = (
        SavedRun("run", LOAD, "", "passed", 10.0, dict.fromkeys(keys, what)) for what in (one, two)
    )
    reasons = with_regressions(Verdict("passed"), compared(before, after)).reasons
    assert len(reasons) == 11
    assert reasons[-1] == "and 53 more regressions: the report's comparison has all of them"

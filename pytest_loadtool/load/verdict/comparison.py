"""A run of a load test beside earlier ones of it, transaction by transaction.

A saved run keeps histograms, not samples, so the percentiles that are compared are those that were
reported. A difference is a regression when it is beyond the tolerance, beyond the floor below which
differences are noise on any machine, and beyond chance: that of so many requests and, where there
are several earlier runs, that of one run and another.

With several it also has to be the server's. A busy machine makes some requests wait, and hardly the
quickest ones; a server that became slower is slower for these, too. So what is worse while the
quickest of the same requests are not is in doubt: worth another run. And a machine that is busier
than it was, or now more and now less, says nothing of times that it may change by more than is
tolerated: how long those who made the load waited for a processor tells, `_WAITING` times over, as
the server may have waited, too, and others behind it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass, replace
from math import inf, log, sqrt
from statistics import fmean, median

from pytest_loadtool.load.formatting import digits, percent, plural
from pytest_loadtool.load.verdict.saved import ALL, Key, SavedRequests, SavedRun
from pytest_loadtool.load.verdict.spread import Sample, beyond_chance
from pytest_loadtool.load.verdict.verdict import Outcome, Verdict

TOLERANCE = 0.1
"""How much worse a figure may be, as a share, unless somebody says otherwise."""

_MOST_REASONS = 10

_UNSTEADY = (
    "no worse than before as far as one can see, which is not far: the machine is busier than it "
    "was, or the earlier runs differ too much; run it again on a quiet machine"
)

#: What the earlier runs should show, of all requests together: what is slower by this share.
_SHARP = 0.3


@dataclass(frozen=True, slots=True)
class Estimate:
    """A measured number, and between what it might be in another run just like that one."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Figure:
    """A number that is compared, of some requests and the seconds that the run took.

    ``floor`` is the difference that is never a regression; ``least`` how many requests both runs
    must have for the number to mean something: five beyond a percentile. The earlier run must have
    one in any case.
    """

    name: str
    unit: str
    """Empty for a share."""
    estimate: Callable[[SavedRequests, float], Estimate]
    floor: float
    least: int = 1
    less_is_worse: bool = False
    varies: bool = True
    """Whether it differs between equal runs, as times do; errors have a cause."""

    def worsening(self, before: float, after: float) -> float:
        """Return by how much it is worse."""
        return before - after if self.less_is_worse else after - before


_DEVIATIONS = 2.0
"""How many standard deviations chance may move a number. That two runs which differ in nothing are
both that far off, in opposite directions, happens once in some hundred comparisons."""


_WAITING = 5.0
"""By how many times what changed of the wait for a processor a time may be another one."""


def _percentile(p: int) -> Callable[[SavedRequests, float], Estimate]:
    """Return an estimate by ranks: how much the rank may be off says between which percentiles the
    true one lies, which is so for any distribution."""

    def estimate(one: SavedRequests, _seconds: float) -> Estimate:
        off = _DEVIATIONS * sqrt(p * (100 - p) / one.requests)
        ranks = (p, max(0.0, p - off), min(100.0, p + off))
        return Estimate(*(one.response.percentile(rank) / 1000 for rank in ranks))

    return estimate


def _error_rate(one: SavedRequests, _seconds: float) -> Estimate:
    """Return an error rate between Wilson's limits: they hold for few requests too, and for none or
    all that failed."""
    requests, rate, square = one.requests, one.errors / one.requests, _DEVIATIONS**2
    middle = rate + square / (2 * requests)
    off = _DEVIATIONS * sqrt(rate * (1 - rate) / requests + square / (4 * requests**2))
    least, most = ((middle + by) / (1 + square / requests) for by in (-off, off))
    return Estimate(rate, least, most)


def _throughput(one: SavedRequests, seconds: float) -> Estimate:
    if not seconds:
        return Estimate(0.0, 0.0, 0.0)
    off = _DEVIATIONS * sqrt(one.requests)
    return Estimate(
        *(number / seconds for number in (one.requests, one.requests - off, one.requests + off))
    )


QUICKEST = Figure("p2", "ms", _percentile(2), floor=1.0, least=50)
FIGURES = (
    QUICKEST,
    Figure("median", "ms", _percentile(50), floor=1.0, least=10),
    Figure("p95", "ms", _percentile(95), floor=1.0, least=100),
    Figure("p99", "ms", _percentile(99), floor=1.0, least=500),
    Figure("error rate", "", _error_rate, floor=0.001, varies=False),
    Figure("throughput", "requests/s", _throughput, floor=0.1, least=0, less_is_worse=True),
)


@dataclass(frozen=True, slots=True)
class MetricChange:
    """One figure of one transaction in both runs. A share (0 to 1) for the error rate."""

    key: Key
    figure: Figure
    before: float
    after: float
    is_regression: bool
    is_in_doubt: bool = False
    """Worse, and maybe by the machine: the quickest of these requests are as they were, or waiting
    for a processor may have made them so."""

    @property
    def relative(self) -> float:
        """The change as a share of what was before; 0 if there was nothing."""
        return (self.after - self.before) / self.before if self.before else 0.0

    def by(self) -> str:
        """Return ``+20 %``, or ``+0.35 points`` of a share."""
        if self.figure.unit:
            return _signed(self.relative * 100, 0, "%")
        return _signed((self.after - self.before) * 100, 2, "points")

    def __str__(self) -> str:
        """Return ``p95 of Page / GET /: 120 ms, was 100 ms (+20 %)``."""
        where = " / ".join(filter(None, self.key[1:]))
        after, before = (
            f"{digits(value)} {self.figure.unit}" if self.figure.unit else percent(value)
            for value in (self.after, self.before)
        )
        return f"{self.figure.name} of {where}: {after}, was {before} ({self.by()})"


def _signed(value: float, decimals: int, unit: str) -> str:
    rounded = round(value, decimals)
    return f"{rounded:+.{decimals}f} {unit}" if rounded else f"0 {unit}"


@dataclass(frozen=True, slots=True)
class Comparison:
    """A run beside ``earlier`` ones, of which ``before`` is the last. ``new`` and ``gone`` are
    transactions of one of these two only."""

    earlier: tuple[SavedRun, ...]
    after: SavedRun
    tolerance: float
    changes: tuple[MetricChange, ...]
    new: tuple[Key, ...]
    gone: tuple[Key, ...]
    is_unsteady: bool
    """Whether the machine, busier than it was or now more and now less, may have changed times of
    all requests by more than is tolerated; or hides what is far more than that."""

    @property
    def before(self) -> SavedRun:
        """The last of the earlier runs."""
        return self.earlier[-1]

    @property
    def same_load(self) -> bool:
        """Return whether both were made under the same load. If not, differences may be the
        load's."""
        return self.before.load == self.after.load

    def loads(self) -> str:
        """Return what both were made under, where it is not the same; else nothing."""
        if self.same_load:
            return ""
        return f"not the same load: {self.before.load} before, now {self.after.load}"

    @property
    def regressions(self) -> tuple[MetricChange, ...]:
        """Return what became worse than the tolerance allows."""
        return tuple(change for change in self.changes if change.is_regression)

    @property
    def doubts(self) -> tuple[MetricChange, ...]:
        """Return what became worse by more than that, and may be the machine's fault."""
        return tuple(change for change in self.changes if change.is_in_doubt)


def compare(earlier: Sequence[SavedRun], after: SavedRun, tolerance: float) -> Comparison:
    """Compare each figure of each transaction that the last of the ``earlier`` runs has, too.

    ``tolerance`` is a share: with 0.1 a time may be a tenth longer than it was.
    """
    before = earlier[-1]
    pairs = [
        pair
        for key, one in after.requests.items()
        if key in before.requests
        for pair in _pairs(key, [run for run in earlier if key in run.requests], one, after)
    ]
    steady = _steady(pairs, tolerance, _WAITING * _waits_differ_ms(earlier, after))
    gate = next((pair for pair in pairs if pair.figure is QUICKEST and pair.key == ALL), None)
    return Comparison(
        tuple(earlier),
        after,
        tolerance,
        tuple(_changes(pairs, steady, len(earlier) > 1, tolerance)),
        is_unsteady=gate is not None and (ALL not in steady or _is_blunt(gate)),
        new=tuple(key for key in after.requests if key not in before.requests),
        gone=tuple(key for key in before.requests if key not in after.requests),
    )


def _waits_differ_ms(earlier: Sequence[SavedRun], after: SavedRun) -> float:
    """Return by how much the wait for a processor, for each request, is another one than usual, or
    usually is."""
    before = [one for run in earlier if (one := run.waited_per_request_ms) is not None]
    now = after.waited_per_request_ms
    if not before or now is None:
        return 0.0
    usual = median(before)
    return max(abs(now - usual), median(abs(one - usual) for one in before))


def _steady(pairs: Sequence[_Pair], tolerance: float, unsteady_ms: float) -> set[Key]:
    """Return the requests whose quickest times a busy machine has changed by less than is
    tolerated."""
    allowed: dict[Key, float] = {}
    for pair in pairs:
        if pair.figure.unit == "ms":  # the first is of the quickest
            allowed.setdefault(pair.key, max(pair.figure.floor, tolerance * pair.before))
    return {pair.key for pair in pairs if unsteady_ms <= allowed.get(pair.key, inf)}


def with_regressions(found: Verdict, comparison: Comparison) -> Verdict:
    """Return the verdict with what became worse as its last reasons. What had passed has failed.

    An inconclusive run stays that: its times may be the generator's own. With nothing but doubts, a
    run that had passed is inconclusive.
    """
    worse = comparison.regressions
    instead: Outcome = "failed"
    allowed = percent(comparison.tolerance)
    said = f"worse than before by more than {allowed}"
    if not worse:
        worse, instead = comparison.doubts, "inconclusive"
        said += ", but maybe by a busy machine: run it again"
    if not worse and not comparison.is_unsteady:
        return found
    reasons = [f"{said}: {change}" for change in worse] or [_UNSTEADY]
    if len(reasons) > _MOST_REASONS:
        more = plural(len(reasons) - _MOST_REASONS, "more regression")
        reasons[_MOST_REASONS:] = [f"and {more}: the report's comparison has all of them"]
    loads = filter(None, [comparison.loads()])
    outcome = instead if found.outcome == "passed" else found.outcome
    return replace(found, outcome=outcome, reasons=(*found.reasons, *reasons, *loads))


@dataclass(frozen=True, slots=True)
class _Pair:
    """A figure of a transaction in the earlier runs that have it, and now."""

    key: Key
    figure: Figure
    earlier: tuple[Estimate, ...]
    now: Estimate

    @property
    def before(self) -> float:
        """Return what is typical of the earlier runs."""
        return median(one.value for one in self.earlier)


def _pairs(
    key: Key, earlier: Sequence[SavedRun], now: SavedRequests, run: SavedRun
) -> Iterator[_Pair]:
    """Yield the figures that most of the earlier runs have. That of the quickest says something
    beside a spread alone."""
    for figure in FIGURES if len(earlier) > 1 else FIGURES[1:]:
        enough = [
            (one, old.duration_s)
            for old in earlier
            if (one := old.requests[key]).requests >= max(figure.least, 1)
        ]
        if 2 * len(enough) >= len(earlier) and now.requests >= figure.least:
            old = tuple(figure.estimate(*each) for each in enough)
            yield _Pair(key, figure, old, figure.estimate(now, run.duration_s))


def _changes(
    pairs: Sequence[_Pair], steady: Set[Key], several: bool, tolerance: float
) -> Iterator[MetricChange]:
    """Yield what becomes of each pair. Of ``several`` earlier runs the quickest are
    gatekeepers: they alone share the risk of a false alarm; behind one that is passed nobody has to
    pay again for looking at the other figures of the same requests."""
    gates = [pair for pair in pairs if pair.figure is QUICKEST]
    passed = {
        pair.key
        for pair in gates
        if pair.key in steady
        and _is_beyond(pair, max(one.value for one in pair.earlier), tolerance)
        and _is_no_chance(pair, 1 if pair.key == ALL else len(gates))
    }
    for pair in pairs:
        figure, before, after = pair.figure, pair.before, pair.now.value
        sure = not several or not figure.varies or pair.key in passed
        alone = len(FIGURES) if pair.key == ALL else len(pairs)
        worse = _is_beyond(pair, before, tolerance) and _is_no_chance(
            pair, 1 if pair.key in passed else alone
        )
        yield MetricChange(pair.key, figure, before, after, worse and sure, worse and not sure)


def _is_beyond(pair: _Pair, before: float, tolerance: float) -> bool:
    """Return whether it is worse by more than the floor and the tolerance."""
    by = pair.figure.worsening(before, pair.now.value)
    return by > pair.figure.floor and by > tolerance * before


def _is_no_chance(pair: _Pair, comparisons: int) -> bool:
    """Return whether the difference is more than chance: of one earlier run, or of what has a
    cause, the ranges must not overlap; of several runs the spread says what is far off."""
    figure, now = pair.figure, pair.now
    if len(pair.earlier) == 1 or not figure.varies:
        if figure.less_is_worse:
            return all(now.high < old.low for old in pair.earlier)
        return all(now.low > old.high for old in pair.earlier)
    if not all(one.value for one in (*pair.earlier, now)):
        return True  # nothing came, or it took no time: no share says by how much
    samples = [_sample(one) for one in pair.earlier]
    latest = _sample(now)
    off = figure.worsening(fmean(one.value for one in samples), latest.value)
    return off > beyond_chance(samples, latest, comparisons)


def _is_blunt(pair: _Pair) -> bool:
    """Return whether the earlier runs differ so much that their quickest requests hide it if all
    became slower by `_SHARP`."""
    if not all(one.value for one in pair.earlier):
        return False  # no time at all
    samples = [_sample(one) for one in pair.earlier]
    return beyond_chance(samples, samples[-1], 1) > _SHARP


def _sample(one: Estimate) -> Sample:
    """Return a number on a scale of shares. A range that begins at nothing is as wide below as
    above."""
    if not one.value:
        return Sample(0.0, 0.0)
    return Sample(log(one.value), (log(one.high) - log(one.value)) / _DEVIATIONS)

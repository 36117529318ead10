"""Test cases of which no iteration comes to its end, or a transaction is never asked for.

Known before the run where its time is too short for that, and from its numbers afterwards.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from pytest_loadtool.load.formatting import plural, seconds
from pytest_loadtool.load.metrics.metrics import LoadMetrics
from pytest_loadtool.load.pacing.schedule import stages_of
from pytest_loadtool.model.length import Length
from pytest_loadtool.model.load import LoadConfiguration, Schedule


def too_short(name: str, length: Length, plan: Schedule, grace: float) -> str:
    """Return what to tell whoever runs ``plan`` if its users have less time than an iteration of
    test case ``name`` takes, with ``grace`` seconds after it; empty if they have enough."""
    if plan.duration is None:
        return ""
    ramp = stages_of(replace(plan, start=0.0))[0].ramp
    whole = length.start + length.total
    if plan.duration - ramp >= whole:
        return ""
    after = f" ({seconds(plan.duration - ramp)} after the ramp-up)" if ramp else ""
    outcome = (
        "only users that begin early finish one"
        if whole <= plan.duration
        else "users finish one only in the grace period"
        if whole <= plan.duration + grace
        else "no user will finish one"
    )
    lasts = f"the load lasts {seconds(plan.duration)}{after}"
    return f"test case {name!r}: {_needs(length)}, and {lasts}: {outcome}; {_remedy(length)}"


def unfinished(
    metrics: LoadMetrics, plan: LoadConfiguration, lengths: Sequence[Length]
) -> Iterator[str]:
    """Yield one sentence for each test case that has finished requests, but no iteration, or none
    of a transaction. ``lengths`` are of the test cases in their order, if they are known."""
    every, never = Counter[str](), Counter[str]()
    known = dict(zip(metrics.case_keys, lengths, strict=False))
    schedules = {name: plan.schedule_of(at) for at, name in enumerate(metrics.case_keys)}
    for key, transaction in zip(metrics.transaction_keys, metrics.transactions, strict=True):
        skippable = known[key.case].skippable if key.case in known else ()
        if transaction.requests or (key.page, key.name) not in skippable:
            every[key.case] += 1
            never[key.case] += not transaction.requests
    for name, iterations in zip(metrics.case_keys, metrics.cases, strict=True):
        if never[name] == every[name]:
            continue
        missing = f"no request of {never[name]} of its {plural(every[name], 'transaction')}"
        if not iterations.durations.count:
            and_no = f", and {missing}" if never[name] else ""
            why = _why(known.get(name, Length()), schedules[name])
            yield f"test case {name!r} finished no iteration{and_no}: {why}"
        elif never[name]:
            yield (
                f"test case {name!r} finished {missing}: its iterations ended with an error before "
                "these, or their pages did not come"
            )


def _why(length: Length, plan: Schedule) -> str:
    if not length.total:
        return "raise duration"
    if plan.duration is not None and length.start + length.total > plan.duration:
        return f"{_needs(length)}; {_remedy(length)}"
    return f"{_needs(length)}, with a server as quick as the recorded one; {_remedy(length)}"


def _needs(length: Length) -> str:
    total, thinking = seconds(length.total), seconds(length.thinking)
    of_it = f", {'all' if thinking == total else thinking} of it think time"
    before = f" after a start of {seconds(length.start)}" if length.start else ""
    return f"one iteration needs about {total}{of_it if length.thinking else ''}{before}"


def _remedy(length: Length) -> str:
    return "raise duration" + (", or set think_time" if length.thinking else "")

"""A load configuration whose size is said from outside: on the command line, in the environment.

Each value is text, as people type it, and is read by the same table as the file's own keys.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from pytest_loadtool.casefile.load.model import MODEL, SCHEDULE
from pytest_loadtool.casefile.toml.diagnostics import Problems
from pytest_loadtool.casefile.toml.positions import Layout
from pytest_loadtool.casefile.toml.schema import Node, Rejected
from pytest_loadtool.model.load import CaseShare, Override, Schedule, Stage
from pytest_loadtool.model.threshold import METRICS, Metric

#: The keys that can be said from outside, each with what is typed in its place.
OVERRIDABLE: Mapping[str, type] = {
    "users": int,
    "rate": str,
    "duration": str,
    "ramp_up": str,
    "iterations": int,
}

#: The name of the one that is no key, but says which profile of the file holds.
PROFILE = "profile"

#: Likewise the one that has each test case run once.
ONCE = "once"

_NO_KEYS = (PROFILE, ONCE)


def check_override(override: Override) -> None:
    """Find out whether a value is one, as far as that is known without the file.

    Raises:
        FileError: it is not; the message says what was expected.
    """
    if override.key not in _NO_KEYS:
        _value(override)


def overridden(found: Mapping[str, Any], overrides: Iterable[Override]) -> dict[str, Any]:
    """Return the values of a file with those from outside in their place."""
    if any(one.key == ONCE for one in overrides):
        return _once(found)
    return laid_over(found, {one.key: _value(one) for one in overrides if one.key not in _NO_KEYS})


def _once(found: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of a file with one user and one iteration for each test case.

    Thresholds that ask for more than that, such as a throughput, are left out.
    """
    one = Schedule(users=1, duration=None, iterations=1)
    kept = {key: value for key, value in found.items() if key not in SCHEDULE}
    kept["case"] = tuple(replace(case, weight=1, schedule=one) for case in found["case"])
    if "thresholds" in kept:
        kept["thresholds"] = tuple(
            limit for limit in kept["thresholds"] if not _asks_for_more(METRICS[limit.metric])
        )
    return kept


def _asks_for_more(metric: Metric) -> bool:
    """Return whether a number is the greater the more is done; a share is not."""
    return metric.more_is_better and metric.unit != "share"


def laid_over(found: Mapping[str, Any], said: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of a file with those of ``said`` in their place.

    Stages are a load without a single size, so they give way as a whole: of what is not said, the
    most of their users or arrivals holds, for as long as all of them last. So do the schedules of
    single test cases: of what is not said, the sum of their users or arrivals. Where stages are
    said, all sizes give way.
    """
    kept = dict(found)
    if not said.keys().isdisjoint({*OVERRIDABLE, "stage"}):
        cases: Sequence[CaseShare] = kept["case"]
        kept["case"] = tuple(replace(one, schedule=None) for one in cases)
        if all(one.schedule for one in cases):
            kept |= _together([one.schedule for one in cases if one.schedule])
    if said.keys() & OVERRIDABLE.keys() and (stages := kept.pop("stage", ())):
        kept |= _plain(stages)
    gone: set[str] = set()
    if "stage" in said:
        gone.update(OVERRIDABLE, ("pacing",))
    elif "rate" in said:
        # These say when iterations begin, as the rate does.
        gone.update(("iterations", "pacing"))
    return {key: value for key, value in kept.items() if key not in gone} | dict(said)


def _plain(stages: Iterable[Stage]) -> dict[str, Any]:
    kind = "users" if all(one.rate is None for one in stages) else "rate"
    return {
        kind: max(one.level for one in stages),
        "duration": sum(one.duration for one in stages),
    }


def _together(schedules: Sequence[Schedule]) -> dict[str, Any]:
    """Return one size for several: all users, or all arrivals if there is nothing else, as long as
    the last lasts."""
    users = sum(one.users for one in schedules)
    ends = [one.end for one in schedules if one.end is not None]
    rates = [one.rate or max(stage.level for stage in one.stages) for one in schedules if one.open]
    iterations = [one.iterations for one in schedules if one.iterations]
    found: dict[str, Any] = {"users": users}
    if ends:
        found["duration"] = max(ends)
    elif iterations:
        found["iterations"] = max(iterations)
    if len(rates) == len(schedules):
        found["rate"] = sum(rates)
    return found


def _value(override: Override) -> Any:
    key, text = override.key, override.text
    value: object = text
    if OVERRIDABLE[key] is int and text.lstrip("+-").isdecimal():
        value = int(text)
    problems = Problems(override.said, Layout())
    try:
        return MODEL[key].convert(Node(value, (key,), problems))
    except Rejected:
        problems.raise_any()
        raise AssertionError("a rejected value has a problem") from None

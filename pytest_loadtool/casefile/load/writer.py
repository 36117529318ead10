"""`LoadConfiguration` to ``*.load.toml``."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any

from pytest_loadtool.casefile.load.bandwidth import format_bandwidth
from pytest_loadtool.casefile.load.fleet import fleet_lines
from pytest_loadtool.casefile.quantities import (
    format_duration,
    format_rate,
    format_share,
    format_size,
)
from pytest_loadtool.casefile.toml.positions import KeyPath
from pytest_loadtool.casefile.toml.render import (
    KeyedLine,
    Scalar,
    inline_array,
    inline_table,
    render,
    scalar,
)
from pytest_loadtool.casefile.toml.schema import FORMAT
from pytest_loadtool.model.load import (
    SCHEDULE_FIELDS,
    CaseShare,
    Distribution,
    LoadConfiguration,
    Schedule,
    Stage,
    ThinkTime,
)
from pytest_loadtool.model.threshold import Threshold


def format_load(configuration: LoadConfiguration) -> str:
    """Return the text that `parse_load` reads back as ``configuration``. What is as usual is left
    out."""
    return render(line for line in load_lines(configuration) if not line.usual)


def load_lines(configuration: LoadConfiguration) -> Iterator[KeyedLine]:
    """Yield the lines of a load configuration's file."""
    yield _pair("format", FORMAT)
    yield _pair("name", configuration.name)
    names = set(_OPTIONS)
    if configuration.users:  # not every test case has a schedule of its own
        schedule = configuration.populations[0].schedule
        yield from _size((), schedule)
        names -= _meaningless(schedule)
    yield from _options((), configuration, names)
    if configuration.thresholds:
        yield _thresholds((), configuration.thresholds)
    if configuration.server:
        yield _pair("server", configuration.server)
    yield from fleet_lines(configuration.fleet)
    yield from _stages((), configuration.stages)
    for index, share in enumerate(configuration.cases):
        yield from _share(index, share)
    for name, values in configuration.profiles.items():
        yield from _profile(name, values)


def _pair(name: str, value: Scalar) -> KeyedLine:
    return KeyedLine((name,), f"{name} = {scalar(value)}")


def _think_time(think_time: ThinkTime) -> str:
    if think_time == ThinkTime():
        return '"recorded"'
    if think_time == ThinkTime(scale=0.0):
        return '"none"'
    written: dict[str, str] = {}
    if think_time.scale != 1.0:
        written["scale"] = scalar(think_time.scale)
    if think_time.drawn is not None:
        written |= _drawn(think_time.drawn)
    if think_time.cap is not None:
        written["cap"] = _duration(think_time.cap)
    return inline_table(written)


def _pacing(pacing: Distribution) -> str:
    if pacing.kind == "constant":
        return _duration(pacing.parameters[0])
    return inline_table(_drawn(pacing))


def _drawn(distribution: Distribution) -> dict[str, str]:
    written = [_duration(one) for one in distribution.parameters]
    return {distribution.kind: written[0] if len(written) == 1 else inline_array(written)}


def _thresholds(table: KeyPath, thresholds: Iterable[Threshold]) -> KeyedLine:
    written = tuple(scalar(one.text) for one in thresholds)
    return KeyedLine((*table, "thresholds"), "thresholds = ", elements=written, spread=True)


def _profile(name: str, values: Mapping[str, Any]) -> Iterator[KeyedLine]:
    table = ("profile", name)
    yield KeyedLine(table, f"[profile.{name}]", gap=True)
    for one, value in values.items():
        if one == "thresholds":
            yield _thresholds(table, value)
        elif one != "stage":
            yield KeyedLine((*table, one), f"{one} = {_WRITTEN[one](value)}")
    yield from _stages(table, values.get("stage", ()))


def _stages(table: KeyPath, stages: Iterable[Stage]) -> Iterator[KeyedLine]:
    name = ".".join(part for part in (*table, "stage") if isinstance(part, str))
    for index, stage in enumerate(stages):
        yield KeyedLine((*table, "stage", index), f"[[{name}]]", gap=True)
        yield from _stage((*table, "stage", index), stage)


def _stage(table: KeyPath, stage: Stage) -> Iterator[KeyedLine]:
    if stage.rate is None:
        yield KeyedLine((*table, "users"), f"users = {stage.users}")
    else:
        yield KeyedLine((*table, "rate"), f"rate = {scalar(format_rate(stage.rate))}")
    yield KeyedLine((*table, "duration"), f"duration = {_duration(stage.duration)}")
    yield KeyedLine((*table, "ramp"), f"ramp = {_duration(stage.ramp)}", usual=not stage.ramp)


def _share(index: int, share: CaseShare) -> Iterator[KeyedLine]:
    table = ("case", index)
    yield KeyedLine(table, "[[case]]", gap=True)
    yield KeyedLine((*table, "file"), f"file = {scalar(share.file)}")
    yield KeyedLine((*table, "weight"), f"weight = {share.weight}", usual=share.weight == 1)
    if (schedule := share.schedule) is not None:
        start = f"start = {_duration(schedule.start)}"
        yield KeyedLine((*table, "start"), start, usual=not schedule.start)
        yield from _size(table, schedule)
        names = _OPTIONS.keys() & set(SCHEDULE_FIELDS)
        yield from _options(table, schedule, names - _meaningless(schedule))
        yield from _stages(table, schedule.stages)


def _meaningless(schedule: Schedule) -> set[str]:
    """Return the keys that cannot stand beside what else the schedule says."""
    found = {"ramp_up"} if schedule.stages else set()
    return found if schedule.open else found | {"arrivals", "patience"}


def _size(table: KeyPath, schedule: Schedule) -> Iterator[KeyedLine]:
    if schedule.open or not schedule.stages:
        yield KeyedLine((*table, "users"), f"users = {schedule.users}")
    if schedule.duration is not None and not schedule.stages:
        yield KeyedLine((*table, "duration"), f"duration = {_duration(schedule.duration)}")


def _options(
    table: KeyPath, written: LoadConfiguration | Schedule, names: Collection[str]
) -> Iterator[KeyedLine]:
    for name, write in _OPTIONS.items():
        value = getattr(written, name, None) if name in names else None
        if value is not None:  # there is no way to write that, other than not to
            usual = value == getattr(_USUAL, name)
            yield KeyedLine((*table, name), f"{name} = {write(value)}", usual=usual)


def _duration(seconds: float) -> str:
    return scalar(format_duration(seconds))


_USUAL = LoadConfiguration("", (), 1, 0.0)

#: Keys that need not be there, and how their values are written.
_OPTIONS: Mapping[str, Callable[[Any], str]] = {
    "rate": lambda rate: scalar(format_rate(rate)),
    "arrivals": scalar,
    "patience": _duration,
    "ramp_up": _duration,
    "iterations": scalar,
    "think_time": _think_time,
    "pacing": _pacing,
    "bandwidth": format_bandwidth,
    "on_error": scalar,
    "max_error_rate": lambda share: scalar(format_share(share)),
    "grace": _duration,
    "timeout": _duration,
    "body_limit": lambda size: scalar(format_size(size)),
    "keep_connections": scalar,
    "keep_state": scalar,
    "percentiles": lambda percentiles: inline_array([f"{one:g}" for one in percentiles]),
    "detailed_pages": scalar,
}

#: How the values of any key are written that stands in a line of its own.
_WRITTEN: Mapping[str, Callable[[Any], str]] = {
    **_OPTIONS,
    "users": scalar,
    "duration": _duration,
    "server": scalar,
}

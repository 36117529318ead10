"""Load configurations made and changed by words, as a person types them.

Values are written as in the file (docs/formats.md), without its quotes. Four keys have a form of
their own: ``stages``, ``think_time``, ``threshold`` and ``case``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from pytest_loadtool.casefile import parse_load
from pytest_loadtool.casefile.load.model import case_share
from pytest_loadtool.casefile.load.thresholds import parse_threshold
from pytest_loadtool.casefile.load.writer import load_lines
from pytest_loadtool.casefile.quantities import (
    format_duration,
    format_rate,
    parse_duration,
    parse_rate,
)
from pytest_loadtool.casefile.toml.render import KeyedLine, render
from pytest_loadtool.casefile.toml.schema import read_alone
from pytest_loadtool.codec.suggestions import did_you_mean
from pytest_loadtool.errors import FileError
from pytest_loadtool.model.load import (
    SCHEDULE_FIELDS,
    CaseShare,
    LoadConfiguration,
    Schedule,
    Stage,
    ThinkTime,
)
from pytest_loadtool.workflow.errors import LoadValueError

#: The value that leaves a key out.
NOTHING = "-"

#: Keys that are set as they stand in the file, and an example of each.
_PLAIN: Mapping[str, str] = {
    "users": "50",
    "rate": "10/s",
    "duration": "10m",
    "ramp_up": "30s",
    "iterations": "3",
    "arrivals": "poisson",
    "patience": "1s",
    "pacing": "30s",
    "bandwidth": "3G",
    "on_error": "stop iteration",
    "max_error_rate": "1%",
    "grace": "2m",
    "timeout": "30s",
    "body_limit": "8 MB",
    "keep_connections": "true",
    "keep_state": "true",
    "percentiles": "[50, 95, 99.9]",
    "detailed_pages": "true",
    "server": "http://127.0.0.1:8000",
    "name": "rush",
}

_BARE = re.compile(r"-?\d+(\.\d+)?|true|false|[\[{].*", re.ASCII | re.DOTALL)


def with_value(configuration: LoadConfiguration, key: str, text: str) -> LoadConfiguration:
    """Return the configuration with another value of ``key``; `NOTHING` leaves it out.

    Raises:
        LoadValueError: there is no such key (the text names the nearest), or it cannot have that
            value.
    """
    name = key.replace("-", "_")
    if name not in KEYS:
        known = did_you_mean(name, KEYS) or f": there are {', '.join(KEYS)}"
        raise LoadValueError(f"a load configuration has no {key!r}{known}")
    if name in _PLAIN:
        return _plain(configuration, name, text)
    try:
        changed = _SPECIAL[name][0](configuration, text.strip())
    except ValueError as error:
        raise LoadValueError(f"{key}: {error}") from None
    return checked(changed)


def checked(configuration: LoadConfiguration) -> LoadConfiguration:
    """Return a configuration that can be written and read again.

    Raises:
        LoadValueError: it cannot; the text says what does not go together.
    """
    return _read(render(line for line in load_lines(configuration) if not line.usual))


def _plain(configuration: LoadConfiguration, key: str, text: str) -> LoadConfiguration:
    lines = [one for one in load_lines(configuration) if one.path[0] != key and not one.usual]
    if text != NOTHING:
        value = text if _BARE.fullmatch(text) and key != "name" else json.dumps(text)
        lines.insert(1, KeyedLine((key,), f"{key} = {value}"))
    return _read(render(lines))


def _read(source: str) -> LoadConfiguration:
    try:
        return parse_load(source, "")
    except FileError as error:
        first = error.message.partition("\n")[0]
        raise LoadValueError(": ".join(one for one in (error.key, first) if one)) from None


def _stages(configuration: LoadConfiguration, text: str) -> LoadConfiguration:
    """Return the schedule with the stages of ``50:10m:2m``: 50 users for 10 minutes, the first 2 of
    which get there. Several: with blanks.

    What stages replace is left out: the duration and what else says how the load goes.
    """
    if text == NOTHING:
        length = configuration.duration or 60.0
        return replace(configuration, stages=(), duration=length, ramp_up=0.0)
    stages = tuple(map(_stage, text.split()))
    most = max(stage.users or 0 for stage in stages) or configuration.users
    return replace(
        configuration,
        stages=stages, users=most, duration=sum(stage.duration for stage in stages),
        rate=None, ramp_up=0.0, iterations=None,
    )  # fmt: skip


def _stage(word: str) -> Stage:
    level, *times = word.split(":")
    if not 1 <= len(times) <= 2:
        raise ValueError(f"{word!r} is no stage: write LEVEL:DURATION:RAMP, as in 50:10m:2m")
    durations = [parse_duration(one) for one in times]
    duration, ramp = (*durations, 0.0)[:2]
    if "/" in level:
        return Stage(duration, ramp, rate=parse_rate(level))
    if not level.isascii() or not level.isdecimal():
        raise ValueError(f"{level!r} is no number of users, and no rate such as 10/s")
    return Stage(duration, ramp, users=int(level))


def _think_time(configuration: LoadConfiguration, text: str) -> LoadConfiguration:
    """Return ``recorded``, ``none``, a factor (``0.5``), the longest (``5s``), or as in the
    file."""
    if text in ("recorded", NOTHING):
        return replace(configuration, think_time=ThinkTime())
    if text == "none":
        return replace(configuration, think_time=ThinkTime(scale=0.0))
    if text.startswith("{"):
        return _plain(configuration, "think_time", text)
    if re.fullmatch(r"\d+(\.\d+)?", text, re.ASCII):
        return replace(configuration, think_time=ThinkTime(scale=float(text)))
    return replace(configuration, think_time=ThinkTime(cap=parse_duration(text)))


def _threshold(configuration: LoadConfiguration, text: str) -> LoadConfiguration:
    """Return one more: ``p95 < 800 ms``."""
    if text == NOTHING:
        return replace(configuration, thresholds=())
    one = parse_threshold(text)
    if one in configuration.thresholds:
        return configuration
    return replace(configuration, thresholds=(*configuration.thresholds, one))


def _case(configuration: LoadConfiguration, text: str) -> LoadConfiguration:
    """Return a test case and its weight, ``api.case.toml:3``; one of weight 0 is taken out. With
    words such as ``users=5 duration=2m start=1m stage=50:1m`` it has a schedule of its own."""
    file, *words = text.split() or [""]
    file, colon, weight = file.rpartition(":")
    if not colon:
        file, weight = weight, "1"
    if not file or not weight.isascii() or not weight.isdecimal():
        raise ValueError(f"{text!r} is no test case with its weight: write api.case.toml:3")
    name = Path(file).as_posix()
    given = _scheduled(name, words) if words else CaseShare(name, int(weight))
    others = [one for one in configuration.cases if one.file != given.file]
    place = len(others)
    for index, one in enumerate(configuration.cases):
        if one.file == given.file:
            place = index
    if given.weight:
        others.insert(place, given)
    if not others:
        raise ValueError("it is the only test case: add another before")
    return _with_cases(configuration, tuple(others))


def _scheduled(file: str, words: Sequence[str]) -> CaseShare:
    table: dict[str, Any] = {"file": file}
    for word in words:
        key, equals, value = word.partition("=")
        name = key.replace("-", "_")
        if not equals:
            raise ValueError(f"{word!r} is nothing of a schedule: write users=5 or duration=2m")
        if name == "stage":
            table.setdefault("stage", []).append(_stage_table(_stage(value)))
        else:
            table[name] = int(value) if value.isascii() and value.isdecimal() else value
    return read_alone(case_share, table)


def _stage_table(stage: Stage) -> dict[str, Any]:
    """Return a stage as the file has it."""
    times = {"duration": format_duration(stage.duration), "ramp": format_duration(stage.ramp)}
    if stage.rate is None:
        return {"users": stage.users, **times}
    return {"rate": format_rate(stage.rate), **times}


def _with_cases(
    configuration: LoadConfiguration, cases: tuple[CaseShare, ...]
) -> LoadConfiguration:
    """Return the configuration with other test cases. Its own schedule goes with the last that
    shares it, and comes with the first: as it was for single ones, if there is none."""
    shared = any(one.schedule is None for one in cases)
    if shared == bool(configuration.users):
        return replace(configuration, cases=cases)
    last = Schedule(0, None) if not shared else configuration.populations[-1].schedule
    fields = {name: getattr(last, name) for name in SCHEDULE_FIELDS}
    return replace(configuration, cases=cases, **fields)


_Change = Callable[[LoadConfiguration, str], LoadConfiguration]
_SPECIAL: Mapping[str, tuple[_Change, str]] = {
    "stages": (_stages, "50:10m:2m 0:1m:1m"),
    "think_time": (_think_time, "0.5"),
    "threshold": (_threshold, "p95 < 800 ms"),
    "case": (_case, "api.case.toml:3"),
}

#: What can be set, with an example of each.
KEYS: Mapping[str, str] = {**_PLAIN, **{name: one for name, (_, one) in _SPECIAL.items()}}

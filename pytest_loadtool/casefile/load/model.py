"""The load model in a load configuration: how many users or arrivals, when, and how they behave."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from pytest_loadtool.casefile.quantities import parse_duration, parse_rate
from pytest_loadtool.casefile.toml.diagnostics import Problems
from pytest_loadtool.casefile.toml.positions import KeyPath
from pytest_loadtool.casefile.toml.schema import (
    Convert,
    Key,
    Node,
    Table,
    array,
    at_least,
    filled,
    number,
    one_of,
    parsed,
    tables,
)
from pytest_loadtool.casefile.toml.shape import shaped, takes
from pytest_loadtool.model.load import (
    CaseShare,
    Distribution,
    Override,
    Schedule,
    Stage,
    ThinkTime,
)


def complete(
    found: dict[str, Any],
    problems: Problems,
    overrides: Iterable[Override] = (),
    at: KeyPath = (),
) -> dict[str, Any]:
    """Return the values of `SCHEDULE`, which stand in the table ``at``, as the fields of a
    schedule, checked against each other.

    ``overrides`` are among them: a problem names those, as the file does not show them.
    """
    said = ", ".join(one.said for one in overrides)
    beside = f" (with {said})" if said else ""
    stages: Sequence[Stage] = found.pop("stage", ())
    is_open = "rate" in found or any(stage.rate is not None for stage in stages)
    for key, message in (*_contradictions(found, stages, is_open), *_odd_stages(stages)):
        problems.add((*at, *key), f"{message}{beside}")
    if not stages:
        return {"duration": None} | found
    most = max(stage.users or 0 for stage in stages)
    derived = {"duration": sum(stage.duration for stage in stages), "stages": tuple(stages)}
    return {"users": most} | found | derived


def _contradictions(
    found: Mapping[str, Any], stages: Sequence[Stage], is_open: bool
) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield keys that do not go together."""
    conflicting = _NOT_WITH_STAGES if stages else {}
    if is_open:
        conflicting = _NOT_WITH_RATES | conflicting
    if stages and not is_open:
        conflicting = _NOT_WITH_USERS | conflicting
    yield from (((key,), text) for key, text in conflicting.items() if key in found)
    if not is_open:
        only_open = [key for key in ("arrivals", "patience") if key in found]
        yield from (((key,), "only for a load with a 'rate'") for key in only_open)
    if is_open and "users" not in found:
        yield ("users",), "missing: write users = 100, the most that may be at work at once"
    if not stages and found.get("ramp_up", 0.0) > found.get("duration", float("inf")):
        yield ("ramp_up",), "must not be longer than 'duration', which includes it"


_NOT_WITH_STAGES = {
    "duration": "not with [[stage]]: each stage has its own",
    "ramp_up": "not with [[stage]]: give a stage a 'ramp'",
    "iterations": "not with [[stage]]: the stages say how long users are at work",
    "rate": "not with [[stage]]: each stage has its own",
}
_NOT_WITH_RATES = {
    "iterations": "not with a 'rate', which says how many there are: give a 'duration'",
    "pacing": "not with a 'rate', which says when iterations begin",
}
_NOT_WITH_USERS = {"users": "not with [[stage]]: the stages say how many"}


def _odd_stages(stages: Sequence[Stage]) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Yield stages that do not make a load together."""
    if not stages:
        return
    kind = "users" if stages[0].rate is None else "rate"
    for index, stage in enumerate(stages):
        if (stage.rate is None) != (kind == "users"):
            yield ("stage", index), f"needs '{kind}', as the first stage has it"
    if not any(stage.level for stage in stages):
        yield ("stage", 0, kind), "must be more than nothing in one stage at least"
    if not any(stage.duration for stage in stages):
        yield ("stage", 0, "duration"), "must be longer than 0s in one stage at least"


def _positive(parse: Callable[[str], float], what: str, unit: str = "") -> Convert[float]:
    """Return a quantity that is not nothing."""

    @takes("string")
    def convert(node: Node) -> float:
        value = parsed(parse, unit)(node)
        if not value:
            raise node.wrong(f"must be {what}")
        return value

    return convert


@shaped(lambda describe: describe(_STAGE))
def _stage(node: Node) -> Stage:
    found = _STAGE.read(node)
    if ("users" in found) == ("rate" in found):
        raise node.wrong('needs either users = 10 or rate = "50/s"')
    stage = Stage(**found)
    if stage.ramp > stage.duration:
        raise node.child("ramp", stage.ramp).wrong(
            "must not be longer than the stage's 'duration', which includes it"
        )
    return stage


@shaped(lambda describe: {"anyOf": [{"enum": ["recorded", "none"]}, describe(_THINK_TIME)]})
def _think_time(node: Node) -> ThinkTime:
    match node.value:
        case "recorded":
            return ThinkTime()
        case "none":
            return ThinkTime(scale=0.0)
        case dict():
            found = _THINK_TIME.read(node)
            _at_most_one(node, found, ("scale", *_DRAWN))
            drawn = next((found.pop(kind) for kind in _DRAWN if kind in found), None)
            return ThinkTime(**found, drawn=drawn)
    raise node.expected('"recorded", "none" or a table such as { scale = 0.5, cap = "5s" }')


@shaped(lambda describe: {"anyOf": [{"type": "string"}, describe(_PACING)]})
def _pacing(node: Node) -> Distribution:
    if isinstance(node.value, str):
        return Distribution("constant", (_duration(node),))
    if not isinstance(node.value, dict) or not node.value:
        raise node.expected('a duration, or a table such as { uniform = ["8s", "12s"] }')
    found = _PACING.read(node)
    _at_most_one(node, found, tuple(_DRAWN))
    (drawn,) = found.values()
    assert isinstance(drawn, Distribution)
    return drawn


def _at_most_one(node: Node, found: Mapping[str, Any], names: Sequence[str]) -> None:
    several = [name for name in names if name in found]
    if len(several) > 1:
        raise node.wrong(f"choose one of {', '.join(several)}")


@takes("string")
def _single(node: Node) -> Distribution:
    """Return a distribution of one parameter; its key is its kind."""
    return Distribution(node.at[-1], (_duration(node),))  # type: ignore[arg-type]  # of _DRAWN


@takes("array", items={"type": "string"}, minItems=2, maxItems=2)
def _double(node: Node) -> Distribution:
    """Return a distribution of two parameters."""
    values = array(_duration)(node)
    if len(values) != 2:
        raise node.expected('two durations such as ["1s", "5s"]')
    if node.at[-1] == "uniform" and values[0] > values[1]:
        raise node.wrong("the shorter duration comes first")
    return Distribution(node.at[-1], values)  # type: ignore[arg-type]  # of _DRAWN


_duration = parsed(parse_duration, "s")
_rate = parsed(parse_rate, "/s")

_DRAWN: Mapping[str, Key] = {
    "constant": Key(_single),
    "uniform": Key(_double),
    "normal": Key(_double),
    "exponential": Key(_single),
}
_THINK_TIME: Table = Table("'think_time'", {"scale": Key(number), "cap": Key(_duration), **_DRAWN})
_PACING: Table = Table("'pacing'", _DRAWN)

_STAGE: Table = Table(
    "a stage of the load configuration",
    {
        "users": Key(at_least(0)),
        "rate": Key(_rate),
        "duration": Key(_duration, 'duration = "1m"'),
        "ramp": Key(_duration),
    },
    {"ramp_up": "to a load without stages: here it is 'ramp', which may go down, too"},
)

#: The keys that say when users begin iterations.
SCHEDULE: Mapping[str, Key] = {
    "users": Key(at_least(1), "users = 10", unless=("stage",)),
    "rate": Key(_positive(parse_rate, "more than 0/s", "/s")),
    "arrivals": Key(one_of("even", "poisson")),
    "patience": Key(_duration),
    "duration": Key(
        _positive(parse_duration, "longer than 0s", "s"),
        'duration = "30s"',
        unless=("stage", "iterations"),
    ),
    "ramp_up": Key(_duration),
    "iterations": Key(at_least(1)),
    "stage": Key(tables(_stage, "stage")),
    "pacing": Key(_pacing),
}

#: The keys that say what the load is.
MODEL: Mapping[str, Key] = {
    **SCHEDULE,
    "think_time": Key(_think_time),
    "on_error": Key(one_of("continue", "stop iteration", "stop user")),
}

_CASE: Table = Table(
    "a case of the load configuration",
    {"file": Key(filled, 'file = "….case.toml"'), "weight": Key(at_least(1))},
)
_SCHEDULED_CASE: Table = Table(
    "a case of the load configuration with a schedule of its own",
    {
        "file": _CASE.keys["file"],
        "start": Key(_duration),
        **SCHEDULE,
        "stage": Key(tables(_stage, "case.stage")),
    },
    {"weight": "to cases that share the schedule of the file"},
)


@shaped(lambda describe: {"anyOf": [describe(_CASE), describe(_SCHEDULED_CASE)]})
def case_share(node: Node) -> CaseShare:
    """Return a test case of a load configuration: one with a schedule of its own if it has any key
    of one."""
    if not _is_scheduled(node.value):
        return CaseShare(**_CASE.read(node))
    found = _SCHEDULED_CASE.read(node)
    file = found.pop("file")
    fields = complete(found, node.problems, at=node.at)
    fields.setdefault("users", 1)  # that they are missing is noted
    return CaseShare(file, schedule=Schedule(**fields))


def shares_schedule(load: Mapping[str, object]) -> bool:
    """Return whether a load configuration, as it stands in the file, has a test case without a
    schedule of its own, or none at all."""
    cases = load.get("case")
    return not (isinstance(cases, list) and cases and all(map(_is_scheduled, cases)))


def _is_scheduled(case: object) -> bool:
    return isinstance(case, dict) and not case.keys().isdisjoint({*SCHEDULE, "start"})


MODEL_TABLES = (_STAGE, _THINK_TIME, _PACING, _CASE, _SCHEDULED_CASE)

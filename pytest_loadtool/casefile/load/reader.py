"""``*.load.toml`` to `LoadConfiguration`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

from pytest_loadtool.casefile.files import read_text
from pytest_loadtool.casefile.load.bandwidth import BANDWIDTH, bandwidth
from pytest_loadtool.casefile.load.fleet import FLEET, fleet
from pytest_loadtool.casefile.load.model import (
    MODEL,
    MODEL_TABLES,
    SCHEDULE,
    case_share,
    complete,
    shares_schedule,
)
from pytest_loadtool.casefile.load.overrides import PROFILE, laid_over, overridden
from pytest_loadtool.casefile.load.thresholds import parse_threshold
from pytest_loadtool.casefile.quantities import parse_duration, parse_share, parse_size
from pytest_loadtool.casefile.syntax import base_url, profile_name
from pytest_loadtool.casefile.toml.diagnostics import Problems
from pytest_loadtool.casefile.toml.schema import (
    Key,
    Node,
    Table,
    array,
    boolean,
    document,
    filled,
    integer,
    named,
    number,
    parsed,
    tables,
)
from pytest_loadtool.casefile.toml.shape import takes
from pytest_loadtool.casefile.trust import TRUSTED, Trust, named_path
from pytest_loadtool.codec.suggestions import did_you_mean
from pytest_loadtool.errors import FileError
from pytest_loadtool.model.load import LoadConfiguration, Override


def parse_load(source: str, path: str) -> LoadConfiguration:
    """Return the load configuration that a file's text says. ``path`` is what errors call it.

    Raises:
        FileError: something in it is wrong; the test cases are not looked at.
    """
    configuration, problems = _load(source, path)
    problems.raise_any()
    return configuration


def read_load(
    path: Path, trust: Trust = TRUSTED, overrides: Sequence[Override] = ()
) -> LoadConfiguration:
    """Return the load configuration in a file, with ``overrides`` in place of its own values; its
    test case files must exist, and be where ``trust`` lets them be.

    Raises:
        FileError: something in it is wrong, or does not go with ``overrides``.
    """
    configuration, problems = _load(read_text(path), str(path), overrides)
    for index, share in enumerate(configuration.cases):
        try:
            file = named_path(path, share.file, trust)
        except FileError as error:
            problems.add(("case", index, "file"), f"{share.file}: {error.message}")
            continue
        if not file.is_file():
            known = [one.name for one in file.parent.glob("*.case.toml")]
            problems.add(
                ("case", index, "file"),
                f"no such file: {share.file}{did_you_mean(file.name, known)}",
            )
    problems.raise_any()
    return configuration


def _load(
    source: str, path: str, overrides: Sequence[Override] = ()
) -> tuple[LoadConfiguration, Problems]:
    found, problems = document(source, path, _LOAD)
    profiles = found.pop("profile", {})
    for one in overrides:
        if one.key == PROFILE and one.text in profiles:
            found = laid_over(found, profiles[one.text])
        elif one.key == PROFILE:
            known = did_you_mean(one.text, profiles) or ": write it, or leave the option out"
            problems.add((), f"there is no [profile.{one.text}] for {one.said}{known}")
    found = overridden(found, overrides)
    if any(case.schedule is None for case in found["case"]):
        found = complete(found, problems, overrides)
    else:
        for key in found.keys() & SCHEDULE:
            problems.add((key,), "every [[case]] has a schedule of its own: leave this out")
        found |= {"users": 0, "duration": None}
    if "max_error_rate" in found and any(
        one.replaces_error_rate for one in found.get("thresholds", ())
    ):
        problems.add(("max_error_rate",), "'thresholds' has an error rate, too: leave one out")
    del found["format"]
    cases = found.pop("case")
    return (
        LoadConfiguration(
            cases=cases, overrides=tuple(overrides), profiles=MappingProxyType(profiles), **found
        ),
        problems,
    )


@takes("string")
def _positive_duration(node: Node) -> float:
    seconds = parsed(parse_duration, "s")(node)
    if not seconds:
        raise node.wrong("must be longer than 0s")
    return seconds


@takes("array", items={"type": "number", "exclusiveMinimum": 0, "maximum": 100}, minItems=1)
def _percentiles(node: Node) -> tuple[float, ...]:
    found = array(number)(node)
    if not found or not all(0 < one <= 100 and one == round(one, 3) for one in found):
        raise node.wrong("must be numbers above 0, up to 100, such as [50, 95, 99.9]")
    return tuple(sorted(set(found)))


#: The keys that a profile may have, too.
_SETTINGS: Mapping[str, Key] = {
    **MODEL,
    "bandwidth": Key(bandwidth),
    "max_error_rate": Key(parsed(parse_share, "%")),
    "thresholds": Key(array(parsed(parse_threshold))),
    "grace": Key(parsed(parse_duration, "s")),
    "timeout": Key(_positive_duration),
    "body_limit": Key(parsed(parse_size, "MB")),
    "keep_connections": Key(boolean),
    "keep_state": Key(boolean),
    "percentiles": Key(_percentiles),
    "detailed_pages": Key(boolean),
    "server": Key(parsed(base_url)),
}

_PROFILE: Table = Table(
    "a profile",
    {name: Key(key.convert) for name, key in _SETTINGS.items()},
    {"case": "at the top of the file: a profile has the same test cases"},
)

_LOAD: Table = Table(
    "the load configuration",
    {
        "format": Key(integer, "format = 1"),
        "name": Key(filled, 'name = "…"'),
        **_SETTINGS,
        "users": replace(MODEL["users"], needed=shares_schedule),
        "duration": replace(MODEL["duration"], needed=shares_schedule),
        "profile": Key(named(profile_name, _PROFILE.read)),
        "fleet": Key(fleet),
        "case": Key(tables(case_share, "case"), "at least one [[case]]"),
    },
)

#: Every kind of table in the file.
TABLES = (_LOAD, _PROFILE, BANDWIDTH, FLEET, *MODEL_TABLES)

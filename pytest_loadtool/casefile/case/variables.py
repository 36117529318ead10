"""The tables ``[variables]`` and ``[profile.NAME]`` of a test case."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields
from datetime import timedelta
from math import isfinite
from types import MappingProxyType
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pytest_loadtool.casefile.syntax import base_url, template, variable_name
from pytest_loadtool.casefile.toml.schema import (
    Convert,
    Key,
    Node,
    Table,
    array,
    at_least,
    filled,
    integer,
    named,
    parsed,
    read_alone,
    text,
)
from pytest_loadtool.casefile.toml.shape import shaped, takes
from pytest_loadtool.codec.suggestions import did_you_mean
from pytest_loadtool.model.case import CaseProfile, Variable
from pytest_loadtool.model.generator import (
    ALPHABETS,
    ChosenText,
    Date,
    Fake,
    Generator,
    Number,
    RandomText,
    Sequence,
    Timestamp,
    Uuid,
)

#: The kinds of generators; the fields of each are its keys.
GENERATORS: dict[str, type[Generator]] = {
    "uuid": Uuid,
    "random": RandomText,
    "timestamp": Timestamp,
    "sequence": Sequence,
    "choice": ChosenText,
    "number": Number,
    "date": Date,
    "faker": Fake,
}
#: An example of the keys that have to be there.
_NEEDED = {
    "choices": '["red", "green"]',
    "min": "1",
    "max": "100",
    "provider": '"name"',
}
_DETAILS = tuple(dict.fromkeys(one.name for kind in GENERATORS.values() for one in fields(kind)))
#: The keys that say where the value comes from. A variable has one of them, or an extractor.
_ORIGINS = ("value", "env", "keyring", "template", "generate")


@shaped(lambda describe: {"anyOf": [{"type": "string"}, describe(VARIABLE)]})
def variable(node: Node) -> Variable:
    """Return a variable: its value, or a table."""
    name = str(node.at[-1])
    if not isinstance(node.value, str | dict):
        raise node.expected('text, or a table such as { env = "NAME" }')
    if isinstance(node.value, str):
        return Variable(name, node.value)
    found = VARIABLE.read(node)
    origins = [one for one in _ORIGINS if one in found]
    if len(origins) > 1:
        raise node.wrong(f"expected {origins[0]!r} or {origins[1]!r}, got both")
    if ("keyring" in found) != ("username" in found):
        raise node.wrong(
            "expected 'keyring' and 'username' together: a service, and whose password"
        )
    generate = _generator(node, found)
    return Variable(name, generate=generate, **found)


def _generator(node: Node, found: dict[str, Any]) -> Generator | None:
    """Return the generator that ``found`` describes, whose keys are taken out of it."""
    kind = found.pop("generate", "")
    details = {name: found.pop(name) for name in _DETAILS if name in found}
    known = fields(GENERATORS[kind]) if kind else ()
    names = [one.name for one in known]
    for name in details:
        if name not in names:
            kinds = [one for one, each in GENERATORS.items() if name in generator_keys(each)]
            owners = " or ".join(f'"{one}"' for one in kinds)
            raise node.child(name, details[name]).wrong(f"{name!r} belongs to generate = {owners}")
    for one in known:
        if one.name in _NEEDED and one.name not in details:
            raise node.wrong(f'generate = "{kind}" needs {one.name} = {_NEEDED[one.name]}')
    if kind == "number" and details["max"] < details["min"]:
        raise node.child("max", details["max"]).wrong("must not be smaller than min")
    return GENERATORS[kind](**details) if kind else None


def generator_keys(kind: type[Generator]) -> tuple[str, ...]:
    """Return the keys that a kind of generators takes."""
    return tuple(one.name for one in fields(kind))


def parse_generator(table: Mapping[str, Any]) -> Generator:
    """Return the generator that a table describes.

    Raises:
        ValueError: it describes none; the text says why.
    """
    made = read_alone(variable, table, ("generate",)).generate
    if made is None:
        raise ValueError(f"expected generate = one of {', '.join(GENERATORS)}")
    return made


def _one_of(known: Iterable[str]) -> Convert[str]:
    names = tuple(known)

    @takes(enum=names)
    def convert(node: Node) -> str:
        if node.value in names:
            return str(node.value)
        if isinstance(node.value, str) and (near := did_you_mean(node.value, names)):
            raise node.wrong(f"{node.value!r} is not known{near}")
        *most, last = (f'"{one}"' for one in names)
        raise node.expected(f"{', '.join(most)} or {last}")

    return convert


@shaped(lambda describe: describe(PROFILE))
def case_profile(node: Node) -> CaseProfile:
    """Return a profile of a test case."""
    found = PROFILE.read(node)
    return CaseProfile(found.get("server", ""), MappingProxyType(found.get("variables", {})))


@takes("array", "object", minItems=1, minProperties=1)
def _choices(node: Node) -> Mapping[str, int]:
    """Return texts with their weights: as a table, or alike as an array."""
    if isinstance(node.value, dict):
        found = named(str, at_least(1))(node)
    else:
        found = dict.fromkeys(array(text)(node), 1)
    if not found:
        raise node.wrong("must not be empty")
    return MappingProxyType(found)


@takes("number")
def _any_number(node: Node) -> float:
    if not isinstance(node.value, int | float) or isinstance(node.value, bool):
        raise node.expected("a number")
    if not isfinite(node.value):
        raise node.expected("a finite number")
    return node.value


@shaped(lambda describe: describe(_OFFSET))
def _offset(node: Node) -> Mapping[str, float]:
    """Return the arguments of a ``timedelta``."""
    found = _OFFSET.read(node)
    try:
        timedelta(**found)
    except OverflowError as error:
        raise node.wrong(f"too large: {error}") from None
    return MappingProxyType(found)


_UNITS_OF_TIME = ("weeks", "days", "hours", "minutes", "seconds")
_OFFSET: Table = Table("an offset", {one: Key(_any_number) for one in _UNITS_OF_TIME})


@takes("string", minLength=1)
def _timezone(node: Node) -> str:
    name = filled(node)
    try:
        ZoneInfo(name)
    except (ValueError, OSError, ZoneInfoNotFoundError):
        raise node.expected(
            'a time zone that this machine knows, such as "Europe/Berlin"'
        ) from None
    return name


@takes("string", "number", "boolean")
def _argument(node: Node) -> str | float | bool:
    if not isinstance(node.value, str | int | float):
        raise node.expected("text, a number, true or false")
    return node.value


@shaped(lambda describe: {"type": "object", "additionalProperties": describe(_argument)})
def _arguments(node: Node) -> Mapping[str, str | float | bool]:
    return MappingProxyType(named(str, _argument)(node))


VARIABLE: Table = Table(
    "a variable",
    {
        "value": Key(text),
        "env": Key(filled),
        "keyring": Key(filled),
        "username": Key(filled),
        "template": Key(parsed(template)),
        "generate": Key(_one_of(GENERATORS)),
        "length": Key(at_least(1)),
        "alphabet": Key(_one_of(ALPHABETS)),
        "unit": Key(_one_of(("s", "ms", "us", "iso"))),
        "start": Key(integer),
        "step": Key(integer),
        "choices": Key(_choices),
        "min": Key(_any_number),
        "max": Key(_any_number),
        "decimals": Key(at_least(0)),
        "format": Key(filled),
        "offset": Key(_offset),
        "timezone": Key(_timezone),
        "provider": Key(filled),
        "locale": Key(filled),
        "arguments": Key(_arguments),
        "seed": Key(integer),
        "recorded": Key(text),
        "set_by": Key(_one_of(("asm", "person"))),
        "rule": Key(text),
    },
)
PROFILE: Table = Table(
    "a profile",
    {
        "server": Key(parsed(base_url)),
        "variables": Key(named(variable_name, variable)),
    },
)

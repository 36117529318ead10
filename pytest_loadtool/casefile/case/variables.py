"""The tables ``[variables]`` and ``[profile.NAME]`` of a test case."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from types import MappingProxyType
from typing import Any

from pytest_loadtool.casefile.syntax import base_url, template, variable_name
from pytest_loadtool.casefile.toml.schema import (
    Convert,
    Key,
    Node,
    Table,
    at_least,
    filled,
    named,
    parsed,
    text,
)
from pytest_loadtool.codec.suggestions import did_you_mean
from pytest_loadtool.model.case import CaseProfile, Variable
from pytest_loadtool.model.generator import ALPHABETS, Generator, RandomText, Timestamp, Uuid

#: The kinds of generators, and the keys that each takes.
_GENERATORS: dict[str, tuple[Callable[..., Generator], tuple[str, ...]]] = {
    "uuid": (Uuid, ()),
    "random": (RandomText, ("length", "alphabet")),
    "timestamp": (Timestamp, ("unit",)),
}
_DETAILS = ("length", "alphabet", "unit")
#: The keys that say where the value comes from. A variable has one of them, or an extractor.
_ORIGINS = ("value", "env", "keyring", "template", "generate")


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
    make, known = _GENERATORS.get(kind, (None, ()))
    for name in details:
        if name not in known:
            owner = next(one for one, (_, names) in _GENERATORS.items() if name in names)
            raise node.child(name, details[name]).wrong(f'{name!r} belongs to generate = "{owner}"')
    return None if make is None else make(**details)


def _one_of(known: Iterable[str]) -> Convert[str]:
    names = tuple(known)

    def convert(node: Node) -> str:
        if node.value in names:
            return str(node.value)
        if isinstance(node.value, str) and (near := did_you_mean(node.value, names)):
            raise node.wrong(f"{node.value!r} is not known{near}")
        *most, last = (f'"{one}"' for one in names)
        raise node.expected(f"{', '.join(most)} or {last}")

    return convert


def case_profile(node: Node) -> CaseProfile:
    """Return a profile of a test case."""
    found = PROFILE.read(node)
    return CaseProfile(found.get("server", ""), MappingProxyType(found.get("variables", {})))


VARIABLE = Table(
    "a variable",
    {
        "value": Key(text),
        "env": Key(filled),
        "keyring": Key(filled),
        "username": Key(filled),
        "template": Key(parsed(template)),
        "generate": Key(_one_of(_GENERATORS)),
        "length": Key(at_least(1)),
        "alphabet": Key(_one_of(ALPHABETS)),
        "unit": Key(_one_of(("s", "ms", "us", "iso"))),
        "recorded": Key(text),
        "set_by": Key(_one_of(("asm", "person"))),
        "rule": Key(text),
    },
)
PROFILE = Table(
    "a profile",
    {
        "server": Key(parsed(base_url)),
        "variables": Key(lambda node: named(variable_name, variable)(node)),
    },
)

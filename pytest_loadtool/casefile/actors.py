"""Extractors and validators: from their tables to the model."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from pytest_loadtool.casefile.schema import (
    Key,
    Node,
    Table,
    array,
    at_least,
    boolean,
    filled,
    parsed,
    text,
)
from pytest_loadtool.casefile.syntax import json_path, pattern, template, token, variable_name
from pytest_loadtool.model.extractor import (
    Boundary,
    CookieValue,
    Extractor,
    FormField,
    HeaderValue,
    JsonPath,
    RegularExpression,
    Source,
)
from pytest_loadtool.model.validator import (
    JsonValidator,
    RegexValidator,
    TextValidator,
    Validator,
)

__all__ = ["EXTRACTOR", "VALIDATOR", "extractor", "validator"]


def _boundary(node: Node) -> tuple[str, ...]:
    sides = array(text)(node)
    if len(sides) != 2 or not any(sides):
        raise node.wrong('expected two texts, ["left", "right"], not both empty')
    return sides


def _equals(node: Node) -> str | int | float | bool:
    if isinstance(node.value, str):
        return parsed(template)(node)
    if not isinstance(node.value, int | float):
        raise node.expected("text, a number, true or false")
    return node.value


def _searched(node: Node) -> str:
    needle = parsed(template)(node)
    if not needle:
        raise node.wrong("must not be empty: every response would contain it")
    return needle


EXTRACTOR = Table(
    "an extractor",
    {
        "variable": Key(parsed(variable_name), 'variable = "…"'),
        "json": Key(parsed(json_path)),
        "form": Key(filled),
        "split": Key(at_least(2)),
        "cookie": Key(filled),
        "header": Key(parsed(token)),
        "pattern": Key(parsed(pattern)),
        "regex": Key(parsed(pattern)),
        "boundary": Key(_boundary),
        "match": Key(at_least(1)),
    },
)

#: Where a value is taken from: one of these keys must be there.
_SOURCES: Mapping[str, Callable[[dict[str, Any]], Source]] = {
    "json": lambda found: JsonPath(found["json"]),
    "form": lambda found: FormField(found["form"], found.get("split", 0)),
    "cookie": lambda found: CookieValue(found["cookie"]),
    "header": lambda found: HeaderValue(found["header"], found.get("pattern")),
    "regex": lambda found: RegularExpression(found["regex"]),
    "boundary": lambda found: Boundary(*found["boundary"]),
}

VALIDATOR = Table(
    "a validator",
    {
        "text": Key(_searched),
        "regex": Key(parsed(pattern)),
        "json": Key(parsed(json_path)),
        "equals": Key(_equals),
        "absent": Key(boolean),
    },
)

_KINDS: Mapping[str, Callable[[dict[str, Any]], Validator]] = {
    "text": lambda found: TextValidator(found["text"], found.get("absent", False)),
    "regex": lambda found: RegexValidator(found["regex"], found.get("absent", False)),
    "json": lambda found: JsonValidator(
        found["json"], found.get("equals"), found.get("absent", False)
    ),
}


def extractor(node: Node) -> Extractor:
    """An entry of ``extractors``."""
    found = EXTRACTOR.read(node)
    source = _only(node, found, _SOURCES)
    if "pattern" in found and source != "header":
        raise node.child("pattern", None).wrong(
            "goes with 'header' only: write the regular expression as regex = '…'"
        )
    if "split" in found:
        _check_split(node.child("split", found["split"]), found)
    return Extractor(found["variable"], _SOURCES[source](found), found.get("match", 1))


def _check_split(node: Node, found: Mapping[str, Any]) -> None:
    if "form" not in found or "match" in found:
        raise node.wrong("goes with 'form' only, and not with 'match'")
    name, split = found["form"], found["split"]
    number = int(name.removeprefix(name.rstrip("0123456789")) or 0)
    if number >= split:
        raise node.wrong(f"the fields of a state in {split} fields are numbered up to {split - 1}")


def validator(node: Node) -> Validator:
    """An entry of ``validators``."""
    found = VALIDATOR.read(node)
    kind = _only(node, found, _KINDS)
    if "equals" in found and kind != "json":
        raise node.child("equals", None).wrong("goes with 'json' only")
    return _KINDS[kind](found)


def _only(node: Node, found: Mapping[str, Any], known: Iterable[str]) -> str:
    present = [name for name in known if name in found]
    if len(present) == 1:
        return present[0]
    got = " and ".join(repr(name) for name in present) or "none"
    raise node.wrong(f"expected one of {', '.join(known)}; got {got}")

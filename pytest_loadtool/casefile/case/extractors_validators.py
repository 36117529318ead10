"""Extractors and validators: from their tables to the model."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from pytest_loadtool.casefile.syntax import (
    pattern,
    sought_path,
    sought_pattern,
    sought_xml_path,
    template,
    token,
    variable_name,
)
from pytest_loadtool.casefile.toml.schema import (
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
from pytest_loadtool.codec.decoding import DECODINGS
from pytest_loadtool.codec.suggestions import did_you_mean
from pytest_loadtool.model.extractor import (
    Boundary,
    CookieValue,
    Decoded,
    Extractor,
    FormField,
    HeaderValue,
    JsonPath,
    RegularExpression,
    Source,
    XmlPath,
)
from pytest_loadtool.model.validator import (
    JsonValidator,
    Outcome,
    RegexValidator,
    TextValidator,
    Validator,
)

_Sources = Mapping[str, Callable[[Mapping[str, Any]], Source]]


def _boundary(node: Node) -> tuple[str, ...]:
    sides = array(text)(node)
    if len(sides) != 2 or not any(sides):
        raise node.wrong('expected two texts, ["left", "right"], not both empty')
    return array(parsed(template))(node)


def _name(node: Node) -> str:
    filled(node)
    return parsed(template)(node)


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


def _decode(node: Node) -> tuple[str, ...]:
    """One decoding, or several, from left to right."""
    if not isinstance(node.value, list):
        return (parsed(_decoding)(node),)
    if not node.value:
        raise node.wrong(f"must not be empty: name one or more of {', '.join(DECODINGS)}")
    return array(parsed(_decoding))(node)


def _decoding(name: str) -> str:
    if name not in DECODINGS:
        near = did_you_mean(name, DECODINGS) or f": expected one of {', '.join(DECODINGS)}"
        raise ValueError(f"{name!r} is not a decoding{near}")
    return name


def _then(node: Node) -> tuple[Source, int]:
    return _source(node, _THEN.read(node), _IN_TEXT)


#: What is read in a text, be it a body or what is decoded.
_READING = {
    "json": Key(parsed(sought_path)),
    "xml": Key(parsed(sought_xml_path)),
    "form": Key(_name),
    "regex": Key(parsed(sought_pattern)),
    "boundary": Key(_boundary),
    "match": Key(at_least(1)),
    "decode": Key(_decode),
    "then": Key(_then),
}

EXTRACTOR = Table(
    "an extractor",
    {
        "variable": Key(parsed(variable_name), 'variable = "…"'),
        "cookie": Key(_name),
        "header": Key(parsed(token)),
        "pattern": Key(parsed(sought_pattern)),
        "split": Key(at_least(2)),
        "by_place": Key(boolean),
        **_READING,
    },
)

_THEN = Table(
    "'then'",
    _READING,
    elsewhere=dict.fromkeys(("cookie", "header"), "beside 'then': a text has no headers"),
)

#: Where a value is taken from: one of these keys must be there.
_SOURCES: _Sources = {
    "json": lambda found: JsonPath(found["json"]),
    "xml": lambda found: XmlPath(found["xml"]),
    "form": lambda found: FormField(found["form"], found.get("split", 0)),
    "cookie": lambda found: CookieValue(found["cookie"]),
    "header": lambda found: HeaderValue(found["header"], found.get("pattern")),
    "regex": lambda found: RegularExpression(found["regex"]),
    "boundary": lambda found: Boundary(*found["boundary"]),
}

_IN_TEXT = {name: read for name, read in _SOURCES.items() if name in _READING}

VALIDATOR = Table(
    "a validator",
    {
        "outcome": Key(filled),
        "change": Key(filled),
        "text": Key(_searched),
        "row": Key(_searched),
        "regex": Key(parsed(pattern)),
        "json": Key(parsed(sought_path)),
        "equals": Key(_equals),
        "absent": Key(boolean),
    },
)

_KINDS: Mapping[str, Callable[[dict[str, Any], Outcome | None], Validator]] = {
    "text": lambda found, outcome: TextValidator(
        found["text"], found.get("absent", False), found.get("row", ""), outcome
    ),
    "regex": lambda found, outcome: RegexValidator(
        found["regex"], found.get("absent", False), outcome
    ),
    "json": lambda found, outcome: JsonValidator(
        found["json"], found.get("equals"), found.get("absent", False), outcome
    ),
}
#: What goes with one kind alone.
_OF_KIND = {"equals": "json", "row": "text"}


def extractor(node: Node) -> Extractor:
    """An entry of ``extractors``."""
    found = EXTRACTOR.read(node)
    return Extractor(
        found["variable"],
        *_source(node, found, _SOURCES),
        by_place=found.get("by_place", False),
        line=node.problems.layout.line(node.at),
    )


def _source(node: Node, found: Mapping[str, Any], sources: _Sources) -> tuple[Source, int]:
    """Where a table takes a value from, and which match of it."""
    kind = _only(node, found, sources)
    if "pattern" in found and kind != "header":
        raise node.child("pattern", None).wrong(
            "goes with 'header' only: write the regular expression as regex = '…'"
        )
    if "split" in found:
        _check_split(node.child("split", found["split"]), found)
    source, match = sources[kind](found), found.get("match", 1)
    if "decode" in found or "then" in found:
        source = Decoded(source, found.get("decode", ()), *found.get("then", ()))
    return source, match


def _check_split(node: Node, found: Mapping[str, Any]) -> None:
    if "form" not in found or "match" in found:
        raise node.wrong("goes with 'form' only, and not with 'match'")
    name, split = found["form"], found["split"]
    if "${" in name:
        raise node.wrong("goes with a name that is known: not with a placeholder")
    number = name.removeprefix(name.rstrip("0123456789")).lstrip("0")
    if len(number) > len(str(split)) or int(number or 0) >= split:
        raise node.wrong(f"the fields of a state in {split} fields are numbered up to {split - 1}")


def validator(node: Node) -> Validator:
    """An entry of ``validators``."""
    found = VALIDATOR.read(node)
    kind = _only(node, found, _KINDS)
    for key, whose in _OF_KIND.items():
        if key in found and kind != whose:
            raise node.child(key, None).wrong(f"goes with {whose!r} only")
    return _KINDS[kind](found, _outcome(node, found))


def _outcome(node: Node, found: Mapping[str, Any]) -> Outcome | None:
    if "outcome" in found:
        return Outcome(found["outcome"], found.get("change", ""))
    if "change" in found:
        raise node.child("change", None).wrong("goes with 'outcome', which says what came of it")
    return None


def _only(node: Node, found: Mapping[str, Any], known: Iterable[str]) -> str:
    present = [name for name in known if name in found]
    if len(present) == 1:
        return present[0]
    got = " and ".join(repr(name) for name in present) or "none"
    raise node.wrong(f"expected one of {', '.join(known)}; got {got}")

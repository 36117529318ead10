"""Extractors and validators: from their tables to the model."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from pytest_loadtool.casefile.case.comparisons import COMPARISON_KEYS, compared, searched
from pytest_loadtool.casefile.syntax import (
    form_action,
    item_kind,
    link_address,
    pattern,
    sought_path,
    sought_pattern,
    sought_xml_path,
    template,
    token,
    variable_name,
)
from pytest_loadtool.casefile.toml.diagnostics import Problems
from pytest_loadtool.casefile.toml.positions import KeyPath, scan
from pytest_loadtool.casefile.toml.schema import (
    Key,
    Node,
    Rejected,
    Table,
    array,
    at_least,
    boolean,
    filled,
    one_of,
    parsed,
    text,
)
from pytest_loadtool.codec.decoding import DECODINGS
from pytest_loadtool.codec.suggestions import did_you_mean
from pytest_loadtool.errors import FileError
from pytest_loadtool.model.extractor import (
    Boundary,
    Choice,
    CookieValue,
    Decoded,
    Extractor,
    FormField,
    HeaderValue,
    InItem,
    JsonPath,
    Link,
    RegularExpression,
    Source,
    XmlPath,
)
from pytest_loadtool.model.validator import (
    MEASURES,
    HeaderValidator,
    JsonValidator,
    Outcome,
    RegexValidator,
    ResponseValidator,
    TextValidator,
    Validator,
    ValueValidator,
    XmlValidator,
)

_Read = TypeVar("_Read")
_Sources = Mapping[str, Callable[[Mapping[str, Any]], Source]]


def _boundary(node: Node) -> tuple[str, ...]:
    sides = array(text)(node)
    if len(sides) != 2 or not any(sides):
        raise node.wrong('expected two texts, ["left", "right"], not both empty')
    return array(parsed(template))(node)


def _name(node: Node) -> str:
    filled(node)
    return parsed(template)(node)


def _decode(node: Node) -> tuple[str, ...]:
    """Return one decoding, or several, from left to right."""
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
    "action": Key(parsed(form_action)),
    "link": Key(parsed(link_address)),
    "choice": Key(_name),
    "label": Key(_name),
    "in_item": Key(_name),
    "item": Key(parsed(item_kind)),
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
    "form": lambda found: FormField(found["form"], found.get("split", 0), found.get("action", "")),
    "link": lambda found: Link(found["link"], found.get("label", "")),
    "choice": lambda found: Choice(found["choice"], found["label"]),
    "cookie": lambda found: CookieValue(found["cookie"]),
    "header": lambda found: HeaderValue(found["header"], found.get("pattern")),
    "regex": lambda found: RegularExpression(found["regex"]),
    "boundary": lambda found: Boundary(*found["boundary"]),
}

#: What goes with some kinds alone, and what to write instead.
_GOES_WITH: Mapping[str, tuple[tuple[str, ...], str]] = {
    "pattern": (("header",), ": write the regular expression as regex = '…'"),
    "action": (("form",), ""),
    "label": (("link", "choice"), ""),
    "in_item": (
        ("form", "link", "choice", "regex", "boundary"),
        ': in JSON and XML, the path has the text, as in [?(@.name=="Tea")] and [name="Tea"]',
    ),
}

_IN_TEXT = {name: read for name, read in _SOURCES.items() if name in _READING}

#: The kinds of validators: the key that says what is looked at, and that key's name in the model.
_KINDS: Mapping[str, tuple[type[Validator], str]] = {
    "text": (TextValidator, "text"),
    "regex": (RegexValidator, "pattern"),
    "json": (JsonValidator, "path"),
    "xml": (XmlValidator, "path"),
    "header": (HeaderValidator, "name"),
    "response": (ResponseValidator, "measure"),
    "value": (ValueValidator, "value"),
}

VALIDATOR = Table(
    "a validator",
    {
        "outcome": Key(filled),
        "change": Key(filled),
        "before": Key(boolean),
        "needed": Key(boolean),
        "edited": Key(boolean),
        "text": Key(searched),
        "row": Key(searched),
        "regex": Key(parsed(pattern)),
        "json": Key(parsed(sought_path)),
        "xml": Key(parsed(sought_xml_path)),
        "header": Key(parsed(token)),
        "response": Key(one_of(*MEASURES)),
        "value": Key(_name),
        "count": Key(boolean),
        **COMPARISON_KEYS,
        "absent": Key(boolean),
        "unrepeated": Key(boolean),
    },
)

#: What goes with some kinds alone.
_OF_KIND = {
    "row": ("text",),
    "unrepeated": ("text", "json"),
    "count": ("text", "regex", "json", "xml", "header"),
}
#: What says something else of how often it is there, or where.
_NOT_REPEATED = ("absent", "equals", "row")

#: What goes with another key, and what that one says.
_OF_OUTCOME = (
    ("change", "outcome", "what came of it"),
    ("before", "change", "before what it is so"),
    ("needed", "before", "that it is so before the change"),
    ("edited", "change", "what `configure` found it for"),
)


def parse_extractor(table: Mapping[str, Any]) -> Extractor:
    """Return the extractor that these keys say, as a test case has them.

    Raises:
        ValueError: they say none; the text says why.
    """
    return alone(extractor, table)


def parse_validator(table: Mapping[str, Any]) -> Validator:
    """Return the validator that these keys say, as a test case has them.

    Raises:
        ValueError: as `parse_extractor`.
    """
    return alone(validator, table)


def alone(read: Callable[[Node], _Read], table: Mapping[str, Any], at: KeyPath = ()) -> _Read:
    """Return what ``read`` makes of a table that stands in no file; ``at`` is where it would.

    Raises:
        ValueError: it is wrong; the text says why.
    """
    problems = Problems("", scan(""))
    try:
        return read(Node(dict(table), at, problems))
    except Rejected:
        pass
    try:
        problems.raise_any()
    except FileError as error:
        key = f"{error.key}: " if error.key else ""
        raise ValueError(f"{key}{error.message.partition(chr(10))[0]}") from None
    raise AssertionError("a rejected table has a problem")


def extractor(node: Node) -> Extractor:
    """Return an entry of ``extractors``."""
    found = EXTRACTOR.read(node)
    return Extractor(
        found["variable"],
        *_source(node, found, _SOURCES),
        by_place=found.get("by_place", False),
        line=node.problems.layout.line(node.at),
    )


def _source(node: Node, found: Mapping[str, Any], sources: _Sources) -> tuple[Source, int]:
    """Return where a table takes a value from, and which match of it."""
    kind = _only(node, found, sources)
    for key, (kinds, hint) in _GOES_WITH.items():
        if key in found and kind not in kinds:
            raise node.child(key, None).wrong(
                f"goes with {' or '.join(map(repr, kinds))} only{hint}"
            )
    if kind == "choice" and "label" not in found:
        raise node.wrong(
            "'choice' names a form field: add label = \"…\", what a person picks there"
        )
    if "item" in found and "in_item" not in found:
        raise node.child("item", None).wrong("goes with 'in_item', the text that the item has")
    if "split" in found:
        _check_split(node.child("split", found["split"]), found)
    source, match = sources[kind](found), found.get("match", 1)
    if "in_item" in found:
        source = InItem(source, found["in_item"], found.get("item", ""))
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
    """Return an entry of ``validators``."""
    found = VALIDATOR.read(node)
    kind = _only(node, found, _KINDS)
    for key, kinds in _OF_KIND.items():
        if key in found and kind not in kinds:
            raise node.child(key, None).wrong(f"goes with {' or '.join(map(repr, kinds))} only")
    comparing = compared(node, found, kind)
    others = [key for key in _NOT_REPEATED if found.get(key)] or list(comparing)
    if found.get("unrepeated") and others:
        raise node.child("unrepeated", True).wrong(
            f"goes without {others[0]!r}: leave one of them out"
        )
    if found.get("row") and comparing:
        raise node.child("row", None).wrong("goes without 'count': leave one of them out")
    made, subject = _KINDS[kind]
    own = {key: found[key] for key in ("row", "unrepeated", "absent") if key in found}
    outcome = _outcome(node, found)
    return made(**{subject: found[kind]}, **own, **comparing, outcome=outcome)


def _outcome(node: Node, found: Mapping[str, Any]) -> Outcome | None:
    for key, other, why in _OF_OUTCOME:
        if key in found and other not in found:
            raise node.child(key, None).wrong(f"goes with {other!r}, which says {why}")
    if "outcome" not in found:
        return None
    return Outcome(
        found["outcome"],
        found.get("change", ""),
        before=found.get("before", False),
        needed=found.get("needed", False),
        edited=found.get("edited", False),
    )


def _only(node: Node, found: Mapping[str, Any], known: Iterable[str]) -> str:
    present = [name for name in known if name in found]
    if len(present) == 1:
        return present[0]
    got = " and ".join(repr(name) for name in present) or "none"
    raise node.wrong(f"expected one of {', '.join(known)}; got {got}")

"""Extractors: from their tables to the model, and back to the keys of a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pytest_loadtool.casefile.syntax import (
    form_action,
    item_kind,
    link_address,
    sought_path,
    sought_pattern,
    sought_xml_path,
    template,
    token,
    variable_name,
)
from pytest_loadtool.casefile.toml.render import inline_array, inline_table, key, string
from pytest_loadtool.casefile.toml.schema import (
    Key,
    Node,
    Table,
    array,
    at_least,
    boolean,
    filled,
    only_of,
    parsed,
    read_alone,
    text,
)
from pytest_loadtool.casefile.toml.shape import shaped, takes
from pytest_loadtool.codec.decoding import DECODINGS
from pytest_loadtool.codec.extensions import EXTRACTORS
from pytest_loadtool.codec.suggestions import did_you_mean
from pytest_loadtool.model.extractor import (
    Boundary,
    Choice,
    CookieValue,
    Decoded,
    ExtensionSource,
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

_DECODINGS = {"enum": sorted(DECODINGS)}
_Sources = Mapping[str, Callable[[Mapping[str, Any]], Source]]


@takes("array", items={"type": "string"}, minItems=2, maxItems=2)
def _boundary(node: Node) -> tuple[str, ...]:
    sides = array(text)(node)
    if len(sides) != 2 or not any(sides):
        raise node.wrong('expected two texts, ["left", "right"], not both empty')
    return array(parsed(template))(node)


@takes("string", minLength=1)
def _name(node: Node) -> str:
    filled(node)
    return parsed(template)(node)


@shaped(
    lambda _describe: {"anyOf": [_DECODINGS, {"type": "array", "items": _DECODINGS, "minItems": 1}]}
)
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


@shaped(lambda describe: describe(_THEN))
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

EXTRACTOR: Table = Table(
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
    open_to=EXTRACTORS,
)

_THEN: Table = Table(
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


def parse_extractor(table: Mapping[str, Any]) -> Extractor:
    """Return the extractor that these keys say, as a test case has them.

    Raises:
        ValueError: they say none; the text says why.
    """
    return read_alone(extractor, table)


@shaped(lambda describe: describe(EXTRACTOR))
def extractor(node: Node) -> Extractor:
    """Return an entry of ``extractors``."""
    found = EXTRACTOR.read(node)
    return Extractor(
        found["variable"],
        *_source(node, found, {**_SOURCES, **_added(found)}),
        by_place=found.get("by_place", False),
        line=node.problems.layout.line(node.at),
    )


def _added(found: Mapping[str, Any]) -> _Sources:
    """Return how those of extensions are read."""
    return {
        name: lambda found, name=name: ExtensionSource(name, found[name])  # type: ignore[misc]
        for name in EXTRACTOR.added(found)
    }


def _source(node: Node, found: Mapping[str, Any], sources: _Sources) -> tuple[Source, int]:
    """Return where a table takes a value from, and which match of it."""
    kind = only_of(node, found, sources)
    for name, (kinds, hint) in _GOES_WITH.items():
        if name in found and kind not in kinds:
            raise node.child(name, None).wrong(
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


def extractor_pairs(extractor: Extractor) -> dict[str, str]:
    """Return the keys of an extractor with their values, as a file has them."""
    pairs = {"variable": string(extractor.variable), **_source_pairs(extractor.source)}
    if extractor.match != 1:
        pairs["match"] = str(extractor.match)
    if extractor.by_place:
        pairs["by_place"] = "true"
    return pairs


def _source_pairs(source: Source) -> dict[str, str]:
    match source:
        case JsonPath(path=path):
            return {"json": string(path)}
        case XmlPath(path=path):
            return {"xml": string(path)}
        case FormField(name=name, split=split, action=action):
            pairs = {"form": string(name)}
            if split:
                pairs["split"] = str(split)
            return {**pairs, "action": string(action)} if action else pairs
        case Link(address=address, label=label):
            called = {"label": string(label)} if label else {}
            return {"link": string(address), **called}
        case Choice(name=name, label=label):
            return {"choice": string(name), "label": string(label)}
        case InItem(source=inner, text=text, item=item):
            kind = {"item": string(item)} if item else {}
            return {**_source_pairs(inner), "in_item": string(text), **kind}
        case CookieValue(name=name):
            return {"cookie": string(name)}
        case HeaderValue(name=name, pattern=None):
            return {"header": string(name)}
        case HeaderValue(name=name, pattern=str(pattern)):
            return {"header": string(name), "pattern": string(pattern)}
        case RegularExpression(pattern=pattern):
            return {"regex": string(pattern)}
        case Boundary(left=left, right=right):
            return {"boundary": inline_array((string(left), string(right)))}
        case ExtensionSource(kind=kind, argument=argument):
            return {key(kind): string(argument)}
        case Decoded():
            return _decoded_pairs(source)
        case _:
            raise AssertionError(source)


def _decoded_pairs(source: Decoded) -> dict[str, str]:
    pairs = _source_pairs(source.outer)
    if source.decode:
        ways = [string(one) for one in source.decode]
        pairs["decode"] = ways[0] if len(ways) == 1 else inline_array(ways)
    if source.inner is not None:
        which = {"match": str(source.match)} if source.match != 1 else {}
        pairs["then"] = inline_table({**_source_pairs(source.inner), **which})
    return pairs

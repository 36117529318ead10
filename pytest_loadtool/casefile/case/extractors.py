"""Extractors: from their tables to the model, and back to the keys of a table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

from pytest_loadtool.casefile.syntax import (
    form_action,
    item_or_call,
    link_address,
    sought_path,
    sought_pattern,
    sought_xml_path,
    template,
    token,
    variable_name,
)
from pytest_loadtool.casefile.toml.render import inline_array, inline_table, scalar, string
from pytest_loadtool.casefile.toml.render import key as key_of
from pytest_loadtool.casefile.toml.schema import (
    Convert,
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
from pytest_loadtool.codec.suggestions import did_you_mean
from pytest_loadtool.extensions import EXTRACTORS
from pytest_loadtool.model.extractor import (
    SOURCE_KINDS,
    Decoded,
    ExtensionSource,
    Extractor,
    InItem,
    Source,
    SourceKind,
)

_DECODINGS = {"enum": sorted(DECODINGS)}


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
    return _source(node, _THEN.read(node), _OF_TEXT)


#: How the keys of sources are read whose texts have a form of their own.
_FORMS: Mapping[str, Convert[Any]] = {
    "json": parsed(sought_path),
    "xml": parsed(sought_xml_path),
    "split": at_least(2),
    "action": parsed(form_action),
    "link": parsed(link_address),
    "header": parsed(token),
    "pattern": parsed(sought_pattern),
    "regex": parsed(sought_pattern),
    "boundary": _boundary,
}
_KINDS = {kind.key: kind for kind in SOURCE_KINDS.values()}
_OF_TEXT = {key: kind for key, kind in _KINDS.items() if kind.of_text}


def _keys(kinds: Iterable[SourceKind]) -> dict[str, Key]:
    return {key: Key(_FORMS.get(key, _name)) for kind in kinds for key in kind.keys}


#: What says more about a source of any kind.
_MORE = {
    "in_item": Key(_name),
    "item": Key(parsed(item_or_call)),
    "match": Key(at_least(1)),
    "decode": Key(_decode),
    "then": Key(_then),
}

EXTRACTOR: Table = Table(
    "an extractor",
    {
        "variable": Key(parsed(variable_name), 'variable = "…"'),
        "by_place": Key(boolean),
        **_keys(_KINDS.values()),
        **_MORE,
    },
    open_to=EXTRACTORS,
)

_THEN: Table = Table(
    "'then'",
    {key: one for key, one in (_keys(_OF_TEXT.values()) | _MORE).items() if key != "split"},
    elsewhere=dict.fromkeys(("cookie", "header"), "beside 'then': a text has no headers"),
)

#: What goes with some kinds alone.
_GOES_WITH: Mapping[str, tuple[str, ...]] = {
    **{
        key: tuple(one for one, kind in _KINDS.items() if key in kind.keys)
        for key in ("pattern", "action", "label")
    },
    "in_item": ("form", "link", "choice", "regex", "boundary"),
}
#: And what to write instead.
_INSTEAD = {
    "pattern": ": write the regular expression as regex = '…'",
    "in_item": ': in JSON and XML, the path has it, as in [?(@.name=="Tea")] and [name="Tea"]',
}


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
        *_source(node, found, _KINDS | _added(found)),
        by_place=found.get("by_place", False),
        line=node.problems.layout.line(node.at),
    )


def _added(found: Mapping[str, Any]) -> dict[str, SourceKind]:
    """Return the kinds of extensions: each has its name as its key, and what it is told."""
    return {
        name: SourceKind(partial(ExtensionSource, name), {name: "argument"})
        for name in EXTRACTOR.added(found)
    }


def _source(
    node: Node, found: Mapping[str, Any], kinds: Mapping[str, SourceKind]
) -> tuple[Source, int]:
    """Return where a table takes a value from, and which match of it."""
    kind = only_of(node, found, kinds)
    for name, those in _GOES_WITH.items():
        if name in found and kind not in those:
            raise node.child(name, None).wrong(
                f"goes with {' or '.join(map(repr, those))} only{_INSTEAD.get(name, '')}"
            )
    if kind == "choice" and "label" not in found:
        raise node.wrong(
            "'choice' names a form field: add label = \"…\", what a person picks there"
        )
    if "item" in found and "in_item" not in found:
        raise node.child("item", None).wrong("goes with 'in_item', the text that the item has")
    if "split" in found:
        _check_split(node.child("split", found["split"]), found)
    source, match = _made(kinds[kind], found), found.get("match", 1)
    if "in_item" in found:
        source = InItem(source, found["in_item"], found.get("item", ""))
    if "decode" in found or "then" in found:
        source = Decoded(source, found.get("decode", ()), *found.get("then", ()))
    return source, match


def _made(kind: SourceKind, found: Mapping[str, Any]) -> Source:
    values: dict[str, Any] = {}
    for key, names in kind.keys.items():
        if key in found and isinstance(names, str):
            values[names] = found[key]
        elif key in found:
            values |= zip(names, found[key], strict=True)
    return kind.make(**values)


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
        case InItem(source=inner, text=sought, item=item):
            named = {"item": string(item)} if item else {}
            return {**_source_pairs(inner), "in_item": string(sought), **named}
        case ExtensionSource(kind=name, argument=argument):
            return {key_of(name): string(argument)}
        case Decoded():
            return _decoded_pairs(source)
    pairs: dict[str, str] = {}
    for key, names in SOURCE_KINDS[type(source)].keys.items():
        if not isinstance(names, str):
            pairs[key] = inline_array([string(getattr(source, name)) for name in names])
        elif not pairs or getattr(source, names):
            pairs[key] = scalar(getattr(source, names))
    return pairs


def _decoded_pairs(source: Decoded) -> dict[str, str]:
    pairs = _source_pairs(source.outer)
    if source.decode:
        ways = [string(one) for one in source.decode]
        pairs["decode"] = ways[0] if len(ways) == 1 else inline_array(ways)
    if source.inner is not None:
        which = {"match": str(source.match)} if source.match != 1 else {}
        pairs["then"] = inline_table({**_source_pairs(source.inner), **which})
    return pairs

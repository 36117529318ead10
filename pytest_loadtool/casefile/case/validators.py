"""Validators: from their tables to the model, and back to the keys of a table.

What they compare with are keys of their own, of which some go with some kinds only.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pytest_loadtool.casefile.quantities import format_duration, parse_duration
from pytest_loadtool.casefile.syntax import (
    item_kind,
    pattern,
    sought_path,
    sought_xml_path,
    template,
    token,
)
from pytest_loadtool.casefile.toml.render import key as key_of
from pytest_loadtool.casefile.toml.render import scalar, string
from pytest_loadtool.casefile.toml.schema import (
    Convert,
    Key,
    Node,
    Table,
    boolean,
    filled,
    one_of,
    only_of,
    parsed,
    read_alone,
)
from pytest_loadtool.casefile.toml.shape import shaped, takes
from pytest_loadtool.extensions import VALIDATORS
from pytest_loadtool.model.validator import (
    BOUNDS,
    JSON_TYPES,
    MEASURES,
    OF_NUMBERS,
    OUTCOME_FLAGS,
    THAN_BEFORE,
    VALIDATOR_KINDS,
    Constant,
    ExtensionValidator,
    Outcome,
    ResponseValidator,
    Validator,
    comparisons,
    kind_of,
)


@takes("string", minLength=1)
def searched(node: Node) -> str:
    """Return a template that is sought in a text."""
    needle = parsed(template)(node)
    if not needle:
        raise node.wrong("must not be empty: every response would contain it")
    return needle


@takes("string", minLength=1)
def _named_value(node: Node) -> str:
    """Return a template that is not empty."""
    filled(node)
    return parsed(template)(node)


@takes("string", "number", "boolean")
def _constant(node: Node) -> Constant:
    if isinstance(node.value, str):
        return parsed(template)(node)
    if not isinstance(node.value, int | float):
        raise node.expected("text, a number, true or false")
    return node.value


@takes("number", "string")
def _bound(node: Node) -> float | str:
    """Return a number; of durations text, which is looked at when it is known that it is one."""
    if isinstance(node.value, bool) or not isinstance(node.value, int | float | str):
        raise node.expected("a number")
    return node.value


COMPARISON_KEYS: Mapping[str, Key] = {
    "equals": Key(_constant),
    "not_equals": Key(_constant),
    "contains": Key(searched),
    "matches": Key(parsed(pattern)),
    **dict.fromkeys(BOUNDS, Key(_bound)),
    "empty": Key(boolean),
    "than_before": Key(one_of(*THAN_BEFORE)),
    "type": Key(one_of(*JSON_TYPES)),
    "schema": Key(filled),
}


def compared(node: Node, found: Mapping[str, Any], kind: str) -> dict[str, Any]:
    """Return the comparisons of a table of that kind, by the names that the model has for them.

    Raises:
        Rejected: they do not go with it, or with one another.
    """
    counted = bool(found.get("count"))
    given = [how for how in COMPARISON_KEYS if how in found]
    goes = OF_NUMBERS if counted else VALIDATOR_KINDS[kind].compares
    for how in given:
        if how not in goes:
            raise node.child(how, None).wrong(_elsewhere(how, counted))
    if not given and (counted or kind in ("response", "value")):
        at, what = (node.child("count", True), "count") if counted else (node, found[kind])
        raise at.wrong(f"needs what the {what} is compared with: add one of {', '.join(goes)}")
    for alone in ("equals", "schema", "than_before"):
        if alone in given and len(given) > 1:
            other = next(how for how in given if how != alone)
            raise node.child(other, None).wrong(f"goes without {alone!r}: leave one of them out")
    made = {how: _value(node.child(how, found[how]), found, kind, counted) for how in given}
    return made | ({"counted": True} if counted else {})


def _elsewhere(how: str, counted: bool) -> str:
    if counted:
        return f"goes with no count, which is a number: expected {', '.join(OF_NUMBERS)}"
    kinds = [key for key, kind in VALIDATOR_KINDS.items() if how in kind.compares]
    with_count = ", or with 'count'" if how in OF_NUMBERS else ""
    return f"goes with {' or '.join(map(repr, kinds))} only{with_count}"


def _value(node: Node, found: Mapping[str, Any], kind: str, counted: bool) -> Any:
    how, value = str(node.at[-1]), node.value
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if kind == "response" and found[kind] == "duration" and not counted:
        return float(value) if is_number else parsed(parse_duration, "s")(node)  # type: ignore[arg-type]
    if (counted or kind == "response" or how in BOUNDS) and not is_number:
        raise node.expected("a number")
    of_text = kind not in ("json", "response") and not counted
    if of_text and how in ("equals", "not_equals") and not isinstance(value, str):
        raise node.expected(f"text, as '{kind}' has no numbers")
    return value


#: How the subjects of validators are read that have a form of their own.
_FORMS: Mapping[str, Convert[Any]] = {
    "text": searched,
    "regex": parsed(pattern),
    "json": parsed(sought_path),
    "xml": parsed(sought_xml_path),
    "header": parsed(token),
    "response": one_of(*MEASURES),
}

VALIDATOR: Table = Table(
    "a validator",
    {
        "outcome": Key(filled),
        "change": Key(filled),
        **dict.fromkeys(OUTCOME_FLAGS, Key(boolean)),
        **{key: Key(_FORMS.get(key, _named_value)) for key in VALIDATOR_KINDS},
        "row": Key(searched),
        "item": Key(parsed(item_kind)),
        "count": Key(boolean),
        **COMPARISON_KEYS,
        "absent": Key(boolean),
        "unrepeated": Key(boolean),
        "ahead_of": Key(searched),
    },
    open_to=VALIDATORS,
)

#: What is said of the subject of some kinds, besides what it is compared with.
_OWN = ("row", "item", "unrepeated", "ahead_of")
#: What goes with some kinds alone.
_OF_KIND = {
    own: [key for key, kind in VALIDATOR_KINDS.items() if own in kind.own]
    for own in (*_OWN, "count")
}

#: What goes without which others, that say something else of how often it is there, or where.
_ALONE = {
    "unrepeated": ("absent", "equals", "row", "ahead_of"),
    "ahead_of": ("equals", "row"),
}

#: What goes with another key, and what that one says.
_OF_OUTCOME = (
    ("change", "outcome", "what came of it"),
    ("before", "change", "before what it is so"),
    ("doubtful", "change", "what has come of it, unless others have left the same"),
    ("needed", "before", "that it is so before the change"),
    ("edited", "change", "what `configure` found it for"),
    ("spares", "change", "what has left it as it was"),
)


def parse_validator(table: Mapping[str, Any]) -> Validator:
    """Return the validator that these keys say, as a test case has them.

    Raises:
        ValueError: as `parse_extractor`.
    """
    return read_alone(validator, table)


@shaped(lambda describe: describe(VALIDATOR))
def validator(node: Node) -> Validator:
    """Return an entry of ``validators``."""
    found = VALIDATOR.read(node)
    added = VALIDATOR.added(found)
    kind = only_of(node, found, (*VALIDATOR_KINDS, *added))
    if kind in added:
        if other := next((one for one in found if one != kind), ""):
            raise node.child(other, None).wrong(f"goes without {kind!r}, which is an extension's")
        return ExtensionValidator(kind=kind, argument=found[kind])
    for key, kinds in _OF_KIND.items():
        if key in found and kind not in kinds:
            raise node.child(key, None).wrong(f"goes with {' or '.join(map(repr, kinds))} only")
    comparing = compared(node, found, kind)
    for key, without in _ALONE.items():
        others = [one for one in without if found.get(one)] or list(comparing)
        if found.get(key) and others:
            raise node.child(key, None).wrong(f"goes without {others[0]!r}: leave one of them out")
    if "item" in found and "row" not in found:
        raise node.child("item", None).wrong("goes with 'row', the text that the item has")
    if found.get("row") and comparing:
        raise node.child("row", None).wrong("goes without 'count': leave one of them out")
    of = VALIDATOR_KINDS[kind]
    own = {key: found[key] for key in (*_OWN, "absent") if key in found}
    outcome = _outcome(node, found)
    return of.make(**{of.subject: found[kind]}, **own, **comparing, outcome=outcome)


def _outcome(node: Node, found: Mapping[str, Any]) -> Outcome | None:
    for key, other, why in _OF_OUTCOME:
        if key in found and other not in found:
            raise node.child(key, None).wrong(f"goes with {other!r}, which says {why}")
    if "outcome" not in found:
        return None
    flags = {one: found[one] for one in OUTCOME_FLAGS if one in found}
    return Outcome(found["outcome"], found.get("change", ""), **flags)


def validator_pairs(validator: Validator) -> dict[str, str]:
    """Return the keys of a validator with their values, as a file has them."""
    pairs: dict[str, str] = {}
    if validator.outcome is not None:
        pairs["outcome"] = string(validator.outcome.name)
        if validator.outcome.change:
            pairs["change"] = string(validator.outcome.change)
        pairs |= {one: "true" for one in OUTCOME_FLAGS if getattr(validator.outcome, one)}
    if isinstance(validator, ExtensionValidator):
        pairs[key_of(validator.kind)] = string(validator.argument)
    else:
        key, kind = kind_of(validator)
        pairs[key] = string(getattr(validator, kind.subject))
    if row := getattr(validator, "row", ""):
        pairs["row"] = string(row)
    if item := getattr(validator, "item", ""):
        pairs["item"] = string(item)
    pairs |= {"count": "true"} if validator.counted else {}
    seconds = isinstance(validator, ResponseValidator) and validator.measure == "duration"
    for how, value in comparisons(validator).items():
        pairs[how] = string(format_duration(float(value))) if seconds else scalar(value)
    pairs |= {"unrepeated": "true"} if getattr(validator, "unrepeated", False) else {}
    if later := getattr(validator, "ahead_of", ""):
        pairs["ahead_of"] = string(later)
    return pairs | ({"absent": "true"} if validator.absent else {})

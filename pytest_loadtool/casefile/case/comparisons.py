"""What a validator compares with: the keys, and which of them go with which kind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pytest_loadtool.casefile.quantities import parse_duration
from pytest_loadtool.casefile.syntax import pattern, template
from pytest_loadtool.casefile.toml.schema import Key, Node, boolean, filled, one_of, parsed
from pytest_loadtool.model.validator import JSON_TYPES, Constant

#: What compares with a number. Of a duration it is one, too.
_BOUNDS = ("less_than", "at_most", "more_than", "at_least")
_OF_TEXT = ("equals", "not_equals", "contains", "matches", "empty", *_BOUNDS)

#: By kind of validator, which comparisons go with it; all that is counted has those of a number.
_GO_WITH: Mapping[str, tuple[str, ...]] = {
    "text": (),
    "regex": _OF_TEXT,
    "json": (*_OF_TEXT, "type", "schema"),
    "xml": _OF_TEXT,
    "header": _OF_TEXT,
    "response": ("equals", "not_equals", *_BOUNDS),
    "value": _OF_TEXT,
}


def searched(node: Node) -> str:
    """Return a template that is sought in a text."""
    needle = parsed(template)(node)
    if not needle:
        raise node.wrong("must not be empty: every response would contain it")
    return needle


def _constant(node: Node) -> Constant:
    if isinstance(node.value, str):
        return parsed(template)(node)
    if not isinstance(node.value, int | float):
        raise node.expected("text, a number, true or false")
    return node.value


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
    **dict.fromkeys(_BOUNDS, Key(_bound)),
    "empty": Key(boolean),
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
    goes = _GO_WITH["response"] if counted else _GO_WITH[kind]
    for how in given:
        if how not in goes:
            raise node.child(how, None).wrong(_elsewhere(how, counted))
    if not given and (counted or kind in ("response", "value")):
        at, what = (node.child("count", True), "count") if counted else (node, found[kind])
        raise at.wrong(f"needs what the {what} is compared with: add one of {', '.join(goes)}")
    for alone in ("equals", "schema"):
        if alone in given and len(given) > 1:
            other = next(how for how in given if how != alone)
            raise node.child(other, None).wrong(f"goes without {alone!r}: leave one of them out")
    made = {how: _value(node.child(how, found[how]), found, kind, counted) for how in given}
    return made | ({"counted": True} if counted else {})


def _elsewhere(how: str, counted: bool) -> str:
    if counted:
        return f"goes with no count, which is a number: expected {', '.join(_GO_WITH['response'])}"
    kinds = [kind for kind, goes in _GO_WITH.items() if how in goes]
    with_count = ", or with 'count'" if how in _GO_WITH["response"] else ""
    return f"goes with {' or '.join(map(repr, kinds))} only{with_count}"


def _value(node: Node, found: Mapping[str, Any], kind: str, counted: bool) -> Any:
    how, value = str(node.at[-1]), node.value
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if kind == "response" and found[kind] == "duration" and not counted:
        return float(value) if is_number else parsed(parse_duration, "s")(node)  # type: ignore[arg-type]
    if (counted or kind == "response" or how in _BOUNDS) and not is_number:
        raise node.expected("a number")
    of_text = kind not in ("json", "response") and not counted
    if of_text and how in ("equals", "not_equals") and not isinstance(value, str):
        raise node.expected(f"text, as '{kind}' has no numbers")
    return value

"""Comparisons of validators, compiled to functions of a value and the virtual user's own."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from operator import ge, gt, le, lt
from types import MappingProxyType
from typing import Any

from pytest_loadtool.codec.printable import clip
from pytest_loadtool.codec.template import Template
from pytest_loadtool.errors import ReplayError
from pytest_loadtool.extraction.jsonpath import json_text, strict_value
from pytest_loadtool.extraction.pattern import Pattern
from pytest_loadtool.model.validator import COMPARISONS, Constant
from pytest_loadtool.replay.compile.format import VariableNames, joined, pieces

#: From a value that was found, and the user's own, to whether it is as expected.
Test = Callable[[Any, Sequence[str]], bool]

#: Characters of a value that a failure tells.
_LONGEST = 60

_TYPES: Mapping[str, tuple[type, ...]] = MappingProxyType(
    {
        "string": (str,),
        "number": (int, float),
        "integer": (int,),
        "boolean": (bool,),
        "array": (list,),
        "object": (dict,),
        "null": (type(None),),
    }
)


def compile_comparisons(
    compared: Mapping[str, Constant], names: VariableNames, *, texts: bool
) -> Test:
    """Return a test that all of these comparisons hold. With ``texts`` what is compared is text,
    whatever it means: a number is read in it where one is wanted."""
    tests = [
        _COMPILERS[how](value, names, _number_in if texts else _number)
        for how, value in compared.items()
    ]
    if len(tests) == 1:
        return tests[0]
    return lambda found, values: all(test(found, values) for test in tests)


def literal_value(value: Constant) -> Any:
    """Return what a value without placeholders is compared as, see `strict_value`."""
    return strict_value(Template.parse(value).literal if isinstance(value, str) else value)


def expected(compared: Mapping[str, Constant]) -> str:
    """Return what is compared with, in words: ``= 'open'``, ``>= 1 and < 10``."""
    return " and ".join(f"{COMPARISONS[how]} {_literal(one)}" for how, one in compared.items())


def shown(value: Any, *, hidden: bool = False, beside: Any = "") -> str:
    """Return a value that was found, as a failure tells it; which type it has, if what is expected
    ``beside`` it has another."""
    if hidden:
        return "another value"
    value = value[0] if isinstance(value, tuple) else value
    text = "null" if value is None else json_text(value) or ""
    text = clip(text, _LONGEST) or "empty"
    other = isinstance(value, str) and not isinstance(beside, str)
    return f"the text {text!r}" if other else text


def compile_schema(content: bytes, name: str) -> Callable[[Any], tuple[str, str] | None]:
    """Return a function from a JSON value to the rule of a JSON Schema that it breaks, and how;
    None: it follows all.

    Raises:
        ReplayError: it is no JSON Schema, or the library is not installed.
    """
    try:
        # Imported when a validator needs it: it takes 0.1 s.
        from jsonschema.exceptions import SchemaError, best_match
        from jsonschema.validators import validator_for
        from referencing import Registry
        from referencing.exceptions import Unresolvable
    except ImportError:
        raise ReplayError(
            f"{name}: JSON Schemas need the package jsonschema: "
            "pip install 'pytest-loadtool[schema]'"
        ) from None
    try:
        schema = json.loads(content)
        kind = validator_for(schema)
        kind.check_schema(schema)
    except (ValueError, AttributeError, SchemaError) as error:
        said = error.message if isinstance(error, SchemaError) else str(error)
        raise ReplayError(f"{name} is no JSON Schema: {clip(said, 200)}") from None
    checker = kind(schema, registry=Registry())  # which fetches nothing

    def broken(value: Any) -> tuple[str, str] | None:
        try:
            error = best_match(checker.iter_errors(value))
        except Unresolvable as missing:
            return "$ref", f"the schema refers to {missing.ref}, which is not in it"
        if error is None:
            return None
        rule = "/".join(str(one) for one in error.absolute_schema_path)
        return rule, f"{error.json_path}: {clip(error.message, 3 * _LONGEST)}"

    return broken


def _equals(value: Constant, names: VariableNames, _number: _Number) -> Test:
    if isinstance(value, str) and Template.parse(value).references:
        fill = pieces(Template.parse(value), names)
        return lambda found, values: json_text(found) == joined(fill, values)
    wanted = literal_value(value)
    return lambda found, _values: bool(strict_value(found) == wanted)


def _not_equals(value: Constant, names: VariableNames, number: _Number) -> Test:
    same = _equals(value, names, number)
    return lambda found, values: not same(found, values)


def _contains(value: Constant, names: VariableNames, _number: _Number) -> Test:
    fill = pieces(Template.parse(str(value)), names)
    return lambda found, values: isinstance(found, str | list) and joined(fill, values) in found


def _matches(value: Constant, _names: VariableNames, _number: _Number) -> Test:
    pattern = Pattern(str(value))
    return lambda found, _values: isinstance(found, str) and pattern.first(found) is not None


def _bound(
    holds: Callable[[float, float], bool], value: Constant, _names: VariableNames, number: _Number
) -> Test:
    limit = float(value)

    def test(found: Any, _values: Sequence[str]) -> bool:
        it = number(found)
        return it is not None and holds(it, limit)

    return test


def _empty(value: Constant, _names: VariableNames, _number: _Number) -> Test:
    return lambda found, _values: (found in ("", [], {})) is value


def _type(value: Constant, _names: VariableNames, _number: _Number) -> Test:
    types, is_boolean = _TYPES[str(value)], value == "boolean"

    def test(found: Any, _values: Sequence[str]) -> bool:
        if isinstance(found, float) and found.is_integer() and value == "integer":
            return True  # as JSON Schema has it
        return isinstance(found, types) and isinstance(found, bool) is is_boolean

    return test


#: Reads the number that is compared; None: there is none.
_Number = Callable[[Any], float | None]


def _number(found: Any) -> float | None:
    return found if isinstance(found, int | float) and not isinstance(found, bool) else None


def _number_in(found: Any) -> float | None:
    try:
        return float(found)
    except ValueError:
        return None


def _literal(value: Constant) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(value)


_COMPILERS: Mapping[str, Callable[[Constant, VariableNames, _Number], Test]] = MappingProxyType(
    {
        "equals": _equals,
        "not_equals": _not_equals,
        "contains": _contains,
        "matches": _matches,
        "less_than": partial(_bound, lt),
        "at_most": partial(_bound, le),
        "more_than": partial(_bound, gt),
        "at_least": partial(_bound, ge),
        "empty": _empty,
        "type": _type,
    }
)

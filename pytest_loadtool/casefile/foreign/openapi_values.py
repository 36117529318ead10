"""The values of a description: references, and examples of schemas."""

from __future__ import annotations

import datetime
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any
from urllib.parse import unquote

from pytest_loadtool.errors import FileError

#: How deep examples of schemas go: some hold themselves.
_DEPTH_LIMIT = 8
#: How many references may lead to others.
_REFERENCES_LIMIT = 20

#: Stands for what a schema cannot hold, because it would hold itself.
_NOTHING = object()

#: Text by the format that a schema wants.
_FORMATS: Mapping[str, str] = MappingProxyType(
    {
        "date": "2026-01-31",
        "date-time": "2026-01-31T09:30:00Z",
        "time": "09:30:00Z",
        "email": "user@example.com",
        "uuid": "6f1c2c9e-2f0b-4d52-9a37-0d1b5a2c7e11",
        "uri": "https://example.com/",
        "url": "https://example.com/",
        "hostname": "example.com",
        "ipv4": "192.0.2.1",
        "ipv6": "2001:db8::1",
        "byte": "dGV4dA==",
        "binary": "text",
    }
)


@dataclass(frozen=True, slots=True)
class Description:
    """A description; references in it lead to other parts of it."""

    root: Mapping[str, Any]

    def at(self, value: Any) -> Any:
        """Return the value, or what it refers to; None for what lies in another document."""
        for _ in range(_REFERENCES_LIMIT):
            if not isinstance(value, dict) or "$ref" not in value:
                return value
            value = self._referred(str(value["$ref"]))
        return None

    def _referred(self, reference: str) -> Any:
        if not reference.startswith("#/"):
            return None
        found: Any = self.root
        for part in reference[2:].split("/"):
            part = unquote(part).replace("~1", "/").replace("~0", "~")
            found = found.get(part) if isinstance(found, dict) else None
        return found

    def elsewhere(self) -> list[str]:
        """Return the references that lead to other documents, each once."""
        found: dict[str, None] = {}
        waiting: list[Any] = [self.root]
        while waiting:
            one = waiting.pop()
            if isinstance(one, dict):
                reference = one.get("$ref")
                if isinstance(reference, str) and not reference.startswith("#/"):
                    found[reference] = None
                waiting += one.values()
            elif isinstance(one, list):
                waiting += one
        return sorted(found)

    def members(self, value: Any) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the members of an object that are objects themselves."""
        value = self.at(value)
        for name, one in value.items() if isinstance(value, dict) else ():
            if isinstance(one := self.at(one), dict):
                yield str(name), one

    def tables(self, value: Any) -> Iterator[dict[str, Any]]:
        """Yield the objects of a list."""
        for one in value if isinstance(value, list) else ():
            if isinstance(one := self.at(one), dict):
                yield one


def read_document(text: str, path: str) -> Description:
    """Return the description in a text of JSON or YAML.

    Raises:
        FileError: it is neither, or no object; YAML needs PyYAML.
    """
    try:
        found = json.loads(text) if text.lstrip().startswith("{") else _yaml(text, path)
    except (ValueError, RecursionError) as error:
        raise FileError(path, getattr(error, "lineno", 0), "", f"not valid: {error}") from None
    if not isinstance(found, dict):
        raise FileError(path, 0, "", "no description of an API: expected an object")
    return Description(found)


def _yaml(text: str, path: str) -> Any:
    try:
        import yaml
    except ImportError:
        what = "YAML needs the extra record: pip install 'pytest-loadtool[record]'"
        raise FileError(path, 0, "", what) from None
    try:
        found = yaml.safe_load(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 1 if mark is not None else 0
        raise FileError(
            path, line, "", f"not valid YAML: {getattr(error, 'problem', error)}"
        ) from None
    return _plain(found)


def _plain(value: Any) -> Any:
    """Return a value of YAML as JSON has it: keys are texts, and so are dates."""
    if isinstance(value, dict):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_plain(one) for one in value]
    return value.isoformat() if isinstance(value, datetime.date) else value


def example(document: Description, schema: Any, above: tuple[Any, ...] = ()) -> tuple[bool, Any]:
    """Return whether a schema has an example, or leaves no choice; and that, or a value of its
    kind. ``above`` are the schemas that it is a part of: one that holds itself has nothing there.
    """
    schema = document.at(schema)
    if any(schema is one for one in above) or len(above) > _DEPTH_LIMIT:
        return False, _NOTHING
    if not isinstance(schema, dict):
        return False, "string"
    above = (*above, schema)
    for key in ("example", "const", "default"):
        if key in schema:
            return True, schema[key]
    for key in ("examples", "enum"):
        if isinstance(schema.get(key), list) and schema[key]:
            return True, schema[key][0]
    parts = [one for key in ("allOf", "oneOf", "anyOf") for one in (schema.get(key) or ())]
    if parts:
        whole = parts if "allOf" in schema else parts[:1]
        made = [example(document, one, above) for one in (*whole, _own(schema))]
        tables = [value for _, value in made if isinstance(value, dict)]
        if tables:
            merged: dict[str, Any] = {}
            for one in tables:
                merged |= one
            return all(given for given, value in made if value), merged
        return made[0] if made[0][1] is not _NOTHING else (False, {})
    kinds = schema.get("type")
    kind = (
        next((one for one in kinds if one != "null"), "null") if isinstance(kinds, list) else kinds
    )
    if kind == "object" or "properties" in schema:
        return _table(document, schema, above)
    if kind == "array":
        given, value = example(document, schema.get("items"), above)
        return given, [] if value is _NOTHING else [value]
    return False, _scalar(schema, kind)


def _own(schema: Mapping[str, Any]) -> dict[str, Any]:
    return {key: one for key, one in schema.items() if key in ("properties", "required")} or {
        "type": "object"
    }


def _table(
    document: Description, schema: Mapping[str, Any], above: tuple[Any, ...]
) -> tuple[bool, Any]:
    """Return an object of the members that it must have, and of those that have an example."""
    required = set(map(str, schema.get("required") or ()))
    made: dict[str, Any] = {}
    all_given = True
    properties = schema.get("properties")
    for name, one in properties.items() if isinstance(properties, dict) else ():
        own = document.at(one)
        if isinstance(own, dict) and own.get("readOnly"):
            continue
        given, value = example(document, one, above)
        if value is not _NOTHING and (given or name in required or not required):
            made[str(name)] = value
            all_given = all_given and given
    return all_given and bool(made), made


def _scalar(schema: Mapping[str, Any], kind: Any) -> Any:
    if kind == "boolean":
        return True
    if kind in ("integer", "number"):
        least = schema.get("minimum", schema.get("exclusiveMinimum"))
        low = least if isinstance(least, int | float) and not isinstance(least, bool) else 0
        most = schema.get("maximum", 1)
        value = max(low + bool("exclusiveMinimum" in schema), min(1, most))
        return int(value) if kind == "integer" else value
    if kind == "null":
        return None
    text = _FORMATS.get(str(schema.get("format")), "string")
    shortest = schema.get("minLength")
    if isinstance(shortest, int) and len(text) < shortest:
        text = (text * (shortest // len(text) + 1))[:shortest]
    longest = schema.get("maxLength")
    return text[:longest] if isinstance(longest, int) and not re.search(r"\W", text) else text

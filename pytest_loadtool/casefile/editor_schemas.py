"""JSON Schemas of the files that people edit, made from the tables that read them.

Editors with taplo (Even Better TOML in VS Code) take the one that the first line of a file names:
``#:schema loadtool-schemas/case.schema.json``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pytest_loadtool.casefile.case.reader import TABLES as CASE_TABLES
from pytest_loadtool.casefile.files import replace_file
from pytest_loadtool.casefile.load.reader import TABLES as LOAD_TABLES
from pytest_loadtool.casefile.rules import TABLES as RULES_TABLES
from pytest_loadtool.casefile.toml.schema import FORMAT, Key, Table
from pytest_loadtool.casefile.toml.shape import shape_of
from pytest_loadtool.extensions import extension_names

#: The whole file of each kind.
_WHOLE: Mapping[str, Table] = MappingProxyType(
    {"case": CASE_TABLES[0], "load": LOAD_TABLES[0], "rules": RULES_TABLES[0]}
)
#: The kinds of files that have one.
KINDS = tuple(_WHOLE)


def editor_schema(kind: str) -> dict[str, Any]:
    """Return the JSON Schema (draft 7, which editors know) of ``*.KIND.toml``."""
    definitions: dict[str, Any] = {}

    def described(what: object) -> dict[str, Any]:
        table = what if isinstance(what, Table) else getattr(what, "__self__", None)
        if not isinstance(table, Table):
            shape = shape_of(what)
            return {} if shape is None else shape(described)
        if table.title not in definitions:
            definitions[table.title] = {}  # one that stands in itself is done already
            definitions[table.title] = _of_table(table)
        return {"$ref": f"#/definitions/{table.title.replace(' ', '%20')}"}

    def _of_table(table: Table) -> dict[str, Any]:
        known = [(name, key.unless) for name, key in table.keys.items() if _is_needed(key)]
        needed = [name for name, unless in known if not unless]
        others = [
            {"anyOf": [{"required": [one]} for one in (name, *unless)]}
            for name, unless in known
            if unless
        ]
        added = extension_names(table.open_to) if table.open_to else ()
        return {
            "title": table.title,
            "type": "object",
            "properties": {
                **{name: described(key.convert) for name, key in table.keys.items()},
                **{name: {"type": "string"} for name in added},
            },
            "additionalProperties": False,
            **({"required": needed} if needed else {}),
            **({"allOf": others} if others else {}),
        }

    whole = _of_table(_WHOLE[kind])
    whole["properties"]["format"] = {"enum": [FORMAT]}
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        **whole,
        "definitions": definitions,
    }


def _is_needed(key: Key) -> bool:
    """Return whether a key has to be there, as far as a schema can tell."""
    return bool(key.example) and key.needed is None


def write_editor_schemas(folder: Path) -> list[Path]:
    """Write all of them into a folder that is there; return their files.

    Raises:
        FileError: one cannot be written.
    """
    found = []
    for kind in KINDS:
        path = folder / f"{kind}.schema.json"
        text = json.dumps(editor_schema(kind), indent=1, ensure_ascii=False)
        replace_file(path, f"{text}\n".encode())
        found.append(path)
    return found

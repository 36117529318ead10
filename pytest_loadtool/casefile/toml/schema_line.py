"""The first line of a file that tells editors its JSON Schema, where somebody has written these."""

from __future__ import annotations

import os
from pathlib import Path

#: Where the schemas are, beside a file or in a folder above it.
SCHEMAS_FOLDER = "loadtool-schemas"
_DIRECTIVE = "#:schema "


def with_schema_line(top: tuple[str, ...], path: Path) -> tuple[str, ...]:
    """Return the comment at the top of a file, which names the schema if there is one, and none
    yet."""
    if any(one.startswith(_DIRECTIVE) for one in top):
        return top
    kind = path.name.split(".")[-2:-1]
    for folder in (path.absolute().parent, *path.absolute().parent.parents):
        schema = folder / SCHEMAS_FOLDER / f"{''.join(kind)}.schema.json"
        if schema.is_file():
            name = Path(os.path.relpath(schema, path.absolute().parent)).as_posix()
            return (f"{_DIRECTIVE}{name if name.startswith('.') else f'./{name}'}", *top)
    return top

"""Values as command lines have them: a number, true or false as JSON writes it, else a text."""

from __future__ import annotations

import json
import tomllib


def parsed(text: str) -> str | int | float | bool:
    """Return what a text stands for; in double quotes it is a text, whatever it looks like."""
    try:
        value = tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text
    return value if isinstance(value, str | bool | int | float) else text


def written(value: str | float | bool) -> str:
    """Return the text that stands for a value."""
    if isinstance(value, str) and parsed(value) == value:
        return value
    return json.dumps(value, ensure_ascii=False)

"""Event streams (WHATWG HTML §9.2) as documents: the list of their events; and guarded JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from itertools import groupby
from typing import Any

from pytest_loadtool.codec.flattened import expanded, expanded_lines

#: The first line of a stream: a field, or a comment.
_FIRST = re.compile(r"\ufeff?[\r\n]*(?:(?:data|event|id|retry)(?::|[\r\n])|:)")
#: What no script gets past, and clients take away, of Angular, Google and Facebook; and the call
#: that JSONP makes of it.
_GUARD = re.compile(
    r"\s*(?:\)\]\}',?|while\s*\(1\);|for\s*\(;;\);|(?:/\*\*/)?\s*[A-Za-z_$][\w$.]{0,99}\((?=\s*[\[{]))\s*"
)
_DECODER = json.JSONDecoder()
_LINE_END = re.compile(r"\r\n|\r|\n")


def is_event_stream(text: str) -> bool:
    """Return whether a text begins as an event stream does."""
    return _FIRST.match(text) is not None


def events_of(text: str) -> list[dict[str, Any]]:
    """Return the events of a stream, each with ``event`` and ``id`` if it has them, and with its
    ``data``: what that says in JSON, else the text.

    Raises:
        ValueError: it is no event stream.
    """
    if not is_event_stream(text):
        raise ValueError("it is no event stream")
    lines = _LINE_END.split(text.removeprefix("\ufeff"))
    blocks = (list(block) for filled, block in groupby(lines, bool) if filled)
    return [one for one in map(_event, blocks) if "data" in one]


def json_or_events(text: str) -> Any:
    """Return what a text says in JSON, `expanded`; of an event stream, its events.

    Raises:
        ValueError: it is neither.
        RecursionError: it is nested too deeply.
    """
    text = text.removeprefix("\ufeff")  # as some servers begin UTF-8
    try:
        return expanded(json.loads(text))
    except ValueError:
        if is_event_stream(text):
            return events_of(text)
        if (plain := unguarded(text)) == text:
            return expanded_lines(text)
        document, end = _DECODER.raw_decode(plain)
        if plain[end:].strip(" \t\r\n;)"):
            raise ValueError("more follows than a guard has") from None
        return expanded(document)


def begins_json(text: str) -> bool:
    """Return whether a text begins as JSON does, guarded or not, or as an event stream."""
    start = unguarded(text).lstrip("\ufeff \t\r\n")[:2]
    return start[:1] in ("{", "[") or start in ('"{', '"[') or is_event_stream(text)


def unguarded(text: str) -> str:
    """Return JSON without what keeps other sites' scripts from running it, or has them run it."""
    guard = _GUARD.match(text)
    return text if guard is None else text[guard.end() :]


def _event(block: Iterable[str]) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    lines: list[str] = []
    for line in block:
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "data":
            lines.append(value)
        elif name in ("event", "id"):
            fields[name] = value
    if lines:
        fields["data"] = _read("\n".join(lines))
    return fields


def _read(data: str) -> Any:
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return data

"""Texts laid out for reading and comparing: each token as it was written, on lines of their own."""

from __future__ import annotations

import json
import re

_VOID = frozenset({
    *("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param"),
    *("source", "track", "wbr", "!doctype"),
})  # fmt: skip
_PIECES = re.compile(
    r"(<!--.*?-->|<(?:script|style|pre|textarea)\b.*?</(?:script|style|pre|textarea)\s*>|<[^<>]+>)",
    re.I | re.S,
)
_TAG = re.compile(r"<(/?)([\w:.!?-]+)[^>]*?(/?)>", re.S)


_ESCAPES = re.compile(r"(?:\\u[0-9a-fA-F]{4})+|\\.", re.S)


def readable_json(text: str) -> str:
    """Return JSON with the letters that are escaped in it, ``\\u00fc``, as letters."""
    return _ESCAPES.sub(lambda match: _letters(match[0]), text)


def _letters(escapes: str) -> str:
    """Return letters for their escapes; all else as it is: ASCII, half a surrogate pair, what moves
    the cursor."""
    if not escapes.startswith("\\u"):
        return escapes
    read: str = json.loads(f'"{escapes}"')
    return read if read.isprintable() and not any(map(str.isascii, read)) else escapes


def json_layout(text: str) -> str:
    """Return JSON with a member on each line, and each token as it was written, but for letters,
    which are readable."""
    text = readable_json(text)
    depth, parts, at = 0, [], 0
    empty = re.compile(r"[\[{]\s*[\]}]")
    token = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{},:]|[^\s"\[\]{},:]+|"')
    while match := token.search(text, at):
        at, word = match.end(), match[0]
        if word in "[{" and (none := empty.match(text, match.start())):
            at = none.end()
            parts.append(word + ("]" if word == "[" else "}"))
        elif word in "[{":
            depth += 1
            parts.append(f"{word}\n{'  ' * depth}")
        elif word in "]}":
            depth = max(0, depth - 1)
            parts.append(f"\n{'  ' * depth}{word}")
        elif word == ",":
            parts.append(f",\n{'  ' * depth}")
        else:
            parts.append(": " if word == ":" else word)
    return "".join(parts)


def markup_layout(text: str) -> str:
    """Return HTML or XML with tags that stand next to each other on lines of their own; texts,
    scripts, styles and whatever has a text beside it stay as they are."""
    lines = [""]
    opened: list[
        tuple[str, int]
    ] = []  # elements that are open, each with the line that it began in
    before_tag = True
    for index, piece in enumerate(_PIECES.split(text)):
        if not index % 2:  # what stands between tags
            before_tag = not piece.strip()
            lines[-1] += "" if before_tag else piece
            continue
        tag = _TAG.match(piece)
        name = tag[2].lower() if tag else ""
        begun = None
        if tag and tag[1]:
            begun = _close(opened, name)
        if before_tag and lines[-1].strip() and begun != len(lines):
            lines.append("  " * len(opened))
        lines[-1] += piece
        alone = not tag or tag[1] or tag[3] or name in _VOID or name.startswith("?")
        if not alone and not piece.lower().rstrip().endswith(f"</{name}>"):
            opened.append((name, len(lines)))
    return "\n".join(lines)


def _close(opened: list[tuple[str, int]], name: str) -> int | None:
    """Close the innermost element of that name, and those in it; return the line that it began
    in."""
    at = next((i for i in reversed(range(len(opened))) if opened[i][0] == name), None)
    if at is None:
        return None
    line = opened[at][1]
    del opened[at:]
    return line

"""A body for reading: decoded, laid out by its kind, and highlighted."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from urllib.parse import parse_qsl

from pygments.lexer import Lexer
from pygments.token import Comment, Keyword, Name, Number, String, _TokenType

from pytest_loadtool.codec.media import is_html, is_json, is_xml, media_type
from pytest_loadtool.codec.multipart import is_multipart, shown
from pytest_loadtool.codec.printable import on_one_line, printable
from pytest_loadtool.console.views.line import Kind, ViewLine
from pytest_loadtool.console.views.text import body_text, size
from pytest_loadtool.masking.text import Mask

#: Characters of a body that a view shows, and up to which it is laid out and highlighted.
LONGEST_SHOWN, LONGEST_LAID_OUT = 2_000_000, 200_000

#: What kinds of tokens look like, the nearest first: a token's kind is that of its own type or of
#: the types above it.
_KINDS: dict[_TokenType, Kind] = {
    Comment: "comment",
    Keyword: "keyword",
    Name.Tag: "tag",
    Name.Attribute: "attribute",
    Name.Function: "name",
    String: "string",
    Number: "keyword",
}

_VOID = frozenset({
    *("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param"),
    *("source", "track", "wbr", "!doctype"),
})  # fmt: skip
_PIECES = re.compile(
    r"(<!--.*?-->|<(?:script|style|pre|textarea)\b.*?</(?:script|style|pre|textarea)\s*>|<[^<>]+>)",
    re.I | re.S,
)
_TAG = re.compile(r"<(/?)([\w:.!?-]+)[^>]*?(/?)>", re.S)


def content(body: bytes, content_type: str, mask: Mask, *, raw: bool = False) -> list[ViewLine]:
    """Return the lines of a body; ``raw`` ones are as they were sent, without their secrets."""
    if not body:
        return [ViewLine(("(no body)", "dim"))]
    read = shown if is_multipart(content_type) else body_text
    text = read(body, content_type)
    if text is None:
        return [ViewLine((f"({size(len(body))} of {content_type or 'an undeclared type'})", "dim"))]
    left_out = len(text) - LONGEST_SHOWN
    text = printable(text[:LONGEST_SHOWN])
    laid_out = len(text) <= LONGEST_LAID_OUT and not raw
    media = media_type(content_type)
    if laid_out and media == "application/x-www-form-urlencoded" and "=" in text:
        return form_lines(text, mask)
    if laid_out and (lay_out := _layout(media)):
        text = lay_out(text)
    text = mask.text(text).expandtabs(4)
    lexer = _lexer(media) if len(text) <= LONGEST_LAID_OUT else None
    lines = list(_tokens(text, lexer) if lexer else map(_plain, text.split("\n")))
    if left_out > 0:
        lines.append(ViewLine((f"… {left_out:,} more characters: `show NUMBER --full`", "dim")))
    return lines


def _plain(text: str) -> ViewLine:
    return ViewLine((text, ""))


def _layout(media: str) -> Callable[[str], str] | None:
    if is_json(media):
        return json_layout
    if is_html(media) or is_xml(media):
        return markup_layout
    return None


def _lexer(media: str) -> Lexer | None:
    """What tells the tokens of such a text apart. Imports pygments' lexers."""
    from pygments.lexers.css import CssLexer
    from pygments.lexers.data import JsonLexer
    from pygments.lexers.html import HtmlLexer, XmlLexer
    from pygments.lexers.javascript import JavascriptLexer

    of: list[tuple[bool, type[Lexer]]] = [
        (is_json(media), JsonLexer),
        (is_html(media), HtmlLexer),
        (is_xml(media), XmlLexer),
        ("javascript" in media, JavascriptLexer),
        (media == "text/css", CssLexer),
    ]
    return next((lexer(stripnl=False, ensurenl=False) for true, lexer in of if true), None)


def _tokens(text: str, lexer: Lexer) -> Iterator[ViewLine]:
    spans: list[tuple[str, Kind]] = []
    for token, value in lexer.get_tokens(text):
        kind = _kind(token)
        first, *others = value.split("\n")
        spans.append((first, kind))
        for part in others:
            yield ViewLine(*spans)
            spans = [(part, kind)]
    yield ViewLine(*spans)


def _kind(token: _TokenType) -> Kind:
    while token is not None and token not in _KINDS:
        token = token.parent
    return _KINDS.get(token, "")


def json_layout(text: str) -> str:
    """Return JSON with a member on each line, and each token as it was written."""
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
    """Close the innermost element of that name, and those in it; the line that it began in."""
    at = next((i for i in reversed(range(len(opened))) if opened[i][0] == name), None)
    if at is None:
        return None
    line = opened[at][1]
    del opened[at:]
    return line


def form_lines(text: str, mask: Mask) -> list[ViewLine]:
    """Return a form with a field on each line, decoded; of secrets only the beginning."""
    return [
        ViewLine((on_one_line(name), "attribute"), (f"={on_one_line(mask.value(name, value))}", ""))
        for name, value in parse_qsl(text.strip(), keep_blank_values=True)
    ]

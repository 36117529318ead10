"""A body for reading: decoded, laid out by its kind, and highlighted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from urllib.parse import parse_qsl

from pygments.lexer import Lexer
from pygments.token import Comment, Keyword, Name, Number, String, _TokenType

from pytest_loadtool.codec.layout import json_layout, markup_layout
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
    """Return what tells the tokens of such a text apart. Imports pygments' lexers."""
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


def form_lines(text: str, mask: Mask) -> list[ViewLine]:
    """Return a form with a field on each line, decoded; of secrets only the beginning."""
    return [
        ViewLine((on_one_line(name), "attribute"), (f"={on_one_line(mask.value(name, value))}", ""))
        for name, value in parse_qsl(text.strip(), keep_blank_values=True)
    ]

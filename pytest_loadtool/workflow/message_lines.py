"""The lines of a request or a response as people compare them: decoded, a member on each line."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import parse_qsl

from pytest_loadtool.codec.layout import json_layout, markup_layout
from pytest_loadtool.codec.media import decoded, is_html, is_json, is_xml, media_type
from pytest_loadtool.codec.multipart import is_multipart, shown
from pytest_loadtool.codec.printable import on_one_line, printable
from pytest_loadtool.masking.text import Mask
from pytest_loadtool.model.exchange import HeaderList

#: Characters of a body that are compared and searched, and up to which it is laid out.
LONGEST_READ = 2_000_000


@dataclass(frozen=True, slots=True)
class MessageLine:
    """A line as it is compared, and as it is shown: without secrets. ``name`` is that of a header
    or field."""

    text: str
    shown: str
    name: str = ""


def header_lines(headers: HeaderList, mask: Mask) -> list[MessageLine]:
    """Return a line for each header, in their order."""
    return [
        MessageLine(
            on_one_line(f"{name}: {value}"),
            on_one_line(f"{name}: {mask.header(name, value)}"),
            _name(name.lower(), value),
        )
        for name, value in headers
    ]


def _name(name: str, value: str) -> str:
    """Return what a header is known by: of those that set cookies, each is of another."""
    return f"{name} {value.partition('=')[0]}" if name == "set-cookie" else name


def body_lines(
    body: bytes, content_type: str, mask: Mask, longest: int = LONGEST_READ
) -> list[MessageLine]:
    """Return the lines of a body, of which ``longest`` characters are read: JSON and markup laid
    out, a form with a field on each line."""
    media = media_type(content_type)
    text = body_text(body, content_type, longest)
    if media == "application/x-www-form-urlencoded" and "=" in text:
        return [
            MessageLine(
                on_one_line(f"{name}={value}"),
                on_one_line(f"{name}={mask.value(name, value)}"),
                name,
            )
            for name, value in parse_qsl(text.strip(), keep_blank_values=True)
        ]
    if is_json(media):
        text = json_layout(text)
    elif is_html(media) or is_xml(media):
        text = markup_layout(text)
    if not text:
        return []
    lines = text.split("\n")
    masked = mask.text(text).split("\n")
    if len(masked) != len(lines):  # a secret of several lines: each is masked alone
        masked = [mask.text(line) for line in lines]
    return [MessageLine(*pair) for pair in zip(lines, masked, strict=True)]


def body_text(body: bytes, content_type: str, longest: int = LONGEST_READ) -> str:
    """Return the ``longest`` first characters of a body as text, of what is no text only what it
    is."""
    if not body:
        return ""
    if is_multipart(content_type):
        return printable(shown(body, content_type) or "")[:longest]
    text = decoded(body, content_type)
    if "\0" in text:
        return f"({len(body):,} bytes of {content_type or 'an undeclared type'})"
    return printable(text[:longest])

"""Character sets that responses declare."""

from __future__ import annotations

import pytest

from pytest_loadtool.codec.media import declared_charset, decoded


def test_as_declared() -> None:
    """With quotes or without, in any case; nothing is nothing."""
    assert declared_charset('text/html; Charset="iso-8859-1"') == "iso-8859-1"
    assert declared_charset("text/html") == ""


@pytest.mark.parametrize(
    ("charset", "text"),
    [
        ("utf-8", "caf\ufffd \\d"),
        ("iso-8859-1", "café \\d"),
        ("windows-1252", "café \\d"),
        ("undefined", "café \\d"),  # scripts that lack a value declare it, and Python has a codec
        ("idna", "café \\d"),
        ("punycode", "café \\d"),
        ("unicode_escape", "café \\d"),
        ("hex", "café \\d"),
        ("rot13", "café \\d"),
        ("no-such-set", "café \\d"),
    ],
)
def test_any_body_is_text(charset: str, text: str) -> None:
    """What is no character set is read as Latin-1, without an error or a warning."""
    assert decoded(b"caf\xe9 \\d", f"text/html; charset={charset}") == text


def test_utf_8_under_another_name() -> None:
    """A body that is UTF-8 is read so where a set is declared that nobody knows."""
    assert decoded("café".encode(), "text/html; charset=no-such-set") == "café"

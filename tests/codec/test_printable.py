"""Text that others wrote, as it may be shown."""

from __future__ import annotations

from pytest_loadtool.codec.printable import clip, on_one_line, printable


def test_printable() -> None:
    """Line ends become newlines, controls escapes, lone surrogates question marks, no more."""
    assert printable("a\r\nb\tc\x00\x1b\x9b\ud800é購\N{GRINNING FACE}") == (
        "a\nb\tc\\x00\\x1b\\x9b?é購\N{GRINNING FACE}"
    )


def test_clip() -> None:
    """One line, at most so long."""
    assert clip("a\n  b", 10) == "a b"
    assert clip("abcdefghij", 5) == "abcd…"


def test_on_one_line() -> None:
    """What ends a line is written, too: a message has one."""
    assert on_one_line("a\r\nb\tc\x1bd") == r"a\x0d\x0ab\x09c\x1bd"

"""Words, sizes and bodies as people read them."""

from __future__ import annotations

import pytest

from pytest_loadtool.console.views.text import body, body_text, size
from pytest_loadtool.workflow.telling import counted


@pytest.mark.parametrize(
    ("number", "noun", "text"),
    [(0, "page", "0 pages"), (1, "page", "1 page"), (2, "query", "2 queries")],
)
def test_counted(number: int, noun: str, text: str) -> None:
    """A count agrees with its noun."""
    assert counted(number, noun) == text


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (4130, "4.1 kB"),
        (41300, "41 kB"),
        (12_000_000, "12 MB"),
        (3_100_000_000, "3.1 GB"),
    ],
)
def test_size(number: int, text: str) -> None:
    """A size has the unit that keeps it short."""
    assert size(number) == text


@pytest.mark.parametrize(
    ("content", "content_type", "text"),
    [
        ("Grüße".encode(), "text/html", "Grüße"),
        ("Grüße".encode("latin-1"), "text/html; charset=iso-8859-1", "Grüße"),
        (b"\xff", "application/json", "\ufffd"),
        (b"\xff\xd8", "image/jpeg", None),
        (b"a\0b", "application/octet-stream", None),
        (b"x", "text/plain; charset=klingon", "x"),
    ],
)
def test_body_text(content: bytes, content_type: str, text: str | None) -> None:
    """A body is text in the charset it declares; broken text is shown, anything else is not."""
    assert body_text(content, content_type) == text


def test_body_that_is_not_text_is_named() -> None:
    """An image is not printed."""
    assert body(b"\x89PNG\0", "image/png") == "(5 B of image/png)"
    assert body(b"\0", "") == "(1 B of an undeclared type)"
    assert body(b"", "text/html") == "(no body)"


def test_long_body_is_cut_and_says_so() -> None:
    """What is not shown is counted, and how to see it is named."""
    assert body(b"abcdef", "text/plain", limit=4) == ("abcd\n… 2 more characters; --full shows all")
    assert body(b"abcdef", "text/plain", limit=None) == "abcdef"

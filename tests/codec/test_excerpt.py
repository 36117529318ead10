"""Text for a terminal."""

from __future__ import annotations

import pytest

from pytest_loadtool.codec.excerpt import LIMIT, LINES, excerpt, is_binary


@pytest.mark.parametrize(
    ("text", "binary"),
    [
        ("", False),
        ("text", False),
        ("\ufffd" * 9, True),
        ("\x00", True),
        ("x" * 99 + "\ufffd", False),
    ],
)
def test_is_binary(text: str, binary: bool) -> None:
    """NUL, or much that the charset does not know, is no text."""
    assert is_binary(text) is binary


def test_short_text_is_whole() -> None:
    """What fits is shown as it is."""
    assert excerpt("a\nb", 1) == ["a", "b"]


@pytest.mark.parametrize("place", [0, 1, 5000, 99_000, 10**9])
@pytest.mark.parametrize("line", ["x" * 9, "x" * 99_999])
def test_long_text_around_a_place(place: int, line: str) -> None:
    """The place is in what is shown; what is left out before and after is counted exactly."""
    text = (line + "\n") * (100_000 // (len(line) + 1))
    shown = excerpt(text, place)
    before = after = 0
    if shown[0].startswith("…"):
        before = int(shown.pop(0).split()[1].replace(",", ""))
    if shown[-1].startswith("…"):
        after = int(shown.pop().split()[1].replace(",", ""))
    body = "\n".join(shown)
    assert text == text[:before] + body + text[len(text) - after :]
    assert before <= min(place, len(text) - 1) <= before + len(body)
    assert len(body) <= LIMIT
    assert len(shown) <= LINES

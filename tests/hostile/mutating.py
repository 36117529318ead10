"""Mutations: files and messages that are nearly right."""

from __future__ import annotations

import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from hypothesis import strategies as st

__all__ = ["mutated", "within"]

#: What breaks readers, wherever it gets to.
_TOKENS = (
    *("", "\0", "\r", "\n", "\r\n", "\t", " ", "\x7f", "\x85", "\ufeff", "\u2028", "é", "😀", "²"),
    *("'", '"', "'''", '"""', "\\", "\\u", "\\ud800", "\\U00110000", "#", "=", ",", ";", ":", "/"),
    *("[", "]", "[[", "]]", "{", "}", "${", "${}", "${a.b}", "$$", "$.", "(", ")", "(?", "*", "+"),
    *("-1", "0", "00", "1e999", "-0", "nan", "inf", "0x1", "9" * 30, "9" * 5000, "1_0", "\u0661"),
    *("true", "null", '""', "[]", "{}", "[" * 3000, '{"a":' * 3000, "a." * 3000, "\\xff"),
    *(
        "http://[x",
        "//",
        "http://h:99999",
        "1979-05-27T07:32:00Z",
        "12s",
        "%",
        "%zz",
        "=?",
        "\x1b[",
    ),
)
_MOST_CHANGES = 4
_LONGEST_CUT = 60


@st.composite
def mutated(draw: st.DrawFn, seeds: Sequence[str], marks: str) -> str:
    """One of the seeds after a few changes; ``marks`` are the characters that end what belongs
    together, as lines are ended, and parts of such others are put in."""
    text = draw(st.sampled_from(seeds))
    for _ in range(draw(st.integers(1, _MOST_CHANGES))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.integers(0, _LONGEST_CUT)))
        other = draw(st.sampled_from(seeds))
        at = draw(st.integers(0, len(other)))
        part = other[at : other.find(marks, at) + 1 or len(other)]
        new = draw(
            st.one_of(
                st.sampled_from(_TOKENS),
                st.just(part),
                st.just(text[start:end] * 2),
                st.characters(codec="utf-8"),
            )
        )
        text = text[:start] + new + text[end:]
    return text


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """What takes longer hangs.

    Raises:
        TimeoutError: it does.
    """

    def ring(_number: int, _frame: object) -> None:
        raise TimeoutError(f"it hangs: not done in {seconds} s")

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)

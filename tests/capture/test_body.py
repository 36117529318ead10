"""Collecting bodies on their way through."""

from __future__ import annotations

from pytest_loadtool.capture.body import Collector, decoded


def test_a_body_is_passed_on_and_kept() -> None:
    """Chunk by chunk, and whole at the end."""
    collector = Collector()
    assert [collector(chunk) for chunk in (b"ab", b"c", b"")] == [b"ab", b"c", b""]
    assert (collector.body, collector.size, collector.loss) == (b"abc", 3, "")


def test_a_body_beyond_the_limit_is_passed_on_whole_and_kept_in_part() -> None:
    """The client gets everything; what is missing from the record is said."""
    collector = Collector(limit=4)
    assert collector(b"abc") + collector(b"def") + collector(b"g") == b"abcdefg"
    assert collector.body == b"abcd"
    assert collector.loss == "only the first 4 of 7 bytes of the response body were kept"
    exact = Collector(limit=3)
    exact(b"abc")
    assert exact.loss == ""


def test_no_coding_changes_nothing() -> None:
    """Without Content-Encoding, and with identity, the body is the body."""
    assert decoded(b"abc", "") == b"abc"
    assert decoded(b"abc", "identity") == b"abc"

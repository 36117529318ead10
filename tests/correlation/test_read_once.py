"""What configuring reads of a recording again and again is kept."""

from __future__ import annotations

from pytest_loadtool.correlation.responses.recorded import LastRead
from tests.correlation.talk import get


def test_a_response_is_kept_until_many_others_were_read() -> None:
    """It is the same one, with what was parsed of it."""
    first, *others = (get(f"/{number}") for number in range(200))
    kept = LastRead()
    response = kept.of(first)
    for one in others[:20]:
        kept.of(one)
    assert kept.of(first) is response
    for one in others:
        kept.of(one)
    assert kept.of(first) is not response

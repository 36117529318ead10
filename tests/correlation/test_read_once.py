"""What configuring reads of a recording again and again is kept."""

from __future__ import annotations

from pytest_loadtool.correlation.index.traffic import steps_of
from pytest_loadtool.correlation.outcomes.seen import Answers
from pytest_loadtool.correlation.responses.recorded import LastRead
from tests.correlation.exchanges import case_of, html
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


def test_an_answer_that_is_asked_for_again_is_kept() -> None:
    """Of each change, those around it are asked for: what was read first is asked for longest."""
    pages = [get(f"/{number}", html("<p>Tea</p>")) for number in range(400)]
    first, *others = steps_of(case_of(*pages), pages)
    answers = Answers((first, *others), frozenset())
    answer = answers.of(first)
    for one in others[:200]:
        answers.of(one)
        assert answers.of(first) is answer
    for one in others[200:]:
        answers.of(one)
    assert answers.of(first) is not answer

"""What is dynamic in made-up sessions is found, nothing else is, and chance does not decide."""

from __future__ import annotations

import pytest
from hypothesis import settings

from tests.synthetic.judging import judge, recorded, unsteady
from tests.synthetic.score import Score

#: As many as take a few seconds, and fewer in the quick stage; ``python -m tests.synthetic`` judges
#: more.
_SESSIONS = min(60, 3 * settings().max_examples)
#: Of each session whose fields are to be the same ones.
_DRAWS = min(8, settings().max_examples // 3)


def test_two_draws_are_one_session() -> None:
    """Or nothing could be compared: each request has the same fields, and some other values."""
    for structure in range(9):
        one, other = recorded(structure, 0), recorded(structure, 1)
        assert [each.method for each in one] == [each.method for each in other]
        sent = [[(each.url, each.request_body) for each in session] for session in (one, other)]
        assert sent[0] != sent[1]


@pytest.mark.slow
def test_what_is_dynamic_is_found() -> None:
    """And what is replaced gives the right value on other servers."""
    score = Score()
    for structure in range(_SESSIONS):
        score.add([judge(structure)], steady=True)
    assert score.dynamic > 20 * _SESSIONS
    assert score.recall >= 99.5, score
    assert score.precision >= 99.5, score


@pytest.mark.parametrize("style", range(3))
def test_chance_does_not_decide(style: int) -> None:
    """The same fields are found with whatever ids, tokens and others there are."""
    for structure in range(style, 12, 3):
        judgements = [judge(structure, draw) for draw in range(_DRAWS)]
        assert not unsteady(judgements), structure
        assert not any(one.missed | one.wrong for one in judgements), structure


@pytest.mark.parametrize(("structure", "draw"), [(62, 9), (473, 1), (738, 1), (807, 9)])
def test_equal_by_chance(structure: int, draw: int) -> None:
    """A version that was the same after a change, or is that of another resource, be it in a list;
    a level that is the number of what another call of the same address lists."""
    found = judge(structure, draw)
    assert not found.missed | found.wrong

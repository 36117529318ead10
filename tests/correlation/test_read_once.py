"""What configuring reads of a recording again and again is kept."""

from __future__ import annotations

import pytest

from pytest_loadtool.casefile import package_rules
from pytest_loadtool.correlation.index.indexing import read_traffic
from pytest_loadtool.correlation.index.traffic import steps_of
from pytest_loadtool.correlation.outcomes.seen import Answers
from pytest_loadtool.correlation.responses.recorded import LastRead
from pytest_loadtool.recording import build_case
from tests.correlation.exchanges import case_of, exchange, html
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


@pytest.mark.parametrize(
    ("script", "rows"), [('i<n;a="</p>"', ()), ("document.write('<table><tr></tr></table>')", (0,))]
)
def test_scripts_that_have_no_rows(script: str, rows: tuple[int, ...]) -> None:
    """They are long, and to look for the elements of XML in them takes minutes."""
    answer = exchange(received=(("Content-Type", "text/javascript"),), answer=script.encode())
    exchanges = (get("/all.js", answer),)
    case = build_case(exchanges, name="recorded").case
    traffic = read_traffic(case, steps_of(case, exchanges), package_rules())
    assert traffic.responses.markup == rows

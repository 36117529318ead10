"""Responses of other projects' test suites: whole, byte by byte and split at random, without a
socket and over one; h11, llhttp and curl say what is right."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.hostile import over_sockets
from tests.hostile.corpus import RESPONSES, read_responses
from tests.hostile.disagreements import REASONS
from tests.hostile.examining import Outcome, examine
from tests.hostile.readers import cut_off, ours
from tests.hostile.reading import Reading, differences
from tests.hostile.serving import AFTER
from tests.hostile.sources import SOURCES
from tests.hostile.table import PAGE, judges, lines

CASES = read_responses()


@pytest.fixture(scope="module")
def outcomes() -> list[Outcome]:
    """Of all of them."""
    return examine(CASES)


@pytest.fixture
def judged(outcomes: list[Outcome]) -> list[Outcome]:
    """The same, if the judges are those whose differences have been looked at."""
    if judges() not in PAGE.read_text(encoding="utf-8"):
        pytest.skip(f"{judges()} are other judges than those of docs/reliability.md")
    return outcomes


def test_read_alike(outcomes: list[Outcome]) -> None:
    """In whatever pieces, and over sockets; none is a traceback or never ends."""
    wrong = [f"{one.case}: {what}" for one in outcomes for what in one.inconsistent]
    assert not wrong, "\n".join(wrong)
    assert not [str(one.case) for one in outcomes if one.raised or one.hung]


def test_read_as_by_others(judged: list[Outcome]) -> None:
    """Status, headers, body and end are those that others find, but for what has a reason."""
    wrong = [f"{one.case}: {what}" for one in judged for what in one.unexplained]
    assert not wrong, "\n".join(wrong)


def test_each_reason_is_needed(judged: list[Outcome]) -> None:
    """None is left over from what was otherwise once."""
    used = {(judge, reason) for one in judged for judge, reason in one.reasons}
    assert used == {(judge, reason) for reason in REASONS for judge in reason.judges}


def test_documented(judged: list[Outcome]) -> None:
    """The page has the tables; ``python -m tests.hostile --write`` makes them."""
    assert "\n".join(lines(judged)) in PAGE.read_text(encoding="utf-8")


def test_a_connection_that_stays_open() -> None:
    """A response that does not end with the connection ends by itself, and the next request gets
    its own answer: on the same connection exactly where that is to be kept."""
    held = [case for case in CASES if not cut_off([case.wire])]
    assert len(held) > len(CASES) / 2
    wrong = [
        (str(case), read, found, after)
        for case, (found, after) in zip(held, over_sockets.holding(held), strict=True)
        for read in (ours([case.wire]),)
        if differences(read, found) or after != AFTER.partition(b"\r\n\r\n")[2]
    ]
    assert not wrong


def test_the_judges_are_asked() -> None:
    """What readers may differ in is seen: a table of agreements proves nothing otherwise."""
    read = Reading(200, {"a": ["b"]}, b"body", True)
    for aspect, other in (
        ("status", replace(read, status=201)),
        ("headers", replace(read, fields={"a": ["c"]})),
        ("body", replace(read, body=b"")),
        ("connection", replace(read, keeps=False)),
        ("taken", Reading(problem="no")),
    ):
        assert differences(read, other) == (aspect,)
    assert differences(Reading(problem="no"), read) == ("refused",)
    assert differences(Reading(problem="no"), Reading(problem="never")) == ()
    assert differences(read, replace(read, fields=None)) == ()


def test_every_source_has_its_files() -> None:
    """The responses and their licence; nothing is left of one that was taken away."""
    names = {path.name for path in RESPONSES.iterdir()}
    assert names == {f"{one}.{kind}" for one in SOURCES for kind in ("jsonl", "LICENSE")}
    assert len({case.wire for case in CASES}) == len(CASES) > 1000

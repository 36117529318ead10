"""Taking a decision back: it stays so, and what a person set stays as it is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_loadtool.casefile import read_case
from pytest_loadtool.console.errors import UsageError
from pytest_loadtool.console.opening import open_file
from pytest_loadtool.console.session import Console
from tests.console.desk import Desk, record, serving
from tests.console.listener import Listener, do
from tests.console.traffic import RECORDED_TOKEN, sign_in, write_har


@pytest.fixture
def desk() -> Iterator[Desk]:
    with serving() as desk:
        yield desk


@pytest.fixture
def signed_in(session: Console, tmp_path: Path, listener: Listener) -> Console:
    """A console with a recorded sign-in that is configured."""
    do(session, f"import {write_har(tmp_path / 'in.har', *sign_in('http://127.0.0.1:9'))}")
    do(session, "configure")
    listener.said.clear()
    return session


def bodies(session: Console) -> str:
    return "\n".join(str(one.request.body) for one in session.opened().case.transactions())


@pytest.mark.parametrize("decision", ["csrf_token[1]", "1"])
def test_decision_is_taken_back_for_good(
    signed_in: Console, listener: Listener, decision: str
) -> None:
    """By its variable or its number; configuring does not bring it back, nor does the file."""
    do(signed_in, "explain")
    assert "  1. csrf_token[1]  (recorded: " in listener.text
    do(signed_in, f"undo-decision {decision}")
    case = signed_in.opened().case
    assert case.asm.ignore == ("POST /login: token",)
    assert RECORDED_TOKEN in bodies(signed_in)
    assert "csrf_token[1]" not in case.variables
    assert not any(one.extractors for one in case.transactions())
    do(signed_in, "configure")
    assert signed_in.opened().case == case
    do(signed_in, "save")
    signed_in.document = signed_in.saved = None
    open_file(signed_in)
    do(signed_in, "application-state")
    assert read_case(signed_in.case_path) == signed_in.opened().case == case
    listener.said.clear()
    do(signed_in, "explain")
    assert "token is to be ignored" in listener.text


def test_it_is_one_command_to_undo(signed_in: Console) -> None:
    """`undo` brings the decision back, and takes the note with it."""
    case = signed_in.opened().case
    do(signed_in, "undo-decision csrf_token[1]")
    do(signed_in, "undo")
    assert signed_in.opened().case == case


def test_what_a_replay_showed_can_be_taken_back(
    session: Console, desk: Desk, tmp_path: Path
) -> None:
    """Another replay does not bring it back; what is called alike elsewhere stays."""
    do(session, f"import {record(desk, tmp_path / 'in.har')}")
    do(session, "configure --replay")
    do(session, "undo-decision queue_id[1]")
    case = session.opened().case
    assert case.asm.ignore == ("GET /queue/51: queue",)
    with pytest.raises(Exception, match="not green after 1 replay"):
        do(session, "configure --replay")
    assert session.opened().case == case
    assert "ticket[1]" in case.variables


def test_what_a_person_set_stays(signed_in: Console) -> None:
    """A variable of one's own cannot be taken back so, and configuring leaves it alone."""
    do(signed_in, "unique ann")
    case = signed_in.opened().case
    (own,) = (
        one.name for one in case.variables.values() if one.set_by == "person" and one.template
    )
    do(signed_in, "configure")
    assert signed_in.opened().case == case
    with pytest.raises(UsageError, match="was set by a person"):
        do(signed_in, f"undo-decision '{own}'")
    do(signed_in, "undo-decision csrf_token[1]")
    assert own in signed_in.opened().case.variables
    assert f"${{{own}}}" in bodies(signed_in)


@pytest.mark.parametrize(
    ("decision", "problem"), [("nothing", "no variable 'nothing'"), ("7", "no decision 7")]
)
def test_unknown_decision_is_refused(signed_in: Console, decision: str, problem: str) -> None:
    """By name and by number."""
    with pytest.raises(UsageError, match=problem):
        do(signed_in, f"undo-decision {decision}")


def test_what_is_ignored_has_the_path_as_recorded(signed_in: Console) -> None:
    """Also where a person has put a dataset into it; configuring leaves it alone then, too."""
    do(signed_in, "dataset new doors name --rows 1 --fill name=login")
    do(signed_in, "set-field 2 path[1] --dataset doors.name")
    do(signed_in, "undo-decision csrf_token[1]")
    case = signed_in.opened().case
    assert case.asm.ignore == ("POST /login: token",)
    do(signed_in, "application-state")
    assert signed_in.opened().case == case

"""The console's `flow`: set, shown, left and removed; what cannot be is refused in words."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from pytest_loadtool.casefile import parse_case
from pytest_loadtool.console.commands import COMMANDS
from pytest_loadtool.console.errors import CommandError, UsageError
from pytest_loadtool.console.session import Console, Settings
from pytest_loadtool.model.flow import Choose, Repeat, Until
from pytest_loadtool.workflow.document import Document
from tests.console.listener import Listener, do

PAGES = {"Home": "/ /a", "Job": "/job /state /report", "Buy": "/buy", "Sell": "/sell"}


@pytest.fixture
def listener() -> Listener:
    return Listener()


@pytest.fixture
def session(tmp_path: Path, listener: Listener) -> Console:
    lines = ['format = 1\nname = "Shop"\nserver = "http://h"\n']
    for name, targets in PAGES.items():
        lines.append(f'[[page]]\nname = "{name}"\n')
        lines += [f'[[page.transaction]]\nrequest = "GET {one}"\n' for one in targets.split()]
    session = Console(Settings(directory=tmp_path), listener, COMMANDS, tmp_path / "x.case.toml")
    session.document = Document(parse_case("".join(lines), "x"), ())
    return session


UNTIL = """flow "job is done" 4 --until '{ json = "$.state", equals = "done" }' --limit 60s"""


@pytest.mark.promise(139)
def test_flows_are_set_and_shown(session: Console, listener: Listener) -> None:
    """By itself `flow` lists them; the tree has them where they stand."""
    do(session, "flow")
    do(session, "flow again P1 --repeat 2-5")
    do(session, UNTIL)
    do(session, """flow stocked 5 --when '{ value = "${server}", contains = "h" }'""")
    do(session, "flow buy P3 --repeat 1")
    do(session, "flow sell P4 --repeat 2")
    do(session, "flow trade --choose buy=7,sell=3")
    assert listener.said == [
        "There are no flows.",
        "  again  repeated 2 to 5 times",
        "  job is done  until JSON path $.state is 'done', every 1s, for 1m at most",
        "  stocked  only when ${server} is one with 'h'",
        "  buy  repeated 1 time",
        "  sell  repeated 2 times",
        "  trade  one of buy (7), sell (3)",
    ]
    case = session.opened().case
    assert [page.flow for page in case.pages] == ["again", "", "buy", "sell"]
    assert [one.flow for one in case.pages[1].transactions] == ["", "job is done", "stocked"]
    del listener.said[:]
    do(session, "tree")
    tree = "\n".join(listener.said)
    assert "P1 Home  (again: repeated 2 to 5 times)" in tree
    assert "P3 Buy  (trade: one of buy (7), sell (3); buy: repeated 1 time)" in tree
    assert "P4 Sell  (trade; sell: repeated 2 times)" in tree
    assert "/state  (job is done: until JSON path $.state is 'done'" in tree


@pytest.mark.promise(139)
def test_flows_are_changed_left_and_removed(session: Console) -> None:
    """One that nothing stands in any more is gone; what it chooses may have a rule of its own."""
    do(session, "flow again P1 --repeat 2")
    do(session, "flow again --repeat 3")
    assert session.opened().case.flows["again"].rule == Repeat(3, 3)
    do(session, UNTIL)
    do(session, "flow 'job is done' --limit 5m --every 2s")
    until = session.opened().case.flows["job is done"].rule
    assert isinstance(until, Until)
    assert (until.every, until.limit) == (2, 300)
    with pytest.raises(UsageError, match="--limit must be longer than 0s"):
        do(session, "flow 'job is done' --limit 0s")
    do(session, "flow 'job is done' --remove")
    do(session, "flow inner 2 --repeat 2 --within again")
    do(session, "flow again --remove")
    case = session.opened().case
    assert list(case.flows) == ["inner"]
    assert case.flows["inner"].within == ""
    do(session, "flow inner 2 --leave")
    assert not session.opened().case.flows
    do(session, "flow buy P3 --repeat 1")
    do(session, "flow sell P4 --repeat 2")
    do(session, "flow trade --choose buy=7,sell=3")
    do(session, "delete P3")
    assert session.opened().case.flows["trade"].rule == Choose({"sell": 3})
    do(session, "flow trade --remove")
    assert list(session.opened().case.flows) == ["sell"]


def test_what_stood_only_for_a_choice_goes_with_it(session: Console) -> None:
    """It has no rule of its own."""
    document = session.opened()
    text = 'format = 1\nname = "x"\nserver = "http://h"\n[flows.next]\nchoose = { x = 1 }\n'
    text += '[[page]]\nname = "p"\n[[page.transaction]]\nrequest = "GET /"\nflow = "x"\n'
    session.document = replace(document, case=parse_case(text, "x"))
    do(session, "flow next --remove")
    case = session.opened().case
    assert not case.flows
    assert case.pages[0].transactions[0].flow == ""


@pytest.mark.promise(139)
@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("flow again", "there is no flow 'again'"),
        ("flow again P1", "give it one of --repeat"),
        ("flow again P1 --repeat 0", "expected a number from 1 on"),
        ("flow again P1 --until done --limit 5s", "--until: expected"),
        (UNTIL.replace(" --limit 60s", ""), "limit: missing"),
        ("flow again 1,3 --repeat 2", "have to stand together"),
        ("flow trade --choose buy=1,sell=2", "nothing stands in 'buy'"),
        ("flow trade --choose buy", "--choose: expected"),
        ("flow again P1 --repeat 2 --within other", "there is no flow 'other'"),
        ("flow a P1 --repeat 2 --until '{ text = \"a\" }' --limit 1s", "expected one of repeat"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused(session: Console, line: str, why: str) -> None:
    """And nothing has changed."""
    before = session.document
    with pytest.raises((CommandError, UsageError)) as caught:
        do(session, line)
    assert why in str(caught.value)
    assert session.document is before


def test_editing_keeps_flows_together(session: Console) -> None:
    """What would tear one apart is refused."""
    do(session, "flow again 3-5 --repeat 2")
    for line in ("move 4 --before 1", "split P2 --at 4"):
        with pytest.raises(CommandError, match="have to stand together"):
            do(session, line)
    do(session, "duplicate 4")
    assert [one.flow for one in session.opened().case.pages[1].transactions] == ["again"] * 4

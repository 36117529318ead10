"""Editing the structure of the test case at the console."""

from __future__ import annotations

from pathlib import Path

import pytest

from example_suite.server import ShopServer
from pytest_loadtool.casefile import read_case
from pytest_loadtool.console.errors import CommandError, UsageError
from pytest_loadtool.console.session import Console
from tests.console.listener import Listener, do
from tests.console.samples import DOCUMENT

API = Path(__file__).parents[3] / "example_suite" / "cases" / "api.har"
ADMIN = Path(__file__).parents[3] / "example_suite" / "cases" / "admin.har"

BY_HAND = 'request = "GET /by-hand"'


def pages(session: Console) -> list[tuple[str, int]]:
    return [(page.name, len(page.transactions)) for page in session.opened().case.pages]


def test_pages_and_transactions_are_renamed(session: Console, listener: Listener) -> None:
    """By number or name; nothing else changes."""
    session.document = DOCUMENT
    do(session, 'rename P1 "Sign in"')
    do(session, 'rename GET /login "the form"')
    do(session, "rename home Start")
    assert pages(session) == [("Sign in", 1), ("Start", 2)]
    assert listener.said == [
        "P1 Log in is Sign in now.",
        "1 GET /login is the form now.",
        "P2 Home is Start now.",
    ]
    do(session, 'rename 2 ""')
    assert listener.said[-1] == "2 log in is POST /login now."
    with pytest.raises(CommandError, match="another page is called 'Start'"):
        do(session, "rename P1 Start")
    for _ in range(4):
        do(session, "undo")
    assert session.document is DOCUMENT


def test_think_times_are_set(session: Console, listener: Listener) -> None:
    """In seconds or by a factor; without either they are listed."""
    session.document = DOCUMENT
    do(session, "think all x0.5")
    assert session.opened().case.pages[0].think_time == 1.6
    do(session, "think P1 2s")
    do(session, "think")
    assert listener.said[-2:] == ["  P1        2s  Log in", "  P2        0s  Home"]
    with pytest.raises(UsageError, match="PACE must be a duration such as 2s, or a factor"):
        do(session, "think P1 soon")
    with pytest.raises(UsageError, match="PACE must be a duration"):
        do(session, "think P1 x-2")


def test_pages_are_done_once(session: Console, listener: Listener) -> None:
    """The start is what comes first, and stays there; what cannot be is refused in words."""
    session.document = DOCUMENT
    do(session, 'once "Log in" start')
    assert listener.said == ["  P1  start  Log in"]
    do(session, "tree")
    assert any("P1 Log in" in line and "once, at the start" in line for line in listener.said)
    before = session.document
    for line, why in (
        ("once P2 start", "one page at least has to be left"),
        ("once P1 end", "the end comes after all other pages"),
        ("move P1 --after P2", "the start comes before all other pages"),
        ("once P1 never", "'never' is not a part: expected one of start, end, no"),
    ):
        with pytest.raises(CommandError, match=why):
            do(session, line)
        assert session.document is before
    do(session, "once P1 no")
    assert session.opened().case == DOCUMENT.case


def test_configure_proposes_the_parts(session: Console, listener: Listener) -> None:
    """Of a recording that begins with a login; what somebody has said already is left alone."""
    do(session, f"import {ADMIN}")
    do(session, "configure")
    told = "\n".join(listener.said)
    assert "logs in" in told or "log in" in told
    command = told.partition("each iteration does. `")[2].partition("`")[0]
    assert command.startswith("once P1")
    do(session, command)
    assert session.opened().case.pages[0].once == "start"
    del listener.said[:]
    do(session, "configure")
    assert "each iteration does" not in "\n".join(listener.said)


def test_what_sets_a_value_stays_before_what_needs_it(session: Console, listener: Listener) -> None:
    """Moving is refused with the names of both, and nothing has changed."""
    do(session, f"import {API}")
    do(session, "configure")
    before = session.document
    case = session.opened().case
    setter = next(n for n, one in enumerate(case.transactions(), 1) if one.extractors)
    variable = list(case.transactions())[setter - 1].extractors[0].variable
    with pytest.raises(CommandError) as refused:
        do(session, f"move {setter} --after {len(list(case.transactions()))}")
    assert "not moved: a value would be needed before it is set" in str(refused.value)
    title = list(case.transactions())[setter - 1].title
    assert f"{variable} is set by {setter} {title}, needed by " in str(refused.value)
    assert session.document is before


def test_transactions_and_pages_move(session: Console, listener: Listener) -> None:
    """Transactions join the page of what they are moved to; pages stay pages."""
    session.document = DOCUMENT
    do(session, "move 3 --before 1")
    assert pages(session) == [("Log in", 2), ("Home", 1)]
    do(session, "move P2 --before P1")
    assert pages(session) == [("Home", 1), ("Log in", 2)]
    do(session, "move 1 --after P2")
    assert pages(session) == [("Log in", 3)]
    with pytest.raises(UsageError, match="move what where"):
        do(session, "move 1")
    with pytest.raises(CommandError, match="cannot stay where it goes"):
        do(session, "move 1 --after 1")


def test_pages_are_merged_and_split(session: Console, listener: Listener) -> None:
    """One is the other's undoing, but for the name, which the traffic gives."""
    session.document = DOCUMENT
    do(session, "merge P1 P2")
    assert pages(session) == [("Log in", 3)]
    do(session, "split P1 --at 2 --name Home")
    assert session.opened().case == DOCUMENT.case
    do(session, "split Home --at /by-hand")
    assert pages(session)[-1] == ("GET /by-hand", 1)
    for line, message in (
        ("split P1", "split where"),
        ("split P1 --at 2", "2 is not on P1, which has 1 to 1"),
        ("merge P1", "two pages or more"),
        ("merge P1 P3", "other pages between"),
    ):
        with pytest.raises(CommandError, match=message):
            do(session, line)


def test_split_page_is_named_by_its_document(session: Console) -> None:
    """As a recording would have named it."""
    do(session, f"import {ADMIN}")
    names = [name for name, _ in pages(session)]
    do(session, "merge P1-P2")
    second = len(session.opened().case.pages[0].transactions)
    at = next(
        number
        for number, one in enumerate(session.opened().case.transactions(), 1)
        if number > 1 and one.recorded is not None and one.recorded.pause
    )
    assert at < second
    do(session, f"split P1 --at {at}")
    assert [name for name, _ in pages(session)][:2] == names[:2]


def test_copies_are_made(session: Console, listener: Listener) -> None:
    """Of pages with a name of their own."""
    session.document = DOCUMENT
    do(session, "duplicate Home")
    do(session, "duplicate 1")
    assert pages(session) == [("Log in", 2), ("Home", 2), ("Home (2)", 2)]
    with pytest.raises(UsageError, match="duplicate what"):
        do(session, "duplicate")
    with pytest.raises(UsageError, match="--name goes with a page"):
        do(session, "duplicate 1 --name x")


def test_restructured_case_is_saved_with_its_comments(session: Console, tmp_path: Path) -> None:
    """What is written is what is open, and the comments of people are where they belong."""
    session.document = DOCUMENT
    do(session, "save")
    path = tmp_path / "shop.case.toml"
    text = path.read_text(encoding="utf-8")
    assert BY_HAND in text
    commented = text.replace(BY_HAND, f"# ask Ann\n{BY_HAND}")
    path.write_text(commented, encoding="utf-8")
    do(session, "move 3 --before 1")
    do(session, 'rename P2 "Start page"')
    do(session, "think P1 7s")
    do(session, "save --replace")
    saved = path.read_text(encoding="utf-8")
    assert f"# ask Ann\n{BY_HAND}" in saved
    assert read_case(path) == session.opened().case


@pytest.mark.parametrize(
    "edit", ["merge P1 P2", "move 3 --after 1", "move P2 --before P1", "split P2 --at 3"]
)
def test_comments_go_where_their_transactions_go(
    session: Console, tmp_path: Path, edit: str
) -> None:
    """To another page, or with their own."""
    session.document = DOCUMENT
    do(session, "save")
    path = tmp_path / "shop.case.toml"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace(BY_HAND, f"# ask Ann\n{BY_HAND}"), encoding="utf-8")
    do(session, edit)
    do(session, "save --replace")
    assert f"# ask Ann\n{BY_HAND}" in path.read_text(encoding="utf-8")


def test_restructured_case_plays(session: Console, listener: Listener, shop: ShopServer) -> None:
    """Against the application: values are passed on as before."""
    do(session, f"import {API}")
    do(session, "configure")
    count = len(list(session.opened().case.transactions()))
    do(session, "duplicate 2")
    do(session, "merge all")
    do(session, f"split P1 --at {count} --name End")
    do(session, "move P2 --after P1" if len(pages(session)) > 2 else "think all 0s")
    do(session, f"play --fast --server {shop.url}")
    assert f"{count + 1} transactions passed" in listener.text


def test_who_needs_what_is_deleted_is_told(session: Console, listener: Listener) -> None:
    """With the number that it has now."""
    do(session, f"import {API}")
    do(session, "configure")
    transactions = list(session.opened().case.transactions())
    setter = next(n for n, one in enumerate(transactions, 1) if one.extractors)
    do(session, f"delete {setter}")
    variable = transactions[setter - 1].extractors[0].variable
    (told,) = (line for line in listener.said if line.startswith(f"  {variable} was set by "))
    setter_title = transactions[setter - 1].title
    assert f"{setter} {setter_title}, which is gone, and is still used by {setter} " in told
    assert told.endswith("`configure` looks for another source")

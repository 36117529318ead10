"""Looking at a test case and editing it."""

from __future__ import annotations

import pytest

from pytest_loadtool.console.errors import CommandError, UsageError
from pytest_loadtool.console.session import Console
from pytest_loadtool.model.case import Page, Request, TestCase, Transaction
from pytest_loadtool.model.extractor import Extractor, FormField
from pytest_loadtool.workflow.document import Document
from tests.console.listener import Listener, do
from tests.console.samples import DOCUMENT


@pytest.mark.promise(5)
@pytest.mark.promise(53)
def test_delete_removes_one_transaction(session: Console, listener: Listener) -> None:
    """What is deleted is gone from the test case; the recorded traffic is not touched."""
    session.document = DOCUMENT
    do(session, "delete 2")
    case = session.opened().case
    assert [one.request.target for one in case.transactions()] == ["/login", "/by-hand"]
    assert session.opened().exchanges == DOCUMENT.exchanges
    assert listener.said == ["Deleted 2: log in"]
    assert session.unsaved


@pytest.mark.parametrize("line", ["delete 4", "delete 0", "show 9"])
def test_number_that_does_not_exist_is_refused(session: Console, line: str) -> None:
    """The range of numbers is named."""
    session.document = DOCUMENT
    with pytest.raises(UsageError, match="`tree` numbers them 1 to 3"):
        do(session, line)
    assert session.document is DOCUMENT


@pytest.mark.parametrize("line", ["tree", "show 1", "delete 1", "configure", "play", "save"])
def test_command_without_a_test_case_says_what_to_do(session: Console, line: str) -> None:
    """There is no traceback where there is no test case."""
    with pytest.raises(CommandError, match="there is no test case yet: `record` or `import`"):
        do(session, line)


def test_show_prints_the_recorded_side(session: Console, listener: Listener) -> None:
    """Headers and decoded content of the transaction that was asked for."""
    session.document = DOCUMENT
    do(session, "show 1")
    assert "<title>Grüße</title>" in listener.text


@pytest.mark.promise(49)
def test_tree_is_collapsed_and_expanded(session: Console, listener: Listener) -> None:
    """Collapse All holds until Expand All."""
    session.document = DOCUMENT
    shown = []
    for line in ("tree --collapse-all", "tree", "tree --expand-all", "tree"):
        do(session, line)
        shown.append("/login" in listener.text)
        listener.said.clear()
    assert shown == [False, False, True, True]
    with pytest.raises(UsageError, match="exclude each other"):
        do(session, "tree --collapse-all --expand-all")


@pytest.mark.promise(49)
def test_single_pages_are_collapsed(session: Console, listener: Listener) -> None:
    """By number or name, until they are expanded; a page that is made meanwhile is not."""
    session.document = DOCUMENT

    def shown(line: str) -> list[str]:
        do(session, line)
        listener.said.clear()
        do(session, "tree")
        return [text[:8] for text in listener.said if text[:1] in "▸▾"]

    assert shown("collapse P1") == ["▸ P1 Log", "▾ P2 Hom"]
    assert shown("collapse") == ["▸ P1 Log", "▸ P2 Hom"]
    assert shown("expand Home") == ["▸ P1 Log", "▾ P2 Hom"]
    assert shown("split P2 --at 3") == ["▸ P1 Log", "▾ P2 Hom", "▸ P3 GET"]
    assert shown("expand") == ["▾ P1 Log", "▾ P2 Hom", "▾ P3 GET"]


def test_tree_of_what_was_asked_for(session: Console, listener: Listener) -> None:
    """The selections and filters of all commands; what is none is refused."""
    session.document = DOCUMENT
    for line, count in (
        ("tree ~m POST", 1),
        ("tree P2", 2),
        ("tree --kind html", 1),
        ("tree 1 3", 2),
    ):
        listener.said.clear()
        do(session, line)
        assert f"({count} of 3 transactions)" in listener.said[0]
        assert len([text for text in listener.said if text[:5].strip().isdigit()]) == count
    with pytest.raises(UsageError, match="there is no operator '~mm': did you mean '~m'"):
        do(session, "tree ~mm POST")


@pytest.mark.parametrize("line", ["save", "play"])
def test_variable_that_lost_its_source_is_not_passed_over(session: Console, line: str) -> None:
    """A variable without a source is named at once, and neither saved nor played."""
    token = Extractor("token", FormField("token"))
    session.document = Document(
        TestCase(
            name="shop",
            server="http://127.0.0.1:9",
            pages=(
                Page(
                    "Home",
                    (
                        Transaction(Request("GET", "/"), extractors=(token,)),
                        Transaction(Request("GET", "/?t=${token}")),
                    ),
                ),
            ),
        )
    )
    do(session, "delete 1")
    assert isinstance(session.frontend, Listener)
    assert "token was set by 1 GET /, which is gone, and is still used by" in session.frontend.text
    with pytest.raises(CommandError, match="token: used, but set by nothing; `configure`"):
        do(session, line)
    assert not session.case_path.exists()


def test_configure_needs_the_traffic(session: Console) -> None:
    """Without evidence nothing can be found, and the console says what is missing."""
    session.document = Document(DOCUMENT.case)
    with pytest.raises(CommandError, match=r"put the \.har file next to the test case"):
        do(session, "configure")

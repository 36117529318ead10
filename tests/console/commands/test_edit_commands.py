"""Taking things out of a test case, and taking commands back."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_loadtool.casefile import read_case, read_har
from pytest_loadtool.console.errors import CommandError, UsageError
from pytest_loadtool.console.session import Console
from pytest_loadtool.workflow.document import Document
from tests.console.listener import Listener, do
from tests.console.samples import DOCUMENT

ADMIN = Path(__file__).parents[3] / "example_suite" / "cases" / "admin.har"


def targets(session: Console) -> list[str]:
    return [one.request.target for one in session.opened().case.transactions()]


@pytest.mark.promise(50)
def test_static_resources_are_stripped(session: Console, listener: Listener) -> None:
    """The whole test case at once; what went is counted by kind, the traffic stays."""
    do(session, f"import {ADMIN}")
    before = session.opened()
    do(session, "strip")
    assert any(target.endswith(".css") for target in _targets(before))
    assert not any(target.endswith((".css", ".js", ".svg")) for target in targets(session))
    assert "static resources (" in listener.text
    assert "CSS: " in listener.text
    assert session.opened().exchanges is before.exchanges


def _targets(document: Document) -> list[str]:
    return [one.request.target.partition("?")[0] for one in document.case.transactions()]


@pytest.mark.promise(53)
@pytest.mark.promise(5)
def test_page_is_deleted_by_name_or_number(session: Console, listener: Listener) -> None:
    """All transactions of the page go with it."""
    session.document = DOCUMENT
    do(session, "delete --page Home")
    assert targets(session) == ["/login"]
    assert listener.said == ["Deleted the page Home with 2 transactions"]
    session.document = DOCUMENT
    do(session, "delete page=1")
    assert [page.name for page in session.opened().case.pages] == ["Home"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("delete", "delete what[?] A number [(]4[)], a range [(]4-8[)], a page"),
        ("delete --page Hme", "there is no page 'Hme': did you mean 'Home'"),
        ("delete --page 3", "there is no page P3: `tree` numbers them P1 to P2"),
        ("delete 2-9", "there is no transaction 9: `tree` numbers them 1 to 3"),
        ("delete --kind imge", "'imge' is no kind: did you mean 'image'"),
        ("delete --kind image", "no transaction is like that"),
    ],
)
def test_what_is_deleted_must_be_clear(session: Console, line: str, message: str) -> None:
    """Nothing is deleted on a guess."""
    session.document = DOCUMENT
    with pytest.raises(UsageError, match=message):
        do(session, line)
    assert session.document is DOCUMENT


@pytest.mark.promise(53)
@pytest.mark.parametrize(
    ("line", "left", "said"),
    [
        ("delete 1 3", ["/login"], ["Deleted 1: GET /login", "Deleted 3: GET /by-hand"]),
        ("delete 1-2", ["/by-hand"], ["Deleted 1: GET /login", "Deleted 2: log in"]),
        ("delete GET /login", ["/login", "/by-hand"], ["Deleted 1: GET /login"]),
        ("delete P2", ["/login"], ["Deleted the page Home with 2 transactions"]),
        ("delete --kind html", ["/login", "/by-hand"], ["Deleted 1: GET /login"]),
        ("delete P2 ~m POST", ["/login", "/by-hand"], ["Deleted 2: log in"]),
        ("delete status=3xx 1-2", ["/login", "/by-hand"], ["Deleted 2: log in"]),
    ],
)
def test_several_are_deleted_at_once(
    session: Console, listener: Listener, line: str, left: list[str], said: list[str]
) -> None:
    """Lists, ranges, pages, names and filters, and one `undo` takes all of it back."""
    session.document = DOCUMENT
    do(session, line)
    assert targets(session) == left
    assert listener.said == said
    do(session, "undo")
    assert session.document is DOCUMENT


def test_of_many_that_are_deleted_some_are_told(session: Console, listener: Listener) -> None:
    """A screen is not filled with what is gone."""
    do(session, f"import {ADMIN}")
    do(session, "delete 2-20")
    told = [line for line in listener.said if line.startswith("Deleted ")]
    assert told[-1].endswith("more; the numbers of the others have changed.")
    assert len(told) < 19


def test_typed_names_are_made_unique(session: Console, listener: Listener) -> None:
    """One of each user's own, in every request; what nobody typed is refused."""
    do(session, f"import {ADMIN}")
    imported = session.document
    do(session, 'unique "Large teapot"')
    case = session.opened().case
    assert case.variables["name[1]"].template == "Large teapot-${name_end[1]}"
    bodies = [str(one.request.body) for one in case.transactions()]
    assert len([body for body in bodies if "${name[1]}" in body]) == 1
    assert listener.said[-1] == "name[1] stands for it in 1 transaction."
    with pytest.raises(CommandError, match="no request has the value 'two words'"):
        do(session, "unique two words")
    do(session, "unique teapot")
    assert listener.said[-1] == (
        "It is each user's own already: ${name[1]} stands for Large teapot."
    )
    do(session, "undo")
    assert session.document is imported


def test_last_page_is_not_deleted(session: Console) -> None:
    """A test case without pages could not be saved."""
    session.document = DOCUMENT
    do(session, "delete --page Home")
    with pytest.raises(CommandError, match="nothing would be left"):
        do(session, "delete 1")
    assert targets(session) == ["/login"]


def test_changes_are_undone_one_by_one(session: Console, listener: Listener) -> None:
    """The last one first; each says what it was, and can be done again."""
    session.document = DOCUMENT
    do(session, "delete 1")
    do(session, "tree")
    do(session, "delete 2")
    assert targets(session) == ["/login"]
    do(session, "undo")
    assert listener.said[-1] == (
        "Undid `delete 2`. The test case has 1 page, 2 transactions. `redo` does it again."
    )
    do(session, "undo")
    assert session.document is DOCUMENT
    with pytest.raises(CommandError, match="there is nothing to undo"):
        do(session, "undo")
    do(session, "redo")
    do(session, "redo")
    assert targets(session) == ["/login"]
    assert listener.said[-1] == "Did `delete 2` again. The test case has 1 page, 1 transaction."
    with pytest.raises(CommandError, match="there is nothing to redo"):
        do(session, "redo")


def test_change_after_an_undo_ends_what_could_be_redone(session: Console) -> None:
    """There is one course of changes, not a tree of them."""
    session.document = DOCUMENT
    do(session, "delete 1")
    do(session, "undo")
    do(session, "delete 3")
    with pytest.raises(CommandError, match="there is nothing to redo"):
        do(session, "redo")
    do(session, "undo")
    assert session.document is DOCUMENT


def test_command_that_fails_or_changes_nothing_is_not_undone(session: Console) -> None:
    """`undo` is about the test case, not about what was typed."""
    session.document = DOCUMENT
    with pytest.raises(UsageError):
        do(session, "delete 9")
    do(session, "tree")
    with pytest.raises(CommandError, match="there is nothing to undo"):
        do(session, "undo")


def test_import_is_undone_with_its_traffic(session: Console, tmp_path: Path) -> None:
    """Back at the test case before, which is saved with its own traffic again."""
    api = ADMIN.with_name("api.har")
    do(session, f"import {api}")
    do(session, "save")
    first = session.opened()
    do(session, f"import {ADMIN}")
    do(session, "save --replace")
    assert len(read_har(tmp_path / "shop.har")) == len(read_har(ADMIN))
    do(session, "undo")
    assert session.opened().case == first.case
    assert session.unsaved
    do(session, "save")
    assert read_har(tmp_path / "shop.har") == read_har(api)
    assert read_case(session.case_path) == first.case
    do(session, "redo")
    do(session, "save")
    assert read_har(tmp_path / "shop.har") == read_har(ADMIN)


def test_saved_test_case_is_still_undone(session: Console) -> None:
    """Saving changes nothing about what was done before; the traffic is found in its new place."""
    do(session, f"import {ADMIN}")
    before = session.opened().case
    do(session, "strip")
    do(session, "save")
    do(session, "undo")
    assert (session.opened().case, session.unsaved) == (before, True)
    do(session, "save")
    assert read_case(session.case_path) == before

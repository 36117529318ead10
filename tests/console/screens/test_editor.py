"""The Test Case Editor: what is seen of a transaction, and what keys do to what is seen."""

from __future__ import annotations

import pytest

from pytest_loadtool.console.commands import COMMANDS
from pytest_loadtool.console.screens.cells import columns_of
from pytest_loadtool.console.screens.editor import (
    KEYS,
    MOVES,
    Editor,
    clicked,
    drawn,
    editor_of,
    searched,
)
from pytest_loadtool.console.screens.keys import available
from tests.console.screens.shop import SHOP

SMALL, LARGE = (80, 21), (160, 47)


def at(number: int, *moves: str, size: tuple[int, int] = SMALL) -> Editor:
    """The editor at a transaction, after some moves."""
    editor = editor_of(SHOP)
    editor = Editor(editor.tree.goto(number, size[1]))
    for move in moves:
        editor = MOVES[move](editor, *size)
    return editor


def right(editor: Editor, size: tuple[int, int] = SMALL) -> list[str]:
    """What stands on the right side, without the lines that are empty at its end."""
    lines = [str(line).split("│", 1)[1].rstrip() for line in drawn(editor, *size)]
    while lines and not lines[-1]:
        lines.pop()
    return lines


def test_content_is_laid_out() -> None:
    """The body of the response, and which transaction it is."""
    assert right(at(3)) == [
        " 3 GET /orders               200 JSON 82 B",
        " Content Headers Fields Actors Errors",
        " response   [ the other",
        " {",
        '   "orders": [',
        "     {",
        '       "id": 17,',
        '       "name": "Tea",',
        '       "price": 1.50',
        "     },",
        "     {",
        '       "id": 18,',
        '       "name": "Pot",',
        '       "price": 20',
        "     }",
        "   ]",
        " }",
    ]


def test_request_and_response_stand_beside_each_other_where_there_is_room() -> None:
    """A wide terminal shows both bodies; secrets are cut in each."""
    lines = right(at(2, size=LARGE), LARGE)
    assert "request" in lines[2]
    assert "response" in lines[2]
    assert any("password=ann-…" in line for line in lines)
    assert right(at(2, "request"))[2:4] == [" request   ] the other", " csrf=6CCUccJo7hGf"]


@pytest.mark.parametrize(
    ("number", "tab", "expected"),
    [
        (2, "tab 2", " Cookie: sessionid=s3cr…"),
        (2, "tab 2", " 302 Found  (12 ms)"),
        (2, "tab 3", " # csrf           Extractor[1] csrf[1]"),
        (2, "tab 3", "   user           dataset      users…rname"),
        (1, "tab 4", "   Status Code  200-399"),
        (1, "tab 4", "   csrf[1]  form field 'csrf'"),
        (3, "tab 4", "   Search text  Tea"),
        (4, "tab 5", "   status 404, which replay will expect:"),
        (1, "tab 5", "   none"),
        (5, "tab 1", r" Out of \x1b[31mtea"),
    ],
)
def test_tabs(number: int, tab: str, expected: str) -> None:
    """Headers, fields, actors and errors of the transaction."""
    lines = right(at(number, tab))
    assert any(line.startswith(expected) for line in lines), "\n".join(lines)


def test_secrets_are_shown_when_they_are_asked_for() -> None:
    """And cut again."""
    assert " Cookie: sessionid=s3cr3ts3cr3t" in right(at(2, "tab 2", "secrets"))
    assert " Cookie: sessionid=s3cr…" in right(at(2, "tab 2", "secrets", "secrets"))


def test_keys_move_what_the_person_is_at() -> None:
    """Enter goes to the right side, where the same keys scroll; Esc leads back."""
    size = (80, 12)
    editor = at(3, "open", "down", "page down", size=size)
    assert editor.tree.number == 3
    assert right(editor, size)[-1] == " }"
    assert right(editor, size)[3] != " {"
    assert right(MOVES["home"](editor, *size), size)[3] == " {"
    editor = MOVES["down"](MOVES["back"](editor, *size), *size)
    assert editor.tree.number == 4
    assert editor.pager.top == 0
    assert at(3, "scroll down", size=size).tree.number == 3
    assert at(3, "scroll down", size=size).pager.top > 0


def test_search_is_in_what_the_person_is_at() -> None:
    """The tree is filtered; in the content the next place is gone to, and n and N go on."""
    filtered = searched(at(1), "~m POST", 80)
    assert filtered is not None
    assert [row.number for row in filtered.tree.rows if row.number] == [2, 5]
    assert searched(at(1), "nothing", 80) is None
    assert MOVES["back"](filtered, *SMALL).tree.query == ""
    size = (80, 12)
    found = searched(at(3, "open", size=size), "NAME", 80)
    assert found is not None
    assert right(found, size)[3] == '       "name": "Tea",'
    assert right(MOVES["next found"](found, *size), size)[3] == '       "name": "Pot",'
    back = MOVES["found before"](MOVES["next found"](found, *size), *size)
    assert back.pager.top == found.pager.top
    assert searched(at(3, "open"), "teapot", 80) is None


def test_a_click_selects() -> None:
    """A row of the tree, a tab."""
    editor = clicked(at(1), 5, 3, *SMALL)
    assert editor.tree.number == 2
    tabs = str(drawn(editor, *SMALL)[1])
    assert clicked(editor, tabs.index("Fields") + 1, 1, *SMALL).tab == 2
    assert clicked(editor, 60, 8, *SMALL).focus == "detail"


@pytest.mark.parametrize("size", [(40, 7), (80, 21), (81, 21), (119, 30), (120, 30), (160, 47)])
@pytest.mark.parametrize("number", [1, 2, 5])
def test_every_row_has_the_width_of_the_terminal(size: tuple[int, int], number: int) -> None:
    """Wide characters and borders included, on each tab."""
    for tab in range(1, 6):
        lines = drawn(at(number, f"tab {tab}", size=size), *size)
        assert [columns_of(line) for line in lines] == [size[0]] * size[1]


def test_each_key_does_one_thing() -> None:
    """No key stands twice in the table; each move is known; each command line is one."""
    names = [name for key in KEYS for name in key.keys]
    assert len(names) == len(set(names))
    done_by_the_view = {"command", "search", "output"}
    for key in KEYS:
        assert bool(key.line) != bool(key.move), key
        assert not key.move or key.move in {*MOVES, *done_by_the_view}, key
    places = at(2).places
    for key in available(KEYS, COMMANDS):
        if key.line and not key.ask:
            assert COMMANDS.parse(key.line.format(**places)) is not None

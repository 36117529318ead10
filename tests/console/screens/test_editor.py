"""The Test Case Editor: what is seen of a transaction, and what keys do to what is seen."""

from __future__ import annotations

import re

import pytest

from pytest_loadtool.console.commands import COMMANDS
from pytest_loadtool.console.screens.cells import columns_of
from pytest_loadtool.console.screens.editor import Editor, beside_replay, editor_of
from pytest_loadtool.console.screens.editor_drawing import drawn
from pytest_loadtool.console.screens.editor_keys import FIELD_KEYS, KEYS, PICK_KEYS
from pytest_loadtool.console.screens.editor_moves import MOVES, clicked, searched
from pytest_loadtool.console.screens.field_rows import field_lines
from pytest_loadtool.console.screens.keys import available
from pytest_loadtool.correlation.requests.fields import CONSTANT, Field
from pytest_loadtool.masking.text import BY_NAME
from pytest_loadtool.workflow.fields import ShownField
from tests.console.screens.shop import REPLAY, SHOP

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
        " Content Headers Fields Actors Errors Vars",
        " response   [ ] other sides",
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
    assert right(at(2, "side before"))[2:4] == [" request   [ ] other sides", " csrf=6CCUccJo7hGf"]


@pytest.mark.parametrize(
    ("number", "tab", "expected"),
    [
        (2, "tab 2", " Cookie: sessionid=s3cr…"),
        (2, "tab 2", " 302 Found  (12 ms)"),
        (2, "tab 3", " # csrf           Extractor[1]  csrf[1]"),
        (2, "tab 3", " + user           dataset       user…rname"),
        (1, "tab 4", "   Status Code  200-399"),
        (1, "tab 4", "   csrf[1]  form field 'csrf'"),
        (3, "tab 4", "   1  text 'Tea'"),
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
    """A row of the tree, a tab, a field or an actor, in all scopes."""
    editor = clicked(at(1), 5, 3, *SMALL)
    assert editor.tree.number == 2
    tabs = str(drawn(editor, *SMALL)[1])
    assert clicked(editor, tabs.index("Fields") + 1, 1, *SMALL).tab == 2
    assert clicked(editor, 60, 8, *SMALL).focus == "detail"
    fields = at(2, "tab 3")
    for shown in (fields, MOVES["scope"](MOVES["open"](fields, *SMALL), *SMALL)):
        lines = list(map(str, drawn(shown, *SMALL)))
        row = next(at for at, line in enumerate(lines) if "user " in line[-45:] or " user " in line)
        field = clicked(shown, 60, row, *SMALL).field
        assert field is not None
        assert field.field.name == "user"
    actors = list(map(str, drawn(at(2, "tab 4"), *SMALL)))
    row = next(at for at, line in enumerate(actors) if "Status Code" in line)
    actor = clicked(at(2, "tab 4"), 60, row, *SMALL).actor
    assert actor is not None
    assert actor.number == 0


@pytest.mark.parametrize("size", [(40, 7), (80, 21), (81, 21), (119, 30), (120, 30), (160, 47)])
@pytest.mark.parametrize("number", [1, 2, 5])
def test_every_row_has_the_width_of_the_terminal(size: tuple[int, int], number: int) -> None:
    """Wide characters and borders included, on each tab."""
    for tab in range(1, 6):
        lines = drawn(at(number, f"tab {tab}", size=size), *size)
        assert [columns_of(line) for line in lines] == [size[0]] * size[1]


def replayed(number: int, *moves: str, size: tuple[int, int] = SMALL) -> Editor:
    """The editor beside a kept replay, at a transaction, after some moves."""
    editor = beside_replay(at(number, size=size), REPLAY)
    for move in moves:
        editor = MOVES[move](editor, *size)
    return editor


def test_a_replay_stands_beside_the_recording() -> None:
    """What differs begins with ~ on both sides; n goes from one difference to the next."""
    lines = right(replayed(3, size=LARGE), LARGE)
    assert re.search(r" response +│ replayed 200 250 ms", lines[2])
    (pot,) = (line for line in lines if '"Pot"' in line)
    assert re.fullmatch(r' ~      "name": "Pot", +│ ~      "name": "Cup", +│', pot)
    assert sum(line.startswith(" ~") for line in lines) == 1
    size = (80, 12)
    assert (
        right(replayed(3, "next side", "next found", size=size), size)[3]
        == ' ~      "name": "Cup",'
    )
    assert right(replayed(5, "next side"))[-1] == " Not replayed: F5 plays."


def test_the_tree_shows_what_became_of_transactions() -> None:
    """Failed, not as recorded; a folded page the worst of its own."""
    lines = [str(line)[:36].rstrip() for line in drawn(replayed(1), *SMALL)]
    assert lines[3].endswith("gws f")
    assert lines[5].endswith("v ~")
    assert lines[2].endswith("xw")
    found = searched(replayed(1), "~f", 80)
    assert found is not None
    assert [row.number for row in found.tree.rows if row.number] == [2]
    folded = [str(line)[:36].rstrip() for line in drawn(replayed(1, "fold"), *SMALL)]
    assert folded[1].endswith("1.5s f")


def test_errors_and_variables_of_the_replay() -> None:
    """Why it failed, what was sent; which transaction has set a variable. Its status is in the
    head, and no secret of the replay is seen."""
    lines = right(replayed(2, "tab 5"))
    assert lines[0].startswith(" 2 POST /login")
    assert "302>200" in lines[0]
    assert " In the replay" in lines
    assert any("Status Code is 200" in line for line in lines)
    assert " `why 2` says more" in [line.replace("   `", " `") for line in lines]
    assert right(replayed(1, "tab 6"))[2:] == [
        " Variable  Where Set  now",
        " csrf[1]   1          new-token-9",
    ]
    headers = right(replayed(2, "tab 2"))
    assert headers.index(" Recorded") < headers.index(" Replayed")


def test_fields_are_edited_where_they_are_seen() -> None:
    """The keys give the command lines; a password is in none; the scope widens and narrows."""
    editor = at(2, "tab 3", "open", "down", "down", "down")
    keys = {name: key for key in editor.keys for name in key.keys}
    line = keys["enter"].line.format(**editor.places)
    assert line == "set-field 2 user --constant ''"
    password = MOVES["down"](editor, *SMALL)
    line = keys["c"].line.format(**password.places)
    assert line == "set-field 2 password --constant ''"
    assert at(5, "tab 3", "open", "down").places["value"] == "21.50"
    page = MOVES["scope"](editor, *SMALL)
    assert page.places["field"] == "user"
    assert {row.number for row in page.fields} == {1, 2}
    case = MOVES["scope"](page, *SMALL)
    assert {row.number for row in case.fields} == {1, 2, 3, 4, 5}
    found = searched(case, "21.5", 80)
    assert found is not None
    assert [row.number for row in found.fields] == [5]
    assert found.places["number"] == 5
    assert MOVES["scope"](found, *SMALL).scope == "transaction"


def test_a_value_is_picked_for_an_actor() -> None:
    """From where a text was found; the next word is taken, too; the line has it in quotes."""
    size = (80, 12)
    found = searched(at(3, "open", size=size), "tea", 80)
    assert found is not None
    editor = MOVES["pick"](found, *size)
    assert editor.places["text"] == "Tea"
    keys = {name: key for key in editor.keys for name in key.keys}
    assert keys["x"].line.format(**editor.places) == "extract 3 NAME --from Tea --use all"
    assert editor.places["text"] in str(right(editor, size))
    down = MOVES["down"](editor, *size)
    assert down.places["text"] == "1.50"
    assert MOVES["word before"](down, *size).places["text"] == "price"
    assert MOVES["no pick"](down, *size).pick is None
    text = MOVES["longer"](MOVES["pick"](at(5), *SMALL), *SMALL)
    assert text.places["text"] == "'Out of'"
    assert MOVES["pick"](at(2), *SMALL).pick is None


def test_without_a_test_case_nothing_is_shown_and_nothing_breaks() -> None:
    """As when a recording was undone: every key and click finds an empty tree."""
    editor = replayed(2).of(None)
    for move in MOVES.values():
        drawn(move(editor, *SMALL), *SMALL)
    assert clicked(editor, 5, 3, *SMALL).tree.row is None
    assert editor.places["selected"] == ""
    assert editor.of(SHOP).tree.rows


def test_each_key_does_one_thing() -> None:
    """No key stands twice in the table; each move is known; each command line is one."""
    for table in (KEYS, FIELD_KEYS, PICK_KEYS):
        names = [name for key in table for name in key.keys]
        assert len(names) == len(set(names))
    done_by_the_view = {"command", "search", "output"}
    for key in (*KEYS, *FIELD_KEYS, *PICK_KEYS):
        assert bool(key.line) != bool(key.move), key
        assert not key.move or key.move in {*MOVES, *done_by_the_view}, key
    places = at(2).places
    for key in available(KEYS, COMMANDS):
        if key.line and not key.ask:
            assert COMMANDS.parse(key.line.format(**places)) is not None


def test_where_a_value_is_used_has_a_column() -> None:
    """Fields of several transactions have all of the screen; edited ones are told by their kind."""
    wide = drawn(at(2, "tab 3", "open", "scope", "scope"), *SMALL)
    assert not any("│" in line for line in wide)
    head = next(line for line in wide if "Where Used" in line)
    path = next(line for line in wide if "path[1]" in line and "login" in line)
    assert path[head.index("Where Used") :].split() == ["1,2"]
    edited = [line for line in wide if "edited" in {kind for _, kind in line.spans}]
    assert [str(line).split()[:2] for line in edited] == [["+", "user"]]
    gray = [line for line in wide if "correlated" in {kind for _, kind in line.spans}]
    assert len(gray) == 2
    assert {columns_of(line) for line in wide} == {SMALL[0]}
    narrow = at(2, "tab 3", "open")
    assert not any("Where Used" in line for line in drawn(narrow, *SMALL))
    assert MOVES["back"](at(2, "tab 3", "open", "scope"), *SMALL).alone is False


def test_variables_stand_beside_both_bodies() -> None:
    """Where there is room for a third column, and a replay has set some."""
    editor = beside_replay(at(2, size=LARGE), REPLAY)
    lines = drawn(editor, *LARGE)
    heads = str(lines[2]).split("│")
    assert [head.split()[0] for head in heads[1:]] == ["response", "replayed", "Variable"]
    assert "new-token-9" in lines[3]
    assert {columns_of(line) for line in lines} == {LARGE[0]}
    assert "Variable" not in drawn(editor, 140, 47)[2]


def test_tabs_in_little_room() -> None:
    """All are there: by their names, else by their digits with the name of the one that is seen;
    a click finds them."""
    heads = {width: str(drawn(at(1, "tab 5"), width, 24)[1]) for width in (160, 80, 60, 44)}
    assert "1 Content  2 Headers  3 Fields  4 Actors  5 Errors  6 Variables" in heads[160]
    assert "Content Headers Fields Actors Errors Vars" in heads[80]
    assert heads[60].rstrip().endswith("│ 1 2 3 4 Errors 6")
    for width, head in heads.items():
        last = "Vars" if width == 80 else "6"
        found = [
            clicked(at(1, "tab 5"), head.index(name), 1, width, 24) for name in ("Errors", last)
        ]
        assert [one.tab for one in found] == [4, 5]


def test_a_value_of_many_transactions() -> None:
    """The first of them stand behind it, and that there are more."""
    row = ShownField(49, Field("path[1]", "PATH", "api", CONSTANT, False, None), False, range(50))
    *_, (_, line) = field_lines([row], BY_NAME, 80)
    assert str(line).endswith(" 1,2,3,4,5,…")

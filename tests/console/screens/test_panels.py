"""Panels: what commands show, with a cursor and keys."""

from __future__ import annotations

import pytest

from pytest_loadtool.console.commands import COMMANDS
from pytest_loadtool.console.screens.keys import available
from pytest_loadtool.console.screens.output import Output
from pytest_loadtool.console.screens.panels import PANELS, numbered_above, panel_of, row_of

DATASET = (
    "users  users.csv, 3 rows of username, password",
    "     username  password",
    "  1  alice     …",
    "> 2  bob       …",
    "  3  carol     …",
    "  next `play`: row 2",
)


def test_every_panel_is_a_command_and_every_key_one_of_it() -> None:
    """No key of a table is without its command, and none stands twice."""
    for name, keys in PANELS.items():
        assert name in COMMANDS.commands
        assert available(keys, COMMANDS) == keys
        names = [one for key in keys for one in key.keys]
        assert len(names) == len(set(names)), name


@pytest.mark.parametrize(
    ("cursor", "key", "line"),
    [
        (3, "enter", "dataset set users 2 username "),
        (4, "f", "dataset fill users username "),
        (2, "R", "dataset reset users"),
        (2, "i", "dataset import --name users "),
    ],
)
def test_keys_know_the_dataset_and_the_row(cursor: int, key: str, line: str) -> None:
    """The dataset is that of the command line, the row that of the cursor."""
    panel = panel_of("dataset show users --secrets", COMMANDS)
    assert panel is not None
    chosen = next(one for one in panel.keys if key in one.keys)
    assert chosen.line.format(**panel.places(DATASET, cursor)) == line


def test_a_click_goes_to_a_line_and_its_cell() -> None:
    """That of a wide line is any of its pieces; the wheel goes on from there."""
    panel = panel_of("dataset show users", COMMANDS)
    assert panel is not None
    output = Output("", DATASET, open=True, whole=True, panel=panel, cursor=3)
    clicked = output.clicked(17, 4, 80, 20)
    assert (clicked.cursor, clicked.cell) == (4, 1)
    assert output.clicked(6, 2, 80, 20).cell == 0
    assert output.clicked(6, 9, 80, 20) is output  # below the last
    assert clicked.wheeled(-3, 80, 20).cursor == 1
    assert output.clicked(6, 2, 32, 20).cursor == 1  # the second line takes the third's place
    text = Output("", tuple(map(str, range(9))), open=True)
    assert text.clicked(1, 1, 80, 4) is text
    assert text.wheeled(3, 80, 4).pager.top == 3


def test_cells_of_a_grid() -> None:
    """Left and right go from column to column; what is marked is the cell in its row."""
    panel = panel_of("dataset show users", COMMANDS)
    assert panel is not None
    assert (panel.first(DATASET), panel.first(DATASET[:2]), panel.first(())) == (2, 1, 0)
    output = Output("", DATASET, open=True, whole=True, panel=panel, cursor=3)
    assert [one.name for one in panel.cells(DATASET)] == ["username", "password"]
    right = output.moved("right", 80, 20)
    assert right is not None
    again = right.moved("right", 80, 20)
    assert again is not None
    assert again.cell == right.cell == 1
    assert panel.places(DATASET, 3, right.cell)["column"] == "password"
    marked = right.shown(60)[3]
    assert [text for text, kind in marked.spans if kind == "found"] == ["…".ljust(43)]
    first = right.moved("left", 80, 20)
    assert first is not None
    cells = [text for text, kind in first.shown(60)[3].spans if kind == "found"]
    assert cells == ["bob     "]
    assert [kind for _, kind in first.at(5, 60, 20).shown(60)[5].spans] == ["cursor"]


def test_a_command_without_a_panel_has_none() -> None:
    """Nor has a line that is wrong."""
    assert panel_of("tree", COMMANDS) is None
    assert panel_of("dataset show", COMMANDS) is None
    searched = panel_of("search 'large teapot' --in body", COMMANDS)
    assert searched is not None
    assert searched.sought == "large teapot"


def test_a_line_belongs_to_the_number_above_it() -> None:
    """Of a search, each place belongs to the transaction that it was found in."""
    lines = ["   18  GET /products  (recording)", "     response body, line 340: 99 pots", "more"]
    assert [row_of(line) for line in lines] == [18, None, None]
    assert numbered_above(lines, 2) == 18
    assert numbered_above(["none"], 0) is None


def test_the_cursor_stays_seen() -> None:
    """It goes through the lines as they were said, however many rows each takes."""
    lines = tuple(f"{number:3}. " + "word " * 30 for number in range(30))
    output = Output("explain", lines, open=True, whole=True, panel=panel_of("explain", COMMANDS))
    moved = output.at(99, 40, 10)
    assert moved.cursor == 29
    shown = moved.pager.seen(moved.shown(40), 10)
    assert any(line.startswith(" 29.") for line in shown)
    assert moved.at(-5, 40, 10).pager.top == 0
    assert sum(kind == "cursor" for line in moved.shown(40) for _, kind in line.spans) > 1

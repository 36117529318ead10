"""The frame: the title, what commands said, the keys."""

from __future__ import annotations

from dataclasses import replace

from pytest_loadtool.console.screens.cells import columns_of, filled
from pytest_loadtool.console.screens.editor_keys import KEYS
from pytest_loadtool.console.screens.frame import Bar, body_rows, framed
from pytest_loadtool.console.screens.keys import hints, key_help
from pytest_loadtool.console.screens.output import Output
from pytest_loadtool.console.screens.pager import Pager
from pytest_loadtool.console.views.line import ViewLine

BAR = Bar("shop.case.toml*", "http://127.0.0.1:8000", "3 pages, 5 transactions")


def screen(output: Output, columns: int = 80, rows: int = 24, message: str = "") -> list[str]:
    lines = framed(
        BAR,
        lambda c, r: filled([ViewLine(("body", ""))], c, r),
        output,
        message,
        KEYS,
        columns,
        rows,
    )
    assert [columns_of(line) for line in lines] == [columns] * rows
    return [str(line).rstrip() for line in lines]


def test_the_state_stands_above_and_the_keys_below() -> None:
    """Where it is too narrow for all, the server's address is left out."""
    lines = screen(Output(), message="Deleted 4: GET /")
    assert lines[0].startswith(" shop.case.toml*  http://127.0.0.1:8000 ")
    assert lines[0].endswith("3 pages, 5 transactions")
    assert lines[1] == "body"
    assert lines[-3] == " Deleted 4: GET /"
    assert lines[-2].startswith(" Enter open  Space mark")
    assert lines[-1].endswith("? keys  q back")
    assert "127.0.0.1" not in screen(Output(), columns=50)[0]
    long = "csrf_token[1] is gone. What used it is sent as recorded, and left alone by `configure`."
    lines = screen(Output(), message=long)
    assert " ".join(" ".join(lines[-3:-1]).split()) == long
    assert lines[-1].endswith("? keys  q back")
    assert screen(Output(), rows=12, message=long)[-2].startswith(" csrf_token[1] is gone.")


def test_what_was_said_takes_the_lower_half_at_most() -> None:
    """More than that is scrolled; a few lines take only what they need."""
    few = Output("tree", ("one", "two"), open=True)
    assert screen(few)[-6].startswith("── tree ──")
    assert screen(few)[-5:-3] == [" one", " two"]
    many = Output("explain", tuple(map(str, range(100))), open=True)
    assert body_rows(many, 80, 24) == 10
    assert screen(many)[11].endswith("PgDn: 91 more lines ─ Esc closes ─")
    assert screen(replace(many, pager=Pager(91)))[-4] == " 99"
    assert screen(replace(many, whole=True))[1].startswith("── explain")


def test_what_was_said_has_no_tabs_and_each_line_is_its_own() -> None:
    """Lines of one text, and tabs, which no one knows the width of."""
    said = Output("shell", ("a\tb\nc", ViewLine(("x\ty", "name"))), open=True)
    assert said.texts == ["a   b", "c", "x   y"]


def test_too_small_a_terminal_says_so() -> None:
    """In a sentence that fits."""
    text = " ".join(" ".join(screen(Output(), 30, 8)).split())
    assert text.startswith("A view needs 40 columns and 10 rows; this terminal has 30 and 8.")


def test_hints_are_as_many_as_there_is_room_for() -> None:
    """In one line or two; the way to the others and the way out are always there."""
    (narrow,), (wide,), both = hints(KEYS, 80), hints(KEYS, 160), hints(KEYS, 80, 2)
    assert columns_of(narrow) <= 80
    assert len(wide) > len(narrow)
    assert len(both) == 2
    assert len(both[0]) + len(both[1]) > len(narrow)
    assert hints(KEYS, 40)[0].endswith("? keys  q back")


def test_help_names_every_key_with_its_command() -> None:
    """What runs a command shows the command."""
    text = "\n".join(key_help(KEYS))
    assert "F5" in text
    assert "`play`" in text
    assert all(key.help in text for key in KEYS)


def test_keys_scroll_the_pane_and_leave_others_alone() -> None:
    """Where it takes all of the screen, those that move; else those for pages; closed, none."""
    part = Output("explain", tuple(map(str, range(100))), open=True)
    assert part.moved("down", 80, 9) is None
    assert part.moved("page down", 80, 9) == replace(part, pager=Pager(9))
    whole = replace(part, whole=True)
    assert whole.moved("end", 80, 20) == whole.at_end(80, 20) == replace(whole, pager=Pager(80))
    assert whole.moved("open", 80, 20) == whole
    assert whole.moved("mark", 80, 20) is None
    assert whole.moved("back", 80, 20) == replace(whole, open=False)
    assert replace(whole, lines=("one",)).moved("page down", 80, 20) is not None
    assert replace(part, open=False).moved("page down", 80, 9) is None

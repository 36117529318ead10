"""Views at a real terminal (tmux): what is seen, and that keys run commands."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_loadtool.casefile import HarWriter, read_case
from pytest_loadtool.console.screens.cells import columns_of
from tests.console.screens.shop import SHOP
from tests.console.terminal import Terminal, console

SMALL, LARGE = (80, 24), (160, 50)


def opened(directory: Path, size: tuple[int, int], *options: str) -> Iterator[Terminal]:
    with HarWriter(directory / "in.har") as writer:
        for one in SHOP.exchanges:
            writer.append(one)
    with console(directory, "shop.case.toml", "none", "false", *options, size=size) as terminal:
        terminal.enter("import in.har")
        terminal.wait_for(r"^shop\.case\.toml: .*\(unsaved\)")
        terminal.press("F2")
        terminal.wait_for(r"^ shop\.case\.toml\*  http://127")
        yield terminal


@pytest.fixture
def view(tmp_path: Path) -> Iterator[Terminal]:
    """The view of an imported test case at a small terminal."""
    yield from opened(tmp_path, SMALL)


def test_keys_change_the_case_as_commands_do(view: Terminal, tmp_path: Path) -> None:
    """Deleted, undone and done again by keys, saved by a command line, and back at the prompt."""
    view.wait_for(r"^ Enter open  Space mark .*\n.*\? keys  q back$")
    count = len(SHOP.exchanges)
    view.press("Down")
    view.type("d")
    view.wait_for(r"^ Deleted 1: GET /login")
    view.wait_for(rf"{count - 1} transactions *$")
    view.type("u")
    view.wait_for(r"^ Undid `delete 1`\.")
    view.press("C-r")
    view.wait_for(r"^ Did `delete 1` again\.")
    view.type(":")
    view.enter("save --secrets keep")
    view.wait_for(r"^ shop\.case\.toml  http")
    view.type("q")
    view.type("q")
    view.wait_for(r"^loadtool> *$")
    view.enter("tree")
    view.wait_for(r"^ +1  POST")
    assert len(list(read_case(tmp_path / "shop.case.toml").transactions())) == count - 1


def test_screen_at_both_sizes_and_in_between(view: Terminal) -> None:
    """A larger terminal shows more, a smaller one less; too small a one says what it needs."""
    view.press("Down")
    view.press("Down")
    view.wait_for(r"│ 2 POST /login +302")
    small = view.lines()
    assert len(small) == SMALL[1]
    assert small[2][:36].startswith("▾ P1 ")
    assert small[3].startswith("  1 GET  200 /login") or small[3].startswith(" 1 GET  200 /login")
    view.resize(*LARGE)
    view.wait_for(r"│ request +│ response")
    large = view.lines()
    assert len(large) == LARGE[1]
    assert all(columns_of(line) <= LARGE[0] for line in large)
    borders = {line.index("│") for line in large[1:-3]}
    assert len(borders) == 1
    view.resize(30, 8)
    view.wait_for(r"A view needs 40 columns")
    view.resize(*SMALL)
    view.wait_for(r"│ 2 POST /login +302")
    assert view.lines() == small


def test_filter_help_and_search(view: Terminal) -> None:
    """What is typed is looked for where the person is."""
    view.type("/")
    view.enter("~m POST")
    view.wait_for(r"^ Filter: ~m POST  2")
    view.press("Escape")
    view.wait_for(r"^ Test case")
    view.type("/")
    view.enter("~zz")
    view.wait_for(r"^ there is no operator '~zz'")
    view.type("?")
    view.wait_for(r"Keys that run a command")
    view.press("Escape")
    view.wait_for(r"^ Test case")


def test_command_line_completes_and_is_refused_like_at_the_prompt(view: Terminal) -> None:
    """Tab completes; a wrong line gets its sentence; Esc gives up; output opens a pane."""
    view.type(":show-fi")
    view.press("Tab")
    view.wait_for(r"^ : show-fidelity")
    view.press("Enter")
    view.wait_for(r"^── show-fidelity ──.*Esc closes ─$")
    view.wait_for(r"^ 5 exchanges recorded: ")
    view.press("Escape")
    view.type(":tre")
    view.press("Enter")
    view.wait_for(r"there is no command 'tre'")
    view.type(":delete 1")
    view.press("Escape")
    view.wait_for(r"5 transactions *$")


def test_control_c_ends_the_command_and_not_the_view(view: Terminal) -> None:
    """A recording that waits is interrupted; keys work again."""
    view.type(":")
    view.enter("record --browser none --discard")
    view.wait_for(r"Recording through")
    view.press("Escape")
    view.type(":")
    view.enter("wait 600")
    view.wait_for(r"Ctrl-C ends the waiting")
    view.press("C-c")
    view.wait_for(r"^ interrupted")
    view.type("?")
    view.wait_for(r"Keys that run a command")


def test_questions_are_asked_in_the_view(view: Terminal) -> None:
    """A no, a wizard that is given up, an answer: as at the prompt."""
    view.type(":")
    view.enter("quit")
    view.wait_for(r"Quit all the same\? \[y/N\]")
    view.enter("n")
    view.wait_for(r"still here: ")
    view.type(":")
    view.enter("user-identity")
    view.wait_for(r"user: a dataset, a value, or as it is")
    view.wait_for(r"^ > *$")
    view.press("Escape")
    view.wait_for(r"given up: nothing was changed")
    view.type(":")
    view.enter("quit")
    view.wait_for(r"Quit all the same\? \[y/N\]")
    view.enter("y")
    view.wait_for(r"^exit status 2")


def test_no_colour_keeps_the_marks(tmp_path: Path) -> None:
    """With --color=no the cursor and what is gray can be told apart, without any colour."""
    for view in opened(tmp_path, SMALL, "--color=no"):
        view.press("Down")
        view.wait_for(r"^ *1 GET")
        shown = view.screen("-e")
        assert "\x1b[7m" in shown
        assert not any(f"\x1b[{code}m" in shown for code in (31, 32, 35, 36))


def test_a_click_selects_a_row(view: Terminal) -> None:
    """The mouse does what the keys do."""
    view.wait_for(r"^▾ P1 ")
    view.type("\x1b[<0;10;5M\x1b[<0;10;5m")
    view.wait_for(r"│ 2 POST /login")

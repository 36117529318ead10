"""Views at a real terminal (tmux): what is seen, and that keys run commands."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_loadtool.casefile import HarWriter, read_case
from pytest_loadtool.console.screens.cells import columns_of
from tests.console.screens.shop import SHOP
from tests.console.terminal import Terminal, console
from tests.plugin.serving import case, serving

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


def test_keys_typed_while_a_command_runs_are_pressed_in_order(view: Terminal) -> None:
    """However fast they come: moves too, answers to questions that are asked then, a line; what is
    typed behind the key that leaves is for the prompt. A failure drops the others."""
    view.wait_for(r"5 transactions *$")
    view.type("jd" * 2 + "u:save --secrets keep\r:quitx\r" + "d" * 3)
    view.wait_for(r"there is no command 'quitx'")
    view.wait_for(r"^ shop\.case\.toml  http.* 4 transactions *$")
    view.press("Escape")
    view.type("dd:quit\rn\rdd")
    view.wait_for(r"still here")
    view.wait_for(r"^ shop\.case\.toml\*  http.* 2 transactions *$")
    view.press("Escape")
    view.type("dqtree P1\rundo\r")
    view.wait_for(r"(?s)^loadtool> tree P1\n.*^loadtool> undo\nUndid `delete ")


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
    assert view.lines(small) == small


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
    view.wait_for(r"^ show-fidelity *$")  # how it is used
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
    """The mouse does what the keys do, in the tree, on tabs and in a panel, which Enter opens; the
    wheel scrolls."""
    view.wait_for(r"^▾ P1 ")
    view.type("\x1b[<0;10;5M\x1b[<0;10;5m")
    view.wait_for(r"│ 2 POST /login")
    column = view.lines()[2].index("Fields") + 2
    view.type(f"\x1b[<0;{column};3M\x1b[<0;{column};3m")
    view.wait_for(r"│ fields of the transaction")
    view.type(":")
    view.enter("search login")
    view.wait_for(r"^ Found in 4 places")
    row = next(at for at, one in enumerate(view.lines(), 1) if "2  POST /login" in one)
    view.type(f"\x1b[<0;10;{row}M\x1b[<0;10;{row}m")
    view.press("Enter")
    view.wait_for(r"│ 2 POST /login")
    view.type("\x1b[<65;10;8M")
    view.wait_for(r"│ [345] [A-Z]+ /")


@pytest.mark.parametrize("size", [SMALL, LARGE])
def test_golden_screens(tmp_path: Path, size: tuple[int, int]) -> None:
    """The editor, its fields and the keys look as they are kept beside this test;
    LOADTOOL_KEEP_SCREENS=1 keeps them as they are now."""
    kept = Path(__file__).with_name(f"screens-{size[0]}x{size[1]}.txt")
    keep = bool(os.environ.get("LOADTOOL_KEEP_SCREENS"))
    expected = [] if keep else kept.read_text(encoding="utf-8").split(_SEPARATOR)
    shown: list[str] = []

    def look(terminal: Terminal) -> None:
        wanted = None if keep else expected[len(shown)].split("\n")
        shown.append("\n".join(terminal.lines(wanted)))

    for terminal in opened(tmp_path, size):
        terminal.press("Down")
        terminal.press("}")
        terminal.press("Down")
        terminal.wait_for(r"│ 2 POST /login +302")
        look(terminal)
        terminal.type("[")
        terminal.wait_for(r"│ request")
        look(terminal)
        terminal.type("3")
        terminal.press("Enter")
        terminal.wait_for(r"│ fields of the transaction")
        look(terminal)
        terminal.type("?")
        terminal.wait_for(r"Keys that run a command")
        look(terminal)
    if keep:
        kept.write_text(_SEPARATOR.join(shown), encoding="utf-8")
        return
    assert shown == expected


#: What separates the screens in a file.
_SEPARATOR = "\n" + "=" * 20 + "\n"


def test_a_replay_is_held_and_stepped_through(tmp_path: Path) -> None:
    """Step by step, on, and the result: then the replay stands beside the case. A think time is
    paused and skipped."""
    with serving() as server:
        text = case(server.url, "GET /").replace('"Home"', '"Home"\nthink_time = "10m"')
        more = '[[page]]\nname = "Next"\n[[page.transaction]]\nrequest = "GET /status/404"\n'
        (tmp_path / "shop.case.toml").write_text(f"{text}{more}")
        with console(tmp_path, size=SMALL) as view:
            view.press("F2")
            view.wait_for(r"^ shop\.case\.toml  http")
            view.press("F10")
            view.wait_for(r"Replay it \(yes, no\)\?")
            view.enter("yes")
            view.wait_for(r"^ held before 1 ")
            view.wait_for(r"^── next: 1 ")
            view.type("?")
            view.wait_for(r"end the replay, as q does")
            view.press("Escape")
            view.wait_for(r"^── next: 1 ")
            view.press("Enter")
            view.wait_for(r"^ held before 2 ")
            view.press("F8")
            view.wait_for(r"^ FIX FIRST  2 of 2")
            view.press("Escape")
            view.wait_for(r"^.* f │")
            view.type("5")
            view.wait_for(r"│ In the replay")
            view.wait_for(r"│ +Status Code is 404")
            view.press("F7")
            view.wait_for(r"(?s)^── play --fast --to 2 .*^ FIX FIRST  2 of 2")
            view.press("F5")
            view.wait_for(r"^ thinking \d+\.\d of 600\.0 s *$")
            view.press("Space")
            view.wait_for(r"^ thinking \d+\.\d of 600\.0 s \(paused\)")
            view.press("Space")
            view.wait_for(r"^ thinking \d+\.\d of 600\.0 s *$")
            view.press("Enter")
            view.wait_for(r"(?s)^── play ─.*^ FIX FIRST  2 of 2")
    assert server.requests == ["GET /", "GET /status/404"] * 3


def test_the_next_request_is_edited_in_the_replay(tmp_path: Path) -> None:
    """At a breakpoint, e opens it in the editor; it goes out as edited, and what is no request is
    refused in words, with the replay held as before."""
    (tmp_path / "ed.sh").write_text(
        "#!/bin/sh\nif test -e $0.once; then sed -i s/x=2/x=edited/ $1; else : > $1; fi\n"
        "touch $0.once\n"
    )
    (tmp_path / "ed.sh").chmod(0o755)
    with serving() as server:
        (tmp_path / "shop.case.toml").write_text(case(server.url, "GET /1", "POST /echo?x=2"))
        with console(tmp_path, editor=str(tmp_path / "ed.sh"), size=SMALL) as view:
            view.press("F2")
            view.wait_for(r"^ shop\.case\.toml  http")
            view.press("Down")
            view.press("Down")
            view.press("F9")
            view.wait_for(r"^ `play` is held before 2 POST /echo")
            view.press("F6")
            view.wait_for(r"Replay it \(yes, no\)\?")
            view.enter("yes")
            view.wait_for(r"^ held before 2 \(breakpoint\)")
            view.type("e")
            view.wait_for(r"not edited: '' is no request line")
            view.type("e")
            view.wait_for(r"goes out as edited")
            view.wait_for(r"(?s)── next: 2 .*POST /echo\?x=edited")
            view.press("F8")
            view.wait_for(r"^ 2 transactions passed\.")
    assert server.requests == ["GET /1", "POST /echo?x=edited"]


def test_a_program_has_the_terminal(view: Terminal) -> None:
    """What it prints is seen, and Enter leads back to the view."""
    view.type(":")
    view.enter("shell echo hello from there")
    view.wait_for(r"^hello from there")
    view.wait_for(r"^Enter leads back to the view\.")
    view.press("Enter")
    view.wait_for(r"^ Enter open  Space mark")


def test_a_dataset_is_filled_in_its_panel(view: Terminal, tmp_path: Path) -> None:
    """What a line would do is seen while it is typed; the panel shows what was done."""
    view.type(":")
    view.enter("dataset new users username password")
    view.wait_for(r"^ Wrote users\.csv")
    view.press("Escape")
    view.type("D")
    view.wait_for(r"^── datasets ")
    view.press("Enter")
    view.wait_for(r"^── dataset show users ")
    view.type("f")
    view.wait_for(r"^ : dataset fill users username ")
    view.type("1 3 --pattern 'user{:03}'")
    view.wait_for(r"^── preview ")
    view.wait_for(r"^ +3  user003")
    view.press("Enter")
    view.wait_for(r"^ Filled username of 3 rows")
    view.wait_for(r"(?s)── dataset show users .*  3  user003")
    assert "user003" in (tmp_path / "users.csv").read_text()
    view.type("u")
    view.wait_for(r"^ Undid `dataset fill")
    assert "user003" not in (tmp_path / "users.csv").read_text()
    view.type("q")
    view.wait_for(r"^ Enter open  Space mark")


def test_a_validator_is_made_of_what_is_picked(view: Terminal, tmp_path: Path) -> None:
    """Found, picked, tried while the line is there, and in the file."""
    view.type(":")
    view.enter("view 3")
    view.wait_for(r"│ 3 GET /orders")
    view.press("Enter")
    view.type("/")
    view.enter("tea")
    view.type("v")
    view.wait_for(r"pick: x extractor")
    view.type("a")
    view.wait_for(r"^── New validator in 3 GET /orders ─")
    view.wait_for(r"^ \(o\) JSON path +\[\$\.orders\[0\]\.name +\] \[equals +v\] \[Tea ")
    view.wait_for(r"^ +recorded  200  holds")
    view.type("x")
    view.wait_for(r"^ +recorded  200  JSON path .*not found")
    view.press("BSpace")
    view.wait_for(r"^ +recorded  200  holds")
    view.press("Escape")
    view.wait_for(r"pick: x extractor")
    view.type("a")
    view.wait_for(r"^ +recorded  200  holds")
    view.press("Enter")
    view.wait_for(r"^.* v +│")
    view.type(":")
    view.enter("save --secrets keep")
    view.wait_for(r"^ Saved shop\.case\.toml")
    validators = [one.validators for one in read_case(tmp_path / "shop.case.toml").transactions()]
    assert len(validators[2]) == 1


def test_an_extractor_and_a_dataset_by_forms(view: Terminal, tmp_path: Path) -> None:
    """From a picked value, and from a field: with what they give before Enter, and in the log."""
    view.type(":")
    view.enter("view 1")
    view.press("Enter")
    view.type("/")
    view.enter("6CCU")
    view.type("v")
    view.wait_for(r"pick: x extractor")
    view.type("x")
    view.wait_for(r"^ \(o\) Form field \[csrf +\]")
    view.wait_for(r"^ \[x\] 2 csrf")
    view.wait_for(r"^ +recorded  200  1 match  6CCUccJo7hGf")
    view.press("Enter")
    view.wait_for(r"csrf\[1\]: Extractor\[1\], form field 'csrf'")
    view.type(":")
    view.enter("view 2")
    view.wait_for(r"│ 2 POST /login")
    view.press("Escape")
    view.type("3")
    view.press("Enter")
    view.type("/")
    view.enter("ann")
    view.wait_for(r"filter: ann")
    view.type("d")
    view.wait_for(r"^── Edit user of 2 POST /login ─")
    view.type("users.username")
    view.wait_for(r"users\.csv is not there: it is made")
    view.press("Enter")
    view.wait_for(r"Make it, with the present value in its first row\? \[y/N\]")
    view.enter("y")
    view.wait_for(r"user: Dataset, \$\{users\.username\}")
    assert (tmp_path / "users.csv").read_text() == "username\nann\n"
    view.type(":")
    view.enter("log")
    view.wait_for(r"extract 1 'csrf\[1\]' --form csrf --use 2")
    view.wait_for(r"set-field 2 user --dataset users\.username")


def test_a_wizard_goes_back(view: Terminal) -> None:
    """F1 says why it asks, F3 leads back to the question before."""
    view.type("W")
    view.wait_for(r"Which wizard ")
    view.wait_for(r"^ F1 why  F3 back  Esc gives up")
    view.enter("User Identity")
    view.wait_for(r"^ user: a dataset, a value, or as it is")
    view.press("F3")
    view.wait_for(r"This is the first question")
    view.press("Escape")
    view.wait_for(r"given up: nothing was changed")


def test_what_was_done_is_in_the_session_log(view: Terminal) -> None:
    """A key's command is there like one that was typed."""
    view.press("Down")
    view.type("d")
    view.wait_for(r"^ Deleted 1: GET /login")
    view.press("F12")
    view.wait_for(r"(?s)^── log .*^ delete 1 *$")


@pytest.mark.promise(68)
def test_each_view_is_there(view: Terminal) -> None:
    """The tree of the Test Case Editor, a tab for each view of a transaction, the Navigator."""
    view.type(":")
    view.enter("view 3")
    seen = {
        "1": r"│ \{ *$",
        "2": r"│ GET http://127\.0\.0\.1:8000/orders",
        "3": r"│ fields of the transaction",
        "4": r"(?s)│ Validators.*│ Extractors",
        "5": r"│ While recording",
        "6": r"│ Nothing was replayed yet",
    }
    for key, pattern in seen.items():
        view.type(key)
        view.wait_for(pattern)
    view.press("F4")
    view.wait_for(r"^── navigator ")

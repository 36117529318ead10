"""Lines of views as a terminal shows them."""

from __future__ import annotations

import sys

import pytest
from rich.text import Text

from pytest_loadtool.console.repl.drawing import drawn, lines_drawn
from pytest_loadtool.console.repl.prompt import TerminalFrontend
from pytest_loadtool.console.repl.script import PlainFrontend
from pytest_loadtool.console.session import printable
from pytest_loadtool.console.views.line import UNBROKEN, ViewLine
from pytest_loadtool.report.columns import cells

LINE = ViewLine(
    ("  1. ", "number"), ("csrf[1]", "name"), ("  set by GET /a, used by POST /b and others", "")
)


def test_a_line_is_its_plain_text(capsys: pytest.CaptureFixture[str]) -> None:
    """What is piped or scripted knows nothing of kinds."""
    assert LINE == "  1. csrf[1]  set by GET /a, used by POST /b and others"
    PlainFrontend().say(LINE)
    assert capsys.readouterr().out == f"{LINE}\n"


def test_a_line_that_fits() -> None:
    """Each part is in its colour, and the text is the same."""
    shown = drawn(LINE, 80, coloured=True)
    assert shown.startswith("\x1b[2m  1. \x1b[0m\x1b[36mcsrf[1]\x1b[0m  set by")
    assert Text.from_ansi(shown).plain == LINE
    assert drawn(LINE, 80, coloured=False) == LINE


@pytest.mark.parametrize("width", [40, 34])
def test_a_line_that_does_not_fit(width: int) -> None:
    """It is continued below the beginning of its last part, and nothing of it is missing."""
    first, *rest = drawn(LINE, width, coloured=False).splitlines()
    assert rest
    assert all(line.startswith(" " * 12) for line in rest)
    assert max(map(cells, (first, *rest))) <= width
    assert " ".join(" ".join((first, *rest)).split()) == " ".join(LINE.split())


def test_a_line_that_is_there_to_be_copied() -> None:
    """Nothing but the terminal breaks it."""
    text = "curl --header 'Accept: */*' " * 9
    assert drawn(ViewLine((text, ""), hanging=UNBROKEN), 40, coloured=False) == text


def test_a_terminal_too_narrow() -> None:
    """Where there is no room beside the first parts, the terminal itself breaks the line."""
    assert drawn(LINE, 20, coloured=False) == LINE


@pytest.mark.parametrize("width", [80, 50, 33])
def test_plain_text_is_wrapped_between_words(width: int) -> None:
    """No line is wider than the terminal, no word is cut; a line goes on a little to the right of
    where it began, and one that fits is left as it is."""
    text = (
        "The test case has 10 pages, 24 transactions. `configure` finds its dynamic values.\n"
        "  left out: Grüße, 負荷 and a few others of which nobody at all knows what they are for\n"
        "short"
    )
    lines = lines_drawn(text, width, coloured=False)
    assert max(map(cells, lines)) <= width
    assert " ".join(" ".join(lines).split()) == " ".join(text.split())
    assert lines[1].startswith("  ")
    assert lines[1][2] != " "
    below = next(n for n, line in enumerate(lines) if line.startswith("  left out")) + 1
    assert lines[below].startswith("    ")
    assert lines[-1] == "short"


def test_wide_characters_and_long_words() -> None:
    """Words longer than a line are broken, by the columns that their characters take."""
    line = ViewLine(("  ", ""), ("負荷" * 30, ""))
    shown = drawn(line, 41, coloured=False).splitlines()
    assert [cells(one) for one in shown] == [40, 40, 40, 8]
    assert "".join(one.strip() for one in shown) == "負荷" * 30


def test_square_brackets_are_text() -> None:
    """rich has a markup; recorded text has not."""
    line = ViewLine(("[bold]", "heading"), (" :smile: [red]x[/red]", ""))
    assert drawn(line, 80, coloured=False) == line


def test_control_characters_stay_visible_in_a_line() -> None:
    """A part keeps its kind when what would ring the bell is written out."""
    line = printable(ViewLine(("a\x07", "name"), ("\x1b[31m", "")))
    assert isinstance(line, ViewLine)
    assert line.spans == (("a\\x07", "name"), ("\\x1b[31m", ""))
    assert "\x1b" not in drawn(line, 80, coloured=False)


@pytest.mark.parametrize(
    ("terminal", "environment", "colour", "coloured"),
    [
        (True, {}, "auto", True),
        (True, {}, "no", False),
        (True, {"NO_COLOR": "1"}, "auto", False),
        (True, {"NO_COLOR": "1"}, "yes", True),
        (True, {"TERM": "dumb"}, "yes", False),
        (False, {}, "yes", False),
    ],
)
def test_who_sees_colours(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    terminal: bool,
    environment: dict[str, str],
    colour: str,
    coloured: bool,
) -> None:
    """A person at a terminal that can show them, unless ``NO_COLOR`` or ``--color`` says no."""
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.delenv("NO_COLOR", raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: terminal)
    TerminalFrontend(colour).say(LINE)
    said = capsys.readouterr().out
    assert ("\x1b[36mcsrf[1]\x1b[0m" in said) is coloured
    assert Text.from_ansi(said).plain.rstrip("\n") == LINE
    assert ("\x1b" in said) is coloured

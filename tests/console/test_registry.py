"""Commands from signatures: arguments, options, the rest of a line, and what is said of a slip."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import Any

import pytest

from pytest_loadtool.console.arguments import Duration
from pytest_loadtool.console.commands import COMMANDS
from pytest_loadtool.console.errors import UsageError
from pytest_loadtool.console.registry import registry

ROOT = Path(__file__).parents[2]

_DAY = Duration(86400.0)


async def fetch(
    session: Any,
    url: str,
    times: int = 1,
    *,
    delay: float = 0.0,
    file: Path | None = None,
    quiet: bool = False,
) -> None:
    """Fetch something.

    More about fetching.
    """


async def fetch_many_things(session: Any, file: str = "", *, for_long: Duration = _DAY) -> None:
    """Fetch many things."""


async def do_(session: Any, *program: str) -> None:
    """Do something."""


async def fill_many_rows(session: Any, file: Path | None = None, *, rows: int = 0) -> None:
    """Fill a file.

    --rows N is how many there will be, unless there are more; the file is FILE.

    Example: `fill many rows=3`
    """


SAMPLE = registry(
    {"Fetch": (fetch, fetch_many_things), "Other": (do_, fill_many_rows)},
    aliases={"get": "fetch", "ten": "fetch 10", "get-ten-quietly": "fetch 10 --quiet"},
)


@pytest.mark.parametrize(
    ("line", "positional", "options"),
    [
        ("fetch http://x/", ("http://x/",), {}),
        ("fetch http://x/ 3", ("http://x/", 3), {}),
        ("fetch --delay 1.5 http://x/", ("http://x/",), {"delay": 1.5}),
        ("fetch http://x/ --delay=0.5 --quiet", ("http://x/",), {"delay": 0.5, "quiet": True}),
        ("fetch 'two words' --file 'a b.txt'", ("two words",), {"file": Path("a b.txt")}),
        ("fetch 'http://x/?delay=1' delay=0.5", ("http://x/?delay=1",), {"delay": 0.5}),
        ("fetch-many-things", (), {}),
        ("fetch many things x for_long=1m30s", ("x",), {"for_long": 90.0}),
        ("fetch-many --for-long 2h x", ("x",), {"for_long": 7200.0}),
        ("fill many rows=3", (), {"rows": 3}),
        ("fill many rows", (), {}),
        ("get x", ("x",), {}),
        ("ten 1", ("10", 1), {}),
        ("Get ten quietly 1", ("10", 1), {"quiet": True}),
        ("get ten", ("ten",), {}),
        ("fetch-many ./a=b", ("./a=b",), {}),
        ("do x=1 --y=2", ("x=1", "--y=2"), {}),
        ("do curl --proxy x 'a b'", ("curl", "--proxy", "x", "a b"), {}),
        ("  do   true  ", ("true",), {}),
    ],
)
def test_line_is_understood(
    line: str, positional: tuple[Any, ...], options: dict[str, Any]
) -> None:
    """Names in any spelling, positional arguments, options in any spelling, flags and the rest are
    told apart."""
    call = SAMPLE.parse(line)
    assert call is not None
    assert (call.positional, call.options) == (positional, options)


@pytest.mark.parametrize("line", ["", "   ", "# a comment", "  # record 'x"])
def test_blank_lines_and_comments_are_nothing_to_do(line: str) -> None:
    """A blank line or a comment, even one with an open quote, is no command."""
    assert SAMPLE.parse(line) is None


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("fetsh x", "there is no command 'fetsh'; did you mean 'fetch'?"),
        ("zzz", "there is no command 'zzz'; `help` lists the commands"),
        ("x" * 9000, f"there is no command '{'x' * 59}…'; `help` lists the commands"),
        ("fetch-man", "there is no command 'fetch-man'; did you mean 'fetch'?"),
        ("fetch many thing", "TIMES must be a whole number, not 'thing'"),
        ("fetch-many for_long=long", "--for-long must be a duration such as 30s, 5m or 1h30m"),
        ("fetch", "fetch needs URL"),
        ("do", "do needs PROGRAM..."),
        ("fetch x many", "TIMES must be a whole number, not 'many'"),
        ("fetch x --delay soon", "--delay must be a number, not 'soon'"),
        ("fetch x --dealy 1", "fetch has no option --dealy; did you mean '--delay'?"),
        ("fetch x --quiet=yes", "--quiet takes no value"),
        ("fetch x --delay", "--delay needs a value"),
        ("fill", "there is no command 'fill'; did you mean 'fill-many-rows'?"),
        ("fill many ramp=20s", "fill-many-rows has no option --ramp"),
        ("fill many row=3", "fill-many-rows has no option --row; did you mean '--rows'?"),
        ("fetch x 1 delayed=2", "fetch has no option --delayed; did you mean '--delay'?"),
        ("fetch x 1 2", "fetch takes no further argument: '2'"),
        ("fetch 'x", "a quotation mark or a backslash is left open"),
    ],
)
def test_slip_is_named(line: str, message: str) -> None:
    """A wrong line is refused with what is wrong, and the nearest known name for a typo."""
    with pytest.raises(UsageError, match=re.escape(message)):
        SAMPLE.parse(line)


def test_refused_arguments_come_with_the_usage() -> None:
    """Whoever gets the arguments wrong is shown all of them."""
    with pytest.raises(UsageError) as refused:
        SAMPLE.parse("fetch")
    usage = "usage: fetch URL [TIMES] [--delay DELAY] [--file FILE] [--quiet]"
    assert str(refused.value).endswith(usage)


def test_home_directory_is_understood_in_file_names() -> None:
    """There is no shell, so the console itself puts in the home directory for ``~``."""
    call = SAMPLE.parse("fetch x --file ~/shop.har")
    assert call is not None
    assert call.options["file"] == Path.home() / "shop.har"


def test_what_is_said_of_an_option() -> None:
    """The clause of the help that it stands in, for the completion; and the example is no part of
    the help."""
    command = SAMPLE.commands["fill-many-rows"]
    assert command.about("--rows") == "how many there will be, unless there are more"
    assert command.example == "fill many rows=3"
    assert "Example" not in command.help
    assert command.about("--lines") == ""


def test_groups_have_each_command_once() -> None:
    """What `help` lists by groups are the commands, and no two of one name."""
    grouped = [one.name for group in COMMANDS.groups.values() for one in group]
    assert sorted(grouped) == sorted(COMMANDS.commands)


@pytest.mark.promise(14)
@pytest.mark.parametrize("name", list(COMMANDS.commands))
def test_every_command_is_documented(name: str) -> None:
    """Each command has a summary of one sentence and an explanation of every option it takes."""
    command = COMMANDS.commands[name]
    assert re.fullmatch(r"[A-Z].*[.]", command.summary)
    for label in command.options():
        assert label in command.help
        assert command.about(label), f"what is {label}? a few words after it, up to a full stop"
    assert command.example, "the docstring's last paragraph is missing: Example: `…`"
    assert COMMANDS.parse(command.example), command.example
    assert inspect.iscoroutinefunction(command.function)

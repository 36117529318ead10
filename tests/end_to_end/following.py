"""Follow a tutorial that is its own script: type what it tells to type, look at what it shows.

In the document, in its order,

- a block of kind ``console`` is what a shell and the console show: what stands behind a prompt is
  typed, ``⏎`` is Enter alone;
- ``<kbd>F2</kbd>`` is a key, and **`text`** is typed, both in a view;
- a block of kind ``text`` is what the screen of 80 by 24 shows then;
- a picture is the same at 160 by 50.

A line ``…`` in a block stands for lines that are not shown. What is another one each time, such as
ports and tokens, is replaced by what stands in `STAND_INS`.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Literal
from xml.etree import ElementTree

from rich.console import Console
from rich.text import Text

from tests.console.terminal import Terminal

__all__ = ["SMALL", "DifferenceError", "Follower", "followed", "steps"]

SMALL, LARGE = (80, 24), (160, 50)
GAP = "…"

_STEP = re.compile(
    r"<kbd>(?P<key>[^<]+)</kbd>"
    r"|\*\*`(?P<typed>[^`]+)`\*\*"
    r"|^```(?P<kind>\w*)\n(?P<block>.*?)^```$"
    r"|!\[[^\]]*\]\((?P<picture>[^)]+\.svg)\)",
    re.MULTILINE | re.DOTALL,
)
#: Keys as tmux calls them.
_KEYS = {
    "Esc": "Escape",
    "PgDn": "PageDown",
    "Ctrl-U": "C-u",
    "→": "Right",
    "←": "Left",
    "↓": "Down",
    "↑": "Up",
}
_PROMPT = re.compile(r"(?:loadtool>|\$|.*\[[^\]]*\]|.*\?|-- .* --) ")
_INPUT = re.compile(rf"({_PROMPT.pattern})(\S.*)")
#: The question whether there is more to be shown, and its answer. It is gone afterwards.
_MORE = re.compile(r"-- .* -- \S+")
PATIENCE = 60.0


def _token(match: re.Match[str]) -> str:
    """Another token of the same length, the same one each time."""
    return (_TOKEN * 2)[: len(match[0])]


_TOKEN = "slFoI90Hi3wbFmU8ZRB62KZIWDJbufSfay2X9LbJxokIFFjiHBm4D7OSHgHkLm3P"


def _as_wide(stand_in: str) -> Callable[[re.Match[str]], str]:
    """What stands right-aligned keeps its place."""
    return lambda match: stand_in.rjust(len(match[0]))


#: What is another one each time: its pattern, and what the document has.
STAND_INS: tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...] = (
    (re.compile(r"(?<=127\.0\.0\.1:)(?!41234)\d{5}"), "40080"),
    (re.compile(r"\b\d\d:\d\d:\d\d\b"), "10:17:02"),
    (re.compile(r"\b20\d\d-\d\d-\d\d\b"), "2026-03-01"),
    (re.compile(r"(?<= {3}) *\d+ ms"), _as_wide("9 ms")),
    (re.compile(r"\b\d+ ms +(?=│)"), lambda found: "9 ms".ljust(len(found[0]))),
    (re.compile(r"(?<!< )\b[\d,.]+ ms"), "9 ms"),
    (re.compile(r"(?<=passed in )[\d.]+s"), "1.00s"),
    (re.compile(r"(?<=\(0 of )[\d,]+(?= requests)"), "450"),
    (re.compile(r"(?<=elapsed )\d+:\d\d"), "0:07"),
    # Tokens of Django, whole or cut.
    (re.compile(r"\b[A-Za-z0-9]{32,64}\b"), _token),
    (re.compile(r"(?<=\(recorded: )\w+(?=…)"), _token),
    (re.compile(r"(?<=csrf_token\[\d\] {3}[\w ]{9} {2})\w+"), _token),
    (re.compile(r"\w{4}…\w{4}(?= |$|\x1b)"), "slFo…Lm3P"),  # also between colours
    (re.compile(r"(?<=csrfmiddlewaretoken=)\w+"), _token),
    (re.compile(r"(?<=^ {3})\w+(?=&name=)|(?<=^ {6})\w{10}$|(?<=│ {3})\w{4}$"), _token),
    (re.compile(r"(?<=One iteration takes )\d+ s"), "6 s"),
    (re.compile(r"(?<=For how long\? \[)\w+"), "1m"),
    (re.compile(r"(?<=CPython/)\S+"), "3.11.7"),
    (re.compile(r"(?<=Date: ).*(?= 10:17:02 GMT)"), "Sun, 01 Mar 2026"),
    (re.compile(r"(?<=Expires: ).*(?= 10:17:02 GMT)"), "Sun, 01 Mar 2026"),
    (re.compile(r"(?<=left as recorded: )\w{4}(?=…)"), _token),
    (re.compile(r"(?<=authentication header {2})\w{4}(?=…)"), _token),
)


@dataclass(frozen=True)
class Step:
    """Something to type, to press or to look at, and where the document has it."""

    kind: Literal["key", "typed", "console", "text", "picture"]
    text: str
    start: int
    """Where `text` begins in the document, in characters."""


def steps(document: str) -> Iterator[Step]:
    """What a document tells to do and to see, in its order."""
    for match in _STEP.finditer(document):
        if match["key"]:
            yield Step("key", match["key"], match.start("key"))
        elif match["typed"]:
            yield Step("typed", match["typed"], match.start("typed"))
        elif match["picture"]:
            yield Step("picture", match["picture"], match.start("picture"))
        elif match["kind"] == "console":
            yield Step("console", match["block"], match.start("block"))
        elif match["kind"] == "text":
            yield Step("text", match["block"], match.start("block"))


class DifferenceError(AssertionError):
    """The terminal does not show what the document says."""


class Follower:
    """Does the steps of a document at a terminal, one after the other."""

    def __init__(self, terminal: Terminal, url: str) -> None:
        self._terminal = terminal
        self._url = url
        self._before = 0
        """How many lines were there, before what is looked at."""

    def do(self, step: Step, folder: Path, *, write: bool = False) -> str:
        """What the document should say in this place.

        Raises:
            DifferenceError: it says something else, and nothing is to be written.
        """
        match step.kind:
            case "key":
                self._press(step.text)
            case "typed":
                self._terminal.type(self._real(step.text))
            case "console":
                return self._transcript(step.text, write=write)
            case "text":
                return self._screen(step.text, write=write)
            case "picture":
                self._picture(folder / step.text, write=write)
        return step.text

    def _picture(self, path: Path, *, write: bool = False) -> None:
        """Compare the screen with the picture in ``path``, or make that."""
        self._terminal.resize(*LARGE)
        try:
            if write:
                self._still()
                drawn = Console(width=LARGE[0], record=True, file=StringIO(), legacy_windows=False)
                for line in self._terminal.screen("-e").splitlines()[-LARGE[1] :]:
                    drawn.print(Text.from_ansi(self._neutral(line)), soft_wrap=False, no_wrap=True)
                drawn.save_svg(str(path), title="pytest-loadtool")
            else:
                wanted = lines_of_picture(path.read_text(encoding="utf-8"))
                self._until(lambda: self._shown() == wanted, lambda: (wanted, self._shown()))
        finally:
            self._terminal.resize(*SMALL)
            self._until(lambda: self._shown()[-1].endswith(" q back"))

    def _transcript(self, block: str, *, write: bool) -> str:
        """Type what stands behind the prompts of ``block``, and look at all that comes."""
        expected = block.splitlines()
        self._at_prompt()
        self._before = len(self._terminal.past()) + self._terminal.cursor()[1]
        for line in expected:
            if found := _INPUT.fullmatch(line):
                self._enter(found[1], "" if found[2] == "⏎" else self._real(found[2]))
        shown = self._at_prompt()
        self._asks("loadtool> ", "$ ")
        if not write and not fits(expected, shown):
            raise DifferenceError(_compared(expected, shown))
        return "\n".join(cut(expected, shown)) + "\n"

    def _asks(self, *prompts: str) -> None:
        line = self._neutral(self._line())
        if line not in prompts:
            raise DifferenceError(_compared([" or ".join(prompts)], [*self._told(), line]))

    def _enter(self, prompt: str, text: str) -> None:
        """Type an answer where the terminal waits for one, and wait until it has been read."""
        before = self._at_prompt()
        self._asks(prompt)
        if _MORE.fullmatch(f"{prompt}{text}"):  # it takes a key, and leaves nothing behind
            asked = self._line()
            self._terminal.type(text)
            self._until(lambda: self._line() != asked or self._told() != before)
            return
        self._terminal.type(text)
        if text:
            self._until(lambda: self._line().rstrip().endswith(text.rstrip()[-20:]))
        typed = self._line()
        self._terminal.press("Enter")
        self._until(lambda: self._line() != typed or self._told() != before)

    def _screen(self, block: str, *, write: bool) -> str:
        expected = block.splitlines()
        if write and GAP not in expected:
            return "\n".join(self._still()) + "\n"
        self._until(lambda: fits(expected, self._shown()), lambda: (expected, self._shown()))
        return block

    def _press(self, name: str) -> None:
        before = self._terminal.screen("-e")
        key = _KEYS.get(name, name)
        if len(key) == 1:
            self._terminal.type(key)
        else:
            self._terminal.press(key)
        if key == "Escape":  # what comes at once behind it would be taken for one key with it
            self._until(lambda: self._terminal.screen("-e") != before)

    def _at_prompt(self) -> list[str]:
        """What was said until the terminal waits for an answer."""
        told: list[list[str]] = [[]]

        def waits() -> bool:
            if not _PROMPT.fullmatch(self._line()):
                return False
            told.append(self._told())
            return told[-1] == told[-2]

        self._until(waits)
        return told[-1]

    def _line(self) -> str:
        """The line with the cursor, up to it."""
        column, row = self._terminal.cursor()
        lines = self._terminal.lines_now()
        return lines[row].ljust(column)[:column] if row < len(lines) else ""

    def _told(self) -> list[str]:
        """All lines since the screen was cleared, up to the one with the cursor."""
        _, row = self._terminal.cursor()
        past = self._terminal.past()
        lines = (past + self._terminal.lines_now())[self._before : len(past) + row]
        return [self._neutral(line) for line in lines]

    def _shown(self) -> list[str]:
        return [self._neutral(line).rstrip() for line in self._terminal.lines_now()]

    def _still(self) -> list[str]:
        """What is shown when nothing has come for a while; only what is compared may use it."""
        seen = [self._shown()]
        while len(seen) < 16 or any(one != seen[-1] for one in seen[-15:]):
            time.sleep(0.1)
            seen.append(self._shown())
        return seen[-1]

    def _real(self, text: str) -> str:
        return text.replace("http://127.0.0.1:41234", self._url)

    def _neutral(self, line: str) -> str:
        line = line.replace(self._url, "http://127.0.0.1:41234")
        for pattern, stand_in in STAND_INS:
            line = pattern.sub(stand_in, line)
        return line

    def _until(
        self,
        holds: Callable[[], bool],
        compared: Callable[[], tuple[Sequence[str], Sequence[str]]] | None = None,
    ) -> None:
        deadline = time.monotonic() + PATIENCE
        while not holds():
            if time.monotonic() > deadline:
                wanted, shown = compared() if compared else ([], self._shown())
                raise DifferenceError(_compared(wanted, shown))
            time.sleep(0.05)


def fits(expected: Sequence[str], shown: Sequence[str]) -> bool:
    """Whether that is shown, where a line `GAP` stands for any lines."""
    pattern = "".join(
        r"(?:.*\n)*?" if line == GAP else re.escape(_unanswered(line)) + r"\n"
        for line in expected
        if not _MORE.fullmatch(line)
    )
    return bool(re.fullmatch(pattern, "".join(f"{line.rstrip()}\n" for line in shown)))


def cut(expected: Sequence[str], shown: Sequence[str]) -> list[str]:
    """What is shown, shortened where what was expected is."""
    shown = [line.rstrip() for line in shown]
    answers = {_unanswered(line): line for line in expected}
    shown = [answers.get(line, line) for line in shown]
    shown += [line for line in expected if _MORE.fullmatch(line)]
    if fits(expected, shown) or GAP not in expected:
        return list(expected) if GAP in expected else shown
    gap = expected.index(GAP)
    last = len(expected) - 1 - gap
    return [*shown[:gap], GAP, *shown[len(shown) - last :]]


def lines_of_picture(svg: str) -> list[str]:
    """The lines of text of a picture that rich has drawn of a terminal."""
    lines: dict[int, str] = {}
    for text in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text"):
        clip = re.search(r"line-(\d+)\)", text.get("clip-path", ""))
        if clip is None:
            continue
        row, column = int(clip[1]), round(float(text.get("x", "0")) / 12.2)
        content = (text.text or "").replace("\xa0", " ")
        lines[row] = lines.get(row, "").ljust(column) + content
    return [lines.get(row, "").rstrip() for row in range(max(lines) + 1)]


def _unanswered(line: str) -> str:
    """The line without the sign for Enter, which nothing shows."""
    return line.removesuffix("⏎").rstrip()


def _compared(expected: Sequence[str], shown: Sequence[str]) -> str:
    return "\n".join(["expected:", *expected, "", "shown:", *shown])


def followed(page: Path, follower: Follower, *, write: bool) -> str:
    """Do all steps of the document in ``page``; the document as it should be.

    Raises:
        DifferenceError: it says something else, and is not to be written; the line is named.
    """
    document = page.read_text(encoding="utf-8")
    parts, end = [], 0
    for step in steps(document):
        try:
            shown = follower.do(step, page.parent, write=write)
        except DifferenceError as error:
            line = document.count("\n", 0, step.start) + 1
            raise DifferenceError(f"{page.name}, line {line}: {step.kind}\n{error}") from None
        parts += [document[end : step.start], shown]
        end = step.start + len(step.text)
    return "".join([*parts, document[end:]])

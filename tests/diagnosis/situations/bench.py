"""Bring a failure about, read the diagnosis, and do what it says, to the letter.

What counts as mended *as printed*:

* **command**: the commands of the first remedy are typed as they stand, into a shell or into the
  console, which is opened by the printed line;
* **line**: the printed line is written into the file, below the line that is named, or at its end;
* **record**: the printed line opens the console and begins to record; what a person does then is
  done, and the test case of that name is green;
* **server**: there is nothing to mend on this side, and nothing of that kind is printed. The
  printed line of curl, or the one that the printed commands give, has to show the failure outside
  of this tool; then the server is brought back, and must show it no more.

Words in capitals (PASSWORD) are filled in with what only a person knows. After each of these the
printed ``check`` has to be green; a command for a shell that is a remedy is its own check.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from pytest_loadtool.casefile import (
    format_case,
    known_columns,
    package_rules,
    read_case,
    read_har,
)
from pytest_loadtool.casefile.trust import Trust
from pytest_loadtool.correlation import configure
from pytest_loadtool.diagnosis.outcome import Evidence
from pytest_loadtool.engine.functional import replay_once
from pytest_loadtool.engine.prepare.resources import compile_from
from pytest_loadtool.model.load import ThinkTime
from pytest_loadtool.recording import build_case
from pytest_loadtool.report.failure import explain
from pytest_loadtool.workflow.files import write_evidence
from tests.console.running import console_environment
from tests.correlation.client import Client
from tests.diagnosis.situations import warm
from tests.diagnosis.situations.shop import Shop, serving
from tests.observed import Observed

CASE = "shop.case.toml"
_WIDEST = 78
#: What is typed into the console to look, and changes nothing.
_LOOKING = ("diff", "curl", "why", "play", "response", "trace", "search", "variables")

#: A command of curl as the console writes it, over several lines.
_CURL = r"^(?:echo \S+ \| base64 -d \| )?curl '?http(?:.*\\\n)*.*"

#: Writes the test case, and breaks what it is replayed against; what is yielded brings that back.
Stage = Callable[[Path], AbstractContextManager[Callable[[], None]]]


@dataclass(frozen=True)
class Situation:
    """A failure to bring about.

    * ``stage`` sets it up;
    * ``blamed`` is the transaction that is to be mended, ``cause`` a pattern for the cause that is
      named first;
    * ``mended`` is how: ``command``, ``line``, ``record`` or ``server``;
    * ``outside`` is a pattern for what curl shows of it; empty: the status that failed;
    * ``filled`` is what a person fills in, ``environment`` what that sets.
    """

    name: str
    stage: Stage
    blamed: str
    cause: str
    mended: str = "command"
    outside: str = ""
    filled: Mapping[str, str] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)
    before: Mapping[str, str] = field(default_factory=dict)
    """What is in the environment when it fails."""
    timeout: float = 60.0
    says: tuple[str, ...] = ()
    """What else stands in the text."""
    settles: float = 0.0
    """Seconds that a person takes at least before the check, and the server needs."""
    promises: tuple[int, ...] = ()
    wanting: str = ""
    """What is not right yet; the test may fail for it."""


@dataclass
class Outcome:
    """What the diagnosis said, and what its remedy brought."""

    text: str
    mended: str = ""
    """How it was mended; empty: it was not."""
    remedy: str = ""
    steps: list[str] = field(default_factory=list)

    @property
    def block(self) -> str:
        """What stands at the top."""
        return self.text.partition("\n\n")[0]

    @property
    def blamed(self) -> str:
        """The transaction in the first line."""
        return self.text.partition("\n")[0]

    @property
    def cause(self) -> str:
        """The cause that is named first, on one line."""
        found = self.rows("cause")
        return " ".join(" ".join(found[0]).split()) if found else ""

    def rows(self, label: str) -> list[list[str]]:
        """The lines of each part of the block that has this label, without it."""
        found: list[list[str]] = []
        mine = False
        for line in self.block.splitlines():
            name, text = line[:11].strip(" +"), line[11:]
            if name:
                mine = name == label
                found += [[]] if mine else []
            if mine:
                found[-1].append(f"+ {text}" if line[:11].endswith("+ ") else text)
        return found

    @property
    def changes(self) -> list[str]:
        """Commands in the remedies of the first cause that change something."""
        typed = [one for row in self.rows("then") for one in _typed(row)]
        return [one for one in typed if one.split()[0] not in _LOOKING]


def _typed(row: list[str]) -> list[str]:
    return [one.removeprefix("loadtool> ") for one in row if one.startswith("loadtool> ")]


def _looks(typed: list[str]) -> bool:
    """Whether lines for the console change nothing."""
    return bool(typed) and all(one.split()[0] in _LOOKING for one in typed)


def _shell(row: list[str]) -> str:
    found = [one for one in row if re.match(r"(pytest|curl|echo) ", one)]
    return next((one for one in found if not one.startswith("pytest --record")), "")


def bring_about(situation: Situation, directory: Path, *, doing: bool = True) -> Outcome:
    """Bring it about, replay, and do what is printed, if ``doing``; the replay must fail."""
    path = directory / CASE
    with situation.stage(path) as bring_back:
        text = _replayed(path, situation)
        assert text, "it passes"
        outcome = Outcome(text)
        outcome.remedy = _remedy(situation, outcome)
        if doing:
            _Doing(situation, path, outcome).do(bring_back)
    return outcome


def _replayed(path: Path, situation: Situation) -> str:
    """Replay once; the text of the failure, empty if it passes."""
    from pytest import MonkeyPatch  # noqa: PT013  the class, where tests are no fixtures

    case = read_case(path)
    observed = Observed()
    with MonkeyPatch.context() as patch:
        for name, value in situation.before.items():
            patch.setenv(name, value)
        plan = compile_from(path, case, server="", think_time=ThinkTime())
        replay_once(plan, observer=observed, timeout=situation.timeout)
    if not any(observed.failures):
        return ""
    har = path.with_name("shop.har")
    found = tuple(read_har(har)) if har.exists() else ()
    columns = known_columns(path, case.datasets, Trust())
    evidence = Evidence(found, "" if har.exists() else "made by hand", columns=columns)
    return explain(case, observed.outcomes, path=CASE, evidence=evidence)


def _remedy(situation: Situation, outcome: Outcome) -> str:
    """What the first remedy is, in short."""
    first = (outcome.rows("then") or [[""]])[0]
    if "--record-url" in first[-1]:
        return f"`{first[-1]}`"
    lines = " ".join(one for one in first if one.startswith("+ "))
    if lines:
        return f"line `{lines}`"
    if _looks(_typed(first)):
        return ", ".join(f"`{one}`" for one in _typed(first))
    if shell := _shell(first):
        return f"`{shell}`"
    if typed := _typed(first):
        return ", ".join(f"`{one}`" for one in typed)
    return "the server, brought back" if situation.mended == "server" else " ".join(first)


@dataclass
class _Doing:
    """Does what the first remedy says."""

    situation: Situation
    path: Path
    outcome: Outcome

    def do(self, bring_back: Callable[[], None]) -> None:
        """Set ``mended`` of the outcome if that helps."""
        outcome, first = self.outcome, (self.outcome.rows("then") or [[""]])[0]
        typed, shell = _typed(first), _shell(first)
        for row in outcome.rows("then"):
            self._examine(row)
        if _looks(typed):
            typed, shell = [], ""
        lines = [self._filled(one[2:]) for one in first if one.startswith("+ ")]
        if lines:
            self._write(" ".join(first), lines)
            outcome.mended = "line" if self._checked() else ""
        elif first[-1].startswith("pytest --record ") and "--record-url" in first[-1]:
            outcome.mended = "record" if self._recorded(first[-1], bring_back) else ""
        elif shell:
            outcome.mended = "command" if self._ran(shell) == 0 else ""
        elif typed and not (self.situation.mended == "server" and not outcome.changes):
            done = self._console([self._filled(one) for one in typed])
            outcome.mended = "command" if done == 0 and self._checked() else ""
        elif self.situation.mended == "server" and not outcome.changes:
            command = self._curl()
            shown = bool(command) and self._shows(command)
            bring_back()
            gone = not self._shows(command)
            outcome.mended = "server" if shown and gone and self._checked() else ""
        else:
            outcome.mended = "command" if self.situation.environment and self._checked() else ""

    def _examine(self, row: list[str]) -> None:
        """Make sure that what is printed to look works as printed, whoever reads it when."""
        typed = _typed(row)
        if not _looks(typed):
            return
        status = self._ran(_shell(row)) if _shell(row) else 1
        assert status == 1, self.outcome.steps[-1]  # it is kept as it fails
        assert self._console(typed) == 0, self.outcome.steps[-1]

    def _recorded(self, command: str, again: Callable[[], None]) -> bool:
        """Whether the recorder starts as printed, and what ``again`` records there is green."""
        _, *arguments = shlex.split(command)
        options = ["--record-browser", "none", "--record-script", "-"]
        self._run([*arguments, *options], "quit\n")
        started = "Recording through" in self.outcome.steps[-1]
        again()
        return started and self._run([arguments[1]]) == 0

    def _filled(self, line: str) -> str:
        for word, value in self.situation.filled.items():
            quoted = shlex.quote(value)
            line = quoted.join(re.split(rf"\b{word}\b", line))
        return line

    def _write(self, row: str, lines: list[str]) -> None:
        """Write lines below the one that is named, or at the end of the file."""
        text = self.path.read_text(encoding="utf-8").splitlines()
        below = re.search(rf"\(below {re.escape(CASE)}:(\d+)\)", row)
        at = int(below[1]) if below else len(text)
        assert below or f"({CASE})" in row, row
        self.path.write_text("\n".join([*text[:at], *lines, *text[at:], ""]), encoding="utf-8")

    def _checked(self) -> bool:
        """Whether the printed check is green."""
        time.sleep(self.situation.settles)
        found = self.outcome.rows("check")
        return bool(found) and self._ran(found[0][0]) == 0

    def _curl(self) -> str:
        """The command of curl that the text has, or that it says how to get."""
        row = (self.outcome.rows("confirm") or [[]])[0]
        shell, typed = _shell(row), _typed(row)
        if not typed or not shell.startswith("pytest "):
            return shell if shell.startswith("curl ") else ""
        if self._ran(shell) == 0:
            return ""
        self._console(typed)
        said = self.outcome.steps[-1]
        found = re.search(_CURL, said, re.MULTILINE)
        return found[0] if found else ""

    def _shows(self, command: str) -> bool:
        """Whether the failure is seen when curl asks."""
        wanted = self.situation.outside
        if not wanted:
            status = re.search(r"  (\d{3})(?:, |$)", self.outcome.blamed)
            wanted = rf"^HTTP/\S+ {status[1]}" if status else "never"
        done = subprocess.run(
            ["sh", "-c", command],
            cwd=self.path.parent,
            env=console_environment(self.path.parent),
            capture_output=True,
            timeout=60,
        )
        said = f"exit {done.returncode}\n".encode() + done.stdout + done.stderr
        self.outcome.steps.append(f"$ {command}\n{said.decode(errors='replace')[-3000:]}")
        return re.search(wanted, said.decode(errors="replace"), re.MULTILINE) is not None

    def _ran(self, command: str) -> int:
        """Run a printed command for a shell that is one of pytest; its exit status."""
        assert command.startswith("pytest "), command
        return self._run(shlex.split(self._filled(command))[1:])

    def _console(self, typed: list[str]) -> int:
        """Type lines into the console."""
        return self._run(["--record", CASE, "--record-script", "-"], "\n".join(typed) + "\n")

    def _run(self, arguments: list[str], typed: str = "") -> int:
        environment = console_environment(self.path.parent) | dict(self.situation.before)
        environment |= self.situation.environment
        status, said = warm.run(self.path.parent, arguments, environment, typed)
        self.outcome.steps.append(f"$ pytest {shlex.join(arguments)}\n{typed}\n{said[-6000:]}")
        return status


def record(
    url: str,
    session: Callable[[Client], None],
    path: Path,
    think: tuple[int, float] = (0, 0.0),
    *,
    server: str = "",
) -> str:
    """Record a session at ``url``, configure it, and write the test case (for ``server``) with its
    traffic beside; return its text. ``think`` is a page, from 0, and its think time."""
    client = Client(url)
    try:
        session(client)
    finally:
        client.close()
    exchanges = tuple(client.exchanges)
    built = build_case(exchanges, name="shop").case
    configured = configure(built, exchanges, rules=package_rules()).case
    pages = tuple(
        replace(one, think_time=think[1] if at == think[0] else 0.0)
        for at, one in enumerate(configured.pages)
    )
    write_evidence(exchanges, path.with_name(path.name.replace(".case.toml", ".har")))
    case = replace(configured, server=server or configured.server, pages=pages)
    path.write_text(format_case(case), encoding="utf-8")
    return path.read_text(encoding="utf-8")


def asserting(request: str, check: str) -> Callable[[str], str]:
    """Return what adds a validator to a request of a test case."""
    start = f'request = "{request}"'

    def spoil(text: str) -> str:
        before, found, after = text.partition(start)
        assert found, start
        own, end, rest = re.split(r"(\n\n|\n(?=\[\[)|\Z)", after, maxsplit=1)
        if "validators = [" in own:
            own = own.replace("validators = [", f"validators = [\n  {check},", 1)
        else:
            own = f"\nvalidators = [{check}]{own}"
        return f"{before}{found}{own}{end}{rest}"

    return spoil


def too_wide(outcome: Outcome) -> list[str]:
    """The lines of the block at the top that are wider than a CI log shows, but for what is there
    to be copied: commands and lines of files."""
    copied = re.compile(r"pytest |curl |loadtool> |\+ ")
    return [
        one for one in outcome.block.splitlines() if len(one) > _WIDEST and not copied.search(one)
    ]


def in_the_shop(
    session: Callable[[Client], None],
    *faults: str,
    spoil: Callable[[str], str] = str,
    arrange: Callable[[Shop], None] | None = None,
    after: Callable[[Shop, Path], None] | None = None,
    think: tuple[int, float] = (0, 0.0),
    back: Callable[[Shop], None] | None = None,
    before: tuple[str, ...] = (),
    again: Callable[[Client], None] | None = None,
) -> Stage:
    """Record ``session`` at a shop without faults, and configure it; ``spoil`` changes the text of
    the test case, as somebody might, after which ``after`` may do more; ``faults`` and ``arrange``
    are of the server that it is replayed against, which is at the same address and knows nothing of
    before. ``think`` is a page, from 0, and the think time after it, in seconds. ``back`` undoes
    what was arranged; faults vanish in any case. ``before`` are faults of the server when it is
    recorded; ``again`` is the session that a person records to bring it back."""

    @contextmanager
    def stage(path: Path) -> Iterator[Callable[[], None]]:
        with serving(Shop({*before})) as server:
            text = record(server.url, session, path, think)
            server.shop = shop = Shop(set(faults))
            if arrange is not None:
                arrange(shop)
            path.write_text(spoil(text), encoding="utf-8")
            if after is not None:
                after(shop, path)

            def bring_back() -> None:
                if again is not None:
                    record(server.url, again, path.with_name("shop-again.case.toml"), think)
                    return
                shop.faults.clear()
                if back is not None:
                    back(shop)

            yield bring_back

    return stage

"""Bring a failure about, read the diagnosis, and do what it says."""

from __future__ import annotations

import re
import shlex
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from pytest_loadtool.casefile import format_case, package_rules, read_case, read_har
from pytest_loadtool.correlation import configure
from pytest_loadtool.diagnosis.outcome import Evidence
from pytest_loadtool.engine.functional import replay_once
from pytest_loadtool.engine.prepare.resources import compile_from
from pytest_loadtool.model.case import TestCase
from pytest_loadtool.model.load import ThinkTime
from pytest_loadtool.recording import build_case
from pytest_loadtool.report.failure import explain
from pytest_loadtool.workflow.files import write_evidence
from tests.console.running import console_command, console_environment
from tests.correlation.client import Client
from tests.diagnosis.situations.shop import Shop, serving
from tests.observed import Observed

CASE = "shop.case.toml"
_WIDEST = 78


@dataclass(frozen=True)
class Situation:
    """A failure to bring about.

    * ``session`` is recorded from a shop without faults, and configured;
    * ``spoil`` changes the text of the test case, as somebody might;
    * ``faults`` and ``arrange`` are of the server that it is replayed against;
    * ``blamed`` is the transaction that is to be mended, ``cause`` a pattern for the cause that is
      named first;
    * ``mend`` is what the diagnosis leaves to a person, done to the server or to the test case;
      without it the printed commands or the printed line have to mend it.
    """

    name: str
    session: Callable[[Client], None]
    blamed: str
    cause: str
    faults: tuple[str, ...] = ()
    spoil: Callable[[str], str] = str
    arrange: Callable[[Shop], None] | None = None
    mend: Callable[[Shop, Path], None] | None = None
    think: tuple[int, float] = (0, 0.0)
    """A page, from 0, and the think time after it, in seconds."""
    timeout: float = 60.0
    says: tuple[str, ...] = ()
    """What else stands in the text."""
    promises: tuple[int, ...] = ()


@dataclass
class Outcome:
    """What the diagnosis said, and what its remedy brought."""

    text: str
    mended: bool = False
    remedy: str = ""
    steps: list[str] = field(default_factory=list)

    @property
    def blamed(self) -> str:
        """The transaction in the first line."""
        return self.text.partition("\n")[0]

    @property
    def cause(self) -> str:
        """The cause that is named first, on one line."""
        found = re.search(r"^  cause +(.*(?:\n {11}\S.*)*)", self.text, re.MULTILINE)
        return " ".join(found[1].split()) if found else ""


def bring_about(situation: Situation, directory: Path) -> Outcome:
    """Record, spoil, replay, and do what is printed; the replay must fail."""
    with serving(Shop()) as url:
        client = Client(url)
        try:
            situation.session(client)
        finally:
            client.close()
    built = build_case(tuple(client.exchanges), name="shop").case
    configured = configure(built, client.exchanges, rules=package_rules()).case
    shop = Shop(set(situation.faults))
    if situation.arrange is not None:
        situation.arrange(shop)
    path = directory / CASE
    write_evidence(client.exchanges, directory / "shop.har")
    with serving(shop) as url:
        pages = tuple(
            replace(one, think_time=situation.think[1] if at == situation.think[0] else 0.0)
            for at, one in enumerate(configured.pages)
        )
        case = replace(configured, server=url, pages=pages)
        path.write_text(situation.spoil(format_case(case)), encoding="utf-8")
        text = _replayed(path, situation.timeout)
        assert text, "it passes"
        outcome = Outcome(text)
        _do(situation, outcome, path, shop)
    return outcome


def _replayed(path: Path, timeout: float = 60.0) -> str:
    """Replay once; the text of the failure, empty if it passes."""
    case = read_case(path)
    observed = Observed()
    plan = compile_from(path, case, server="", think_time=ThinkTime())
    replay_once(plan, observer=observed, timeout=timeout)
    if not any(observed.failures):
        return ""
    evidence = Evidence(read_har(path.with_name("shop.har")))
    return explain(case, observed.outcomes, path=CASE, evidence=evidence)


def _do(situation: Situation, outcome: Outcome, path: Path, shop: Shop) -> None:
    """Do what the first cause's remedy says."""
    block = outcome.text.partition("\n\n")[0]
    commands = re.findall(r"^ +loadtool> (.*)", block, re.MULTILINE)
    shell = re.search(r"^ {11}(pytest .* --.*)$", block, re.MULTILINE)
    place = re.search(rf"\({re.escape(CASE)}:(\d+)\):\n {{11}}(?!pytest|loadtool)(.*)", block)
    if situation.mend is not None:
        outcome.remedy = "by a person"
        situation.mend(shop, path)
    elif place:
        outcome.remedy = f"line {place[2]}"
        lines = path.read_text(encoding="utf-8").splitlines()
        lines.insert(int(place[1]), place[2])
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    elif shell and "--record" not in shell[1]:
        outcome.remedy = shell[1]
        done = _run(path, shlex.split(shell[1])[1:])
        outcome.mended = done.returncode == 0
        return
    elif commands:
        outcome.remedy = ", ".join(commands)
        typed = "\n".join([*(one for one in commands if one != "play"), "save", "quit"])
        done = _run(path, ["--record", CASE, "--record-script", "-"], typed)
        outcome.steps.append(done.stdout[-3000:])
    outcome.mended = not _replayed(path)


def _run(path: Path, arguments: list[str], typed: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        console_command(*arguments),
        cwd=path.parent,
        env=console_environment(path.parent),
        input=typed,
        capture_output=True,
        text=True,
        timeout=120,
    )


def too_wide(outcome: Outcome) -> list[str]:
    """The lines of the block at the top that are wider than a CI log shows, commands aside."""
    block = outcome.text.partition("\n\n")[0].splitlines()
    return [one for one in block if len(one) > _WIDEST and "pytest " not in one]


def case_of(path: Path) -> TestCase:
    """The test case as it is now."""
    return read_case(path)

"""What is done with an application, by the commands that users have: record, replay, load."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_loadtool.casefile import read_case, save_load
from pytest_loadtool.diagnosis.outcome import SEPARATOR
from pytest_loadtool.model.load import CaseShare, LoadConfiguration, ThinkTime
from pytest_loadtool.structure.doubts import KINDS
from tests.applications.application import Application

__all__ = [
    *("JourneyError", "OtherwiseError", "Replayed"),
    *("load", "make_unique", "record", "replay", "replayed"),
]

_ROOT = Path(__file__).parents[2]

_SCRIPT = """\
record{options}
run {python} -m tests.applications.drive {name} {url}
stop
configure
{identity}
save
"""
#: A line of ``pytest -v`` about one transaction: its status, and after the page its title.
_STEP = re.compile(
    rf"^ +(\d{{3}}|---) +\d+ ms  (?:passed|failed)  .*{re.escape(SEPARATOR)}(.*?)"
    r"(?: \(after \d+ requests? of negotiation\))?$",
    re.MULTILINE,
)

#: The first failure of the first test case: the paragraph below its heading.
_FIRST = re.compile(r"^_{3,} .* _{3,}\n((?:.+\n)+)", re.MULTILINE)
#: The recorded status of a change for whose answer nobody waited.
_UNKNOWN = "0"
#: What a load test says that was late with its requests.
_LATE = "was itself too slow"
#: Seconds for a whole pytest run.
_PATIENCE = 1800


class JourneyError(AssertionError):
    """A command did not end as it should; the message has what it wrote."""


def record(name: str, one: Application, url: str, case: Path) -> str:
    """Record the session at ``url`` and configure the test case. The value is what was printed."""
    script = case.with_name("record.txt")
    script.write_text(
        _SCRIPT.format(
            options="" if one.BROWSER else " --browser none",
            python=sys.executable,
            name=name,
            url=url,
            identity=getattr(one, "IDENTITY", ""),
        )
    )
    return _pytest(case.parent, "--record", case.name, "--record-script", script.name)


def make_unique(case: Path, texts: Iterable[str]) -> None:
    """Give each virtual user texts of its own in place of these."""
    script = case.with_name("unique.txt")
    script.write_text("".join(f"unique {shlex.quote(text)}\n" for text in texts) + "save\n")
    _pytest(case.parent, "--record", case.name, "--record-script", script.name)


class OtherwiseError(JourneyError):
    """It passed, and said itself that something came not as recorded; the message has that."""


@dataclass(frozen=True, slots=True)
class Replayed:
    """What a tester learns from one replay."""

    green: bool
    first: str
    """The first failure, in the words of the report; empty if green."""
    written: str


def replayed(case: Path, url: str) -> Replayed:
    """Replay it once, whatever comes of it."""
    done = _run(
        case.parent, case.name, "-v", "--loadtool-server", url, "--loadtool-think-time", "none"
    )
    return Replayed(done.returncode == 0, _first(done) if done.returncode else "", done.stdout)


def replay(case: Path, url: str) -> None:
    """Replay it once: it passes, and each transaction is answered as it was recorded.

    Raises:
        OtherwiseError: it passed, but not as recorded.
        JourneyError: it did not; of a login that is refused with a page, only the status tells.
    """
    done = replayed(case, url)
    if not done.green:
        raise JourneyError(f"{done.first}\n{done.written}")
    if "not as recorded" in done.written:
        raise OtherwiseError(done.written.partition("passed, but ")[2])
    for doubt in KINDS:
        if doubt in done.written:
            raise OtherwiseError(doubt + done.written.partition(doubt)[2])
    once = list(_recorded(case))
    unknown = {title for title, status in once if status == _UNKNOWN}
    recorded = Counter(one for one in once if one[0] not in unknown)
    answered = Counter(
        (title, _now(status))
        for status, title in _STEP.findall(done.written)
        if title not in unknown
    )
    if answered != recorded:
        raise JourneyError(f"recorded {recorded - answered}, replayed {answered - recorded}")


def load(case: Path, url: str, *, users: int, sessions: int = 1) -> dict[str, Any]:
    """Let so many virtual users replay it at once, each so many times.

    The value is what the JSON report has of the run. That its times say little, since others had
    the processor, is no matter here.

    Raises:
        OtherwiseError: it passed, but not as recorded.
        JourneyError: a request failed, or a status is not the recorded one.
    """
    name = case.name.removesuffix(".case.toml")
    configuration = LoadConfiguration(
        name, (CaseShare(case.name),), users=users, duration=None,
        iterations=sessions,
        think_time=ThinkTime(scale=0.0), on_error="stop iteration",
    )  # fmt: skip
    save_load(case.with_name(f"{name}.load.toml"), configuration)
    arguments = ("--load", "--load-json", "load.json", "--loadtool-server", url)
    written = case.with_name("load.json")
    written.unlink(missing_ok=True)
    done = _run(case.parent, *arguments)
    if not written.exists():
        raise _failed(done, arguments)
    report: dict[str, Any]
    (report,) = json.loads(written.read_text())["runs"]
    late = report["verdict"] == "inconclusive" and all(_LATE in one for one in report["reasons"])
    if done.returncode and not late:
        raise _failed(done, arguments)
    once = Counter(status for _, status in _recorded(case))
    if report["not_as_recorded"]:
        raise OtherwiseError(f"not as recorded: {report['not_as_recorded']}")
    answered: Counter[str] = Counter()
    for status, count in report["totals"]["status"].items():
        answered[_now(status)] += count
    wanted = Counter({status: users * sessions * count for status, count in once.items()})
    unknown = wanted.pop(_UNKNOWN, 0)  # of which any will do
    if wanted - answered or (answered - wanted).total() != unknown:
        raise JourneyError(f"expected {wanted}, the users were answered {answered}")
    return report


def _recorded(case: Path) -> Iterator[tuple[str, str]]:
    """Title and recorded status of each transaction."""
    for one in read_case(case).transactions():
        if one.recorded:
            yield one.title, _now(str(one.recorded.status))


def _now(status: str) -> str:
    """What a new server answers: it has what is asked for later than the browser got it."""
    return "200" if status == "304" else status


def _pytest(folder: Path, *arguments: str) -> str:
    """A pytest run in ``folder`` that has to succeed. The value is what it wrote.

    Raises:
        JourneyError: its exit status is not 0.
    """
    done = _run(folder, *arguments)
    if done.returncode:
        raise _failed(done, arguments)
    return done.stdout


def _failed(done: subprocess.CompletedProcess[str], arguments: Iterable[str]) -> JourneyError:
    written = f"{done.stdout}{done.stderr}"
    return JourneyError(f"{_first(done)}\npytest {' '.join(arguments)}:\n{written}")


def _first(done: subprocess.CompletedProcess[str]) -> str:
    """The first failure; where there is none, the end of what was written."""
    failed = _FIRST.search(done.stdout)
    return failed[1].strip() if failed else f"{done.stdout}{done.stderr}"[-400:]


def _run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A pytest run in ``folder``, as a user starts it."""
    (folder / "pytest.ini").write_text("[pytest]\n")
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(_ROOT), "COLUMNS": "200"},
        capture_output=True,
        text=True,
        timeout=_PATIENCE,
        check=False,
    )

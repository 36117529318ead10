"""Load configurations: made, shown and changed."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pytest_loadtool import CASE_SUFFIX
from pytest_loadtool.casefile import read_load, save_load
from pytest_loadtool.casefile.files import read_bytes
from pytest_loadtool.casefile.quantities import format_duration
from pytest_loadtool.codec.suggestions import did_you_mean
from pytest_loadtool.console.arguments import (
    Duration,
    LoadFile,
    LoadKey,
    OptionGroup,
    ThinkTimes,
    ValueWord,
)
from pytest_loadtool.console.errors import CommandError, UsageError
from pytest_loadtool.console.guiding import Lines, guide
from pytest_loadtool.console.load_files import chosen, saved
from pytest_loadtool.console.session import Console
from pytest_loadtool.console.views import load as views
from pytest_loadtool.console.wizards.identity import needs_identity
from pytest_loadtool.console.wizards.load import load_lines
from pytest_loadtool.load.pacing.schedule import describe
from pytest_loadtool.load.verdict.unfinished import too_short
from pytest_loadtool.model.length import Length
from pytest_loadtool.model.load import CaseShare, LoadConfiguration
from pytest_loadtool.replay.compile.pauses import length_of
from pytest_loadtool.workflow.datasets import FileChange, lacking
from pytest_loadtool.workflow.errors import LoadValueError
from pytest_loadtool.workflow.files import as_load_path, load_name, load_path
from pytest_loadtool.workflow.load_editing import with_value
from pytest_loadtool.workflow.load_preview import preview
from pytest_loadtool.workflow.telling import counted

#: What nobody needs to say: users, and seconds.
_USERS, _DURATION = 20, 60.0

#: The longest ramp-up (seconds) that nobody asked for, and its share of a short run.
_RAMP_UP, _RAMP_UP_SHARE = 10.0, 0.2


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadAmounts(OptionGroup):
    """The amount of load, its duration, and its thresholds."""

    users: int | None = None
    rate: str | None = None
    duration: Duration | None = None
    ramp_up: Duration | None = None
    iterations: int | None = None
    stage: tuple[str, ...] = ()
    think_time: ThinkTimes | None = None
    case: tuple[str, ...] = ()
    threshold: tuple[str, ...] = ()

    def values(self, path: Path) -> list[tuple[str, str]]:
        """Return the given values, with the keys that a load configuration at ``path`` has for
        them."""
        given = {
            "stages": " ".join(self.stage) or None,
            "users": _text(self.users),
            "rate": self.rate,
            "duration": None if self.duration is None else format_duration(self.duration),
            "iterations": _text(self.iterations),
            "ramp_up": None if self.ramp_up is None else format_duration(self.ramp_up),
            "think_time": self.think_time,
        }
        found = [(key, text) for key, text in given.items() if text is not None]
        found += [("case", _from(path, one)) for one in self.case]
        return [*found, *(("threshold", one) for one in self.threshold)]


UNSAID = LoadAmounts()


async def create_load_configuration(
    session: Console,
    file: LoadFile | None = None,
    *,
    content: LoadAmounts = UNSAID,
    replace: bool = False,
) -> None:
    """Create Load Configuration: write a file that says how many users replay the test case.

    At a terminal, without options, a wizard asks. A script gets 20 users for 1m, who begin over the
    first 10s (of a short run, over the first fifth). FILE is a name for it; without one it stands
    beside the test case: shop.load.toml for shop.case.toml. A file that is there is written over
    only with --replace, or if you agree. The test case must be saved, because the load
    configuration names its file.

    --users, --duration, --ramp-up and --iterations (of each user) say how much; --rate 10/s has
    iterations begin at that rate, whatever the server does, and --users at most at once. --stage
    50:10m:2m, several times, changes it over the run: 50 users for 10 minutes, the first 2 of which
    get there. --think-time is `recorded`, `none`, a factor (0.5) or the most (5s). --case
    api.case.toml:3 adds a test case with its weight, or --case "api.case.toml users=5 duration=2m
    start=1m" with a schedule of its own, --threshold "p95 < 800 ms" what must hold.
    `load` shows what it comes to, `load-set` changes it, `load-trial` tries it, `start` runs it.

    Example: `create-load users=50 duration=10m ramp-up=1m`
    """
    saved(session)
    if needs_identity(session.opened()):
        raise CommandError(
            "the recording shows HTTP authentication, and the test case does not say who the users "
            "are: `test-case-configuration` does, then `save`"
        )
    path = load_path(session.case_path) if file is None else as_load_path(_absolute(file))
    begun = LoadConfiguration(
        load_name(path), (CaseShare(_relative(session.case_path, path.parent)),), _USERS, _DURATION
    )
    values = content.values(path)
    if not values and session.frontend.interactive:
        await guide(session, "Create Load Configuration", lambda: _wizard(session, begun, file))
        return
    configuration = _made(begun, values)
    _files_there(configuration, path)
    if path.exists() and not replace:
        await session.agree(
            f"{session.shown(path)} would be written over. Replace?",
            f"{session.shown(path)} would be written over: give --replace, or another name",
            option="--replace",
        )
    path.parent.mkdir(parents=True, exist_ok=True)
    _write(session, path, configuration)
    session.load_path = path
    session.tell(_made_known(session, path, configuration))


def _made_known(session: Console, path: Path, configuration: LoadConfiguration) -> Iterator[str]:
    """Yield what was written, and what will be in its way."""
    yield f"Wrote {session.shown(path)}: {_in_short(configuration)}. `start` runs it."
    opened = session.opened().case
    lengths = [(opened.name, length_of(opened, configuration.think_time))]
    yield from hints(configuration, lengths)
    for why in lacking(session.settings, session.case_path, opened, configuration):
        yield f"  {why}"


async def load(session: Console, file: LoadFile | None = None) -> None:
    """Load: show a load configuration, and what it will come to, before it is started.

    The users (or arrivals) over time, how long an iteration takes, how many there will be, pages
    per minute, and the rows of datasets that are needed and missing: with a server that is as quick
    as it was when it was recorded. Without FILE it is the one created last, or the one beside the
    test case that is named like it.

    Example: `load rush.load.toml`
    """
    tell_preview(session, chosen(session, file))


async def load_set(
    session: Console, key: LoadKey, *value: ValueWord, file: LoadFile | None = None
) -> None:
    """Load Set: change a value of a load configuration, and show what it comes to then.

    Keys and values are those of the file: `load set duration 10m`, `load set rate 10/s`; `-` leaves
    a key out. think_time is `recorded`, `none`, a factor (0.5) or the most (5s); stages are
    LEVEL:DURATION:RAMP, several with blanks between: 50:10m:2m 0:1m:1m; case is a file with its
    weight, api.case.toml:3, or 0 to take it out, or with a schedule of its own, api.case.toml
    users=5 duration=2m start=1m; threshold adds one: p95 < 800 ms. Comments in the file stay.
    --file is another load configuration than `load` shows. `undo` takes it back.

    Example: `load set users 50`
    """
    if not value:
        raise UsageError("load-set needs VALUE...; `-` leaves a key out")
    path = chosen(session, file)
    before = read_load(path, session.settings.trust)
    text = " ".join(value)
    text = _from(path, text) if key == "case" else text
    with _as_usage():
        configuration = with_value(before, key, text)
    _files_there(configuration, path)
    if configuration == before:
        session.say(f"{session.shown(path)} says so already.")
        return
    _write(session, path, configuration)
    session.say(f"Set {key} in {session.shown(path)}.")
    tell_preview(session, path)


def tell_preview(session: Console, path: Path) -> None:
    """Say what a load configuration will come to."""
    from pytest_loadtool.engine.prepare.share import read_test
    from pytest_loadtool.report.load.chart import glyphs_for

    found = preview(session.settings, read_test(path, session.settings.trust))
    width = shutil.get_terminal_size().columns
    glyphs = glyphs_for(sys.stdout.encoding)
    session.tell(views.lines(found, session.shown(path), width, glyphs))


def hints(configuration: LoadConfiguration, lengths: Iterable[tuple[str, Length]]) -> Iterator[str]:
    """Yield of which test cases the users will finish no iteration."""
    for at, (name, length) in enumerate(lengths):
        if text := too_short(name, length, configuration.schedule_of(at), configuration.grace):
            yield f"  {text}"


def _wizard(session: Console, begun: LoadConfiguration, file: Path | None) -> Lines:
    """Return the wizard for a load configuration."""
    own = session.case_path
    found = (one for one in sorted(own.parent.glob(f"*{CASE_SUFFIX}")) if one != own)
    others = [os.path.relpath(one) for one in found]
    length = length_of(session.opened().case, begun.think_time)
    return load_lines(begun, length, others, "" if file is None else str(file))


def _made(begun: LoadConfiguration, values: list[tuple[str, str]]) -> LoadConfiguration:
    """Return the configuration with these values, and a ramp-up if nobody has said how it begins.

    Raises:
        UsageError: a value is out of its range, or does not go with another.
    """
    made = begun
    with _as_usage():
        for key, text in values:
            made = with_value(made, key, text)
        if not made.stages and made.duration and "ramp_up" not in dict(values):
            ramp_up = min(_RAMP_UP, round(made.duration * _RAMP_UP_SHARE, 3))
            made = with_value(made, "ramp_up", format_duration(ramp_up))
    return made


def _in_short(load: LoadConfiguration) -> str:
    plain = len(load.populations) == 1 and not load.stages and load.rate is None
    if not plain or load.iterations is not None or load.duration is None:
        return describe(load)
    length, ramp_up = format_duration(load.duration), format_duration(load.ramp_up)
    return f"{counted(load.users, 'user')} for {length}, ramp-up {ramp_up}"


def _files_there(configuration: LoadConfiguration, path: Path) -> None:
    """Make sure that the test cases are there.

    Raises:
        UsageError: one is not.
    """
    for one in configuration.cases:
        file = Path(os.path.normpath(path.parent / one.file))  # whose folder is made yet
        if not file.is_file():
            near = did_you_mean(file.name, [case.name for case in file.parent.glob("*.case.toml")])
            raise UsageError(f"there is no test case {one.file}{near}")


def _write(session: Console, path: Path, configuration: LoadConfiguration) -> None:
    before = read_bytes(path) if path.exists() else None
    save_load(path, configuration)
    session.written.append(FileChange(path, read_bytes(path), before))


@contextmanager
def _as_usage() -> Iterator[None]:
    """Have wrong values be told as wrong usage."""
    try:
        yield
    except LoadValueError as error:
        raise UsageError(str(error)) from None


def _text(number: int | None) -> str | None:
    return None if number is None else str(number)


def _from(path: Path, case: str) -> str:
    """Return a test case and its weight, or schedule, with the file as a load configuration at
    ``path`` names it."""
    first, blank, schedule = case.partition(" ")
    file, colon, weight = first.rpartition(":")
    if not colon:
        file, weight = first, "1"
    return f"{_relative(_absolute(Path(file)), path.parent)}:{weight}{blank}{schedule}"


def _absolute(path: Path) -> Path:
    return path.absolute()


def _relative(path: Path, folder: Path) -> str:
    """Return a file as a load configuration in ``folder`` names it."""
    return Path(os.path.relpath(path, folder)).as_posix()

"""Keeping replays: each in a file beside its test case, the last few of them.

The replays of ``shop.case.toml`` lie in ``shop.replays``, a folder for its owner alone that Git
passes over: they hold whatever was sent, passwords too. A file grows while the replay runs, and
is whole after each exchange, however the replay ends.
"""

from __future__ import annotations

import re
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from itertools import count
from math import inf
from pathlib import Path
from typing import Protocol

from pytest_loadtool.casefile.files import make_private_folder
from pytest_loadtool.casefile.har.replay import ReplayWriter
from pytest_loadtool.codec.suffixes import case_name
from pytest_loadtool.diagnosis.kept import identities_of
from pytest_loadtool.errors import FileError
from pytest_loadtool.model.kept_replay import (
    DatasetRow,
    Ending,
    KeptCookie,
    KeptTransaction,
    Outcome,
)
from pytest_loadtool.model.result import Failure
from pytest_loadtool.replay import Observer, PagePlan, Plan, Response, Step
from pytest_loadtool.replay.exchange import exchange_of
from pytest_loadtool.replay.user.user import VirtualUser

#: How many replays of a test case are kept.
MOST_KEPT = 5

#: What the files are called that are ours to delete: by their time, to the millisecond.
_NAME = re.compile(r"\d{4}-\d\d-\d\d-\d{6}-\d{3}\.har", re.ASCII)


class WithTunnels(Observer, Protocol):
    """An observer that is told of tunnels, too."""

    def challenged(self, step: Step, seconds: float) -> None:
        """A proxy wanted to know who asks for the tunnel that the step goes through."""


def replays_folder(case_path: Path) -> Path:
    """Return the folder of a test case's replays, whether there are any or not."""
    return case_path.with_name(f"{case_name(case_path)}.replays")


def trace_path(kept: Path) -> Path:
    """Return where the page of a kept replay is, if it has one."""
    return kept.with_suffix(".html")


def kept_replays(case_path: Path) -> list[Path]:
    """Return the files of a test case's replays, the latest first."""
    folder = replays_folder(case_path)
    if not folder.is_dir():
        return []
    found = (one for one in folder.iterdir() if _NAME.fullmatch(one.name))
    return sorted(found, key=lambda path: path.name, reverse=True)


@contextmanager
def keeping(case_path: Path, plan: Plan, observer: WithTunnels) -> Iterator[Keeper]:
    """Keep what happens in here: have the replay told to the `Keeper`, which tells ``observer``.

    Whatever ends it is noted; afterwards only the last `MOST_KEPT` replays are left. That it cannot
    be kept ends no replay: `Keeper.problem` says so.
    """
    keeper = Keeper(plan, observer)
    keeper.open(case_path, plan)
    try:
        yield keeper
    except Exception as error:
        keeper.close("error", str(error))
        raise
    except BaseException:
        keeper.close("interrupted")
        raise
    else:
        keeper.close("finished")
    finally:
        for old in kept_replays(case_path)[MOST_KEPT:]:
            for file in (old, trace_path(old)):
                with suppress(OSError):  # it is somebody else's, or gone already
                    file.unlink()


def _new_path(case_path: Path, started: float) -> Path:
    """Return the file for a replay, which does not exist, in a folder that does.

    Raises:
        FileError: the folder cannot be made, or is elsewhere.
    """
    folder = replays_folder(case_path)
    make_private_folder(folder, "replays")
    names = (_name(started + number / 1000) for number in count())
    return next(path for name in names if not (path := folder / name).exists())


def _name(started: float) -> str:
    """Return a file's name that is in the order of time: ``2026-03-01-101500-250.har``."""
    moment = datetime.fromtimestamp(started, UTC)
    return f"{moment:%Y-%m-%d-%H%M%S}-{moment.microsecond // 1000:03}.har"


class Keeper:
    """Observes a replay, writes down what it is told, and tells it on.

    ``path`` is the file, None if there is none; ``problem`` says why the replay is not kept, or not
    all of it. It may be closed from another thread while the replay goes on: what comes then is
    only told on.
    """

    def __init__(self, plan: Plan, observer: WithTunnels) -> None:
        self.path: Path | None = None
        self.problem = ""
        self.started = time.time()
        self._observer = observer
        self._writer: ReplayWriter | None = None
        self._lock = threading.Lock()
        #: When the clock of the responses stood at 0, in seconds since the epoch.
        self._epoch = self.started - time.perf_counter()
        self._identities = tuple(identities_of(plan.case))
        self._files = {one.use.name: one.use.file for one in plan.datasets}
        self._names = {slot: name for name, slot in plan.slots.items()}
        self._user: VirtualUser | None = None
        #: The user's variables at the last event.
        self._values: dict[str, str] = {}
        renewals = plan.renewals.by_slot.values() if plan.renewals is not None else ()
        #: By the transaction that refreshes a token: the slots that it gives out, and those that
        #: get a copy when all is told.
        self._copies = {one.step.index: one.copies for one in renewals}
        self._tunnels: Counter[int] = Counter()

    def open(self, case_path: Path, plan: Plan) -> None:
        """Begin to write. If that cannot be done, there is a ``problem``."""
        try:
            path = _new_path(case_path, self.started)
            self._writer = ReplayWriter(
                path,
                case=plan.case.name,
                started=self.started,
                server=plan.case.server or plan.case.app,
                transactions=self._identities,
            )
        except FileError as error:
            self.problem = str(error)
        else:
            self.path = path

    def began(self, user: VirtualUser) -> None:
        """The virtual user is about to begin."""
        self._user = user

    def negotiation(self, step: Step, response: Response) -> None:
        """A request was answered by a challenge, or has refreshed a token."""
        with self._lock, self._writing() as to:
            if to is not None:
                by = response.send.step.index
                exchange, _ = exchange_of(response, self._epoch)
                taken, _ = self._changes(response.send.step, response, ())
                to.negotiation(step.index, exchange, by, taken)
        self._observer.negotiation(step, response)

    def challenged(self, step: Step, seconds: float) -> None:
        """A proxy wanted to know who asks for the tunnel that the transaction goes through."""
        self._tunnels[step.index] += 1
        self._observer.challenged(step, seconds)

    def transaction(self, step: Step, response: Response, failures: tuple[Failure, ...]) -> None:
        """A transaction finished."""
        with self._lock, self._writing() as to:
            if to is not None:
                exchange, undecoded = exchange_of(response, self._epoch)
                taken, start = self._changes(step, response, failures)
                passed: Outcome = "not as recorded" if response.not_as_recorded else "passed"
                kept = KeptTransaction(
                    step.index,
                    self._identities[step.index],
                    "failed" if failures else passed,
                    failures=failures,
                    not_as_recorded=response.not_as_recorded,
                    taken=taken,
                    first_byte=max(0.0, response.first_byte - response.sent),
                    undecoded=undecoded,
                    tunnels=self._tunnels[step.index],
                )
                to.transaction(kept, exchange, start)
        self._observer.transaction(step, response, failures)

    def page(self, page: PagePlan, started: float, finished: float, failed: bool) -> None:
        """A page finished."""
        self._observer.page(page, started, finished, failed)

    def iteration(self, started: float, finished: float, failed: bool) -> None:
        """The test case finished."""
        self._observer.iteration(started, finished, failed)

    def close(self, ending: Ending, problem: str = "") -> None:
        """Say how it ended, and write no more. Closing again does nothing."""
        with self._lock:
            with self._writing() as to:
                if to is not None:
                    to.end(
                        ending,
                        seconds=time.perf_counter() + self._epoch - self.started,
                        problem=problem,
                        cookies=self._cookies(),
                        rows=self._rows(),
                    )
            if self._writer is not None:
                self._writer.close()
                self._writer = None

    def drop(self) -> None:
        """Keep nothing of it."""
        with self._lock:
            if self._writer is not None:
                self._writer.close()
                self._writer = None
            if self.path is not None:
                self.path.unlink(missing_ok=True)
                self.path = None

    @contextmanager
    def _writing(self) -> Iterator[ReplayWriter | None]:
        """Yield what to write to. If that fails, no more is written."""
        try:
            yield self._writer
        except FileError as error:
            self.problem = str(error)
            if self._writer is not None:
                self._writer.close()
                self._writer = None

    def _changes(
        self, step: Step, response: Response, failures: tuple[Failure, ...]
    ) -> tuple[dict[str, str], dict[str, str]]:
        """Return what a response has set, and, the first time, what had a value before it."""
        now = self._user.values if self._user is not None else {}
        before, self._values = self._values, now
        missed = {one.missing for one in step.takes} & {*failures}
        judged = response.failure is None and missed == {
            one for one in failures if one.cause in _UNJUDGED
        }
        found = {
            name
            for one in step.takes
            if (name := self._names[one.slot]) in now
            and ((judged and one.missing not in missed) or before.get(name, "") != now[name])
        }
        for new, old in self._copies.get(step.index, ()):
            if self._names.get(new) in found and old in self._names:
                now[self._names[old]] = now[self._names[new]]
                found.add(self._names[old])
        others = {name: value for name, value in now.items() if name not in found}
        if not before:
            return {name: now[name] for name in found}, others
        found |= {name for name, value in others.items() if before.get(name) != value}
        return {name: now[name] for name in found}, {}

    def _cookies(self) -> Iterator[KeptCookie]:
        for one in self._user.jar.cookies if self._user is not None else ():
            expires = one.expires if one.expires != inf else None
            yield KeptCookie(one.name, one.value, one.domain, one.path, one.secure, expires)

    def _rows(self) -> Iterator[DatasetRow]:
        for name, row in (self._user.rows if self._user is not None else {}).items():
            yield DatasetRow(name, self._files[name], row + 1)


#: The causes of failures after which not all extractors have been tried, or one has found nothing.
_UNJUDGED = frozenset({"extractor", "decoding", "internal", "memory"})

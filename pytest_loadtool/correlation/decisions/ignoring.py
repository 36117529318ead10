"""What a test case says is to be ignored: a field by its name, or at one place.

An entry is a name, in which ``*`` stands for anything, or ``METHOD /path: name`` with the path as
recorded, without its query. Of several such requests, or fields of that name, a number behind the
path, or the name, says which: ``POST /rpc #2: params #1``.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import replace
from urllib.parse import urlsplit

from pytest_loadtool.correlation.index.traffic import RecordedStep, Traffic
from pytest_loadtool.correlation.proposals import Issue, Miss
from pytest_loadtool.correlation.requests.positions import HOLE
from pytest_loadtool.correlation.requests.slots import Slot
from pytest_loadtool.model.case import TestCase
from pytest_loadtool.model.place import Place
from pytest_loadtool.model.rule import NamePatterns, Rule

_EXACT = re.compile(r"[!-~]+ \S+(?: #\d+)?:(?: .*)?")
_REASON = "The test case says that {field} is to be ignored: it is sent as recorded."
IGNORED = Rule("ignored", _REASON, leave=True)


def ignored(case: TestCase) -> Iterator[Rule]:
    """Yield a rule that leaves alone what is to be ignored wherever it stands."""
    names = tuple(one for one in case.asm.ignore if not _EXACT.fullmatch(one))
    if names:
        yield Rule("ignored", _REASON, used_as=NamePatterns(names), leave=True)


def set_aside(traffic: Traffic, case: TestCase) -> tuple[Traffic, tuple[Miss, ...]]:
    """Return ``traffic`` without the slots that are to be ignored at one place alone; and those."""
    exact = frozenset(filter(_EXACT.fullmatch, case.asm.ignore))
    if not exact:
        return traffic, ()
    entries = Entries(traffic.steps)
    aside = [slot for slot in traffic.slots if entries.are_for(slot, exact)]
    gone = set(map(id, aside))
    slots = tuple(slot for slot in traffic.slots if id(slot) not in gone)
    traffic = replace(traffic, requests=replace(traffic.requests, slots=slots))
    return traffic, tuple(Miss(slot, IGNORED, _REASON) for slot in aside)


def wanted(issues: Iterable[Issue], traffic: Traffic, case: TestCase) -> Iterator[Issue]:
    """Yield the tokens that are not to be ignored."""
    names = NamePatterns(tuple(one for one in case.asm.ignore if not _EXACT.fullmatch(one)))
    entries = Entries(traffic.steps)
    for issue in issues:
        name, at = issue.producer.name, issue.producer.transaction
        if name not in names and not entries.have(at, name, case.asm.ignore):
            yield issue


class Entries:
    """The ways in which places in the requests of a test case are written; ``steps`` are all of its
    steps."""

    def __init__(self, steps: Sequence[RecordedStep]) -> None:
        self._steps = steps
        count = Counter(map(_request, steps))
        seen: Counter[str] = Counter()
        self._requests: list[str] = []
        for step in steps:
            request = _request(step)
            seen[request] += 1
            number = f" #{seen[request]}" if count[request] > 1 else ""
            self._requests.append(request + number)

    def of(self, at: int, name: str) -> str:
        """Return the entry for that name in the request of a transaction."""
        return f"{self._requests[at]}: {name}".rstrip()

    def of_slot(self, slot: Slot, *, several: bool) -> list[str]:
        """Return the entries for a slot, one for each request that sends it; ``several``: whether
        the request has more fields of that name."""
        name = f"{slot.name} #{slot.nth}" if several else slot.name
        return [self.of(user, name) for user in slot.senders]

    def have(self, at: int, name: str, written: Container[str]) -> bool:
        """Return whether one of the entries is for that name in the request of a transaction, or in
        all like it."""
        return any(f"{one}: {name}".rstrip() in written for one in self._spellings(at))

    def are_for(self, slot: Slot, written: Container[str]) -> bool:
        """Return whether one of the entries is for the slot, or for all of that name."""
        names = [slot.name, f"{slot.name} #{slot.nth}"]
        if slot.place is Place.PATH:  # as they were called before, when an id was a name, too
            names.append(slot.before.rstrip("/").rpartition("/")[2])
        return any(self.have(user, name, written) for user in slot.senders for name in names)

    def _spellings(self, at: int) -> tuple[str, ...]:
        step = self._steps[at]
        masked = f"{step.transaction.request.method} {step.path}"
        return self._requests[at], _request(step), masked


def _request(step: RecordedStep) -> str:
    address = step.address
    if HOLE in address and step.exchange is not None:  # what a person put there is not recorded
        address = urlsplit(step.exchange.url).path or "/"
    return f"{step.transaction.request.method} {address.partition('?')[0]}"

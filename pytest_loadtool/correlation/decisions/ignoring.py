"""What a test case says is to be ignored: a field by its name, or that of one request alone.

An entry is a name, in which ``*`` stands for anything, or ``METHOD /path: name`` with the path as
recorded, without its query.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from pytest_loadtool.correlation.claims import Issue, Miss
from pytest_loadtool.correlation.index.traffic import RecordedStep, Traffic
from pytest_loadtool.correlation.requests.slots import Slot
from pytest_loadtool.model.case import TestCase
from pytest_loadtool.model.rule import NamePatterns, Rule

_EXACT = re.compile(r"[!-~]+ \S+:(?: .*)?")
_REASON = "The test case says that {field} is to be ignored: it is sent as recorded."
IGNORED = Rule("ignored", _REASON, leave=True)


def ignored(case: TestCase) -> Iterator[Rule]:
    """A rule that leaves alone what is to be ignored wherever it stands."""
    names = tuple(one for one in case.asm.ignore if not _EXACT.fullmatch(one))
    if names:
        yield Rule("ignored", _REASON, used_as=NamePatterns(names), leave=True)


def set_aside(traffic: Traffic, case: TestCase) -> tuple[Traffic, tuple[Miss, ...]]:
    """``traffic`` without the slots that are to be ignored in one request alone; and those."""
    exact = frozenset(filter(_EXACT.fullmatch, case.asm.ignore))
    if not exact:
        return traffic, ()
    aside = [slot for slot in traffic.slots if exact.intersection(entries(traffic, slot))]
    gone = set(map(id, aside))
    slots = tuple(slot for slot in traffic.slots if id(slot) not in gone)
    traffic = replace(traffic, requests=replace(traffic.requests, slots=slots))
    return traffic, tuple(Miss(slot, IGNORED, _REASON) for slot in aside)


def wanted(issues: Iterable[Issue], traffic: Traffic, case: TestCase) -> Iterator[Issue]:
    """The tokens that are not to be ignored."""
    names = NamePatterns(tuple(one for one in case.asm.ignore if not _EXACT.fullmatch(one)))
    for issue in issues:
        name = issue.producer.name
        if name not in names and (
            entry(traffic.steps[issue.producer.transaction], name) not in case.asm.ignore
        ):
            yield issue


def entries(traffic: Traffic, slot: Slot) -> list[str]:
    """The exact entries for a slot: one for each request that sends it."""
    users = slot.users or (slot.transaction,)
    return [entry(traffic.steps[user], slot.name) for user in users]


def entry(step: RecordedStep, name: str) -> str:
    """The entry for the field of that name in one request."""
    return f"{step.transaction.request.method} {step.path}: {name}".rstrip()

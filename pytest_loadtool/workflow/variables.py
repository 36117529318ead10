"""The user variables of a test case: the value each took, where that was set, and who uses it."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from pytest_loadtool.codec.names import is_secret
from pytest_loadtool.codec.template import BUILTIN_NAMES, Reference
from pytest_loadtool.diagnosis.kept import matched
from pytest_loadtool.model.case import TestCase, Variable
from pytest_loadtool.model.generator import Generator
from pytest_loadtool.replay.compile.generating import generating
from pytest_loadtool.structure.uses import needed_by
from pytest_loadtool.workflow.document import Document
from pytest_loadtool.workflow.errors import CaseError
from pytest_loadtool.workflow.replays import OpenReplay
from pytest_loadtool.workflow.value_flow import origin_of


@dataclass(frozen=True, slots=True)
class VariableRow:
    """A user variable, or a dataset's column.

    ``value`` is what it was at the end of the replay; None if there was none. ``set_by`` (Where
    Set) are the indexes of the transactions that have set it then, or that would; where it is
    empty, ``origin`` says where its value is from. ``used_by`` are the transactions that need it.
    """

    name: str
    value: str | None = field(repr=False)
    recorded: str | None = field(repr=False)
    set_by: tuple[int, ...]
    origin: str
    used_by: tuple[int, ...]
    secret: bool = False
    """Whether its name says that nobody may see it."""


def variable_rows(document: Document, opened: OpenReplay | None) -> Iterator[VariableRow]:
    """Yield the variables of a document, in the order in which they come to be used; with their
    values in a kept replay, if there is one."""
    case = document.case
    setters: dict[str, list[int]] = {}
    users: dict[str, list[int]] = {}
    for index, one in enumerate(case.transactions()):
        for name in sorted(needed_by(case, one)):
            users.setdefault(name, []).append(index)
        for extractor in one.extractors:
            setters.setdefault(extractor.variable, []).append(index)
    kept = {one.name: one for one in opened.replay.variables} if opened is not None else {}
    now = (
        {one.index: index for index, one in matched(case, opened.replay).items()}
        if opened is not None
        else {}
    )
    for name in dict.fromkeys([*case.variables, *setters, *kept, *users]):
        if name in BUILTIN_NAMES or Reference(name).file is not None:
            continue
        variable = case.variables.get(name)
        found = kept.get(name)
        set_by = tuple(now[at] for at in found.set_by if at in now) if found is not None else ()
        yield VariableRow(
            name,
            found.value if found is not None else None,
            variable.recorded if variable is not None else None,
            set_by or tuple(setters.get(name, ())),
            _origin(case, name, opened),
            tuple(users.get(name, ())),
            is_secret(name.rpartition(".")[2]),
        )


def with_constant(case: TestCase, name: str, value: str) -> TestCase:
    """Return ``case`` with a user variable that is ``value``, wherever it came from before.

    Raises:
        CaseError: there is no such variable, or a response sets it.
    """
    known = case.variables.get(name)
    if known is None:
        raise CaseError(
            f"there is no variable {name!r}: `variables` lists them, "
            f"`set-field N FIELD --variable {name}` makes one"
        )
    return _with(case, Variable(name, value=value, recorded=known.recorded))


def with_generated(case: TestCase, name: str, generator: Generator) -> TestCase:
    """Return ``case`` with a user variable that is made up; it may be a new one.

    Raises:
        CaseError: a response sets it.
    """
    known = case.variables.get(name)
    recorded = known.recorded if known is not None else None
    return _with(case, Variable(name, generate=generator, recorded=recorded))


def made_up(name: str, generator: Generator, turns: Iterable[int]) -> list[str]:
    """Return what is made up in these turns.

    Raises:
        ReplayError: nothing can be.
    """
    found = generating(name, generator, time.time)
    return [found(turn) for turn in turns] if found is not None else []


def _with(case: TestCase, made: Variable) -> TestCase:
    for number, one in enumerate(case.transactions(), 1):
        if any(extractor.variable == made.name for extractor in one.extractors):
            raise CaseError(f"an extractor of {number} {one.title} sets {made.name}")
    return replace(case, variables=MappingProxyType({**case.variables, made.name: made}))


def _origin(case: TestCase, name: str, opened: OpenReplay | None) -> str:
    """Return where a value is from that no transaction sets."""
    dataset = Reference(name).dataset
    if dataset is not None:
        file = next((one.file for one in case.datasets if one.name == dataset), dataset)
        rows = opened.replay.rows if opened is not None else ()
        row = next((one.row for one in rows if one.dataset == dataset), 0)
        return f"row {row} of {file}" if row else file
    variable = case.variables.get(name)
    return origin_of(variable) if variable is not None else ""

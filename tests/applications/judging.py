"""Which correlated values need not be.

A value is rightly correlated when the server gives another one now than it gave when it was
recorded, or refuses the recorded one. A date does not count as the same: it is, until midnight.
"""

from __future__ import annotations

import dataclasses
import json
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pytest_loadtool.casefile import read_case
from pytest_loadtool.correlation.classify import looks_like_time
from pytest_loadtool.engine.functional import replay_once
from pytest_loadtool.engine.prepare.resources import compile_from
from pytest_loadtool.model.case import Kind, TestCase, Transaction, Variable
from pytest_loadtool.model.load import ThinkTime
from pytest_loadtool.model.result import Failure
from pytest_loadtool.replay import PagePlan, Plan, Response, Step

__all__ = ["correlated", "false_positives"]

#: What is not asked for again with each value: nothing in it is of the session.
_STATIC = frozenset({Kind.CSS, Kind.JAVASCRIPT, Kind.IMAGE})


def correlated(case: Path) -> tuple[str, ...]:
    """The variables that application state management has set."""
    return tuple(one.name for one in read_case(case).variables.values() if one.set_by == "asm")


def false_positives(case: Path, url: str) -> tuple[str, ...]:
    """Those of them that the server at ``url`` gives out as recorded, and takes as recorded.

    Also to a second user, while a first one has got so far: of what only one can have, such as the
    name of a new file, that one gets another. It must be another server than the one recorded
    from, with secrets of its own, and have been used since: then ids that start again in an empty
    database differ, too.
    """
    whole = _without_static(read_case(case))

    def replayed(one: TestCase) -> _Replayed:
        return _replayed(compile_from(case, one, server=url, think_time=ThinkTime(scale=0.0)))

    now = replayed(whole)
    return tuple(
        name
        for name in correlated(case)
        if _same(whole.variables[name], now.values[name])
        and _same(whole.variables[name], _to_a_second(whole, name, replayed))
        and replayed(_pinned(whole, name)).answers == now.answers
    )


def _same(variable: Variable, values: set[str]) -> bool:
    return values == {variable.recorded} and not looks_like_time(variable.recorded or "")


def _to_a_second(case: TestCase, name: str, replayed: Callable[[TestCase], _Replayed]) -> set[str]:
    """What the variable is of a user who comes when another has just got it, and went away."""
    replayed(_until(case, name))
    return replayed(case).values[name]


def _until(case: TestCase, name: str) -> TestCase:
    """The case up to the transaction whose response gives out the variable."""
    transactions = list(case.transactions())
    last = next(
        index
        for index, one in enumerate(transactions)
        if any(each.variable == name for each in one.extractors)
    )
    kept = {id(one) for one in transactions[: last + 1]}
    return _with(case, lambda one: id(one) in kept)


def _pinned(case: TestCase, name: str) -> TestCase:
    """The case with the recorded value of one variable in place of its extractors."""
    variable = case.variables[name]
    constant = dataclasses.replace(variable, value=variable.recorded, set_by="person", rule="")
    pages = tuple(
        dataclasses.replace(
            page,
            transactions=tuple(
                dataclasses.replace(
                    one, extractors=tuple(each for each in one.extractors if each.variable != name)
                )
                for one in page.transactions
            ),
        )
        for page in case.pages
    )
    variables = {**case.variables, name: dataclasses.replace(constant, recorded=None)}
    return dataclasses.replace(case, pages=pages, variables=variables)


def _without_static(case: TestCase) -> TestCase:
    return _with(case, lambda one: one.recorded is None or one.recorded.kind not in _STATIC)


def _with(case: TestCase, wanted: Callable[[Transaction], bool]) -> TestCase:
    """The case with these transactions only."""
    pages = (
        dataclasses.replace(page, transactions=tuple(filter(wanted, page.transactions)))
        for page in case.pages
    )
    return dataclasses.replace(case, pages=tuple(page for page in pages if page.transactions))


def _replayed(plan: Plan) -> _Replayed:
    result = _Replayed({slot: name for name, slot in plan.slots.items()})
    replay_once(plan, observer=result)
    return result


@dataclass
class _Replayed:
    """What the server answered, and the values that the variables took."""

    names: Mapping[int, str]
    answers: Counter[tuple[int, int, str]] = field(default_factory=Counter)
    """Of each transaction its number, status and the form of its answer; or what failed."""
    values: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))

    def transaction(self, step: Step, response: Response, failures: tuple[Failure, ...]) -> None:
        causes = ",".join(failure.cause for failure in failures)
        self.answers[step.index, response.status, causes or _form(response)] += 1
        for take in step.takes:
            value = take.extract(response) if take.extract is not None else None
            if value is not None:
                self.values[self.names[take.slot]].add(value)

    def negotiation(self, step: Step, response: Response) -> None:
        """No application here uses HTTP authentication."""

    def page(self, page: PagePlan, started: float, finished: float, failed: bool) -> None:
        pass

    def iteration(self, started: float, finished: float, failed: bool) -> None:
        pass


def _form(response: Response) -> str:
    """The keys of a JSON object: an application that always answers 200 says there what failed."""
    try:
        document: Any = json.loads(response.text)
    except ValueError:
        return ""
    return " ".join(sorted(document)) if isinstance(document, dict) else ""

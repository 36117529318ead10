"""Which correlated values need not be: the replay is the same with the recorded constant."""

from __future__ import annotations

import dataclasses
import json
from collections import Counter
from pathlib import Path
from typing import Any

from pytest_loadtool.casefile import read_case
from pytest_loadtool.model.case import Kind, TestCase
from pytest_loadtool.model.load import ThinkTime
from pytest_loadtool.model.result import Failure
from pytest_loadtool.replay import PagePlan, Response, Step, compile_case
from pytest_loadtool.transport.functional import replay_once

__all__ = ["correlated", "needless"]

#: What is not asked for again with each value: nothing in it is of the session.
_STATIC = frozenset({Kind.CSS, Kind.JAVASCRIPT, Kind.IMAGE})


def correlated(case: Path) -> tuple[str, ...]:
    """The variables that application state management has set."""
    return tuple(one.name for one in read_case(case).variables.values() if one.set_by == "asm")


def needless(case: Path, url: str) -> tuple[str, ...]:
    """Those of them whose recorded value the server at ``url`` takes as well.

    It must be another than the one recorded from, with secrets of its own, and have been used
    since: then ids that start again in an empty database differ, too.
    """
    whole = _without_static(read_case(case))
    expected = _answers(whole, url)
    return tuple(
        name for name in correlated(case) if _answers(_pinned(whole, name), url) == expected
    )


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
    pages = tuple(
        dataclasses.replace(
            page,
            transactions=tuple(
                one
                for one in page.transactions
                if one.recorded is None or one.recorded.kind not in _STATIC
            ),
        )
        for page in case.pages
    )
    return dataclasses.replace(case, pages=tuple(page for page in pages if page.transactions))


def _answers(case: TestCase, url: str) -> Counter[tuple[int, int, str]]:
    """Of each transaction its number, status and the form of its answer; and what failed."""
    observer = _Answers()
    plan = compile_case(case, server=url, think_time=ThinkTime(scale=0.0))
    replay_once(plan, observer=observer)
    return observer.seen


class _Answers:
    def __init__(self) -> None:
        self.seen: Counter[tuple[int, int, str]] = Counter()

    def transaction(self, step: Step, response: Response, failures: tuple[Failure, ...]) -> None:
        kinds = ",".join(failure.cause for failure in failures)
        self.seen[step.index, response.status, kinds or _form(response)] += 1

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

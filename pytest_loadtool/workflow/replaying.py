"""Replaying a document: its plan, and a replay beside the event loop that asks for it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Container, Hashable
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from typing import Protocol, TypeVar

from pytest_loadtool.load.cluster.share import FIRST_ROWS
from pytest_loadtool.model.case import TestCase, Transaction
from pytest_loadtool.model.load import ThinkTime
from pytest_loadtool.replay import Plan
from pytest_loadtool.replay.compile.proxies import through
from pytest_loadtool.replay.control import Control
from pytest_loadtool.replay.user.user import RowChoice
from pytest_loadtool.structure.uses import case_files
from pytest_loadtool.workflow.document import Document, check
from pytest_loadtool.workflow.keeping import Keeper, WithTunnels
from pytest_loadtool.workflow.project import Project

_T = TypeVar("_T")


class Stoppable(WithTunnels, Protocol):
    """An observer that ends a replay once ``stopped`` is set."""

    stopped: threading.Event


def plan_of(
    project: Project, case_path: Path, document: Document, *, server: str = "", fast: bool = False
) -> Plan:
    """Return the plan of a document's test case, through the proxy that the project says; without
    think times if ``fast``, against ``server`` if it is given.

    Raises:
        CaseError: a variable has no source.
        LoadToolError: it cannot be replayed.
    """
    from pytest_loadtool.engine.prepare.resources import compile_from
    from pytest_loadtool.transport.wire.tls import check_tls

    check(document.case)
    case = through(document.case, project.proxy)
    case = replace(case, strict=case.strict or project.strict)
    uploads = document.uploads
    plan = compile_from(
        case_path,
        case,
        server=server,
        think_time=ThinkTime(scale=0.0) if fast else ThinkTime(),
        unsaved={name: uploads[name].content for name in case_files(case) if name in uploads},
        trust=project.trust,
        hooks=project.hooks(case, case_path),
    )
    check_tls(plan)
    return plan


async def replay(
    plan: Plan,
    observer: Stoppable,
    *,
    rows: RowChoice = FIRST_ROWS,
    number: int = 0,
    control: Control | None = None,
    keeper: Keeper | None = None,
) -> None:
    """Replay once in a thread, with these ``rows`` of datasets; when this is cancelled, the replay
    ends with what is under way.

    With a ``control`` somebody can hold it. ``number`` (from 0) is that of the iteration.
    ``keeper`` is told in place of ``observer``, and tells it.
    """
    from pytest_loadtool.engine.functional import replay_once

    told, began = (observer, None) if keeper is None else (keeper, keeper.began)
    try:
        await apart(
            lambda: replay_once(
                plan,
                observer=told,
                challenged=told.challenged,
                rows=rows,
                number=number,
                control=control,
                began=began,
            )
        )
    finally:
        observer.stopped.set()
        if control is not None:
            control.cut()


def breakpoint_of(transaction: Transaction) -> Hashable:
    """Return what a breakpoint is known by: it stays with its transaction when others go, and when
    that is edited."""
    recorded = transaction.recorded
    if recorded is not None and recorded.entry is not None:
        return recorded.entry
    return transaction.request.method, transaction.request.target


def held_before(case: TestCase, breakpoints: Container[Hashable]) -> frozenset[int]:
    """Return the indexes of the transactions that have breakpoints."""
    return frozenset(
        index for index, one in enumerate(case.transactions()) if breakpoint_of(one) in breakpoints
    )


def apart(work: Callable[[], _T]) -> asyncio.Future[_T]:
    """Start ``work`` in a thread; what it returns or raises.

    The thread is a daemon: work that the person has given up must not keep the console from ending.
    """
    result: Future[_T] = Future()

    def settle() -> None:
        result.set_running_or_notify_cancel()  # from here on it has an outcome
        try:
            outcome = work()
        except BaseException as error:  # whatever it is, it belongs to whoever waits
            result.set_exception(error)
        else:
            result.set_result(outcome)

    threading.Thread(target=settle, daemon=True, name="replay").start()
    return asyncio.wrap_future(result)
